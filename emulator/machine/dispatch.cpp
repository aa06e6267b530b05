// SPDX-License-Identifier: Apache-2.0
// The loop that runs ops: the hottest code of the emulated device.
#include <bit>

#include "machine/observe.hpp"
#include "machine/scheduler.hpp"

namespace emulator {
namespace {

/// Runs the group until an op jumps, waits or faults, or until it comes where another group waits.
/// Returns the number of ops, and the outcome of the last.
template <bool observed>
std::int64_t run_straight(Warp& warp, std::uint32_t stop_pc, Outcome& outcome, Observer* observer) {
  const Function& function = *warp.function;
  const Op* const ops = function.ops.data();
  std::byte* const frame = warp.frame;
  const LaneMask active = warp.active;
  const std::uint32_t begin = warp.pc;
  std::uint32_t pc = begin;
  const Op* op = ops + pc;
  do {
    const Op& current = *op++;
    const LaneMask guard = *reinterpret_cast<const LaneMask*>(frame + (current.guard & ~1u));
    const LaneMask mask = active & (guard ^ (0u - (current.guard & 1u)));
    ++pc;
    if (mask == 0) continue;
    warp.pc = pc;
    if constexpr (observed) observer->before(warp, current, mask);
    outcome = current.handler(warp, current, mask);
    if constexpr (observed) observer->after(warp, current, mask, function, frame, pc - 1);
    if (outcome != Outcome::next) return pc - begin;
  } while (pc != stop_pc);
  warp.pc = pc;
  outcome = Outcome::jumped;
  return pc - begin;
}

template <bool observed>
Turn run_turn(Warp& warp, Observer* observer) {
  WarpScheduling& scheduling = *warp.scheduling;
  scheduling.fuel = turn_fuel;
  scheduling.spins = 0;
  if (!settle(warp, 0)) return scheduling.live == 0 ? Turn::finished : Turn::blocked;
  for (;;) {
    Outcome outcome = Outcome::next;
    const LaneMask lanes = warp.active;
    const std::int64_t done = run_straight<observed>(warp, scheduling.stop_pc, outcome, observer);
    if (outcome == Outcome::fault) return Turn::fault;
    scheduling.fuel -= done;
    scheduling.executed += static_cast<std::uint64_t>(done) * static_cast<unsigned>(std::popcount(lanes));
    if (warp.active == 0 || scheduling.runnable != 0) {
      if (!settle(warp, done)) return scheduling.live == 0 ? Turn::finished : Turn::blocked;
    } else {
      scheduling.stop_pc = no_pc;
    }
    if (scheduling.fuel <= 0) return scheduling.spins >= group_budget ? Turn::spinning : Turn::spent;
  }
}

}  // namespace

Turn run_warp(Warp& warp, Observer* observer) {
  return observer == nullptr ? run_turn<false>(warp, nullptr) : run_turn<true>(warp, observer);
}

}  // namespace emulator
