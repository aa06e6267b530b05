// SPDX-License-Identifier: Apache-2.0
// Declarations of variables: type, alignment, dimensions, initialiser.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/context.hpp"
#include "ptx/types.hpp"

namespace emulator::ptx {

/// Bytes of the largest variable that is accepted.
inline constexpr std::uint64_t largest_variable = std::uint64_t{1} << 40;

/// What stands between the state space and the name.
struct VariableType {
  const Type* type = nullptr;
  std::uint32_t elements = 1;   ///< of .v2, .v4
  std::uint32_t alignment = 0;  ///< of .align; 0: none
  bool is_managed = false;

  [[nodiscard]] std::uint32_t bytes() const { return type->bytes() * elements; }
};

/// A state space that variables are declared in, or none: ".global", ".const", ".shared", ".local", ".param".
std::optional<Space> find_space(std::string_view directive);

/// Parses `.align 8 .v2 .f32`, `.u64 .ptr .global .align 4`, `.attribute(.managed) .b8` in any order that PTX has.
VariableType parse_variable_type(Context& context);

/// Parses a name, its dimensions and, where `may_initialise`, its initialiser.
Variable parse_declarator(Context& context, Space space, const VariableType& type, bool may_initialise);

/// Parses `.global .align 4 .u32 a = 1, b;` from the state space on.
std::vector<Variable> parse_variables(Context& context, const Linkage& linkage);

/// An array's shape: sizes of its dimensions in elements, the innermost last; the first may be open.
struct Shape {
  std::vector<std::uint64_t> sizes;
  bool is_open = false;          ///< []
  std::uint32_t item_bytes = 0;  ///< of one number
};

/// Parses the value behind `=` into the variable's data and relocations. Returns the bytes it covers.
std::uint64_t parse_initialiser(Context& context, const Type& type, const Shape& shape, Variable& variable);

}  // namespace emulator::ptx
