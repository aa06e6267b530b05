// SPDX-License-Identifier: Apache-2.0
// Functions: heads, parameters, directives, declarations, and the instructions of a body.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;

TEST(Functions, AreEntriesWithParameters) {
  const Parsed parsed =
      parse_module(".visible .entry saxpy(\n.param .f32 saxpy_param_0,\n.param .u64 saxpy_param_1\n)\n{\nret;\n}\n");
  ASSERT_EQ(parsed.module.functions.size(), 1u);
  const Function& function = parsed.module.functions[0];
  EXPECT_EQ(function.name, "saxpy");
  EXPECT_TRUE(function.is_entry);
  EXPECT_TRUE(function.has_body);
  EXPECT_FALSE(function.is_external);
  EXPECT_EQ(function.line, 4u);
  EXPECT_THAT(function.parameters, ElementsAre(0u, 1u));
  EXPECT_TRUE(function.returns.empty());
  EXPECT_EQ(function.variables[0].name, "saxpy_param_0");
  EXPECT_EQ(function.variables[0].space, Space::param);
  EXPECT_EQ(function.variables[0].size, 4u);
  EXPECT_EQ(function.variables[1].size, 8u);
  EXPECT_EQ(function.variables[1].alignment, 8u);
}

TEST(Functions, TakeParametersOfBothDialects) {
  const Parsed parsed = parse_module(
      ".entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr .align 1 b, .param .align 4 .b8 c[12],\n"
      ".param .u64 .ptr .const d, .param .b8 e) { ret; }");
  const Function& function = parsed.module.functions[0];
  ASSERT_EQ(function.parameters.size(), 5u);
  EXPECT_EQ(function.variables[0].alignment, 8u);
  EXPECT_EQ(function.variables[1].alignment, 8u);
  EXPECT_EQ(function.variables[2].alignment, 4u);
  EXPECT_EQ(function.variables[2].size, 12u);
  EXPECT_EQ(function.variables[4].size, 1u);
}

TEST(Functions, MayLeaveParametersOut) {
  const Parsed parsed = parse_module(".entry a { ret; }\n.entry b() { }\n.func c { ret; }");
  ASSERT_EQ(parsed.module.functions.size(), 3u);
  EXPECT_TRUE(parsed.module.functions[1].parameters.empty());
  EXPECT_TRUE(parsed.module.functions[1].instructions.empty());
  EXPECT_FALSE(parsed.module.functions[2].is_entry);
}

TEST(Functions, ReturnValues) {
  const Parsed parsed = parse_module(".func (.param .align 8 .b8 func_retval0[16]) f(.param .b64 a) { ret; }");
  const Function& function = parsed.module.functions[0];
  EXPECT_THAT(function.returns, ElementsAre(0u));
  EXPECT_THAT(function.parameters, ElementsAre(1u));
  EXPECT_THAT(function.return_registers, ElementsAre(no_register));
  EXPECT_EQ(function.variables[0].size, 16u);
}

TEST(Functions, MayPassRegisters) {
  const Parsed parsed = parse_module(".func (.reg .b32 r) f(.reg .f64 a, .param .b32 b) { cvt.u32.f64 r, a; ret; }");
  const Function& function = parsed.module.functions[0];
  EXPECT_THAT(function.returns, ElementsAre(0u));
  EXPECT_THAT(function.return_registers, ElementsAre(0u));
  EXPECT_THAT(function.parameters, ElementsAre(1u, 2u));
  EXPECT_THAT(function.parameter_registers, ElementsAre(1u, no_register));
  EXPECT_EQ(function.registers[1].name, "a");
  EXPECT_EQ(function.registers[1].bits, 64u);
  EXPECT_EQ(function.variables[1].size, 8u);
  EXPECT_EQ(show(function, function.instructions[0]), "cvt.u32.f64 r a");
}

