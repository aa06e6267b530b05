// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: who is counted, who waits, and what is said when nobody can go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "program.hpp"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;

/// counter += 1; barrier; result = counter
void append_count_and_read(Assembler& code, std::uint32_t* counter, std::uint32_t* result) {
  const auto value = code.word();
  code.op(fetch_add, {value, code.constant(1)}, counter);
  code.op("bar.sync", {code.constant(0), code.constant(0)});
  code.op(load_volatile, {value}, counter);
  code.op(put, {0, value}, result);
}

TEST(Barrier, NobodyPassesBeforeAllHaveArrived) {
  std::uint32_t counter = 0;
  std::vector<std::uint32_t> result(200);
  Assembler code("barrier");
  append_count_and_read(code, &counter, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {200, 1, 1}));
  EXPECT_EQ(result, std::vector<std::uint32_t>(200, 200));
}

TEST(Barrier, ThreadsThatExitedEarlyAreNotExpected) {
  std::uint32_t counter = 0;
  std::vector<std::uint32_t> result(100);
  Assembler code("early_exit");
  const auto tid = code.special("tid.x");
  const auto late = code.predicate();
  code.op(less, {late, code.constant(39), tid});
  code.op("exit").guard = late;
  append_count_and_read(code, &counter, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {100, 1, 1}));
  std::vector<std::uint32_t> expected(100, 0);
  std::fill_n(expected.begin(), 40, 40);
  EXPECT_EQ(result, expected);
}

TEST(Barrier, AnExitAfterOthersWaitReleasesThem) {
  // Warp 0 waits first; warp 1 ends without ever arriving.
  std::vector<std::uint32_t> result(64);
  Assembler code("late_exit");
  const auto tid = code.special("tid.x");
  const auto second = code.predicate();
  code.op(less, {second, code.constant(31), tid});
  code.op("ret").guard = second;
  code.op("bar.sync", {code.constant(3), code.constant(0)});
  code.op(put, {0, code.constant(1)}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {64, 1, 1}));
  std::vector<std::uint32_t> expected(64, 0);
  std::fill_n(expected.begin(), 32, 1);
  EXPECT_EQ(result, expected);
}

TEST(Barrier, CountsThreadsThatArriveFromDifferentPlaces) {
  std::uint32_t counter = 0;
  std::vector<std::uint32_t> result(64);
  Assembler code("divergent");
  const auto tid = code.special("tid.x");
  const auto value = code.word();
  const auto low = code.predicate();
  const Label other = code.label(), join = code.label();
  const auto zero = code.constant(0);
  code.op(fetch_add, {value, code.constant(1)}, &counter);
  code.op(less, {low, tid, code.constant(10)});
  code.branch(other, low);
  code.op("bar.sync", {zero, zero});
  code.branch(join);
  code.bind(other);
  code.op("bar.sync", {zero, zero});
  code.bind(join);
  code.op(load_volatile, {value}, &counter);
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {64, 1, 1}));
  EXPECT_EQ(result, std::vector<std::uint32_t>(64, 64));
}

TEST(Barrier, LoopWithManyRoundsKeepsWarpsTogether) {
  std::uint32_t counter = 0;
  std::vector<std::uint32_t> result(96);
  Assembler code("rounds");
  const auto round = code.word(), value = code.word(), expected = code.word(), wrong = code.word();
  const auto more = code.predicate(), good = code.predicate();
  const auto zero = code.constant(0), one = code.constant(1);
  const Label again = code.label();
  code.bind(again);
  code.op(fetch_add, {value, one}, &counter);
  code.op("bar.sync", {zero, zero});
  code.op(add, {expected, expected, code.constant(96)});
  code.op(load_volatile, {value}, &counter);
  code.op(equal, {good, value, expected});
  code.op(add, {wrong, wrong, one}).guard = negated(good);
  code.op("bar.sync", {one, zero});
  code.op(add, {round, round, one});
  code.op(less, {more, round, code.constant(50)});
  code.branch(again, more);
  code.op(put, {0, wrong}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {96, 1, 1}));
  EXPECT_EQ(counter, 50u * 96u);
  EXPECT_EQ(result, std::vector<std::uint32_t>(96, 0));
}

