// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, counting, permutation: against loops over single bits.
#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

bool bit(std::uint64_t value, std::uint64_t index) { return index < 64 && (value >> index & 1) != 0; }

/// A word made of bits that a function gives.
template <class BitAt>
std::uint64_t word_of(unsigned bits, BitAt bit_at) {
  std::uint64_t word = 0;
  for (unsigned index = 0; index < bits; ++index) word |= std::uint64_t{bit_at(index) ? 1u : 0u} << index;
  return word;
}

std::vector<std::uint64_t> values_of(unsigned bits) { return bits == 16 ? every_half() : edges(bits); }

TEST(IntegerBits, LogicWorksOnEachBit) {
  for (const unsigned bits : {16u, 32u, 64u}) {
    const std::string type = ".b" + std::to_string(bits);
    const Inputs inputs = combinations({edges(bits), edges(bits)});
    const auto of_pairs = [&](auto combine) {
      return [=](const Input& in) {
        return word_of(bits, [&](unsigned i) { return combine(bit(in[0], i), bit(in[1], i)); });
      };
    };
    check("and" + type, inputs, of_pairs([](bool a, bool b) { return a && b; }));
    check("or" + type, inputs, of_pairs([](bool a, bool b) { return a || b; }));
    check("xor" + type, inputs, of_pairs([](bool a, bool b) { return a != b; }));
    const Inputs one = combinations({values_of(bits)});
    check("not" + type, one,
          [&](const Input& in) { return word_of(bits, [&](unsigned i) { return !bit(in[0], i); }); });
    check("cnot" + type, one, [&](const Input& in) { return std::uint64_t{in[0] == 0 ? 1u : 0u}; });
  }
}

/// Every half with the amounts around its width; edges with all amounts.
Inputs every_half_shifted() {
  Inputs inputs = combinations({every_half(), {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 256, 0xffffffffu}});
  const Inputs more = combinations({edges(16), amounts()});
  inputs.lanes.insert(inputs.lanes.end(), more.lanes.begin(), more.lanes.end());
  return inputs;
}

TEST(IntegerBits, ShiftsOfTheWidthAndMoreShiftEverythingOut) {
  for (const unsigned bits : {16u, 32u, 64u}) {
    const std::string width = std::to_string(bits);
    const Inputs inputs = bits == 16 ? every_half_shifted() : combinations({edges(bits), amounts()});
    check("shl.b" + width, inputs, [&](const Input& in) {
      return word_of(bits, [&](unsigned i) { return i >= in[1] && bit(in[0], i - in[1]); });
    });
    for (const char* kind : {"shr.b", "shr.u"}) {
      check(kind + width, inputs, [&](const Input& in) {
        return word_of(bits, [&](unsigned i) { return i + in[1] < bits && bit(in[0], i + in[1]); });
      });
    }
    check("shr.s" + width, inputs, [&](const Input& in) {
      return word_of(bits, [&](unsigned i) { return bit(in[0], i + in[1] < bits ? i + in[1] : bits - 1); });
    });
  }
}

TEST(IntegerBits, FunnelShiftsTakeWordsFromThePair) {
  const Inputs inputs = combinations({edges(32), edges(32), amounts()});
  const auto from_pair = [](const Input& in, std::uint64_t index) {
    return index < 32 ? bit(in[0], index) : bit(in[1], index - 32);
  };
  for (const bool clamps : {false, true}) {
    const auto amount = [&](const Input& in) { return clamps ? (in[2] < 32 ? in[2] : 32) : in[2] % 32; };
    const std::string mode = clamps ? "clamp.b32" : "wrap.b32";
    check("shf.l." + mode, inputs,
          [&](const Input& in) { return word_of(32, [&](unsigned i) { return from_pair(in, 32 + i - amount(in)); }); });
    check("shf.r." + mode, inputs,
          [&](const Input& in) { return word_of(32, [&](unsigned i) { return from_pair(in, i + amount(in)); }); });
  }
}

/// As recorded on hardware: the low byte for 32 bits, everything for 64.
std::uint64_t field_operand(std::uint64_t value, unsigned bits) { return bits == 32 ? value % 256 : value; }

TEST(IntegerBits, FieldsAreExtractedWithTheSignOfTheirLastBit) {
  for (const unsigned bits : {32u, 64u}) {
    const Inputs inputs = combinations({edges(bits), amounts(), amounts()});
    for (const bool is_signed : {false, true}) {
      check((is_signed ? "bfe.s" : "bfe.u") + std::to_string(bits), inputs, [&](const Input& in) {
        const std::uint64_t position = field_operand(in[1], bits);
        const std::uint64_t length = field_operand(in[2], bits);
        const std::uint64_t last = position + length - 1 < bits ? position + length - 1 : bits - 1;
        const bool sign = is_signed && length != 0 && bit(in[0], last);
        return word_of(bits,
                       [&](unsigned i) { return i < length && position + i < bits ? bit(in[0], position + i) : sign; });
      });
    }
  }
}