TEST(Functions, MayBeDeclaredBeforeTheyAreDefined) {
  const Parsed parsed = parse_module(
      ".func (.param .b32 r) f(.param .b32 a);\n.entry k() { { .param .b32 x; .param .b32 y; call (x), f, (y); } }\n"
      ".func (.param .b32 r) f(.param .b32 a)\n{ ret; }\n.func (.param .b32 r) f(.param .b32 a);");
  ASSERT_EQ(parsed.module.functions.size(), 2u);
  EXPECT_EQ(parsed.module.functions[0].name, "f");
  EXPECT_TRUE(parsed.module.functions[0].has_body);
  EXPECT_EQ(parsed.module.functions[0].line, 6u);
  EXPECT_EQ(parsed.module.functions[0].instructions.size(), 1u);
}

TEST(Functions, MayBeExternal) {
  const Parsed parsed = parse_module(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);");
  EXPECT_TRUE(parsed.module.functions[0].is_external);
  EXPECT_FALSE(parsed.module.functions[0].has_body);
  EXPECT_EQ(parsed.module.functions[0].parameters.size(), 2u);
}

TEST(Functions, MayCallThemselves) {
  const Parsed parsed = parse_module(".func f { call f; }");
  const Function& function = parsed.module.functions[0];
  EXPECT_EQ(show(function, function.instructions[0]), "call symbol:f");
}

TEST(Functions, KeepPerformanceDirectives) {
  const Parsed parsed = parse_module(
      ".entry a() .maxntid 256, 2, 1 .minnctapersm 3 .maxnreg 64 .pragma \"nounroll\"; { ret; }\n"
      ".entry b() .reqntid 8 .explicitcluster .reqnctapercluster 2, 1, 1 .maxclusterrank 8 { ret; }\n"
      ".func c() .noreturn { trap; }");
  const auto& functions = parsed.module.functions;
  EXPECT_THAT(functions[0].max_threads, ElementsAre(256u, 2u, 1u));
  EXPECT_THAT(functions[0].required_threads, ElementsAre(0u, 0u, 0u));
  EXPECT_EQ(functions[0].min_blocks, 3u);
  EXPECT_EQ(functions[0].max_registers, 64u);
  EXPECT_THAT(functions[1].required_threads, ElementsAre(8u, 1u, 1u));
  EXPECT_TRUE(functions[2].has_body);
}

TEST(Functions, KnowTheLineOfEachInstruction) {
  const Parsed parsed = parse_body("ret;\n\n// nothing\nbar.sync\n 0;");
  const auto& instructions = parsed.module.functions[0].instructions;
  EXPECT_EQ(instructions[0].line, 5u);
  EXPECT_EQ(instructions[1].line, 8u);
}

TEST(Functions, KnowTheSourceOfEachInstruction) {
  const Parsed parsed = parse_body(
      "ret;\n.loc 1 17 5\nret;\nret;\n.loc 2 40 1, function_name $L__info_string0, inlined_at 1 17 5\nret;\n"
      ".loc 3 41 1, function_name $L__info_string0+12, inlined_at 2 18 5\nret;");
  const auto& instructions = parsed.module.functions[0].instructions;
  EXPECT_EQ(instructions[0].source_line, 0u);
  EXPECT_EQ(instructions[1].source_file, 1u);
  EXPECT_EQ(instructions[1].source_line, 17u);
  EXPECT_EQ(instructions[2].source_line, 17u);
  EXPECT_EQ(instructions[3].source_file, 2u);
  EXPECT_EQ(instructions[3].source_line, 40u);
  EXPECT_EQ(instructions[4].source_line, 41u);
}

TEST(Functions, GuardInstructions) {
  EXPECT_THAT(instructions_of(".reg .pred %p<3>; .reg .pred q; L: @%p1 bra L; @!%p2 bra L; @ ! q ret;"),
              ElementsAre("@%p1 bra label:L", "@!%p2 bra label:L", "@!q ret"));
}

