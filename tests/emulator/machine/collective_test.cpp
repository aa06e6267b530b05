// SPDX-License-Identifier: Apache-2.0
// Shuffles, votes, matches and reductions: their rules, and how lanes meet for them.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <vector>

#include "program.hpp"

namespace emulator::testing {
namespace {

using Words = std::vector<std::uint32_t>;

/// What each of 32 lanes gets: f(lane).
Words lanes(const std::function<std::uint32_t(std::uint32_t)>& f) {
  Words result;
  for (std::uint32_t lane = 0; lane < 32; ++lane) result.push_back(f(lane));
  return result;
}

struct Shuffled {
  Words value = Words(32);
  Words valid = Words(32);
};

/// One shuffle of (100 + lane) over a warp.
Shuffled shuffle(const std::string& mode, std::uint32_t b, std::uint32_t c) {
  Shuffled result;
  Assembler code("shuffle");
  const auto lane = code.special("laneid"), value = code.word();
  const auto valid = code.predicate();
  code.op(add, {lane, lane, code.constant(100)});
  code.op("shfl.sync." + mode + ".b32",
          {value, valid, lane, code.constant(b), code.constant(c), code.constant(0xffffffffu)});
  code.op(put, {0, value}, result.value.data());
  code.op(put, {0, code.constant(1)}, result.valid.data()).guard = valid;
  EXPECT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  return result;
}

TEST(Shuffle, UpStopsAtTheSegmentsBegin) {
  const Shuffled whole = shuffle("up", 3, 0);
  EXPECT_EQ(whole.value, lanes([](auto lane) { return lane < 3 ? 100 + lane : 97 + lane; }));
  EXPECT_EQ(whole.valid, lanes([](auto lane) { return lane < 3 ? 0u : 1u; }));
  const Shuffled eighths = shuffle("up", 3, 0x1800);  // segments of 8 lanes
  EXPECT_EQ(eighths.value, lanes([](auto lane) { return lane % 8 < 3 ? 100 + lane : 97 + lane; }));
}

TEST(Shuffle, DownStopsAtTheSegmentsEnd) {
  const Shuffled whole = shuffle("down", 5, 31);
  EXPECT_EQ(whole.value, lanes([](auto lane) { return lane > 26 ? 100 + lane : 105 + lane; }));
  EXPECT_EQ(whole.valid, lanes([](auto lane) { return lane > 26 ? 0u : 1u; }));
  const Shuffled halves = shuffle("down", 5, 0x101f);  // segments of 16 lanes
  EXPECT_EQ(halves.value, lanes([](auto lane) { return lane % 16 > 10 ? 100 + lane : 105 + lane; }));
}

TEST(Shuffle, ButterflyExchangesPairs) {
  const Shuffled whole = shuffle("bfly", 6, 31);
  EXPECT_EQ(whole.value, lanes([](auto lane) { return 100 + (lane ^ 6u); }));
  EXPECT_EQ(whole.valid, Words(32, 1));
}

TEST(Shuffle, IndexStaysInItsSegment) {
  const Shuffled whole = shuffle("idx", 37, 31);  // the index counts modulo 32
  EXPECT_EQ(whole.value, Words(32, 105));
  const Shuffled quarters = shuffle("idx", 5, 0x1c1f);  // segments of 4 lanes: index modulo 4
  EXPECT_EQ(quarters.value, lanes([](auto lane) { return 100 + (lane & ~3u) + 1; }));
  const Shuffled clamped = shuffle("idx", 9, 7);  // lanes above 7 may not be read
  EXPECT_EQ(clamped.value, lanes([](auto lane) { return 100 + lane; }));
  EXPECT_EQ(clamped.valid, Words(32, 0));
}

TEST(Shuffle, DestinationMayBeTheSource) {
  Words result(32);
  Assembler code("in_place");
  const auto lane = code.special("laneid");
  code.op("shfl.sync.bfly.b32",
          {lane, code.predicate(), lane, code.constant(1), code.constant(31), code.constant(0xffffffffu)});
  code.op(put, {0, lane}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(result, lanes([](auto lane) { return lane ^ 1u; }));
}

TEST(Shuffle, FullMaskInAPartialWarpDoesNotWaitForLanesThatNeverWere) {
  Words result(20);
  Assembler code("partial");
  const auto lane = code.special("laneid"), value = code.word();
  code.op("shfl.sync.down.b32",
          {value, code.predicate(), lane, code.constant(1), code.constant(31), code.constant(0xffffffffu)});
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {20, 1, 1}));
  for (std::uint32_t thread = 0; thread < 19; ++thread) EXPECT_EQ(result[thread], thread + 1);
  EXPECT_EQ(result[19], 19u);
}

/// Both sides of a branch shuffle at the same op after it: lanes that come first wait.
TEST(Collective, WaitsForLanesThatCameAnotherWay) {
  // Lanes 0 to 7 jump over a long way back to the shuffle; they arrive by a call, the others directly.
  Words result(32);
  Assembler callee("shuffler", 1);
  const auto lane = callee.special("laneid"), value = callee.word();
  callee.op("shfl.sync.idx.b32",
            {value, callee.predicate(), lane, callee.constant(31), callee.constant(31), callee.constant(0xffffffffu)});
  callee.op(put, {0, value}, result.data());
  Assembler code("two_call_sites");
  const auto tid = code.special("tid.x");
  const auto low = code.predicate();
  const Label other = code.label(), join = code.label();
  code.op(less, {low, tid, code.constant(8)});
  code.branch(other, low);
  code.call(&callee.finish(), {}, {});
  code.branch(join);
  code.bind(other);
  code.call(&callee.finish(), {}, {});
  code.bind(join);
  ASSERT_TRUE(Machine(code, {&callee}).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(result, Words(32, 31));
}

TEST(Collective, TilesWithTheirOwnMasksWorkSideBySide) {
  // Four tiles of 8 lanes; the member mask is a register that differs.
  Words result(32);
  Assembler code("tiles");
  const auto tid = code.special("tid.x"), mask = code.word(), value = code.word();
  for (const std::uint32_t tile : {3u, 2u, 1u, 0u}) {
    const auto inside = code.predicate();
    code.op(less, {inside, tid, code.constant(8 * tile + 8)});
    code.op(move, {mask, code.constant(0xffu << (8 * tile))}).guard = inside;
  }
  code.op("redux.sync.add.u32", {value, tid, mask});
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(result, lanes([](auto lane) { return 28 + 64 * (lane / 8); }));
}

TEST(Collective, LanesOutsideTheMaskAreNotWaitedFor) {
  Words result(32);
  Assembler code("part");
  const auto tid = code.special("tid.x"), value = code.word();
  const auto low = code.predicate();
  const Label out = code.label();
  code.op(less, {low, tid, code.constant(4)});
  code.branch(out, negated(low));
  code.op("redux.sync.add.u32", {value, tid, code.constant(0xf)});
  code.op(put, {0, value}, result.data());
  code.bind(out);
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  Words expected(32, 0);
  std::fill_n(expected.begin(), 4, 6);
  EXPECT_EQ(result, expected);
}

TEST(Collective, AnExitReleasesThoseWhoWait) {
  // Lanes 0 to 15 wait with a full mask; the others end after a loop.
  Words result(32);
  Assembler code("exit_releases");
  const auto tid = code.special("tid.x"), value = code.word();
  const auto low = code.predicate();
  const Label wait = code.label();
  code.op(less, {low, tid, code.constant(16)});
  code.branch(wait, low);
  code.op("exit");
  code.bind(wait);
  code.op("redux.sync.max.u32", {value, tid, code.constant(0xffffffffu)});
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  Words expected(32, 0);
  std::fill_n(expected.begin(), 16, 15);
  EXPECT_EQ(result, expected);
}

TEST(WarpBarrier, MayBeMetAtDifferentPlaces) {
  Words result(32);
  std::uint32_t counter = 0;
  Assembler code("warp_barrier");
  const auto tid = code.special("tid.x"), value = code.word();
  const auto low = code.predicate();
  const auto all = code.constant(0xffffffffu);
  const Label other = code.label(), join = code.label();
  code.op(less, {low, tid, code.constant(8)});
  code.branch(other, low);
  code.op(fetch_add, {value, code.constant(1)}, &counter);
  code.op("bar.warp.sync", {all});
  code.branch(join);
  code.bind(other);
  code.op(fetch_add, {value, code.constant(1)}, &counter);
  code.op("bar.warp.sync", {all});
  code.bind(join);
  code.op(load_volatile, {value}, &counter);
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(result, Words(32, 32));
}

TEST(WarpBarrier, ThatCannotBeMetIsADeadlockThatNamesTheMissingLanes) {
  Assembler code("never_met");
  const auto tid = code.special("tid.x");
  const auto low = code.predicate();
  const auto zero = code.constant(0);
  const Label other = code.label(), join = code.label();
  code.op(less, {low, tid, code.constant(16)});
  code.branch(other, low);
  code.op("bar.sync", {zero, zero});  // line 4
  code.branch(join);
  code.bind(other);
  code.op("bar.warp.sync", {code.constant(0xffffffffu)});  // line 6
  code.bind(join);
  Machine machine(code);
  ASSERT_FALSE(machine.run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::deadlock);
  EXPECT_EQ(machine.fault->note,
            "threads 16-31 wait at barrier 0, where 16 of 32 threads have arrived, PTX line 4\n"
            "threads 0-15 wait for lanes 0xffff0000 of warp 0, PTX line 6\n");
}

TEST(Vote, AllAnyUniformAndBallot) {
  Words all(32), any(32), uniform(32), ballot(32);
  Assembler code("votes");
  const auto lane = code.special("laneid"), value = code.word();
  const auto low = code.predicate(), answer = code.predicate();
  const auto mask = code.constant(0xffffffffu), one = code.constant(1);
  code.op(less, {low, lane, code.constant(10)});
  code.op("vote.sync.all.pred", {answer, low, mask});
  code.op(put, {0, one}, all.data()).guard = answer;
  code.op("vote.sync.any.pred", {answer, negated(low), mask});
  code.op(put, {0, one}, any.data()).guard = answer;
  code.op("vote.sync.uni.pred", {answer, low, mask});
  code.op(put, {0, one}, uniform.data()).guard = answer;
  code.op("vote.sync.ballot.b32", {value, low, mask});
  code.op(put, {0, value}, ballot.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(all, Words(32, 0));
  EXPECT_EQ(any, Words(32, 1));
  EXPECT_EQ(uniform, Words(32, 0));
  EXPECT_EQ(ballot, Words(32, 0x3ff));
}

TEST(Vote, BallotOfSomeLanesHasNoBitsOfOthers) {
  Words ballot(32);
  Assembler code("ballot");
  const auto lane = code.special("laneid"), value = code.word();
  const auto low = code.predicate(), always = code.predicate();
  code.op(less, {low, lane, code.constant(12)});
  code.op(equal, {always, lane, lane});
  code.op("vote.sync.ballot.b32", {value, always, code.constant(0xfff)}).guard = low;
  code.op(put, {0, value}, ballot.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(ballot, lanes([](auto lane) { return lane < 12 ? 0xfffu : 0u; }));
}

TEST(Match, AnyGivesTheLanesWithAnEqualValueAndAllOnlyAgreement) {
  Words any(32), all(32), agreed(32), different(32);
  Assembler code("match");
  const auto lane = code.special("laneid"), value = code.word(), group = code.word();
  const auto low = code.predicate(), same = code.predicate();
  const auto mask = code.constant(0xffffffffu), one = code.constant(1);
  code.op(less, {low, lane, code.constant(5)});
  code.op(move, {group, one}).guard = low;
  code.op("match.any.sync.b32", {value, group, mask});
  code.op(put, {0, value}, any.data());
  code.op("match.all.sync.b32", {value, same, mask, mask});
  code.op(put, {0, value}, all.data());
  code.op(put, {0, one}, agreed.data()).guard = same;
  code.op("match.all.sync.b32", {value, same, group, mask});
  code.op(put, {0, value}, different.data());
  code.op(put, {0, one}, agreed.data()).guard = negated(same);
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(any, lanes([](auto lane) { return lane < 5 ? 0x1fu : 0xffffffe0u; }));
  EXPECT_EQ(all, Words(32, 0xffffffffu));
  EXPECT_EQ(different, Words(32, 0));
  EXPECT_EQ(agreed, Words(32, 1));
}

TEST(Match, ComparesSixtyFourBits) {
  Words any(32);
  Assembler code("match_wide");
  const auto value = code.word(), key = code.wide();
  const auto lane = code.special("laneid");
  const auto low = code.predicate();
  code.op(less, {low, lane, code.constant(2)});
  code.op(move_wide, {key, code.wide_constant(0x100000007ull)});
  code.op(move_wide, {key, code.wide_constant(0x200000007ull)}).guard = low;
  code.op("match.any.sync.b64", {value, key, code.constant(0xffffffffu)});
  code.op(put, {0, value}, any.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(any, lanes([](auto lane) { return lane < 2 ? 3u : 0xfffffffcu; }));
}

/// One reduction over lanes that hold lane - 3.
std::uint32_t reduce(const std::string& operation) {
  Words result(32);
  Assembler code("reduction");
  const auto lane = code.special("laneid"), value = code.word();
  code.op(add, {lane, lane, code.constant(0xfffffffdu)});
  code.op("redux.sync." + operation, {value, lane, code.constant(0xffffffffu)});
  code.op(put, {0, value}, result.data());
  EXPECT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(result, Words(32, result[0]));
  return result[0];
}

TEST(Redux, ReducesSignedUnsignedAndBits) {
  EXPECT_EQ(reduce("add.s32"), 400u);
  EXPECT_EQ(reduce("add.u32"), 400u);
  EXPECT_EQ(reduce("min.s32"), 0xfffffffdu);
  EXPECT_EQ(reduce("max.s32"), 28u);
  EXPECT_EQ(reduce("min.u32"), 0u);
  EXPECT_EQ(reduce("max.u32"), 0xffffffffu);
  EXPECT_EQ(reduce("and.b32"), 0u);
  EXPECT_EQ(reduce("or.b32"), 0xffffffffu);
  EXPECT_EQ(reduce("xor.b32"), 0xffffffe0u);  // -3 ^ -2 ^ -1 is 0xfffffffc, 0 ^ ... ^ 28 is 28
}

}  // namespace
}  // namespace emulator::testing
