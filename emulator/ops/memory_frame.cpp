// SPDX-License-Identifier: Apache-2.0
// Parameters. ld.entry: Op::immediate = offset in the kernel's parameter buffer, one value for all lanes. ld.frame,
// st.frame: operand[4] = offset in the frame of lane 0's bytes, Op::aux = stride from lane to lane; the decoder has
// checked both.
#include <cstring>

#include "ops/memory_lanes.hpp"
#include "ops/memory_rows.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

template <class Value>
inline __attribute__((always_inline)) void spread(Value* destination, Value value, LaneMask mask) {
  if (mask == every_lane) {
#pragma GCC unroll 4
    for (unsigned piece = 0; piece < pieces; ++piece) fill_piece(destination + piece * piece_lanes, value);
    return;
  }
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask & lane_bits<Value>.bit[lane]) != 0 ? value : destination[lane];
  }
}

template <class Element, unsigned count>
Outcome load_entry(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const std::byte* source = warp.block->grid->parameters + op.immediate;
  for (unsigned i = 0; i < count; ++i) {
    Element value;
    std::memcpy(&value, source + i * sizeof(Element), sizeof(Element));
    spread(lane_values<Register<Element>>(warp, op.operand[i]), extended(value), mask | warp.idle);
  }
  return Outcome::next;
}

template <class Element, unsigned count>
Outcome load_frame(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const std::byte* source = warp.frame + op.operand[4];
  for (unsigned i = 0; i < count; ++i) {
    auto* destination = lane_values<Register<Element>>(warp, op.operand[i]);
    for_each_lane(mask, [&](unsigned lane) {
      Element value;
      std::memcpy(&value, source + std::size_t{lane} * op.aux + i * sizeof(Element), sizeof(Element));
      destination[lane] = extended(value);
    });
  }
  return Outcome::next;
}

template <class Element, unsigned count>
Outcome store_frame(Warp& warp, const Op& op, LaneMask mask) noexcept {
  std::byte* destination = warp.frame + op.operand[4];
  for (unsigned i = 0; i < count; ++i) {
    const auto* source = lane_values<Register<Element>>(warp, op.operand[i]);
    for_each_lane(mask, [&](unsigned lane) {
      const auto value = static_cast<Element>(source[lane]);
      std::memcpy(destination + std::size_t{lane} * op.aux + i * sizeof(Element), &value, sizeof(Element));
    });
  }
  return Outcome::next;
}

struct ParameterHandlers {
  Handler load_entry;
  Handler load_frame;
  Handler store_frame;  ///< null where the type only has loads
};

void add_parameter(OpcodeTable& table, RowName name, const ParameterHandlers& handlers) {
  name.space = "entry";
  table.add("ld." + name.spelling(), name.signature(true), handlers.load_entry);
  name.space = "frame";
  table.add("ld." + name.spelling(), name.signature(true), handlers.load_frame);
  if (handlers.store_frame != nullptr) table.add("st." + name.spelling(), name.signature(false), handlers.store_frame);
}

template <class Element, unsigned count>
void add_element(OpcodeTable& table, const char* type) {
  constexpr bool stores = std::is_unsigned_v<Element>;
  add_parameter(table, {"", count, type, 8 * sizeof(Register<Element>), 0},
                {load_entry<Element, count>, load_frame<Element, count>,
                 stores ? Handler{store_frame<std::make_unsigned_t<Element>, count>} : nullptr});
}

template <unsigned count>
void add_parameters_of_count(OpcodeTable& table) {
  add_element<std::uint8_t, count>(table, "b8");
  add_element<std::uint16_t, count>(table, "b16");
  add_element<std::uint32_t, count>(table, "b32");
  add_element<std::int32_t, count>(table, "s32");
  add_element<std::int8_t, count>(table, "s8");
  add_element<std::int16_t, count>(table, "s16");
  if constexpr (count < 4) add_element<std::uint64_t, count>(table, "b64");
}

}  // namespace

void add_frame_rows(OpcodeTable& table) {
  add_parameters_of_count<1>(table);
  add_parameters_of_count<2>(table);
  add_parameters_of_count<4>(table);
}

}  // namespace emulator::EMULATOR_ISA
