// SPDX-License-Identifier: Apache-2.0
// Integer add, sub, mul, mad, div, rem, abs, neg, min, max and sad, and the 24-bit and packed 16-bit forms.
#include <bit>
#include <limits>

#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

/// Twice as wide.
template <class T>
struct WideOf;
template <>
struct WideOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct WideOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct WideOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WideOf<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using type = unsigned __int128;
};
template <>
struct WideOf<std::int64_t> {
  using type = __int128;
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// What hardware leaves for a division by zero, which PTX does not say: all ones, of either sign.
template <class T>
constexpr T quotient_by_zero = static_cast<T>(~Unsigned<T>{0});
template <class T>
constexpr T remainder_by_zero = static_cast<T>(~Unsigned<T>{0});

// Bits of sums and low products do not depend on the sign.
template <class U>
U add(U a, U b) {
  return a + b;
}

template <class U>
U subtract(U a, U b) {
  return a - b;
}

template <class U>
U multiply_low(U a, U b) {
  return a * b;
}

template <class U>
U multiply_add_low(U a, U b, U c) {
  return a * b + c;
}

template <class T>
T multiply_high(T a, T b) {
  return static_cast<T>((Wide<T>{a} * Wide<T>{b}) >> (8 * sizeof(T)));
}

template <class T>
T multiply_add_high(T a, T b, T c) {
  return static_cast<T>(static_cast<Unsigned<T>>(multiply_high(a, b)) + static_cast<Unsigned<T>>(c));
}

template <class T>
Wide<T> multiply_wide(T a, T b) {
  return Wide<T>{a} * Wide<T>{b};
}

template <class T>
Wide<T> multiply_add_wide(T a, T b, Wide<T> c) {
  using U = Unsigned<Wide<T>>;
  return static_cast<Wide<T>>(static_cast<U>(multiply_wide(a, b)) + static_cast<U>(c));
}

template <class T>
T negate(T a) {
  return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
}

/// |a|, which fits where the smallest number has none.
template <class T>
std::uint32_t magnitude(T a) {
  const auto bits = static_cast<std::uint32_t>(std::int32_t{a});
  return a < 0 ? 0 - bits : bits;
}

// Quotients of up to 32 bits are divided as doubles, for which there are vector instructions. Truncated they are right:
// what is not whole is at least 1/b below the next whole number, and rounding adds less than 2^-20/b.
constexpr double two_to_52 = 0x1p52;

double to_double(std::uint32_t value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(two_to_52) | value) - two_to_52;
}

/// a / b rounded down; whatever it is for b = 0.
std::uint32_t divide_as_double(std::uint32_t a, std::uint32_t b) {
  const double quotient = to_double(a) / to_double(b);
  const double rounded = (quotient + two_to_52) - two_to_52;
  const double whole = rounded > quotient ? rounded - 1.0 : rounded;
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(whole + two_to_52));
}

template <class T>
T divide(T a, T b) {
  using U = Unsigned<T>;
  if constexpr (sizeof(T) == 8) {
    if (b == 0) return quotient_by_zero<T>;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(U{0} - static_cast<U>(a));
    return a / b;
  } else if constexpr (std::is_signed_v<T>) {
    const auto quotient = static_cast<std::int32_t>(divide_as_double(magnitude(a), magnitude(b)));
    const auto signed_quotient = static_cast<T>((a < 0) != (b < 0) ? negate(quotient) : quotient);
    return b == 0 ? quotient_by_zero<T> : signed_quotient;
  } else {
    return b == 0 ? quotient_by_zero<T> : static_cast<T>(divide_as_double(a, b));
  }
}

template <class T>
T remainder(T a, T b) {
  using U = Unsigned<T>;
  if constexpr (sizeof(T) == 8) {
    if (b == 0) return remainder_by_zero<T>;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return a % b;
  } else {
    const auto product = static_cast<U>(static_cast<std::uint32_t>(divide(a, b)) * static_cast<std::uint32_t>(b));
    return b == 0 ? remainder_by_zero<T> : static_cast<T>(static_cast<U>(a) - product);
  }
}

