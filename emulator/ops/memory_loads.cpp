// SPDX-License-Identifier: Apache-2.0
// ld of global, shared and generic memory. Operands: elements 0..3, base address 4, Op::immediate = displacement.
// Rows "ld.shared.a32..." take the base as a 32-bit register.
#include "machine/groups.hpp"
#include "ops/memory_lanes.hpp"
#include "ops/memory_rows.hpp"
#include "ops/memory_vectors.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

template <class Element, unsigned count>
struct LoadedRegisters {
  Register<Element>* element[count];
  LoadedRegisters(Warp& warp, const Op& op) {
    for (unsigned i = 0; i < count; ++i) element[i] = lane_values<Register<Element>>(warp, op.operand[i]);
  }
};

/// Copies pieces whose lanes lie side by side.
template <class Element, unsigned count>
inline __attribute__((always_inline)) void load_pieces(const PiecePlaces& places,
                                                       const LoadedRegisters<Element, count>& registers) {
#pragma GCC unroll 4
  for (unsigned piece = 0; piece < pieces; ++piece) {
    const auto* source = places.at<const Element>(piece);
    Register<Element>* destination[count];
    for (unsigned i = 0; i < count; ++i) destination[i] = registers.element[i] + piece * piece_lanes;
    if constexpr (count > 1) {
      take_apart<count, piece_lanes>(source, destination);
    } else if constexpr (sizeof(Element) >= 4) {
      std::memcpy(destination[0], source, piece_lanes * sizeof(Element));
    } else {
#pragma GCC ivdep
      for (unsigned lane = 0; lane < piece_lanes; ++lane) destination[0][lane] = source[lane];
    }
  }
}

/// Spreads one element over each piece whose lanes all look at one place.
template <class Element, unsigned count>
inline __attribute__((always_inline)) void load_broadcasts(const PiecePlaces& places,
                                                           const LoadedRegisters<Element, count>& registers) {
#pragma GCC unroll 4
  for (unsigned piece = 0; piece < pieces; ++piece) {
    const auto* source = places.at<const Element>(piece);
    for (unsigned i = 0; i < count; ++i) {
      fill_piece<Register<Element>>(registers.element[i] + piece * piece_lanes, source[i]);
    }
  }
}

/// All lanes, each anywhere in reach. A destination may be the base register itself: each lane's address is read
/// before it is overwritten.
template <class Address, class Element, unsigned count>
inline __attribute__((always_inline)) void load_scattered(const Reach& reach, const Address* base, Address displacement,
                                                          const LoadedRegisters<Element, count>& registers) {
#pragma GCC unroll 4
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const Address address = base[lane] + displacement;
    const auto* source = reinterpret_cast<const Element*>(reach.host + (address - reach.begin));
    for (unsigned i = 0; i < count; ++i) registers.element[i][lane] = source[i];
  }
}

/// A full warp inside one allocation. False: nothing was loaded.
template <class Memory, class Element, unsigned count>
inline __attribute__((always_inline)) bool load_full(Warp& warp, const Op& op) {
  using Address = typename Memory::Address;
  constexpr unsigned total = sizeof(Element) * count;
  const auto* base = lane_values<Address>(warp, op.operand[4]);
  const auto displacement = static_cast<Address>(op.immediate);
  const LoadedRegisters<Element, count> registers(warp, op);
  const Reach reach = Memory::reach(warp, base[0] + displacement, false);
  const Address step = base[1] - base[0];
  PiecePlaces places;
  if (step == total && pieces_rise<total>(base)) {
    if (!place_pieces(reach, base, displacement, piece_lanes * total, total, places)) return false;
    load_pieces(places, registers);
    return true;
  }
  if (step == 0 && pieces_rise<0>(base)) {
    if (!place_pieces(reach, base, displacement, total, total, places)) return false;
    load_broadcasts(places, registers);
    return true;
  }
  if (!lanes_within(reach, base, displacement, total)) return false;
  load_scattered(reach, base, displacement, registers);
  return true;
}

/// Lane by lane, with every check. With `ordered` each element is read as another thread's release or volatile store
/// left it.
template <class Element, unsigned count, bool ordered>
__attribute__((noinline)) Outcome load_lanes(Warp& warp, const Op& op, LaneMask mask, Addressing from) noexcept {
  std::byte* host[warp_size];
  const LaneAccess access{from.space, sizeof(Element) * count, true, false};
  if (!place_lanes(warp, op, mask, from, access, host)) return Outcome::fault;
  const LoadedRegisters<Element, count> registers(warp, op);
  for_each_lane(mask, [&](unsigned lane) {
    const auto* source = reinterpret_cast<const Element*>(host[lane]);
    for (unsigned i = 0; i < count; ++i) {
      registers.element[i][lane] = ordered ? __atomic_load_n(source + i, __ATOMIC_ACQUIRE) : source[i];
    }
  });
  return Outcome::next;
}

