// SPDX-License-Identifier: Apache-2.0
// Calls: parameters and results a lane, recursion with its limit, calls through registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "program.hpp"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;

void get(Assembler& code, std::uint32_t destination, const ParameterSlot& slot) {
  Op& op = code.op(get_parameter, {destination, 0, 0, 0, slot.offset});
  op.aux = slot.stride;
}

void set(Assembler& code, const ParameterSlot& slot, std::uint32_t source) {
  Op& op = code.op(put_parameter, {source, 0, 0, 0, slot.offset});
  op.aux = slot.stride;
}

/// result = a + number
void append_adder(Assembler& code, std::uint32_t number) {
  const ParameterSlot a = code.parameter(), answer = code.result();
  const auto value = code.word();
  get(code, value, a);
  code.op(add, {value, value, code.constant(number)});
  set(code, answer, value);
}

TEST(Call, PassesParametersAndResultsOfEachLane) {
  std::vector<std::uint32_t> result(40);
  Assembler callee("add_five", 1);
  append_adder(callee, 5);
  Assembler code("caller");
  const auto value = code.special("tid.x");
  const ParameterSlot argument = code.slot(), answer = code.slot();
  set(code, argument, value);
  code.call(&callee.finish(), {argument}, {answer});
  get(code, value, answer);
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code, {&callee}).run({1, 1, 1}, {40, 1, 1}));
  for (std::uint32_t thread = 0; thread < 40; ++thread) EXPECT_EQ(result[thread], thread + 5);
}

TEST(Call, GuardedCallLeavesTheOtherLanesAlone) {
  std::vector<std::uint32_t> result(32), together(32);
  Assembler callee("add_hundred", 1);
  append_adder(callee, 100);
  Assembler code("caller");
  const auto value = code.special("tid.x"), mask = code.word();
  const auto low = code.predicate();
  const ParameterSlot argument = code.slot(), answer = code.slot();
  code.op(less, {low, value, code.constant(4)});
  set(code, argument, value);
  set(code, answer, value);
  code.call(&callee.finish(), {argument}, {answer}).guard = low;
  get(code, value, answer);
  code.op("activemask.b32", {mask});
  code.op(put, {0, mask}, together.data());
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code, {&callee}).run({1, 1, 1}, {32, 1, 1}));
  for (std::uint32_t thread = 0; thread < 32; ++thread) EXPECT_EQ(result[thread], thread + (thread < 4 ? 100 : 0));
  EXPECT_EQ(together, std::vector<std::uint32_t>(32, 0xffffffffu));
}

// fibonacci(n) = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
void append_fibonacci(Assembler& code) {
  const ParameterSlot n = code.parameter(), answer = code.result();
  const ParameterSlot argument = code.slot(), partial = code.slot();
  const auto value = code.word(), first = code.word(), smaller = code.word();
  const auto small = code.predicate();
  const Label recurse = code.label();
  get(code, value, n);
  code.op(less, {small, value, code.constant(2)});
  code.branch(recurse, negated(small));
  set(code, answer, value);
  code.op("ret");  // the other lanes are still on their way
  code.bind(recurse);
  code.op(add, {smaller, value, code.constant(0xffffffffu)});
  set(code, argument, smaller);
  code.call(code.self(), {argument}, {partial});
  get(code, first, partial);
  code.op(add, {smaller, value, code.constant(0xfffffffeu)});
  set(code, argument, smaller);
  code.call(code.self(), {argument}, {partial});
  get(code, value, partial);
  code.op(add, {value, value, first});
  set(code, answer, value);
}

TEST(Recursion, ReturnsEachLaneFromItsOwnDepth) {
  std::vector<std::uint32_t> result(16), together(16);
  Assembler callee("fibonacci", 1);
  append_fibonacci(callee);
  Assembler code("caller");
  const auto value = code.special("tid.x"), mask = code.word();
  const ParameterSlot argument = code.slot(), answer = code.slot();
  set(code, argument, value);
  code.call(&callee.finish(), {argument}, {answer});
  get(code, value, answer);
  code.op("activemask.b32", {mask});
  code.op(put, {0, mask}, together.data());
  code.op(put, {0, value}, result.data());
  Machine machine(code, {&callee});
  machine.kernel.calls_itself = true;
  ASSERT_TRUE(machine.run({1, 1, 1}, {16, 1, 1}));
  EXPECT_EQ(result, (std::vector<std::uint32_t>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610}));
  EXPECT_EQ(together, std::vector<std::uint32_t>(16, 0xffffu));
}

