// SPDX-License-Identifier: Apache-2.0
// A resident block: its memory, its warps, and the rounds in which they take turns. Kept for the next block of the grid.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine/observe.hpp"
#include "machine/scheduler.hpp"

namespace emulator {

/// Bytes on an alignment of their own, not initialised.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(std::size_t size);
  [[nodiscard]] std::byte* get() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t size_ = 0;
};

/// When a grid has to end: a fault elsewhere, a wish from outside, or a time limit.
struct EndConditions {
  const std::atomic<bool>* abandon = nullptr;
  bool limited = false;
  std::chrono::steady_clock::time_point deadline;
};

/// What is common to the blocks of one worker.
struct WorkerContext {
  Grid* grid = nullptr;
  FrameArena* arena = nullptr;
  Fault* fault = nullptr;
  Observer* observer = nullptr;  ///< null: nothing is observed
  EndConditions end;
  unsigned worker = 0;
};

/// Why a block's turn ended.
enum class BlockTurn : std::uint8_t {
  finished,
  spent,     ///< it worked for its whole turn
  spinning,  ///< each warp that can run waits in a loop
  stopped,   ///< the grid ends elsewhere
  fault,
};

/// Sizes that follow from a kernel and its launch.
struct BlockLayout {
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t dynamic_shared = 0;  ///< where it begins
  std::uint32_t shared_bytes = 0;
  std::uint32_t local_stride = 0;

  BlockLayout(const Kernel& kernel, std::uint64_t block_threads, std::uint32_t dynamic_shared_bytes,
              std::uint32_t local_limit);
  /// Host memory that a resident block takes.
  [[nodiscard]] std::uint64_t host_bytes(const Kernel& kernel) const;
};

/// A place for one block at a time.
class ResidentBlock {
 public:
  explicit ResidentBlock(const WorkerContext& context);
  /// Hands on what was counted.
  ~ResidentBlock();
  ResidentBlock(const ResidentBlock&) = delete;
  ResidentBlock& operator=(const ResidentBlock&) = delete;

  /// Makes it the block of that linear index, at its beginning.
  void start(std::uint64_t index);
  /// Runs warps in turns for about `fuel` ops.
  BlockTurn run(std::int64_t fuel);

 private:
  void place_threads();
  void fill_memory();
  bool begin_warp(Warp& warp);
  BlockTurn deadlock();
  [[nodiscard]] bool must_stop(Warp& warp);
  [[nodiscard]] unsigned next_warp() const;

  const WorkerContext& context_;
  BlockLayout layout_;
  Block block_;
  BlockScheduling scheduling_;
  std::vector<Warp> warps_;
  std::vector<WarpScheduling> warp_scheduling_;
  AlignedBytes shared_;
  AlignedBytes local_;
  std::vector<std::byte> shared_written_;
  unsigned current_ = 0;  // the warp whose turn it was
  unsigned turns_ = 0;
};

/// Who waits where in a block that cannot go on, one line a place.
std::string describe_waits(const BlockScheduling& scheduling, const DecodedModule* module);

}  // namespace emulator
