// SPDX-License-Identifier: Apache-2.0
// The words of load errors, and their form in the JIT error log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/types.hpp"
#include "ptx/syntax.hpp"

namespace emulator {

/// A load error as ptxas would print it into CU_JIT_ERROR_LOG_BUFFER, without a newline at the end.
std::string jit_error_text(const LoadError& error);

namespace decode {

/// Ends the load with invalid_ptx at a line (0: none).
[[noreturn]] void refuse(std::uint32_t line, std::string message);

/// Ends the load because of an instruction: "Arguments mismatch for instruction 'add.s32'".
[[noreturn]] void refuse_arguments(const ptx::Instruction& instruction, std::string_view why);

/// Ends the load because nothing here executes the spelling; tells unknown words from known things that are left out.
[[noreturn]] void refuse_opcode(std::string_view opcode, std::uint32_t line, bool base_is_known);

/// Whether an opcode belongs to what the emulated device leaves out: tensor cores, asynchronous copies, barriers in
/// memory, clusters, textures and surfaces.
bool is_left_out(std::string_view opcode);

}  // namespace decode
}  // namespace emulator
