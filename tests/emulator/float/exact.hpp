// SPDX-License-Identifier: Apache-2.0
// The reference of the float tests: exact integers, rounded by what is cut off. No floating-point arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace emulator::float_tests {

using Wide = unsigned __int128;

/// PTX rounding modifiers.
enum class Mode { rn, rz, rm, rp };

/// A binary format.
struct Format {
  int precision;  ///< with the leading one
  int exponent_bits;

  [[nodiscard]] constexpr int width() const { return precision + exponent_bits; }
  [[nodiscard]] constexpr int largest_exponent() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr int smallest_exponent() const { return 1 - largest_exponent(); }
  [[nodiscard]] constexpr std::uint64_t sign() const { return std::uint64_t{1} << (width() - 1); }
  [[nodiscard]] constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << (precision - 1);
  }
  [[nodiscard]] constexpr std::uint64_t one() const {
    return static_cast<std::uint64_t>(largest_exponent()) << (precision - 1);
  }
  [[nodiscard]] constexpr std::uint64_t smallest_normal() const { return std::uint64_t{1} << (precision - 1); }
  [[nodiscard]] constexpr std::uint64_t magnitude(std::uint64_t bits) const { return bits & (sign() - 1); }
  [[nodiscard]] constexpr bool is_nan(std::uint64_t bits) const { return magnitude(bits) > infinity(); }
  [[nodiscard]] constexpr bool is_infinite(std::uint64_t bits) const { return magnitude(bits) == infinity(); }
  [[nodiscard]] constexpr bool is_negative(std::uint64_t bits) const { return (bits & sign()) != 0; }
  /// A subnormal made zero.
  [[nodiscard]] constexpr std::uint64_t flushed(std::uint64_t bits) const {
    return magnitude(bits) < smallest_normal() ? bits & sign() : bits;
  }
};

inline constexpr Format f16{11, 5};
inline constexpr Format bf16{8, 8};
inline constexpr Format f32{24, 8};
inline constexpr Format f64{53, 11};

/// (whole + rest) * 2^exponent, where 0 <= rest < 1 and only `has_rest` tells whether it is 0; a rest needs a whole
/// of 60 bits or more.
struct Real {
  bool negative = false;
  Wide whole = 0;
  int exponent = 0;
  bool has_rest = false;

  [[nodiscard]] bool is_zero() const { return whole == 0 && !has_rest; }
};

/// The value of finite bits.
Real value_of(Format format, std::uint64_t bits);

/// The bits nearest to a value by the mode.
std::uint64_t rounded(Format format, Mode mode, const Real& value);

/// Whether a value is below the smallest normal once rounded as if exponents had no end.
bool is_tiny(Format format, Mode mode, const Real& value);

/// The integral value next to a value by the mode; nothing where it exceeds 2^100.
std::optional<Wide> integral_magnitude(Mode mode, const Real& value);

/// What an operation gives: NaN, an infinity, or an exact value.
struct Answer {
  enum class Kind { nan, infinity, real };
  Kind kind = Kind::nan;
  Real real;  // the sign counts for infinities, too
};

// Operations on the bits of one format. The mode decides the sign of zero sums alone.
Answer sum(Format format, Mode mode, std::uint64_t a, std::uint64_t b);
Answer difference(Format format, Mode mode, std::uint64_t a, std::uint64_t b);
Answer product(Format format, std::uint64_t a, std::uint64_t b);
Answer quotient(Format format, std::uint64_t a, std::uint64_t b);
Answer square_root(Format format, std::uint64_t a);
Answer fused(Format format, Mode mode, std::uint64_t a, std::uint64_t b, std::uint64_t c);
/// A number as an answer, for conversions.
Answer number(Format format, std::uint64_t bits);

/// Modifiers of an instruction.
struct Modifiers {
  Mode mode = Mode::rn;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
};

/// The bits that an instruction with these modifiers writes; `nan` is what it makes of NaN.
std::uint64_t finished(Format format, const Modifiers& modifiers, const Answer& answer, std::uint64_t nan);

}  // namespace emulator::float_tests
