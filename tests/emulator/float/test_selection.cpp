// SPDX-License-Identifier: Apache-2.0
// What picks, compares and classifies without arithmetic: min max abs neg copysign testp setp set selp slct.
#include <optional>

#include "exact.hpp"
#include "inputs.hpp"
#include "rows.hpp"

namespace emulator::float_tests {
namespace {

struct Type {
  const char* name;
  Format format;
  std::uint64_t nan;
};
constexpr Type types[] = {{"f32", f32, 0x7fffffff}, {"f16", f16, 0x7fff}, {"bf16", bf16, 0x7fff}};

// Numbers in order as integers; -0 comes just before +0.
std::int64_t rank(Format format, std::uint64_t bits) {
  const auto magnitude = static_cast<std::int64_t>(format.magnitude(bits));
  return format.is_negative(bits) ? -1 - magnitude : magnitude;
}

struct Extreme {
  bool max;
  bool ftz;
  bool propagates_nan;
  bool xorsign;
};

std::uint64_t extreme_of(const Type& type, const Extreme& op, const Operands& operands) {
  const Format& format = type.format;
  std::uint64_t a = op.ftz ? format.flushed(operands[0]) : operands[0];
  std::uint64_t b = op.ftz ? format.flushed(operands[1]) : operands[1];
  const std::uint64_t sign = (a ^ b) & format.sign();
  const bool a_nan = format.is_nan(a);
  const bool b_nan = format.is_nan(b);
  if (op.propagates_nan ? a_nan || b_nan : a_nan && b_nan) return type.nan;
  if (op.xorsign) {
    a &= ~format.sign();
    b &= ~format.sign();
  }
  const bool takes_a =
      b_nan || (!a_nan && (op.max ? rank(format, a) > rank(format, b) : rank(format, a) < rank(format, b)));
  return (takes_a ? a : b) | (op.xorsign ? sign : 0);
}

TEST(Extremes, MinAndMaxOrderZerosAndPassOverNan) {
  for (const Type& type : types) {
    const Inputs inputs = joined(pairs(edges(type.format), edges(type.format)), random_operands(type.format, 2000, 2));
    for (const bool ftz : {false, true}) {
      if (ftz && type.format.precision == 8) continue;
      for (const int variant : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const Extreme op{(variant & 1) != 0, ftz, (variant & 2) != 0, (variant & 4) != 0};
        check(std::string(op.max ? "max" : "min") + (ftz ? ".ftz" : "") + (op.propagates_nan ? ".NaN" : "") +
                  (op.xorsign ? ".xorsign.abs" : "") + "." + type.name,
              inputs, [&](const Operands& operands) { return extreme_of(type, op, operands); });
      }
    }
  }
}

TEST(Extremes, OfF64KeepThePayloadWhereBothAreNan) {
  const Inputs inputs = joined(pairs(edges(f64), edges(f64)), random_operands(f64, 2000, 2));
  for (const bool max : {false, true}) {
    check(max ? "max.f64" : "min.f64", inputs, [&](const Operands& x) {
      const Type type{"f64", f64, x[1] | 0x0008000000000000};
      return extreme_of(type, {max, false, false, false}, x);
    });
  }
}

TEST(Extremes, TypedByHand) {
  expect("min.f32", {0x00000000, 0x80000000}, 0x80000000);
  expect("max.f32", {0x80000000, 0x00000000}, 0x00000000);
  expect("min.f32", {0x7fc00000, 0x3f800000}, 0x3f800000);
  expect("min.NaN.f32", {0x7fc00000, 0x3f800000}, 0x7fffffff);
  expect("max.xorsign.abs.f32", {0xbf800000, 0x40000000}, 0xc0000000);
  expect("max.f16x2", {0x3c00fe00, 0x40003c00}, 0x40003c00);
}

TEST(Signs, AbsAndNegOfF32MakeNanCanonicalAndOfF64Quiet) {
  const Inputs narrow = singles(edges(f32));
  check("abs.f32", narrow, [](const Operands& x) { return f32.is_nan(x[0]) ? 0x7fffffff : x[0] & 0x7fffffff; });
  check("neg.f32", narrow, [](const Operands& x) { return f32.is_nan(x[0]) ? 0x7fffffff : x[0] ^ 0x80000000; });
  check("abs.ftz.f32", narrow,
        [](const Operands& x) { return f32.is_nan(x[0]) ? 0x7fffffff : f32.flushed(x[0]) & 0x7fffffff; });
  check("neg.ftz.f32", narrow,
        [](const Operands& x) { return f32.is_nan(x[0]) ? 0x7fffffff : f32.flushed(x[0]) ^ 0x80000000; });
  const Inputs wide = singles(edges(f64));
  const std::uint64_t quiet = 0x0008000000000000;
  check("abs.f64", wide, [=](const Operands& x) { return f64.is_nan(x[0]) ? x[0] | quiet : f64.magnitude(x[0]); });
  check("neg.f64", wide, [=](const Operands& x) { return f64.is_nan(x[0]) ? x[0] | quiet : x[0] ^ f64.sign(); });
}

TEST(Signs, CopysignTakesTheSignOfTheFirstOperand) {
  expect("copysign.f32", {0x80000000, 0x3f800000}, 0xbf800000);
  expect("copysign.f32", {0x3f800000, 0xffc00001}, 0x7fc00001);
  expect("copysign.f64", {0x8000000000000000, 0x3ff0000000000000}, 0xbff0000000000000);
}

TEST(Classes, TestpCountsZeroAsNormal) {
  for (const Format format : {f32, f64}) {
    const std::string type = format.precision == 24 ? ".f32" : ".f64";
    const Inputs inputs = singles(edges(format));
    const auto holds = [&](const std::string& name, auto predicate) {
      check("testp." + name + type, inputs,
            [&](const Operands& x) -> std::uint64_t { return predicate(format.magnitude(x[0])) ? 1 : 0; });
    };
    const std::uint64_t infinity = format.infinity();
    const std::uint64_t normal = format.smallest_normal();
    holds("finite", [=](std::uint64_t m) { return m < infinity; });
    holds("infinite", [=](std::uint64_t m) { return m == infinity; });
    holds("number", [=](std::uint64_t m) { return m <= infinity; });
    holds("notanumber", [=](std::uint64_t m) { return m > infinity; });
    holds("normal", [=](std::uint64_t m) { return m == 0 || (m >= normal && m < infinity); });
    holds("subnormal", [=](std::uint64_t m) { return m > 0 && m < normal; });
  }
}

// ---- Compares. The relation of two values, or none where one is NaN.
std::optional<int> relation(Format format, std::uint64_t a, std::uint64_t b) {
  if (format.is_nan(a) || format.is_nan(b)) return std::nullopt;
  const auto value = [&](std::uint64_t bits) {
    const auto magnitude = static_cast<std::int64_t>(format.magnitude(bits));
    return format.is_negative(bits) ? -magnitude : magnitude;
  };
  return value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0;
}

struct Comparison {
  const char* name;
  const char* holds_for;  // of '<', '=', '>', and '?' for NaN
};
constexpr Comparison comparisons[] = {{"eq", "="},   {"ne", "<>"},   {"lt", "<"},    {"le", "<="},  {"gt", ">"},
                                      {"ge", ">="},  {"equ", "=?"},  {"neu", "<>?"}, {"ltu", "<?"}, {"leu", "<=?"},
                                      {"gtu", ">?"}, {"geu", ">=?"}, {"num", "<=>"}, {"nan", "?"}};

bool holds(const Comparison& comparison, Format format, bool ftz, std::uint64_t a, std::uint64_t b) {
  const auto related = ftz ? relation(format, format.flushed(a), format.flushed(b)) : relation(format, a, b);
  const char sign = !related ? '?' : *related < 0 ? '<' : *related > 0 ? '>' : '=';
  return std::string(comparison.holds_for).find(sign) != std::string::npos;
}

TEST(Compares, EveryOperatorOfEveryType) {
  struct Source {
    const char* name;
    Format format;
    bool ftz;
  };
  for (const Source& source : {Source{"f32", f32, false}, Source{"ftz.f32", f32, true}, Source{"f64", f64, false},
                               Source{"f16", f16, false}, Source{"ftz.f16", f16, true}, Source{"bf16", bf16, false}}) {
    const Inputs inputs = pairs(edges(source.format), edges(source.format));
    for (const Comparison& comparison : comparisons) {
      const auto answer = [&](const Operands& x) { return holds(comparison, source.format, source.ftz, x[0], x[1]); };
      const std::string name = comparison.name;
      check("setp." + name + "." + source.name, inputs, [&](const Operands& x) { return answer(x) ? 1 : 0; });
      const std::string dot = std::string(source.name).substr(0, 3) == "ftz" ? ".ftz." : ".";
      const std::string type = std::string(source.name).substr(dot.size() - 1);
      check("set." + name + dot + "u32." + type, inputs, [&](const Operands& x) { return answer(x) ? 0xffffffff : 0; });
      check("set." + name + dot + "f32." + type, inputs, [&](const Operands& x) { return answer(x) ? 0x3f800000 : 0; });
      check("set." + name + dot + "f16." + type, inputs, [&](const Operands& x) { return answer(x) ? 0x3c00 : 0; });
      check("set." + name + dot + "bf16." + type, inputs, [&](const Operands& x) { return answer(x) ? 0x3f80 : 0; });
    }
  }
}

TEST(Compares, PairsAreComparedHalfByHalf) {
  const Values values = few_edges(f16);
  Inputs inputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      inputs.push_back({values[i] | values[(k * 3 + 1) % values.size()] << 16,
                        values[k] | values[(i * 5 + 2) % values.size()] << 16, 1});
    }
  }
  for (const Comparison& comparison : comparisons) {
    for (const bool ftz : {false, true}) {
      const std::string dot = ftz ? ".ftz." : ".";
      const auto low = [&](const Operands& x) { return holds(comparison, f16, ftz, x[0] & 0xffff, x[1] & 0xffff); };
      const auto high = [&](const Operands& x) { return holds(comparison, f16, ftz, x[0] >> 16, x[1] >> 16); };
      const std::string name = comparison.name;
      check("set." + name + dot + "f16x2.f16x2", inputs,
            [&](const Operands& x) { return (low(x) ? 0x3c00u : 0u) | (high(x) ? 0x3c000000u : 0u); });
      check("set." + name + dot + "u32.f16x2", inputs,
            [&](const Operands& x) { return (low(x) ? 0xffffu : 0u) | (high(x) ? 0xffff0000u : 0u); });
      check("setp." + name + dot + "f16x2", inputs, [&](const Operands& x) { return low(x) ? 1 : 0; });
    }
  }
}