TEST(IntegerBits, FieldsAreInsertedAsFarAsTheyFit) {
  for (const unsigned bits : {32u, 64u}) {
    const Inputs inputs = combinations(
        {{0, 1, 0xdeadbeefcafef00du & low(~0ull, bits)}, {0, low(~0ull, bits), 0x12345678u}, amounts(), amounts()});
    check("bfi.b" + std::to_string(bits), inputs, [&](const Input& in) {
      const std::uint64_t position = field_operand(in[2], bits);
      const std::uint64_t length = field_operand(in[3], bits);
      return word_of(bits, [&](unsigned i) {
        return i >= position && i < position + length ? bit(in[0], i - position) : bit(in[1], i);
      });
    });
  }
}

/// Values with one, two and many bits, on both sides of zero.
Inputs scattered(unsigned bits) {
  std::vector<std::uint64_t> values = edges(bits);
  for (unsigned index = 0; index < bits; ++index) {
    values.push_back(std::uint64_t{1} << index);
    values.push_back(low(~(std::uint64_t{1} << index), bits));
    values.push_back(low(~std::uint64_t{0} << index, bits));
    values.push_back(low(0x9e3779b97f4a7c15u * (index + 1), bits));
  }
  return combinations({values});
}

TEST(IntegerBits, CountingAndReversal) {
  for (const unsigned bits : {32u, 64u}) {
    const std::string width = std::to_string(bits);
    check("popc.b" + width, scattered(bits), [&](const Input& in) {
      std::uint64_t count = 0;
      for (unsigned i = 0; i < bits; ++i) count += bit(in[0], i) ? 1 : 0;
      return count;
    });
    check("clz.b" + width, scattered(bits), [&](const Input& in) {
      std::uint64_t count = 0;
      while (count < bits && !bit(in[0], bits - 1 - count)) ++count;
      return count;
    });
    check("brev.b" + width, scattered(bits),
          [&](const Input& in) { return word_of(bits, [&](unsigned i) { return bit(in[0], bits - 1 - i); }); });
  }
}

TEST(IntegerBits, TheTopBitIsTheHighestThatDiffersFromTheSign) {
  for (const unsigned bits : {32u, 64u}) {
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "s" : "u") + std::to_string(bits);
      const auto find = [&](const Input& in) {
        const bool sought = !(is_signed && bit(in[0], bits - 1));
        for (unsigned i = bits; i-- > 0;) {
          if (bit(in[0], i) == sought) return std::uint64_t{i};
        }
        return std::uint64_t{0xffffffffu};
      };
      check("bfind." + type, scattered(bits), find);
      check("bfind.shiftamt." + type, scattered(bits), [&](const Input& in) {
        const std::uint64_t found = find(in);
        return found == 0xffffffffu ? found : bits - 1 - found;
      });
    }
  }
}

TEST(IntegerBits, PrmtPicksBytesAndReplicatesTheirSign) {
  std::vector<std::uint64_t> selectors = every_half();
  selectors.push_back(0xabcd3210u);
  const Inputs inputs = combinations({{0x83f210ffu}, {0x7f9a0180u}, selectors});
  const std::uint64_t bytes[8] = {0xff, 0x10, 0xf2, 0x83, 0x80, 0x01, 0x9a, 0x7f};
  check("prmt.b32", inputs, [&](const Input& in) {
    std::uint64_t word = 0;
    for (unsigned place = 0; place < 4; ++place) {
      const std::uint64_t nibble = in[2] >> (4 * place) & 15;
      const std::uint64_t byte = bytes[nibble % 8];
      word += (nibble < 8 ? byte : byte >= 128 ? 255 : 0) << (8 * place);
    }
    return word;
  });
}

TEST(IntegerBits, PrmtModesLookAtTheTwoLowBitsOfC) {
  struct Mode {
    const char* name;
    std::uint64_t expected[4];
  };
  // Bytes of a are 3 2 1 0, bytes of b 7 6 5 4.
  const Mode modes[] = {
      {"f4e", {0x03020100, 0x04030201, 0x05040302, 0x06050403}},
      {"b4e", {0x05060700, 0x06070001, 0x07000102, 0x00010203}},
      {"rc8", {0x00000000, 0x01010101, 0x02020202, 0x03030303}},
      {"ecl", {0x03020100, 0x03020101, 0x03020202, 0x03030303}},
      {"ecr", {0x00000000, 0x01010100, 0x02020100, 0x03020100}},
      {"rc16", {0x01000100, 0x03020302, 0x01000100, 0x03020302}},
  };
  for (const Mode& mode : modes) {
    const Inputs inputs = combinations({{0x03020100}, {0x07060504}, {0, 1, 2, 3, 4, 5, 6, 7, 0xfffffffc, 0xfffffff9}});
    check(std::string("prmt.b32.") + mode.name, inputs, [&](const Input& in) { return mode.expected[in[2] % 4]; });
  }
}

