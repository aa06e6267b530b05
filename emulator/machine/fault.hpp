// SPDX-License-Identifier: Apache-2.0
// What ends a kernel early, with everything that the report on stderr tells.
#pragma once

#include <cstdint>
#include <string>

#include "common/types.hpp"

namespace emulator {

/// Why a kernel was ended; each has one CUresult (see fault_code).
enum class FaultKind : std::uint8_t {
  none,
  illegal_address,        ///< 700
  misaligned_address,     ///< 716
  invalid_address_space,  ///< 717
  invalid_pc,             ///< 700, as on an H200: call through a pointer that is no function
  illegal_instruction,    ///< 715
  trap,                   ///< the code that hardware gives: see fault_code
  assertion,              ///< 710
  deadlock,               ///< 719: no group of the block can go on
  timeout,                ///< 702
  out_of_local_memory,    ///< 719: recursion beyond the stack limit
  strict,                 ///< 719: strict mode's findings
};

/// The one fault that a grid ends with.
struct Fault {
  FaultKind kind = FaultKind::none;
  std::string kernel;
  std::string function;     ///< where it happened, when not the kernel itself
  std::string instruction;  ///< the PTX spelling
  std::uint32_t line = 0;   ///< of the PTX
  std::string source_file;  ///< CUDA C, with -lineinfo
  std::uint32_t source_line = 0;
  Dim3 thread{0, 0, 0};
  Dim3 block{0, 0, 0};
  std::uint64_t address = 0;
  std::uint32_t size = 0;  ///< bytes accessed
  bool is_write = false;
  std::string note;  ///< nearest allocation, who waits where, the assertion's text...
};

/// The CUresult of a fault.
int fault_code(FaultKind kind);

/// The text for stderr: several lines, each beginning with "cuda_bindings emulator: ".
std::string fault_report(const Fault& fault);

}  // namespace emulator
