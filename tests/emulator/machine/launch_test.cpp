// SPDX-License-Identifier: Apache-2.0
// Grids: blocks that wait for one another, grid sync, threads, and the ways in which a launch ends early.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "machine/groups.hpp"
#include "program.hpp"

namespace emulator::testing {
namespace {

/// while (volatile word != expected) ;
void append_wait(Assembler& code, std::uint32_t* word, std::uint32_t expected) {
  const auto value = code.word();
  const auto reached = code.predicate();
  const Label again = code.label();
  code.bind(again);
  code.op(load_volatile, {value}, word);
  code.op(equal, {reached, value, code.constant(expected)});
  code.branch(again, negated(reached));
}

TEST(Blocks, MayWaitForLaterBlocksOnOneWorker) {
  // Each block counts itself, then waits for all.
  std::uint32_t counter = 0;
  Assembler code("wait_for_all");
  code.op(fetch_add, {code.word(), code.constant(1)}, &counter);
  append_wait(code, &counter, 40);
  Machine machine(code);
  machine.services.threads = 1;
  ASSERT_TRUE(machine.run({40, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(counter, 40u);
}

TEST(Blocks, MayWaitWithAtomicsThatLookLikeWork) {
  std::uint32_t counter = 0;
  Assembler code("wait_by_atomics");
  const auto value = code.word();
  const auto reached = code.predicate();
  const Label again = code.label();
  code.op(fetch_add, {value, code.constant(1)}, &counter);
  code.bind(again);
  code.op(fetch_add, {value, code.constant(0)}, &counter);
  code.op(equal, {reached, value, code.constant(3)});
  code.branch(again, negated(reached));
  Machine machine(code);
  ASSERT_TRUE(machine.run({3, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(counter, 3u);
}

TEST(Blocks, GetTheirIndexInThreeDimensions) {
  std::vector<std::uint32_t> x(12), y(12), z(12);
  Assembler code("indices");
  code.op(put, {0, code.special("ctaid.x")}, x.data());
  code.op(put, {0, code.special("ctaid.y")}, y.data());
  code.op(put, {0, code.special("ctaid.z")}, z.data());
  ASSERT_TRUE(Machine(code).run({2, 3, 2}, {1, 1, 1}));
  EXPECT_EQ(x, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(y, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(z, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(Workers, RunEachBlockOnce) {
  std::vector<std::uint32_t> runs(5000 * 2);
  Assembler code("once");
  const auto one = code.constant(1);
  const auto old = code.word();
  code.op(put, {0, one}, runs.data());
  std::uint32_t counter = 0;
  code.op(fetch_add, {old, one}, &counter);
  Machine machine(code);
  machine.services.threads = 2;
  ASSERT_TRUE(machine.run({5000, 1, 1}, {2, 1, 1}));
  EXPECT_EQ(counter, 10000u);
  EXPECT_EQ(runs, std::vector<std::uint32_t>(10000, 1));
}

TEST(Workers, OneThreadRunsBlocksInOrder) {
  std::vector<std::uint32_t> order(50);
  std::uint32_t counter = 0;
  Assembler code("order");
  const auto old = code.word();
  code.op(fetch_add, {old, code.constant(1)}, &counter);
  code.op(put, {0, old}, order.data());
  ASSERT_TRUE(Machine(code).run({50, 1, 1}, {1, 1, 1}));
  for (std::uint32_t block = 0; block < 50; ++block) EXPECT_EQ(order[block], block);
}

/// 64-bit address in the workspace, from the two words that cooperative groups read: 1 is the high one.
Outcome arrive_at_workspace(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const std::uint64_t address = std::uint64_t{lane_values<std::uint32_t>(warp, op.operand[1])[lane]} << 32 |
                                lane_values<std::uint32_t>(warp, op.operand[2])[lane];
  const auto allocation = test_memory().find(address);
  if (!allocation || allocation->kind != AllocationKind::workspace) return raise_fault(warp, FaultKind::trap, mask);
  auto* word = reinterpret_cast<std::uint32_t*>(allocation->host + 4);
  std::atomic_ref<std::uint32_t> barrier(*word);
  lane_values<std::uint32_t>(warp, op.operand[0])[lane] = barrier.fetch_add(static_cast<std::uint32_t>(op.immediate));
  if (op.immediate == 0) spend_budget(warp, 1);
  return Outcome::next;
}

void append_grid_sync(Assembler& code, std::uint32_t high, std::uint32_t low, std::uint32_t leader,
                      std::uint32_t expected) {
  const auto value = code.word();
  const auto before = code.predicate();
  const auto zero = code.constant(0);
  const Label again = code.label(), out = code.label();
  code.op("bar.sync", {zero, zero});
  code.branch(out, negated(leader));
  code.op(arrive_at_workspace, {value, high, low}).immediate = 1;
  code.bind(again);
  code.op(arrive_at_workspace, {value, high, low});
  code.op(less, {before, value, code.constant(expected)});
  code.branch(again, before);
  code.bind(out);
  code.op("bar.sync", {zero, zero});
}

TEST(Cooperative, GridSyncThroughTheWorkspaceKeepsAllBlocksTogether) {
  constexpr std::uint32_t blocks = 24, threads = 64;
  for (const unsigned workers : {1u, 2u}) {
    std::uint32_t counter = 0;
    std::vector<std::uint32_t> first(blocks * threads), second(blocks * threads);
    Assembler code("grid_sync");
    const auto tid = code.special("tid.x"), high = code.special("envreg1"), low = code.special("envreg2");
    const auto value = code.word();
    const auto leader = code.predicate();
    code.op(equal, {leader, tid, code.constant(0)});
    code.op(fetch_add, {value, code.constant(1)}, &counter);
    append_grid_sync(code, high, low, leader, blocks);
    code.op(load_volatile, {value}, &counter);
    code.op(put, {0, value}, first.data());
    append_grid_sync(code, high, low, leader, 2 * blocks);
    code.op(fetch_add, {value, code.constant(1)}, &counter);
    append_grid_sync(code, high, low, leader, 3 * blocks);
    code.op(load_volatile, {value}, &counter);
    code.op(put, {0, value}, second.data());
    Machine machine(code);
    machine.launch.cooperative = true;
    machine.services.threads = workers;
    ASSERT_TRUE(machine.run({blocks, 1, 1}, {threads, 1, 1})) << fault_report(*machine.fault);
    EXPECT_EQ(first, std::vector<std::uint32_t>(blocks * threads, blocks * threads));
    EXPECT_EQ(second, std::vector<std::uint32_t>(blocks * threads, 2 * blocks * threads));
  }
}

TEST(Cooperative, OrdinaryLaunchesHaveNoWorkspace) {
  std::vector<std::uint32_t> high(1, 9), low(1, 9);
  Assembler code("ordinary");
  code.op(put, {0, code.special("envreg1")}, high.data());
  code.op(put, {0, code.special("envreg2")}, low.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(high[0], 0u);
  EXPECT_EQ(low[0], 0u);
}

TEST(Cooperative, LimitShrinksWithTheMemoryOfABlock) {
  Assembler code("limit");
  Machine machine(code);
  EXPECT_EQ(cooperative_limit(machine.kernel, 32, 0), 1024u);
  machine.kernel.local_bytes = 512 << 10;
  const std::uint64_t fewer = cooperative_limit(machine.kernel, 1024, 0);
  EXPECT_GE(fewer, 1u);
  EXPECT_LT(fewer, 3u);
}

TEST(Trap, EndsTheGridAndNamesTheThread) {
  Assembler code("trapper");
  const auto x = code.special("ctaid.x"), y = code.special("tid.y");
  const auto block = code.predicate(), thread = code.predicate();
  const Label out = code.label();
  code.op(equal, {block, x, code.constant(3)});
  code.branch(out, negated(block));
  code.op(equal, {thread, y, code.constant(2)});
  code.op("trap").guard = thread;  // line 6
  code.bind(out);
  Machine machine(code);
  ASSERT_FALSE(machine.run({8, 1, 1}, {16, 4, 1}));
  const Fault& fault = *machine.fault;
  EXPECT_EQ(fault.kind, FaultKind::trap);
  EXPECT_EQ(fault.kernel, "trapper");
  EXPECT_EQ(fault.line, 6u);
  EXPECT_EQ(fault.block.x, 3u);
  EXPECT_EQ(fault.thread.x, 0u);
  EXPECT_EQ(fault.thread.y, 2u);
  EXPECT_EQ(fault_code(fault.kind), 719);
}

TEST(Abandon, EndsAKernelThatNeverWould) {
  Assembler code("endless");
  const Label again = code.label();
  code.bind(again);
  code.op(nop);
  code.branch(again);
  Machine machine(code);
  std::thread waker([&machine] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    machine.abandon = true;
  });
  EXPECT_FALSE(machine.run({4, 1, 1}, {64, 1, 1}));
  waker.join();
  EXPECT_EQ(machine.fault->kind, FaultKind::timeout);
  EXPECT_EQ(machine.fault->kernel, "endless");
}

TEST(FirstFault, StopsTheOtherWorkers) {
  Assembler code("mixed");
  const auto x = code.special("ctaid.x");
  const auto first = code.predicate();
  const Label again = code.label();
  code.op(equal, {first, x, code.constant(1)});
  code.op("trap").guard = first;
  code.bind(again);
  code.op(nop);
  code.branch(again);
  Machine machine(code);
  machine.services.threads = 2;
  ASSERT_FALSE(machine.run({2, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::trap);
  EXPECT_EQ(machine.fault->block.x, 1u);
}

TEST(EntryParameters, HaveAnAddressWhereTheKernelTakesIt) {
  Assembler code("parameters");
  Machine machine(code);
  static std::uint64_t seen = 0;
  static std::uint32_t value = 0;
  code.finish().ops.front().handler = [](Warp& warp, const Op&, LaneMask mask) noexcept {
    seen = warp.block->grid->parameter_address;
    const auto allocation = test_memory().find(seen + 4);
    if (allocation) value = *reinterpret_cast<const std::uint32_t*>(allocation->host + 4);
    return row("exit")(warp, Op{}, mask);
  };
  machine.kernel.entry_address = true;
  machine.launch.parameters.resize(8);
  machine.launch.parameters[4] = std::byte{42};
  ASSERT_TRUE(machine.run({1, 1, 1}, {1, 1, 1}));
  EXPECT_NE(seen, 0u);
  EXPECT_EQ(value, 42u);
  EXPECT_FALSE(test_memory().find(seen).has_value()) << "the copy outlives the launch";
}

TEST(SharedMemory, HoldsNothingOfTheBlockBefore) {
  static std::vector<std::uint32_t> seen;
  seen.clear();
  Assembler code("shared");
  code.op([](Warp& warp, const Op&, LaneMask) noexcept {
    auto* word = reinterpret_cast<std::uint32_t*>(warp.block->shared + 16);
    seen.push_back(*word);
    *word = 77;
    return Outcome::next;
  });
  Machine machine(code);
  machine.kernel.static_shared = 64;
  ASSERT_TRUE(machine.run({3, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0xcdcdcdcd, 0xcdcdcdcd, 0xcdcdcdcd}));
}

}  // namespace
}  // namespace emulator::testing
