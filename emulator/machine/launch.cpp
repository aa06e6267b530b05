// SPDX-License-Identifier: Apache-2.0
// Spreads the blocks of a grid over workers. Workers take blocks in increasing order, and set aside those that only wait.
#include "machine/launch.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "common/options.hpp"
#include "machine/block.hpp"
#include "machine/workers.hpp"

namespace emulator {
namespace {

/// Ops of one turn of a block; it grows with the blocks that are set aside.
constexpr std::int64_t block_fuel = std::int64_t{1} << 21;
/// Host memory that resident blocks of one grid may take.
constexpr std::uint64_t resident_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t most_resident_blocks = 1024;
/// Turns that blocks may spin before a worker of an ordinary grid takes up one more block.
constexpr unsigned patience = 16;
constexpr std::uint64_t workspace_bytes = 256;

/// Device memory that lives as long as a launch.
class LaunchMemory {
 public:
  explicit LaunchMemory(AddressSpace* memory) : memory_(memory) {}
  ~LaunchMemory() {
    for (const std::uint64_t begin : addresses_) memory_->release(begin);
  }
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

  /// An allocation that begins with `bytes` of `contents` (null: zeros). Throws bad_alloc.
  std::uint64_t add(AllocationKind kind, const std::byte* contents, std::size_t bytes) {
    addresses_.reserve(addresses_.size() + 1);
    const std::optional<Allocation> allocation = memory_->allocate(std::max<std::size_t>(bytes, 1), kind);
    if (!allocation) throw std::bad_alloc();
    addresses_.push_back(allocation->begin);
    if (contents == nullptr) {
      std::memset(allocation->host, 0, bytes);
    } else if (bytes != 0) {
      std::memcpy(allocation->host, contents, bytes);
    }
    return allocation->begin;
  }

 private:
  AddressSpace* memory_;
  std::vector<std::uint64_t> addresses_;
};

/// The stack limit counts beside what the known call chains need, so that it bounds recursion alone.
std::uint32_t local_limit(const Kernel& kernel, std::uint32_t stack_limit) {
  const std::uint64_t bytes = std::uint64_t{kernel.local_bytes} + (kernel.calls_itself ? stack_limit : 0);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>((bytes + 15) / 16 * 16, window_bytes));
}

/// A grid on its way.
class GridRun {
 public:
  GridRun(const Launch& launch, const DeviceServices& services, const std::atomic<bool>& abandon)
      : launch_(launch), memory_(services.memory), blocks_(launch.grid.count()) {
    const Kernel& kernel = *launch.kernel;
    parameters_ = AlignedBytes(std::max<std::size_t>(launch.parameters.size(), 16));
    if (!launch.parameters.empty()) {
      std::memcpy(parameters_.get(), launch.parameters.data(), launch.parameters.size());
    }
    grid_.kernel = &kernel;
    grid_.size = launch.grid;
    grid_.block_size = launch.block;
    grid_.dynamic_shared_bytes = launch.dynamic_shared;
    grid_.parameters = parameters_.get();
    grid_.memory = services.memory;
    grid_.prints = services.prints;
    grid_.heap = services.heap;
    grid_.local_limit = local_limit(kernel, launch.stack_limit);
    grid_.workers = std::max(services.threads, 1u);
    grid_.strict = options().strict;
    grid_.executed = services.executed;
    grid_.id = worker_pool().next_launch();
    if (launch.cooperative) grid_.workspace = memory_.add(AllocationKind::workspace, nullptr, workspace_bytes);
    if (kernel.entry_address) {
      grid_.parameter_address =
          memory_.add(AllocationKind::constant, launch.parameters.data(), launch.parameters.size());
    }
    end_.abandon = &abandon;
    end_.limited = options().timeout_seconds > 0;
    if (end_.limited) {
      const std::chrono::duration<double> limit(options().timeout_seconds);
      end_.deadline =
          std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
    }
    const BlockLayout layout(kernel, launch.block.count(), launch.dynamic_shared, grid_.local_limit);
    const std::uint64_t affordable = resident_bytes / grid_.workers / layout.host_bytes(kernel);
    resident_limit_ = std::clamp<std::uint64_t>(affordable, 1, most_resident_blocks);
    if (launch.cooperative) resident_limit_ = blocks_;
  }

  std::optional<Fault> run() {
    const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(grid_.workers, blocks_));
    worker_pool().run(workers, [this](unsigned worker) { work(worker); });
    return std::move(fault_);
  }

 private:
  void work(unsigned worker) noexcept;
  void run_blocks(const WorkerContext& context);
  void report(const Fault& fault);

