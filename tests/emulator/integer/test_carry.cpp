// SPDX-License-Identifier: Apache-2.0
// Carry chains: sums, differences and products of many words, and the flag that each thread has for itself.
#include <gmock/gmock.h>

#include <array>

#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

/// What the reference says of one lane: a value, and the flag after it.
struct Carried {
  std::uint64_t value;
  bool carry;
};

Carried add(std::uint64_t a, std::uint64_t b, bool carry, unsigned bits) {
  std::uint64_t sum = 0;
  for (unsigned index = 0; index < bits; ++index) {
    const unsigned ones = static_cast<unsigned>((a >> index & 1) + (b >> index & 1)) + (carry ? 1 : 0);
    sum |= std::uint64_t{ones & 1} << index;
    carry = ones > 1;
  }
  return {sum, carry};
}

/// The flag is 0 where a digit is borrowed.
Carried subtract(std::uint64_t a, std::uint64_t b, bool carry, unsigned bits) {
  std::uint64_t difference = 0;
  bool borrow = !carry;
  for (unsigned index = 0; index < bits; ++index) {
    const int digit = static_cast<int>(a >> index & 1) - static_cast<int>(b >> index & 1) - (borrow ? 1 : 0);
    difference |= static_cast<std::uint64_t>(digit & 1) << index;
    borrow = digit < 0;
  }
  return {difference, !borrow};
}

/// Runs one spelling over all inputs with flags of every kind before it.
template <class Reference>
void check_carry(const std::string& spelling, const Inputs& inputs, bool gives, Reference reference) {
  for (const Variant* variant : variants()) {
    SCOPED_TRACE(variant->name + " " + spelling);
    Instruction instruction(*variant, spelling);
    for (std::size_t first = 0; first < inputs.lanes.size(); first += warp_size) {
      const LaneMask before = 0x9a3c5f01u * static_cast<LaneMask>(first + 1);
      const LaneMask mask = mask_of_batch(first / warp_size);
      instruction.warp().carry = before;
      Lanes expected;
      LaneMask after = before & ~mask;
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const Input& in = inputs.lanes[(first + lane) % inputs.lanes.size()];
        const Carried result = reference(in, (before >> lane & 1) != 0);
        expected[lane] = result.value;
        if (result.carry) after |= mask & (1u << lane);
      }
      if (!check_batch(instruction, spelling, inputs, first, expected)) return;
      ASSERT_EQ(instruction.warp().carry, gives ? after : before) << "batch at " << first;
    }
  }
}

/// The three forms of an operation: without a flag before, without one after, with both.
template <class Reference>
void check_forms(const std::string& plain, const std::string& chained, const std::string& type, const Inputs& inputs,
                 Reference reference) {
  const auto without = [&](const Input& in, bool) { return reference(in, plain == "sub"); };
  check_carry(plain + ".cc." + type, inputs, true, without);
  check_carry(chained + "." + type, inputs, false, reference);
  check_carry(chained + ".cc." + type, inputs, true, reference);
}

const std::vector<Type> chained_types = {{"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

TEST(IntegerCarry, SumsCarryAndDifferencesBorrow) {
  for (const Type& type : chained_types) {
    check_forms("add", "addc", type.name, pairs(type),
                [&](const Input& in, bool carry) { return add(in[0], in[1], carry, type.bits); });
    check_forms("sub", "subc", type.name, pairs(type),
                [&](const Input& in, bool carry) { return subtract(in[0], in[1], carry, type.bits); });
  }
}

TEST(IntegerCarry, ProductsCarryFromTheAdditionAlone) {
  for (const Type& type : chained_types) {
    check_forms("mad.lo", "madc.lo", type.name, triples(type), [&](const Input& in, bool carry) {
      return add(multiply(in[0], in[1], type).low, in[2], carry, type.bits);
    });
    check_forms("mad.hi", "madc.hi", type.name, triples(type), [&](const Input& in, bool carry) {
      return add(multiply(in[0], in[1], type).high, in[2], carry, type.bits);
    });
  }
}

TEST(IntegerCarry, ASumAfterADifferenceAddsOneUnlessADigitWasBorrowed) {
  for (const Variant* variant : variants()) {
    for (const auto& [left, right, expected] : {std::array{5u, 3u, 1u}, std::array{3u, 5u, 0u}}) {
      Instruction difference(*variant, "sub.cc.u32");
      difference.set(1, all_lanes(left));
      difference.set(2, all_lanes(right));
      difference.run(every_lane);
      Instruction sum(*variant, "addc.u32");
      sum.set(1, all_lanes(0));
      sum.set(2, all_lanes(0));
      sum.warp().carry = difference.warp().carry;
      sum.run(every_lane);
      EXPECT_EQ(sum.get(0)[9], expected) << variant->name << " " << left << " - " << right;
    }
  }
}

TEST(IntegerCarry, A128BitSumChainsThroughFourWords) {
  for (const Variant* variant : variants()) {
    const std::uint64_t left[4] = {0xffffffffu, 0xffffffffu, 0xffffffffu, 0x7fffffffu};
    const std::uint64_t right[4] = {1, 0, 0, 0};
    LaneMask carry = 0;
    std::uint64_t sums[4];
    const char* spellings[4] = {"add.cc.u32", "addc.cc.u32", "addc.cc.u32", "addc.u32"};
    for (unsigned word = 0; word < 4; ++word) {
      Instruction instruction(*variant, spellings[word]);
      instruction.set(1, all_lanes(left[word]));
      instruction.set(2, all_lanes(right[word]));
      instruction.warp().carry = carry;
      instruction.run(every_lane);
      carry = instruction.warp().carry;
      sums[word] = instruction.get(0)[17];
    }
    EXPECT_THAT(sums, testing::ElementsAre(0u, 0u, 0u, 0x80000000u)) << variant->name;
  }
}

}  // namespace
}  // namespace emulator::integer_tests
