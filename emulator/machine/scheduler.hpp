// SPDX-License-Identifier: Apache-2.0
// The state of warps and blocks between handlers, and the operations on it: groups of lanes, turns, barriers, blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/frames.hpp"
#include "machine/groups.hpp"
#include "machine/warp.hpp"

namespace emulator {

/// Threads a block may have, in warps.
inline constexpr unsigned block_warps = 32;
inline constexpr unsigned barrier_count = 16;
/// Work units of one turn of a warp: an op is one.
inline constexpr std::int64_t turn_fuel = 16384;
/// What a spin (failed cas, volatile load) costs, so that 64 of them end a turn.
inline constexpr std::int64_t spin_fuel = turn_fuel / 64;
/// Backward branches and spins that a group may do while others of its warp could run.
inline constexpr std::int32_t group_budget = 64;
/// Ops that a group gets out of order, after another group's budget was spent.
inline constexpr std::int64_t rotated_ops = 256;
inline constexpr std::uint32_t no_pc = 0xffffffffu;

/// What a group of lanes is waiting for.
enum class GroupState : std::uint8_t { runnable, barrier, collective };

/// A collective's lanes that share a frame.
struct Piece {
  std::byte* frame = nullptr;
  const Op* op = nullptr;
  LaneMask lanes = 0;
};

/// Exchanges values between the lanes of some pieces; null for one that only waits.
using CollectiveBody = void (*)(const Piece* pieces, unsigned count, Warp& warp);

/// Lanes of a warp that are not running but will go on together.
struct Group {
  Frame* frame = nullptr;
  std::uint32_t pc = 0;  ///< of the next op; of the collective itself while waiting for it
  LaneMask lanes = 0;
  GroupState state = GroupState::runnable;
  std::uint8_t barrier = 0;
  LaneMask members = 0;    ///< that a collective waits for
  const Op* op = nullptr;  ///< the barrier or collective
  CollectiveBody body = nullptr;
  std::uint64_t stamp = 0;  ///< when it last ran
};

/// The groups of a warp besides the running one, and the running one's allowances.
struct WarpScheduling {
  std::int64_t fuel = 0;          ///< left of this turn
  std::int64_t rotated_left = 0;  ///< ops left for a group that runs out of order
  std::int32_t budget = group_budget;
  std::uint32_t spins = 0;        ///< of this turn
  std::uint32_t runnable = 0;     ///< groups in `groups` that could run
  std::uint32_t count = 0;        ///< groups in `groups`
  std::uint32_t stop_pc = no_pc;  ///< of the running group's frame: a runnable group waits there
  bool rotated = false;           ///< the running group is not the one that order prefers
  LaneMask live = 0;              ///< lanes that have not exited
  LaneMask existing = 0;          ///< lanes that the block has
  std::uint64_t waiting_key = 0;  ///< of the preferred waiting group, or lower: then it must be looked up
  std::uint64_t clock = 0;        ///< of stamps
  std::uint64_t executed = 0;     ///< thread-instructions, over all blocks that had this place
  std::uint64_t last_time = 0;    ///< what %clock64 answered last
  Group groups[warp_size];
};

/// One of the sixteen barriers of a block.
struct Barrier {
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t expected = 0;  ///< threads; 0: all that have not exited
  std::uint32_t holds = 0;     ///< arrivals with a true predicate
  LaneMask lanes[block_warps] = {};
};

/// What a block's warps share.
struct BlockScheduling {
  FrameArena* arena = nullptr;
  Warp* warps = nullptr;
  unsigned warp_count = 0;
  unsigned worker = 0;         ///< %smid
  std::uint32_t runnable = 0;  ///< warps, one bit each
  std::uint32_t live_threads = 0;
  std::uint32_t barriers_in_use = 0;  ///< bit mask: somebody has arrived
  Barrier barriers[barrier_count];
};

/// Why a warp's turn ended.
enum class Turn : std::uint8_t {
  finished,  ///< all lanes have exited
  blocked,   ///< each group waits
  spent,     ///< the turn was used up by work
  spinning,  ///< the turn was used up by waiting in a loop
  fault,
};

class Observer;

/// Runs a warp for one turn. The observer sees each op; null costs nothing.
Turn run_warp(Warp& warp, Observer* observer);

// Groups. All of these keep the rule: the running group is in Warp (active != 0), all others in WarpScheduling::groups.

/// Adds a group of lanes that no longer belong to the running group.
void add_group(Warp& warp, const Group& group);
/// Takes lanes off the running group; they go on at `pc` of its frame when the scheduler gets to them.
void split_off(Warp& warp, LaneMask lanes, std::uint32_t pc);
/// Makes a group of the warp runnable, at its pc.
void wake_group(Warp& warp, Group& group);
/// Picks the running group after a jump, a wait or at the begin of a turn; false where no group can run.
bool settle(Warp& warp, std::int64_t ops_done);
/// Switches the running group to another activation.
void enter_frame(Warp& warp, Frame* frame, std::uint32_t pc);
/// Drops lanes from an activation and, with `exit`, its callers; activations without lanes are recycled.
void leave_frames(Warp& warp, LaneMask lanes, bool exit);
/// The lanes end. They belong to the running group.
void exit_lanes(Warp& warp, LaneMask lanes);

// Barriers and collectives.

/// Releases barriers that are complete now that threads have exited.
void recheck_barriers(Block& block);
/// Releases collectives of the warp that are complete now that lanes have exited.
void recheck_collectives(Warp& warp);

}  // namespace emulator
