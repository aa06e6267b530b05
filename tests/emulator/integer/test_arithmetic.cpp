// SPDX-License-Identifier: Apache-2.0
// add sub mul mad div rem abs neg min max sad of every width, 24-bit and packed forms.
#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

const Type s32{"s32", 32, true};
const Type s64{"s64", 64, true};

/// Sum of values modulo the width.
std::uint64_t sum(std::uint64_t a, std::uint64_t b, unsigned bits) { return low(a + b, bits); }

TEST(IntegerArithmetic, SumsAndDifferencesWrap) {
  for (const Type& type : arithmetic_types) {
    check("add." + type.name, pairs(type),
          [&](const Input& in) { return bits_of(value_of(in[0], type) + value_of(in[1], type), type.bits); });
    check("sub." + type.name, pairs(type),
          [&](const Input& in) { return bits_of(value_of(in[0], type) - value_of(in[1], type), type.bits); });
  }
}

TEST(IntegerArithmetic, ProductsHaveALowAHighAndAWideForm) {
  for (const Type& type : arithmetic_types) {
    check("mul.lo." + type.name, pairs(type), [&](const Input& in) { return multiply(in[0], in[1], type).low; });
    check("mul.hi." + type.name, pairs(type), [&](const Input& in) { return multiply(in[0], in[1], type).high; });
    if (type.bits == 64) continue;
    check("mul.wide." + type.name, pairs(type), [&](const Input& in) {
      const Product product = multiply(in[0], in[1], type);
      return product.high << type.bits | product.low;
    });
  }
}

TEST(IntegerArithmetic, MultiplyAddAddsToEachForm) {
  for (const Type& type : arithmetic_types) {
    check("mad.lo." + type.name, triples(type),
          [&](const Input& in) { return sum(multiply(in[0], in[1], type).low, in[2], type.bits); });
    check("mad.hi." + type.name, triples(type),
          [&](const Input& in) { return sum(multiply(in[0], in[1], type).high, in[2], type.bits); });
    if (type.bits == 64) continue;
    const Inputs inputs = combinations({edges(type.bits), edges(type.bits), edges(2 * type.bits)});
    check("mad.wide." + type.name, inputs, [&](const Input& in) {
      const Product product = multiply(in[0], in[1], type);
      return sum(product.high << type.bits | product.low, in[2], 2 * type.bits);
    });
  }
}

TEST(IntegerArithmetic, DivisionRoundsTowardsZeroAndByZeroGivesAllOnes) {
  for (const Type& type : arithmetic_types) {
    check("div." + type.name, pairs(type), [&](const Input& in) {
      return in[1] == 0 ? low(~std::uint64_t{0}, type.bits) : divide(in[0], in[1], type).quotient;
    });
  }
}

TEST(IntegerArithmetic, RemainderHasTheSignOfTheDividendAndByZeroIsAllOnes) {
  for (const Type& type : arithmetic_types) {
    check("rem." + type.name, pairs(type), [&](const Input& in) {
      if (in[1] == 0) return low(~std::uint64_t{0}, type.bits);
      return divide(in[0], in[1], type).remainder;
    });
  }
}

TEST(IntegerArithmetic, TheSmallestNumberOverMinusOneWraps) {
  check("div.s32", combinations({{0x80000000u}, {0xffffffffu}}), [](const Input&) { return 0x80000000u; });
  check("rem.s32", combinations({{0x80000000u}, {0xffffffffu}}), [](const Input&) { return 0u; });
  check("div.s64", combinations({{0x8000000000000000u}, {~0ull}}), [](const Input&) { return 0x8000000000000000u; });
  check("rem.s64", combinations({{0x8000000000000000u}, {~0ull}}), [](const Input&) { return std::uint64_t{0}; });
}

TEST(IntegerArithmetic, ExtremaCompareByTheType) {
  for (const Type& type : arithmetic_types) {
    const auto is_less = [&](const Input& in) { return value_of(in[0], type) < value_of(in[1], type); };
    check("min." + type.name, pairs(type), [&](const Input& in) { return is_less(in) ? in[0] : in[1]; });
    check("max." + type.name, pairs(type), [&](const Input& in) { return is_less(in) ? in[1] : in[0]; });
  }
}

TEST(IntegerArithmetic, NegationAndMagnitudeWrapAtTheSmallestNumber) {
  for (const Type& type : arithmetic_types) {
    if (!type.is_signed) continue;
    const Inputs inputs = combinations({type.bits == 16 ? every_half() : edges(type.bits)});
    check("neg." + type.name, inputs, [&](const Input& in) { return bits_of(-value_of(in[0], type), type.bits); });
    check("abs." + type.name, inputs, [&](const Input& in) {
      const __int128 value = value_of(in[0], type);
      return bits_of(value < 0 ? -value : value, type.bits);
    });
  }
}

TEST(IntegerArithmetic, SadAddsTheDistance) {
  for (const Type& type : arithmetic_types) {
    check("sad." + type.name, triples(type), [&](const Input& in) {
      const __int128 distance = value_of(in[0], type) - value_of(in[1], type);
      return bits_of((distance < 0 ? -distance : distance) + value_of(in[2], type), type.bits);
    });
  }
}

