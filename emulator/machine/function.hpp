// SPDX-License-Identifier: Apache-2.0
// Decoded code: what the decoder makes and the machine runs. Immutable after loading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "machine/op.hpp"

namespace emulator {

struct Function;

/// A value that each frame holds in all lanes before the function starts: immediates and symbol addresses.
struct FrameConstant {
  std::uint32_t offset = 0;  ///< in the frame
  std::uint8_t bytes = 4;    ///< 4: uint32_t[32], 8: uint64_t[32]
  std::uint64_t value = 0;
};

/// A parameter variable in a frame: lane i's bytes begin at offset + i * stride.
struct ParameterSlot {
  std::uint32_t offset = 0;
  std::uint32_t stride = 0;
  std::uint32_t bytes = 0;
};

/// Calls that leave the module.
enum class SystemCall : std::uint8_t { none, vprintf, assertfail, malloc, free };

/// Everything about one call instruction; Op::aux of a call op is its index in Function::calls.
struct CallSite {
  const Function* callee = nullptr;  ///< null: through a register (operand[0], 64-bit) or a system call
  SystemCall system = SystemCall::none;
  std::vector<ParameterSlot> arguments;  ///< in the caller's frame, copied to the callee's parameters in order
  std::vector<ParameterSlot> results;    ///< in the caller's frame, filled from the callee's returns in order
};

/// Where an op comes from, for reports, traces and coverage. Beside Function::ops.
struct OpSource {
  std::uint32_t line = 0;
  std::uint32_t source_file = 0;
  std::uint32_t source_line = 0;
  std::uint32_t spelling = 0;  ///< index in DecodedModule::spellings
};

/// An executable function. The frame: [all-lanes mask][constants][registers][parameter variables], 64-byte aligned.
struct Function {
  std::string name;
  std::uint32_t index = 0;        ///< in DecodedModule::functions; its address is code_window + 16 * index
  std::vector<Op> ops;            ///< ends with an op that never falls through (ret is appended)
  std::vector<OpSource> sources;  ///< one an op
  std::vector<FrameConstant> constants;
  std::vector<CallSite> calls;
  std::vector<std::vector<std::uint32_t>> branch_tables;  ///< pcs; Op::aux of brx.idx is the index
  std::vector<ParameterSlot> parameters;                  ///< of a .func: where its frame takes the arguments
  std::vector<ParameterSlot> returns;
  std::uint32_t frame_bytes = 0;
  std::uint32_t register_begin = 0;  ///< [register_begin, frame_bytes) is zeroed when a frame is made
  std::uint32_t local_bytes = 0;     ///< .local variables of one activation, 16-aligned
};

/// A parameter of an entry in the parameter buffer.
struct EntryParameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

struct DecodedModule;

/// An entry with all that a launch and cuFuncGetAttribute want to know.
struct Kernel {
  const Function* function = nullptr;
  const DecodedModule* module = nullptr;
  std::string name;
  std::vector<EntryParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared = 0;  ///< bytes of static shared memory
  std::uint32_t dynamic_shared_alignment = 16;
  std::uint32_t local_bytes = 0;     ///< of the deepest call chain that is known; recursion may need more
  std::uint32_t max_threads = 1024;  ///< .maxntid's product, or 1024
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t registers = 0;       ///< an estimate of 32-bit registers a thread, 255 at most
  std::uint32_t constant_bytes = 0;  ///< of the module
  bool uses_grid_sync = false;       ///< reads %envreg1
  bool entry_address = false;        ///< takes the address of a parameter: each launch has a copy that has one
  bool calls_itself = false;         ///< recursion or indirect calls: the stack limit decides
  unsigned ptx_version = 0;
  unsigned target = 0;
};

/// Where a module's variable lies.
struct GlobalVariable {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

/// All code of a module.
struct DecodedModule {
  std::vector<Function*> functions;    ///< by index; owned by the Module of decode/module.hpp
  std::vector<std::string> spellings;  ///< PTX spellings as written, each once
  std::vector<std::string> files;      ///< of .file, by number
};

}  // namespace emulator
