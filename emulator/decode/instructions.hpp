// SPDX-License-Identifier: Apache-2.0
// Decoding of one instruction, by family of opcodes.
#pragma once

#include <span>
#include <vector>

#include "decode/function_draft.hpp"

namespace emulator::decode {

/// Decodes one instruction into ops of the draft. Throws LoadError.
void decode_instruction(FunctionDraft& draft, const ptx::Instruction& instruction);

/// Operands in the order of a row's signature, pairs and vectors taken apart.
using Operands = std::vector<const ptx::Operand*>;

/// Emits the op of a row whose signature these operands must match.
void decode_matched(FunctionDraft& draft, const Opcode& opcode, const Operands& operands);

/// ld and st (memory_ops.cpp).
void decode_load(FunctionDraft& draft, const Opcode& opcode);
void decode_store(FunctionDraft& draft, const Opcode& opcode);
/// atom and red.
void decode_atomic(FunctionDraft& draft, const Opcode& opcode);

/// mov in all its forms, and cvta (move_ops.cpp).
void decode_move(FunctionDraft& draft, const Opcode& opcode);
void decode_address(FunctionDraft& draft, const Opcode& opcode);

/// call, and ret with what a function returns in registers (call_ops.cpp).
void decode_call(FunctionDraft& draft, const Opcode& opcode);
void decode_return(FunctionDraft& draft, const OpcodeRow& row);
/// Parameters that the function takes in registers.
void decode_register_parameters(FunctionDraft& draft);

}  // namespace emulator::decode