template <class T>
T minimum(T a, T b) {
  return a < b ? a : b;
}

template <class T>
T maximum(T a, T b) {
  return a < b ? b : a;
}

template <class T>
T absolute(T a) {
  return a < 0 ? negate(a) : a;
}

template <class T>
T absolute_difference_sum(T a, T b, T c) {
  using U = Unsigned<T>;
  const auto difference = a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b);
  return static_cast<T>(static_cast<U>(c) + static_cast<U>(difference));
}

// Saturation and .relu.
std::int32_t saturate(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < low ? low : value > high ? high : value);
}

std::int32_t add_saturating(std::int32_t a, std::int32_t b) { return saturate(std::int64_t{a} + b); }

std::int32_t subtract_saturating(std::int32_t a, std::int32_t b) { return saturate(std::int64_t{a} - b); }

std::int32_t multiply_add_high_saturating(std::int32_t a, std::int32_t b, std::int32_t c) {
  return saturate(std::int64_t{multiply_high(a, b)} + c);
}

template <auto F>
std::int32_t clamped_to_positive(std::int32_t a, std::int32_t b) {
  return maximum(F(a, b), 0);
}

// mul24 and mad24: the low 24 bits of each factor, a product of 48 bits.
std::int64_t product_of_24_bits(std::int32_t a, std::int32_t b) {
  const auto low = [](std::int32_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8) >> 8;
  };
  return std::int64_t{low(a)} * low(b);
}

std::uint64_t product_of_24_bits(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a & 0xffffffu} * (b & 0xffffffu);
}

template <class T>
T multiply24_low(T a, T b) {
  return static_cast<T>(product_of_24_bits(a, b));
}

template <class T>
T multiply24_high(T a, T b) {
  return static_cast<T>(product_of_24_bits(a, b) >> 16);
}

template <auto Product, class T>
T multiply_add24(T a, T b, T c) {
  return static_cast<T>(static_cast<std::uint32_t>(Product(a, b)) + static_cast<std::uint32_t>(c));
}

std::int32_t multiply_add24_high_saturating(std::int32_t a, std::int32_t b, std::int32_t c) {
  return saturate(std::int64_t{multiply24_high(a, b)} + c);
}

// Two 16-bit values in 32 bits.
template <auto F>
std::uint32_t in_halves(std::uint32_t a, std::uint32_t b) {
  const auto low = static_cast<std::uint16_t>(F(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)));
  const auto high =
      static_cast<std::uint16_t>(F(static_cast<std::uint16_t>(a >> 16), static_cast<std::uint16_t>(b >> 16)));
  return static_cast<std::uint32_t>(high) << 16 | low;
}

std::uint16_t add16(std::uint16_t a, std::uint16_t b) { return static_cast<std::uint16_t>(a + b); }

template <bool Signed, bool Maximum, bool Relu>
std::uint16_t extremum16(std::uint16_t a, std::uint16_t b) {
  using T = std::conditional_t<Signed, std::int16_t, std::uint16_t>;
  const auto x = static_cast<T>(a);
  const auto y = static_cast<T>(b);
  const T chosen = Maximum ? maximum(x, y) : minimum(x, y);
  return static_cast<std::uint16_t>(Relu && chosen < 0 ? T{0} : chosen);
}

/// Rows whose bits do not depend on the sign. `Computed` is at least as wide as the operands.
template <class T, class Computed>
void add_modular_rows(OpcodeTable& table) {
  constexpr auto bits = bits_name<T>();
  constexpr auto two = "=b% b% b%";
  add_rows(table, "add.u% add.s%", two, LaneFunction<add<Computed>>::handler, bits);
  add_rows(table, "sub.u% sub.s%", two, LaneFunction<subtract<Computed>>::handler, bits);
  add_rows(table, "mul.lo.u% mul.lo.s%", two, LaneFunction<multiply_low<Computed>>::handler, bits);
  add_rows(table, "mad.lo.u% mad.lo.s%", "=b% b% b% b%", LaneFunction<multiply_add_low<Computed>>::handler, bits);
}

