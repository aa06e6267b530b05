// SPDX-License-Identifier: Apache-2.0
// How loads and stores of a whole warp find out that they can go fast: pieces of eight lanes side by side or at one
// place, else lane by lane after one check of all. Whatever fits none of that goes to resolve_lanes, which knows
// every fault.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "machine/warp.hpp"
#include "memory/lane_access.hpp"
#include "ops/lanes.hpp"

namespace emulator::EMULATOR_ISA {

/// Lanes that are looked at together: tiles that are 8, 16 or 32 threads wide all have this regularity.
inline constexpr unsigned piece_lanes = 8;
inline constexpr unsigned pieces = warp_size / piece_lanes;

/// Memory that a warp may touch without asking further; size 0: ask resolve_lanes.
struct Reach {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::byte* host = nullptr;
  std::uint64_t stride = 0;  ///< from lane to lane, where each has its own
};

/// The allocation at an address, from the warp's cache where it is there.
inline __attribute__((always_inline)) Reach global_reach(Warp& warp, std::uint64_t address, bool writes) {
  const AddressCache* cache = &warp.cache;
  if (address - cache->begin >= cache->size) cache = meet_allocation(warp, address);
  if (cache == nullptr || (writes && !cache->writable)) return {};
  return {cache->begin, cache->size, cache->host, 0};
}

/// ld.global and its kin.
struct GlobalMemory {
  using Address = std::uint64_t;
  static constexpr Space space = Space::global;
  static __attribute__((always_inline)) Reach reach(Warp& warp, std::uint64_t address, bool writes) {
    return global_reach(warp, address, writes);
  }
};

/// ld.shared and its kin: with a 64-bit base, or a 32-bit one as compilers for 32-bit shared addresses write it.
template <class BaseAddress>
struct SharedMemory {
  using Address = BaseAddress;
  static constexpr Space space = Space::shared;
  static __attribute__((always_inline)) Reach reach(Warp& warp, std::uint64_t, bool) {
    const Block& block = *warp.block;
    return {0, block.shared_written == nullptr ? block.shared_bytes : 0, block.shared, 0};
  }
};

/// Generic addresses: those that are global go to that handler, the others lane by lane.
struct GenericMemory {
  using Address = std::uint64_t;
  static constexpr Space space = Space::generic;
};

// Written with vectors as wide as the variant has them: left to itself the compiler takes three times as long.
#if defined(__AVX2__)
inline constexpr unsigned vector_bytes = 32;
#else
inline constexpr unsigned vector_bytes = 16;
#endif

/// Some lanes' addresses or values.
template <class Address>
struct LaneVector {
  typedef Address Type __attribute__((vector_size(vector_bytes), may_alias));
  static constexpr unsigned lanes = vector_bytes / sizeof(Address);

  static __attribute__((always_inline)) const Type* at(const Address* base) {
    return reinterpret_cast<const Type*>(base);
  }
  /// All elements' bits in one.
  static __attribute__((always_inline)) Address folded(const Type& bits) {
    Address any = 0;
#pragma GCC unroll 8
    for (unsigned i = 0; i < lanes; ++i) any |= bits[i];
    return any;
  }
};

/// Writes one value to the lanes of a piece.
template <class Register>
inline __attribute__((always_inline)) void fill_piece(Register* destination, Register value) {
  using Vector = LaneVector<Register>;
  const typename Vector::Type values = typename Vector::Type{} + value;
#pragma GCC unroll 4
  for (unsigned lane = 0; lane < piece_lanes; lane += Vector::lanes) {
    std::memcpy(destination + lane, &values, sizeof(values));
  }
}

/// Whether every piece's addresses go up by `step` from its first lane's.
template <unsigned step, class Address>
inline __attribute__((always_inline)) bool pieces_rise(const Address* base) {
  using Vector = LaneVector<Address>;
  using Type = typename Vector::Type;
  Type ramp = {};
#pragma GCC unroll 8
  for (unsigned i = 0; i < Vector::lanes; ++i) ramp[i] = Address{i} * step;
  Type differing = {};
#pragma GCC unroll 16
  for (unsigned lane = 0; lane < warp_size; lane += Vector::lanes) {
    const Address first = base[lane / piece_lanes * piece_lanes] + Address{lane % piece_lanes} * step;
    differing |= *Vector::at(base + lane) ^ (ramp + first);
  }
  return Vector::folded(differing) == 0;
}

/// Where the pieces of a regular access begin.
struct PiecePlaces {
  std::byte* host = nullptr;
  std::uint64_t offset[pieces];

