// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic as one learns it at school: bit by bit, on sign and magnitude. It shares nothing with the ops.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator::integer_tests {

/// The sources of one lane.
using Input = std::array<std::uint64_t, 4>;

/// What a test runs through: how many sources, and their values.
struct Inputs {
  unsigned sources = 0;
  std::vector<Input> lanes;
};

/// An integer type of PTX.
struct Type {
  std::string name;
  unsigned bits;
  bool is_signed;
};

/// The low bits.
std::uint64_t low(std::uint64_t value, unsigned bits);

/// The value that bits stand for, in a type that holds all of them.
__int128 value_of(std::uint64_t bits, const Type& type);

/// Bits of a value; what does not fit is lost.
std::uint64_t bits_of(__int128 value, unsigned bits);

/// Into the range of the type.
std::uint64_t saturated(__int128 value, const Type& type);

/// A product of twice the width, made of shifted copies.
struct Product {
  std::uint64_t high;
  std::uint64_t low;
};
Product multiply(std::uint64_t a, std::uint64_t b, const Type& type);

/// Long division, bit by bit; rounds towards zero. The divisor is not zero.
struct Division {
  std::uint64_t quotient;
  std::uint64_t remainder;
};
Division divide(std::uint64_t a, std::uint64_t b, const Type& type);

/// Values at which integer code goes wrong: around 0, widths, powers of two, both ends.
std::vector<std::uint64_t> edges(unsigned bits);

/// Shift amounts, positions, lengths: every small one, and what low bytes and masks cut off.
std::vector<std::uint64_t> amounts();

/// Every 16-bit value.
std::vector<std::uint64_t> every_half();

/// All combinations of one value of each list.
Inputs combinations(const std::vector<std::vector<std::uint64_t>>& lists);

/// What a test of pairs takes: edges x edges; for 16 bits every value x edges, and some edges x every value.
const Inputs& pairs(const Type& type);

/// Edges three times.
Inputs triples(const Type& type);

inline const std::vector<Type> arithmetic_types = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                                                   {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

}  // namespace emulator::integer_tests