template <class T>
void add_typed_rows(OpcodeTable& table) {
  constexpr auto type = type_name<T>();
  add_lanes<multiply_high<T>>(table, "mul.hi.%", type);
  add_rare_lanes<multiply_add_high<T>>(table, "mad.hi.%", type);
  if constexpr (sizeof(T) < 8) {
    add_lanes<multiply_wide<T>>(table, "mul.wide.%", type);
    add_lanes<multiply_add_wide<T>>(table, "mad.wide.%", type);
  }
  add_rare_lanes<divide<T>>(table, "div.%", type);
  add_rare_lanes<remainder<T>>(table, "rem.%", type);
  add_lanes<minimum<T>>(table, "min.%", type);
  add_lanes<maximum<T>>(table, "max.%", type);
  add_rare_lanes<absolute_difference_sum<T>>(table, "sad.%", type);
  if constexpr (std::is_signed_v<T>) {
    add_lanes<negate<T>>(table, "neg.%", type);
    add_lanes<absolute<T>>(table, "abs.%", type);
  }
}

template <class T>
void add_24_bit_rows(OpcodeTable& table) {
  constexpr auto type = type_name<T>();
  add_rare_lanes<multiply24_low<T>>(table, "mul24.lo.%", type);
  add_rare_lanes<multiply24_high<T>>(table, "mul24.hi.%", type);
  add_rare_lanes<multiply_add24<multiply24_low<T>, T>>(table, "mad24.lo.%", type);
  add_rare_lanes<multiply_add24<multiply24_high<T>, T>>(table, "mad24.hi.%", type);
}

template <bool Maximum>
void add_packed_extremum_rows(OpcodeTable& table, const char* name) {
  add_rare_lanes<in_halves<extremum16<false, Maximum, false>>>(table, "%.u16x2", name);
  add_rare_lanes<in_halves<extremum16<true, Maximum, false>>>(table, "%.s16x2", name);
  add_rare_lanes<in_halves<extremum16<true, Maximum, true>>>(table, "%.relu.s16x2", name);
}

}  // namespace

void add_integer_rows(OpcodeTable& table) {
  add_modular_rows<std::uint16_t, std::uint32_t>(table);
  add_modular_rows<std::uint32_t, std::uint32_t>(table);
  add_modular_rows<std::uint64_t, std::uint64_t>(table);
  add_typed_rows<std::uint16_t>(table);
  add_typed_rows<std::int16_t>(table);
  add_typed_rows<std::uint32_t>(table);
  add_typed_rows<std::int32_t>(table);
  add_typed_rows<std::uint64_t>(table);
  add_typed_rows<std::int64_t>(table);
  add_24_bit_rows<std::uint32_t>(table);
  add_24_bit_rows<std::int32_t>(table);
  add_rare_lanes<add_saturating>(table, "add.sat.s32");
  add_rare_lanes<subtract_saturating>(table, "sub.sat.s32");
  add_rare_lanes<multiply_add_high_saturating>(table, "mad.hi.sat.s32");
  add_rare_lanes<multiply_add24_high_saturating>(table, "mad24.hi.sat.s32");
  add_rare_lanes<clamped_to_positive<minimum<std::int32_t>>>(table, "min.relu.s32");
  add_rare_lanes<clamped_to_positive<maximum<std::int32_t>>>(table, "max.relu.s32");
  add_rare_lanes<in_halves<add16>>(table, "add.u16x2 add.s16x2");
  add_packed_extremum_rows<false>(table, "min");
  add_packed_extremum_rows<true>(table, "max");
}

}  // namespace emulator::EMULATOR_ISA
