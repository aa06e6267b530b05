// SPDX-License-Identifier: Apache-2.0
// Sees each executed op when a trace or a coverage file was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/warp.hpp"

namespace emulator {

/// What one worker of a grid has seen.
class Observer {
 public:
  /// Looks at the options; `trace` is decided by the kernel's name.
  explicit Observer(const Kernel& kernel);

  /// Whether options ask for any observation of this kernel.
  static bool wanted(const Kernel& kernel);

  /// Before an op runs for `mask`; warp.pc is already that of the next op.
  void before(const Warp& warp, const Op& op, LaneMask mask);
  /// After it has run, with the frame and function that it ran in.
  void after(const Warp& warp, const Op& op, LaneMask mask, const Function& function, const std::byte* frame,
             std::uint32_t pc);
  /// Appends what was executed for the first time in this process to the coverage file.
  void finish() const;

 private:
  [[nodiscard]] bool traces(const Warp& warp) const;

  const Kernel* kernel_;
  bool trace_ = false;
  bool coverage_ = false;
  std::vector<bool> executed_;   // by spelling
  std::uint64_t old_value_ = 0;  // lane 0's destination before the op
};

/// Bits of the destination of a PTX spelling: 1 for a predicate, 32 or 64, 0 where there is none.
unsigned destination_bits(const std::string& spelling);

}  // namespace emulator
