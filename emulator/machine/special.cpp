// SPDX-License-Identifier: Apache-2.0
// The special registers: one mov row each, "mov.special.<name without %>".
#include <algorithm>
#include <chrono>
#include <string>

#include "common/options.hpp"
#include "machine/rows.hpp"
#include "machine/scheduler.hpp"

namespace emulator {
namespace {

/// What the driver keeps of a block's shared memory on devices from 8.0 on.
constexpr std::uint32_t reserved_shared_bytes = 1024;

template <class T>
void write_all(Warp& warp, const Op& op, LaneMask mask, T value) {
  T* destination = lane_values<T>(warp, op.operand[0]);
  if ((mask | warp.idle) == every_lane) {
    std::fill_n(destination, warp_size, value);
    return;
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask >> lane & 1u) != 0 ? value : destination[lane];
  }
}

/// A register with one value for the warp, computed by `value`.
template <class T, auto value>
Outcome uniform(Warp& warp, const Op& op, LaneMask mask) noexcept {
  write_all<T>(warp, op, mask, value(warp));
  return Outcome::next;
}

/// A register with a value a lane, computed by `value` from the lane.
template <auto value>
Outcome by_lane(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask >> lane & 1u) != 0 ? value(lane) : destination[lane];
  }
  return Outcome::next;
}

template <auto array>
Outcome thread_index(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  const std::uint32_t* source = warp.*array;
  if ((mask | warp.idle) == every_lane) {
    std::copy_n(source, warp_size, destination);
    return Outcome::next;
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask >> lane & 1u) != 0 ? source[lane] : destination[lane];
  }
  return Outcome::next;
}

Outcome never(Warp& warp, const Op& op, LaneMask mask) noexcept {
  write_predicate(warp, op.operand[0], mask, 0);
  return Outcome::next;
}

/// Nanoseconds that only grow, for each warp with every reading.
std::uint64_t clock_of(Warp& warp) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto count = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  std::uint64_t& last = warp.scheduling->last_time;
  last = std::max(count, last + 1);
  // Who reads clocks in a loop waits for time to pass.
  spend_budget(warp, 1);
  return last;
}

/// Nanoseconds since 1970 by a clock that is never set back.
std::uint64_t global_time() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  static const auto offset = duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count() -
                             duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  const auto now = duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return static_cast<std::uint64_t>(now + offset);
}