// p and q of one compare, 1.0 < b, with c.
void expect_pair(const std::string& spelling, std::uint64_t b, std::uint64_t c, unsigned p, unsigned q) {
  for (const Variant& variant : variants()) {
    Row row(variant.table, spelling);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      row.set_destination(0, lane, lane % 2);
      row.set_destination(1, lane, lane % 2);
      row.set_source(0, lane, 0x3f800000);
      row.set_source(1, lane, b);
      row.set_source(2, lane, c);
    }
    row.run(0x0000fff0);
    EXPECT_EQ(row.destination(0, 4), p) << spelling << ' ' << variant.name;
    EXPECT_EQ(row.destination(1, 4), q) << spelling << ' ' << variant.name;
    EXPECT_EQ(row.destination(0, 3), 1u) << "outside of the mask";
    EXPECT_EQ(row.destination(1, 16), 0u) << "outside of the mask";
  }
}

TEST(Compares, QIsTheNegationCombinedToo) {
  constexpr std::uint64_t two = 0x40000000;
  constexpr std::uint64_t half = 0x3f000000;
  expect_pair("setp.lt.and.f32", two, 1, 1, 0);
  expect_pair("setp.lt.and.f32", two, 0, 0, 0);
  expect_pair("setp.lt.and.f32", half, 1, 0, 1);
  expect_pair("setp.lt.or.f32", half, 0, 0, 1);
  expect_pair("setp.lt.or.f32", half, 1, 1, 1);
  expect_pair("setp.lt.xor.f32", two, 1, 0, 1);
  expect_pair("setp.lt.xor.f32", half, 1, 1, 0);
  expect_pair("setp.lt.ftz.f32", two, 1, 1, 0);
}

