// SPDX-License-Identifier: Apache-2.0
// Exact values: sums in an integer that spans all exponents, quotients and roots by integer division.
#include "exact.hpp"

#include <algorithm>
#include <bit>

namespace emulator::float_tests {
namespace {

int length_of(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(value));
}

// An integer in two's complement that counts units of 2^unit: it holds any sum of products of two doubles.
class Accumulator {
 public:
  void add(bool negative, Wide value, int exponent) {
    const auto shift = static_cast<unsigned>(exponent - unit);
    Limbs term{};
    for (unsigned bit = 0; bit < 128; bit += 64) {
      const auto part = static_cast<std::uint64_t>(value >> bit);
      const unsigned place = (shift + bit) / 64;
      const unsigned within = (shift + bit) % 64;
      term[place] |= part << within;
      if (within != 0) term[place + 1] |= part >> (64 - within);
    }
    if (negative) negate(term);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      const Wide total = Wide{limbs_[i]} + term[i] + carry;
      limbs_[i] = static_cast<std::uint64_t>(total);
      carry = static_cast<std::uint64_t>(total >> 64);
    }
  }

  [[nodiscard]] Real value() const {
    Limbs limbs = limbs_;
    Real real;
    real.negative = limbs.back() >> 63 != 0;
    if (real.negative) negate(limbs);
    std::size_t top = limbs.size();
    while (top > 1 && limbs[top - 1] == 0) --top;
    // The two highest limbs that are not zero, and whether anything lies below. One of them may be short: 65 bits are
    // enough.
    const std::size_t low = top >= 2 ? top - 2 : 0;
    real.whole = (top >= 2 ? Wide{limbs[top - 1]} << 64 : 0) | limbs[low];
    real.exponent = unit + 64 * static_cast<int>(low);
    for (std::size_t i = 0; i < low; ++i) real.has_rest |= limbs[i] != 0;
    return real;
  }

 private:
  using Limbs = std::array<std::uint64_t, 72>;
  static constexpr int unit = -2200;

  static void negate(Limbs& limbs) {
    std::uint64_t carry = 1;
    for (std::uint64_t& limb : limbs) {
      limb = ~limb + carry;
      carry = carry != 0 && limb == 0 ? 1 : 0;
    }
  }

  Limbs limbs_{};
};

// How far the value is from what a cut at 2^unit keeps.
struct Cut {
  Wide kept = 0;
  bool is_half = false;
  bool is_more_than_half = false;
  bool is_inexact = false;
};

Cut cut_at(const Real& value, int unit) {
  const int shift = unit - value.exponent;
  Cut cut;
  if (shift <= 0) {
    cut.kept = value.whole << -shift;
    cut.is_inexact = value.has_rest;  // far below half a unit
    return cut;
  }
  if (shift > 128) {
    cut.is_inexact = !value.is_zero();
    return cut;
  }
  cut.kept = shift == 128 ? 0 : value.whole >> shift;
  const Wide below = shift == 128 ? value.whole : value.whole - (cut.kept << shift);
  const Wide half = Wide{1} << (shift - 1);
  cut.is_half = below == half && !value.has_rest;
  cut.is_more_than_half = below > half || (below == half && value.has_rest);
  cut.is_inexact = below != 0 || value.has_rest;
  return cut;
}

Wide rounded_kept(const Cut& cut, Mode mode, bool negative) {
  bool up = false;
  switch (mode) {
    case Mode::rn: up = cut.is_more_than_half || (cut.is_half && (cut.kept & 1) != 0); break;
    case Mode::rz: break;
    case Mode::rm: up = cut.is_inexact && negative; break;
    case Mode::rp: up = cut.is_inexact && !negative; break;
  }
  return cut.kept + (up ? 1 : 0);
}

Answer nan() { return {}; }
Answer infinite(bool negative) { return {Answer::Kind::infinity, {negative, 0, 0, false}}; }
Answer real(const Real& value) { return {Answer::Kind::real, value}; }
Answer zero(bool negative) { return real({negative, 0, 0, false}); }

// A sum that cancels is +0, but -0 when rounding down.
Answer sum_of(Mode mode, const Accumulator& accumulator, bool both_zeros_negative, bool all_zero) {
  const Real value = accumulator.value();
  if (!value.is_zero()) return real(value);
  return zero(all_zero ? both_zeros_negative : mode == Mode::rm);
}

}  // namespace

Real value_of(Format format, std::uint64_t bits) {
  const std::uint64_t magnitude = format.magnitude(bits);
  const auto field = static_cast<int>(magnitude >> (format.precision - 1));
  const std::uint64_t fraction = magnitude & (format.smallest_normal() - 1);
  Real value;
  value.negative = format.is_negative(bits);
  value.whole = field == 0 ? fraction : fraction | format.smallest_normal();
  value.exponent = std::max(field, 1) - format.largest_exponent() - (format.precision - 1);
  return value;
}

std::uint64_t rounded(Format format, Mode mode, const Real& value) {
  const std::uint64_t sign = value.negative ? format.sign() : 0;
  if (value.is_zero()) return sign;
  const int precision = format.precision;
  int unit = std::max(length_of(value.whole) + value.exponent - precision, format.smallest_exponent() - precision + 1);
  Wide kept = rounded_kept(cut_at(value, unit), mode, value.negative);
  if (length_of(kept) > precision) {
    kept >>= 1;
    ++unit;
  }
  if (length_of(kept) + unit - 1 > format.largest_exponent()) {
    const bool outwards = mode == Mode::rn || mode == (value.negative ? Mode::rm : Mode::rp);
    return sign | (outwards ? format.infinity() : format.infinity() - 1);
  }
  const auto fraction = static_cast<std::uint64_t>(kept);
  if (length_of(kept) < precision) return sign | fraction;
  const auto field = static_cast<std::uint64_t>(unit + precision - 1 + format.largest_exponent());
  return sign | (field << (precision - 1) | (fraction & (format.smallest_normal() - 1)));
}

