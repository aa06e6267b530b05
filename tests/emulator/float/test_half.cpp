// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and their pairs: arithmetic rounded once, .ftz .sat .relu, and abs and neg of all 65,536 values.
#include "exact.hpp"
#include "inputs.hpp"
#include "rows.hpp"

namespace emulator::float_tests {
namespace {

constexpr std::uint64_t nan_half = 0x7fff;

using Lane = std::function<std::uint64_t(const Operands&)>;

// A row on lone halves, then on pairs whose high halves are other inputs than the low ones.
void check_both(const std::string& name, const std::string& type, const Inputs& inputs, const Lane& lane) {
  check(name + "." + type, inputs, lane);
  Inputs mixed;
  for (std::size_t i = 0; i < inputs.size(); i += 3) {
    Operands operands = inputs[i];
    const Operands& high = inputs[(i * 7 + 5) % inputs.size()];
    for (std::size_t source = 0; source < operands.size(); ++source) operands[source] |= high[source] << 16;
    mixed.push_back(operands);
  }
  check(name + "." + type + "x2", mixed, [&](const Operands& operands) {
    Operands low;
    Operands high;
    for (std::size_t source = 0; source < operands.size(); ++source) {
      low[source] = operands[source] & 0xffff;
      high[source] = operands[source] >> 16;
    }
    return lane(low) | lane(high) << 16;
  });
}

using Operation = std::function<Answer(Format, const Operands&)>;

Lane reference(Format format, const Modifiers& modifiers, const Operation& operation) {
  return [=](const Operands& operands) {
    Operands read = operands;
    if (modifiers.ftz) {
      for (std::uint64_t& bits : read) bits = format.flushed(bits);
    }
    return finished(format, modifiers, operation(format, read), nan_half);
  };
}

Answer add(Format format, const Operands& x) { return sum(format, Mode::rn, x[0], x[1]); }
Answer sub(Format format, const Operands& x) { return difference(format, Mode::rn, x[0], x[1]); }
Answer mul(Format format, const Operands& x) { return product(format, x[0], x[1]); }
Answer fma(Format format, const Operands& x) { return fused(format, Mode::rn, x[0], x[1], x[2]); }

void check_sums(const std::string& name, const Operation& operation) {
  const Inputs inputs = joined(pairs(edges(f16), edges(f16)), random_operands(f16, 8000, 2));
  for (const bool ftz : {false, true}) {
    for (const bool sat : {false, true}) {
      const Lane lane = reference(f16, {Mode::rn, ftz, sat, false}, operation);
      const std::string modifiers = std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "");
      check_both(name + modifiers, "f16", inputs, lane);
      check_both(name + ".rn" + modifiers, "f16", inputs, lane);
    }
  }
  const Inputs of_bf16 = joined(pairs(edges(bf16), edges(bf16)), random_operands(bf16, 8000, 2));
  check_both(name, "bf16", of_bf16, reference(bf16, {}, operation));
  check_both(name + ".rn", "bf16", of_bf16, reference(bf16, {}, operation));
}

TEST(HalfArithmetic, SumsAreRoundedOnce) { check_sums("add", add); }
TEST(HalfArithmetic, DifferencesAreRoundedOnce) { check_sums("sub", sub); }
TEST(HalfArithmetic, ProductsAreRoundedOnce) { check_sums("mul", mul); }

Inputs triples_of(Format format) {
  const Values values = few_edges(format);
  return joined(triples(values, values, values), random_operands(format, 30000, 3));
}

TEST(HalfArithmetic, FmaOfF16IsRoundedOnce) {
  const Inputs inputs = triples_of(f16);
  for (const bool ftz : {false, true}) {
    const std::string name = ftz ? "fma.rn.ftz" : "fma.rn";
    check_both(name, "f16", inputs, reference(f16, {Mode::rn, ftz, false, false}, fma));
    check_both(name + ".sat", "f16", inputs, reference(f16, {Mode::rn, ftz, true, false}, fma));
    check_both(name + ".relu", "f16", inputs, reference(f16, {Mode::rn, ftz, false, true}, fma));
  }
}

TEST(HalfArithmetic, FmaOfBf16IsRoundedOnce) {
  const Inputs inputs = triples_of(bf16);
  check_both("fma.rn", "bf16", inputs, reference(bf16, {}, fma));
  check_both("fma.rn.relu", "bf16", inputs, reference(bf16, {Mode::rn, false, false, true}, fma));
}

// A product that lies just above a tie of f16, by less than any float sum can tell: 1.5 * (1 + 2^-10 ...) and a tiny
// addend.
TEST(HalfArithmetic, FmaSeesAnAddendFarBelowTheProduct) {
  expect("fma.rn.f16", {0x3c01, 0x3e00, 0x0000}, 0x3e02);  // 1.5 + 1.5 * 2^-10 is a tie, to even
  expect("fma.rn.f16", {0x3c01, 0x3e00, 0x0001}, 0x3e02);
  expect("fma.rn.f16", {0x3c01, 0x3e00, 0x8001}, 0x3e01);
}

TEST(HalfSigns, AbsAndNegChangeTheSignAlone) {
  for (const Format format : {f16, bf16}) {
    const std::string type = format.precision == 11 ? "f16" : "bf16";
    check_both("abs", type, all_halves(),
               [&](const Operands& x) { return format.is_nan(x[0]) ? nan_half : x[0] & 0x7fff; });
    check_both("neg", type, all_halves(),
               [&](const Operands& x) { return format.is_nan(x[0]) ? nan_half : x[0] ^ 0x8000; });
  }
  check_both("abs.ftz", "f16", all_halves(),
             [](const Operands& x) { return f16.is_nan(x[0]) ? nan_half : f16.flushed(x[0]) & 0x7fff; });
  check_both("neg.ftz", "f16", all_halves(),
             [](const Operands& x) { return f16.is_nan(x[0]) ? nan_half : f16.flushed(x[0]) ^ 0x8000; });
}

TEST(HalfArithmetic, PairsKeepTheirHalvesApart) {
  // 1 + 2 in the low half, 65504 + 65504 in the high one.
  expect("add.f16x2", {0x7bff3c00, 0x7bff4000}, 0x7c004200);
  expect("add.sat.f16x2", {0x7bff3800, 0xfbff3400}, 0x00003a00);
  expect("fma.rn.bf16x2", {0x40003f80, 0x40403f80, 0x3f803f80}, 0x40e04000);
}

TEST(HalfArithmetic, AProductBelowTheSmallestNormalIsFlushed) {
  expect("mul.f16", {0x0400, 0x3bff}, 0x0400);
  expect("mul.ftz.f16", {0x0400, 0x3bff}, 0x0000);
  expect("mul.ftz.f16", {0x0400, 0xbbff}, 0x8000);
}

}  // namespace
}  // namespace emulator::float_tests
