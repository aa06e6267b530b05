// SPDX-License-Identifier: Apache-2.0
// Variables of a module in device memory, or in host memory where managed: allocated, initialised, given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "decode/module_draft.hpp"
#include "memory/address_space.hpp"

namespace emulator::decode {

/// The memory of a module's variables; gives it back when destroyed.
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
  struct Free {
    void operator()(std::byte* memory) const;
  };
  // Memory for a variable: the device's, or the host's for managed ones, which host code dereferences.
  std::optional<Allocation> allocate(const ptx::Variable& variable, std::uint64_t size);
  std::optional<Allocation> allocate_on_host(std::uint64_t size, std::uint64_t alignment);

  AddressSpace& memory_;
  std::vector<Allocation> allocations_;
  std::vector<std::unique_ptr<std::byte, Free>> on_host_;
};

/// The value of a symbol: an address of device memory or of a function, an offset in shared memory.
std::uint64_t symbol_value(const ModuleDraft& module, SymbolRef symbol, const AddressSpace& memory);

/// Bytes of the module's .const variables.
std::uint64_t constant_bytes(const ModuleDraft& module);

}  // namespace emulator::decode
