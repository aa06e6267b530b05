// SPDX-License-Identifier: Apache-2.0
// ld and st of local memory: each lane has its own, `local_stride` bytes behind its neighbour's. Operands as for the
// other spaces.
#include "machine/groups.hpp"
#include "ops/memory_lanes.hpp"
#include "ops/memory_rows.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

constexpr Addressing own{Space::local, false};

/// Lane 0's bytes where a full warp uses one offset, as it mostly does; null where it does not, or where the offset
/// is bad.
inline __attribute__((always_inline)) std::byte* common_place(const Warp& warp, const std::uint64_t* base,
                                                              std::uint64_t displacement, std::uint32_t size) {
  bool common = pieces_rise<0>(base);
  for (unsigned piece = 1; piece < pieces; ++piece) common &= base[piece * piece_lanes] == base[0];
  const Block& block = *warp.block;
  const std::uint64_t offset = base[0] + displacement;
  if (!common || block.local_bytes < size || offset > block.local_bytes - size || (offset & (size - 1)) != 0) {
    return nullptr;
  }
  return block.local + std::uint64_t{warp.index} * warp_size * block.local_stride + offset;
}

template <class Element, unsigned count>
Outcome load_local(Warp& warp, const Op& op, LaneMask mask) noexcept {
  constexpr unsigned total = sizeof(Element) * count;
  if (mask == every_lane) {
    const auto* base = lane_values<std::uint64_t>(warp, op.operand[4]);
    if (const std::byte* first = common_place(warp, base, op.immediate, total)) {
      const std::size_t stride = warp.block->local_stride;
      for (unsigned i = 0; i < count; ++i) {
        auto* destination = lane_values<Register<Element>>(warp, op.operand[i]);
        const std::byte* source = first + i * sizeof(Element);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          destination[lane] = extended(*reinterpret_cast<const Element*>(source + lane * stride));
        }
      }
      return Outcome::next;
    }
  }
  std::byte* host[warp_size];
  const LaneAccess access{Space::local, total, true, false};
  if (!place_lanes(warp, op, mask, own, access, host)) return Outcome::fault;
  for_each_lane(mask, [&](unsigned lane) {
    const auto* source = reinterpret_cast<const Element*>(host[lane]);
    for (unsigned i = 0; i < count; ++i) {
      lane_values<Register<Element>>(warp, op.operand[i])[lane] = extended(source[i]);
    }
  });
  return Outcome::next;
}

template <class Element, unsigned count>
Outcome store_local(Warp& warp, const Op& op, LaneMask mask) noexcept {
  constexpr unsigned total = sizeof(Element) * count;
  if (mask == every_lane) {
    const auto* base = lane_values<std::uint64_t>(warp, op.operand[4]);
    if (std::byte* first = common_place(warp, base, op.immediate, total)) {
      const std::size_t stride = warp.block->local_stride;
      for (unsigned i = 0; i < count; ++i) {
        const auto* source = lane_values<Register<Element>>(warp, op.operand[i]);
        std::byte* destination = first + i * sizeof(Element);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          *reinterpret_cast<Element*>(destination + lane * stride) = static_cast<Element>(source[lane]);
        }
      }
      return Outcome::next;
    }
  }
  std::byte* host[warp_size];
  const LaneAccess access{Space::local, total, false, true};
  if (!place_lanes(warp, op, mask, own, access, host)) return Outcome::fault;
  for_each_lane(mask, [&](unsigned lane) {
    auto* destination = reinterpret_cast<Element*>(host[lane]);
    for (unsigned i = 0; i < count; ++i) {
      destination[i] = static_cast<Element>(lane_values<Register<Element>>(warp, op.operand[i])[lane]);
    }
  });
  return Outcome::next;
}

template <class Element, unsigned count>
Outcome load_local_volatile(Warp& warp, const Op& op, LaneMask mask) noexcept {
  spend_budget(warp, 1);
  return load_local<Element, count>(warp, op, mask);
}

struct LocalHandlers {
  Handler load;
  Handler load_volatile;
  Handler store;  ///< null where the type only has loads
};

void add_local(OpcodeTable& table, const RowName& name, const LocalHandlers& handlers) {
  table.add("ld." + name.spelling(), name.signature(true), handlers.load);
  table.add("ld.volatile." + name.spelling(), name.signature(true), handlers.load_volatile);
  if (handlers.store == nullptr) return;
  table.add("st." + name.spelling(), name.signature(false), handlers.store);
  table.add("st.volatile." + name.spelling(), name.signature(false), handlers.store);
}

template <class Element, unsigned count>
void add_element(OpcodeTable& table, const char* type) {
  constexpr bool stores = std::is_unsigned_v<Element>;
  add_local(table, {"local", count, type, 8 * sizeof(Register<Element>), 64},
            {load_local<Element, count>, load_local_volatile<Element, count>,
             stores ? Handler{store_local<std::make_unsigned_t<Element>, count>} : nullptr});
}

template <unsigned count>
void add_locals_of_count(OpcodeTable& table) {
  add_element<std::uint8_t, count>(table, "b8");
  add_element<std::uint16_t, count>(table, "b16");
  add_element<std::uint32_t, count>(table, "b32");
  add_element<std::int32_t, count>(table, "s32");
  add_element<std::int8_t, count>(table, "s8");
  add_element<std::int16_t, count>(table, "s16");
  if constexpr (count < 4) add_element<std::uint64_t, count>(table, "b64");
}

}  // namespace

void add_local_rows(OpcodeTable& table) {
  add_locals_of_count<1>(table);
  add_locals_of_count<2>(table);
  add_locals_of_count<4>(table);
}

}  // namespace emulator::EMULATOR_ISA
