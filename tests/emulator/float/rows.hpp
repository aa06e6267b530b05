// SPDX-License-Identifier: Apache-2.0
// Runs one row on lanes made by hand, in every variant of the op files, and compares with a reference.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/opcode_table.hpp"
#include "machine/warp.hpp"

namespace emulator::float_tests {

/// Up to three operands of one lane.
using Operands = std::array<std::uint64_t, 3>;
using Inputs = std::vector<Operands>;

/// The float rows of one build of the op files.
struct Variant {
  std::string name;
  OpcodeTable table;
};

/// Those that this CPU can run: baseline and portable always.
const std::vector<Variant>& variants();

/// A row bound to registers of a frame of its own.
class Row {
 public:
  Row(const OpcodeTable& table, std::string_view spelling);

  /// Fills the registers of source operand `index` (0: the first after the destinations).
  void set_source(unsigned index, unsigned lane, std::uint64_t value);
  void set_destination(unsigned index, unsigned lane, std::uint64_t value) { write(index, lane, value); }
  /// Lanes of a destination; predicates are 0 or 1. Registers narrower than 32 bits are cut to their width.
  [[nodiscard]] std::uint64_t destination(unsigned index, unsigned lane) const;
  /// All 32 bits of a narrower destination.
  [[nodiscard]] std::uint32_t whole_register(unsigned index, unsigned lane) const;
  [[nodiscard]] unsigned sources() const { return static_cast<unsigned>(slots_.size()) - destinations_; }
  void run(LaneMask mask, LaneMask idle = 0);
  /// Makes the first destination the register of the first source; false where their widths differ.
  bool alias_destination();
  void negate_predicate(unsigned source) { op_.operand[destinations_ + source] |= 1u; }

 private:
  void write(unsigned operand, unsigned lane, std::uint64_t value);

  std::vector<unsigned> slots_;  // bits of each operand; 1: predicate
  unsigned destinations_ = 0;
  Op op_;
  Warp warp_;
  Handler handler_ = nullptr;
  alignas(64) std::array<std::byte, 256 * 8> frame_{};
};

using Reference = std::function<std::uint64_t(const Operands&)>;

/// Whether a lane's result is right.
using Judge = std::function<bool(const Operands&, std::uint64_t found)>;

/// All inputs in every variant, with full, partial and idle masks and with the destination on a source: each lane
/// must hold what the reference gives, lanes outside of the mask what they had.
void check(const std::string& spelling, const Inputs& inputs, const Reference& reference);

/// The same where the result only has to satisfy a judge.
void check_within(const std::string& spelling, const Inputs& inputs, const Judge& judge);

/// One lane's result in every variant, for expectations typed by hand.
void expect(const std::string& spelling, const Operands& operands, std::uint64_t expected);

}  // namespace emulator::float_tests
