// SPDX-License-Identifier: Apache-2.0
// Operands of instructions in every form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;

TEST(Operands, AreRegisters) { EXPECT_EQ(instruction_of("add.s32 %r1, %r2, %r3;"), "add.s32 %r1 %r2 %r3"); }

TEST(Operands, AreIntegersInEveryNotation) {
  EXPECT_EQ(instruction_of("f %r1, 5, -7, 0x1F, 017, 0b11, 12U, 0xFFFFFFFFFFFFFFFF, -9223372036854775808;"),
            "f %r1 #5 #-7 #31 #15 #3 #12 #-1 #-9223372036854775808");
}

TEST(Operands, AreConstantExpressions) {
  EXPECT_EQ(instruction_of("mov.u32 %r1, (3+4)*2;"), "mov.u32 %r1 #14");
  EXPECT_EQ(instruction_of("mov.u32 %r1, ~0;"), "mov.u32 %r1 #-1");
  EXPECT_EQ(instruction_of("mov.u32 %r1, !1;"), "mov.u32 %r1 #0");
  EXPECT_EQ(instruction_of("mov.u32 %r1, WARP_SZ-1;"), "mov.u32 %r1 #31");
}

TEST(Operands, AreReals) {
  EXPECT_EQ(instruction_of("mov.f32 %f1, 0f3F800000;"), "mov.f32 %f1 f3f800000");
  EXPECT_EQ(instruction_of("mov.f32 %f1, -0F3F800000;"), "mov.f32 %f1 fbf800000");
  EXPECT_EQ(instruction_of("mov.f64 %fd1, 0D4000000000000000;"), "mov.f64 %fd1 d4000000000000000");
  EXPECT_EQ(instruction_of("mov.f64 %fd1, 1.5;"), "mov.f64 %fd1 d3ff8000000000000");
  EXPECT_EQ(instruction_of("mov.f64 %fd1, -2.5e3;"), "mov.f64 %fd1 dc0a3880000000000");
}

TEST(Operands, AreSpecialRegisters) {
  EXPECT_EQ(instruction_of("mov.u32 %r1, %tid.x;"), "mov.u32 %r1 special:tid.x");
  EXPECT_EQ(instruction_of("mov.u32 %r1, %laneid;"), "mov.u32 %r1 special:laneid");
  EXPECT_EQ(instruction_of("mov.u64 %rd1, %clock64;"), "mov.u64 %rd1 special:clock64");
  EXPECT_EQ(instruction_of("mov.u32 %r1, %envreg2;"), "mov.u32 %r1 special:envreg2");
  EXPECT_EQ(instruction_of("mov.u32 %r1, %lanemask_lt;"), "mov.u32 %r1 special:lanemask_lt");
  EXPECT_EQ(instruction_of("mov.u32 %r1, %cluster_nctaid.z;"), "mov.u32 %r1 special:cluster_nctaid.z");
}

TEST(Operands, AreNegatedPredicates) {
  EXPECT_EQ(instruction_of("and.pred %p1, %p2, !%p3;"), "and.pred %p1 %p2 !%p3");
  EXPECT_EQ(instruction_of("and.pred %p1, %p2, ! %p3;"), "and.pred %p1 %p2 !%p3");
}

TEST(Operands, ArePairs) {
  EXPECT_EQ(instruction_of("setp.lt.s32 %p1|%p2, %r1, %r2;"), "setp.lt.s32 %p1|%p2 %r1 %r2");
  EXPECT_EQ(instruction_of("shfl.sync.up.b32 %r1 | %p1, %r2, 1, 0, -1;"), "shfl.sync.up.b32 %r1|%p1 %r2 #1 #0 #-1");
  EXPECT_EQ(instruction_of("setp.lt.s32 _|%p2, %r1, %r2;"), "setp.lt.s32 _|%p2 %r1 %r2");
}

