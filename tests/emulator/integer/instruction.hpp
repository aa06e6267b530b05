// SPDX-License-Identifier: Apache-2.0
// One instruction on a warp made by hand: the row gives handler and signature, the test gives lanes and looks at lanes.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/opcode_table.hpp"
#include "machine/warp.hpp"
#include "reference.hpp"

namespace emulator::integer_tests {

using Lanes = std::array<std::uint64_t, warp_size>;

/// The integer rows of one build of the op files.
struct Variant {
  std::string name;
  OpcodeTable table;
};

/// Those this CPU can run: baseline always.
const std::vector<const Variant*>& variants();

/// The same value in all lanes.
Lanes all_lanes(std::uint64_t value);

/// An instruction with its operands' registers. Above a value of 16 or 8 bits lies noise, as machine/op.hpp allows.
class Instruction {
 public:
  /// Throws std::invalid_argument where the table has no such row.
  Instruction(const Variant& variant, std::string_view spelling);
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;

  /// Bits of an operand by the signature; 1 for predicates.
  [[nodiscard]] unsigned bits(unsigned operand) const { return slots_.at(operand).bits; }
  [[nodiscard]] unsigned operands() const { return static_cast<unsigned>(slots_.size()); }
  /// Fills a register.
  void set(unsigned operand, const Lanes& values);
  /// Fills a predicate; `negated` as in !p.
  void set_predicate(unsigned operand, LaneMask values, bool negated = false);
  /// Makes an operand the register of another one.
  void alias(unsigned operand, unsigned other) { op_.operand[operand] = place_of(other); }
  void run(LaneMask mask);
  /// The low `bits` of each lane.
  [[nodiscard]] Lanes get(unsigned operand) const;
  /// What a 32-bit reader sees of a narrower result.
  [[nodiscard]] std::uint32_t whole_slot(unsigned operand, unsigned lane) const;
  [[nodiscard]] LaneMask get_predicate(unsigned operand) const;
  [[nodiscard]] const std::string& variant() const { return variant_; }
  Warp& warp() { return warp_; }
  Op& op() { return op_; }

 private:
  struct Slot {
    unsigned bits = 0;
    bool is_literal = false;
  };
  static constexpr std::uint32_t place_of(unsigned operand) { return 256 * (operand + 1); }

  std::string variant_;
  std::vector<Slot> slots_;
  Op op_;
  Warp warp_;
  alignas(64) std::array<std::byte, 256 * 8> frame_{};
};

/// Full, partial and single-lane masks in turn.
LaneMask mask_of_batch(std::size_t batch);

/// Text of a mismatch.
std::string describe(std::string_view spelling, const Inputs& inputs, const Input& input, std::uint64_t expected,
                     std::uint64_t found);

/// One batch of check: true where all lanes are as expected.
bool check_batch(Instruction& instruction, std::string_view spelling, const Inputs& inputs, std::size_t first,
                 const Lanes& expected);

/// Compares `operand[0] = reference(sources)` on all inputs, 32 at a time, in every variant: lanes outside of the mask
/// must keep what they had, and the destination is also a source's register now and then. Stops at the first mismatch.
template <class Reference>
void check(std::string_view spelling, const Inputs& inputs, Reference reference) {
  std::vector<std::unique_ptr<Instruction>> instructions;
  for (const Variant* variant : variants()) instructions.push_back(std::make_unique<Instruction>(*variant, spelling));
  for (std::size_t first = 0; first < inputs.lanes.size(); first += warp_size) {
    Lanes expected;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      expected[lane] = reference(inputs.lanes[(first + lane) % inputs.lanes.size()]);
    }
    for (const auto& instruction : instructions) {
      if (!check_batch(*instruction, spelling, inputs, first, expected)) return;
    }
  }
}

}  // namespace emulator::integer_tests
