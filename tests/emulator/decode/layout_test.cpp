// SPDX-License-Identifier: Apache-2.0
// Where things lie: entry parameters, shared and local memory, frames, branch targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loading.hpp"

namespace emulator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParameterLayout, EachParameterLiesAtItsOwnAlignment) {
  const auto module =
      load(".entry k(.param .b8 a, .param .b64 b, .param .b16 c, .param .align 16 .b8 d[20], .param .f32 e) { ret; }");
  const Kernel& kernel = *module->kernel("k");
  std::vector<std::uint32_t> offsets;
  for (const EntryParameter& parameter : kernel.parameters) offsets.push_back(parameter.offset);
  EXPECT_THAT(offsets, ElementsAre(0u, 8u, 16u, 32u, 52u));
  EXPECT_EQ(kernel.parameters[3].bytes, 20u);
  EXPECT_EQ(kernel.parameter_bytes, 56u);
}

TEST(ParameterLayout, LimitGrewWithVolta) {
  const std::string entry = ".address_size 64\n.entry k(.param .align 4 .b8 a[4100]) { ret; }";
  EXPECT_EQ(refusal_of_module(".version 7.8\n.target sm_80\n" + entry).code, result::success);
  EXPECT_THAT(refusal_of_module(".version 8.1\n.target sm_60\n" + entry).message, HasSubstr("4096 bytes"));
  EXPECT_EQ(refusal_of_module(".version 8.1\n.target sm_60\n" + entry).code, result::invalid_ptx);
}

TEST(ParameterLayout, AccessesBeyondAParameterAreRefused) {
  EXPECT_THAT(refusal_of(".entry k(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a+4]; }").message,
              HasSubstr("beyond"));
  EXPECT_THAT(refusal_of(".entry k(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a+-4]; }").message,
              HasSubstr("beyond"));
}

constexpr const char* shared_of_three = R"(
.shared .align 4 .b8 common[12];
.shared .align 16 .b8 alone[40];
.shared .align 8 .b8 unused[4000];
.func user { .reg .b32 %r; ld.shared.b32 %r, [common]; }
.entry first { call user; }
.entry second
{ .shared .align 4 .b8 own[100]; .reg .b32 %r<3>; ld.shared.b32 %r1, [common+4]; ld.shared.b32 %r2, [own]; }
.entry third { .reg .b32 %r; ld.shared.b32 %r, [alone]; }
)";

TEST(SharedLayout, CommonVariablesComeFirstOthersOverlap) {
  const auto module = load(shared_of_three);
  EXPECT_EQ(module->kernel("first")->static_shared, 12u);
  EXPECT_EQ(module->kernel("second")->static_shared, 112u);
  EXPECT_EQ(module->kernel("third")->static_shared, 40u);
}

TEST(SharedLayout, PointersToFunctionsReachTheirVariables) {
  const auto module = load(R"(
.shared .align 4 .b8 behind[64];
.func callee { .reg .b32 %r; ld.shared.b32 %r, [behind]; }
.global .u64 pointer = callee;
.entry k { .reg .b64 %rd; ld.global.u64 %rd, [pointer]; p: .callprototype _ (); call %rd, p; }
)");
  EXPECT_EQ(module->kernel("k")->static_shared, 64u);
}

TEST(SharedLayout, MoreThan48KiBIsRefused) {
  const auto text = [](unsigned bytes) {
    return ".entry k { .shared .align 4 .b8 s[" + std::to_string(bytes) + "]; .reg .b32 %r; ld.shared.b32 %r, [s]; }";
  };
  EXPECT_EQ(refusal_of(text(49152)).code, result::success);
  EXPECT_THAT(refusal_of(text(49156)).message, HasSubstr("uses too much shared data (49156 bytes, 49152 max)"));
}

TEST(SharedLayout, DynamicVariablesAreOneAndLieBehindStaticOnes) {
  const auto module = load(R"(
.extern .shared .align 16 .b8 words[];
.extern .shared .align 32 .b8 doubles[];
)" + kernel(R"(
.shared .align 4 .b8 fixed[20];
mov.b32 %r1, 5; st.shared.b32 [fixed+16], 9; st.shared.b32 [words+4], %r1; ld.shared.b32 %r2, [doubles+4];
mov.u64 %rd2, words; cvt.u32.u64 %r3, %rd2; mov.u32 %r4, doubles;
st.global.v2.u32 [%rd1], {%r2, %r3}; st.global.u32 [%rd1+8], %r4;)"));
  EXPECT_EQ(module->kernel("k")->static_shared, 20u);
  EXPECT_EQ(module->kernel("k")->dynamic_shared_alignment, 32u);
  EXPECT_THAT(run(*module, "k", 3, 1, 64), ElementsAre(5u, 32u, 32u));
}

