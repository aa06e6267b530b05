// SPDX-License-Identifier: Apache-2.0
// Which NaN comes out of an op, and what an integer gets from one: every such choice of the float handlers, in one place.
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

/// An f64 result keeps the payload of its first NaN operand, made quiet.
inline __attribute__((always_inline)) double settle_nan(double value, double a) {
  const std::uint64_t kept = std::bit_cast<std::uint64_t>(a != a ? a : std::bit_cast<double>(nan_f64)) | quiet_f64;
  return value != value ? std::bit_cast<double>(kept) : value;
}

inline __attribute__((always_inline)) double settle_nan(double value, double a, double b) {
  const double produced = b != b ? b : std::bit_cast<double>(nan_f64);
  const std::uint64_t kept = std::bit_cast<std::uint64_t>(a != a ? a : produced) | quiet_f64;
  return value != value ? std::bit_cast<double>(kept) : value;
}

inline __attribute__((always_inline)) double settle_nan(double value, double a, double b, double c) {
  const double produced = c != c ? c : std::bit_cast<double>(nan_f64);
  const double later = b != b ? b : produced;
  const std::uint64_t kept = std::bit_cast<std::uint64_t>(a != a ? a : later) | quiet_f64;
  return value != value ? std::bit_cast<double>(kept) : value;
}

/// abs and neg compute on f32, f16 and bf16 (a NaN becomes the one NaN) and only touch the sign of f64.
inline __attribute__((always_inline)) float settle_sign_op(float value) { return settle_nan(value); }
inline __attribute__((always_inline)) double settle_sign_op(double value) { return value; }
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