TEST(Operands, AreVectors) {
  EXPECT_EQ(instruction_of("mov.b64 {%r1, %r2}, %rd1;"), "mov.b64 {%r1 %r2} %rd1");
  EXPECT_EQ(instruction_of("mov.b64 {_, %r2}, %rd1;"), "mov.b64 {_ %r2} %rd1");
  EXPECT_EQ(instruction_of("mov.b32 %r1, {%h1, 0x10};"), "mov.b32 %r1 {%h1 #16}");
  EXPECT_EQ(instruction_of("st.global.v4.f32 [%rd1], {%f1,%f2,%f3,0f00000000};"),
            "st.global.v4.f32 [%rd1] {%f1 %f2 %f3 f00000000}");
}

TEST(Operands, AreAddresses) {
  EXPECT_EQ(instruction_of("ld.global.u32 %r1, [%rd1];"), "ld.global.u32 %r1 [%rd1]");
  EXPECT_EQ(instruction_of("ld.global.u32 %r1, [%rd1+16];"), "ld.global.u32 %r1 [%rd1+16]");
  EXPECT_EQ(instruction_of("ld.global.u32 %r1, [%rd1+-16];"), "ld.global.u32 %r1 [%rd1-16]");
  EXPECT_EQ(instruction_of("ld.global.u32 %r1, [%rd1 - 16];"), "ld.global.u32 %r1 [%rd1-16]");
  EXPECT_EQ(instruction_of("ld.global.u32 %r1, [%rd1+(4*8)+1];"), "ld.global.u32 %r1 [%rd1+33]");
  EXPECT_EQ(instruction_of("ld.global.u32 %r1, [0x1000];"), "ld.global.u32 %r1 [#4096]");
  EXPECT_EQ(instruction_of("ld.param.u64 %rd1, [input];"), "ld.param.u64 %rd1 [variable:input]");
  EXPECT_EQ(instruction_of("ld.param.u64 %rd1, [wide+8];"), "ld.param.u64 %rd1 [variable:wide+8]");
}

TEST(Operands, AreModuleSymbols) {
  EXPECT_THAT(instructions_of(".reg .b64 a; mov.u64 a, table; mov.u64 a, table+8; ld.global.u32 a, [table+-4];",
                              ".global .u32 table[4];\n"),
              ElementsAre("mov.u64 a symbol:table", "mov.u64 a symbol:table+8", "ld.global.u32 a [symbol:table-4]"));
}

TEST(Operands, MayNameOnlySymbolsFromFurtherUp) {
  EXPECT_EQ(refusal_of_module(".entry k() { .reg .b64 a;\nmov.u64 a, late; }\n.global .u32 late;"),
            invalid(5, "'late' is not declared"));
}

TEST(Operands, AreAddressesWithCoordinates) {
  EXPECT_EQ(instruction_of("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f1, %f2}];"),
            "tex.2d.v4.f32.f32 {%f0 %f1 %f2 %f3} ([%rd1] {%f1 %f2})");
  EXPECT_EQ(instruction_of("x [%rd1+8, %rd2, 4];"), "x ([%rd1+8] %rd2 #4)");
}

TEST(Operands, MayBeMissing) {
  EXPECT_EQ(instruction_of("ret;"), "ret");
  EXPECT_EQ(instruction_of("bar.sync 0;"), "bar.sync #0");
}

TEST(Operands, OfCallsAreListsAndNames) {
  const std::string functions =
      ".func (.param .b32 result) f(.param .b32 a, .param .b64 b);\n.func g(.reg .b32 a);\n.func h;\n";
  EXPECT_THAT(
      instructions_of("{ .param .b32 r; .param .b32 a; .param .b64 b; .reg .b64 %rd<2>; .reg .b32 t;\n"
                      "call.uni (r), f, (a, b);\ncall g, (t);\ncall g, (5);\ncall h;\n"
                      "p0: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n"
                      "call (r), %rd1, (a, b), p0; }",
                      functions),
      ElementsAre("call.uni (variable:r) symbol:f (variable:a variable:b)", "call symbol:g (t)", "call symbol:g (#5)",
                  "call symbol:h", "call (variable:r) %rd1 (variable:a variable:b) prototype:p0"));
}

TEST(Operands, OfBranchesAreLabels) {
  EXPECT_THAT(instructions_of("bra.uni L2; L1: bra L1; L2: ret;"),
              ElementsAre("bra.uni label:L2", "bra label:L1", "ret"));
}

