// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together. A collective runs at once where all lanes of its mask are here; else the group waits for the others.
#include <algorithm>

#include "machine/collective_bodies.hpp"
#include "machine/rows.hpp"
#include "machine/scheduler.hpp"

namespace emulator {
namespace {

/// The lanes of `mask` whose member mask is that of the first.
LaneMask same_members(const std::uint32_t* members, LaneMask mask) {
  const std::uint32_t chosen = members[__builtin_ctz(mask)];
  std::uint32_t differences = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) differences |= members[lane] ^ chosen;
  if (differences == 0) return mask;
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) lanes |= LaneMask{members[lane] == chosen} << lane;
  return lanes & mask;
}

/// Whether a waiting group takes part in the collective at `pc` of `function`.
bool takes_part(const Group& group, const Function* function, const Op& op, std::uint32_t pc, LaneMask members) {
  if (group.state != GroupState::collective || group.op->handler != op.handler || group.members != members)
    return false;
  // Only the warp barrier exchanges nothing, and may be met at different places.
  return group.body == nullptr || (group.frame->function == function && group.pc == pc);
}

/// Runs the collective for the groups that wait for it and for `here`, if nobody is missing.
bool run_if_complete(Warp& warp, const Function* function, const Op& op, std::uint32_t pc, LaneMask members,
                     CollectiveBody body, const Piece& here) {
  WarpScheduling& scheduling = *warp.scheduling;
  Piece pieces[warp_size];
  std::uint32_t places[warp_size];
  unsigned count = 0;
  LaneMask lanes = here.lanes;
  for (std::uint32_t place = 0; place < scheduling.count; ++place) {
    const Group& group = scheduling.groups[place];
    if (!takes_part(group, function, op, pc, members)) continue;
    places[count] = place;
    pieces[count++] = Piece{group.frame->base(), group.op, group.lanes};
    lanes |= group.lanes;
  }
  if ((members & scheduling.live & ~lanes) != 0) return false;
  const unsigned waiting = count;
  if (here.lanes != 0) pieces[count++] = here;
  if (body != nullptr) body(pieces, count, warp);
  for (unsigned i = 0; i < waiting; ++i) {
    Group& group = scheduling.groups[places[i]];
    ++group.pc;
    wake_group(warp, group);
  }
  return true;
}

/// In strict mode, lanes outside their own mask are a finding.
bool outside_own_mask(Warp& warp, LaneMask lanes, LaneMask members) {
  if (!warp.block->grid->strict || (lanes & ~members) == 0) return false;
  raise_fault(warp, FaultKind::strict, lanes & ~members);
  warp.fault->note = "the thread is not in the member mask that it gives";
  return true;
}

/// The general way: lanes with several masks, or some of a mask's lanes elsewhere.
Outcome meet(Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* members, CollectiveBody body) {
  bool moved = false;
  const std::uint32_t pc = warp.pc - 1;
  for (LaneMask left = mask; left != 0;) {
    const LaneMask lanes = same_members(members, left);
    const LaneMask named = members[__builtin_ctz(left)];
    left &= ~lanes;
    if (outside_own_mask(warp, lanes, named)) return Outcome::fault;
    const std::uint32_t before = warp.scheduling->runnable;
    if (run_if_complete(warp, warp.function, op, pc, named, body, Piece{warp.frame, &op, lanes})) {
      moved |= warp.scheduling->runnable != before;
      continue;
    }
    Group group;
    group.frame = warp.activation;
    group.pc = pc;
    group.lanes = lanes;
    group.state = GroupState::collective;
    group.members = named;
    group.op = &op;
    group.body = body;
    warp.active &= ~lanes;
    add_group(warp, group);
    moved = true;
  }
  if (warp.fault->kind != FaultKind::none) return Outcome::fault;
  return moved ? Outcome::jumped : Outcome::next;
}

/// A collective with its member mask in operand `members_operand`.
template <auto body, unsigned members_operand>
Outcome collective(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* members = lane_values<std::uint32_t>(warp, op.operand[members_operand]);
  const LaneMask named = members[__builtin_ctz(mask)];
  const bool here = (named & warp.scheduling->live & ~mask) == 0 && (mask & ~named) == 0;
  if (!here || same_members(members, mask) != mask) return meet(warp, op, mask, members, body);
  if constexpr (!std::is_null_pointer_v<decltype(body)>) {
    const Piece piece{warp.frame, &op, mask};
    body(&piece, 1, warp);
    if (warp.fault->kind != FaultKind::none) return Outcome::fault;
  }
  return Outcome::next;
}

