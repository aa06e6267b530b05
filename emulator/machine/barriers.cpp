// SPDX-License-Identifier: Apache-2.0
// The sixteen barriers of a block. They count threads, wherever in the code each arrives; threads that have exited are not expected.
#include "machine/rows.hpp"
#include "machine/scheduler.hpp"

namespace emulator {
namespace {

enum class BarrierKind : std::uint8_t { sync, arrive, popc, all, any };

std::uint32_t count_bits(LaneMask lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); }

/// Hardware counts whole warps: lanes that do not exist or have exited count with the rest of a warp that has arrived.
std::uint32_t absent_threads(const BlockScheduling& scheduling, const Barrier& barrier) {
  std::uint32_t absent = 0;
  for (unsigned index = 0; index < scheduling.warp_count; ++index) {
    const LaneMask arrived = barrier.lanes[index];
    if (arrived != 0) absent += count_bits(scheduling.warps[index].idle & ~arrived);
  }
  return absent;
}

bool complete(const BlockScheduling& scheduling, const Barrier& barrier) {
  if (barrier.expected == 0) return barrier.arrived == scheduling.live_threads;
  return barrier.arrived + absent_threads(scheduling, barrier) >= barrier.expected;
}

template <BarrierKind kind>
void write_result(std::byte* frame, const Op& op, LaneMask lanes, std::uint32_t holds, std::uint32_t arrived) {
  if constexpr (kind == BarrierKind::popc) {
    auto* values = reinterpret_cast<std::uint32_t*>(frame + op.operand[0]);
    for (unsigned lane = 0; lane < warp_size; ++lane) values[lane] = (lanes >> lane & 1u) != 0 ? holds : values[lane];
  } else if constexpr (kind == BarrierKind::all || kind == BarrierKind::any) {
    const bool result = kind == BarrierKind::all ? holds == arrived : holds != 0;
    auto& value = *reinterpret_cast<LaneMask*>(frame + op.operand[0]);
    value = (value & ~lanes) | (result ? lanes : 0);
  }
}

template <BarrierKind kind>
Outcome barrier_handler(Warp& warp, const Op& op, LaneMask mask) noexcept;

/// Gives a waiting group its result by what it waits with.
void deliver(const Group& group, std::uint32_t holds, std::uint32_t arrived) {
  std::byte* frame = group.frame->base();
  if (group.op->handler == barrier_handler<BarrierKind::popc>) {
    write_result<BarrierKind::popc>(frame, *group.op, group.lanes, holds, arrived);
  } else if (group.op->handler == barrier_handler<BarrierKind::all>) {
    write_result<BarrierKind::all>(frame, *group.op, group.lanes, holds, arrived);
  } else if (group.op->handler == barrier_handler<BarrierKind::any>) {
    write_result<BarrierKind::any>(frame, *group.op, group.lanes, holds, arrived);
  }
}

void release(BlockScheduling& scheduling, unsigned id) {
  Barrier& barrier = scheduling.barriers[id];
  for (unsigned index = 0; index < scheduling.warp_count; ++index) {
    if (barrier.lanes[index] == 0) continue;
    Warp& warp = scheduling.warps[index];
    WarpScheduling& groups = *warp.scheduling;
    for (std::uint32_t place = 0; place < groups.count; ++place) {
      Group& group = groups.groups[place];
      if (group.state != GroupState::barrier || group.barrier != id) continue;
      deliver(group, barrier.holds, barrier.arrived);
      wake_group(warp, group);
      scheduling.runnable |= 1u << index;
    }
  }
  barrier = Barrier{};
  scheduling.barriers_in_use &= ~(1u << id);
}

/// The lanes that name the same barrier and count as the first one of `mask` does.
LaneMask same_barrier(Warp& warp, std::uint32_t id_operand, std::uint32_t count_operand, LaneMask mask) {
  const auto* id = lane_values<std::uint32_t>(warp, id_operand);
  const auto* count = lane_values<std::uint32_t>(warp, count_operand);
  const int first = __builtin_ctz(mask);
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const bool same = id[lane] == id[first] && count[lane] == count[first];
    lanes |= LaneMask{same} << lane;
  }
  return lanes & mask;
}

template <BarrierKind kind>
Outcome barrier_handler(Warp& warp, const Op& op, LaneMask mask) noexcept {
  constexpr bool reduces = kind != BarrierKind::sync && kind != BarrierKind::arrive;
  constexpr unsigned first_operand = reduces ? 1 : 0;
  const LaneMask lanes = same_barrier(warp, op.operand[first_operand], op.operand[first_operand + 1], mask);
  const int first = __builtin_ctz(lanes);
  const std::uint32_t id = lane_values<std::uint32_t>(warp, op.operand[first_operand])[first];
  const std::uint32_t count = lane_values<std::uint32_t>(warp, op.operand[first_operand + 1])[first];
  if (id >= barrier_count || count % warp_size != 0 || (kind == BarrierKind::arrive && count == 0)) {
    raise_fault(warp, FaultKind::illegal_instruction, lanes);
    warp.fault->note = "barrier " + std::to_string(id) + " for " + std::to_string(count) + " threads";
    return Outcome::fault;
  }
  // Lanes that name another barrier come back to this op.
  if (lanes != mask) split_off(warp, mask & ~lanes, warp.pc - 1);

  BlockScheduling& scheduling = *warp.block->scheduling;
  Barrier& barrier = scheduling.barriers[id];
  barrier.arrived += count_bits(lanes);
  barrier.expected = count;
  barrier.lanes[warp.index] |= lanes;
  if constexpr (reduces) barrier.holds += count_bits(read_predicate(warp, op.operand[3]) & lanes);
  scheduling.barriers_in_use |= 1u << id;
  const bool last = complete(scheduling, barrier);

  if (kind == BarrierKind::arrive || (last && lanes == warp.active)) {
    if (last) {
      write_result<kind>(warp.frame, op, lanes, barrier.holds, barrier.arrived);
      release(scheduling, id);
    }
    return Outcome::jumped;
  }
  Group group;
  group.frame = warp.activation;
  group.pc = warp.pc;
  group.lanes = lanes;
  group.state = GroupState::barrier;
  group.barrier = static_cast<std::uint8_t>(id);
  group.op = &op;
  warp.active &= ~lanes;
  add_group(warp, group);
  if (last) release(scheduling, id);
  return Outcome::wait;
}

}  // namespace

void recheck_barriers(Block& block) {
  BlockScheduling& scheduling = *block.scheduling;
  for (unsigned id = 0; id < barrier_count; ++id) {
    if ((scheduling.barriers_in_use >> id & 1u) == 0) continue;
    if (complete(scheduling, scheduling.barriers[id])) release(scheduling, id);
  }
}

void add_barrier_rows(OpcodeTable& table) {
  table.add("bar.sync", "b32 b32", barrier_handler<BarrierKind::sync>);
  table.add("bar.arrive", "b32 b32", barrier_handler<BarrierKind::arrive>);
  table.add("bar.red.popc.u32", "=b32 b32 b32 p", barrier_handler<BarrierKind::popc>);
  table.add("bar.red.and.pred", "=p b32 b32 p", barrier_handler<BarrierKind::all>);
  table.add("bar.red.or.pred", "=p b32 b32 p", barrier_handler<BarrierKind::any>);
}

}  // namespace emulator
