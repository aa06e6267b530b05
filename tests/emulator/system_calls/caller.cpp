// SPDX-License-Identifier: Apache-2.0
// The caller, and stand-ins for how the machine raises faults.
#include "caller.hpp"

#include <gtest/gtest.h>

namespace emulator {

Outcome raise_fault(Warp& warp, FaultKind kind, LaneMask lanes) {
  *warp.fault = Fault{};
  warp.fault->kind = kind;
  warp.fault->thread.x = warp.thread_x[static_cast<unsigned>(__builtin_ctz(lanes))];
  return Outcome::fault;
}

Outcome raise_access_fault(Warp& warp, FaultKind kind, LaneMask lanes, std::uint64_t address, std::uint32_t size,
                           bool is_write) {
  raise_fault(warp, kind, lanes);
  warp.fault->address = address;
  warp.fault->size = size;
  warp.fault->is_write = is_write;
  warp.fault->note = warp.block->grid->memory->describe(address);
  return Outcome::fault;
}

namespace test {

namespace {

constexpr std::uint32_t local_bytes = 512;
constexpr std::uint32_t slot_bytes = 8 * warp_size;

}  // namespace

Caller::Caller()
    : memory(std::uint64_t{16} << 20),
      heap(memory, std::uint64_t{1} << 20),
      frame_(64 + 8 * slot_bytes),
      local_(std::size_t{64} * local_bytes) {
  grid.kernel = &kernel;
  grid.memory = &memory;
  grid.prints = &prints;
  grid.heap = &heap;
  block.grid = &grid;
  block.index = {1, 2, 3};
  block.local = local_.data();
  block.local_stride = local_bytes;
  block.local_bytes = local_bytes;
  warp.frame = frame_.data();
  warp.active = every_lane;
  warp.block = &block;
  warp.index = 1;
  warp.fault = &fault;
  for (unsigned lane = 0; lane < warp_size; ++lane) warp.thread_x[lane] = 32 + lane;
}

std::uint64_t Caller::text(const std::string& characters) {
  const auto allocation = memory.allocate(characters.size() + 1, AllocationKind::variable);
  std::memcpy(allocation->host, characters.c_str(), characters.size() + 1);
  return allocation->begin;
}

std::uint64_t Caller::arguments(const PackedArguments& packed, LaneMask lanes) {
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((lanes >> lane & 1u) == 0 || packed.bytes().empty()) continue;
    std::memcpy(local_.data() + std::size_t{32 + lane} * local_bytes, packed.bytes().data(), packed.bytes().size());
  }
  return memory.local_window();
}

void Caller::declare(SystemCall call, std::initializer_list<std::uint32_t> arguments, std::uint32_t result) {
  site = CallSite{};
  site.system = call;
  std::uint32_t offset = 64;
  for (const std::uint32_t bytes : arguments) {
    site.arguments.push_back({offset, bytes, bytes});
    offset += slot_bytes;
  }
  if (result != 0) site.results.push_back({offset, result, result});
}

void Caller::argument(std::size_t index, unsigned lane, std::uint64_t value) {
  const ParameterSlot& slot = site.arguments.at(index);
  std::memcpy(warp.frame + slot.offset + std::size_t{lane} * slot.stride, &value, slot.bytes);
}

std::uint64_t Caller::result(unsigned lane) const {
  const ParameterSlot& slot = site.results.at(0);
  std::uint64_t value = 0;
  std::memcpy(&value, warp.frame + slot.offset + std::size_t{lane} * slot.stride, slot.bytes);
  return value;
}

std::string Caller::print(const std::string& format, const PackedArguments& packed, LaneMask mask) {
  declare(SystemCall::vprintf, {8, 8}, 4);
  argument(0, text(format));
  argument(1, arguments(packed));
  EXPECT_EQ(call(mask), Outcome::next);
  return printed();
}

std::string Caller::printed() {
  ::testing::internal::CaptureStdout();
  prints.flush();
  return ::testing::internal::GetCapturedStdout();
}

}  // namespace test
}  // namespace emulator
