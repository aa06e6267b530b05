// SPDX-License-Identifier: Apache-2.0
// Variables of a module in device memory, or in host memory where managed: allocated, initialised, given back.
#include "decode/initialisers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

constexpr std::uint64_t constant_bank = 64 * 1024;

AllocationKind kind_of(const ptx::Variable& variable) {
  return variable.space == ptx::Space::constant ? AllocationKind::constant : AllocationKind::variable;
}

void write_address(const ModuleDraft& module, const AddressSpace& memory, const ptx::Variable& variable,
                   const ptx::Relocation& relocation, std::byte* host) {
  const SymbolRef ref = module.find(relocation.symbol);
  const bool has_address = (ref.kind == SymbolKind::variable && !module.variables[ref.index].syntax->is_external) ||
                           (ref.kind == SymbolKind::function && module.functions[ref.index].code != nullptr);
  if (!has_address) {
    refuse(variable.line, "unresolved extern symbol '" + std::string(relocation.symbol) + "' in the initialiser of '" +
                              std::string(variable.name) + "'");
  }
  const std::uint64_t address = symbol_value(module, ref, memory) + static_cast<std::uint64_t>(relocation.addend);
  const std::uint64_t value = relocation.shift < 64 ? address >> relocation.shift : 0;
  const std::uint64_t size = std::min<std::uint64_t>(relocation.size, sizeof value);
  if (relocation.offset > variable.size || size > variable.size - relocation.offset) {
    refuse(variable.line, "The initialiser of '" + std::string(variable.name) + "' is too long");
  }
  for (std::uint64_t i = 0; i < size; ++i) host[relocation.offset + i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

std::uint64_t constant_bytes(const ModuleDraft& module) {
  std::uint64_t end = 0;
  for (const ModuleVariable& variable : module.variables) {
    if (variable.syntax->space != ptx::Space::constant || variable.syntax->is_external) continue;
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.syntax->alignment, 1);
    end = (end + alignment - 1) / alignment * alignment + std::min<std::uint64_t>(variable.syntax->size, 1u << 30);
  }
  return end;
}

std::uint64_t symbol_value(const ModuleDraft& module, SymbolRef symbol, const AddressSpace& memory) {
  switch (symbol.kind) {
    case SymbolKind::variable: return module.variables[symbol.index].address;
    case SymbolKind::shared: return module.shared[symbol.index].offset;
    case SymbolKind::function: return memory.code_window() + 16u * module.functions[symbol.index].code->index;
    case SymbolKind::none: break;
  }
  return 0;
}

VariableMemory::~VariableMemory() {
  for (const Allocation& allocation : allocations_) memory_.release(allocation.begin);
}

void VariableMemory::Free::operator()(std::byte* memory) const { std::free(memory); }

std::optional<Allocation> VariableMemory::allocate_on_host(std::uint64_t size, std::uint64_t alignment) {
  if (size > PTRDIFF_MAX - alignment) return std::nullopt;
  const std::uint64_t rounded = (size + alignment - 1) / alignment * alignment;
  on_host_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  std::byte* const memory = on_host_.back().get();
  if (memory == nullptr || !memory_.add_host(memory, size, AllocationKind::managed, 0)) {
    on_host_.pop_back();
    return std::nullopt;
  }
  return memory_.find(reinterpret_cast<std::uint64_t>(memory));
}

std::optional<Allocation> VariableMemory::allocate(const ptx::Variable& variable, std::uint64_t size) {
  const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 256);
  if (variable.is_managed) return allocate_on_host(size, alignment);
  return memory_.allocate(size, kind_of(variable), alignment);
}

void VariableMemory::place(ModuleDraft& module) {
  const std::uint64_t constants = constant_bytes(module);
  if (constants > constant_bank) {
    refuse(0, "File uses too much global constant data (" + std::to_string(constants) + " bytes, " +
                  std::to_string(constant_bank) + " max)");
  }
  std::vector<std::byte*> hosts(module.variables.size(), nullptr);
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    ModuleVariable& variable = module.variables[i];
    const ptx::Variable& syntax = *variable.syntax;
    if (syntax.is_external) continue;
    const auto size = std::max<std::uint64_t>(syntax.size, 1);
    const auto made = allocate(syntax, size);
    if (!made) {
      throw LoadError(
          result::out_of_memory, syntax.line,
          "No memory for variable '" + std::string(syntax.name) + "' of " + std::to_string(size) + " bytes");
    }
    allocations_.push_back(*made);
    variable.address = made->begin;
    hosts[i] = made->host;
    std::memset(made->host, 0, size);
    std::copy_n(syntax.data.begin(), std::min<std::uint64_t>(syntax.data.size(), size), made->host);
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable& syntax = *module.variables[i].syntax;
    for (const ptx::Relocation& relocation : syntax.relocations) {
      if (hosts[i] != nullptr) write_address(module, memory_, syntax, relocation, hosts[i]);
    }
  }
}

}  // namespace emulator::decode
