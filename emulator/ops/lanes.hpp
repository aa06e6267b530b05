// SPDX-License-Identifier: Apache-2.0
// Turns a function of one lane into a handler: one loop over 32 lanes that the compiler vectorises, blended where the mask is partial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "machine/warp.hpp"

namespace emulator::EMULATOR_ISA {

/// The type an operand of type T is stored as: itself where it has 4 or 8 bytes, else uint32_t (readers truncate).
template <class T>
using Stored = std::conditional_t<sizeof(T) == 4 || sizeof(T) == 8, T, std::uint32_t>;

/// One lane's value from storage. Narrow values lose what lies above them.
template <class T>
inline __attribute__((always_inline)) T from_stored(Stored<T> value) {
  if constexpr (sizeof(T) >= 4) {
    return value;
  } else {
    return static_cast<T>(value);
  }
}

/// Each lane's bit of a mask, in elements as wide as what is blended: compilers turn a test against it into vector code
/// on every instruction set, which they do not for a shift by the lane.
template <class T>
struct LaneBits {
  T bit[warp_size];
  constexpr LaneBits() : bit{} {
    for (unsigned lane = 0; lane < warp_size; ++lane) bit[lane] = T{1} << lane;
  }
};
template <class T>
alignas(64) inline constexpr LaneBits<T> lane_bits{};

/// The loop of map_lanes over sources whose places in Op::operand are known.
template <auto F, class Destination, class... Sources>
inline __attribute__((always_inline)) void map_pointers(Stored<Destination>* destination, bool full, LaneMask mask,
                                                        const Stored<Sources>*... source) {
  if (full) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      destination[lane] = static_cast<Stored<Destination>>(F(from_stored<Sources>(source[lane])...));
    }
    return;
  }
  using Bits = std::conditional_t<sizeof(Stored<Destination>) == 8, std::uint64_t, std::uint32_t>;
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const auto value = static_cast<Stored<Destination>>(F(from_stored<Sources>(source[lane])...));
    destination[lane] = (mask & lane_bits<Bits>.bit[lane]) != 0 ? value : destination[lane];
  }
}

/// Handler of `operand[0] = F(operand[1], operand[2], ...)`. F must be harmless on any bits: inactive lanes are computed too.
template <auto F, class Destination, class... Sources>
Outcome map_lanes(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const bool full = (mask | warp.idle) == every_lane;
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    map_pointers<F, Destination, Sources...>(lane_values<Stored<Destination>>(warp, op.operand[0]), full, mask,
                                             lane_values<Stored<Sources>>(warp, op.operand[I + 1])...);
  }
  (std::index_sequence_for<Sources...>{});
  return Outcome::next;
}

/// The mask of lanes where function(sources...) holds; operands from `first` on. For setp and its kin.
template <auto F, class... Sources>
inline __attribute__((always_inline)) LaneMask test_lanes(const Sources*... source) {
  LaneMask bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    bits |= F(source[lane]...) ? lane_bits<LaneMask>.bit[lane] : 0u;
  }
  return bits;
}

}  // namespace emulator::EMULATOR_ISA
