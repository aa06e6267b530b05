// SPDX-License-Identifier: Apache-2.0
// Reading and writing halves for all their handlers.
#include "ops/half_lanes.hpp"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "ops/float_lanes.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

template <class Format, bool Ftz>
void read_halves(const std::uint32_t* source, Halves& halves) noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t low = source[lane] & 0xffffu;
    const std::uint32_t high = source[lane] >> 16;
    halves.value[lane] = widen<Format>(Ftz ? flush_bits<Format>(low) : low);
    halves.value[warp_size + lane] = widen<Format>(Ftz ? flush_bits<Format>(high) : high);
  }
}

// Flushed is what is below the smallest normal when rounded as if exponents had no end: ties go up to it, being even.
template <class Format, bool Ftz>
inline __attribute__((always_inline)) std::uint32_t narrow_half(float value) {
  constexpr float smallest_kept = Format::mantissa_bits == 10 ? 0x1.ffep-15f : 0x1.ffp-127f;
  const float kept = Ftz && __builtin_fabsf(value) < smallest_kept ? __builtin_copysignf(0.0f, value) : value;
  return Format::mantissa_bits == 10 ? narrow_f16(kept) : narrow_bf16(kept);
}

template <class Format, bool Ftz>
void write_halves(std::uint32_t* destination, LaneMask mask, const Halves& halves) noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t bits =
        narrow_half<Format, Ftz>(halves.value[lane]) | narrow_half<Format, Ftz>(halves.value[warp_size + lane]) << 16;
    destination[lane] = (mask & lane_bits<LaneMask>.bit[lane]) != 0 ? bits : destination[lane];
  }
}

#if defined(__F16C__)
// The instruction keeps subnormals and makes signalling NaN quiet, which no op can tell.
template <>
void read_halves<F16, false>(const std::uint32_t* source, Halves& halves) noexcept {
  const __m256i low_half = _mm256_set1_epi32(0xffff);
  for (unsigned lane = 0; lane < warp_size; lane += 8) {
    const __m256i pairs = _mm256_load_si256(reinterpret_cast<const __m256i*>(source + lane));
    // Packing works within 128 bits: low and high halves come out as 4 + 4, and the permutation sorts them.
    const __m256i sorted = _mm256_permute4x64_epi64(
        _mm256_packus_epi32(_mm256_and_si256(pairs, low_half), _mm256_srli_epi32(pairs, 16)), 0xd8);
    _mm256_store_ps(halves.value + lane, _mm256_cvtph_ps(_mm256_castsi256_si128(sorted)));
    _mm256_store_ps(halves.value + warp_size + lane, _mm256_cvtph_ps(_mm256_extracti128_si256(sorted, 1)));
  }
}
#endif

void finish(Halves& halves, Finish how) noexcept {
  if (how == Finish::saturate) {
#pragma GCC ivdep
    for (float& value : halves.value) value = saturate(value);
  } else if (how == Finish::relu) {
#pragma GCC ivdep
    for (float& value : halves.value) value = value > 0.0f || value != value ? value : 0.0f;
  }
}

using Reader = void (*)(const std::uint32_t*, Halves&) noexcept;
using Writer = void (*)(std::uint32_t*, LaneMask, const Halves&) noexcept;
constexpr Reader readers[2][2] = {{read_halves<F16, false>, read_halves<F16, true>},
                                  {read_halves<Bf16, false>, read_halves<Bf16, true>}};
constexpr Writer writers[2][2] = {{write_halves<F16, false>, write_halves<F16, true>},
                                  {write_halves<Bf16, false>, write_halves<Bf16, true>}};

}  // namespace

Outcome run_halves(Warp& warp, const Op& op, LaneMask mask, HalfOp compute, HalfVariant variant) noexcept {
  const NearestScope scope;
  Halves sources[3];
  for (unsigned i = 0; i < variant.sources; ++i) {
    readers[variant.bf16][variant.ftz](lane_values<std::uint32_t>(warp, op.operand[i + 1]), sources[i]);
  }
  compute(sources[0].value, sources[1].value, sources[2].value);
  finish(sources[0], variant.finish);
  writers[variant.bf16][variant.ftz](lane_values<std::uint32_t>(warp, op.operand[0]), mask, sources[0]);
  return Outcome::next;
}

}  // namespace emulator::EMULATOR_ISA