TEST(Functions, JoinOpcodesWhoseModifiersStandApart) {
  EXPECT_EQ(instruction_of("add .s32 %r1, %r2, %r3;"), "add.s32 %r1 %r2 %r3");
  EXPECT_EQ(instruction_of("ld .global .v2 .u32 {%r1, %r2}, [%rd1];"), "ld.global.v2.u32 {%r1 %r2} [%rd1]");
  EXPECT_EQ(instruction_of("tex .2d .v4 .f32 .f32 %r1, [%rd1, {%f1, .5}];"),
            "tex.2d.v4.f32.f32 %r1 ([%rd1] {%f1 d3fe0000000000000})");
}

TEST(Functions, KeepQualifiedModifiersInTheOpcode) {
  EXPECT_EQ(instruction_of("ld.global.L2::128B.u32 %r1, [%rd1];"), "ld.global.L2::128B.u32 %r1 [%rd1]");
  EXPECT_EQ(instruction_of("st.shared::cta.u32 [%r1], %r2;"), "st.shared::cta.u32 [%r1] %r2");
}

TEST(Functions, PlaceLabelsBeforeInstructions) {
  const Parsed parsed = parse_body("$L__BB0_1: ret; A: B: ret; END:");
  const auto& labels = parsed.module.functions[0].labels;
  ASSERT_EQ(labels.size(), 4u);
  EXPECT_EQ(labels[0].name, "$L__BB0_1");
  EXPECT_EQ(labels[0].instruction, 0u);
  EXPECT_EQ(labels[1].instruction, 1u);
  EXPECT_EQ(labels[2].instruction, 1u);
  EXPECT_EQ(labels[3].instruction, 2u);
}

TEST(Functions, HoldBranchTables) {
  const Parsed parsed = parse_body("A: ret; t: .branchtargets A, B; B: ret;");
  const auto& tables = parsed.module.functions[0].branch_tables;
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, "t");
  EXPECT_THAT(tables[0].labels, ElementsAre(0u, 1u));
}

TEST(Functions, HoldCallPrototypes) {
  const Parsed parsed = parse_body(
      "p0: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]);\n"
      "p1: .callprototype _ (.param .b32 _) .noreturn;\np2: .callprototype ()_ ();");
  const auto& prototypes = parsed.module.functions[0].prototypes;
  ASSERT_EQ(prototypes.size(), 3u);
  EXPECT_EQ(prototypes[0].name, "p0");
  EXPECT_EQ(prototypes[0].returns.at(0).size, 4u);
  EXPECT_EQ(prototypes[0].parameters.at(1).size, 16u);
  EXPECT_TRUE(prototypes[1].returns.empty());
  EXPECT_EQ(prototypes[1].parameters.size(), 1u);
  EXPECT_TRUE(prototypes[2].parameters.empty());
}

TEST(Functions, TakeThePrototypeOfTheirCallTargets) {
  const Parsed parsed =
      parse_body("t: .calltargets f, g; { .reg .b64 a; .param .b32 x; .param .b64 y; call (x), a, (y), t; }",
                 ".func (.param .b32 r) f(.param .b64 a);\n.func (.param .b32 r) g(.param .b64 a);\n");
  const Function& function = parsed.module.functions.back();
  EXPECT_EQ(function.prototypes.at(0).returns.at(0).size, 4u);
  EXPECT_EQ(function.prototypes.at(0).parameters.at(0).size, 8u);
  EXPECT_EQ(show(function, function.instructions[0]), "call (variable:x) a (variable:y) prototype:t");
}

TEST(Functions, MayNotBeDefinedTwice) {
  EXPECT_EQ(refusal_of_module(".entry k() { }\n.entry k() { }"), invalid(5, "'k' is defined twice, first in line 4"));
  EXPECT_EQ(refusal_of_module(".global .u32 k;\n.entry k() { }"), invalid(5, "'k' is a variable and a function"));
}

