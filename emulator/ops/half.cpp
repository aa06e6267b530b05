// SPDX-License-Identifier: Apache-2.0
// f16, f16x2, bf16 and bf16x2: add sub mul fma min max abs neg. A lone half uses the handler of pairs.
#include "ops/extremes.hpp"
#include "ops/float_lanes.hpp"
#include "ops/half_lanes.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

constexpr unsigned count = 2 * warp_size;

// Sums and products of halves: float has 2p + 2 bits, so that rounding twice is rounding once.
void add(float* a, const float* b, const float*) noexcept {
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) a[i] = a[i] + b[i];
}
void sub(float* a, const float* b, const float*) noexcept {
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) a[i] = a[i] - b[i];
}
void mul(float* a, const float* b, const float*) noexcept {
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) a[i] = a[i] * b[i];
}

// fma has no such luck: the sum must be rounded to odd first. Given a rounded value and what it lacks, this gives the
// value rounded to odd. Infinities and NaN lack NaN, for which neither compare holds, and stay.
inline __attribute__((always_inline)) float to_odd(float value, float lacking) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  const float outwards = __builtin_copysignf(1.0f, value);
  const std::int32_t step = (lacking * outwards > 0.0f ? 1 : 0) - (lacking * outwards < 0.0f ? 1 : 0);
  return std::bit_cast<float>(bits + ((bits & 1) != 0 ? 0 : step));
}

// Products of f16 are exact in float, and so is what their sum lacks.
void fma_f16(float* a, const float* b, const float* c) noexcept {
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) {
    const float product = a[i] * b[i];
    const float sum = product + c[i];
    const float part = sum - product;
    a[i] = to_odd(sum, (product - (sum - part)) + (c[i] - part));
  }
}

// Products of bf16 are exact in double alone; the sum is rounded to odd there and once more, to odd, in float.
void fma_bf16(float* a, const float* b, const float* c) noexcept {
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) {
    const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    const double addend = static_cast<double>(c[i]);
    const double sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    const auto rounded = static_cast<float>(sum);
    // Of the two parts that float lacks, only the sign of their sum matters; the first decides unless it is zero.
    const double lacking = sum - static_cast<double>(rounded);
    const double deciding = lacking == 0.0 ? error : lacking;
    const auto direction = static_cast<float>((deciding > 0.0 ? 1.0 : 0.0) - (deciding < 0.0 ? 1.0 : 0.0));
    a[i] = to_odd(rounded, direction);
  }
}

template <bool Max, bool Nan, bool XorSign>
void pick_extreme(float* a, const float* b, const float*) noexcept {
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) a[i] = extreme<Max, Nan, XorSign>(a[i], b[i]);
}

// abs and neg touch bits alone, but for NaN and .ftz.
template <class Format, bool Ftz, bool Absolute>
inline __attribute__((always_inline)) std::uint32_t change_sign(std::uint32_t half) {
  const std::uint32_t bits = Ftz ? flush_bits<Format>(half) : half;
  return settle_sign_op(Absolute ? bits & 0x7fffu : bits ^ 0x8000u, Format::infinity);
}
template <class Format, bool Ftz, bool Absolute>
constexpr auto change_signs = [](std::uint32_t pair) {
  return change_sign<Format, Ftz, Absolute>(pair & 0xffffu) | change_sign<Format, Ftz, Absolute>(pair >> 16) << 16;
};

// Adds the rows of a lone half and of a pair.
void add_both(OpcodeTable& table, std::string_view name, std::string_view type, unsigned sources, Handler handler) {
  constexpr const char* lone[] = {"", "=b16 b16", "=b16 b16 b16", "=b16 b16 b16 b16"};
  constexpr const char* pair[] = {"", "=b32 b32", "=b32 b32 b32", "=b32 b32 b32 b32"};
  add_row(table, {name, type}, lone[sources], handler);
  add_row(table, {name, joined({type, "x2"}, "")}, pair[sources], handler);
}

