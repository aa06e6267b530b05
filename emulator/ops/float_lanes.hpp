// SPDX-License-Identifier: Apache-2.0
// What the float op files share: flushing, saturation, handlers with a settled environment, spellings of rows.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "decode/opcode_table.hpp"
#include "ops/float_environment.hpp"
#include "ops/lanes.hpp"
#include "ops/nan_rules.hpp"

namespace emulator::EMULATOR_ISA {

/// Subnormals become zero of the same sign.
inline __attribute__((always_inline)) float flush(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

/// An operand as the op sees it.
template <bool Ftz>
inline __attribute__((always_inline)) float read_f32(float value) {
  return Ftz ? flush(value) : value;
}

/// Into [0, 1]; NaN and -0 become +0.
template <class T>
inline __attribute__((always_inline)) T saturate(T value) {
  const T above = value < T{1} ? value : T{1};
  return value > T{0} ? above : T{0};
}

/// A result as the op leaves it.
template <bool Ftz, bool Sat = false>
inline __attribute__((always_inline)) float write_f32(float value) {
  const float bounded = Sat ? saturate(value) : settle_nan(value);
  return Ftz ? flush(bounded) : bounded;
}

/// Results are flushed that are below the smallest normal when rounded as if exponents had no end, even if as a subnormal they
/// would have been rounded up to it. So the op is done again on operands scaled by this, and the outcome is looked at.
inline constexpr float tiny_scale = 0x1p32f;

/// Zero of the sign of `value` where the scaled outcome is below the scaled smallest normal.
inline __attribute__((always_inline)) float flush_tiny(float value, float scaled) {
  return __builtin_fabsf(scaled) < 0x1p-126f * tiny_scale ? __builtin_copysignf(0.0f, value) : value;
}

/// map_lanes in the environment that PTX has.
template <auto F, class Destination, class... Sources>
Outcome map_floats(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const NearestScope scope;
  return map_lanes<F, Destination, Sources...>(warp, op, mask);
}

/// The parts that are not empty, with `between` between them.
std::string joined(std::initializer_list<std::string_view> parts, std::string_view between = ".");

/// Adds a row whose spelling is the parts joined by dots.
void add_row(OpcodeTable& table, std::initializer_list<std::string_view> parts, const char* signature, Handler handler);

}  // namespace emulator::EMULATOR_ISA
