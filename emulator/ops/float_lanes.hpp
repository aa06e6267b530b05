// SPDX-License-Identifier: Apache-2.0
// What the float op files share: flushing, saturation, handlers with a settled environment, spellings of rows.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "decode/opcode_table.hpp"
#include "ops/float_environment.hpp"
#include "ops/lanes.hpp"
#include "ops/nan_rules.hpp"

namespace emulator::EMULATOR_ISA {

/// The value where `keep` holds, else zero of its sign. An AND with a mask, since compilers' blends take longer.
inline __attribute__((always_inline)) float value_or_zero(float value, bool keep) {
  const auto mask = static_cast<std::uint32_t>(-static_cast<std::int32_t>(keep)) | 0x80000000u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & mask);
}

/// Subnormals become zero of the same sign.
inline __attribute__((always_inline)) float flush(float value) {
  return value_or_zero(value, static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(value) & 0x7f800000u) > 0);
}

/// An operand as the op sees it.
template <bool Ftz>
inline __attribute__((always_inline)) float read_f32(float value) {
  return Ftz ? flush(value) : value;
}

/// Into [0, 1]; NaN and -0 become +0.
template <class T>
inline __attribute__((always_inline)) T saturate(T value) {
  const T above = value < T{1} ? value : T{1};
  return value > T{0} ? above : T{0};
}

/// A result as the op leaves it.
template <bool Ftz, bool Sat = false>
inline __attribute__((always_inline)) float write_f32(float value) {
  const float flushed = Ftz ? flush(value) : value;
  return Sat ? saturate(flushed) : settle_nan(flushed);
}

/// Results are flushed that are below the smallest normal when rounded as if exponents had no end, even if as a
/// subnormal they would have been rounded up to it. So the op is done again on operands scaled by this, and the
/// outcome is looked at.
inline constexpr float tiny_scale = 0x1p32f;

/// Zero of the sign of `value` where the scaled outcome is below the scaled smallest normal.
inline __attribute__((always_inline)) float flush_tiny(float value, float scaled) {
  const auto magnitude = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(scaled) & 0x7fffffffu);
  return value_or_zero(value, magnitude >= std::bit_cast<std::int32_t>(0x1p-126f * tiny_scale));
}

/// Whether F(sources...) holds in some lane.
template <auto F, class... Sources>
inline __attribute__((always_inline)) bool any_lane(const Sources*... source) {
  std::uint64_t found = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) found |= F(source[lane]...) ? ~std::uint64_t{0} : 0u;
  return found != 0;
}

/// map_lanes in the environment that PTX has.
template <auto F, class Destination, class... Sources>
Outcome map_floats(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const NearestScope scope;
  return map_lanes<F, Destination, Sources...>(warp, op, mask);
}

/// One small loop that blends whatever the mask is.
template <auto F, class Destination, class... Sources>
inline __attribute__((always_inline)) void blend_pointers(Stored<Destination>* destination, LaneMask mask,
                                                          const Stored<Sources>*... source) {
  using Bits = std::conditional_t<sizeof(Stored<Destination>) == 8, std::uint64_t, std::uint32_t>;
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const auto value = static_cast<Stored<Destination>>(F(from_stored<Sources>(source[lane])...));
    destination[lane] = (mask & lane_bits<Bits>.bit[lane]) != 0 ? value : destination[lane];
  }
}

/// map_floats with that loop, for rows that are not frequent: a tenth of the code, a few nanoseconds more.
template <auto F, class Destination, class... Sources>
Outcome map_floats_compactly(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const NearestScope scope;
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    blend_pointers<F, Destination, Sources...>(lane_values<Stored<Destination>>(warp, op.operand[0]), mask,
                                               lane_values<Stored<Sources>>(warp, op.operand[I + 1])...);
  }
  (std::index_sequence_for<Sources...>{});
  return Outcome::next;
}

/// A handler of f64: F does the arithmetic, Settled is F with NaN settled. NaN is rare, and settling takes longer
/// than most arithmetic, so that looking for one first pays.
template <auto F, auto Settled, class... Sources>
Outcome map_doubles(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const NearestScope scope;
  constexpr auto is_nan = [](Sources... source) {
    const double value = F(source...);
    return value != value;
  };
  const bool any = [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return any_lane<is_nan, Sources...>(lane_values<Sources>(warp, op.operand[I + 1])...);
  }
  (std::index_sequence_for<Sources...>{});
  if (__builtin_expect(any, 0)) return map_lanes<Settled, double, Sources...>(warp, op, mask);
  return map_lanes<F, double, Sources...>(warp, op, mask);
}

/// The parts that are not empty, with `between` between them.
std::string joined(std::initializer_list<std::string_view> parts, std::string_view between = ".");

/// Adds a row whose spelling is the parts joined by dots.
void add_row(OpcodeTable& table, std::initializer_list<std::string_view> parts, const char* signature, Handler handler);

}  // namespace emulator::EMULATOR_ISA