TEST(SharedLayout, GroupsOfSeveralWarpsHaveReservedMemory) {
  const auto module = load(kernel(R"(
.shared .align 4 .b8 own[8];
mov.u32 %r1, %reserved_smem_offset_1; mov.b32 %r2, 7; st.shared.b32 [own], %r2; st.shared.b32 [own+4], %r2;
st.shared.b32 [%r1], 3; st.shared.b32 [%r1+284], 4; ld.shared.b32 %r3, [own]; ld.shared.b32 %r4, [own+4];
st.global.v2.u32 [%rd1], {%r3, %r4};)"));
  EXPECT_GE(module->kernel("k")->static_shared, 8u + 288u);
  EXPECT_THAT(run(*module, "k", 2), ElementsAre(7u, 7u));
}

TEST(Frame, OnlyRegistersThatAreUsedHaveRoom) {
  const auto module = load(".entry k { .reg .b32 %r<1000>; .reg .b64 %rd<1000>; add.s32 %r7, %r8, %r8; }");
  const Function& code = *module->kernel("k")->function;
  EXPECT_EQ(code.register_begin, 64u);
  EXPECT_EQ(code.frame_bytes, 64u + 2 * 128u);
}

TEST(Frame, BeginsWithTheMaskThenConstantsThenRegisters) {
  const auto module = load(kernel("add.s32 %r1, %r2, 3; add.s64 %rd2, %rd3, 4; add.s32 %r3, %r1, %r2;"));
  const Function& code = *module->kernel("k")->function;
  ASSERT_EQ(code.constants.size(), 2u);
  EXPECT_EQ(code.constants[0].offset, 64u);
  EXPECT_EQ(code.constants[1].offset, 64u + 128u);
  EXPECT_EQ(code.register_begin, 64u + 128u + 256u);
  for (const Op& op : code.ops) {
    EXPECT_EQ(op.guard, guard_always);
    EXPECT_LT(op.operand[0], code.frame_bytes);
  }
}

TEST(Frame, ValuesThatAreNeverAliveTogetherShareRoom) {
  std::string chain = "mov.b32 %r1, 1;";
  for (int i = 1; i < 15; ++i) {
    chain += "add.s32 %r" + std::to_string(i + 1) + ", %r" + std::to_string(i) + ", 1;";
  }
  const auto module = load(kernel(chain + "st.global.u32 [%rd1], %r15;"));
  const Function& code = *module->kernel("k")->function;
  // %rd1, and of the chain two at a time.
  EXPECT_EQ(code.frame_bytes - code.register_begin, 256u + 2 * 128u);
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(15u));
}

TEST(Frame, ValuesOfALoopKeepTheirRoom) {
  const auto module = load(kernel(R"(
mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r9, 1000;
loop:
add.s32 %r3, %r1, 1; add.s32 %r4, %r3, %r2; mov.b32 %r2, %r4; mov.b32 %r1, %r3;
setp.lt.s32 %p1, %r1, 10;
@%p1 bra loop;
add.s32 %r5, %r2, %r9; st.global.u32 [%rd1], %r5;)"));
  EXPECT_THAT(run(*module, "k", 1), ElementsAre(1055u));
}

TEST(Frame, WhatIsReadBeforeItIsWrittenIsZero) {
  const auto module = load(kernel(R"(
mov.b32 %r1, 5; add.s32 %r2, %r1, 6; st.global.u32 [%rd1], %r2;
setp.eq.s32 %p1, %r2, 0; @%p1 mov.b32 %r3, 9;
mov.b32 %r4, 77; st.global.u32 [%rd1+4], %r4;
st.global.v2.u32 [%rd1+8], {%r3, %r5};)"));
  EXPECT_THAT(run(*module, "k", 4), ElementsAre(11u, 77u, 0u, 0u));
}

TEST(Frame, RegistersAreEstimatedFromWhatIsAlive) {
  std::string body;
  for (int i = 0; i < 16; ++i)
    body += "ld.global.b32 %r" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 16; ++i)
    body += "st.global.b32 [%rd1+" + std::to_string(4 * i) + "], %r" + std::to_string(15 - i) + ";\n";
  EXPECT_EQ(load(kernel(body))->kernel("k")->registers, 18u);
  EXPECT_EQ(load(kernel("ret;"))->kernel("k")->registers, 8u);
}

TEST(Frame, RegistersStayWithinTheEntrysOwnBounds) {
  std::string body = ".reg .b64 %w<200>;\n";
  for (int i = 0; i < 200; ++i) body += "ld.global.b64 %w" + std::to_string(i) + ", [%rd1];\n";
  for (int i = 0; i < 200; ++i) body += "st.global.b64 [%rd1], %w" + std::to_string(i) + ";\n";
  std::string text = kernel(body);
  EXPECT_EQ(load(text)->kernel("k")->registers, 255u);
  text.insert(text.find('{'), ".maxntid 1024, 1, 1\n");
  EXPECT_EQ(load(text)->kernel("k")->registers, 64u);
}

TEST(Code, EndsWithReturnAndKnowsItsLines) {
  const auto module = load(kernel("\n  add.s32 %r1, %r2, %r3;\n"));
  const Function& code = *module->kernel("k")->function;
  ASSERT_EQ(code.sources.size(), code.ops.size());
  ASSERT_EQ(code.ops.size(), 3u);
  EXPECT_EQ(code.sources[1].line, 12u);
  EXPECT_EQ(module->code().spellings.at(code.sources[1].spelling), "add.s32");
  EXPECT_EQ(module->code().spellings.at(code.sources[2].spelling), "ret");
}

TEST(Code, BranchesAndTablesHoldIndicesOfOps) {
  const auto module = load(kernel(R"(
.local .align 8 .b8 stack[16];
mov.u32 %r1, %tid.x; st.local.u32 [stack+4], %r1; ld.local.u32 %r2, [stack+4];
mad.wide.u32 %rd2, %r2, 4, %rd1;
targets: .branchtargets zero, one, two;
brx.idx %r2, targets;
zero: mov.b32 %r3, 100; bra.uni join;
one: mov.b32 %r3, 101; bra.uni join;
two: mov.b32 %r3, 102;
join: st.global.u32 [%rd2], %r3;)"));
  EXPECT_THAT(run(*module, "k", 4, 3), ElementsAre(100u, 101u, 102u, 0u));
}

}  // namespace
}  // namespace emulator::testing
