// SPDX-License-Identifier: Apache-2.0
// The approximate ops: series in double that vectorise, rounded once, far inside the hardware's error.
// Exact where the hardware is: powers of two, zeros, infinities. Not bit-equal to any GPU elsewhere.
#include "ops/float_lanes.hpp"
#include "ops/half_lanes.hpp"
#include "ops/integral.hpp"
#include "ops/rows.hpp"

#include <cmath>

namespace emulator::EMULATOR_ISA {
namespace {

constexpr double infinity = __builtin_inf();

// 2^fraction for |fraction| <= 1/2: the exponential series, with an error of 2^-46.
inline __attribute__((always_inline)) double exp2_series(double fraction) {
  constexpr double ln2 = 0.693147180559945309417;
  const double x = fraction * ln2;
  double sum = 1.0 / 39916800;
  sum = sum * x + 1.0 / 3628800;
  sum = sum * x + 1.0 / 362880;
  sum = sum * x + 1.0 / 40320;
  sum = sum * x + 1.0 / 5040;
  sum = sum * x + 1.0 / 720;
  sum = sum * x + 1.0 / 120;
  sum = sum * x + 1.0 / 24;
  sum = sum * x + 1.0 / 6;
  sum = sum * x + 0.5;
  sum = sum * x + 1.0;
  return sum * x + 1.0;
}

// 2^x of what a float can hold and a little beyond; outside it is what rounds to infinity or zero.
inline __attribute__((always_inline)) double exp2_double(double x) {
  const double low = x > -200.0 ? x : -200.0;  // NaN too, put right by the last line
  const double bounded = low < 200.0 ? low : 200.0;
  const double whole = integral<Rounding::nearest>(bounded);
  const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) + 1023);
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(exponent) << 52);
  const double result = exp2_series(bounded - whole) * power;
  return x != x ? x : result;
}

// log2 of a float's value: e + log2(m) with m around 1, from the series of the inverse hyperbolic tangent.
inline __attribute__((always_inline)) double log2_double(double x) {
  constexpr double twice_log2_e = 2.88539008177792681472;
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;  // bits of sqrt(1/2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - root_half) >> 52;
  const double mantissa = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double square = s * s;
  double sum = 1.0 / 21;
  sum = sum * square + 1.0 / 19;
  sum = sum * square + 1.0 / 17;
  sum = sum * square + 1.0 / 15;
  sum = sum * square + 1.0 / 13;
  sum = sum * square + 1.0 / 11;
  sum = sum * square + 1.0 / 9;
  sum = sum * square + 1.0 / 7;
  sum = sum * square + 1.0 / 5;
  sum = sum * square + 1.0 / 3;
  sum = sum * square + 1.0;
  const double finite = static_cast<double>(static_cast<std::int32_t>(exponent)) + sum * s * twice_log2_e;
  const double large = x == infinity ? x : finite;
  const double positive = x == 0.0 ? -infinity : large;
  return x < 0.0 || x != x ? std::bit_cast<double>(nan_f64) : positive;
}

// tanh from 2^(2x log2 e), or where that leaves nothing of a small x, from its series.
inline __attribute__((always_inline)) double tanh_double(double x) {
  constexpr double twice_log2_e = 2.88539008177792681472;
  const double power = exp2_double(x * twice_log2_e);
  const double ratio = (power - 1.0) / (power + 1.0);
  const double magnitude = __builtin_fabs(x);
  const double large = magnitude > 20.0 ? __builtin_copysign(1.0, x) : ratio;
  return magnitude < 0.001 ? x * (1.0 - x * x * (1.0 / 3)) : large;
}

template <bool Ftz>
constexpr auto ex2 =
    [](float x) { return write_f32<Ftz>(static_cast<float>(exp2_double(static_cast<double>(read_f32<Ftz>(x))))); };
template <bool Ftz>
constexpr auto lg2 =
    [](float x) { return write_f32<Ftz>(static_cast<float>(log2_double(static_cast<double>(read_f32<Ftz>(x))))); };
template <bool Ftz>
constexpr auto rsqrt = [](float x) {
  return write_f32<Ftz>(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(read_f32<Ftz>(x)))));
};
template <bool Ftz>
constexpr auto rcp = [](float x) { return write_f32<Ftz>(1.0f / read_f32<Ftz>(x)); };
template <bool Ftz>
constexpr auto root = [](float x) { return write_f32<Ftz>(__builtin_sqrtf(read_f32<Ftz>(x))); };
constexpr auto tanh_f32 = [](float x) { return settle_nan(static_cast<float>(tanh_double(static_cast<double>(x)))); };

