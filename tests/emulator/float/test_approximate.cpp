// SPDX-License-Identifier: Apache-2.0
// The approximate ops: within the documented error of long double functions, exact at the special points.
#include <bit>
#include <cmath>

#include "exact.hpp"
#include "inputs.hpp"
#include "rows.hpp"

namespace emulator::float_tests {
namespace {

using Real80 = long double;
using Function = std::function<Real80(Real80)>;

Real80 value(Format format, std::uint64_t bits) {
  if (format.is_nan(bits)) return NAN;
  if (format.is_infinite(bits)) return format.is_negative(bits) ? -INFINITY : INFINITY;
  const Real real = value_of(format, bits);
  const Real80 magnitude = std::ldexp(static_cast<Real80>(static_cast<std::uint64_t>(real.whole)), real.exponent);
  return real.negative ? -magnitude : magnitude;
}

struct Error {
  Real80 relative = 0;
  Real80 absolute = 0;
};

// NaN where the function is, infinities and zeros with their sign, all else within the error.
bool is_close(Format format, std::uint64_t found, Real80 exact, const Error& error, bool ftz) {
  const Real80 ours = value(format, found);
  if (std::isnan(exact)) return std::isnan(ours);
  const Real80 smallest = std::ldexp(1.0L, format.smallest_exponent());
  if (ftz && std::fabs(exact) < smallest) return ours == 0 || std::fabs(ours) == smallest;
  const Real80 largest = value(format, format.infinity() - 1);
  if (std::fabs(exact) > largest) return std::fabs(ours) >= largest && std::signbit(ours) == std::signbit(exact);
  const Real80 last_bit = std::ldexp(1.0L, format.smallest_exponent() - format.precision + 1);
  if (exact == 0 && error.absolute == 0) return ours == 0 && std::signbit(ours) == std::signbit(exact);
  return std::fabs(ours - exact) <= error.relative * std::fabs(exact) + error.absolute + last_bit / 2;
}

Inputs inputs_of(Format format) {
  Values values = joined(edges(format), random_bits(format.width(), 3000));
  return joined(singles(values), random_operands(format, 3000, 1));
}

void check_f32(
    const std::string& name, const Function& function, const Error& error,
    const std::function<bool(Real80)>& domain = [](Real80) { return true; }) {
  for (const bool ftz : {false, true}) {
    check_within(name + (ftz ? ".ftz" : "") + ".f32", inputs_of(f32), [&](const Operands& x, std::uint64_t found) {
      const Real80 read = value(f32, ftz ? f32.flushed(x[0]) : x[0]);
      return !domain(read) || is_close(f32, found, function(read), error, ftz);
    });
  }
}

const Real80 ulp = std::ldexp(1.0L, -23);

TEST(Approximations, Reciprocal) {
  check_f32("rcp.approx", [](Real80 x) { return 1 / x; }, {ulp, 0});
}
TEST(Approximations, Root) {
  check_f32("sqrt.approx", [](Real80 x) { return std::sqrt(x); }, {ulp, 0});
}
TEST(Approximations, ReciprocalRoot) {
  check_f32("rsqrt.approx", [](Real80 x) { return 1 / std::sqrt(x); }, {ulp, 0});
}
TEST(Approximations, Exponential) {
  check_f32("ex2.approx", [](Real80 x) { return std::exp2(x); }, {ulp, 0});
}
TEST(Approximations, Logarithm) {
  check_f32("lg2.approx", [](Real80 x) { return std::log2(x); }, {ulp, 0});
}
TEST(Approximations, SineAndCosineOfAnyAngle) {
  check_f32("sin.approx", [](Real80 x) { return std::sin(x); }, {ulp, std::ldexp(1.0L, -40)});
  check_f32("cos.approx", [](Real80 x) { return std::cos(x); }, {ulp, std::ldexp(1.0L, -40)});
}
TEST(Approximations, HyperbolicTangent) {
  check_within("tanh.approx.f32", inputs_of(f32), [](const Operands& x, std::uint64_t found) {
    return is_close(f32, found, std::tanh(value(f32, x[0])), {ulp, 0}, false);
  });
}

TEST(Approximations, QuotientsOutsideOfTheHugeDivisors) {
  const Inputs inputs = joined(pairs(edges(f32), edges(f32)), random_operands(f32, 3000, 2));
  for (const std::string name : {"div.approx", "div.full"}) {
    for (const bool ftz : {false, true}) {
      check_within(name + (ftz ? ".ftz" : "") + ".f32", inputs, [&](const Operands& x, std::uint64_t found) {
        const Real80 a = value(f32, ftz ? f32.flushed(x[0]) : x[0]);
        const Real80 b = value(f32, ftz ? f32.flushed(x[1]) : x[1]);
        const bool huge = std::isfinite(b) && std::fabs(b) > std::ldexp(1.0L, 126);
        if (name == "div.approx" && huge) return std::isfinite(a) ? value(f32, found) == 0 : f32.is_nan(found);
        return is_close(f32, found, a / b, {2 * ulp, 0}, ftz);
      });
    }
  }
}

TEST(Approximations, AreExactAtSpecialPoints) {
  expect("ex2.approx.f32", {0x00000000}, 0x3f800000);
  expect("ex2.approx.f32", {0xff800000}, 0x00000000);
  expect("ex2.approx.f32", {0xc3150000}, 0x00000001);  // 2^-149
  expect("ex2.approx.ftz.f32", {0xc3150000}, 0x00000000);
  expect("ex2.approx.f32", {0x41200000}, 0x44800000);
  expect("lg2.approx.f32", {0x44800000}, 0x41200000);
  expect("lg2.approx.f32", {0x80000000}, 0xff800000);
  expect("lg2.approx.f32", {0x00000001}, 0xc3150000);
  expect("lg2.approx.ftz.f32", {0x00000001}, 0xff800000);
  expect("lg2.approx.f32", {0xbf800000}, 0x7fffffff);
  expect("rcp.approx.f32", {0x80000000}, 0xff800000);
  expect("rsqrt.approx.f32", {0x80000000}, 0xff800000);
  expect("rsqrt.approx.f32", {0x40800000}, 0x3f000000);
  expect("sin.approx.f32", {0x80000000}, 0x80000000);
  expect("sin.approx.f32", {0x7f800000}, 0x7fffffff);
  expect("cos.approx.f32", {0x00000000}, 0x3f800000);
  expect("tanh.approx.f32", {0x80000000}, 0x80000000);
  expect("tanh.approx.f32", {0x7f800000}, 0x3f800000);
  expect("div.approx.f32", {0x7f800000, 0x7f000000}, 0x7fffffff);  // infinity by 2^127
  expect("div.approx.f32", {0xff000000, 0x7f000000}, 0x80000000);
}

TEST(Approximations, ReciprocalRootOfF64IsNearFullPrecision) {
  check_within("rsqrt.approx.f64", inputs_of(f64), [](const Operands& x, std::uint64_t found) {
    return is_close(f64, found, 1 / std::sqrt(value(f64, x[0])), {std::ldexp(1.0L, -52), 0}, false);
  });
}

// What a seed reads: the high word, a subnormal as zero.
std::uint64_t seed_operand(std::uint64_t bits) { return f64.flushed(bits & 0xffffffff00000000); }

TEST(Approximations, SeedsOfF64HaveTwentyBitsAndNoLowWord) {
  const Error error{std::ldexp(1.0L, -20), 0};
  check_within("rcp.approx.ftz.f64", inputs_of(f64), [&](const Operands& x, std::uint64_t found) {
    return (found & 0xffffffff) == 0 && is_close(f64, found, 1 / value(f64, seed_operand(x[0])), error, true);
  });
  check_within("rsqrt.approx.ftz.f64", inputs_of(f64), [&](const Operands& x, std::uint64_t found) {
    return (found & 0xffffffff) == 0 &&
           is_close(f64, found, 1 / std::sqrt(value(f64, seed_operand(x[0]))), error, true);
  });
}

TEST(Approximations, SeedsOfF64AtSpecialPoints) {
  expect("rcp.approx.ftz.f64", {0x8000000000000000}, 0xfff0000000000000);
  expect("rcp.approx.ftz.f64", {0x000fffffffffffff}, 0x7ff0000000000000);
  expect("rcp.approx.ftz.f64", {0xfff0000000000000}, 0x8000000000000000);
  expect("rcp.approx.ftz.f64", {0x4000000000000000}, 0x3fe0000000000000);
  expect("rcp.approx.ftz.f64", {0x7ff8000000000000}, 0x7fffffff00000000);
  expect("rcp.approx.ftz.f64", {0x7fe0000000000000}, 0x0000000000000000);
  expect("rsqrt.approx.ftz.f64", {0xc010000000000000}, 0x7fffffff00000000);
  expect("rsqrt.approx.ftz.f64", {0x4010000000000000}, 0x3fe0000000000000);
}

TEST(Approximations, OfAllHalves) {
  struct Row16 {
    std::string spelling;
    Format format;
    Function function;
    bool ftz;
  };
  const Function ex2 = [](Real80 x) { return std::exp2(x); };
  const Function tanh = [](Real80 x) { return std::tanh(x); };
  for (const Row16& row :
       {Row16{"ex2.approx.f16", f16, ex2, false}, Row16{"tanh.approx.f16", f16, tanh, false},
        Row16{"ex2.approx.ftz.bf16", bf16, ex2, true}, Row16{"tanh.approx.bf16", bf16, tanh, false}}) {
    const Error error{std::ldexp(1.0L, 1 - row.format.precision), 0};
    const auto judge = [&](std::uint64_t source, std::uint64_t found) {
      const std::uint64_t read = row.ftz ? row.format.flushed(source) : source;
      return is_close(row.format, found, row.function(value(row.format, read)), error, row.ftz);
    };
    check_within(row.spelling, all_halves(),
                 [&](const Operands& x, std::uint64_t found) { return judge(x[0], found); });
    Inputs mixed;
    for (std::uint64_t low = 0; low < 0x10000; low += 5) mixed.push_back({low | (low * 7 & 0xffff) << 16, 0, 0});
    check_within(row.spelling + "x2", mixed, [&](const Operands& x, std::uint64_t found) {
      return judge(x[0] & 0xffff, found & 0xffff) && judge(x[0] >> 16, found >> 16);
    });
  }
}

}  // namespace
}  // namespace emulator::float_tests