  template <class Element>
  [[nodiscard]] __attribute__((always_inline)) Element* at(unsigned piece) const {
    return reinterpret_cast<Element*>(host + offset[piece]);
  }
};

/// Checks pieces of `bytes` each; false sends the access to resolve_lanes.
template <class Address>
inline __attribute__((always_inline)) bool place_pieces(const Reach& reach, const Address* base, Address displacement,
                                                        std::uint64_t bytes, std::uint64_t alignment,
                                                        PiecePlaces& places) {
  if (reach.size < bytes) return false;
  const std::uint64_t limit = reach.size - bytes;
  std::uint64_t low_bits = 0;
  bool inside = true;
  places.host = reach.host;
#pragma GCC unroll 4
  for (unsigned piece = 0; piece < pieces; ++piece) {
    const Address address = base[piece * piece_lanes] + displacement;
    const std::uint64_t offset = address - reach.begin;
    low_bits |= address;
    inside &= offset <= limit;
    places.offset[piece] = offset;
  }
  return inside && (low_bits & (alignment - 1)) == 0;
}

/// Whether each lane's `bytes` lie in reach, aligned to their size.
template <class Address>
inline __attribute__((always_inline)) bool lanes_within(const Reach& reach, const Address* base, Address displacement,
                                                        std::uint32_t bytes) {
  using Signed = std::make_signed_t<Address>;
  if (reach.size < bytes) return false;
  const auto limit = static_cast<Address>(reach.size - bytes);
  const auto begin = static_cast<Address>(reach.begin);
  using Vector = LaneVector<Address>;
  typename Vector::Type low_bits = {};
  typename Vector::Type outside = {};  // its top bits: limit and sizes are far below them
#pragma GCC unroll 16
  for (unsigned lane = 0; lane < warp_size; lane += Vector::lanes) {
    const auto address = *Vector::at(base + lane) + displacement;
    const auto offset = address - begin;
    low_bits |= address;
    outside |= offset | (limit - offset);
  }
  return (Vector::folded(low_bits) & (bytes - 1)) == 0 && static_cast<Signed>(Vector::folded(outside)) >= 0;
}

/// How an instruction names its memory. Handlers that are not worth a copy per space take it at run time.
struct Addressing {
  Space space = Space::global;
  bool narrow = false;  ///< the base is a 32-bit register
};

template <class Memory>
inline constexpr Addressing addressing{Memory::space, sizeof(typename Memory::Address) == 4};

/// Host addresses of all lanes in `mask`, after one check where they lie in one allocation; false with the fault
/// raised.
bool place_lanes(Warp& warp, const Op& op, LaneMask mask, Addressing from, const LaneAccess& access,
                 std::byte** host) noexcept;

/// Whether no lane's generic address is one of shared or local memory: the access then is a global one.
bool all_global(Warp& warp, const Op& op, LaneMask mask) noexcept;

/// Calls visit(lane) for the lanes of a mask, lowest first.
template <class Visit>
inline __attribute__((always_inline)) void for_each_lane(LaneMask mask, const Visit& visit) {
  if (mask == every_lane) {
    for (unsigned lane = 0; lane < warp_size; ++lane) visit(lane);
    return;
  }
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) visit(static_cast<unsigned>(std::countr_zero(rest)));
}

/// What a register holds after an element was loaded: narrow ones are extended to 32 bits by their sign.
template <class Element>
using Register = std::conditional_t<sizeof(Element) == 8, std::uint64_t, std::uint32_t>;

template <class Element>
inline __attribute__((always_inline)) Register<Element> extended(Element value) {
  if constexpr (std::is_signed_v<Element>) {
    return static_cast<Register<Element>>(static_cast<std::int32_t>(value));
  } else {
    return value;
  }
}

}  // namespace emulator::EMULATOR_ISA
