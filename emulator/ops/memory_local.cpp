// SPDX-License-Identifier: Apache-2.0
// ld and st of local memory: each lane has its own, `local_stride` bytes behind its neighbour's. Operands as for the other spaces.
#include "machine/groups.hpp"
#include "ops/memory_lanes.hpp"
#include "ops/memory_rows.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

constexpr Addressing own{Space::local, false};

template <class Element, unsigned count>
Outcome load_local(Warp& warp, const Op& op, LaneMask mask) noexcept {
  std::byte* host[warp_size];
  const LaneAccess access{Space::local, sizeof(Element) * count, true, false};
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
  std::byte* host[warp_size];
  const LaneAccess access{Space::local, sizeof(Element) * count, false, true};
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
