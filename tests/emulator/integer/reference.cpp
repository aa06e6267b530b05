// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic as one learns it at school.
#include "reference.hpp"

#include <algorithm>

namespace emulator::integer_tests {
namespace {

bool bit(std::uint64_t value, unsigned index) { return (value >> index & 1) != 0; }

struct Magnitude {
  bool negative;
  std::uint64_t value;
};

Magnitude magnitude(std::uint64_t bits, const Type& type) {
  const bool negative = type.is_signed && bit(bits, type.bits - 1);
  return {negative, negative ? low(~bits + 1, type.bits) : low(bits, type.bits)};
}

}  // namespace

std::uint64_t low(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

__int128 value_of(std::uint64_t bits, const Type& type) {
  const Magnitude parts = magnitude(bits, type);
  return parts.negative ? -static_cast<__int128>(parts.value) : static_cast<__int128>(parts.value);
}

std::uint64_t bits_of(__int128 value, unsigned bits) { return low(static_cast<std::uint64_t>(value), bits); }

std::uint64_t saturated(__int128 value, const Type& type) {
  const __int128 one = 1;
  const __int128 top = type.is_signed ? (one << (type.bits - 1)) - 1 : (one << type.bits) - 1;
  const __int128 bottom = type.is_signed ? -(one << (type.bits - 1)) : 0;
  return bits_of(std::clamp(value, bottom, top), type.bits);
}

Product multiply(std::uint64_t a, std::uint64_t b, const Type& type) {
  const Magnitude left = magnitude(a, type);
  const Magnitude right = magnitude(b, type);
  std::uint64_t high = 0;
  std::uint64_t bottom = 0;
  for (unsigned index = type.bits; index-- > 0;) {
    high = high << 1 | bottom >> 63;
    bottom <<= 1;
    if (!bit(right.value, index)) continue;
    const std::uint64_t sum = bottom + left.value;
    if (sum < bottom) ++high;
    bottom = sum;
  }
  if (left.negative != right.negative) {
    bottom = ~bottom + 1;
    high = ~high + (bottom == 0 ? 1 : 0);
  }
  if (type.bits < 64) high = bottom >> type.bits;
  return {low(high, type.bits), low(bottom, type.bits)};
}

Division divide(std::uint64_t a, std::uint64_t b, const Type& type) {
  const Magnitude dividend = magnitude(a, type);
  const Magnitude divisor = magnitude(b, type);
  std::uint64_t quotient = 0;
  std::uint64_t rest = 0;
  for (unsigned index = type.bits; index-- > 0;) {
    const bool overflows = bit(rest, 63);
    rest = rest << 1 | (bit(dividend.value, index) ? 1 : 0);
    if (overflows || rest >= divisor.value) {
      rest -= divisor.value;
      quotient |= std::uint64_t{1} << index;
    }
  }
  if (dividend.negative != divisor.negative) quotient = ~quotient + 1;
  if (dividend.negative) rest = ~rest + 1;
  return {low(quotient, type.bits), low(rest, type.bits)};
}

std::vector<std::uint64_t> edges(unsigned bits) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t half = std::uint64_t{1} << (bits / 2);
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       31,
                                       32,
                                       33,
                                       100,
                                       127,
                                       128,
                                       255,
                                       half - 1,
                                       half,
                                       half + 1,
                                       top - 1,
                                       top,
                                       top + 1,
                                       2 * top - 1,
                                       2 * top - 2,
                                       2 * top - 3,
                                       2 * top - half,
                                       2 * top - 128,
                                       2 * top - 129};
  values.insert(values.end(), {0x5555555555555555u, 0xaaaaaaaaaaaaaaaau, 0x0123456789abcdefu, 0xfedcba9876543210u,
                               0x00000000deadbeefu, 0xc001d00d80000000u});
  for (std::uint64_t& value : values) value = low(value, bits);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::uint64_t> amounts() {
  std::vector<std::uint64_t> values;
  for (std::uint64_t amount = 0; amount <= 66; ++amount) values.push_back(amount);
  values.insert(values.end(),
                {127, 128, 129, 192, 254, 255, 256, 257, 264, 288, 0x7fffffffu, 0x80000000u, 0xffffffffu});
  return values;
}

std::vector<std::uint64_t> every_half() {
  std::vector<std::uint64_t> values;
  for (std::uint64_t value = 0; value < 65536; ++value) values.push_back(value);
  return values;
}

Inputs combinations(const std::vector<std::vector<std::uint64_t>>& lists) {
  Inputs made{static_cast<unsigned>(lists.size()), {{}}};
  for (unsigned source = 0; source < lists.size(); ++source) {
    std::vector<Input> longer;
    longer.reserve(made.lanes.size() * lists[source].size());
    for (Input begun : made.lanes) {
      for (const std::uint64_t value : lists[source]) {
        begun[source] = value;
        longer.push_back(begun);
      }
    }
    made.lanes = std::move(longer);
  }
  return made;
}

const Inputs& pairs(const Type& type) {
  static const Inputs halves = [] {
    Inputs made = combinations({every_half(), edges(16)});
    const Inputs turned = combinations({{0, 1, 2, 255, 0x7fff, 0x8000, 0xaaaa, 0xffff}, every_half()});
    made.lanes.insert(made.lanes.end(), turned.lanes.begin(), turned.lanes.end());
    return made;
  }();
  static const Inputs words = combinations({edges(32), edges(32)});
  static const Inputs longs = combinations({edges(64), edges(64)});
  return type.bits == 16 ? halves : type.bits == 32 ? words : longs;
}

Inputs triples(const Type& type) { return combinations({edges(type.bits), edges(type.bits), edges(type.bits)}); }

}  // namespace emulator::integer_tests
