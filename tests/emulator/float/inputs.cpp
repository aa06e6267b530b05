// SPDX-License-Identifier: Apache-2.0
// Operand lists.
#include "inputs.hpp"

#include <algorithm>
#include <random>

namespace emulator::float_tests {
namespace {

Values with_both_signs(Format format, const Values& positive) {
  Values all = positive;
  for (const std::uint64_t value : positive) all.push_back(value | format.sign());
  return all;
}

// 2^exponent, or a little less.
std::uint64_t power(Format format, int exponent) {
  return static_cast<std::uint64_t>(exponent + format.largest_exponent()) << (format.precision - 1);
}

}  // namespace

Values few_edges(Format format) {
  const int p = format.precision;
  const std::uint64_t one = format.one();
  const std::uint64_t normal = format.smallest_normal();
  const std::uint64_t quiet = normal >> 1;
  return with_both_signs(
      format, {0, 1, normal - 1, normal, normal + 1, one - 1, one, one + 1, power(format, -p), power(format, 1 - p) - 1,
               power(format, p), format.infinity() - 1, format.infinity(), format.infinity() | quiet | 5});
}

Values edges(Format format) {
  const int p = format.precision;
  const int largest = format.largest_exponent();
  const std::uint64_t one = format.one();
  const std::uint64_t normal = format.smallest_normal();
  const std::uint64_t quiet = normal >> 1;
  Values more{2,
              3,
              normal / 2,
              normal / 2 + 1,
              normal - 2,
              normal * 2 - 1,
              normal * 2,
              one + 2,
              one - 2,
              one | quiet,
              one | quiet | 1,
              power(format, 1),
              power(format, 1) - 1,
              power(format, 1) | quiet,
              power(format, -1),
              power(format, 1 - p),
              power(format, 1 - p) + 1,
              power(format, p - 1),
              power(format, p - 1) | 1,
              power(format, largest - 1),
              power(format, largest - 1) - 1,
              power(format, largest),
              power(format, 1 - largest / 2),
              power(format, 1 - largest / 2) - 1,
              power(format, -largest / 2) | quiet,
              power(format, largest / 2) + 1,
              format.infinity() - 2,
              format.infinity() | 1,
              format.infinity() | quiet};
  return joined(few_edges(format), with_both_signs(format, more));
}

Inputs all_halves() {
  Inputs all;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) all.push_back({bits, 0, 0});
  return all;
}

Values integer_edges(int bits) {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  Values values;
  for (int bit = 0; bit < bits; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t near : {power - 1, power, power + 1, power | power >> 1 | 1}) {
      values.push_back(near & mask);
      values.push_back((0 - near) & mask);
    }
    // What lies just beside a tie of a narrower format.
    for (const int precision : {8, 11, 24, 53}) {
      if (bit < precision) continue;
      const std::uint64_t tie = power | power >> precision;
      for (const std::uint64_t near : {tie - 1, tie, tie + 1, tie | power >> (precision - 1)}) {
        values.push_back(near & mask);
        values.push_back((0 - near) & mask);
      }
    }
  }
  return values;
}

Inputs singles(const Values& values) {
  Inputs inputs;
  for (const std::uint64_t value : values) inputs.push_back({value, 0, 0});
  return inputs;
}

Inputs pairs(const Values& first, const Values& second) {
  Inputs inputs;
  for (const std::uint64_t a : first) {
    for (const std::uint64_t b : second) inputs.push_back({a, b, 0});
  }
  return inputs;
}

Inputs triples(const Values& first, const Values& second, const Values& third) {
  Inputs inputs;
  for (const std::uint64_t a : first) {
    for (const std::uint64_t b : second) {
      for (const std::uint64_t c : third) inputs.push_back({a, b, c});
    }
  }
  return inputs;
}

Inputs random_operands(Format format, std::size_t count, int sources) {
  std::mt19937_64 bits(20250607);
  const int largest = format.largest_exponent();
  Inputs inputs;
  for (std::size_t i = 0; i < count; ++i) {
    // Products and sums near the ends of the range, and in the middle of it.
    const int centre = static_cast<int>(bits() % 4) * largest / 3 - largest / 2;
    Operands operands{};
    for (int source = 0; source < sources; ++source) {
      const int spread = static_cast<int>(bits() % static_cast<unsigned>(2 * format.precision + 3)) - format.precision;
      const int wanted = source == 2 ? 2 * centre + spread : centre + spread / 2;
      const int exponent = std::clamp(wanted, -largest, largest);
      const std::uint64_t fraction = bits() & (format.smallest_normal() - 1);
      operands[static_cast<std::size_t>(source)] =
          power(format, exponent) | fraction | ((bits() & 1) != 0 ? format.sign() : 0);
    }
    inputs.push_back(operands);
  }
  return inputs;
}

Values random_bits(int bits, std::size_t count) {
  std::mt19937_64 source(static_cast<unsigned>(bits));
  Values values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(source() >> (64 - bits));
  return values;
}

}  // namespace emulator::float_tests
