// SPDX-License-Identifier: Apache-2.0
// The fundamental types of PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace emulator::ptx {

/// A fundamental type: its directive, its width, and how an initialiser writes a number of it.
struct Type {
  std::string_view name;
  std::uint16_t bits = 0;  ///< 1 for .pred
  /// none: PTX has no initialisers of such types.
  enum class Numbers : std::uint8_t { bits, integers, reals, none } numbers = Numbers::bits;

  [[nodiscard]] std::uint32_t bytes() const { return bits < 8 ? 1u : bits / 8u; }
};

/// The type that a directive names, or null.
const Type* find_type(std::string_view directive);

}  // namespace emulator::ptx
