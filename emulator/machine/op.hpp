// SPDX-License-Identifier: Apache-2.0
// The decoded instruction: a handler and byte offsets into the frame. One dispatch runs it for all lanes of a group.
#pragma once

#include <cstdint>

#include "common/types.hpp"

namespace emulator {

struct Warp;
struct Op;

/// What the loop does after a handler.
enum class Outcome : std::uint8_t {
  next,    ///< goes on with warp.pc
  jumped,  ///< warp.pc, warp.active or warp.frame changed: branch, call, return, exit
  wait,    ///< the group waits (barrier, collective, nanosleep); the handler has said for what
  fault,   ///< warp.fault says why
};

/// Runs one op for the lanes in `mask` (never empty, guard applied). Lanes outside keep all their state.
using Handler = Outcome (*)(Warp& warp, const Op& op, LaneMask mask) noexcept;

/// Offset 0 of each frame holds a mask of all lanes: the guard of unguarded ops.
inline constexpr std::uint32_t guard_always = 0;

/// A decoded instruction.
///
/// Operands are byte offsets from `warp.frame`. A register or constant of 64 bits is uint64_t[32]; of 32, 16 or 8 bits uint32_t[32] (what lies above
/// 16 or 8 bits is unspecified: readers truncate). A predicate is one LaneMask; bit 0 of its offset set means negated (sources only).
struct Op {
  Handler handler = nullptr;
  std::uint32_t operand[6] = {};
  std::uint64_t immediate =
      0;  ///< displacement of an address, lookup table of lop3, lane mask literal...; the row's comment says
  std::uint32_t guard = guard_always;  ///< predicate offset, bit 0: negated
  std::uint32_t aux = 0;               ///< target pc, call site index, stride: the row's comment says
};
static_assert(sizeof(Op) == 48);

}  // namespace emulator