/// The forms without .sync: the lanes that happen to be here.
template <CollectiveBody body>
Outcome among_active(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const Piece piece{warp.frame, &op, mask};
  body(&piece, 1, warp);
  return warp.fault->kind != FaultKind::none ? Outcome::fault : Outcome::next;
}

Outcome active_mask(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask >> lane & 1u) != 0 ? mask : destination[lane];
  }
  return Outcome::next;
}

void add_shuffle_rows(OpcodeTable& table) {
  const char* const signature = "=b32 =p b32 b32 b32 b32";
  table.add("shfl.sync.up.b32", signature, collective<shuffle_up, 5>);
  table.add("shfl.sync.down.b32", signature, collective<shuffle_down, 5>);
  table.add("shfl.sync.bfly.b32", signature, collective<shuffle_butterfly, 5>);
  table.add("shfl.sync.idx.b32", signature, collective<shuffle_index, 5>);
  table.add("shfl.up.b32", "=b32 =p b32 b32 b32", among_active<shuffle_up>);
  table.add("shfl.down.b32", "=b32 =p b32 b32 b32", among_active<shuffle_down>);
  table.add("shfl.bfly.b32", "=b32 =p b32 b32 b32", among_active<shuffle_butterfly>);
  table.add("shfl.idx.b32", "=b32 =p b32 b32 b32", among_active<shuffle_index>);
}

void add_vote_rows(OpcodeTable& table) {
  table.add("vote.sync.all.pred", "=p p b32", collective<vote_all, 2>);
  table.add("vote.sync.any.pred", "=p p b32", collective<vote_any, 2>);
  table.add("vote.sync.uni.pred", "=p p b32", collective<vote_uniform, 2>);
  table.add("vote.sync.ballot.b32", "=b32 p b32", collective<vote_ballot, 2>);
  table.add("vote.all.pred", "=p p", among_active<vote_all>);
  table.add("vote.any.pred", "=p p", among_active<vote_any>);
  table.add("vote.uni.pred", "=p p", among_active<vote_uniform>);
  table.add("vote.ballot.b32", "=b32 p", among_active<vote_ballot>);
}

void add_match_and_redux_rows(OpcodeTable& table) {
  table.add("match.any.sync.b32", "=b32 b32 b32", collective<match_any_32, 2>);
  table.add("match.any.sync.b64", "=b32 b64 b32", collective<match_any_64, 2>);
  table.add("match.all.sync.b32", "=b32 =p b32 b32", collective<match_all_32, 3>);
  table.add("match.all.sync.b64", "=b32 =p b64 b32", collective<match_all_64, 3>);
  table.add("redux.sync.add.u32", "=b32 b32 b32", collective<reduce_add, 2>);
  table.add("redux.sync.add.s32", "=b32 b32 b32", collective<reduce_add, 2>);
  table.add("redux.sync.min.u32", "=b32 b32 b32", collective<reduce_min_unsigned, 2>);
  table.add("redux.sync.max.u32", "=b32 b32 b32", collective<reduce_max_unsigned, 2>);
  table.add("redux.sync.min.s32", "=b32 b32 b32", collective<reduce_min_signed, 2>);
  table.add("redux.sync.max.s32", "=b32 b32 b32", collective<reduce_max_signed, 2>);
  table.add("redux.sync.and.b32", "=b32 b32 b32", collective<reduce_and, 2>);
  table.add("redux.sync.or.b32", "=b32 b32 b32", collective<reduce_or, 2>);
  table.add("redux.sync.xor.b32", "=b32 b32 b32", collective<reduce_xor, 2>);
}

}  // namespace

void recheck_collectives(Warp& warp) {
  WarpScheduling& scheduling = *warp.scheduling;
  for (std::uint32_t place = 0; place < scheduling.count; ++place) {
    const Group& group = scheduling.groups[place];
    if (group.state != GroupState::collective) continue;
    run_if_complete(warp, group.frame->function, *group.op, group.pc, group.members, group.body, Piece{});
  }
}

void add_collective_rows(OpcodeTable& table) {
  add_barrier_rows(table);
  add_shuffle_rows(table);
  add_vote_rows(table);
  add_match_and_redux_rows(table);
  table.add("bar.warp.sync", "b32", collective<nullptr, 0>);
  table.add("activemask.b32", "=b32", active_mask);
}

}  // namespace emulator
