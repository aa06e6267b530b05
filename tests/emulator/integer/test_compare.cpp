// SPDX-License-Identifier: Apache-2.0
// setp with one and two destinations and a third predicate, set, selp, slct.
#include <functional>

#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

struct Relation {
  std::string name;
  bool (*holds)(__int128, __int128);
};

const std::vector<Relation> bit_relations = {{"eq", [](__int128 a, __int128 b) { return a == b; }},
                                             {"ne", [](__int128 a, __int128 b) { return a != b; }}};
const std::vector<Relation> ordered_relations = {
    {"eq", [](__int128 a, __int128 b) { return a == b; }}, {"ne", [](__int128 a, __int128 b) { return a != b; }},
    {"lt", [](__int128 a, __int128 b) { return a < b; }},  {"le", [](__int128 a, __int128 b) { return a <= b; }},
    {"gt", [](__int128 a, __int128 b) { return a > b; }},  {"ge", [](__int128 a, __int128 b) { return a >= b; }}};
const std::vector<Relation> unsigned_relations = {{"lo", [](__int128 a, __int128 b) { return a < b; }},
                                                  {"ls", [](__int128 a, __int128 b) { return a <= b; }},
                                                  {"hi", [](__int128 a, __int128 b) { return a > b; }},
                                                  {"hs", [](__int128 a, __int128 b) { return a >= b; }}};

/// Calls `test` with every relation that PTX has for the type.
template <class Test>
void for_each_relation(Test test) {
  for (const Type& type : arithmetic_types) {
    for (const Relation& relation : ordered_relations) test(relation, type);
    if (type.is_signed) continue;
    for (const Relation& relation : unsigned_relations) test(relation, type);
    for (const Relation& relation : bit_relations) test(relation, Type{"b" + type.name.substr(1), type.bits, false});
  }
}

/// A boolop with its truth table.
struct Boolop {
  std::string name;
  bool (*combine)(bool, bool);
};
const std::vector<Boolop> boolops = {{".and", [](bool a, bool b) { return a && b; }},
                                     {".or", [](bool a, bool b) { return a || b; }},
                                     {".xor", [](bool a, bool b) { return a != b; }}};

/// Fills sources `first` and `first + 1` with a batch of pairs, and says for which lanes the relation holds.
LaneMask set_pairs(Instruction& instruction, unsigned first, const Inputs& inputs, std::size_t begin,
                   const Relation& relation, const Type& type) {
  Lanes left;
  Lanes right;
  LaneMask holds = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const Input& in = inputs.lanes[(begin + lane) % inputs.lanes.size()];
    left[lane] = in[0];
    right[lane] = in[1];
    if (relation.holds(value_of(in[0], type), value_of(in[1], type))) holds |= 1u << lane;
  }
  instruction.set(first, left);
  instruction.set(first + 1, right);
  return holds;
}

/// Lane by lane: a new value inside of the mask, the old one outside.
LaneMask written(LaneMask before, LaneMask mask, const std::function<bool(unsigned)>& value) {
  LaneMask result = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const bool set = (mask >> lane & 1) != 0 ? value(lane) : (before >> lane & 1) != 0;
    if (set) result |= 1u << lane;
  }
  return result;
}

bool lane_of(LaneMask mask, unsigned lane) { return (mask >> lane & 1) != 0; }

TEST(IntegerCompare, SetpWritesTheRelationAndItsComplement) {
  for_each_relation([](const Relation& relation, const Type& type) {
    const std::string spelling = "setp." + relation.name + "." + type.name;
    const Inputs& inputs = pairs(type);
    for (const Variant* variant : variants()) {
      Instruction instruction(*variant, spelling);
      for (std::size_t begin = 0; begin < inputs.lanes.size(); begin += warp_size) {
        const LaneMask mask = mask_of_batch(begin / warp_size);
        const LaneMask holds = set_pairs(instruction, 2, inputs, begin, relation, type);
        instruction.set_predicate(0, 0x33cc55aau);
        instruction.set_predicate(1, 0x0f0ff0f0u);
        instruction.run(mask);
        ASSERT_EQ(instruction.get_predicate(0), (holds & mask) | (0x33cc55aau & ~mask))
            << variant->name << " " << spelling << " batch at " << begin;
        ASSERT_EQ(instruction.get_predicate(1), (~holds & mask) | (0x0f0ff0f0u & ~mask))
            << variant->name << " " << spelling << " batch at " << begin;
      }
    }
  });
}

