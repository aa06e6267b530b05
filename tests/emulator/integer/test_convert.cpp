// SPDX-License-Identifier: Apache-2.0
// cvt between all integer types, with and without saturation; cvt.pack.
#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

const std::vector<Type> types = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
                                 {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

/// Every value of narrow types; of wide ones the edges of all types, so that each limit is passed on both sides.
Inputs values_of(const Type& type) {
  std::vector<std::uint64_t> values;
  if (type.bits <= 16) {
    for (std::uint64_t value = 0; value < (std::uint64_t{1} << type.bits); ++value) values.push_back(value);
  } else {
    for (const unsigned bits : {8u, 16u, 32u, 64u}) {
      for (const std::uint64_t value : edges(bits)) {
        values.push_back(low(value, type.bits));
        values.push_back(low(~value, type.bits));
        values.push_back(low(0 - value, type.bits));
      }
    }
  }
  return combinations({values});
}

TEST(IntegerConvert, ValuesAreTruncatedOrExtended) {
  for (const Type& from : types) {
    for (const Type& to : types) {
      check("cvt." + to.name + "." + from.name, values_of(from),
            [&](const Input& in) { return bits_of(value_of(in[0], from), to.bits); });
    }
  }
}

TEST(IntegerConvert, SaturationStopsAtTheEndsOfTheDestination) {
  for (const Type& from : types) {
    for (const Type& to : types) {
      check("cvt.sat." + to.name + "." + from.name, values_of(from),
            [&](const Input& in) { return saturated(value_of(in[0], from), to); });
    }
  }
}

TEST(IntegerConvert, NarrowResultsLieExtendedInTheirSlot) {
  for (const Type& from : types) {
    for (const Type& to : types) {
      if (to.bits >= 32) continue;
      for (const char* saturation : {"", "sat."}) {
        const std::string spelling = std::string("cvt.") + saturation + to.name + "." + from.name;
        for (const Variant* variant : variants()) {
          Instruction instruction(*variant, spelling);
          const Inputs inputs = values_of(from);
          for (std::size_t index = 0; index < inputs.lanes.size(); index += inputs.lanes.size() / 16) {
            instruction.set(1, all_lanes(inputs.lanes[index][0]));
            instruction.run(every_lane);
            const std::uint64_t value = instruction.get(0)[9];
            ASSERT_EQ(instruction.whole_slot(0, 9), bits_of(value_of(value, to), 32))
                << variant->name << " " << spelling;
          }
        }
      }
    }
  }
}

TEST(IntegerConvert, PackSaturatesEachPartAndPutsTheFirstAboveTheSecond) {
  const Type s32{"s32", 32, true};
  for (const unsigned bits : {16u, 8u, 4u, 2u}) {
    for (const bool is_signed : {false, true}) {
      const Type part{(is_signed ? "s" : "u") + std::to_string(bits), bits, is_signed};
      const auto packed = [&](const Input& in) {
        return saturated(value_of(in[0], s32), part) << bits | saturated(value_of(in[1], s32), part);
      };
      std::vector<std::uint64_t> values = edges(32);
      for (std::uint64_t value = 0; value < 20; ++value) values.push_back(low(value - 10, 32));
      if (bits == 16) {
        check("cvt.pack.sat." + part.name + ".s32", combinations({values, values}), packed);
      } else {
        check("cvt.pack.sat." + part.name + ".s32.b32", combinations({values, values, {0, 0xffffffffu, 0x12345678u}}),
              [&](const Input& in) { return low(in[2] << (2 * bits), 32) | packed(in); });
      }
    }
  }
}

}  // namespace
}  // namespace emulator::integer_tests
