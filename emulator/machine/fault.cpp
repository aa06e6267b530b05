// SPDX-License-Identifier: Apache-2.0
// Describes what ended a kernel.
#include "machine/fault.hpp"

#include <algorithm>
#include <cstdio>

#include "machine/scheduler.hpp"

namespace emulator {
namespace {

const char* describe(FaultKind kind) {
  switch (kind) {
    case FaultKind::none: return "no fault";
    case FaultKind::illegal_address: return "illegal address";
    case FaultKind::misaligned_address: return "misaligned address";
    case FaultKind::invalid_address_space: return "address of the wrong space";
    case FaultKind::invalid_pc: return "call or jump to what is no function";
    case FaultKind::illegal_instruction: return "illegal instruction";
    case FaultKind::trap: return "trap";
    case FaultKind::assertion: return "assertion failed";
    case FaultKind::deadlock: return "deadlock: no thread of the block can go on";
    case FaultKind::timeout: return "the kernel was ended from outside or by its time limit";
    case FaultKind::out_of_local_memory: return "out of local memory (recursion deeper than the stack limit)";
    case FaultKind::strict: return "strict mode";
  }
  return "unknown fault";
}

std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string triple(const Dim3& value) {
  return "(" + std::to_string(value.x) + ", " + std::to_string(value.y) + ", " + std::to_string(value.z) + ")";
}

/// Fills in where the op before `pc` comes from.
void locate(Fault& fault, const Grid& grid, const Function& function, std::uint32_t pc) {
  const DecodedModule* module = grid.kernel->module;
  if (&function != grid.kernel->function) fault.function = function.name;
  if (pc == 0 || pc > function.sources.size()) return;
  const OpSource& source = function.sources[pc - 1];
  fault.line = source.line;
  fault.source_line = source.source_line;
  if (module == nullptr) return;
  if (source.spelling < module->spellings.size()) fault.instruction = module->spellings[source.spelling];
  if (source.source_line != 0 && source.source_file < module->files.size()) {
    fault.source_file = module->files[source.source_file];
  }
}

bool is_access(FaultKind kind) {
  return kind == FaultKind::illegal_address || kind == FaultKind::misaligned_address ||
         kind == FaultKind::invalid_address_space;
}

}  // namespace

int fault_code(FaultKind kind) {
  switch (kind) {
    case FaultKind::none: return result::success;
    case FaultKind::illegal_address: return result::illegal_address;
    case FaultKind::misaligned_address: return result::misaligned_address;
    case FaultKind::invalid_address_space: return result::invalid_address_space;
    // As an H200 answers: the address of such a call is looked up like any other.
    case FaultKind::invalid_pc: return result::illegal_address;
    case FaultKind::illegal_instruction: return result::illegal_instruction;
    case FaultKind::assertion: return result::assertion;
    case FaultKind::timeout: return result::launch_timeout;
    case FaultKind::trap:
    case FaultKind::deadlock:
    case FaultKind::out_of_local_memory:
    case FaultKind::strict: return result::launch_failed;
  }
  return result::launch_failed;
}

std::string fault_report(const Fault& fault) {
  const std::string head = "cuda_bindings emulator: ";
  std::string text = head + "kernel " + fault.kernel + ": " + describe(fault.kind);
  if (is_access(fault.kind) && fault.size != 0) {
    text += fault.is_write ? ", write of " : ", read of ";
    text += std::to_string(fault.size) + " bytes at " + hexadecimal(fault.address);
  } else if (fault.kind == FaultKind::invalid_pc && fault.address != 0) {
    text += ": " + hexadecimal(fault.address);
  }
  text += "\n" + head + "  thread " + triple(fault.thread) + " of block " + triple(fault.block) + "\n";
  if (fault.line != 0) {
    text += head + "  PTX line " + std::to_string(fault.line);
    if (!fault.instruction.empty()) text += ": " + fault.instruction;
    if (!fault.function.empty()) text += ", in function " + fault.function;
    text += "\n";
  }
  if (fault.source_line != 0) {
    text += head + "  source " + fault.source_file + ":" + std::to_string(fault.source_line) + "\n";
  }
  std::size_t begin = 0;
  while (begin < fault.note.size()) {
    const std::size_t end = std::min(fault.note.find('\n', begin), fault.note.size());
    text += head + "  " + fault.note.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

Outcome raise_fault(Warp& warp, FaultKind kind, LaneMask lanes) {
  const Grid& grid = *warp.block->grid;
  Fault& fault = *warp.fault;
  fault = Fault{};
  fault.kind = kind;
  fault.kernel = grid.kernel->name;
  fault.block = warp.block->index;
  const int lane = lanes != 0 ? __builtin_ctz(lanes) : 0;
  fault.thread = Dim3{warp.thread_x[lane], warp.thread_y[lane], warp.thread_z[lane]};
  locate(fault, grid, *warp.function, warp.pc);
  return Outcome::fault;
}

Outcome raise_access_fault(Warp& warp, FaultKind kind, LaneMask lanes, std::uint64_t address, std::uint32_t size,
                           bool is_write) {
  raise_fault(warp, kind, lanes);
  Fault& fault = *warp.fault;
  fault.address = address;
  fault.size = size;
  fault.is_write = is_write;
  if (kind == FaultKind::illegal_address && warp.block->grid->memory != nullptr) {
    fault.note = warp.block->grid->memory->describe(address);
  }
  return Outcome::fault;
}

}  // namespace emulator
