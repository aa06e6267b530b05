// SPDX-License-Identifier: Apache-2.0
// ld, st, atom and red: elements in operands 0 to 3, the base in operand 4, the displacement in the immediate.
#include <algorithm>
#include <string>

#include "decode/instructions.hpp"
#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

constexpr std::size_t base_operand = 4;

/// Elements of {a, b} or of a scalar.
Operands elements_of(const ptx::Instruction& instruction, const ptx::Operand& operand, unsigned wanted) {
  Operands made;
  if (operand.kind == ptx::OperandKind::vector) {
    for (const ptx::Operand& part : operand.parts) made.push_back(&part);
  } else {
    made.push_back(&operand);
  }
  const bool is_scalar = operand.kind != ptx::OperandKind::vector;
  if (made.size() != wanted || is_scalar != (wanted == 1)) refuse_arguments(instruction, "the vector's size differs");
  return made;
}

/// A parameter variable in brackets, or null.
const ptx::Operand* parameter_of(const FunctionDraft& draft, const ptx::Operand& address) {
  if (address.kind != ptx::OperandKind::address || address.parts.empty()) return nullptr;
  const ptx::Operand& part = address.parts.front();
  if (part.kind != ptx::OperandKind::variable) return nullptr;
  return draft.syntax.variables[part.id].space == ptx::Space::param ? &part : nullptr;
}

/// The byte in a parameter that an access begins at; an access beyond its end is an error of the program's text.
std::uint32_t byte_of(const FunctionDraft& draft, const ptx::Operand& address, const Access& access) {
  const std::uint64_t byte = address.parts.front().value + address.value;
  const std::uint64_t bytes = std::uint64_t{access.elements} * access.type.bits / 8;
  const std::uint64_t size = draft.syntax.variables[address.parts.front().id].size;
  if (byte > size || bytes > size - byte) {
    refuse_arguments(draft.instruction(), "the access reaches beyond the parameter");
  }
  return static_cast<std::uint32_t>(byte);
}

void check_operand_count(const FunctionDraft& draft, const Access& access, std::size_t wanted) {
  if (draft.instruction().operands.size() != wanted + (access.has_policy ? 1 : 0)) {
    refuse_arguments(draft.instruction(), "wrong number of operands");
  }
}

/// Puts the base of an access in place: a parameter's slot, or an address.
struct Target {
  const OpcodeRow* row = nullptr;
  Place base = all_lanes;
  std::uint64_t immediate = 0;
  std::uint32_t stride = 0;
  std::uint32_t displacement = 0;
};

void apply(DraftOp& made, const Target& target) {
  made.op.operand[base_operand] = target.base;
  made.op.immediate = target.immediate;
  made.op.aux = target.stride;
  made.displacement = target.displacement;
}

Target parameter_target(FunctionDraft& draft, std::string_view base, const ptx::Operand& operand,
                        const Access& access) {
  const std::uint32_t line = draft.instruction().line;
  Target target;
  if (const ptx::Operand* variable = parameter_of(draft, operand)) {
    const std::uint32_t byte = byte_of(draft, operand, access);
    if (const EntryParameter* parameter = draft.entry_parameter(variable->id)) {
      if (base == "st") refuse_arguments(draft.instruction(), "an entry's parameter cannot be written");
      target.row = &draft.module.row(access_row(base, "entry", access), line);
      target.immediate = parameter->offset + byte;
      return target;
    }
    target.row = &draft.module.row(access_row(base, "frame", access), line);
    target.base = draft.parameter_place(variable->id);
    target.stride = draft.frame.slot(target.base).stride;
    target.displacement = byte;
    return target;
  }
  if (base == "st") refuse_arguments(draft.instruction(), "a parameter's name is expected");
  // The address of an entry's parameter is a generic one, that of a function's parameter lies in local memory.
  const bool is_entry = draft.syntax.is_entry;
  const Address address = draft.address(operand, is_entry ? AccessSpace::generic : AccessSpace::local);
  target.row = &draft.module.row(access_row(base, is_entry ? "generic" : "local", access), line);
  target.base = address.base;
  target.immediate = static_cast<std::uint64_t>(address.displacement);
  return target;
}

Target target_of(FunctionDraft& draft, const Opcode& opcode, std::string_view base, const ptx::Operand& operand) {
  const Access& access = opcode.normal.access;
  if (access.space == AccessSpace::param) return parameter_target(draft, base, operand, access);
  const Address address = draft.address(operand, access.space, opcode.narrow_row != nullptr);
  return {.row = address.narrow ? opcode.narrow_row : opcode.row,
          .base = address.base,
          .immediate = static_cast<std::uint64_t>(address.displacement)};
}

}  // namespace

void decode_load(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  const Access& access = opcode.normal.access;
  check_operand_count(draft, access, 2);
  const Target target = target_of(draft, opcode, "ld", instruction.operands[1]);
  DraftOp made;
  std::size_t place = 0;
  for (const ptx::Operand* element : elements_of(instruction, instruction.operands[0], access.elements)) {
    made.written |= static_cast<std::uint8_t>(1u << place);
    made.op.operand[place++] = draft.destination(*element, access.type.bits, true, access.type.kind == 's');
  }
  DraftOp& emitted = draft.emit(*target.row);
  std::copy(std::begin(made.op.operand), std::end(made.op.operand), std::begin(emitted.op.operand));
  emitted.written = made.written;
  apply(emitted, target);
  draft.finish_widening();
}

void decode_store(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  const Access& access = opcode.normal.access;
  check_operand_count(draft, access, 2);
  const Target target = target_of(draft, opcode, "st", instruction.operands[0]);
  DraftOp made;
  std::size_t place = 0;
  for (const ptx::Operand* element : elements_of(instruction, instruction.operands[1], access.elements)) {
    made.op.operand[place++] = draft.source(*element, access.type.bits, access.type, true);
  }
  DraftOp& emitted = draft.emit(*target.row);
  std::copy(std::begin(made.op.operand), std::end(made.op.operand), std::begin(emitted.op.operand));
  apply(emitted, target);
}

void decode_atomic(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  const Access& access = opcode.normal.access;
  const std::size_t first = opcode.normal.family == Family::reduction ? 0 : 1;
  const bool swaps = opcode.normal.row.find(".cas.") != std::string::npos;
  check_operand_count(draft, access, first + (swaps ? 3 : 2));
  const unsigned bits = access.type.bits;
  const Target target = target_of(draft, opcode, "atom", instruction.operands[first]);
  const Place value = draft.source(instruction.operands[first + 1], bits, access.type, true);
  const Place replacement = swaps ? draft.source(instruction.operands[first + 2], bits, access.type, true) : all_lanes;
  const Place destination =
      first == 0 ? draft.frame.value(bits) : draft.destination(instruction.operands[0], bits, true);
  DraftOp& emitted = draft.emit(*target.row);
  apply(emitted, target);
  emitted.op.operand[0] = destination;
  emitted.op.operand[1] = value;
  emitted.op.operand[2] = replacement;
  emitted.written = 1;
  draft.finish_widening();
}

}  // namespace emulator::decode