  const Launch& launch_;
  LaunchMemory memory_;
  AlignedBytes parameters_;
  Grid grid_;
  EndConditions end_;
  std::uint64_t blocks_;
  std::uint64_t resident_limit_ = 1;
  // On a cache line of its own: workers write it for each block, and read what stands before it for each op.
  alignas(64) std::atomic<std::uint64_t> next_block_{0};
  alignas(64) std::mutex mutex_;
  std::optional<Fault> fault_;
};

void GridRun::report(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  if (!fault_) fault_ = fault;
  grid_.stop.store(true);
}

/// The blocks that one worker has begun, and places for more.
class Residents {
 public:
  explicit Residents(const WorkerContext& context) : context_(context) {}

  void begin(std::uint64_t index) {
    if (free_.empty()) free_.push_back(std::make_unique<ResidentBlock>(context_));
    running_.push_front(std::move(free_.back()));
    free_.pop_back();
    running_.front()->start(index);
  }
  [[nodiscard]] ResidentBlock& front() const { return *running_.front(); }
  void end_front() {
    free_.push_back(std::move(running_.front()));
    running_.pop_front();
  }
  void set_front_aside() {
    running_.push_back(std::move(running_.front()));
    running_.pop_front();
  }
  [[nodiscard]] std::size_t size() const { return running_.size(); }

 private:
  const WorkerContext& context_;
  std::deque<std::unique_ptr<ResidentBlock>> running_;
  std::vector<std::unique_ptr<ResidentBlock>> free_;
};

/// Lets other threads do what all blocks here wait for.
void pause(std::uint64_t fruitless) {
  if (fruitless < 256) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void GridRun::run_blocks(const WorkerContext& context) {
  Residents residents(context);
  bool more = true;             // blocks that nobody has begun
  std::uint64_t fruitless = 0;  // turns in a row in which blocks only waited
  while (!grid_.stop.load(std::memory_order_relaxed)) {
    const bool waits = launch_.cooperative ? fruitless != 0 : fruitless > patience * residents.size();
    if (more && (residents.size() == 0 || (waits && residents.size() < resident_limit_))) {
      const std::uint64_t index = next_block_.fetch_add(1, std::memory_order_relaxed);
      more = index < blocks_;
      if (more) residents.begin(index);
      fruitless = 0;
    }
    if (residents.size() == 0) return;
    const auto fuel = block_fuel * static_cast<std::int64_t>(residents.size());
    switch (residents.front().run(fuel)) {
      case BlockTurn::finished:
        residents.end_front();
        fruitless = 0;
        break;
      case BlockTurn::spent:
        // It may well wait in a way that does not look like it.
        residents.set_front_aside();
        fruitless += patience;
        break;
      case BlockTurn::spinning:
        residents.set_front_aside();
        if (++fruitless > 2 * residents.size() && (!more || residents.size() >= resident_limit_)) pause(fruitless);
        break;
      case BlockTurn::fault: report(*context.fault); return;
      case BlockTurn::stopped: return;
    }
  }
}

void GridRun::work(unsigned worker) noexcept {
  // Registers stay in the thread's memory from launch to launch.
  thread_local FrameArena arena;
  Fault fault;
  WorkerContext context;
  context.grid = &grid_;
  context.arena = &arena;
  context.fault = &fault;
  context.end = end_;
  context.worker = worker;
  try {
    std::optional<Observer> observer;
    if (Observer::wanted(*launch_.kernel)) context.observer = &observer.emplace(*launch_.kernel);
    run_blocks(context);
    if (observer) observer->finish();
  } catch (const std::bad_alloc&) {
    fault = Fault{};
    fault.kind = FaultKind::out_of_local_memory;
    fault.kernel = launch_.kernel->name;
    fault.note = "the host has no memory for a block";
    report(fault);
  }
  arena.reset();
}

}  // namespace

std::optional<Fault> run_grid(const Launch& launch, const DeviceServices& services, const std::atomic<bool>& abandon) {
  try {
    return GridRun(launch, services, abandon).run();
  } catch (const std::bad_alloc&) {
    Fault fault;
    fault.kind = FaultKind::out_of_local_memory;
    fault.kernel = launch.kernel->name;
    fault.note = "no memory for the launch";
    return fault;
  }
}

std::uint64_t cooperative_limit(const Kernel& kernel, std::uint32_t block_threads, std::uint32_t dynamic_shared) {
  const BlockLayout layout(kernel, block_threads, dynamic_shared, local_limit(kernel, 1024));
  return std::clamp<std::uint64_t>(resident_bytes / layout.host_bytes(kernel), 1, most_resident_blocks);
}

}  // namespace emulator
