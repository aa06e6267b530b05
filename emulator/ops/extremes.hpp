// SPDX-License-Identifier: Apache-2.0
// min and max as PTX has them: NaN gives way to numbers, -0 is less than +0; .NaN and .xorsign.abs.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "ops/nan_rules.hpp"

namespace emulator::EMULATOR_ISA {

/// Which of two operands min and max take. NaN only where both are.
template <bool Max, class T>
inline __attribute__((always_inline)) T pick(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const bool first = Max ? a > b : a < b;
  const Bits x = std::bit_cast<Bits>(a);
  const Bits y = std::bit_cast<Bits>(b);
  const T ordered = first ? a : b;
  const T settled = a == b ? std::bit_cast<T>(Max ? x & y : x | y) : ordered;
  return b != b ? a : settled;  // a NaN in a has already given b
}

/// min or max of f32, or of halves widened to it. NaN is the canonical one.
template <bool Max, bool Nan, bool XorSign>
inline __attribute__((always_inline)) float extreme(float a, float b) {
  const float value = XorSign ? pick<Max>(__builtin_fabsf(a), __builtin_fabsf(b)) : pick<Max>(a, b);
  const std::uint32_t signs = (std::bit_cast<std::uint32_t>(a) ^ std::bit_cast<std::uint32_t>(b)) & 0x80000000u;
  const float marked = XorSign ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | signs) : value;
  if constexpr (Nan) {
    const float refused = a != a ? a : b;
    return settle_nan(refused != refused ? refused : marked);
  }
  return settle_nan(marked);
}

}  // namespace emulator::EMULATOR_ISA