TEST(Compares, TheHighHalvesOfAPairGoToQ) {
  for (const Variant& variant : variants()) {
    Row row(variant.table, "setp.eq.and.f16x2");
    row.set_source(0, 0, 0x3c004000);
    row.set_source(1, 0, 0x3c003c00);
    row.set_source(2, 0, 1);
    row.run(1);
    EXPECT_EQ(row.destination(0, 0), 0u);
    EXPECT_EQ(row.destination(1, 0), 1u);
  }
}

TEST(Selections, SelpMovesBits) {
  expect("selp.f32", {0x7f800001, 0xdeadbeef, 1}, 0x7f800001);
  expect("selp.f32", {0x7f800001, 0xdeadbeef, 0}, 0xdeadbeef);
  expect("selp.f64", {0x7ff0000000000001, 2, 1}, 0x7ff0000000000001);
  expect("selp.f64", {0x7ff0000000000001, 2, 0}, 2);
}

TEST(Selections, SelpTakesANegatedPredicate) {
  for (const Variant& variant : variants()) {
    Row row(variant.table, "selp.f32");
    row.set_source(0, 0, 10);
    row.set_source(1, 0, 20);
    row.set_source(2, 0, 1);
    row.negate_predicate(2);
    row.run(every_lane);
    EXPECT_EQ(row.destination(0, 0), 20u);
  }
}

TEST(Selections, SlctCountsMinusZeroAsNotNegative) {
  expect("slct.u32.f32", {1, 2, 0x3f800000}, 1);
  expect("slct.u32.f32", {1, 2, 0x80000000}, 1);
  expect("slct.u32.f32", {1, 2, 0xbf800000}, 2);
  expect("slct.u32.f32", {1, 2, 0x7fc00000}, 2);
  expect("slct.u32.f32", {1, 2, 0x80000001}, 2);
  expect("slct.ftz.u32.f32", {1, 2, 0x80000001}, 1);
  expect("slct.f64.f32", {0x7ff0000000000001, 2, 0}, 0x7ff0000000000001);
  expect("slct.b16.f32", {0x1234, 0x5678, 0xbf800000}, 0x5678);
}

}  // namespace
}  // namespace emulator::float_tests