TEST(IntegerBits, Lop3FollowsEveryTable) {
  // Each combination of three bits occurs in each lane.
  Lanes sources[3];
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    sources[0][lane] = 0xf0f0ff00u;
    sources[1][lane] = 0xccccf0f0u ^ lane << 8;
    sources[2][lane] = 0xaaaacccau ^ lane;
  }
  for (const Variant* variant : variants()) {
    Instruction instruction(*variant, "lop3.b32");
    for (unsigned source = 0; source < 3; ++source) instruction.set(source + 1, sources[source]);
    for (std::uint64_t table = 0; table < 256; ++table) {
      const LaneMask mask = mask_of_batch(table);
      instruction.set(0, all_lanes(77));
      instruction.op().immediate = table;
      instruction.run(mask);
      const Lanes found = instruction.get(0);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const std::uint64_t expected = word_of(32, [&](unsigned i) {
          const bool a = bit(sources[0][lane], i);
          return bit(table,
                     (a ? 4u : 0u) + (bit(sources[1][lane], i) ? 2u : 0u) + (bit(sources[2][lane], i) ? 1u : 0u));
        });
        ASSERT_EQ(found[lane], (mask >> lane & 1) != 0 ? expected : 77) << variant->name << " table " << table;
      }
    }
  }
}

TEST(IntegerBits, Lop3TellsWhetherTheResultIsZero) {
  for (const Variant* variant : variants()) {
    for (const bool is_and : {true, false}) {
      Instruction instruction(*variant, is_and ? "lop3.and.b32" : "lop3.or.b32");
      Lanes odd;
      for (unsigned lane = 0; lane < warp_size; ++lane) odd[lane] = lane % 2;
      instruction.set(2, odd);
      instruction.set(3, all_lanes(0xffffffffu));
      instruction.set(4, all_lanes(0xffffffffu));
      instruction.op().immediate = 0x80;  // a & b & c
      instruction.set_predicate(5, 0x0000ffffu);
      instruction.set_predicate(1, 0);
      instruction.run(0x0fffffffu);
      EXPECT_EQ(instruction.get(0)[3], 1u);
      EXPECT_EQ(instruction.get_predicate(1), is_and ? 0x0000aaaau : 0x0aaaffffu) << variant->name;
    }
  }
}

TEST(IntegerBits, FnsWalksFromTheBaseBit) {
  std::vector<std::uint64_t> offsets = {0x7fffffffu, 0x80000000u};
  for (int offset = -34; offset <= 34; ++offset) offsets.push_back(static_cast<std::uint32_t>(offset));
  std::vector<std::uint64_t> bases;
  for (std::uint64_t base = 0; base < 32; ++base) bases.push_back(base);
  const Inputs inputs =
      combinations({{0, 1, 0x80000000u, 0xffffffffu, 0xaaaaaaaau, 0x00ff00f0u, 0x80000001u}, bases, offsets});
  check("fns.b32", inputs, [](const Input& in) -> std::uint64_t {
    const auto offset = static_cast<std::int32_t>(in[2]);
    std::vector<std::uint64_t> found;
    if (offset >= 0) {
      for (std::uint64_t i = in[1]; i < 32; ++i) {
        if (bit(in[0], i)) found.push_back(i);
      }
    } else {
      for (std::uint64_t i = in[1] + 1; i-- > 0;) {
        if (bit(in[0], i)) found.push_back(i);
      }
    }
    if (offset == 0) return bit(in[0], in[1]) ? in[1] : 0xffffffffu;
    const std::uint64_t wanted = offset < 0 ? -static_cast<std::int64_t>(offset) : offset;
    return wanted <= found.size() ? found[wanted - 1] : 0xffffffffu;
  });
}

TEST(IntegerBits, BmskMakesRunsOfOnes) {
  const Inputs inputs = combinations({amounts(), amounts()});
  for (const bool clamps : {true, false}) {
    check(clamps ? "bmsk.clamp.b32" : "bmsk.wrap.b32", inputs, [&](const Input& in) {
      const std::uint64_t first = clamps ? in[0] : in[0] % 32;
      const std::uint64_t count = clamps ? in[1] : in[1] % 32;
      return word_of(32, [&](unsigned i) { return i >= first && i < first + count; });
    });
  }
}

TEST(IntegerBits, SzextExtendsFromTheGivenWidth) {
  const Inputs inputs = combinations({edges(32), amounts()});
  for (const bool is_signed : {true, false}) {
    for (const bool clamps : {true, false}) {
      const std::string spelling = std::string("szext.") + (clamps ? "clamp." : "wrap.") + (is_signed ? "s32" : "u32");
      check(spelling, inputs, [&](const Input& in) -> std::uint64_t {
        const std::uint64_t width = clamps ? in[1] : in[1] % 32;
        if (width == 0) return 0;
        return word_of(32, [&](unsigned i) { return i < width ? bit(in[0], i) : is_signed && bit(in[0], width - 1); });
      });
    }
  }
}

}  // namespace
}  // namespace emulator::integer_tests
