// SPDX-License-Identifier: Apache-2.0
// Occupancy of the claimed multiprocessor: what threads, blocks, registers and shared memory allow.
#include <algorithm>

#include "driver/device.hpp"
#include "driver/module_object.hpp"

namespace emulator {
namespace {

constexpr std::uint32_t register_unit = 256;  // a warp's registers come in such units
constexpr std::uint32_t warp_registers_limit = 255;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint32_t blocks_per_multiprocessor(const FunctionObject& function, std::uint32_t threads,
                                        std::uint64_t dynamic_shared) {
  const CapabilityLimits& limits = Device::instance().limits();
  const Kernel& kernel = function.kernel();
  if (threads == 0 || threads > kernel.max_threads) return 0;
  if (kernel.static_shared + dynamic_shared > limits.shared_per_block) return 0;
  const std::uint32_t warps = (threads + warp_size - 1) / warp_size;
  std::uint64_t blocks = std::min<std::uint64_t>(limits.blocks_per_multiprocessor,
                                                 limits.threads_per_multiprocessor / (warps * warp_size));
  const std::uint32_t registers = std::clamp<std::uint32_t>(kernel.registers, 1, warp_registers_limit);
  const std::uint64_t warp_registers = rounded_up(std::uint64_t{registers} * warp_size, register_unit);
  // ptxas would spill rather than make a block of the declared size impossible.
  blocks = std::min(blocks, std::max<std::uint64_t>(1, registers_per_multiprocessor / (warp_registers * warps)));
  const std::uint64_t shared =
      rounded_up(kernel.static_shared + dynamic_shared, limits.shared_granularity) + limits.reserved_shared;
  if (shared != 0) blocks = std::min(blocks, limits.shared_per_multiprocessor / shared);
  return static_cast<std::uint32_t>(blocks);
}

void max_active_blocks(int* count, CUfunction handle, int block_size, std::size_t dynamic_shared, unsigned flags) {
  const std::shared_ptr<Context> context = require_context();
  output(count);
  require(block_size > 0 && (flags & ~1u) == 0);
  const auto function = function_of(*context, handle);
  *count =
      static_cast<int>(blocks_per_multiprocessor(*function, static_cast<std::uint32_t>(block_size), dynamic_shared));
}

// The block size with the most resident threads; of equals the larger one.
void max_potential_block(int* grid_size, int* block_size, CUfunction handle, CUoccupancyB2DSize shared_of_block,
                         std::size_t dynamic_shared, int size_limit) {
  const std::shared_ptr<Context> context = require_context();
  output(grid_size);
  output(block_size);
  const auto function = function_of(*context, handle);
  const std::uint32_t kernel_limit = function->kernel().max_threads;
  const std::uint32_t limit =
      size_limit <= 0 ? kernel_limit : std::min(kernel_limit, static_cast<std::uint32_t>(size_limit));
  std::uint32_t best_threads = 0;
  std::uint32_t best_block = 0;
  std::uint32_t best_count = 0;
  for (auto block = static_cast<std::uint32_t>(rounded_up(limit, warp_size)); block != 0; block -= warp_size) {
    const std::uint32_t threads = std::min(block, limit);
    const std::size_t shared = shared_of_block == nullptr ? dynamic_shared : shared_of_block(static_cast<int>(threads));
    const std::uint32_t count = blocks_per_multiprocessor(*function, threads, shared);
    if (count * threads <= best_threads) continue;
    best_threads = count * threads;
    best_block = threads;
    best_count = count;
  }
  *block_size = static_cast<int>(best_block);
  *grid_size = static_cast<int>(best_count * Device::instance().threads());
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return device_call([&] { max_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags) {
  return device_call([&] { max_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags); });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit) {
  return device_call([&] {
    max_potential_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit);
  });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
  return device_call([&] {
    require((flags & ~1u) == 0);
    max_potential_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit);
  });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func, int numBlocks,
                                                 int blockSize) {
  return context_call([&](Context& context) {
    output(dynamicSmemSize);
    require(numBlocks > 0 && blockSize > 0);
    const auto function = function_of(context, func);
    const CapabilityLimits& limits = Device::instance().limits();
    const std::uint64_t kernel_shared = function->kernel().static_shared;
    const std::uint64_t share = limits.shared_per_multiprocessor / static_cast<unsigned>(numBlocks) /
                                limits.shared_granularity * limits.shared_granularity;
    const std::uint64_t taken = kernel_shared + limits.reserved_shared;
    const std::uint64_t room = share > taken ? share - taken : 0;
    *dynamicSmemSize = std::min<std::uint64_t>(room, function->dynamic_shared_limit());
  });
}
}
