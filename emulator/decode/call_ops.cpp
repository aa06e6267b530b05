// SPDX-License-Identifier: Apache-2.0
// call and ret: parameter variables of the caller are matched with those of the callee.
#include <string>
#include <utility>

#include "decode/instructions.hpp"
#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

using ptx::OperandKind;

/// The parts of `call (results), callee, (arguments), prototype`.
struct CallParts {
  const ptx::Operand* results = nullptr;
  const ptx::Operand* callee = nullptr;
  const ptx::Operand* arguments = nullptr;
  const ptx::Operand* prototype = nullptr;
};

CallParts parts_of(const ptx::Instruction& instruction) {
  CallParts parts;
  for (const ptx::Operand& operand : instruction.operands) {
    const bool is_list = operand.kind == OperandKind::list;
    const bool is_prototype = operand.kind == OperandKind::prototype || operand.kind == OperandKind::table;
    if (is_list && parts.callee == nullptr && parts.results == nullptr) {
      parts.results = &operand;
    } else if (is_list && parts.callee != nullptr && parts.arguments == nullptr) {
      parts.arguments = &operand;
    } else if (is_prototype && parts.callee != nullptr && parts.prototype == nullptr) {
      parts.prototype = &operand;
    } else if (!is_list && parts.callee == nullptr) {
      parts.callee = &operand;
    } else {
      refuse_arguments(instruction, "unexpected operand");
    }
  }
  if (parts.callee == nullptr) refuse_arguments(instruction, "a function is expected");
  return parts;
}

/// Sizes in bytes of what a function takes or gives.
std::vector<std::uint64_t> sizes_of(const ptx::Function& function, const std::vector<std::uint32_t>& ids) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t id : ids) sizes.push_back(function.variables[id].size);
  return sizes;
}

std::vector<std::uint64_t> sizes_of(const std::vector<ptx::Variable>& variables) {
  std::vector<std::uint64_t> sizes;
  for (const ptx::Variable& variable : variables) sizes.push_back(variable.size);
  return sizes;
}

struct Shape {
  std::vector<std::uint64_t> arguments;
  std::vector<std::uint64_t> results;
};

bool is_parameter_variable(const FunctionDraft& draft, const ptx::Operand& operand) {
  return operand.kind == OperandKind::variable && draft.syntax.variables[operand.id].space == ptx::Space::param;
}

/// "b32" of 4 bytes: how a register goes to a parameter variable.
std::string frame_row(const FunctionDraft& draft, std::string_view verb, std::uint64_t bytes) {
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
    refuse_arguments(draft.instruction(), "a register cannot hold the parameter");
  }
  return std::string(verb) + ".frame.b" + std::to_string(bytes * 8);
}

void emit_frame_access(FunctionDraft& draft, const std::string& row, Place value, Place parameter, bool loads) {
  DraftOp& made = draft.emit(row);
  made.op.operand[0] = value;
  made.op.operand[4] = parameter;
  made.op.aux = draft.frame.slot(parameter).stride;
  made.written = loads ? 1 : 0;
}

/// The parameter variables of a call's arguments; registers and literals are stored to hidden ones.
std::vector<Place> argument_places(FunctionDraft& draft, const ptx::Operand* list,
                                   const std::vector<std::uint64_t>& sizes) {
  std::vector<Place> places;
  const std::size_t count = list == nullptr ? 0 : list->parts.size();
  if (count != sizes.size()) refuse_arguments(draft.instruction(), "the number of arguments differs");
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Operand& argument = list->parts[i];
    if (is_parameter_variable(draft, argument) && draft.entry_parameter(argument.id) == nullptr) {
      places.push_back(draft.parameter_place(argument.id));
      if (draft.frame.slot(places.back()).bytes != sizes[i]) {
        refuse_arguments(draft.instruction(), "an argument's size differs");
      }
      continue;
    }
    const std::string row = frame_row(draft, "st", sizes[i]);
    const auto bits = static_cast<std::uint8_t>(sizes[i] * 8);
    const Place value = draft.source(argument, bits, {'b', bits}, bits == 8);
    places.push_back(draft.frame.parameter(static_cast<std::uint32_t>(sizes[i])));
    emit_frame_access(draft, row, value, places.back(), false);
  }
  return places;
}

/// The parameter variables of a call's results; `loads` gets what must go to registers afterwards.
std::vector<Place> result_places(FunctionDraft& draft, const ptx::Operand* list,
                                 const std::vector<std::uint64_t>& sizes,
                                 std::vector<std::pair<const ptx::Operand*, Place>>& loads) {
  std::vector<Place> places;
  const std::size_t count = list == nullptr ? 0 : list->parts.size();
  if (count != sizes.size()) refuse_arguments(draft.instruction(), "the number of results differs");
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Operand& result = list->parts[i];
    if (is_parameter_variable(draft, result)) {
      places.push_back(draft.parameter_place(result.id));
      if (draft.frame.slot(places.back()).bytes != sizes[i]) {
        refuse_arguments(draft.instruction(), "a result's size differs");
      }
    } else {
      places.push_back(draft.frame.parameter(static_cast<std::uint32_t>(sizes[i])));
      loads.emplace_back(&result, places.back());
    }
  }
  return places;
}

