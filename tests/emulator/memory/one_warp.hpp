// SPDX-License-Identifier: Apache-2.0
// One warp made by hand, whose ops are run one by one through the rows of an instruction set variant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/opcode_table.hpp"
#include "machine/warp.hpp"

namespace emulator::test {

/// Instruction set variants that this CPU can run.
std::vector<std::string> variants();

/// Memory and atomic rows of a variant.
const OpcodeTable& rows_of(const std::string& variant);

/// Calls of spend_budget since the last question.
std::uint32_t budget_spent();

/// A block of one warp and everything around it.
class OneWarp {
 public:
  static constexpr std::uint32_t shared_bytes = 4096;
  static constexpr std::uint32_t local_bytes = 512;
  static constexpr std::uint32_t local_stride = 576;

  explicit OneWarp(const std::string& variant = "baseline");

  /// Register `index` of 32 lanes, wide enough for 64 bits each; every test counts its own registers.
  [[nodiscard]] std::uint32_t place(unsigned index) const { return 64 + index * 256; }
  std::uint64_t* wide(unsigned index) { return lane_values<std::uint64_t>(warp, place(index)); }
  std::uint32_t* narrow(unsigned index) { return lane_values<std::uint32_t>(warp, place(index)); }
  /// Lane's value of a register of 32 or 64 bits.
  std::uint64_t value(unsigned index, unsigned bits, unsigned lane) {
    return bits == 64 ? wide(index)[lane] : narrow(index)[lane];
  }
  void set(unsigned index, unsigned bits, unsigned lane, std::uint64_t value);

  /// Runs a row with the given operand registers (by index, in the order of Op::operand).
  Outcome run(std::string_view spelling, const std::vector<unsigned>& registers, LaneMask mask = every_lane,
              std::uint64_t immediate = 0, std::uint32_t aux = 0);

  AddressSpace memory;
  Kernel kernel;
  Function function;
  Grid grid;
  Block block;
  Warp warp;
  Fault fault;
  std::vector<std::byte> shared_written;  ///< strict mode's record once strict() was called
  void strict();

 private:
  const OpcodeTable& rows_;
  std::vector<std::byte> frame_;
  std::vector<std::byte> shared_;
  std::vector<std::byte> local_;
  std::vector<std::byte> parameters_;
};

}  // namespace emulator::test