TEST(Operands, AreBranchTables) {
  EXPECT_THAT(instructions_of(".reg .b32 i; t: .branchtargets A, B, A; brx.idx i, t; A: ret; B: ret;"),
              ElementsAre("brx.idx i table:t", "ret", "ret"));
}

TEST(Operands, NeedDeclaredRegisters) {
  EXPECT_EQ(refusal_of_body("mov.u32 %r1, %r10;"), invalid(5, "the register '%r10' is not declared"));
  EXPECT_EQ(refusal_of_body("mov.u32 %r1, %r01;"), invalid(5, "the register '%r01' is not declared"));
  EXPECT_EQ(refusal_of_body("\nmov.u32 %r1, other;"), invalid(6, "'other' is not declared"));
  EXPECT_EQ(refusal_of_body("mov.u32 %r1, %tid2;"), invalid(5, "the register '%tid2' is not declared"));
}

TEST(Operands, AreNoVectorComponents) {
  EXPECT_EQ(refusal_of_body("mov.u32 %r1, v.x;"), invalid(5, "'v.x': the emulated device has no vector registers"));
}

TEST(Operands, MissingOnesAreNamedWithTheirInstruction) {
  EXPECT_EQ(refusal_of_body("add.s32 %r1, %r2, ;"), invalid(5, "expected an operand of add.s32, found ';'"));
  EXPECT_EQ(refusal_of_body("add.s32 %r1, %r2\n}"),
            invalid(6, "expected ';' after the operands of add.s32, found '}'"));
  EXPECT_EQ(refusal_of_body("add.s32 %r1 %r2;"), invalid(5, "expected ';' after the operands of add.s32, found '%r2'"));
  EXPECT_EQ(refusal_of_body("ld.global.u32 %r1, [%rd1;"),
            invalid(5, "expected ']' after an address of ld.global.u32, found ';'"));
  EXPECT_EQ(refusal_of_body("ld.global.u32 %r1, [];"), invalid(5, "expected an address of ld.global.u32, found ']'"));
  EXPECT_EQ(refusal_of_body("ld.global.u32 %r1, [%rd1+%rd2];"), invalid(5, "expected a constant, found '%rd2'"));
  EXPECT_EQ(refusal_of_body("ld.global.u32 %r1, [%rd1+1.5];"), invalid(5, "an address takes integers only"));
  EXPECT_EQ(refusal_of_body("mov.b64 {%r1, %r2, %rd1;"),
            invalid(5, "expected '}' after a vector of mov.b64, found ';'"));
  EXPECT_EQ(refusal_of_body("mov.b64 {}, %rd1;"), invalid(5, "expected an operand of mov.b64, found '}'"));
  EXPECT_EQ(refusal_of_body("bra 5;"), invalid(5, "expected the label of a branch, found '5'"));
  EXPECT_EQ(refusal_of_body("call 5;"), invalid(5, "expected what a call names, found '5'"));
}

TEST(Operands, HaveNoNegatedRegistersButPredicates) {
  EXPECT_EQ(refusal_of_body("add.s32 %r1, %r2, -%r3;"), invalid(5, "expected a constant, found '%r3'"));
  EXPECT_EQ(refusal_of_body("and.pred %p1, %p2, !input;"), invalid(5, "'!' must stand before a predicate register"));
}

TEST(Operands, NameLabelsOfTheirFunctionOnly) {
  EXPECT_EQ(refusal_of_body("\nbra NOWHERE;"), invalid(6, "the label 'NOWHERE' is not in 'kernel'"));
  EXPECT_EQ(refusal_of_body("bra input;"), invalid(5, "the label 'input' is not in 'kernel'"));
  EXPECT_EQ(refusal_of_body("t: .branchtargets NOWHERE;"), invalid(5, "the label 'NOWHERE' is not in 'kernel'"));
}

TEST(Operands, MayNotUseRegistersBeforeTheirDeclaration) {
  EXPECT_EQ(refusal_of_body("mov.u32 %r1, late; .reg .b32 late;"), invalid(5, "'late' is used before it is declared"));
}

}  // namespace
}  // namespace emulator::ptx::testing
