// SPDX-License-Identifier: Apache-2.0
// Names: ranges of registers, names without %, scopes in braces, variables of functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;

/// The widths of a body's registers in the order in which they were met.
std::vector<std::string> registers_of(const std::string& statements) {
  const Parsed parsed = parse_body(statements);
  std::vector<std::string> shown;
  for (const Register& each : parsed.module.functions[0].registers) {
    shown.push_back(std::string(each.name) + ":" + std::to_string(each.bits));
  }
  return shown;
}

TEST(Scopes, HaveRegistersOfEveryWidth) {
  EXPECT_THAT(registers_of(".reg .pred p; .reg .b8 a; .reg .u16 b; .reg .f16 c; .reg .s32 d; .reg .f32 e;\n"
                           ".reg .f16x2 f; .reg .b64 g; .reg .f64 h;"),
              ElementsAre("p:1", "a:8", "b:16", "c:16", "d:32", "e:32", "f:32", "g:64", "h:64"));
}

TEST(Scopes, MakeRegistersOfARangeWhenTheyAreMet) {
  EXPECT_THAT(registers_of(".reg .b32 %r<10>; .reg .b64 %rd<5>, single; x %r9, %rd0, %r9, %r0;"),
              ElementsAre("single:64", "%r9:32", "%rd0:64", "%r0:32"));
}

TEST(Scopes, TellRangesApartThatBeginAlike) {
  EXPECT_THAT(registers_of(".reg .b32 %r<20>; .reg .b64 %r1<5>; x %r12, %r14, %r15, %r10;"),
              ElementsAre("%r12:64", "%r14:64", "%r15:32", "%r10:64"));
}

TEST(Scopes, TakeRegistersWithoutAPercentSign) {
  EXPECT_THAT(instructions_of("{.reg.b32 i,r,t;\n .reg .f16 h, $x; add.s32 i, r, t; neg.f16 h, $x;}"),
              ElementsAre("add.s32 i r t", "neg.f16 h $x"));
}

TEST(Scopes, TakeOneLineBlocks) {
  EXPECT_THAT(instructions_of(".reg .b32 %r<4>;\n{mul.f16x2 %r1,%r2,%r3;\n}"), ElementsAre("mul.f16x2 %r1 %r2 %r3"));
}

TEST(Scopes, HideOuterNamesAndGiveThemBack) {
  EXPECT_THAT(registers_of(".reg .b32 a; x a; { .reg .b64 a; x a; { x a; } } x a;"), ElementsAre("a:32", "a:64"));
  const Parsed parsed = parse_body(".reg .b32 a; { .reg .b64 a; x a; } x a;");
  const auto& instructions = parsed.module.functions[0].instructions;
  EXPECT_EQ(instructions[0].operands[0].id, 1u);
  EXPECT_EQ(instructions[1].operands[0].id, 0u);
}

TEST(Scopes, HideOuterRangesAndGiveThemBack) {
  const Parsed parsed = parse_body(".reg .b32 %r<3>; x %r1; { .reg .b64 %r<2>; x %r1; x %r2; } x %r1;");
  const Function& function = parsed.module.functions[0];
  ASSERT_EQ(function.registers.size(), 3u);
  EXPECT_EQ(function.instructions[1].operands[0].id, 1u);
  EXPECT_EQ(function.registers[1].bits, 64u);
  EXPECT_EQ(function.instructions[2].operands[0].id, 2u);
  EXPECT_EQ(function.registers[2].bits, 32u);
  EXPECT_EQ(function.instructions[3].operands[0].id, 0u);
}

TEST(Scopes, ForgetNamesOfClosedBraces) {
  EXPECT_EQ(refusal_of_body("{ .reg .b32 inner; }\nmov.b32 %r1, inner;"), invalid(6, "'inner' is not declared"));
}