TEST(Functions, NeedAWellFormedHead) {
  EXPECT_EQ(refusal_of_module(".entry (.param .u32 a)"), invalid(4, "expected the name of a function, found '('"));
  EXPECT_EQ(refusal_of_module(".entry k(.u32 a)"), invalid(4, "expected '.param' or '.reg', found '.u32'"));
  EXPECT_EQ(refusal_of_module(".entry k(.param .u32 a"),
            invalid(4, "expected ')' after parameters, found the end of the text"));
  EXPECT_EQ(refusal_of_module(".entry k()\nret;"), invalid(5, "expected ';' or '{' after the head of k, found 'ret'"));
  EXPECT_EQ(refusal_of_module(".entry k() .fast { }"), invalid(4, "'.fast' is no directive of a function"));
  EXPECT_EQ(refusal_of_module(".entry k(.param .u32 a, .param .u32 a) { }"),
            invalid(4, "'a' is declared twice in 'k'"));
  EXPECT_EQ(refusal_of_module(".entry k() .maxntid 1, 2, 3, 4 { }"),
            invalid(4, "a block has three dimensions at most"));
  EXPECT_EQ(refusal_of_module(".func f(.reg .b128 a);"), invalid(4, "the register 'a' must have 8 to 64 bits"));
}

TEST(Functions, NeedAnEnd) {
  EXPECT_EQ(refusal_of_module(".entry k() {\nret;\n"),
            invalid(6, "expected an instruction of 'k', found the end of the text"));
}

TEST(Functions, RefuseGuardsThatAreNoPredicates) {
  EXPECT_EQ(refusal_of_body("@%r1 ret;"), invalid(5, "the guard '%r1' has 32 bits, it must be of type .pred"));
  EXPECT_EQ(refusal_of_body("@%q ret;"), invalid(5, "'%q' is not a predicate register"));
  EXPECT_EQ(refusal_of_body("@input ret;"), invalid(5, "'input' is not a predicate register"));
  EXPECT_EQ(refusal_of_body("@%p1 ;"), invalid(5, "expected an opcode after the guard, found ';'"));
}

TEST(Functions, RefuseWhatHasNoPlaceInABody) {
  EXPECT_EQ(refusal_of_body(".entry k();"), invalid(5, "'.entry' has no place in the body of a function"));
  EXPECT_EQ(refusal_of_body("5;"), invalid(5, "expected an instruction of 'kernel', found '5'"));
  EXPECT_EQ(refusal_of_body(".reg .v4 .f32 v;"), invalid(5, "the emulated device has no vector registers"));
  EXPECT_EQ(refusal_of_body(".reg .b128 v;"), invalid(5, "the emulated device has no registers of type '.b128'"));
  EXPECT_EQ(refusal_of_body(".reg .b32 v"), invalid(6, "expected ';' after the registers of type .b32, found '}'"));
  EXPECT_EQ(refusal_of_body("L: ret; L: ret;"), invalid(5, "'L' is declared twice in 'kernel'"));
  EXPECT_EQ(refusal_of_body(".loc 1 x 3"), invalid(5, "expected a number of .loc, found 'x'"));
  EXPECT_EQ(refusal_of_body("t: .calltargets nothing;"), invalid(5, "'nothing' is not declared as a function"));
}

TEST(Functions, LimitTheNumberOfRegisters) {
  EXPECT_EQ(parse_body(".reg .b32 %x<1000000>;").module.functions[0].registers.size(), 0u);
  EXPECT_EQ(refusal_of_body(".reg .b32 %x<1000001>;"), invalid(5, "'%x' has more than 1000000 registers"));
}

TEST(Functions, LimitTheNestingOfBraces) {
  EXPECT_EQ(refusal_of_body(std::string(100000, '{')), invalid(5, "braces are nested too deeply"));
}

}  // namespace
}  // namespace emulator::ptx::testing
