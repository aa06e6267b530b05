// SPDX-License-Identifier: Apache-2.0
// Divergence: which lanes of a warp run next. Deepest activation first, then lowest pc, so that lanes meet again at joins;
// a budget bounds how long the preferred group may spin while others wait.
#include <algorithm>

#include "machine/scheduler.hpp"

namespace emulator {
namespace {

std::uint64_t key_of(const Frame* frame, std::uint32_t pc) {
  return std::uint64_t{0xffffffffu - frame->depth} << 32 | pc;
}

void load(Warp& warp, const Group& group) {
  warp.active = group.lanes;
  enter_frame(warp, group.frame, group.pc);
}

Group running_group(Warp& warp) {
  Group group;
  group.frame = warp.activation;
  group.pc = warp.pc;
  group.lanes = warp.active;
  group.stamp = ++warp.scheduling->clock;
  return group;
}

Group take_group(WarpScheduling& scheduling, std::uint32_t place) {
  const Group group = scheduling.groups[place];
  scheduling.groups[place] = scheduling.groups[--scheduling.count];
  --scheduling.runnable;
  return group;
}

/// Adds groups at the running one's place to it, and finds where it may meet others.
void join_and_look_ahead(Warp& warp) {
  WarpScheduling& scheduling = *warp.scheduling;
  std::uint64_t nearest = ~std::uint64_t{0};
  std::uint32_t stop = no_pc;
  for (std::uint32_t place = 0; place < scheduling.count;) {
    const Group& group = scheduling.groups[place];
    if (group.state != GroupState::runnable) {
      ++place;
      continue;
    }
    if (group.frame == warp.activation && group.pc == warp.pc) {
      warp.active |= group.lanes;
      take_group(scheduling, place);
      continue;
    }
    nearest = std::min(nearest, key_of(group.frame, group.pc));
    if (group.frame == warp.activation && group.pc > warp.pc) stop = std::min(stop, group.pc);
    ++place;
  }
  scheduling.waiting_key = nearest;
  scheduling.stop_pc = stop;
}

bool select_preferred(Warp& warp) {
  WarpScheduling& scheduling = *warp.scheduling;
  scheduling.rotated = false;
  scheduling.stop_pc = no_pc;
  if (scheduling.runnable == 0) return false;
  std::uint32_t best = no_pc;
  std::uint64_t best_key = 0;
  for (std::uint32_t place = 0; place < scheduling.count; ++place) {
    const Group& group = scheduling.groups[place];
    if (group.state != GroupState::runnable) continue;
    const std::uint64_t key = key_of(group.frame, group.pc);
    if (best == no_pc || key < best_key) {
      best = place;
      best_key = key;
    }
  }
  load(warp, take_group(scheduling, best));
  join_and_look_ahead(warp);
  return true;
}

/// Lets the group run that has waited longest, for a while.
void rotate(Warp& warp) {
  WarpScheduling& scheduling = *warp.scheduling;
  std::uint32_t oldest = no_pc;
  for (std::uint32_t place = 0; place < scheduling.count; ++place) {
    const Group& group = scheduling.groups[place];
    if (group.state != GroupState::runnable) continue;
    if (oldest == no_pc || group.stamp < scheduling.groups[oldest].stamp) oldest = place;
  }
  const Group next = take_group(scheduling, oldest);
  add_group(warp, running_group(warp));
  load(warp, next);
  join_and_look_ahead(warp);
  scheduling.rotated = true;
  scheduling.rotated_left = rotated_ops;
  scheduling.budget = group_budget;
}

}  // namespace

void spend_budget(Warp& warp, std::uint32_t amount) {
  WarpScheduling& scheduling = *warp.scheduling;
  scheduling.spins += amount;
  scheduling.fuel -= static_cast<std::int64_t>(amount) * spin_fuel;
  if (scheduling.runnable != 0) scheduling.budget -= static_cast<std::int32_t>(amount);
}

void enter_frame(Warp& warp, Frame* frame, std::uint32_t pc) {
  // Who waits where was worked out for another activation.
  warp.scheduling->waiting_key = 0;
  warp.activation = frame;
  warp.frame = frame->base();
  warp.function = frame->function;
  warp.local_base = frame->local_base;
  warp.pc = pc;
}

void add_group(Warp& warp, const Group& group) {
  WarpScheduling& scheduling = *warp.scheduling;
  scheduling.groups[scheduling.count++] = group;
  if (group.state == GroupState::runnable) {
    ++scheduling.runnable;
    scheduling.waiting_key = 0;
  }
}

void split_off(Warp& warp, LaneMask lanes, std::uint32_t pc) {
  Group group = running_group(warp);
  group.lanes = lanes;
  group.pc = pc;
  warp.active &= ~lanes;
  add_group(warp, group);
}

void wake_group(Warp& warp, Group& group) {
  group.state = GroupState::runnable;
  group.op = nullptr;
  group.body = nullptr;
  ++warp.scheduling->runnable;
  warp.scheduling->waiting_key = 0;
}

bool settle(Warp& warp, std::int64_t ops_done) {
  WarpScheduling& scheduling = *warp.scheduling;
  if (warp.active == 0) {
    scheduling.budget = group_budget;
    return select_preferred(warp);
  }
  if (scheduling.runnable == 0) {
    scheduling.stop_pc = no_pc;
    scheduling.rotated = false;
    scheduling.budget = group_budget;
    return true;
  }
  if (scheduling.budget <= 0) {
    rotate(warp);
    return true;
  }
  if (scheduling.rotated) {
    scheduling.rotated_left -= ops_done;
    if (scheduling.rotated_left > 0) {
      join_and_look_ahead(warp);
      return true;
    }
    scheduling.budget = group_budget;
  } else if (key_of(warp.activation, warp.pc) < scheduling.waiting_key) {
    return true;
  }
  add_group(warp, running_group(warp));
  return select_preferred(warp);
}

void leave_frames(Warp& warp, LaneMask lanes, bool exit) {
  Frame* frame = warp.activation;
  do {
    Frame* caller = frame->caller;
    frame->lanes &= ~lanes;
    if (frame->lanes == 0) warp.block->scheduling->arena->give(frame);
    frame = caller;
  } while (exit && frame != nullptr);
}

void exit_lanes(Warp& warp, LaneMask lanes) {
  WarpScheduling& scheduling = *warp.scheduling;
  leave_frames(warp, lanes, true);
  scheduling.live &= ~lanes;
  warp.idle |= lanes;
  warp.active &= ~lanes;
  Block& block = *warp.block;
  block.scheduling->live_threads -= static_cast<std::uint32_t>(__builtin_popcount(lanes));
  if (scheduling.count != 0) recheck_collectives(warp);
  if (block.scheduling->barriers_in_use != 0) recheck_barriers(block);
}

}  // namespace emulator
