// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp go different ways, meet again, and wait for one another in loops.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "program.hpp"

namespace emulator::testing {
namespace {

TEST(StraightLine, EachThreadOfAllBlocksRuns) {
  std::vector<std::uint32_t> result(3 * 70, 99);
  Assembler code("add_one");
  const auto tid = code.special("tid.x");
  const auto sum = code.word();
  code.op(add, {sum, tid, code.constant(1)});
  code.op(put, {0, sum}, result.data());
  ASSERT_TRUE(Machine(code).run({3, 1, 1}, {70, 1, 1}));
  std::vector<std::uint32_t> expected;
  for (int block = 0; block < 3; ++block) {
    for (std::uint32_t thread = 0; thread < 70; ++thread) expected.push_back(thread + 1);
  }
  EXPECT_EQ(result, expected);
}

TEST(Registers, AreZeroInEachBlock) {
  std::vector<std::uint32_t> result(4 * 32, 99);
  Assembler code("dirty");
  const auto value = code.word();
  code.op(put, {0, value}, result.data());
  code.op(add, {value, value, code.constant(7)});
  ASSERT_TRUE(Machine(code).run({4, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(result, std::vector<std::uint32_t>(4 * 32, 0));
}

TEST(Branch, LanesMeetAgainAfterIfElse) {
  std::vector<std::uint32_t> result(32), together(32);
  Assembler code("if_else");
  const auto tid = code.special("tid.x");
  const auto low = code.predicate();
  const auto value = code.word();
  const auto mask = code.word();
  const Label other = code.label(), join = code.label();
  code.op(less, {low, tid, code.constant(10)});
  code.branch(other, negated(low));
  code.op(move, {value, code.constant(100)});
  code.branch(join);
  code.bind(other);
  code.op(move, {value, code.constant(200)});
  code.bind(join);
  code.op("activemask.b32", {mask});
  code.op(put, {0, mask}, together.data());
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  std::vector<std::uint32_t> expected(32, 200);
  std::fill_n(expected.begin(), 10, 100);
  EXPECT_EQ(result, expected);
  EXPECT_EQ(together, std::vector<std::uint32_t>(32, 0xffffffffu));
}

TEST(Branch, LoopsOfDifferentLengthMeetBehindTheLoop) {
  std::vector<std::uint32_t> result(32), together(32);
  Assembler code("loops");
  const auto tid = code.special("tid.x");
  const auto count = code.word(), mask = code.word();
  const auto more = code.predicate();
  const Label again = code.label();
  code.bind(again);
  code.op(add, {count, count, code.constant(1)});
  code.op(less, {more, count, tid});
  code.branch(again, more);
  code.op("activemask.b32", {mask});
  code.op(put, {0, mask}, together.data());
  code.op(put, {0, count}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  std::vector<std::uint32_t> expected(32);
  std::iota(expected.begin(), expected.end(), 0u);
  expected[0] = 1;
  EXPECT_EQ(result, expected);
  EXPECT_EQ(together, std::vector<std::uint32_t>(32, 0xffffffffu));
}

TEST(Branch, GuardedOpsRunForTheirLanesOnly) {
  std::vector<std::uint32_t> result(32);
  Assembler code("guards");
  const auto tid = code.special("tid.x");
  const auto low = code.predicate();
  const auto value = code.word();
  code.op(less, {low, tid, code.constant(3)});
  code.op(move, {value, code.constant(1)}).guard = low;
  code.op(move, {value, code.constant(2)}).guard = negated(low);
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  std::vector<std::uint32_t> expected(32, 2);
  std::fill_n(expected.begin(), 3, 1);
  EXPECT_EQ(result, expected);
}

TEST(Branch, TableSendsEachLaneItsWay) {
  std::vector<std::uint32_t> result(32);
  Assembler code("switch");
  const auto tid = code.special("tid.x");
  const auto value = code.word(), index = code.word();
  const auto first = code.predicate(), second = code.predicate();
  const Label join = code.label();
  code.op(less, {first, tid, code.constant(4)});
  code.op(less, {second, tid, code.constant(9)});
  code.op(move, {index, code.constant(2)});
  code.op(move, {index, code.constant(1)}).guard = second;
  code.op(move, {index, code.constant(0)}).guard = first;
  code.op("brx.idx", {index}).aux = 0;
  std::vector<std::uint32_t> table;
  for (const std::uint32_t answer : {10u, 20u, 30u}) {
    table.push_back(code.here());
    code.op(move, {value, code.constant(answer)});
    code.branch(join);
  }
  code.bind(join);
  code.op(put, {0, value}, result.data());
  code.finish().branch_tables.push_back(table);
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  std::vector<std::uint32_t> expected(32, 30);
  std::fill_n(expected.begin(), 9, 20);
  std::fill_n(expected.begin(), 4, 10);
  EXPECT_EQ(result, expected);
}

// while (cas(lock, 0, 1) != 0); counter += 1; lock = 0;
void append_locked_increment(Assembler& code, std::uint32_t* lock, std::uint32_t* counter) {
  const auto old = code.word(), value = code.word();
  const auto busy = code.predicate();
  const auto zero = code.constant(0), one = code.constant(1);
  const Label again = code.label();
  code.bind(again);
  code.op(compare_and_swap, {old, zero, one}, lock);
  code.op(equal, {busy, old, one});
  code.branch(again, busy);
  code.op(load_volatile, {value}, counter);
  code.op(add, {value, value, one});
  code.op(store, {0, value}, counter);
  code.op(store, {0, zero}, lock);
}

TEST(Fairness, NaiveSpinLockWithinAWarpFinishes) {
  std::uint32_t lock = 0, counter = 0;
  Assembler code("spin_lock");
  append_locked_increment(code, &lock, &counter);
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(counter, 32u);
  EXPECT_EQ(lock, 0u);
}

TEST(Fairness, SpinLockAcrossWarpsAndBlocksFinishesOnOneWorker) {
  std::uint32_t lock = 0, counter = 0;
  Assembler code("spin_lock");
  append_locked_increment(code, &lock, &counter);
  ASSERT_TRUE(Machine(code).run({5, 1, 1}, {100, 1, 1}));
  EXPECT_EQ(counter, 500u);
}

TEST(Fairness, LaneThatSpinsOnAPlainLoopLetsTheOthersGoOn) {
  // Lanes 1 to 31 sit behind the loop at a higher pc; lane 0 waits for what they write there.
  std::uint32_t flag = 0;
  Assembler code("wait_for_others");
  const auto tid = code.special("tid.x");
  const auto value = code.word();
  const auto others = code.predicate(), wait = code.predicate();
  const Label again = code.label(), out = code.label();
  code.op(less, {others, code.constant(0), tid});
  code.branch(out, others);
  code.bind(again);
  code.op(fetch_add, {value, code.constant(0)}, &flag);
  code.op(equal, {wait, value, code.constant(0)});
  code.branch(again, wait);
  code.bind(out);
  code.op(store, {0, code.constant(1)}, &flag).guard = others;
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(flag, 1u);
}

TEST(PartialWarp, LanesBeyondTheBlockDoNothing) {
  std::uint32_t counter = 0;
  Assembler code("count");
  code.op(fetch_add, {code.word(), code.constant(1)}, &counter);
  ASSERT_TRUE(Machine(code).run({7, 1, 1}, {5, 3, 3}));
  EXPECT_EQ(counter, 7u * 45u);
}

TEST(ThreadIndex, XIsFastestThenYThenZ) {
  std::vector<std::uint32_t> x(24), y(24), z(24), lane(24);
  Assembler code("indices");
  code.op(put, {0, code.special("tid.x")}, x.data());
  code.op(put, {0, code.special("tid.y")}, y.data());
  code.op(put, {0, code.special("tid.z")}, z.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {2, 3, 4}));
  EXPECT_EQ(x, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(y, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(z, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3}));
}

}  // namespace
}  // namespace emulator::testing
