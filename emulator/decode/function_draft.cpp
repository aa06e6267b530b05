// SPDX-License-Identifier: Apache-2.0
// Emitting ops of a function and laying them out.
#include "decode/function_draft.hpp"

#include <algorithm>

#include "decode/liveness.hpp"
#include "decode/messages.hpp"

namespace emulator::decode {

FunctionDraft::FunctionDraft(ModuleDraft& draft, std::uint32_t index)
    : module(draft),
      symbol(draft.functions[index]),
      syntax(*symbol.syntax),
      code(*symbol.code),
      registers_(syntax.registers.size(), all_lanes),
      parameters_(syntax.variables.size(), all_lanes),
      local_offsets_(syntax.variables.size(), ~std::uint64_t{0}) {
  ops_.reserve(syntax.instructions.size() + syntax.instructions.size() / 8);
  instruction_pcs_.reserve(syntax.instructions.size() + 1);
}

void FunctionDraft::begin(const ptx::Instruction& instruction, std::uint32_t spelling) {
  instruction_ = &instruction;
  instruction_pcs_.push_back(static_cast<std::uint32_t>(ops_.size()));
  source_ = {.line = instruction.line,
             .source_file = instruction.source_file,
             .source_line = instruction.source_line,
             .spelling = spelling};
  guard_ = all_lanes;
  if (instruction.guard == ptx::no_register) return;
  if (syntax.registers[instruction.guard].bits != 1) refuse(instruction.line, "A guard must be a predicate");
  guard_ = register_place(instruction.guard) | (instruction.guard_negated ? 1u : 0u);
}

DraftOp& FunctionDraft::emit(const OpcodeRow& row) {
  DraftOp& made = ops_.emplace_back();
  made.op.handler = row.handler;
  made.op.guard = guard_;
  made.source = source_;
  return made;
}

DraftOp& FunctionDraft::emit(std::string_view row) { return emit(module.row(row, source_.line)); }

void FunctionDraft::emit_unary(std::string_view row, Place destination, Place source) {
  DraftOp& made = emit(row);
  made.op.operand[0] = destination;
  made.op.operand[1] = source;
  made.written = 1;
}

DraftOp& FunctionDraft::emit_first(std::string_view row) {
  DraftOp& made = first_.emplace_back();
  made.op.handler = module.row(row, syntax.line).handler;
  made.source = source_;
  return made;
}

Place FunctionDraft::parameter_place(std::uint32_t variable) {
  Place& place = parameters_[variable];
  if (place == all_lanes) {
    const ptx::Variable& parameter = syntax.variables[variable];
    if (parameter.size > 32764) refuse(parameter.line, "Parameter '" + std::string(parameter.name) + "' is too large");
    place = frame.parameter(static_cast<std::uint32_t>(parameter.size));
  }
  return place;
}

const EntryParameter* FunctionDraft::entry_parameter(std::uint32_t variable) const {
  if (!syntax.is_entry) return nullptr;
  const auto found = std::find(syntax.parameters.begin(), syntax.parameters.end(), variable);
  if (found == syntax.parameters.end()) return nullptr;
  return &symbol.parameters.parameters[static_cast<std::size_t>(found - syntax.parameters.begin())];
}

/// Puts the first ops in front; labels become indices of ops.
void FunctionDraft::resolve_branches() {
  const auto shift = static_cast<std::uint32_t>(first_.size());
  const auto pc_of_label = [&](std::uint32_t label) {
    return instruction_pcs_[syntax.labels[label].instruction] + shift;
  };
  for (const ptx::BranchTable& table : syntax.branch_tables) {
    std::vector<std::uint32_t>& pcs = code.branch_tables.emplace_back();
    for (const std::uint32_t label : table.labels) pcs.push_back(pc_of_label(label));
  }
  for (DraftOp& draft : ops_) {
    if (draft.flow == Flow::branch) draft.op.aux = pc_of_label(draft.op.aux);
  }
  ops_.insert(ops_.begin(), first_.begin(), first_.end());
}

void FunctionDraft::share_room() {
  std::vector<Place> own;
  if (!syntax.is_entry) {
    // All parameters have a slot, used or not: calls fill them in order.
    for (const std::uint32_t id : syntax.parameters) own.push_back(parameter_place(id));
    for (const std::uint32_t id : syntax.returns) own.push_back(parameter_place(id));
  }
  symbol.live_units =
      decode::share_room(frame, {.ops = ops_, .tables = code.branch_tables, .calls = calls, .own_parameters = own});
}

void FunctionDraft::finish_calls() {
  const auto slots = [this](const std::vector<Place>& places) {
    std::vector<ParameterSlot> made;
    for (const Place place : places) made.push_back(frame.slot(place));
    return made;
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    code.calls[i].arguments = slots(calls[i].arguments);
    code.calls[i].results = slots(calls[i].results);
  }
  if (syntax.is_entry) return;
  for (const std::uint32_t id : syntax.parameters) code.parameters.push_back(frame.slot(parameters_[id]));
  for (const std::uint32_t id : syntax.returns) code.returns.push_back(frame.slot(parameters_[id]));
}

void FunctionDraft::finish_ops() {
  code.ops.reserve(ops_.size());
  code.sources.reserve(ops_.size());
  for (const DraftOp& draft : ops_) {
    Op op = draft.op;
    for (std::uint32_t& operand : op.operand) operand = frame.offset(operand);
    op.operand[4] += draft.displacement;
    op.guard = frame.offset(op.guard);
    code.ops.push_back(op);
    code.sources.push_back(draft.source);
  }
}

void FunctionDraft::finish() {
  resolve_branches();
  share_room();
  frame.lay_out(code);
  finish_calls();
  finish_ops();
  if (local_end_ > std::uint64_t{512} * 1024) {
    refuse(syntax.line, "Function '" + code.name + "' uses too much local data");
  }
  code.local_bytes = static_cast<std::uint32_t>((local_end_ + 15) / 16 * 16);
  symbol.addresses = frame.addresses();
}

}  // namespace emulator::decode
