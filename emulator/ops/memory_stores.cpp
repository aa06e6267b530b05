// SPDX-License-Identifier: Apache-2.0
// st of global, shared and generic memory. Operands: elements 0..3, base address 4, Op::immediate = displacement.
// Rows "st.shared.a32..." take the base as a 32-bit register. Where lanes write one place, the highest lane wins.
#include "ops/memory_lanes.hpp"
#include "ops/memory_rows.hpp"
#include "ops/memory_vectors.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

template <class Element, unsigned count>
struct StoredRegisters {
  const Register<Element>* element[count];
  StoredRegisters(Warp& warp, const Op& op) {
    for (unsigned i = 0; i < count; ++i) element[i] = lane_values<Register<Element>>(warp, op.operand[i]);
  }
};

/// A full warp inside one allocation. False: nothing was stored.
template <class Memory, class Element, unsigned count>
inline __attribute__((always_inline)) bool store_full(Warp& warp, const Op& op) {
  using Address = typename Memory::Address;
  constexpr unsigned total = sizeof(Element) * count;
  const auto* base = lane_values<Address>(warp, op.operand[4]);
  const auto displacement = static_cast<Address>(op.immediate);
  const StoredRegisters<Element, count> registers(warp, op);
  const Reach reach = Memory::reach(warp, base[0] + displacement, true);
  PiecePlaces places;
  if (base[1] - base[0] == total && pieces_rise<total>(base)) {
    if (!place_pieces(reach, base, displacement, piece_lanes * total, total, places)) return false;
#pragma GCC unroll 4
    for (unsigned piece = 0; piece < pieces; ++piece) {
      auto* destination = places.at<Element>(piece);
      const Register<Element>* source[count];
      for (unsigned i = 0; i < count; ++i) source[i] = registers.element[i] + piece * piece_lanes;
      if constexpr (count > 1) {
        put_together<count, piece_lanes>(source, destination);
      } else if constexpr (sizeof(Element) >= 4) {
        std::memcpy(destination, source[0], piece_lanes * sizeof(Element));
      } else {
#pragma GCC ivdep
        for (unsigned lane = 0; lane < piece_lanes; ++lane) destination[lane] = static_cast<Element>(source[0][lane]);
      }
    }
    return true;
  }
  if (!lanes_within(reach, base, displacement, total)) return false;
#pragma GCC unroll 4
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const Address address = base[lane] + displacement;
    auto* destination = reinterpret_cast<Element*>(reach.host + (address - reach.begin));
    for (unsigned i = 0; i < count; ++i) destination[i] = static_cast<Element>(registers.element[i][lane]);
  }
  return true;
}

/// Lane by lane, with every check. With `ordered` each element is written for other threads' acquire or volatile loads.
template <class Element, unsigned count, bool ordered>
__attribute__((noinline)) Outcome store_lanes(Warp& warp, const Op& op, LaneMask mask, Addressing from) noexcept {
  std::byte* host[warp_size];
  const LaneAccess access{from.space, sizeof(Element) * count, false, true};
  if (!place_lanes(warp, op, mask, from, access, host)) return Outcome::fault;
  const StoredRegisters<Element, count> registers(warp, op);
  for_each_lane(mask, [&](unsigned lane) {
    auto* destination = reinterpret_cast<Element*>(host[lane]);
    for (unsigned i = 0; i < count; ++i) {
      const auto value = static_cast<Element>(registers.element[i][lane]);
      if constexpr (ordered) {
        __atomic_store_n(destination + i, value, __ATOMIC_RELEASE);
      } else {
        destination[i] = value;
      }
    }
  });
  return Outcome::next;
}

/// Vectors of bytes and halves are too rare to be worth more code.
template <class Element, unsigned count>
inline constexpr bool has_fast_path = count == 1 || sizeof(Element) >= 4;

template <class Memory, class Element, unsigned count>
__attribute__((noinline)) Outcome store(Warp& warp, const Op& op, LaneMask mask) noexcept {
  if constexpr (Memory::space == Space::generic) {
    if (all_global(warp, op, mask)) return store<GlobalMemory, Element, count>(warp, op, mask);
  } else if constexpr (has_fast_path<Element, count>) {
    if (mask == every_lane && store_full<Memory, Element, count>(warp, op)) [[likely]]
      return Outcome::next;
  }
  return store_lanes<Element, count, false>(warp, op, mask, addressing<Memory>);
}

template <class Memory, class Element, unsigned count>
Outcome store_volatile(Warp& warp, const Op& op, LaneMask mask) noexcept {
  if constexpr (Memory::space == Space::shared) return store<Memory, Element, count>(warp, op, mask);
  return store_lanes<Element, count, true>(warp, op, mask, addressing<Memory>);
}

/// Adds the plain and the volatile row of one spelling.
void add_store(OpcodeTable& table, const RowName& name, Handler plain, Handler ordered) {
  table.add("st." + name.spelling(), name.signature(false), plain);
  table.add("st.volatile." + name.spelling(), name.signature(false), ordered);
}

template <class Memory, class Element, unsigned count>
void add_element(OpcodeTable& table, const char* space, const char* type) {
  add_store(table, {space, count, type, 8 * sizeof(Register<Element>), 8 * sizeof(typename Memory::Address)},
            store<Memory, Element, count>, store_volatile<Memory, Element, count>);
}

template <class Memory, unsigned count>
void add_stores_of_count(OpcodeTable& table, const char* space) {
  add_element<Memory, std::uint8_t, count>(table, space, "b8");
  add_element<Memory, std::uint16_t, count>(table, space, "b16");
  add_element<Memory, std::uint32_t, count>(table, space, "b32");
  if constexpr (count < 4) add_element<Memory, std::uint64_t, count>(table, space, "b64");
}

template <class Memory>
void add_stores(OpcodeTable& table, const char* space) {
  add_stores_of_count<Memory, 1>(table, space);
  add_stores_of_count<Memory, 2>(table, space);
  add_stores_of_count<Memory, 4>(table, space);
}

}  // namespace

void add_store_rows(OpcodeTable& table) {
  add_stores<GlobalMemory>(table, "global");
  add_stores<GenericMemory>(table, "generic");
  add_stores<SharedMemory<std::uint64_t>>(table, "shared");
  add_stores<SharedMemory<std::uint32_t>>(table, "shared.a32");
}

}  // namespace emulator::EMULATOR_ISA