bool is_tiny(Format format, Mode mode, const Real& value) {
  if (value.is_zero()) return false;
  const int unit = length_of(value.whole) + value.exponent - format.precision;
  const Wide kept = rounded_kept(cut_at(value, unit), mode, value.negative);
  return length_of(kept) + unit - 1 < format.smallest_exponent();
}

std::optional<Wide> integral_magnitude(Mode mode, const Real& value) {
  if (length_of(value.whole) + value.exponent > 100) return std::nullopt;
  return rounded_kept(cut_at(value, 0), mode, value.negative);
}

Answer number(Format format, std::uint64_t bits) {
  if (format.is_nan(bits)) return nan();
  if (format.is_infinite(bits)) return infinite(format.is_negative(bits));
  return real(value_of(format, bits));
}

Answer sum(Format format, Mode mode, std::uint64_t a, std::uint64_t b) {
  return fused(format, mode, a, format.one(), b);
}

Answer difference(Format format, Mode mode, std::uint64_t a, std::uint64_t b) {
  return sum(format, mode, a, b ^ format.sign());
}

Answer product(Format format, std::uint64_t a, std::uint64_t b) {
  const Answer x = number(format, a);
  const Answer y = number(format, b);
  if (x.kind == Answer::Kind::nan || y.kind == Answer::Kind::nan) return nan();
  const bool negative = x.real.negative != y.real.negative;
  const bool any_infinite = x.kind == Answer::Kind::infinity || y.kind == Answer::Kind::infinity;
  if (any_infinite) {
    const bool any_zero =
        (x.kind == Answer::Kind::real && x.real.is_zero()) || (y.kind == Answer::Kind::real && y.real.is_zero());
    return any_zero ? nan() : infinite(negative);
  }
  return real({negative, x.real.whole * y.real.whole, x.real.exponent + y.real.exponent, false});
}

Answer quotient(Format format, std::uint64_t a, std::uint64_t b) {
  const Answer x = number(format, a);
  const Answer y = number(format, b);
  if (x.kind == Answer::Kind::nan || y.kind == Answer::Kind::nan) return nan();
  const bool negative = x.real.negative != y.real.negative;
  if (x.kind == Answer::Kind::infinity) return y.kind == Answer::Kind::infinity ? nan() : infinite(negative);
  if (y.kind == Answer::Kind::infinity) return zero(negative);
  if (y.real.is_zero()) return x.real.is_zero() ? nan() : infinite(negative);
  if (x.real.is_zero()) return zero(negative);
  const int shift = 128 - length_of(x.real.whole);
  const Wide dividend = x.real.whole << shift;
  return real(
      {negative, dividend / y.real.whole, x.real.exponent - shift - y.real.exponent, dividend % y.real.whole != 0});
}

Answer square_root(Format format, std::uint64_t a) {
  const Answer x = number(format, a);
  if (x.kind == Answer::Kind::nan) return nan();
  if (x.kind == Answer::Kind::real && x.real.is_zero()) return x;
  if (x.real.negative) return nan();
  if (x.kind == Answer::Kind::infinity) return x;
  int shift = 126 - length_of(x.real.whole);
  if ((x.real.exponent - shift) % 2 != 0) --shift;
  const Wide radicand = x.real.whole << shift;
  Wide root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Wide tried = root | Wide{1} << bit;
    if (tried * tried <= radicand) root = tried;
  }
  return real({false, root, (x.real.exponent - shift) / 2, root * root != radicand});
}

Answer fused(Format format, Mode mode, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const Answer x = product(format, a, b);
  const Answer y = number(format, c);
  if (x.kind == Answer::Kind::nan || y.kind == Answer::Kind::nan) return nan();
  if (x.kind == Answer::Kind::infinity && y.kind == Answer::Kind::infinity) {
    return x.real.negative == y.real.negative ? x : nan();
  }
  if (x.kind == Answer::Kind::infinity) return x;
  if (y.kind == Answer::Kind::infinity) return y;
  Accumulator accumulator;
  accumulator.add(x.real.negative, x.real.whole, x.real.exponent);
  accumulator.add(y.real.negative, y.real.whole, y.real.exponent);
  const bool same_sign = x.real.negative == y.real.negative;
  return sum_of(mode, accumulator, x.real.negative, x.real.is_zero() && y.real.is_zero() && same_sign);
}

std::uint64_t finished(Format format, const Modifiers& modifiers, const Answer& answer, std::uint64_t nan) {
  if (answer.kind == Answer::Kind::nan) return modifiers.sat ? 0 : nan;
  const bool negative = answer.real.negative;
  if ((modifiers.sat || modifiers.relu) && negative) return 0;
  std::uint64_t bits = format.infinity() | (negative ? format.sign() : 0);
  if (answer.kind == Answer::Kind::real) {
    bits = rounded(format, modifiers.mode, answer.real);
    if (modifiers.ftz && is_tiny(format, modifiers.mode, answer.real)) bits &= format.sign();
  }
  return modifiers.sat ? std::min(bits, format.one()) : bits;
}

}  // namespace emulator::float_tests