TEST(IntegerArithmetic, SaturatingFormsStopAtTheEnds) {
  check("add.sat.s32", pairs(s32),
        [](const Input& in) { return saturated(value_of(in[0], s32) + value_of(in[1], s32), s32); });
  check("sub.sat.s32", pairs(s32),
        [](const Input& in) { return saturated(value_of(in[0], s32) - value_of(in[1], s32), s32); });
  check("mad.hi.sat.s32", triples(s32), [](const Input& in) {
    return saturated(value_of(multiply(in[0], in[1], s32).high, s32) + value_of(in[2], s32), s32);
  });
}

/// The 48 bits of a product of 24-bit factors.
std::uint64_t product_of_24_bits(const Input& in, bool is_signed) {
  const Type factor{"", 24, is_signed};
  const __int128 product = value_of(low(in[0], 24), factor) * value_of(low(in[1], 24), factor);
  return bits_of(product, 64);
}

TEST(IntegerArithmetic, Mul24TakesTheLow24BitsOfEachFactor) {
  std::vector<std::uint64_t> factors = edges(32);
  factors.insert(factors.end(), {0x7fffff, 0x800000, 0xffffff, 0x1000000, 0xff800000});
  const Inputs two = combinations({factors, factors});
  const Inputs three = combinations({factors, factors, factors});
  for (const Type& type : {Type{"u32", 32, false}, s32}) {
    const auto low_half = [&](const Input& in) { return low(product_of_24_bits(in, type.is_signed), 32); };
    const auto high_half = [&](const Input& in) { return low(product_of_24_bits(in, type.is_signed) >> 16, 32); };
    check("mul24.lo." + type.name, two, low_half);
    check("mul24.hi." + type.name, two, high_half);
    check("mad24.lo." + type.name, three, [&](const Input& in) { return sum(low_half(in), in[2], 32); });
    check("mad24.hi." + type.name, three, [&](const Input& in) { return sum(high_half(in), in[2], 32); });
  }
  check("mad24.hi.sat.s32", three, [&](const Input& in) {
    const std::uint64_t high_half = low(product_of_24_bits(in, true) >> 16, 32);
    return saturated(value_of(high_half, s32) + value_of(in[2], s32), s32);
  });
}

/// Applies to both halves of a word.
template <class Half>
std::uint64_t of_halves(const Input& in, Half half) {
  return half(in[0] >> 16, in[1] >> 16) << 16 | half(in[0] & 0xffff, in[1] & 0xffff);
}

TEST(IntegerArithmetic, PackedFormsKeepHalvesApart) {
  const Type u16{"u16", 16, false};
  const Type s16{"s16", 16, true};
  Inputs inputs = pairs(s32);
  for (const Input& in : combinations({edges(16), edges(16)}).lanes) {
    inputs.lanes.push_back({in[0] << 16 | in[1], in[1] << 16 | in[0]});
  }
  const auto add = [](std::uint64_t a, std::uint64_t b) { return low(a + b, 16); };
  check("add.u16x2", inputs, [&](const Input& in) { return of_halves(in, add); });
  check("add.s16x2", inputs, [&](const Input& in) { return of_halves(in, add); });
  for (const Type& type : {u16, s16}) {
    const auto minimum = [&](std::uint64_t a, std::uint64_t b) {
      return value_of(a, type) < value_of(b, type) ? a : b;
    };
    const auto maximum = [&](std::uint64_t a, std::uint64_t b) {
      return value_of(a, type) > value_of(b, type) ? a : b;
    };
    check("min." + type.name + "x2", inputs, [&](const Input& in) { return of_halves(in, minimum); });
    check("max." + type.name + "x2", inputs, [&](const Input& in) { return of_halves(in, maximum); });
    if (!type.is_signed) continue;
    const auto positive = [](std::uint64_t a) { return a >= 0x8000 ? 0 : a; };
    check("min.relu.s16x2", inputs, [&](const Input& in) {
      return of_halves(in, [&](std::uint64_t a, std::uint64_t b) { return positive(minimum(a, b)); });
    });
    check("max.relu.s16x2", inputs, [&](const Input& in) {
      return of_halves(in, [&](std::uint64_t a, std::uint64_t b) { return positive(maximum(a, b)); });
    });
  }
}

TEST(IntegerArithmetic, ReluGivesNoNegativeResult) {
  check("min.relu.s32", pairs(s32), [](const Input& in) {
    const __int128 least = std::min(value_of(in[0], s32), value_of(in[1], s32));
    return least < 0 ? 0 : bits_of(least, 32);
  });
  check("max.relu.s32", pairs(s32), [](const Input& in) {
    const __int128 most = std::max(value_of(in[0], s32), value_of(in[1], s32));
    return most < 0 ? 0 : bits_of(most, 32);
  });
}

}  // namespace
}  // namespace emulator::integer_tests