TEST(Scopes, KeepParametersOfSeparateCallsApart) {
  const Parsed parsed = parse_body(
      "{ .param .b32 param0; .param .b64 retval0; st.param.b32 [param0+0], 1; }\n"
      "{ .param .align 8 .b8 param0[24]; st.param.b32 [param0+4], 2; }");
  const Function& function = parsed.module.functions[0];
  ASSERT_EQ(function.variables.size(), 5u);
  EXPECT_EQ(function.instructions[0].operands[0].parts[0].id, 2u);
  EXPECT_EQ(function.instructions[1].operands[0].parts[0].id, 4u);
  EXPECT_EQ(function.instructions[1].operands[0].value, 4u);
  EXPECT_EQ(function.variables[4].size, 24u);
  EXPECT_EQ(function.variables[4].alignment, 8u);
  EXPECT_EQ(function.variables[4].space, Space::param);
}

TEST(Scopes, ResolveLabelsFromTheInside) {
  const Parsed parsed = parse_body("L: ret; { bra L; L: ret; bra M; { bra L; } } bra L; M: ret;");
  const auto& instructions = parsed.module.functions[0].instructions;
  EXPECT_EQ(instructions[1].operands[0].id, 1u);
  EXPECT_EQ(instructions[3].operands[0].id, 2u);
  EXPECT_EQ(instructions[4].operands[0].id, 1u);
  EXPECT_EQ(instructions[5].operands[0].id, 0u);
}

TEST(Scopes, HideInnerLabelsFromTheOutside) {
  EXPECT_EQ(refusal_of_body("bra L; { L: ret; }"), invalid(5, "the label 'L' is not in 'kernel'"));
}

TEST(Scopes, LetLabelsShareNamesWithModuleSymbols) {
  EXPECT_THAT(instructions_of("bra name; name: ret;", ".global .u32 name;\n"), ElementsAre("bra label:name", "ret"));
}

TEST(Scopes, HoldLocalAndSharedVariables) {
  const Parsed parsed = parse_body(
      ".local .align 16 .b8 __local_depot0[40]; .shared .align 4 .b8 tile[1024]; .reg .b64 %rd<2>;\n"
      ".extern .shared .align 8 .b8 dynamic[];\nmov.u64 %rd1, __local_depot0; mov.u64 %rd1, tile+4;");
  const Function& function = parsed.module.functions[0];
  EXPECT_EQ(function.variables[2].space, Space::local);
  EXPECT_EQ(function.variables[2].size, 40u);
  EXPECT_EQ(function.variables[3].space, Space::shared);
  EXPECT_TRUE(function.variables[4].is_external);
  EXPECT_TRUE(function.variables[4].unsized);
  EXPECT_EQ(show(function, function.instructions[0]), "mov.u64 %rd1 variable:__local_depot0");
  EXPECT_EQ(show(function, function.instructions[1]), "mov.u64 %rd1 variable:tile+4");
}

TEST(Scopes, MoveStaticGlobalVariablesToTheModule) {
  const Parsed parsed = parse_body(".global .u32 counter = 3; .reg .b64 a; mov.u64 a, counter;");
  EXPECT_EQ(parsed.module.variables.at(0).name, "counter");
  const Function& function = parsed.module.functions[0];
  EXPECT_EQ(show(function, function.instructions[0]), "mov.u64 a symbol:counter");
}

TEST(Scopes, MayHideSpecialRegisters) {
  EXPECT_THAT(instructions_of(".reg .b32 %tid; mov.u32 %tid, 1;"), ElementsAre("mov.u32 %tid #1"));
}

TEST(Scopes, RefuseNamesDeclaredTwice) {
  EXPECT_EQ(refusal_of_body(".reg .b32 a; .reg .b64 a;"), invalid(5, "'a' is declared twice in 'kernel'"));
  EXPECT_EQ(refusal_of_body(".reg .b32 %x<2>; .reg .b64 %x<3>;"), invalid(5, "'%x' is declared twice in 'kernel'"));
}

}  // namespace
}  // namespace emulator::ptx::testing
