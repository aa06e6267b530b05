// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic to nearest: add sub mul fma mad, and what needs no rounding: abs neg min max copysign testp.
#include "ops/extremes.hpp"
#include "ops/float_lanes.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

template <bool Ftz, bool Sat>
constexpr auto add_f32 = [](float a, float b) { return write_f32<Ftz, Sat>(read_f32<Ftz>(a) + read_f32<Ftz>(b)); };
template <bool Ftz, bool Sat>
constexpr auto sub_f32 = [](float a, float b) { return write_f32<Ftz, Sat>(read_f32<Ftz>(a) - read_f32<Ftz>(b)); };
template <bool Ftz, bool Sat>
constexpr auto mul_f32 = [](float first, float second) {
  const float a = read_f32<Ftz>(first);
  const float b = read_f32<Ftz>(second);
  const float product = a * b;
  return write_f32<false, Sat>(Ftz ? flush_tiny(product, (a * tiny_scale) * b) : product);
};

#if defined(__FP_FAST_FMAF) && !defined(EMULATOR_PORTABLE)
template <bool Ftz>
inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  const float sum = __builtin_fmaf(a, b, c);
  return Ftz ? flush_tiny(sum, __builtin_fmaf(a * tiny_scale, b, c * tiny_scale)) : sum;
}
#else
// Without the instruction: the product is exact in double, the sum is rounded to odd there, and so rounds to float as
// if it were exact. libm's fmaf does much the same, but is called lane by lane.
template <bool Ftz>
inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = static_cast<double>(c);
  const double sum = product + addend;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  const auto bits = std::bit_cast<std::int64_t>(sum);
  // Infinities and NaN have a NaN error here: neither compare holds, and they stay.
  const double same_sign = __builtin_copysign(1.0, sum) * error;
  const std::int64_t outwards = same_sign > 0.0 ? 1 : 0;
  const std::int64_t inwards = same_sign < 0.0 ? -1 : 0;
  const double odd = std::bit_cast<double>(bits + ((outwards + inwards) & ((bits & 1) - 1)));
  const auto result = static_cast<float>(odd);
  return Ftz ? flush_tiny(result, static_cast<float>(odd * static_cast<double>(tiny_scale))) : result;
}
#endif

template <bool Ftz, bool Sat>
constexpr auto fma_f32 = [](float a, float b, float c) {
  return write_f32<false, Sat>(fused<Ftz>(read_f32<Ftz>(a), read_f32<Ftz>(b), read_f32<Ftz>(c)));
};

constexpr auto add_f64 = [](double a, double b) { return a + b; };
constexpr auto sub_f64 = [](double a, double b) { return a - b; };
constexpr auto mul_f64 = [](double a, double b) { return a * b; };
constexpr auto fma_f64 = [](double a, double b, double c) { return __builtin_fma(a, b, c); };
template <auto F>
constexpr auto settled = [](auto... sources) { return settle_nan(F(sources...), sources...); };

template <bool Ftz, bool Sat>
void add_f32_arithmetic(OpcodeTable& table) {
  constexpr std::string_view ftz = Ftz ? "ftz" : "";
  constexpr std::string_view sat = Sat ? "sat" : "";
  constexpr const char* two = "=b32 b32 b32";
  for (const std::string_view rounding : {"", "rn"}) {
    add_row(table, {"add", rounding, ftz, sat, "f32"}, two, map_floats<add_f32<Ftz, Sat>, float, float, float>);
    add_row(table, {"sub", rounding, ftz, sat, "f32"}, two, map_floats<sub_f32<Ftz, Sat>, float, float, float>);
    add_row(table, {"mul", rounding, ftz, sat, "f32"}, two, map_floats<mul_f32<Ftz, Sat>, float, float, float>);
  }
  for (const std::string_view name : {"fma.rn", "mad.rn"}) {
    add_row(table, {name, ftz, sat, "f32"}, "=b32 b32 b32 b32",
            map_floats<fma_f32<Ftz, Sat>, float, float, float, float>);
  }
}

