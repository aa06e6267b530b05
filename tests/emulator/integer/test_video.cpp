// SPDX-License-Identifier: Apache-2.0
// Dot products and packed video instructions.
#include <functional>

#include "instruction.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {
namespace {

/// Words whose bytes and halves lie at the ends of their ranges.
const std::vector<std::uint64_t> packed_words = {0,           0xffffffffu, 0x80808080u, 0x7f7f7f7fu,
                                                 0x01020304u, 0xfefdfcfbu, 0x807fff00u, 0x7fff8000u,
                                                 0x8000ffffu, 0x00010080u, 0x5a96c33cu, 0x12345678u};

/// Part `index` of a word as a number.
__int128 part(std::uint64_t word, unsigned index, unsigned bits, bool is_signed) {
  return value_of(low(word >> (bits * index), bits), Type{"", bits, is_signed});
}

TEST(IntegerVideo, DotProductsExtendEachOperandByItsType) {
  const Inputs inputs = combinations({packed_words, packed_words, edges(32)});
  for (const bool signed_a : {false, true}) {
    for (const bool signed_b : {false, true}) {
      const std::string types = std::string(signed_a ? ".s32" : ".u32") + (signed_b ? ".s32" : ".u32");
      check("dp4a" + types, inputs, [&](const Input& in) {
        __int128 sum = static_cast<__int128>(in[2]);
        for (unsigned i = 0; i < 4; ++i) sum += part(in[0], i, 8, signed_a) * part(in[1], i, 8, signed_b);
        return bits_of(sum, 32);
      });
      for (const unsigned first : {0u, 2u}) {
        check((first == 0 ? "dp2a.lo" : "dp2a.hi") + types, inputs, [&](const Input& in) {
          __int128 sum = static_cast<__int128>(in[2]);
          for (unsigned i = 0; i < 2; ++i) sum += part(in[0], i, 16, signed_a) * part(in[1], first + i, 8, signed_b);
          return bits_of(sum, 32);
        });
      }
    }
  }
}

using PartFunction = std::function<__int128(__int128, __int128)>;

/// Half of the sum, .5 away from zero.
__int128 average(__int128 a, __int128 b) {
  const __int128 sum = a + b;
  return sum < 0 ? -((1 - sum) / 2) : (sum + 1) / 2;
}

const std::vector<std::pair<std::string, PartFunction>> operations = {
    {"vadd", [](__int128 a, __int128 b) { return a + b; }},
    {"vsub", [](__int128 a, __int128 b) { return a - b; }},
    {"vavrg", average},
    {"vabsdiff", [](__int128 a, __int128 b) { return a > b ? a - b : b - a; }},
    {"vmin", [](__int128 a, __int128 b) { return a < b ? a : b; }},
    {"vmax", [](__int128 a, __int128 b) { return a > b ? a : b; }},
};

/// The three ends of a packed instruction: cut off, saturated, added to c.
void check_packed(const std::string& spelling, unsigned parts, bool signed_a, bool signed_b, const Type& result,
                  const PartFunction& function) {
  const Inputs inputs = combinations({packed_words, packed_words, {0, 7, 0xfffffff0u}});
  const unsigned bits = 32 / parts;
  const auto value = [&, bits](const Input& in, unsigned i) {
    return function(part(in[0], i, bits, signed_a), part(in[1], i, bits, signed_b));
  };
  check(spelling, inputs, [&](const Input& in) {
    std::uint64_t word = 0;
    for (unsigned i = 0; i < parts; ++i) word |= bits_of(value(in, i), bits) << (bits * i);
    return word;
  });
  check(spelling + ".add", inputs, [&](const Input& in) {
    __int128 sum = static_cast<__int128>(in[2]);
    for (unsigned i = 0; i < parts; ++i) sum += value(in, i);
    return bits_of(sum, 32);
  });
  if (result.bits == 0) return;
  check(spelling + ".sat", inputs, [&](const Input& in) {
    std::uint64_t word = 0;
    for (unsigned i = 0; i < parts; ++i) word |= saturated(value(in, i), result) << (bits * i);
    return word;
  });
}

TEST(IntegerVideo, PackedArithmeticKeepsPartsApart) {
  for (const auto& [name, function] : operations) {
    for (const unsigned parts : {2u, 4u}) {
      for (unsigned signs = 0; signs < 8; ++signs) {
        const bool signed_result = (signs & 4) != 0;
        const bool signed_a = (signs & 2) != 0;
        const bool signed_b = (signs & 1) != 0;
        const auto type = [](bool is_signed) { return is_signed ? ".s32" : ".u32"; };
        const std::string spelling =
            name + std::to_string(parts) + type(signed_result) + type(signed_a) + type(signed_b);
        check_packed(spelling, parts, signed_a, signed_b, Type{"", 32 / parts, signed_result}, function);
      }
    }
  }
}

TEST(IntegerVideo, PackedComparisonsGiveOneOrZero) {
  const std::vector<std::pair<std::string, PartFunction>> relations = {
      {"eq", [](__int128 a, __int128 b) { return a == b; }}, {"ne", [](__int128 a, __int128 b) { return a != b; }},
      {"lt", [](__int128 a, __int128 b) { return a < b; }},  {"le", [](__int128 a, __int128 b) { return a <= b; }},
      {"gt", [](__int128 a, __int128 b) { return a > b; }},  {"ge", [](__int128 a, __int128 b) { return a >= b; }}};
  for (const auto& [name, function] : relations) {
    for (const unsigned parts : {2u, 4u}) {
      for (unsigned signs = 0; signs < 4; ++signs) {
        const bool signed_a = (signs & 2) != 0;
        const bool signed_b = (signs & 1) != 0;
        const std::string spelling =
            "vset" + std::to_string(parts) + (signed_a ? ".s32" : ".u32") + (signed_b ? ".s32" : ".u32") + "." + name;
        check_packed(spelling, parts, signed_a, signed_b, Type{"", 0, false}, function);
      }
    }
  }
}

TEST(IntegerVideo, Vabsdiff4OfEveryPairOfBytes) {
  Inputs inputs{3, {}};
  for (std::uint64_t a = 0; a < 256; ++a) {
    for (std::uint64_t b = 0; b < 256; ++b) {
      inputs.lanes.push_back({a << 24 | b << 16 | a << 8 | b, b << 24 | a << 16 | b << 8 | b, 1000});
    }
  }
  const auto distance = [](const Input& in) {
    const std::uint64_t a = in[0] & 0xff00;
    const std::uint64_t b = in[1] & 0xff00;
    return (a > b ? a - b : b - a) >> 8;
  };
  check("vabsdiff4.u32.u32.u32", inputs, [&](const Input& in) { return distance(in) * 0x01010100u; });
  check("vabsdiff4.u32.u32.u32.add", inputs, [&](const Input& in) { return 1000 + 3 * distance(in); });
}

}  // namespace
}  // namespace emulator::integer_tests
