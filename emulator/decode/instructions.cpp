// SPDX-License-Identifier: Apache-2.0
// Instructions whose operands follow a row's signature, and branches.
#include "decode/instructions.hpp"

#include <algorithm>
#include <string>

#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

const ptx::Operand sink_operand{};
const ptx::Operand zero_operand = [] {
  ptx::Operand zero;
  zero.kind = ptx::OperandKind::integer;
  return zero;
}();

Operands flattened(const ptx::Instruction& instruction) {
  Operands made;
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == ptx::OperandKind::pair || operand.kind == ptx::OperandKind::vector) {
      for (const ptx::Operand& part : operand.parts) made.push_back(&part);
    } else {
      made.push_back(&operand);
    }
  }
  return made;
}

bool begins_with_pair(const ptx::Instruction& instruction) {
  return !instruction.operands.empty() && instruction.operands.front().kind == ptx::OperandKind::pair;
}

/// Gives setp, shfl and match.all the second destination that they may leave out.
Operands with_second_destination(const ptx::Instruction& instruction) {
  Operands operands = flattened(instruction);
  if (!begins_with_pair(instruction) && !operands.empty()) operands.insert(operands.begin() + 1, &sink_operand);
  return operands;
}

/// bar.sync a{, b}; bar.red d, a{, b}, c: a thread count of 0 means all of the block.
Operands with_thread_count(const ptx::Instruction& instruction, const Opcode& opcode) {
  Operands operands = flattened(instruction);
  if (operands.size() + 1 == opcode.signature.size()) {
    const bool reduces = opcode.normal.row.starts_with("bar.red");
    operands.insert(operands.begin() + (reduces ? 2 : 1), &zero_operand);
  }
  return operands;
}

void decode_branch(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  const bool is_label =
      instruction.operands.size() == 1 && instruction.operands.front().kind == ptx::OperandKind::label;
  if (!is_label) refuse_arguments(instruction, "a label is expected");
  DraftOp& made = draft.emit(*opcode.row);
  made.op.aux = instruction.operands.front().id;
  made.flow = Flow::branch;
}

void decode_branch_table(FunctionDraft& draft, const Opcode& opcode) {
  const ptx::Instruction& instruction = draft.instruction();
  const bool fits = instruction.operands.size() == 2 && instruction.operands[1].kind == ptx::OperandKind::table;
  if (!fits) refuse_arguments(instruction, "an index and a branch table are expected");
  const Place index = draft.source(instruction.operands[0], 32, {'u', 32});
  DraftOp& made = draft.emit(*opcode.row);
  made.op.operand[0] = index;
  made.op.aux = instruction.operands[1].id;
  made.flow = Flow::table;
}

void decode_zero(FunctionDraft& draft, const ptx::Instruction& instruction) {
  if (instruction.operands.empty()) refuse_arguments(instruction, "a destination is expected");
  const Place destination = draft.destination(instruction.operands.front(), 64);
  draft.emit_unary("mov.b64", destination, draft.frame.constant(0, 64));
}

}  // namespace

void decode_matched(FunctionDraft& draft, const Opcode& opcode, const Operands& operands) {
  const ptx::Instruction& instruction = draft.instruction();
  DraftOp made;
  std::size_t next = 0;
  std::size_t place = 0;
  for (const Slot& slot : opcode.signature) {
    if (slot.literal) {
      if (next == operands.size() || operands[next]->kind != ptx::OperandKind::integer) {
        refuse_arguments(instruction, "a literal integer is expected");
      }
      made.op.immediate = operands[next++]->value;
      continue;
    }
    std::uint32_t& operand = made.op.operand[place++];
    if (slot.free || (slot.optional && next == operands.size())) continue;
    if (next == operands.size()) refuse_arguments(instruction, "too few operands");
    const ptx::Operand& given = *operands[next++];
    if (slot.destination) {
      const bool sign = opcode.normal.result.kind == 's';
      operand =
          slot.bits == 1 ? draft.predicate_destination(given) : draft.destination(given, slot.bits, slot.wider, sign);
      made.written |= static_cast<std::uint8_t>(1u << (place - 1));
    } else {
      operand =
          slot.bits == 1 ? draft.predicate(given) : draft.source(given, slot.bits, opcode.normal.source, slot.wider);
    }
  }
  if (next != operands.size()) refuse_arguments(instruction, "too many operands");
  DraftOp& emitted = draft.emit(*opcode.row);
  std::copy(std::begin(made.op.operand), std::end(made.op.operand), std::begin(emitted.op.operand));
  emitted.op.immediate = made.op.immediate;
  emitted.written = made.written;
  if (opcode.normal.row == "exit" || opcode.normal.row == "trap") emitted.flow = Flow::end;
  draft.finish_widening();
}

void decode_instruction(FunctionDraft& draft, const ptx::Instruction& instruction) {
  const Opcode& opcode = draft.module.opcode(instruction.opcode, instruction.line);
  draft.begin(instruction, opcode.spelling);
  switch (opcode.normal.family) {
    case Family::plain: decode_matched(draft, opcode, flattened(instruction)); break;
    case Family::compare:
    case Family::shuffle: decode_matched(draft, opcode, with_second_destination(instruction)); break;
    case Family::load: decode_load(draft, opcode); break;
    case Family::store: decode_store(draft, opcode); break;
    case Family::atomic:
    case Family::reduction: decode_atomic(draft, opcode); break;
    case Family::move: decode_move(draft, opcode); break;
    case Family::address: decode_address(draft, opcode); break;
    case Family::nothing: draft.emit(*opcode.row); break;
    case Family::zero: decode_zero(draft, instruction); break;
    case Family::barrier: decode_matched(draft, opcode, with_thread_count(instruction, opcode)); break;
    case Family::branch: decode_branch(draft, opcode); break;
    case Family::branch_table: decode_branch_table(draft, opcode); break;
    case Family::call: decode_call(draft, opcode); break;
    case Family::leave: decode_return(draft, *opcode.row); break;
    case Family::left_out: refuse_opcode(instruction.opcode, instruction.line, true);
  }
}

}  // namespace emulator::decode
