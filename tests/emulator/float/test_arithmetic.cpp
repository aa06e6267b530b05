// SPDX-License-Identifier: Apache-2.0
// f32 and f64: add sub mul fma div rcp sqrt in every rounding, .ftz and .sat.
#include <algorithm>

#include "exact.hpp"
#include "inputs.hpp"
#include "rows.hpp"

namespace emulator::float_tests {
namespace {

constexpr std::uint64_t nan_f32 = 0x7fffffff;
constexpr std::uint64_t nan_f64 = 0xfff8000000000000;

struct RoundingName {
  const char* name;
  Mode mode;
};
constexpr RoundingName roundings[] = {{".rn", Mode::rn}, {".rz", Mode::rz}, {".rm", Mode::rm}, {".rp", Mode::rp}};

// The NaN of an f64 result: that of the first of these operands which is one, quiet; else a new one.
std::uint64_t nan_among(std::initializer_list<std::uint64_t> operands) {
  for (const std::uint64_t operand : operands) {
    if (f64.is_nan(operand)) return operand | 0x0008000000000000;
  }
  return nan_f64;
}

using Operation = std::function<Answer(Format, Mode, const Operands&)>;
using NanOf = std::function<std::uint64_t(const Operands&)>;

// One operation on f32 in all forms that PTX has.
void check_f32(const std::string& name, const Inputs& inputs, const Operation& operation, bool has_sat,
               bool may_omit_rounding) {
  for (const RoundingName& rounding : roundings) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        if (sat && !has_sat) continue;
        const std::string tail = std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32";
        const auto reference = [&](const Operands& operands) {
          Operands read = operands;
          if (ftz) {
            for (std::uint64_t& bits : read) bits = f32.flushed(bits);
          }
          const Modifiers modifiers{rounding.mode, ftz, sat, false};
          return finished(f32, modifiers, operation(f32, rounding.mode, read), nan_f32);
        };
        check(name + rounding.name + tail, inputs, reference);
        if (may_omit_rounding && rounding.mode == Mode::rn) check(name + tail, inputs, reference);
      }
    }
  }
}

void check_f64(const std::string& name, const Inputs& inputs, const Operation& operation, const NanOf& nan_of,
               bool may_omit_rounding) {
  for (const RoundingName& rounding : roundings) {
    const auto reference = [&](const Operands& operands) {
      const Modifiers modifiers{rounding.mode, false, false, false};
      return finished(f64, modifiers, operation(f64, rounding.mode, operands), nan_of(operands));
    };
    check(name + rounding.name + ".f64", inputs, reference);
    if (may_omit_rounding && rounding.mode == Mode::rn) check(name + ".f64", inputs, reference);
  }
}

Inputs pairs_of(Format format) { return joined(pairs(edges(format), edges(format)), random_operands(format, 4000, 2)); }
Inputs singles_of(Format format) { return joined(singles(edges(format)), singles(random_bits(format.width(), 4000))); }
Inputs triples_of(Format format) {
  const Values values = few_edges(format);
  return joined(triples(values, values, values), random_operands(format, 6000, 3));
}

Answer add(Format format, Mode mode, const Operands& x) { return sum(format, mode, x[0], x[1]); }
Answer sub(Format format, Mode mode, const Operands& x) { return difference(format, mode, x[0], x[1]); }
Answer mul(Format format, Mode, const Operands& x) { return product(format, x[0], x[1]); }
Answer div(Format format, Mode, const Operands& x) { return quotient(format, x[0], x[1]); }
Answer rcp(Format format, Mode, const Operands& x) { return quotient(format, format.one(), x[0]); }
Answer root(Format format, Mode, const Operands& x) { return square_root(format, x[0]); }
Answer fma(Format format, Mode mode, const Operands& x) { return fused(format, mode, x[0], x[1], x[2]); }

std::uint64_t second_then_first(const Operands& x) { return nan_among({x[1], x[0]}); }
std::uint64_t only(const Operands& x) { return nan_among({x[0]}); }