std::uint64_t global_time_of(Warp& warp) {
  spend_budget(warp, 1);
  return global_time();
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

std::uint32_t shared_unit() { return options().compute_capability >= 80 ? 128 : 256; }

/// Shared memory in the allocation units of the claimed device.
std::uint32_t total_shared(const Warp& warp) {
  const std::uint32_t unit = shared_unit();
  return (warp.block->shared_bytes + unit - 1) / unit * unit;
}

const Grid& grid_of(const Warp& warp) { return *warp.block->grid; }

template <auto value>
void add_uniform(OpcodeTable& table, const std::string& name) {
  table.add("mov.special." + name, "=b32", uniform<std::uint32_t, value>);
}

template <auto value>
void add_wide(OpcodeTable& table, const std::string& name) {
  table.add("mov.special." + name, "=b64", uniform<std::uint64_t, value>);
}

template <auto dimensions>
void add_triple(OpcodeTable& table, const std::string& name) {
  add_uniform<[](Warp& warp) -> std::uint32_t { return dimensions(warp).x; }>(table, name + ".x");
  add_uniform<[](Warp& warp) -> std::uint32_t { return dimensions(warp).y; }>(table, name + ".y");
  add_uniform<[](Warp& warp) -> std::uint32_t { return dimensions(warp).z; }>(table, name + ".z");
}

template <std::uint32_t number>
std::uint32_t constant(Warp&) {
  return number;
}

void add_place_rows(OpcodeTable& table) {
  table.add("mov.special.tid.x", "=b32", thread_index<&Warp::thread_x>);
  table.add("mov.special.tid.y", "=b32", thread_index<&Warp::thread_y>);
  table.add("mov.special.tid.z", "=b32", thread_index<&Warp::thread_z>);
  add_triple<[](Warp& warp) { return grid_of(warp).block_size; }>(table, "ntid");
  add_triple<[](Warp& warp) { return warp.block->index; }>(table, "ctaid");
  add_triple<[](Warp& warp) { return grid_of(warp).size; }>(table, "nctaid");
  table.add("mov.special.laneid", "=b32", by_lane<[](unsigned lane) { return lane; }>);
  add_uniform<[](Warp& warp) { return warp.index; }>(table, "warpid");
  add_uniform<[](Warp& warp) { return warp.block->scheduling->warp_count; }>(table, "nwarpid");
  add_uniform<[](Warp& warp) { return warp.block->scheduling->worker; }>(table, "smid");
  add_uniform<[](Warp& warp) { return grid_of(warp).workers; }>(table, "nsmid");
  add_wide<[](Warp& warp) { return grid_of(warp).id; }>(table, "gridid");
  add_uniform<constant<warp_size>>(table, "WARP_SZ");
}

void add_lane_mask_rows(OpcodeTable& table) {
  const auto add = [&table](const char* name, Handler handler) {
    table.add(std::string("mov.special.lanemask_") + name, "=b32", handler);
  };
  add("eq", by_lane<[](unsigned lane) { return 1u << lane; }>);
  add("lt", by_lane<[](unsigned lane) { return (1u << lane) - 1; }>);
  add("le", by_lane<[](unsigned lane) { return (2u << lane) - 1; }>);
  add("gt", by_lane<[](unsigned lane) { return ~((2u << lane) - 1); }>);
  add("ge", by_lane<[](unsigned lane) { return ~((1u << lane) - 1); }>);
}

void add_time_rows(OpcodeTable& table) {
  add_uniform<[](Warp& warp) { return low(clock_of(warp)); }>(table, "clock");
  add_uniform<[](Warp& warp) { return high(clock_of(warp)); }>(table, "clock_hi");
  add_wide<[](Warp& warp) { return clock_of(warp); }>(table, "clock64");
  add_wide<[](Warp& warp) { return global_time_of(warp); }>(table, "globaltimer");
  add_uniform<[](Warp& warp) { return low(global_time_of(warp)); }>(table, "globaltimer_lo");
  add_uniform<[](Warp& warp) { return high(global_time_of(warp)); }>(table, "globaltimer_hi");
  for (const char* digit : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
    add_uniform<constant<0>>(table, std::string("pm") + digit);
    table.add(std::string("mov.special.pm") + digit + "_64", "=b64",
              uniform<std::uint64_t, [](Warp&) { return std::uint64_t{0}; }>);
  }
}

/// %envreg: all zero but the two that hold the workspace of grid sync, high word first.
void add_environment_rows(OpcodeTable& table) {
  for (unsigned number = 0; number < 32; ++number) {
    const std::string name = "envreg" + std::to_string(number);
    if (number == 1) {
      add_uniform<[](Warp& warp) { return high(grid_of(warp).workspace); }>(table, name);
    } else if (number == 2) {
      add_uniform<[](Warp& warp) { return low(grid_of(warp).workspace); }>(table, name);
    } else {
      add_uniform<constant<0>>(table, name);
    }
  }
}

void add_shared_rows(OpcodeTable& table) {
  add_uniform<[](Warp& warp) { return grid_of(warp).dynamic_shared_bytes; }>(table, "dynamic_smem_size");
  add_uniform<[](Warp& warp) { return total_shared(warp); }>(table, "total_smem_size");
  add_uniform<[](Warp& warp) {
    return total_shared(warp) + (options().compute_capability >= 80 ? reserved_shared_bytes : 0);
  }>(table, "aggr_smem_size");
}

/// Each block is a cluster of its own.
void add_cluster_rows(OpcodeTable& table) {
  table.add("mov.special.is_explicit_cluster", "=p", never);
  add_uniform<constant<0>>(table, "cluster_ctarank");
  add_uniform<constant<1>>(table, "cluster_nctarank");
  add_triple<[](Warp& warp) { return warp.block->index; }>(table, "clusterid");
  add_triple<[](Warp& warp) { return grid_of(warp).size; }>(table, "nclusterid");
  add_triple<[](Warp&) { return Dim3{0, 0, 0}; }>(table, "cluster_ctaid");
  add_triple<[](Warp&) { return Dim3{1, 1, 1}; }>(table, "cluster_nctaid");
}

}  // namespace

void add_special_rows(OpcodeTable& table) {
  add_place_rows(table);
  add_lane_mask_rows(table);
  add_time_rows(table);
  add_environment_rows(table);
  add_shared_rows(table);
  add_cluster_rows(table);
}

}  // namespace emulator