/// Vectors of bytes and halves are too rare to be worth more code.
template <class Element, unsigned count>
inline constexpr bool has_fast_path = count == 1 || sizeof(Element) >= 4;

template <class Memory, class Element, unsigned count>
__attribute__((noinline)) Outcome load(Warp& warp, const Op& op, LaneMask mask) noexcept {
  if constexpr (Memory::space == Space::generic) {
    if (all_global(warp, op, mask)) return load<GlobalMemory, Element, count>(warp, op, mask);
  } else if constexpr (has_fast_path<Element, count>) {
    if (mask == every_lane && load_full<Memory, Element, count>(warp, op)) [[likely]]
      return Outcome::next;
  }
  return load_lanes<Element, count, false>(warp, op, mask, addressing<Memory>);
}

/// Shared memory belongs to one worker: a volatile load of it is a plain one that gives other groups a chance.
template <class Memory, class Element, unsigned count>
Outcome load_volatile(Warp& warp, const Op& op, LaneMask mask) noexcept {
  spend_budget(warp, 1);
  if constexpr (Memory::space == Space::shared) return load<Memory, Element, count>(warp, op, mask);
  return load_lanes<Element, count, true>(warp, op, mask, addressing<Memory>);
}

/// Extends what the load of an unsigned element left in the lanes of `mask`.
template <class Element>
__attribute__((noinline)) void extend_signs(Warp& warp, std::uint32_t operand, LaneMask mask) {
  auto* value = lane_values<std::uint32_t>(warp, operand);
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const auto extended = static_cast<std::uint32_t>(std::int32_t{static_cast<Element>(value[lane])});
    value[lane] = (mask & lane_bits<std::uint32_t>.bit[lane]) != 0 ? extended : value[lane];
  }
}

template <class Element, unsigned count, Handler load_unsigned>
Outcome load_signed(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const Outcome outcome = load_unsigned(warp, op, mask);
  if (outcome != Outcome::next) return outcome;
  for (unsigned i = 0; i < count; ++i) extend_signs<Element>(warp, op.operand[i], mask);
  return outcome;
}

/// Adds the plain and the volatile row of one spelling.
void add_load(OpcodeTable& table, const RowName& name, Handler plain, Handler ordered) {
  table.add("ld." + name.spelling(), name.signature(true), plain);
  table.add("ld.volatile." + name.spelling(), name.signature(true), ordered);
}

template <class Memory, class Element, unsigned count>
void add_element(OpcodeTable& table, const char* space, const char* type, const char* signed_type) {
  constexpr unsigned base_bits = 8 * sizeof(typename Memory::Address);
  constexpr unsigned register_bits = 8 * sizeof(Register<Element>);
  const Handler plain = load<Memory, Element, count>;
  const Handler ordered = load_volatile<Memory, Element, count>;
  add_load(table, {space, count, type, register_bits, base_bits}, plain, ordered);
  if constexpr (sizeof(Element) == 4) {
    add_load(table, {space, count, signed_type, register_bits, base_bits}, plain, ordered);
  } else if constexpr (sizeof(Element) < 4) {
    using Signed = std::make_signed_t<Element>;
    add_load(table, {space, count, signed_type, register_bits, base_bits},
             load_signed<Signed, count, load<Memory, Element, count>>,
             load_signed<Signed, count, load_volatile<Memory, Element, count>>);
  }
}

template <class Memory, unsigned count>
void add_loads_of_count(OpcodeTable& table, const char* space) {
  add_element<Memory, std::uint8_t, count>(table, space, "b8", "s8");
  add_element<Memory, std::uint16_t, count>(table, space, "b16", "s16");
  add_element<Memory, std::uint32_t, count>(table, space, "b32", "s32");
  if constexpr (count < 4) add_element<Memory, std::uint64_t, count>(table, space, "b64", "");
}

template <class Memory>
void add_loads(OpcodeTable& table, const char* space) {
  add_loads_of_count<Memory, 1>(table, space);
  add_loads_of_count<Memory, 2>(table, space);
  add_loads_of_count<Memory, 4>(table, space);
}

}  // namespace

void add_load_rows(OpcodeTable& table) {
  add_loads<GlobalMemory>(table, "global");
  add_loads<GenericMemory>(table, "generic");
  add_loads<SharedMemory<std::uint64_t>>(table, "shared");
  add_loads<SharedMemory<std::uint32_t>>(table, "shared.a32");
}

}  // namespace emulator::EMULATOR_ISA