TEST(F32Arithmetic, SumsAreExactSumsRoundedOnce) { check_f32("add", pairs_of(f32), add, true, true); }
TEST(F32Arithmetic, DifferencesAreExactDifferencesRoundedOnce) { check_f32("sub", pairs_of(f32), sub, true, true); }
TEST(F32Arithmetic, ProductsAreExactProductsRoundedOnce) { check_f32("mul", pairs_of(f32), mul, true, true); }
TEST(F32Arithmetic, FmaRoundsOnce) { check_f32("fma", triples_of(f32), fma, true, false); }
TEST(F32Arithmetic, MadIsFma) { check_f32("mad", random_operands(f32, 500, 3), fma, true, false); }
TEST(F32Arithmetic, QuotientsAreRoundedOnce) { check_f32("div", pairs_of(f32), div, false, false); }
TEST(F32Arithmetic, ReciprocalsAreRoundedOnce) { check_f32("rcp", singles_of(f32), rcp, false, false); }
TEST(F32Arithmetic, RootsAreRoundedOnce) { check_f32("sqrt", singles_of(f32), root, false, false); }

TEST(F64Arithmetic, SumsAreExactSumsRoundedOnce) { check_f64("add", pairs_of(f64), add, second_then_first, true); }
TEST(F64Arithmetic, DifferencesAreExactDifferencesRoundedOnce) {
  check_f64("sub", pairs_of(f64), sub, second_then_first, true);
}
TEST(F64Arithmetic, ProductsAreExactProductsRoundedOnce) {
  check_f64("mul", pairs_of(f64), mul, second_then_first, true);
}
TEST(F64Arithmetic, FmaRoundsOnce) {
  const auto nan_of = [](const Operands& x) { return nan_among({x[1], x[2], x[0]}); };
  check_f64("fma", triples_of(f64), fma, nan_of, false);
  check_f64("mad", random_operands(f64, 500, 3), fma, nan_of, false);
}
TEST(F64Arithmetic, QuotientsAreRoundedOnce) {
  check_f64(
      "div", pairs_of(f64), div,
      [](const Operands& x) {
        return nan_among({x[0], x[1]});
      },
      false);
}
TEST(F64Arithmetic, ReciprocalsAreRoundedOnce) { check_f64("rcp", singles_of(f64), rcp, only, false); }
TEST(F64Arithmetic, RootsAreRoundedOnce) { check_f64("sqrt", singles_of(f64), root, only, false); }

// ---- Typed by hand.
TEST(F32Arithmetic, ATenthAndTwoTenthsByRounding) {
  expect("add.f32", {0x3dcccccd, 0x3e4ccccd}, 0x3e99999a);
  expect("add.rz.f32", {0x3dcccccd, 0x3e4ccccd}, 0x3e999999);
  expect("add.rm.f32", {0x3dcccccd, 0x3e4ccccd}, 0x3e999999);
  expect("add.rp.f32", {0x3dcccccd, 0x3e4ccccd}, 0x3e99999a);
}
TEST(F32Arithmetic, ANumberMinusItselfIsMinusZeroRoundingDown) {
  expect("sub.f32", {0x3f800000, 0x3f800000}, 0x00000000);
  expect("sub.rm.f32", {0x3f800000, 0x3f800000}, 0x80000000);
}
TEST(F32Arithmetic, FtzKeepsTheSignAndPlainFormsKeepSubnormals) {
  expect("mul.f32", {0x80800000, 0x3f000000}, 0x80400000);
  expect("mul.ftz.f32", {0x80800000, 0x3f000000}, 0x80000000);
  expect("add.ftz.f32", {0x007fffff, 0x007fffff}, 0x00000000);
}
TEST(F32Arithmetic, AProductBelowTheSmallestNormalIsFlushedEvenIfItWouldRoundUpToIt) {
  expect("mul.f32", {0x00800000, 0x3f7fffff}, 0x00800000);
  expect("mul.ftz.f32", {0x00800000, 0x3f7fffff}, 0x00000000);
}
TEST(F32Arithmetic, NanIsCanonical) {
  expect("add.f32", {0xffc12345, 0x3f800000}, 0x7fffffff);
  expect("add.sat.f32", {0xffc12345, 0x3f800000}, 0);
  expect("div.rn.f32", {0, 0}, 0x7fffffff);
  expect("sqrt.rn.f32", {0xbf800000}, 0x7fffffff);
}
TEST(F64Arithmetic, NanKeepsThePayloadOfTheSecondOperand) {
  expect("add.f64", {0x7ff8000000000001, 0xfff0000000000005}, 0xfff8000000000005);
  expect("fma.rn.f64", {0x7ff8000000000001, 0x3ff0000000000000, 0x7ff8000000000003}, 0x7ff8000000000003);
  expect("mul.f64", {0x7ff0000000000000, 0}, 0xfff8000000000000);
}
TEST(F32Arithmetic, FmaKeepsWhatAProductRoundedFirstWouldLose) {
  expect("fma.rn.f32", {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000);
}

}  // namespace
}  // namespace emulator::float_tests