template <bool IsBf16, bool Ftz, Finish How>
void add_sums(OpcodeTable& table, std::string_view type) {
  const std::string modifiers = joined({Ftz ? "ftz" : "", How == Finish::saturate ? "sat" : ""});
  for (const std::string_view rounding : {"", "rn"}) {
    add_both(table, joined({"add", rounding, modifiers}), type, 2, halves<add, IsBf16, Ftz, How, 2>);
    add_both(table, joined({"sub", rounding, modifiers}), type, 2, halves<sub, IsBf16, Ftz, How, 2>);
    add_both(table, joined({"mul", rounding, modifiers}), type, 2, halves<mul, IsBf16, Ftz, How, 2>);
  }
}

template <bool IsBf16, bool Ftz, Finish How>
void add_fma(OpcodeTable& table, std::string_view type) {
  const std::string_view finish = How == Finish::saturate ? "sat" : How == Finish::relu ? "relu" : "";
  add_both(table, joined({"fma.rn", Ftz ? "ftz" : "", finish}), type, 3, halves < IsBf16 ? fma_bf16 : fma_f16, IsBf16,
           Ftz, How, 3 >);
}

template <bool IsBf16, bool Ftz, bool Max, bool Nan, bool XorSign>
void add_extreme(OpcodeTable& table, std::string_view type) {
  add_both(table, joined({Max ? "max" : "min", Ftz ? "ftz" : "", Nan ? "NaN" : "", XorSign ? "xorsign.abs" : ""}), type,
           2, halves<pick_extreme<Max, Nan, XorSign>, IsBf16, Ftz, Finish::none, 2>);
}

template <bool IsBf16, bool Ftz, bool Max>
void add_extremes(OpcodeTable& table, std::string_view type) {
  add_extreme<IsBf16, Ftz, Max, false, false>(table, type);
  add_extreme<IsBf16, Ftz, Max, true, false>(table, type);
  add_extreme<IsBf16, Ftz, Max, false, true>(table, type);
  add_extreme<IsBf16, Ftz, Max, true, true>(table, type);
}

template <class Format, bool Ftz>
void add_sign_ops(OpcodeTable& table, std::string_view type) {
  using Pair = std::uint32_t;
  const std::string_view ftz = Ftz ? "ftz" : "";
  add_both(table, joined({"abs", ftz}), type, 1, map_lanes<change_signs<Format, Ftz, true>, Pair, Pair>);
  add_both(table, joined({"neg", ftz}), type, 1, map_lanes<change_signs<Format, Ftz, false>, Pair, Pair>);
}

}  // namespace

void add_half_rows(OpcodeTable& table) {
  add_sums<false, false, Finish::none>(table, "f16");
  add_sums<false, true, Finish::none>(table, "f16");
  add_sums<false, false, Finish::saturate>(table, "f16");
  add_sums<false, true, Finish::saturate>(table, "f16");
  add_sums<true, false, Finish::none>(table, "bf16");
  add_fma<false, false, Finish::none>(table, "f16");
  add_fma<false, true, Finish::none>(table, "f16");
  add_fma<false, false, Finish::saturate>(table, "f16");
  add_fma<false, true, Finish::saturate>(table, "f16");
  add_fma<false, false, Finish::relu>(table, "f16");
  add_fma<false, true, Finish::relu>(table, "f16");
  add_fma<true, false, Finish::none>(table, "bf16");
  add_fma<true, false, Finish::relu>(table, "bf16");
  add_extremes<false, false, false>(table, "f16");
  add_extremes<false, false, true>(table, "f16");
  add_extremes<false, true, false>(table, "f16");
  add_extremes<false, true, true>(table, "f16");
  add_extremes<true, false, false>(table, "bf16");
  add_extremes<true, false, true>(table, "bf16");
  add_sign_ops<F16, false>(table, "f16");
  add_sign_ops<F16, true>(table, "f16");
  add_sign_ops<Bf16, false>(table, "bf16");
}

}  // namespace emulator::EMULATOR_ISA
