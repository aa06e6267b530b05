// SPDX-License-Identifier: Apache-2.0
// Warps of a block take turns until they end, wait for one another, or only spin.
#include "machine/block.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace emulator {
namespace {

constexpr std::align_val_t memory_alignment{256};
/// What unwritten shared and local memory holds: no zeros, so that forgotten initialisations show.
constexpr int poison = 0xCD;
/// Turns between two looks at the clock.
constexpr unsigned turns_per_look = 32;

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  if (size != 0) memory_.reset(static_cast<std::byte*>(::operator new[](size, memory_alignment)));
}

void AlignedBytes::Free::operator()(std::byte* memory) const { ::operator delete[](memory, memory_alignment); }

BlockLayout::BlockLayout(const Kernel& kernel, std::uint64_t block_threads, std::uint32_t dynamic_shared_bytes,
                         std::uint32_t local_limit)
    : threads(static_cast<std::uint32_t>(block_threads)),
      warps((threads + warp_size - 1) / warp_size),
      dynamic_shared(round_up(kernel.static_shared, std::max(kernel.dynamic_shared_alignment, 1u))),
      shared_bytes(dynamic_shared_bytes != 0 ? dynamic_shared + dynamic_shared_bytes : kernel.static_shared) {
  // An odd number of cache lines keeps the lanes' equal offsets out of one cache set.
  const std::uint32_t lines = (local_limit + 63) / 64;
  local_stride = local_limit == 0 ? 0 : (lines | 1u) * 64;
}

std::uint64_t BlockLayout::host_bytes(const Kernel& kernel) const {
  const std::uint64_t warp_bytes = sizeof(Warp) + sizeof(WarpScheduling) + sizeof(Frame) + kernel.function->frame_bytes;
  return sizeof(ResidentBlock) + warps * warp_bytes + shared_bytes + std::uint64_t{threads} * local_stride;
}

ResidentBlock::ResidentBlock(const WorkerContext& context)
    : context_(context),
      layout_(*context.grid->kernel, context.grid->block_size.count(), context.grid->dynamic_shared_bytes,
              context.grid->local_limit),
      warps_(layout_.warps),
      warp_scheduling_(layout_.warps),
      shared_(layout_.shared_bytes),
      local_(std::size_t{layout_.threads} * layout_.local_stride),
      shared_written_(context.grid->strict ? layout_.shared_bytes : 0) {
  block_.grid = context.grid;
  block_.threads = layout_.threads;
  block_.shared = shared_.get();
  block_.shared_bytes = layout_.shared_bytes;
  block_.dynamic_shared = layout_.dynamic_shared;
  block_.shared_written = context.grid->strict ? shared_written_.data() : nullptr;
  block_.local = local_.get();
  block_.local_stride = layout_.local_stride;
  block_.local_bytes = context.grid->local_limit;
  block_.scheduling = &scheduling_;
  scheduling_.arena = context.arena;
  scheduling_.warps = warps_.data();
  scheduling_.warp_count = layout_.warps;
  scheduling_.worker = context.worker;
  place_threads();
}

ResidentBlock::~ResidentBlock() {
  if (context_.grid->executed == nullptr) return;
  std::uint64_t sum = 0;
  for (const WarpScheduling& warp : warp_scheduling_) sum += warp.executed;
  context_.grid->executed->fetch_add(sum, std::memory_order_relaxed);
}

void ResidentBlock::place_threads() {
  const Dim3& size = context_.grid->block_size;
  for (std::uint32_t index = 0; index < layout_.warps; ++index) {
    Warp& warp = warps_[index];
    warp.block = &block_;
    warp.index = index;
    warp.fault = context_.fault;
    warp.scheduling = &warp_scheduling_[index];
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t thread = index * warp_size + lane;
      warp.thread_x[lane] = thread % size.x;
      warp.thread_y[lane] = thread / size.x % size.y;
      warp.thread_z[lane] = thread / size.x / size.y;
      if (thread < layout_.threads) warp.scheduling->existing |= LaneMask{1} << lane;
    }
  }
}

void ResidentBlock::fill_memory() {
  if (layout_.shared_bytes != 0) std::memset(shared_.get(), poison, layout_.shared_bytes);
  if (!context_.grid->strict) return;
  std::fill(shared_written_.begin(), shared_written_.end(), std::byte{0});
  // What recursion adds to the known call chains is left as it is: it may be much.
  const std::uint32_t bytes = std::min(context_.grid->kernel->local_bytes, block_.local_bytes);
  for (std::uint32_t thread = 0; bytes != 0 && thread < layout_.threads; ++thread) {
    std::memset(local_.get() + std::size_t{thread} * layout_.local_stride, poison, bytes);
  }
}

