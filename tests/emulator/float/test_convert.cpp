// SPDX-License-Identifier: Apache-2.0
// cvt between floats and integers, and between floats: every rounding, .sat, .ftz, .relu, pairs.
#include <algorithm>

#include "exact.hpp"
#include "inputs.hpp"
#include "rows.hpp"

namespace emulator::float_tests {
namespace {

struct RoundingName {
  const char* name;
  Mode mode;
};
constexpr RoundingName roundings[] = {{"rn", Mode::rn}, {"rz", Mode::rz}, {"rm", Mode::rm}, {"rp", Mode::rp}};

struct FloatType {
  std::string name;
  Format format;
  std::uint64_t nan;
};
const FloatType f16_type{"f16", f16, 0x7fff};
const FloatType bf16_type{"bf16", bf16, 0x7fff};
const FloatType f32_type{"f32", f32, 0x7fffffff};
const FloatType f64_type{"f64", f64, 0};

struct IntegerType {
  std::string name;
  int bits;
  bool is_signed;
};
const IntegerType integers[] = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
                                {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

std::uint64_t low_bits(std::uint64_t value, int bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

// ---- Float to integer.
std::uint64_t integer_of(const FloatType& from, const IntegerType& to, Mode mode, std::uint64_t bits) {
  const Answer value = number(from.format, bits);
  const std::uint64_t top = std::uint64_t{1} << (to.bits - 1);
  if (value.kind == Answer::Kind::nan) return from.name == "f64" || to.bits == 64 ? top : 0;
  const bool negative = value.real.negative;
  const std::uint64_t largest = to.is_signed ? top - 1 : low_bits(~std::uint64_t{0}, to.bits);
  const std::uint64_t smallest_magnitude = to.is_signed ? top : 0;
  const std::uint64_t limit = negative ? smallest_magnitude : largest;
  std::uint64_t magnitude = limit;
  if (value.kind == Answer::Kind::real) {
    const auto integral = integral_magnitude(mode, value.real);
    if (integral && *integral < limit) magnitude = static_cast<std::uint64_t>(*integral);
  }
  return low_bits(negative ? 0 - magnitude : magnitude, to.bits);
}

// Values around each power of two, a quarter, a half and three quarters off.
Inputs around_integers(Format format) {
  Values values = edges(format);
  for (int exponent = -2; exponent <= 65; ++exponent) {
    for (int quarters = -3; quarters <= 3; ++quarters) {
      for (const Mode mode : {Mode::rz, Mode::rp}) {
        Real real;
        real.whole = static_cast<Wide>((static_cast<__int128>(1) << (exponent + 2)) + quarters);
        real.exponent = -2;
        const std::uint64_t bits = rounded(format, mode, real);
        values.push_back(bits);
        values.push_back(bits | format.sign());
      }
    }
  }
  return singles(joined(values, random_bits(format.width(), 500)));
}

void check_to_integers(const FloatType& from, const Inputs& inputs) {
  for (const IntegerType& to : integers) {
    for (const RoundingName& rounding : roundings) {
      const std::string name = std::string("cvt.") + rounding.name + "i";
      const std::string types = "." + to.name + "." + from.name;
      const auto reference = [&](const Operands& x) { return integer_of(from, to, rounding.mode, x[0]); };
      check(name + types, inputs, reference);
      check(name + ".sat" + types, inputs, reference);
      if (from.name != "f32") continue;
      check(name + ".ftz" + types, inputs,
            [&](const Operands& x) { return integer_of(from, to, rounding.mode, f32.flushed(x[0])); });
    }
  }
}

TEST(FloatToInteger, OfF32) { check_to_integers(f32_type, around_integers(f32)); }
TEST(FloatToInteger, OfF64) { check_to_integers(f64_type, around_integers(f64)); }
TEST(FloatToInteger, OfAllF16) { check_to_integers(f16_type, all_halves()); }
TEST(FloatToInteger, OfAllBf16) { check_to_integers(bf16_type, all_halves()); }

TEST(FloatToInteger, SaturatesAndMakesZeroOrTheTopBitOfNan) {
  expect("cvt.rzi.s32.f32", {0x4f000000}, 0x7fffffff);
  expect("cvt.rzi.s32.f32", {0xcf800000}, 0x80000000);
  expect("cvt.rzi.s32.f32", {0x7fc00000}, 0);
  expect("cvt.rzi.u32.f32", {0xbf800000}, 0);
  expect("cvt.rzi.s64.f32", {0x7fc00000}, 0x8000000000000000);
  expect("cvt.rzi.s32.f64", {0x7ff8000000000000}, 0x80000000);
  expect("cvt.rni.s32.f32", {0x40200000}, 2);
  expect("cvt.rni.s8.f32", {0x43000000}, 127);
  expect("cvt.rmi.s64.f16", {0xb800}, 0xffffffffffffffff);
}

TEST(FloatToInteger, NarrowResultsAreExtendedInTheirRegister) {
  for (const Variant& variant : variants()) {
    Row row(variant.table, "cvt.rzi.s8.f32");
    row.set_source(0, 0, 0xc0400000);
    row.run(1);
    EXPECT_EQ(row.whole_register(0, 0), 0xfffffffdu);
  }
}

// ---- Integer to float.
Real real_of(const IntegerType& type, std::uint64_t bits) {
  const bool negative = type.is_signed && (bits >> (type.bits - 1) & 1) != 0;
  return {negative, negative ? low_bits(0 - bits, type.bits) : bits, 0, false};
}

void check_from_integers(const FloatType& to) {
  for (const IntegerType& from : integers) {
    const Inputs inputs = singles(joined(integer_edges(from.bits), random_bits(from.bits, 500)));
    for (const RoundingName& rounding : roundings) {
      const std::string name = std::string("cvt.") + rounding.name;
      const std::string types = "." + to.name + "." + from.name;
      const auto converted = [&](bool sat) {
        return [&, sat](const Operands& x) {
          const Modifiers modifiers{rounding.mode, false, sat, false};
          return finished(to.format, modifiers, {Answer::Kind::real, real_of(from, x[0])}, 0);
        };
      };
      check(name + types, inputs, converted(false));
      if (to.name == "bf16") continue;
      check(name + ".sat" + types, inputs, converted(true));
      if (to.name == "f32") check(name + ".ftz" + types, inputs, converted(false));
    }
  }
}

TEST(IntegerToFloat, ToF32) { check_from_integers(f32_type); }
TEST(IntegerToFloat, ToF64) { check_from_integers(f64_type); }
TEST(IntegerToFloat, ToF16) { check_from_integers(f16_type); }
TEST(IntegerToFloat, ToBf16) { check_from_integers(bf16_type); }

TEST(IntegerToFloat, SixtyFourBitsAreRoundedOnce) {
  // 2^60 + 2^36 + 1 lies just above a tie of f32; by way of f64 the 1 would be lost and the tie go down.
  expect("cvt.rn.f32.s64", {0x1000001000000001}, 0x5d800001);
  expect("cvt.rn.f32.s64", {0x1000001000000000}, 0x5d800000);
  expect("cvt.rz.f32.u64", {0xffffffffffffffff}, 0x5f7fffff);
  expect("cvt.rp.f64.u64", {0xffffffffffffffff}, 0x43f0000000000000);
  expect("cvt.rm.f64.s64", {0x8000000000000001}, 0xc3e0000000000000);
}

// ---- Float to float.
// The NaN of a conversion: f64 is cut to the narrower format and quiet, into f64 payloads are kept, all else is
// canonical.
std::uint64_t nan_of(const FloatType& to, const FloatType& from, std::uint64_t bits) {
  const int gained = to.format.precision - from.format.precision;
  const std::uint64_t quiet = to.format.infinity() | to.format.smallest_normal() >> 1;
  const std::uint64_t sign = from.format.is_negative(bits) ? to.format.sign() : 0;
  const std::uint64_t payload = bits & (from.format.smallest_normal() - 1);
  if (from.name == "f64") return sign | quiet | payload >> std::max(-gained, 0);
  if (to.name == "f64") return sign | quiet | payload << std::max(gained, 0);
  return to.nan;
}

// Edges of the source, and those of the destination widened, with what decides their rounding.
Inputs around(Format from, Format to) {
  Values values = joined(edges(from), random_bits(from.width(), 1000));
  for (const std::uint64_t bits : edges(to)) {
    if (to.is_nan(bits)) continue;
    const Answer value = number(to, bits);
    if (value.kind != Answer::Kind::real) continue;
    const std::uint64_t widened = rounded(from, Mode::rz, value.real);
    const int dropped = from.precision - to.precision;
    for (const std::uint64_t half : {std::uint64_t{0}, std::uint64_t{1} << std::max(dropped - 1, 0)}) {
      for (const std::uint64_t near : {widened + half - 1, widened + half, widened + half + 1}) {
        values.push_back(low_bits(near, from.width()));
      }
    }
  }
  return singles(values);
}

void check_narrowing(const FloatType& to, const FloatType& from, const Inputs& inputs) {
  const bool flushes = to.name == "f32";
  for (const RoundingName& rounding : roundings) {
    for (const bool ftz : {false, true}) {
      if (ftz && from.name != "f32" && to.name != "f32") continue;
      for (const bool sat : {false, true}) {
        check(std::string("cvt.") + rounding.name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + "." + to.name + "." +
                  from.name,
              inputs, [&](const Operands& x) {
                const Modifiers modifiers{rounding.mode, ftz && flushes, sat, false};
                return finished(to.format, modifiers, number(from.format, x[0]), nan_of(to, from, x[0]));
              });
      }
    }
  }
}

TEST(Narrowing, F64ToF32) { check_narrowing(f32_type, f64_type, around(f64, f32)); }
TEST(Narrowing, F64ToF16NeverByWayOfF32) { check_narrowing(f16_type, f64_type, around(f64, f16)); }
TEST(Narrowing, F64ToBf16) { check_narrowing(bf16_type, f64_type, around(f64, bf16)); }
TEST(Narrowing, F32ToF16PaysNoHeedToFtz) { check_narrowing(f16_type, f32_type, around(f32, f16)); }
TEST(Narrowing, F32ToBf16) { check_narrowing(bf16_type, f32_type, around(f32, bf16)); }
TEST(Narrowing, BetweenTheHalves) {
  check_narrowing(bf16_type, f16_type, all_halves());
  check_narrowing(f16_type, bf16_type, all_halves());
}

TEST(Narrowing, ReluDropsNegativesAndKeepsNan) {
  for (const FloatType& to : {f16_type, bf16_type}) {
    for (const RoundingName& rounding : {roundings[0], roundings[1]}) {
      check(std::string("cvt.") + rounding.name + ".relu." + to.name + ".f32", around(f32, to.format),
            [&](const Operands& x) {
              return finished(to.format, {rounding.mode, false, false, true}, number(f32, x[0]), to.nan);
            });
    }
  }
}

TEST(Narrowing, PairsTakeTheFirstOperandIntoTheHighHalf) {
  expect("cvt.rn.f16x2.f32", {0x3f800000, 0x40000000}, 0x3c004000);
  expect("cvt.rn.bf16x2.f32", {0x3f800000, 0x40000000}, 0x3f804000);
  for (const FloatType& to : {f16_type, bf16_type}) {
    const Inputs inputs = joined(pairs(few_edges(f32), few_edges(f32)), random_operands(f32, 500, 2));
    for (const RoundingName& rounding : {roundings[0], roundings[1]}) {
      for (const bool relu : {false, true}) {
        const auto half = [&](std::uint64_t bits) {
          return finished(to.format, {rounding.mode, false, false, relu}, number(f32, bits), to.nan);
        };
        check(std::string("cvt.") + rounding.name + (relu ? ".relu." : ".") + to.name + "x2.f32", inputs,
              [&](const Operands& x) { return half(x[0]) << 16 | half(x[1]); });
      }
    }
  }
}

TEST(Narrowing, TypedByHand) {
  // 1 + 2^-11 + 2^-40: the tie of f16 that f32 would see is none.
  expect("cvt.rn.f16.f64", {0x3ff0020000001000}, 0x3c01);
  expect("cvt.rn.f16.f64", {0x3ff0020000000000}, 0x3c00);
  expect("cvt.rn.f32.f64", {0xfff8000000000005}, 0xffc00000);
  expect("cvt.rn.f16.f32", {0x477ff000}, 0x7c00);
  expect("cvt.rz.f16.f32", {0x477ff000}, 0x7bff);
  expect("cvt.rn.bf16.f32", {0x7f7fffff}, 0x7f80);
}

// ---- Widening and the same type.
void check_widening(const FloatType& to, const FloatType& from, const Inputs& inputs) {
  check("cvt." + to.name + "." + from.name, inputs,
        [&](const Operands& x) { return finished(to.format, {}, number(from.format, x[0]), nan_of(to, from, x[0])); });
  check("cvt.sat." + to.name + "." + from.name, inputs, [&](const Operands& x) {
    return finished(to.format, {Mode::rn, false, true, false}, number(from.format, x[0]), 0);
  });
}

TEST(Widening, IsExact) {
  check_widening(f32_type, f16_type, all_halves());
  check_widening(f64_type, f16_type, all_halves());
  check_widening(f64_type, bf16_type, all_halves());
  check_widening(f64_type, f32_type, around(f32, f32));
}

TEST(Widening, Bf16IsTheUpperHalfOfF32) {
  check("cvt.f32.bf16", all_halves(), [](const Operands& x) { return x[0] << 16; });
}

TEST(Widening, FtzMakesF32OperandsZeroAndTheirNanCanonical) {
  check("cvt.ftz.f64.f32", around(f32, f32),
        [](const Operands& x) { return finished(f64, {}, number(f32, f32.flushed(x[0])), 0x7fffffffe0000000); });
}

TEST(SameType, WithoutModifiersIsAMove) {
  expect("cvt.f32.f32", {0xff800001}, 0xff800001);
  expect("cvt.f64.f64", {0x7ff0000000000001}, 0x7ff0000000000001);
}

TEST(SameType, FtzAndSat) {
  const Inputs inputs = around(f32, f32);
  check("cvt.ftz.f32.f32", inputs,
        [](const Operands& x) { return finished(f32, {}, number(f32, f32.flushed(x[0])), 0x7fffffff); });
  check("cvt.sat.f32.f32", inputs, [](const Operands& x) {
    return finished(f32, {Mode::rn, false, true, false}, number(f32, x[0]), 0);
  });
  check("cvt.ftz.sat.f32.f32", inputs, [](const Operands& x) {
    return finished(f32, {Mode::rn, true, true, false}, number(f32, x[0]), 0);
  });
}

// The integral value of bits, in the same format and with the same sign.
Answer integral_answer(Format format, Mode mode, std::uint64_t bits) {
  Answer value = number(format, bits);
  if (value.kind != Answer::Kind::real) return value;
  const auto magnitude = integral_magnitude(mode, value.real);
  if (magnitude) value.real = {value.real.negative, *magnitude, 0, false};
  return value;
}

void check_integral(const FloatType& type, const Inputs& inputs) {
  for (const RoundingName& rounding : roundings) {
    for (const bool sat : {false, true}) {
      check(std::string("cvt.") + rounding.name + "i" + (sat ? ".sat." : ".") + type.name + "." + type.name, inputs,
            [&](const Operands& x) {
              return finished(type.format, {Mode::rn, false, sat, false},
                              integral_answer(type.format, rounding.mode, x[0]), nan_of(type, type, x[0]));
            });
    }
  }
}

TEST(SameType, IntegralRoundings) {
  check_integral(f32_type, around_integers(f32));
  check_integral(f64_type, around_integers(f64));
  check_integral(f16_type, all_halves());
  check_integral(bf16_type, all_halves());
  for (const RoundingName& rounding : roundings) {
    check(std::string("cvt.") + rounding.name + "i.ftz.f32.f32", around_integers(f32), [&](const Operands& x) {
      return finished(f32, {}, integral_answer(f32, rounding.mode, f32.flushed(x[0])), 0x7fffffff);
    });
  }
}

TEST(SameType, IntegralRoundingsKeepTheSignOfZero) {
  expect("cvt.rzi.f32.f32", {0xbf000000}, 0x80000000);
  expect("cvt.rpi.f64.f64", {0xbfe0000000000000}, 0x8000000000000000);
  expect("cvt.rni.f32.f32", {0x3f000000}, 0x00000000);
  expect("cvt.rmi.f16.f16", {0xb800}, 0xbc00);
}

}  // namespace
}  // namespace emulator::float_tests