template <bool Ftz>
constexpr auto div_full = [](float a, float b) { return write_f32<Ftz>(read_f32<Ftz>(a) / read_f32<Ftz>(b)); };

// Multiplies by a reciprocal, which is zero for divisors above 2^126.
template <bool Ftz>
constexpr auto div_approximate = [](float first, float second) {
  const float a = read_f32<Ftz>(first);
  const float b = read_f32<Ftz>(second);
  const bool huge = __builtin_fabsf(b) > 0x1p126f;
  return write_f32<Ftz>(huge ? a * __builtin_copysignf(0.0f, b) : a / b);
};

// ---- sin and cos.

// What is left of x after quarter turns: |rest| <= pi/4 for |x| up to 2^20, where the products of `turns` are exact.
constexpr float largest_reduced = 0x1p20f;
struct Reduced {
  double rest;
  std::int64_t turns;
};
inline __attribute__((always_inline)) Reduced reduce(double x) {
  constexpr double quarters = 0.636619772367581343076;
  constexpr double high = 0x1.921fb544p+0;  // pi/2 in three parts
  constexpr double middle = 0x1.0b4611a6p-34;
  constexpr double low = 0x1.3198a2e037073p-69;
  const double turns = integral<Rounding::nearest>(x * quarters) + 0.0;  // -0 would lose the sign of x
  const double rest = ((x - turns * high) - turns * middle) - turns * low;
  return {rest, static_cast<std::int64_t>(static_cast<std::int32_t>(turns))};
}

inline __attribute__((always_inline)) double sin_series(double x) {
  const double square = x * x;
  double sum = 1.0 / 6227020800;
  sum = sum * square - 1.0 / 39916800;
  sum = sum * square + 1.0 / 362880;
  sum = sum * square - 1.0 / 5040;
  sum = sum * square + 1.0 / 120;
  sum = sum * square - 1.0 / 6;
  return x * (1.0 + square * sum);
}
inline __attribute__((always_inline)) double cos_series(double x) {
  const double square = x * x;
  double sum = -1.0 / 87178291200;
  sum = sum * square + 1.0 / 479001600;
  sum = sum * square - 1.0 / 3628800;
  sum = sum * square + 1.0 / 40320;
  sum = sum * square - 1.0 / 720;
  sum = sum * square + 1.0 / 24;
  sum = sum * square - 0.5;
  return 1.0 + square * sum;
}

// sin (quadrant 0) or cos (quadrant 1) of |x| <= 2^20; anything on other bits.
template <unsigned Quadrant>
inline __attribute__((always_inline)) float sine_of_reduced(float x) {
  const float bounded = __builtin_fabsf(x) <= largest_reduced ? x : 0.0f;
  const Reduced reduced = reduce(static_cast<double>(bounded));
  const std::int64_t quadrant = reduced.turns + std::int64_t{Quadrant};
  const double value = (quadrant & 1) != 0 ? cos_series(reduced.rest) : sin_series(reduced.rest);
  const auto sign = static_cast<std::uint64_t>(quadrant & 2) << 62;
  return static_cast<float>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ sign));
}

template <bool Ftz, unsigned Quadrant>
Outcome sine(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const NearestScope scope;
  const float* source = lane_values<float>(warp, op.operand[1]);
  alignas(64) float values[warp_size];
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    values[lane] = write_f32<Ftz>(sine_of_reduced<Quadrant>(read_f32<Ftz>(source[lane])));
  }
  constexpr auto is_large = [](float x) { return !(__builtin_fabsf(x) <= largest_reduced); };
  // Large angles, infinities and NaN are few: the library knows pi to more digits.
  for (LaneMask rest = test_lanes<is_large>(source) & mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto x = static_cast<double>(source[lane]);
    values[lane] = write_f32<Ftz>(static_cast<float>(Quadrant == 0 ? std::sin(x) : std::cos(x)));
  }
  float* destination = lane_values<float>(warp, op.operand[0]);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask & lane_bits<LaneMask>.bit[lane]) != 0 ? values[lane] : destination[lane];
  }
  return Outcome::next;
}

// ---- f64.
constexpr auto rsqrt_f64 = [](double x) { return settle_nan(1.0 / __builtin_sqrt(x), x); };

