// SPDX-License-Identifier: Apache-2.0
// A loaded module: parsed, laid out, decoded, its variables placed in device memory and initialised.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/function.hpp"
#include "memory/address_space.hpp"

namespace emulator {

/// One loaded instance. Destroying it gives its memory back; the caller has waited for its kernels.
class Module {
 public:
  /// Loads PTX text. Throws LoadError: the code that hardware's driver would give and the line. Nothing stays allocated then.
  /// Order: parse, check version and target against options(), lay out, decode everything, allocate and initialise variables.
  static std::unique_ptr<Module> load(std::string ptx, AddressSpace& memory);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The entry of that name, or null.
  [[nodiscard]] const Kernel* kernel(std::string_view name) const;
  [[nodiscard]] std::vector<const Kernel*> kernels() const;
  /// The .global or .const variable of that name (extern shared and local ones are not found).
  [[nodiscard]] std::optional<GlobalVariable> variable(std::string_view name) const;
  [[nodiscard]] const DecodedModule& code() const;

 private:
  struct State;
  explicit Module(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Several PTX texts linked into one (cuLink*): externs resolve across them. Throws LoadError (invalid_ptx: unresolved or double symbols).
/// The result is PTX text that Module::load accepts.
std::string link_ptx(const std::vector<std::string>& texts);

}  // namespace emulator
