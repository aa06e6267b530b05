// SPDX-License-Identifier: Apache-2.0
// mov, packing and unpacking, predicate logic.
#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

TEST(IntegerMove, MovCopiesBits) {
  for (const unsigned bits : {16u, 32u, 64u}) {
    check("mov.b" + std::to_string(bits), combinations({edges(bits)}), [](const Input& in) { return in[0]; });
  }
}

TEST(IntegerMove, PackPutsTheFirstElementLowest) {
  const std::vector<std::uint64_t> bytes = {0, 1, 0x7f, 0x80, 0xff};
  const std::vector<std::uint64_t> halves = {0, 0x1234, 0x8000, 0xffff};
  const std::vector<std::uint64_t> words = edges(32);
  check("mov.pack.2x8", combinations({bytes, bytes}), [](const Input& in) { return in[0] + in[1] * 0x100; });
  check("mov.pack.4x8", combinations({bytes, bytes, bytes, bytes}),
        [](const Input& in) { return in[0] + in[1] * 0x100 + in[2] * 0x10000 + in[3] * 0x1000000; });
  check("mov.pack.2x16", combinations({halves, halves}), [](const Input& in) { return in[0] + in[1] * 0x10000; });
  check("mov.pack.4x16", combinations({halves, halves, halves, halves}),
        [](const Input& in) { return in[0] + in[1] * 0x10000 + in[2] * 0x100000000u + in[3] * 0x1000000000000u; });
  check("mov.pack.2x32", combinations({words, words}), [](const Input& in) { return in[0] + in[1] * 0x100000000u; });
}

struct Unpacking {
  const char* spelling;
  unsigned elements;
  unsigned bits;
};

TEST(IntegerMove, UnpackGivesTheLowestElementFirst) {
  const Unpacking unpackings[] = {{"mov.unpack.2x8", 2, 8},
                                  {"mov.unpack.4x8", 4, 8},
                                  {"mov.unpack.2x16", 2, 16},
                                  {"mov.unpack.4x16", 4, 16},
                                  {"mov.unpack.2x32", 2, 32}};
  Lanes source;
  for (unsigned lane = 0; lane < warp_size; ++lane) source[lane] = 0x8877665544332211u + 0x0101010101010101u * lane;
  for (const Unpacking& unpacking : unpackings) {
    for (const Variant* variant : variants()) {
      Instruction instruction(*variant, unpacking.spelling);
      instruction.set(4, source);
      for (unsigned element = 0; element < unpacking.elements; ++element) instruction.set(element, all_lanes(9));
      instruction.run(0x00ffff00u);
      for (unsigned element = 0; element < unpacking.elements; ++element) {
        const Lanes values = instruction.get(element);
        EXPECT_EQ(values[8], low(source[8] >> (element * unpacking.bits), unpacking.bits)) << unpacking.spelling;
        EXPECT_EQ(values[23], low(source[23] >> (element * unpacking.bits), unpacking.bits)) << unpacking.spelling;
        EXPECT_EQ(values[7], 9u) << unpacking.spelling;
        EXPECT_EQ(values[24], 9u) << unpacking.spelling;
      }
    }
  }
}

TEST(IntegerMove, UnpackMayOverwriteItsSource) {
  for (const Variant* variant : variants()) {
    Instruction instruction(*variant, "mov.unpack.2x16");
    instruction.set(4, all_lanes(0xaaaa5555u));
    instruction.alias(0, 4);
    instruction.run(every_lane);
    EXPECT_EQ(instruction.get(0)[31], 0x5555u) << variant->name;
    EXPECT_EQ(instruction.get(1)[31], 0xaaaau) << variant->name;
  }
}

TEST(IntegerMove, UnpackedElementsReadRightInWiderRegisters) {
  for (const Variant* variant : variants()) {
    Instruction instruction(*variant, "mov.unpack.2x16");
    instruction.set(4, all_lanes(0xaaaa5555u));
    instruction.run(every_lane);
    EXPECT_EQ(instruction.whole_slot(0, 5), 0x5555u) << variant->name;
    EXPECT_EQ(instruction.whole_slot(1, 5), 0xaaaau) << variant->name;
  }
}

struct PredicateLogic {
  const char* spelling;
  LaneMask expected;          ///< of 0xff00ff00 and 0xf0f0f0f0
  LaneMask expected_negated;  ///< with the last source negated
};

TEST(IntegerMove, PredicatesCombineInTheLanesOfTheMask) {
  const PredicateLogic cases[] = {{"and.pred", 0xf000f000u, 0x0f000f00u},
                                  {"or.pred", 0xfff0fff0u, 0xff0fff0fu},
                                  {"xor.pred", 0x0ff00ff0u, 0xf00ff00fu},
                                  {"mov.pred", 0xff00ff00u, 0x00ff00ffu},
                                  {"not.pred", 0x00ff00ffu, 0xff00ff00u}};
  for (const PredicateLogic& logic : cases) {
    for (const Variant* variant : variants()) {
      for (const bool negated : {false, true}) {
        Instruction instruction(*variant, logic.spelling);
        const unsigned last = instruction.operands() - 1;
        instruction.set_predicate(0, 0x0000ffffu);
        instruction.set_predicate(1, 0xff00ff00u, negated && last == 1);
        if (last == 2) instruction.set_predicate(2, 0xf0f0f0f0u, negated);
        instruction.run(0xffff0000u);
        const LaneMask expected = negated ? logic.expected_negated : logic.expected;
        EXPECT_EQ(instruction.get_predicate(0), (expected & 0xffff0000u) | 0x0000ffffu)
            << variant->name << logic.spelling;
      }
    }
  }
}

}  // namespace
}  // namespace emulator::integer_tests
