// SPDX-License-Identifier: Apache-2.0
// mov: values, vectors packed and unpacked, special registers, addresses; and cvta.
#include <algorithm>
#include <string>

#include "decode/instructions.hpp"
#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

using ptx::OperandKind;

std::string vector_row(const FunctionDraft& draft, std::string_view verb, std::size_t elements, unsigned bits) {
  if (elements != 2 && elements != 4) refuse_arguments(draft.instruction(), "a vector has 2 or 4 elements");
  return "mov." + std::string(verb) + "." + std::to_string(elements) + "x" +
         std::to_string(bits / static_cast<unsigned>(elements));
}

void decode_pack(FunctionDraft& draft, Type type, const ptx::Operand& to, const ptx::Operand& from) {
  const auto bits = type.bits / static_cast<unsigned>(from.parts.size());
  const std::string row = vector_row(draft, "pack", from.parts.size(), type.bits);
  Place places[4] = {};
  for (std::size_t i = 0; i < from.parts.size(); ++i) {
    places[i] = draft.source(from.parts[i], bits, {'b', static_cast<std::uint8_t>(bits)}, bits == 8);
  }
  const Place destination = draft.destination(to, type.bits);
  DraftOp& made = draft.emit(row);
  made.op.operand[0] = destination;
  std::copy(std::begin(places), std::end(places), std::begin(made.op.operand) + 1);
  made.written = 1;
}

void decode_unpack(FunctionDraft& draft, Type type, const ptx::Operand& to, const ptx::Operand& from) {
  const auto bits = type.bits / static_cast<unsigned>(to.parts.size());
  const std::string row = vector_row(draft, "unpack", to.parts.size(), type.bits);
  const Place source = draft.source(from, type.bits, type);
  Place places[4] = {};
  std::uint8_t written = 0;
  for (std::size_t i = 0; i < to.parts.size(); ++i) {
    places[i] = draft.destination(to.parts[i], bits, bits == 8);
    written = static_cast<std::uint8_t>(written | 1u << i);
  }
  DraftOp& made = draft.emit(row);
  std::copy(std::begin(places), std::end(places), std::begin(made.op.operand));
  made.op.operand[4] = source;
  made.written = written;
  draft.finish_widening();
}

}  // namespace

void decode_move(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  if (instruction.operands.size() != 2) refuse_arguments(instruction, "two operands are expected");
  const ptx::Operand& to = instruction.operands[0];
  const ptx::Operand& from = instruction.operands[1];
  const Type type = opcode.normal.result;
  if (type.kind == 'p' && from.kind == OperandKind::special) {
    draft.special(from, 1, draft.predicate_destination(to));
    return;
  }
  if (type.kind == 'p') {
    const Place source = draft.predicate(from);
    draft.emit_unary("mov.pred", draft.predicate_destination(to), source);
    return;
  }
  if (from.kind == OperandKind::vector) return decode_pack(draft, type, to, from);
  if (to.kind == OperandKind::vector) return decode_unpack(draft, type, to, from);
  const Place destination = draft.destination(to, type.bits);
  if (from.kind == OperandKind::special) {
    draft.special(from, type.bits, destination);
    return;
  }
  const bool is_symbol =
      from.kind == OperandKind::variable || (from.kind == OperandKind::symbol && from.name != "WARP_SZ");
  if (is_symbol && type.bits < 32) refuse_arguments(instruction, "an address needs 32 or 64 bits");
  const Place source =
      is_symbol ? draft.symbol_address(from, type.bits, destination) : draft.source(from, type.bits, type);
  if (source == destination && is_symbol) return;
  DraftOp& made = draft.emit(*opcode.row);
  made.op.operand[0] = destination;
  made.op.operand[1] = source;
  made.written = 1;
}

void decode_address(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  if (instruction.operands.size() != 2) refuse_arguments(instruction, "two operands are expected");
  const Place source = draft.source(instruction.operands[1], 64, {'b', 64});
  const Place destination = draft.destination(instruction.operands[0], 64);
  DraftOp& made = draft.emit(*opcode.row);
  made.op.operand[0] = destination;
  made.op.operand[1] = source;
  made.written = 1;
}

}  // namespace emulator::decode