TEST(Recursion, WithoutEndMeetsTheStackLimit) {
  Assembler callee("endless", 1);
  callee.call(callee.self(), {}, {});
  Assembler code("caller");
  code.call(&callee.finish(), {}, {});
  Machine machine(code, {&callee});
  machine.kernel.calls_itself = true;
  ASSERT_FALSE(machine.run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::out_of_local_memory);
  EXPECT_EQ(machine.fault->function, "endless");
  EXPECT_EQ(machine.fault->line, 1u);
}

TEST(Recursion, LocalVariablesCountAgainstTheLimit) {
  // 1024 bytes of stack hold three activations of 256 bytes (and a little for each call), not four.
  std::uint32_t depth = 0;
  Assembler callee("deep", 1);
  callee.local(256);
  callee.op(fetch_add, {callee.word(), callee.constant(1)}, &depth);
  callee.call(callee.self(), {}, {});
  Assembler code("caller");
  code.call(&callee.finish(), {}, {});
  Machine machine(code, {&callee});
  machine.kernel.calls_itself = true;
  machine.launch.stack_limit = 1024;
  ASSERT_FALSE(machine.run({1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::out_of_local_memory);
  EXPECT_EQ(depth, 3u);
}

TEST(IndirectCall, LanesGoToTheirOwnTargets) {
  std::vector<std::uint32_t> result(32), together(32);
  Assembler five("add_five", 1), hundred("add_hundred", 2);
  append_adder(five, 5);
  append_adder(hundred, 100);
  Assembler code("caller");
  const auto value = code.special("tid.x"), mask = code.word();
  const auto target = code.wide();
  const auto low = code.predicate();
  const ParameterSlot argument = code.slot(), answer = code.slot();
  const std::uint64_t functions = test_memory().code_window();
  code.op(less, {low, value, code.constant(20)});
  code.op(move_wide, {target, code.wide_constant(functions + 16)});
  code.op(move_wide, {target, code.wide_constant(functions + 32)}).guard = low;
  set(code, argument, value);
  code.call(nullptr, {argument}, {answer}, target);
  get(code, value, answer);
  code.op("activemask.b32", {mask});
  code.op(put, {0, mask}, together.data());
  code.op(put, {0, value}, result.data());
  ASSERT_TRUE(Machine(code, {&five, &hundred}).run({1, 1, 1}, {32, 1, 1}));
  for (std::uint32_t thread = 0; thread < 32; ++thread) EXPECT_EQ(result[thread], thread + (thread < 20 ? 100 : 5));
  EXPECT_EQ(together, std::vector<std::uint32_t>(32, 0xffffffffu));
}

TEST(IndirectCall, ThroughWhatIsNoFunctionIsAnInvalidPc) {
  Assembler code("caller");
  code.call(nullptr, {}, {}, code.wide_constant(0x1234));
  Machine machine(code);
  ASSERT_FALSE(machine.run({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(machine.fault->kind, FaultKind::invalid_pc);
  EXPECT_EQ(fault_code(machine.fault->kind), 700);
  EXPECT_THAT(fault_report(*machine.fault), HasSubstr("0x1234"));
}

TEST(Exit, InsideAFunctionEndsOnlyItsLanes) {
  std::vector<std::uint32_t> result(32);
  Assembler callee("leaver", 1);
  const auto tid = callee.special("tid.x");
  const auto low = callee.predicate();
  callee.op(less, {low, tid, callee.constant(7)});
  callee.op("exit").guard = low;
  Assembler code("caller");
  code.call(&callee.finish(), {}, {});
  code.op(put, {0, code.constant(1)}, result.data());
  ASSERT_TRUE(Machine(code, {&callee}).run({1, 1, 1}, {32, 1, 1}));
  std::vector<std::uint32_t> expected(32, 1);
  std::fill_n(expected.begin(), 7, 0);
  EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace emulator::testing