void ResidentBlock::start(std::uint64_t index) {
  const Dim3& size = context_.grid->size;
  block_.index = Dim3{static_cast<std::uint32_t>(index % size.x), static_cast<std::uint32_t>(index / size.x % size.y),
                      static_cast<std::uint32_t>(index / size.x / size.y)};
  fill_memory();
  for (Warp& warp : warps_) {
    WarpScheduling& scheduling = *warp.scheduling;
    scheduling.budget = group_budget;
    scheduling.runnable = 0;
    scheduling.count = 0;
    scheduling.stop_pc = no_pc;
    scheduling.rotated = false;
    scheduling.live = scheduling.existing;
    warp.activation =
        nullptr;  // a frame is taken at the first turn: short warps then share one that stays in the cache
    warp.active = scheduling.existing;
    warp.idle = ~scheduling.existing;
    warp.carry = 0;
  }
  for (unsigned id = 0; scheduling_.barriers_in_use != 0 && id < barrier_count; ++id) scheduling_.barriers[id] = {};
  scheduling_.barriers_in_use = 0;
  scheduling_.live_threads = layout_.threads;
  scheduling_.runnable = layout_.warps == block_warps ? every_lane : (1u << layout_.warps) - 1;
  current_ = layout_.warps - 1;
}

bool ResidentBlock::begin_warp(Warp& warp) {
  const Function& function = *context_.grid->kernel->function;
  Frame* frame = context_.arena->take(function);
  if (frame == nullptr) {
    warp.function = &function;
    raise_fault(warp, FaultKind::out_of_local_memory, warp.active);
    context_.fault->note = "the host has no memory for registers";
    return false;
  }
  frame->caller = nullptr;
  frame->call = nullptr;
  frame->depth = 0;
  frame->local_base = 0;
  frame->lanes = warp.active;
  enter_frame(warp, frame, 0);
  return true;
}

unsigned ResidentBlock::next_warp() const {
  const std::uint32_t later = current_ == 31 ? 0 : scheduling_.runnable >> (current_ + 1) << (current_ + 1);
  return static_cast<unsigned>(__builtin_ctz(later != 0 ? later : scheduling_.runnable));
}

bool ResidentBlock::must_stop(Warp& warp) {
  if (context_.grid->stop.load(std::memory_order_relaxed)) return true;
  const bool abandoned = context_.end.abandon->load(std::memory_order_relaxed);
  const bool look = context_.end.limited && ++turns_ % turns_per_look == 0;
  const bool late = look && std::chrono::steady_clock::now() >= context_.end.deadline;
  if (!abandoned && !late) return false;
  raise_fault(warp, FaultKind::timeout, warp.active != 0 ? warp.active : warp.scheduling->live);
  if (abandoned) context_.fault->note = "the host gave the launch up";
  return true;
}

BlockTurn ResidentBlock::run(std::int64_t fuel) {
  unsigned fruitless = 0;
  while (scheduling_.live_threads != 0) {
    if (scheduling_.runnable == 0) return deadlock();
    current_ = next_warp();
    Warp& warp = warps_[current_];
    if (warp.activation == nullptr && !begin_warp(warp)) return BlockTurn::fault;
    const Turn turn = run_warp(warp, context_.observer);
    if (turn == Turn::fault) return BlockTurn::fault;
    if (turn == Turn::finished || turn == Turn::blocked) scheduling_.runnable &= ~(1u << current_);
    if (must_stop(warp)) {
      return context_.fault->kind != FaultKind::none ? BlockTurn::fault : BlockTurn::stopped;
    }
    fruitless = turn == Turn::spinning ? fruitless + 1 : 0;
    if (fruitless > static_cast<unsigned>(__builtin_popcount(scheduling_.runnable))) return BlockTurn::spinning;
    fuel -= turn_fuel - warp.scheduling->fuel;
    if (fuel <= 0 && scheduling_.live_threads != 0) return BlockTurn::spent;
  }
  return BlockTurn::finished;
}

BlockTurn ResidentBlock::deadlock() {
  for (Warp& warp : warps_) {
    if (warp.scheduling->count == 0) continue;
    const Group& group = warp.scheduling->groups[0];
    enter_frame(warp, group.frame, group.state == GroupState::collective ? group.pc + 1 : group.pc);
    raise_fault(warp, FaultKind::deadlock, group.lanes);
    context_.fault->note = describe_waits(scheduling_, context_.grid->kernel->module);
    return BlockTurn::fault;
  }
  return BlockTurn::stopped;  // unreachable: threads that live and cannot run wait in a group
}

}  // namespace emulator