/// Fills the call site's callee and tells what it takes.
Shape resolve_callee(FunctionDraft& draft, const CallParts& parts, CallSite& site) {
  const ptx::Instruction& instruction = draft.instruction();
  if (parts.callee->kind == OperandKind::reg) {
    if (parts.prototype == nullptr || parts.prototype->kind != OperandKind::prototype) {
      refuse_arguments(instruction, "an indirect call needs a prototype");
    }
    draft.symbol.reach.calls_indirectly = true;
    const ptx::Prototype& prototype = draft.syntax.prototypes[parts.prototype->id];
    return {sizes_of(prototype.parameters), sizes_of(prototype.returns)};
  }
  const SymbolRef ref = parts.callee->kind == OperandKind::symbol ? draft.module.find(parts.callee->name) : SymbolRef{};
  if (ref.kind != SymbolKind::function) refuse_arguments(instruction, "a function is expected");
  const FunctionSymbol& callee = draft.module.functions[ref.index];
  if (callee.syntax->is_entry) refuse_arguments(instruction, "an entry cannot be called");
  site.callee = callee.code.get();
  site.system = callee.system;
  if (site.callee == nullptr && site.system == SystemCall::none) {
    refuse(instruction.line, "unresolved extern function '" + std::string(parts.callee->name) + "'");
  }
  if (site.callee != nullptr) draft.symbol.reach.calls.push_back(ref.index);
  return {sizes_of(*callee.syntax, callee.syntax->parameters), sizes_of(*callee.syntax, callee.syntax->returns)};
}

}  // namespace

void decode_call(FunctionDraft& draft, const Opcode& opcode) {
  const CallParts parts = parts_of(draft.instruction());
  CallSite site;
  const Shape shape = resolve_callee(draft, parts, site);
  const bool is_indirect = parts.callee->kind == OperandKind::reg;
  const Place target = is_indirect ? draft.source(*parts.callee, 64, {'b', 64}) : all_lanes;
  std::vector<std::pair<const ptx::Operand*, Place>> loads;
  CallDraft places;
  places.arguments = argument_places(draft, parts.arguments, shape.arguments);
  places.results = result_places(draft, parts.results, shape.results, loads);
  DraftOp& made = draft.emit(*opcode.row);
  made.op.operand[0] = target;
  made.op.aux = static_cast<std::uint32_t>(draft.code.calls.size());
  made.call = made.op.aux;
  draft.code.calls.push_back(std::move(site));
  draft.calls.push_back(std::move(places));
  for (const auto& [result, parameter] : loads) {
    const std::uint32_t bytes = draft.frame.slot(parameter).bytes;
    const std::string row = frame_row(draft, "ld", bytes);
    const Place value = draft.destination(*result, bytes * 8, bytes == 1);
    emit_frame_access(draft, row, value, parameter, true);
    draft.finish_widening();
  }
}

void decode_return(FunctionDraft& draft, const OpcodeRow& row) {
  const ptx::Function& syntax = draft.syntax;
  for (std::size_t i = 0; i < syntax.return_registers.size(); ++i) {
    if (syntax.return_registers[i] == ptx::no_register) continue;
    const Place parameter = draft.parameter_place(syntax.returns[i]);
    const std::uint32_t bytes = draft.frame.slot(parameter).bytes;
    const Place value = draft.register_place(syntax.return_registers[i]);
    emit_frame_access(draft, frame_row(draft, "st", bytes), value, parameter, false);
  }
  draft.emit(row).flow = Flow::end;
}

void decode_register_parameters(FunctionDraft& draft) {
  const ptx::Function& syntax = draft.syntax;
  for (std::size_t i = 0; i < syntax.parameter_registers.size(); ++i) {
    if (syntax.parameter_registers[i] == ptx::no_register) continue;
    const Place parameter = draft.parameter_place(syntax.parameters[i]);
    const std::uint32_t bytes = draft.frame.slot(parameter).bytes;
    DraftOp& made = draft.emit_first("ld.frame.b" + std::to_string(bytes * 8));
    made.op.operand[0] = draft.register_place(syntax.parameter_registers[i]);
    made.op.operand[4] = parameter;
    made.op.aux = draft.frame.slot(parameter).stride;
    made.written = 1;
  }
}

}  // namespace emulator::decode