TEST(IntegerCompare, SetpCombinesBothResultsWithTheThirdPredicate) {
  for_each_relation([](const Relation& relation, const Type& type) {
    const Inputs inputs = combinations({edges(type.bits), edges(type.bits)});
    for (const Boolop& boolop : boolops) {
      const std::string spelling = "setp." + relation.name + boolop.name + "." + type.name;
      for (const Variant* variant : variants()) {
        SCOPED_TRACE(variant->name + " " + spelling);
        Instruction instruction(*variant, spelling);
        for (std::size_t begin = 0; begin < inputs.lanes.size(); begin += warp_size) {
          const LaneMask mask = mask_of_batch(begin / warp_size);
          const bool negated = begin / warp_size % 2 == 1;
          const LaneMask third = 0x12f7a3c5u + static_cast<LaneMask>(begin);
          const LaneMask holds = set_pairs(instruction, 2, inputs, begin, relation, type);
          instruction.set_predicate(0, 0x33cc55aau);
          instruction.set_predicate(1, 0x0f0ff0f0u);
          instruction.set_predicate(4, third, negated);
          instruction.run(mask);
          const auto c = [&](unsigned lane) { return lane_of(third, lane) != negated; };
          ASSERT_EQ(instruction.get_predicate(0), written(0x33cc55aau, mask, [&](unsigned lane) {
                      return boolop.combine(lane_of(holds, lane), c(lane));
                    }));
          ASSERT_EQ(instruction.get_predicate(1), written(0x0f0ff0f0u, mask, [&](unsigned lane) {
                      return boolop.combine(!lane_of(holds, lane), c(lane));
                    }));
        }
      }
    }
  });
}

TEST(IntegerCompare, SetpMayReadThePredicateThatItWrites) {
  for (const Variant* variant : variants()) {
    Instruction instruction(*variant, "setp.lt.and.s32");
    instruction.set(2, all_lanes(0xffffffffu));
    instruction.set(3, all_lanes(0));
    instruction.set_predicate(0, 0x0000ffffu);
    instruction.op().operand[4] = instruction.op().operand[0];
    instruction.run(every_lane);
    EXPECT_EQ(instruction.get_predicate(0), 0x0000ffffu) << variant->name;
  }
}

/// What set writes for true.
struct Truth {
  std::string type;
  std::uint64_t value;
};

TEST(IntegerCompare, SetWritesOnesOrTheNumberOne) {
  const std::vector<Truth> truths = {
      {"u32", 0xffffffffu}, {"s32", 0xffffffffu}, {"f32", 0x3f800000u}, {"f16", 0x3c00u}, {"bf16", 0x3f80u}};
  for_each_relation([&](const Relation& relation, const Type& type) {
    const Inputs inputs = combinations({edges(type.bits), edges(type.bits)});
    for (const Truth& truth : truths) {
      check("set." + relation.name + "." + truth.type + "." + type.name, inputs, [&](const Input& in) {
        return relation.holds(value_of(in[0], type), value_of(in[1], type)) ? truth.value : 0;
      });
    }
  });
}

TEST(IntegerCompare, SetCombinesWithAPredicate) {
  for_each_relation([](const Relation& relation, const Type& type) {
    const Inputs inputs = combinations({edges(type.bits), edges(type.bits)});
    for (const Boolop& boolop : boolops) {
      const std::string spelling = "set." + relation.name + boolop.name + ".u32." + type.name;
      for (const Variant* variant : variants()) {
        Instruction instruction(*variant, spelling);
        const LaneMask holds = set_pairs(instruction, 1, inputs, 96, relation, type);
        instruction.set_predicate(3, 0xff00a55au, true);
        instruction.run(0x0ff0ffffu);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          const bool set =
              lane_of(0x0ff0ffffu, lane) && boolop.combine(lane_of(holds, lane), !lane_of(0xff00a55au, lane));
          ASSERT_EQ(instruction.get(0)[lane], set ? 0xffffffffu : 0u)
              << variant->name << " " << spelling << " " << lane;
        }
      }
    }
  });
}

TEST(IntegerCompare, SelpChoosesByThePredicateOrItsComplement) {
  for (const unsigned bits : {16u, 32u, 64u}) {
    for (const char kind : {'b', 'u', 's'}) {
      const std::string spelling = std::string("selp.") + kind + std::to_string(bits);
      for (const Variant* variant : variants()) {
        Instruction instruction(*variant, spelling);
        for (unsigned batch = 0; batch < 20; ++batch) {
          const LaneMask mask = mask_of_batch(batch);
          const LaneMask chosen = 0x1234567u * (batch * batch + 1);
          const bool negated = batch % 3 == 1;
          Lanes a;
          Lanes b;
          for (unsigned lane = 0; lane < warp_size; ++lane) {
            a[lane] = low(0x1111111111111111u * (lane + 1), bits);
            b[lane] = low(~a[lane], bits);
          }
          instruction.set(0, all_lanes(5));
          instruction.set(1, a);
          instruction.set(2, b);
          instruction.set_predicate(3, chosen, negated);
          instruction.alias(0, batch % 3);
          const Lanes before = instruction.get(0);
          instruction.run(mask);
          for (unsigned lane = 0; lane < warp_size; ++lane) {
            const std::uint64_t picked = lane_of(chosen, lane) != negated ? a[lane] : b[lane];
            ASSERT_EQ(instruction.get(0)[lane], lane_of(mask, lane) ? picked : before[lane])
                << variant->name << " " << spelling << " lane " << lane;
          }
        }
      }
    }
  }
}

TEST(IntegerCompare, SlctTakesTheFirstWhereTheThirdIsNotNegative) {
  for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}) {
    const auto bits = static_cast<unsigned>(std::stoul(type + 1));
    const Inputs inputs = combinations({edges(bits), {0, 1, low(~std::uint64_t{0}, bits)}, edges(32)});
    check(std::string("slct.") + type + ".s32", inputs,
          [](const Input& in) { return in[2] < 0x80000000u ? in[0] : in[1]; });
  }
}

}  // namespace
}  // namespace emulator::integer_tests
