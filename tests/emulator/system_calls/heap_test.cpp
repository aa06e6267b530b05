// SPDX-License-Identifier: Apache-2.0
// malloc, free and assert of kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "caller.hpp"

namespace emulator::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Malloc, GivesEachLaneItsOwnBlock) {
  Caller on;
  on.declare(SystemCall::malloc, {8}, 8);
  for (unsigned lane = 0; lane < warp_size; ++lane) on.argument(0, lane, 10 + lane);
  EXPECT_EQ(on.call(0x0000ffffu), Outcome::next);
  std::set<std::uint64_t> addresses;
  for (unsigned lane = 0; lane < 16; ++lane) {
    const auto allocation = on.memory.find(on.result(lane));
    ASSERT_TRUE(allocation);
    EXPECT_EQ(allocation->size, 10 + lane);
    EXPECT_EQ(allocation->kind, AllocationKind::heap);
    addresses.insert(allocation->begin);
  }
  EXPECT_EQ(addresses.size(), 16u);
  EXPECT_EQ(on.result(16), 0u);
}

TEST(Malloc, GivesNullWhereTheLimitIsReached) {
  AddressSpace memory(std::uint64_t{16} << 20);
  DeviceHeap heap(memory, 100);
  EXPECT_EQ(heap.allocate(0), 0u);
  EXPECT_EQ(heap.allocate(101), 0u);
  const std::uint64_t first = heap.allocate(60);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(heap.allocate(40), 0u);  // 60 counts as 64
  EXPECT_NE(heap.allocate(30), 0u);
  EXPECT_TRUE(heap.free(first));
  EXPECT_NE(heap.allocate(64), 0u);
  EXPECT_EQ(heap.allocate(~std::uint64_t{0}), 0u);
}

TEST(Malloc, LimitCanBeSetBeforeTheFirstUse) {
  AddressSpace memory(std::uint64_t{16} << 20);
  DeviceHeap heap(memory, 100);
  EXPECT_TRUE(heap.set_limit(1000));
  EXPECT_EQ(heap.limit(), 1000u);
  EXPECT_NE(heap.allocate(900), 0u);
  EXPECT_FALSE(heap.set_limit(2000));
  EXPECT_EQ(heap.limit(), 1000u);
}

TEST(Malloc, HeapGivesItsMemoryBackWhenItEnds) {
  AddressSpace memory(std::uint64_t{16} << 20);
  {
    DeviceHeap heap(memory, 4096);
    heap.allocate(1000);
    EXPECT_LT(memory.free_bytes(), memory.total_bytes());
  }
  EXPECT_EQ(memory.free_bytes(), memory.total_bytes());
}

TEST(Free, TakesNullAndWhatMallocGave) {
  Caller on;
  const std::uint64_t block = on.heap.allocate(64);
  on.declare(SystemCall::free, {8}, 0);
  on.argument(0, 0);
  on.argument(0, 3, block);
  EXPECT_EQ(on.call(), Outcome::next);
  EXPECT_FALSE(on.memory.find(block));
}

TEST(Free, ForgetsTheWarpsMemoryOfTheBlock) {
  Caller on;
  const std::uint64_t block = on.heap.allocate(64);
  ASSERT_TRUE(on.memory.find(block, on.warp.cache));
  ASSERT_TRUE(on.memory.find(block, on.warp.older[2]));
  on.declare(SystemCall::free, {8}, 0);
  on.argument(0, block);
  EXPECT_EQ(on.call(1), Outcome::next);
  EXPECT_EQ(on.warp.cache.size, 0u);
  EXPECT_EQ(on.warp.older[2].size, 0u);
}

TEST(Free, FaultsOnAnyOtherAddress) {
  Caller on;
  const auto device = on.memory.allocate(64, AllocationKind::device);
  const std::uint64_t block = on.heap.allocate(64);
  on.declare(SystemCall::free, {8}, 0);
  for (const std::uint64_t address : {device->begin, block + 16, std::uint64_t{8}}) {
    on.argument(0, address);
    EXPECT_EQ(on.call(0x20u), Outcome::fault);
    EXPECT_EQ(on.fault.kind, FaultKind::illegal_address);
    EXPECT_EQ(on.fault.address, address);
    EXPECT_EQ(on.fault.thread.x, 37u);
    EXPECT_THAT(on.fault.note, StartsWith("free() of an address that malloc() did not give; "));
  }
  on.argument(0, block);
  EXPECT_EQ(on.call(0x21u), Outcome::fault);  // the second lane frees it again
  EXPECT_THAT(on.fault.note, HasSubstr("freed earlier"));
}

TEST(Assert, NamesEveryFailingThread) {
  Caller on;
  on.declare(SystemCall::assertfail, {8, 8, 4, 8, 8}, 0);
  on.argument(0, on.text("i < n"));
  on.argument(1, on.text("kernel.cu"));
  on.argument(2, 12);
  on.argument(3, on.text("void f(int)"));
  on.argument(4, 1);
  EXPECT_EQ(on.call(0x00000005u), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::assertion);
  EXPECT_EQ(on.fault.thread.x, 32u);
  EXPECT_EQ(on.fault.note,
            "kernel.cu:12: void f(int): block: [1,2,3], thread: [32,0,0] Assertion `i < n` failed.\n"
            "kernel.cu:12: void f(int): block: [1,2,3], thread: [34,0,0] Assertion `i < n` failed.");
}

TEST(Assert, BadTextsDoNotHideTheAssertion) {
  Caller on;
  on.declare(SystemCall::assertfail, {8, 8, 4, 8, 8}, 0);
  for (std::size_t index = 0; index < 5; ++index) on.argument(index, 0);
  EXPECT_EQ(on.call(1), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::assertion);
  EXPECT_EQ(on.fault.note, "?:0: ?: block: [1,2,3], thread: [32,0,0] Assertion `?` failed.");
}

}  // namespace
}  // namespace emulator::test