void add_f64_arithmetic(OpcodeTable& table) {
  constexpr const char* two = "=b64 b64 b64";
  for (const std::string_view rounding : {"", "rn"}) {
    add_row(table, {"add", rounding, "f64"}, two, map_doubles<add_f64, settled<add_f64>, double, double>);
    add_row(table, {"sub", rounding, "f64"}, two, map_doubles<sub_f64, settled<sub_f64>, double, double>);
    add_row(table, {"mul", rounding, "f64"}, two, map_doubles<mul_f64, settled<mul_f64>, double, double>);
  }
#if defined(__FP_FAST_FMA) && !defined(EMULATOR_PORTABLE)
  constexpr Handler fma = map_doubles<fma_f64, settled<fma_f64>, double, double, double>;
#else
  constexpr Handler fma = map_floats<settled<fma_f64>, double, double, double, double>;  // libm's is not done twice
#endif
  add_row(table, {"fma.rn.f64"}, "=b64 b64 b64 b64", fma);
  add_row(table, {"mad.rn.f64"}, "=b64 b64 b64 b64", fma);
}

template <bool Max, bool Ftz>
constexpr auto extreme_f32 = [](float a, float b) { return settle_nan(pick<Max>(read_f32<Ftz>(a), read_f32<Ftz>(b))); };

template <bool Max>
constexpr auto extreme_f64 = [](double a, double b) { return settle_nan(pick<Max>(a, b), a, b); };

// The rare forms share one body that asks for its modifiers in each lane.
struct ExtremeForm {
  bool ftz;
  bool nan;
  bool xorsign;
};

template <bool Max>
__attribute__((noinline)) void rare_extreme(float* destination, const float* a, const float* b, LaneMask mask,
                                            ExtremeForm form) noexcept {
  const NearestScope scope;
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const float x = form.ftz ? flush(a[lane]) : a[lane];
    const float y = form.ftz ? flush(b[lane]) : b[lane];
    const float plain = form.nan ? extreme<Max, true, false>(x, y) : extreme<Max, false, false>(x, y);
    const float crossed = form.nan ? extreme<Max, true, true>(x, y) : extreme<Max, false, true>(x, y);
    const float value = form.xorsign ? crossed : plain;
    destination[lane] = (mask & lane_bits<LaneMask>.bit[lane]) != 0 ? value : destination[lane];
  }
}

template <bool Max, bool Ftz, bool Nan, bool XorSign>
Outcome run_rare_extreme(Warp& warp, const Op& op, LaneMask mask) noexcept {
  rare_extreme<Max>(lane_values<float>(warp, op.operand[0]), lane_values<float>(warp, op.operand[1]),
                    lane_values<float>(warp, op.operand[2]), mask, {Ftz, Nan, XorSign});
  return Outcome::next;
}

template <bool Max, bool Ftz>
void add_extremes(OpcodeTable& table) {
  constexpr const char* name = Max ? "max" : "min";
  constexpr const char* ftz = Ftz ? "ftz" : "";
  constexpr const char* two = "=b32 b32 b32";
  add_row(table, {name, ftz, "f32"}, two, map_floats<extreme_f32<Max, Ftz>, float, float, float>);
  add_row(table, {name, ftz, "NaN.f32"}, two, run_rare_extreme<Max, Ftz, true, false>);
  add_row(table, {name, ftz, "xorsign.abs.f32"}, two, run_rare_extreme<Max, Ftz, false, true>);
  add_row(table, {name, ftz, "NaN.xorsign.abs.f32"}, two, run_rare_extreme<Max, Ftz, true, true>);
}

template <bool Ftz>
constexpr auto abs_f32 = [](float a) { return settle_sign_op(__builtin_fabsf(read_f32<Ftz>(a))); };
template <bool Ftz>
constexpr auto neg_f32 = [](float a) { return settle_sign_op(-read_f32<Ftz>(a)); };
constexpr auto abs_f64 = [](double a) { return settle_sign_op(__builtin_fabs(a), a); };
constexpr auto neg_f64 = [](double a) { return settle_sign_op(-a, a); };
// The sign comes from a: the reverse of C's order.
constexpr auto copysign_b32 = [](std::uint32_t a, std::uint32_t b) { return (a & 0x80000000u) | (b & 0x7fffffffu); };
constexpr auto copysign_b64 = [](std::uint64_t a, std::uint64_t b) {
  return (a & std::uint64_t{1} << 63) | (b & ~(std::uint64_t{1} << 63));
};

