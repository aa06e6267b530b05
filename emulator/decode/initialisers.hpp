// SPDX-License-Identifier: Apache-2.0
// Variables of a module in device memory: allocated, initialised, given back.
#pragma once

#include <vector>

#include "decode/module_draft.hpp"
#include "memory/address_space.hpp"

namespace emulator::decode {

/// The device memory of a module's variables; gives it back when destroyed.
class VariableMemory {
 public:
  explicit VariableMemory(AddressSpace& memory) : memory_(memory) {}
  ~VariableMemory();
  VariableMemory(const VariableMemory&) = delete;
  VariableMemory& operator=(const VariableMemory&) = delete;

  /// Allocates every variable that has a definition and sets ModuleVariable::address; then writes all initial values.
  /// Throws LoadError: memory is short, constants exceed their bank, an initialiser names what is not there.
  void place(ModuleDraft& module);

 private:
  AddressSpace& memory_;
  std::vector<Allocation> allocations_;
};

/// The value of a symbol: an address of device memory or of a function, an offset in shared memory.
std::uint64_t symbol_value(const ModuleDraft& module, SymbolRef symbol, const AddressSpace& memory);

/// Bytes of the module's .const variables.
std::uint64_t constant_bytes(const ModuleDraft& module);

}  // namespace emulator::decode