// Seeds read and write the high word alone; the low word of results is zero. Subnormals are zeros on both sides.
inline __attribute__((always_inline)) double read_seed(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u;
  return std::bit_cast<double>((bits & 0x7ff0000000000000u) == 0 ? bits & std::uint64_t{1} << 63 : bits);
}
inline __attribute__((always_inline)) double write_seed(double value) {
  const std::uint64_t rounded = std::bit_cast<std::uint64_t>(value) + 0x80000000u;
  const std::uint64_t high = std::bit_cast<std::uint64_t>(read_seed(std::bit_cast<double>(rounded)));
  return std::bit_cast<double>(value != value ? nan_f64_seed : high);
}
constexpr auto rcp_seed = [](double x) { return write_seed(1.0 / read_seed(x)); };
constexpr auto rsqrt_seed = [](double x) { return write_seed(1.0 / __builtin_sqrt(read_seed(x))); };

// ---- Halves: a float's result, rounded once more, is far inside their error.
void ex2_halves(float* a, const float*, const float*) noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned i = 0; i < 2 * warp_size; ++i) a[i] = ex2<false>(a[i]);
}
void tanh_halves(float* a, const float*, const float*) noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned i = 0; i < 2 * warp_size; ++i) a[i] = tanh_f32(a[i]);
}

template <bool Ftz>
void add_f32_rows(OpcodeTable& table) {
  constexpr std::string_view type = Ftz ? "ftz.f32" : "f32";
  constexpr const char* one = "=b32 b32";
  constexpr const char* two = "=b32 b32 b32";
  add_row(table, {"ex2.approx", type}, one, map_floats_compactly<ex2<Ftz>, float, float>);
  add_row(table, {"lg2.approx", type}, one, map_floats_compactly<lg2<Ftz>, float, float>);
  add_row(table, {"rsqrt.approx", type}, one, map_floats_compactly<rsqrt<Ftz>, float, float>);
  add_row(table, {"rcp.approx", type}, one, map_floats_compactly<rcp<Ftz>, float, float>);
  add_row(table, {"sqrt.approx", type}, one, map_floats_compactly<root<Ftz>, float, float>);
  add_row(table, {"sin.approx", type}, one, sine<Ftz, 0>);
  add_row(table, {"cos.approx", type}, one, sine<Ftz, 1>);
  add_row(table, {"div.approx", type}, two, map_floats_compactly<div_approximate<Ftz>, float, float, float>);
  add_row(table, {"div.full", type}, two, map_floats_compactly<div_full<Ftz>, float, float, float>);
}

}  // namespace

void add_approximate_rows(OpcodeTable& table) {
  add_f32_rows<false>(table);
  add_f32_rows<true>(table);
  add_row(table, {"tanh.approx.f32"}, "=b32 b32", map_floats_compactly<tanh_f32, float, float>);
  add_row(table, {"rsqrt.approx.f64"}, "=b64 b64", map_floats_compactly<rsqrt_f64, double, double>);
  add_row(table, {"rsqrt.approx.ftz.f64"}, "=b64 b64", map_floats_compactly<rsqrt_seed, double, double>);
  add_row(table, {"rcp.approx.ftz.f64"}, "=b64 b64", map_floats_compactly<rcp_seed, double, double>);
  constexpr Handler ex2_f16 = halves<ex2_halves, false, false, Finish::none, 1>;
  constexpr Handler ex2_bf16 = halves<ex2_halves, true, true, Finish::none, 1>;
  constexpr Handler tanh_f16 = halves<tanh_halves, false, false, Finish::none, 1>;
  constexpr Handler tanh_bf16 = halves<tanh_halves, true, false, Finish::none, 1>;
  add_row(table, {"ex2.approx.f16"}, "=b16 b16", ex2_f16);
  add_row(table, {"ex2.approx.f16x2"}, "=b32 b32", ex2_f16);
  add_row(table, {"ex2.approx.ftz.bf16"}, "=b16 b16", ex2_bf16);
  add_row(table, {"ex2.approx.ftz.bf16x2"}, "=b32 b32", ex2_bf16);
  add_row(table, {"tanh.approx.f16"}, "=b16 b16", tanh_f16);
  add_row(table, {"tanh.approx.f16x2"}, "=b32 b32", tanh_f16);
  add_row(table, {"tanh.approx.bf16"}, "=b16 b16", tanh_bf16);
  add_row(table, {"tanh.approx.bf16x2"}, "=b32 b32", tanh_bf16);
}

}  // namespace emulator::EMULATOR_ISA