void add_sign_ops(OpcodeTable& table) {
  add_row(table, {"abs.f32"}, "=b32 b32", map_floats<abs_f32<false>, float, float>);
  add_row(table, {"abs.ftz.f32"}, "=b32 b32", map_floats<abs_f32<true>, float, float>);
  add_row(table, {"abs.f64"}, "=b64 b64", map_floats<abs_f64, double, double>);
  add_row(table, {"neg.f32"}, "=b32 b32", map_floats<neg_f32<false>, float, float>);
  add_row(table, {"neg.ftz.f32"}, "=b32 b32", map_floats<neg_f32<true>, float, float>);
  add_row(table, {"neg.f64"}, "=b64 b64", map_floats<neg_f64, double, double>);
  add_row(table, {"copysign.f32"}, "=b32 b32 b32",
          map_lanes<copysign_b32, std::uint32_t, std::uint32_t, std::uint32_t>);
  add_row(table, {"copysign.f64"}, "=b64 b64 b64",
          map_lanes<copysign_b64, std::uint64_t, std::uint64_t, std::uint64_t>);
}

// testp sorts by exponent and mantissa; zeros count as normal.
enum class Class { finite, infinite, number, not_a_number, normal, subnormal };

template <class Bits, Class Wanted>
constexpr auto belongs = [](Bits bits) {
  constexpr Bits infinity = sizeof(Bits) == 4 ? Bits{0x7f800000u} : static_cast<Bits>(0x7ff0000000000000u);
  constexpr Bits smallest_normal = sizeof(Bits) == 4 ? Bits{0x00800000u} : static_cast<Bits>(0x0010000000000000u);
  const Bits magnitude = bits & static_cast<Bits>(~Bits{0} >> 1);
  switch (Wanted) {
    case Class::finite: return magnitude < infinity;
    case Class::infinite: return magnitude == infinity;
    case Class::number: return magnitude <= infinity;
    case Class::not_a_number: return magnitude > infinity;
    case Class::normal: return magnitude == 0 || (magnitude >= smallest_normal && magnitude < infinity);
    default: return magnitude != 0 && magnitude < smallest_normal;
  }
};

template <class Bits, Class Wanted>
Outcome test_class(Warp& warp, const Op& op, LaneMask mask) noexcept {
  write_predicate(warp, op.operand[0], mask, test_lanes<belongs<Bits, Wanted>>(lane_values<Bits>(warp, op.operand[1])));
  return Outcome::next;
}

template <class Bits>
void add_tests(OpcodeTable& table, std::string_view type, const char* signature) {
  add_row(table, {"testp.finite", type}, signature, test_class<Bits, Class::finite>);
  add_row(table, {"testp.infinite", type}, signature, test_class<Bits, Class::infinite>);
  add_row(table, {"testp.number", type}, signature, test_class<Bits, Class::number>);
  add_row(table, {"testp.notanumber", type}, signature, test_class<Bits, Class::not_a_number>);
  add_row(table, {"testp.normal", type}, signature, test_class<Bits, Class::normal>);
  add_row(table, {"testp.subnormal", type}, signature, test_class<Bits, Class::subnormal>);
}

}  // namespace

void add_float_rows(OpcodeTable& table) {
  add_f32_arithmetic<false, false>(table);
  add_f32_arithmetic<true, false>(table);
  add_f32_arithmetic<false, true>(table);
  add_f32_arithmetic<true, true>(table);
  add_f64_arithmetic(table);
  add_extremes<false, false>(table);
  add_extremes<false, true>(table);
  add_extremes<true, false>(table);
  add_extremes<true, true>(table);
  add_row(table, {"min.f64"}, "=b64 b64 b64", map_floats<extreme_f64<false>, double, double, double>);
  add_row(table, {"max.f64"}, "=b64 b64 b64", map_floats<extreme_f64<true>, double, double, double>);
  add_sign_ops(table);
  add_tests<std::uint32_t>(table, "f32", "=p b32");
  add_tests<std::uint64_t>(table, "f64", "=p b64");
}

}  // namespace emulator::EMULATOR_ISA