TEST(NamedBarrier, ProducersArriveAndConsumersWait) {
  // Warp 1 waits at barrier 5 for the 64 threads of both; warp 0 only arrives.
  std::uint32_t flag = 0;
  std::vector<std::uint32_t> result(64);
  Assembler code("arrive");
  const auto tid = code.special("tid.x");
  const auto value = code.word();
  const auto producer = code.predicate();
  const Label produce = code.label(), join = code.label();
  const auto five = code.constant(5), both = code.constant(64);
  code.op(less, {producer, tid, code.constant(32)});
  code.branch(produce, producer);
  code.op("bar.sync", {five, both});
  code.op(load_volatile, {value}, &flag);
  code.branch(join);
  code.bind(produce);
  code.op(store, {0, code.constant(7)}, &flag);
  code.op("bar.arrive", {five, both});
  code.bind(join);
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {64, 1, 1}));
  std::vector<std::uint32_t> expected(64, 0);
  std::fill_n(expected.begin() + 32, 32, 7);
  EXPECT_EQ(result, expected);
}

TEST(NamedBarrier, LanesOfAWarpMayNameDifferentBarriers) {
  // The first 16 lanes of each of two warps meet at barrier 8, the others at barrier 9.
  std::vector<std::uint32_t> result(64);
  Assembler code("halves");
  const auto lane = code.special("laneid");
  const auto id = code.word();
  const auto low = code.predicate();
  code.op(less, {low, lane, code.constant(16)});
  code.op(move, {id, code.constant(9)});
  code.op(move, {id, code.constant(8)}).guard = low;
  code.op("bar.sync", {id, code.constant(32)});
  code.op(put, {0, id}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {64, 1, 1}));
  std::vector<std::uint32_t> expected(64, 9);
  std::fill_n(expected.begin(), 16, 8);
  std::fill_n(expected.begin() + 32, 16, 8);
  EXPECT_EQ(result, expected);
}

TEST(BarrierReduction, GivesCountAndConjunctionAndDisjunction) {
  std::vector<std::uint32_t> count(70), all(70), any(70), none(70);
  Assembler code("reduction");
  const auto tid = code.special("tid.x");
  const auto low = code.predicate(), answer = code.predicate();
  const auto value = code.word();
  const auto zero = code.constant(0), one = code.constant(1);
  code.op(less, {low, tid, code.constant(33)});
  code.op("bar.red.popc.u32", {value, zero, zero, low});
  code.op(put, {0, value}, count.data());
  code.op("bar.red.and.pred", {answer, zero, zero, low});
  code.op(put, {0, one}, all.data()).guard = answer;
  code.op("bar.red.or.pred", {answer, zero, zero, negated(low)});
  code.op(put, {0, one}, any.data()).guard = answer;
  code.op(less, {low, tid, zero});
  code.op("bar.red.or.pred", {answer, zero, zero, low});
  code.op(put, {0, one}, none.data()).guard = answer;
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {70, 1, 1}));
  EXPECT_EQ(count, std::vector<std::uint32_t>(70, 33));
  EXPECT_EQ(all, std::vector<std::uint32_t>(70, 0));
  EXPECT_EQ(any, std::vector<std::uint32_t>(70, 1));
  EXPECT_EQ(none, std::vector<std::uint32_t>(70, 0));
}

TEST(Deadlock, IsFoundAndSaysWhoWaitsWhere) {
  // Threads 0 to 9 wait at barrier 0, all others at barrier 1.
  Assembler code("deadlock");
  const auto tid = code.special("tid.x");
  const auto low = code.predicate();
  const Label other = code.label(), join = code.label();
  const auto zero = code.constant(0), one = code.constant(1);
  code.op(less, {low, tid, code.constant(10)});
  code.branch(other, negated(low));
  code.op("bar.sync", {zero, zero});  // line 4
  code.branch(join);
  code.bind(other);
  code.op("bar.sync", {one, zero});  // line 6
  code.bind(join);
  Machine machine(code);
  ASSERT_FALSE(machine.run({1, 1, 1}, {64, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::deadlock);
  EXPECT_EQ(fault_code(machine.fault->kind), 719);
  EXPECT_THAT(machine.fault->note,
              HasSubstr("threads 0-9 wait at barrier 0, where 10 of 64 threads have arrived, PTX line 4"));
  EXPECT_THAT(machine.fault->note,
              HasSubstr("threads 10-63 wait at barrier 1, where 54 of 64 threads have arrived, PTX line 6"));
}

TEST(Barrier, NumberBeyondFifteenIsAnIllegalInstruction) {
  Assembler code("bad_barrier");
  code.op("bar.sync", {code.constant(16), code.constant(0)});
  Machine machine(code);
  ASSERT_FALSE(machine.run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::illegal_instruction);
  EXPECT_EQ(machine.fault->note, "barrier 16 for 0 threads");
}

}  // namespace
}  // namespace emulator::testing
