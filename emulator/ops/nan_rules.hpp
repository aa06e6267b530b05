// SPDX-License-Identifier: Apache-2.0
// Which NaN comes out of a float op, and what an integer gets from one: every such choice in one place.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace emulator::EMULATOR_ISA {

/// The one NaN of f32 results, whatever went in.
inline constexpr std::uint32_t nan_f32 = 0x7fffffffu;
/// The one NaN of f16 and bf16 results.
inline constexpr std::uint16_t nan_half = 0x7fffu;
/// The NaN that f64 ops make of numbers: inf - inf, 0 * inf and the like.
inline constexpr std::uint64_t nan_f64 = 0xfff8000000000000u;
/// The NaN of rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64, which only make a high word.
inline constexpr std::uint64_t nan_f64_seed = 0x7fffffff00000000u;
/// Set in a quiet NaN of f64.
inline constexpr std::uint64_t quiet_f64 = 0x0008000000000000u;

/// An f32 result: any NaN becomes the one NaN.
inline __attribute__((always_inline)) float settle_nan(float value) {
  return value != value ? std::bit_cast<float>(nan_f32) : value;
}

/// An f64 result keeps the payload of a NaN operand, made quiet. Of several NaN operands the `first` that is one
/// counts, then the `second`, then the `third`.
inline __attribute__((always_inline)) double keep_nan(double value, double first) {
  const double nan = first != first ? first : std::bit_cast<double>(nan_f64);
  const double quiet = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | quiet_f64);
  return value != value ? quiet : value;
}
inline __attribute__((always_inline)) double keep_nan(double value, double first, double second) {
  const double later = second != second ? second : std::bit_cast<double>(nan_f64);
  const double nan = first != first ? first : later;
  const double quiet = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | quiet_f64);
  return value != value ? quiet : value;
}
inline __attribute__((always_inline)) double keep_nan(double value, double first, double second, double third) {
  return keep_nan(value, first, second != second ? second : third);
}

/// The order in which operands count is b, c, a: for add sub mul fma min max of f64.
inline __attribute__((always_inline)) double settle_nan(double value, double a) { return keep_nan(value, a); }
inline __attribute__((always_inline)) double settle_nan(double value, double a, double b) {
  return keep_nan(value, b, a);
}
inline __attribute__((always_inline)) double settle_nan(double value, double a, double b, double c) {
  return keep_nan(value, b, c, a);
}
/// div of f64 is a sequence of instructions, in which the dividend comes first.
inline __attribute__((always_inline)) double settle_quotient(double value, double a, double b) {
  return keep_nan(value, a, b);
}

/// abs and neg compute: a NaN becomes the one NaN, or in f64 quiet, but keeps its sign.
inline __attribute__((always_inline)) float settle_sign_op(float value) { return settle_nan(value); }
inline __attribute__((always_inline)) double settle_sign_op(double value, double source) {
  return keep_nan(value, source);
}
inline __attribute__((always_inline)) std::uint32_t settle_sign_op(std::uint32_t half, std::uint32_t infinity) {
  return (half & 0x7fffu) > infinity ? std::uint32_t{nan_half} : half;
}

/// What float-to-integer conversion makes of NaN: 0, but the top bit alone where a side has 64 bits.
template <class Integer, bool FromF64>
inline constexpr Integer integer_of_nan = FromF64 || sizeof(Integer) == 8
                                              ? static_cast<Integer>(static_cast<std::make_unsigned_t<Integer>>(1)
                                                                     << (8 * sizeof(Integer) - 1))
                                              : Integer{0};

}  // namespace emulator::EMULATOR_ISA
