// SPDX-License-Identifier: Apache-2.0
// The names of a function: one scope for its braces, and one for each pair of braces in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/syntax.hpp"

namespace emulator::ptx {

/// What a name of a function stands for; `id` counts in the function's list of such things.
struct Entity {
  enum class Kind : std::uint8_t { reg, variable, label, table, prototype };
  Kind kind = Kind::reg;
  std::uint32_t id = 0;
};

/// The scopes of one function. Registers of a range (`%r<10>`) are made when they are first met.
class Scopes {
 public:
  explicit Scopes(std::vector<Register>& registers) : registers_(registers) { enter(); }

  /// Opens a scope in the current one and makes it current.
  void enter();
  /// Goes back to the scope around the current one.
  void leave() { current_ = scopes_[current_].parent; }
  [[nodiscard]] std::uint32_t current() const { return current_; }

  /// Declares a name in the current scope; false where it has that name already.
  bool declare(std::string_view name, Entity entity);
  /// Declares `prefix0` to `prefix<count-1>`; false where the scope has that range already.
  bool declare_range(std::string_view prefix, std::uint32_t count, std::uint16_t bits);
  /// What the name means in the current scope.
  std::optional<Entity> find(std::string_view name);
  /// What the name means in a scope, ranges left out: for labels that are declared after their use.
  [[nodiscard]] std::optional<Entity> find_from(std::uint32_t scope, std::string_view name) const;

 private:
  struct Range {
    std::uint32_t count = 0;
    std::uint16_t bits = 0;
  };
  struct Scope {
    std::uint32_t parent = 0;
    std::unordered_map<std::string_view, Entity> names;
    std::unordered_map<std::string_view, Range> ranges;
  };

  std::optional<Entity> make_register(Scope& scope, std::string_view name);

  std::vector<Register>& registers_;
  std::vector<Scope> scopes_;
  std::uint32_t current_ = 0;
};

}  // namespace emulator::ptx
