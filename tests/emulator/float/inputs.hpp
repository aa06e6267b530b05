// SPDX-License-Identifier: Apache-2.0
// Operands of the float tests: the edges of each format, combined, and random bits that meet at interesting exponents.
#pragma once

#include <cstdint>
#include <vector>

#include "exact.hpp"
#include "rows.hpp"

namespace emulator::float_tests {

using Values = std::vector<std::uint64_t>;

/// Zeros, subnormals, the ends of the normal range, one and its neighbours, what rounds, infinities and NaN; both
/// signs.
Values edges(Format format);

/// A shorter list, for triples.
Values few_edges(Format format);

/// All 65,536 values of 16 bits.
Inputs all_halves();

/// Edges of integers of that width, as bits.
Values integer_edges(int bits);

Inputs singles(const Values& values);
Inputs pairs(const Values& first, const Values& second);
Inputs triples(const Values& first, const Values& second, const Values& third);

/// `count` random operands each of `sources` values whose exponents lie close together, so that results are inexact.
Inputs random_operands(Format format, std::size_t count, int sources);

/// Random bits.
Values random_bits(int bits, std::size_t count);

/// All of both.
template <class List>
List joined(List first, const List& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace emulator::float_tests
