// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 as bits: exact widening, and one rounding from double to any narrower format.
#pragma once

#include <bit>
#include <cstdint>

#include "ops/float_environment.hpp"
#include "ops/nan_rules.hpp"

namespace emulator::EMULATOR_ISA {

/// A binary format by its widths.
template <unsigned MantissaBits, unsigned ExponentBits, std::uint32_t Nan>
struct Format {
  static constexpr unsigned mantissa_bits = MantissaBits;
  static constexpr unsigned exponent_bits = ExponentBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr std::uint32_t sign = 1u << (MantissaBits + ExponentBits);
  static constexpr std::uint32_t infinity = ((1u << ExponentBits) - 1u) << MantissaBits;
  static constexpr std::uint32_t one = static_cast<std::uint32_t>(bias) << MantissaBits;
  static constexpr std::uint32_t nan = Nan;
};

using F16 = Format<10, 5, nan_half>;
using Bf16 = Format<7, 8, nan_half>;
using F32 = Format<23, 8, nan_f32>;

/// Subnormals of a format become zero of the same sign.
template <class Format>
inline __attribute__((always_inline)) std::uint32_t flush_bits(std::uint32_t bits) {
  return (bits & Format::infinity) == 0 ? bits & Format::sign : bits;
}

/// The value of an f16, exactly; what lies above 16 bits is ignored. NaN stays NaN.
inline __attribute__((always_inline)) float widen_f16(std::uint32_t bits) {
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
  const std::uint32_t normal = magnitude + (112u << 23);
  const std::uint32_t special = magnitude + (224u << 23);
  const float subnormal = std::bit_cast<float>(magnitude | 113u << 23) - std::bit_cast<float>(113u << 23);
  const std::uint32_t small = (bits & 0x7c00u) == 0 ? std::bit_cast<std::uint32_t>(subnormal) : normal;
  const std::uint32_t value = (bits & 0x7c00u) == 0x7c00u ? special : small;
  return std::bit_cast<float>(value | (bits & 0x8000u) << 16);
}

/// The value of a bf16, exactly.
inline __attribute__((always_inline)) float widen_bf16(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

template <class Format>
inline __attribute__((always_inline)) float widen(std::uint32_t bits) {
  if constexpr (Format::mantissa_bits == 10) {
    return widen_f16(bits);
  } else {
    return widen_bf16(bits);
  }
}

/// A double in a narrower format, rounded once. Exact sums rounded to odd in the double give the rounding of the
/// exact sum. NaN becomes the format's one NaN, or with KeepNan is cut to the format and quiet, as conversions from
/// f64 do.
template <class Format, bool KeepNan = false>
inline __attribute__((always_inline)) std::uint32_t narrow(double value, Rounding mode) {
  constexpr std::uint64_t infinity = 0x7ff0000000000000u;
  constexpr unsigned drop = 52 - Format::mantissa_bits;
  constexpr auto rebias = static_cast<std::int64_t>(1023 - Format::bias);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto magnitude = static_cast<std::int64_t>(bits & ~(std::uint64_t{1} << 63));
  const bool negative = static_cast<std::int64_t>(bits) < 0;
  // Below the format's normal range the significand is shifted further, with its leading one made explicit.
  const std::int64_t exponent = (magnitude >> 52) - rebias;
  const bool normal = exponent > 0;
  const std::int64_t deficit = 1 - exponent < 63 - std::int64_t{drop} ? 1 - exponent : 63 - std::int64_t{drop};
  const std::int64_t significand = magnitude == 0 ? 0 : (magnitude & 0x000fffffffffffff) | std::int64_t{1} << 52;
  const auto scaled = static_cast<std::uint64_t>(normal ? magnitude - (rebias << 52) : significand);
  const auto shift = static_cast<std::uint64_t>(normal ? std::int64_t{drop} : deficit + std::int64_t{drop});
  const std::uint64_t unit = std::uint64_t{1} << shift;
  const std::uint64_t to_nearest = (unit >> 1) - 1 + (scaled >> shift & 1);
  const bool outwards = mode == Rounding::up ? !negative : mode == Rounding::down ? negative : false;
  const std::uint64_t directed = outwards ? unit - 1 : 0;
  const std::uint64_t rounded = (scaled + (mode == Rounding::nearest ? to_nearest : directed)) >> shift;
  const bool overflows = static_cast<std::int64_t>(rounded) >= std::int64_t{Format::infinity};
  const std::uint32_t beyond =
      mode == Rounding::nearest || outwards ? Format::infinity : static_cast<std::uint32_t>(Format::infinity - 1);
  const std::uint32_t finite = overflows ? beyond : static_cast<std::uint32_t>(rounded);
  const std::uint32_t unsigned_result = magnitude == static_cast<std::int64_t>(infinity) ? Format::infinity : finite;
  const std::uint32_t result = unsigned_result | (negative ? Format::sign : 0u);
  constexpr std::uint32_t payload = (1u << Format::mantissa_bits) - 1u;
  constexpr std::uint32_t quiet = Format::infinity | 1u << (Format::mantissa_bits - 1);
  const std::uint32_t cut = quiet | (static_cast<std::uint32_t>(magnitude >> drop) & payload);
  const std::uint32_t nan = KeepNan ? cut | (negative ? Format::sign : 0u) : Format::nan;
  return magnitude > static_cast<std::int64_t>(infinity) ? nan : result;
}

/// A float as bf16, to nearest.
inline __attribute__((always_inline)) std::uint32_t narrow_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return value != value ? std::uint32_t{nan_half} : rounded;
}

/// A float as f16, to nearest.
inline __attribute__((always_inline)) std::uint32_t narrow_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  // Adding 1/2 leaves the f16 subnormal in the low bits of the float, rounded by the addition.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u;
  const std::uint32_t small = magnitude < 113u << 23 ? subnormal : normal;
  const std::uint32_t finite = magnitude >= 0x477ff000u ? F16::infinity : small;  // 65520 and more
  const std::uint32_t result = finite | (bits >> 16 & 0x8000u);
  return magnitude > 0x7f800000u ? std::uint32_t{nan_half} : result;
}

}  // namespace emulator::EMULATOR_ISA
