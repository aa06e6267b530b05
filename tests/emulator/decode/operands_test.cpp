// SPDX-License-Identifier: Apache-2.0
// Operands: widths, literals, special registers, vectors. Kernels run, because what counts is what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loading.hpp"

namespace emulator::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint32_t> results(const std::string& body, std::size_t count) {
  return run(*load(kernel(body)), "k", count);
}

TEST(Operands, LiteralsAreConstantsOfTheFrameEachOnce) {
  const auto module =
      load(kernel("add.s32 %r1, %r2, 7; add.s32 %r3, %r1, 7; add.s64 %rd2, %rd3, 7; st.global.u32 [%rd1], %r3;"));
  const Function& code = *module->kernel("k")->function;
  ASSERT_EQ(code.constants.size(), 2u);
  EXPECT_EQ(code.constants[0].value, 7u);
  EXPECT_EQ(code.constants[0].bytes, 4u);
  EXPECT_EQ(code.constants[1].bytes, 8u);
}

TEST(Operands, FloatLiteralsTakeTheWidthOfTheirPlace) {
  EXPECT_THAT(results("mov.f32 %r1, 0f3FC00000; mov.b32 %r2, 0f40000000; add.f32 %r3, %r1, 1.5; mov.f64 %rd2, 0.25;"
                      "st.global.v2.b32 [%rd1], {%r2, %r3}; st.global.b64 [%rd1+8], %rd2;",
                      4),
              ElementsAre(0x40000000u, 0x40400000u, 0u, 0x3fd00000u));
}

TEST(Operands, LiteralsMustFitTheType) {
  EXPECT_THAT(refusal_of(kernel("add.s32 %r1, %r2, 0f3F800000;")).message, HasSubstr("literal"));
  EXPECT_THAT(refusal_of(kernel("add.f32 %r1, %r2, 1;")).message, HasSubstr("literal"));
}

TEST(Operands, RegistersMustHaveTheTypesWidth) {
  const Refusal refusal = refusal_of(kernel("add.s32 %r1, %rd2, %r3;"));
  EXPECT_EQ(refusal.code, result::invalid_ptx);
  EXPECT_EQ(refusal.line, 11u);
  EXPECT_THAT(refusal.message, HasSubstr("'add.s32'"));
  EXPECT_EQ(refusal_of(kernel("add.s64 %rd1, %r2, %rd3;")).code, result::invalid_ptx);
  EXPECT_EQ(refusal_of(kernel("add.s32 %p1, %r2, %r3;")).code, result::invalid_ptx);
}

TEST(Operands, TooFewAndTooManyAreRefused) {
  EXPECT_THAT(refusal_of(kernel("add.s32 %r1, %r2;")).message, HasSubstr("too few operands"));
  EXPECT_THAT(refusal_of(kernel("add.s32 %r1, %r2, %r3, %r4;")).message, HasSubstr("too many operands"));
}

TEST(Operands, ConversionsReadAndWriteWiderRegisters) {
  EXPECT_THAT(
      results("mov.b64 %rd2, 0x1234567890; cvt.u8.u32 %r1, %rd2; mov.b64 %rd3, -1; cvt.s32.s32 %rd4, %rd3;"
              "mov.b32 %r2, 0x80; cvt.s8.s32 %rd5, %r2; st.global.u32 [%rd1], %r1; st.global.u64 [%rd1+8], %rd4;"
              "st.global.u64 [%rd1+16], %rd5;",
              6),
      ElementsAre(0x90u, 0u, 0xffffffffu, 0xffffffffu, 0xffffff80u, 0xffffffffu));
}

TEST(Operands, LoadsExtendToTheRegister) {
  EXPECT_THAT(
      results("mov.b32 %r1, 0x80f0; st.global.u32 [%rd1], %r1; ld.global.u8 %rd2, [%rd1]; ld.global.s8 %rd3, [%rd1];"
              "ld.global.s16 %r2, [%rd1]; ld.global.u16 %r3, [%rd1]; ld.global.s32 %rd4, [%rd1];"
              "st.global.u64 [%rd1+8], %rd2; st.global.u64 [%rd1+16], %rd3; st.global.u32 [%rd1+24], %r2;"
              "st.global.u32 [%rd1+28], %r3; st.global.u64 [%rd1+32], %rd4;",
              10),
      ElementsAre(0x80f0u, 0u, 0xf0u, 0u, 0xfffffff0u, 0xffffffffu, 0xffff80f0u, 0x80f0u, 0x80f0u, 0u));
}

TEST(Operands, StoresTakeTheLowPartOfTheRegister) {
  EXPECT_THAT(results("mov.b64 %rd2, 0x1122334455667788; st.global.u8 [%rd1], %rd2; st.global.b16 [%rd1+4], %rd2;"
                      "st.global.u32 [%rd1+8], %rd2;",
                      3),
              ElementsAre(0x88u, 0x7788u, 0x55667788u));
}

TEST(Operands, SharedAddressesMayHave32Bits) {
  EXPECT_THAT(results(".shared .align 4 .b32 s[4]; mov.u32 %r1, s; add.s32 %r1, %r1, 4; mov.b32 %r2, 77;"
                      "st.shared.u32 [%r1+4], %r2; ld.shared.u32 %r3, [s+8]; atom.shared.add.u32 %r4, [%r1+4], 5;"
                      "ld.shared.u32 %r5, [%r1+4]; st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r1};",
                      4),
              ElementsAre(77u, 77u, 82u, 4u));
}

TEST(Operands, VectorsArePackedAndUnpacked) {
  EXPECT_THAT(results("mov.b16 %h1, 0x1111; mov.b32 %r1, {%h1, 0x2222}; mov.b64 %rd2, {%r1, 5}; mov.b64 {_, %r2}, %rd2;"
                      "mov.b32 {%h2, %h3}, %r1; cvt.u32.u16 %r3, %h3; st.global.v4.b32 [%rd1], {%r1, %r2, %r3, 9};",
                      4),
              ElementsAre(0x22221111u, 5u, 0x2222u, 9u));
}

TEST(Operands, SpecialRegistersAreReadAnywhere) {
  const auto module =
      load(kernel("mad.lo.u32 %r1, %ntid.x, 10, %tid.x; mov.u32 %r2, WARP_SZ; mov.u64 %rd2, %tid.x;"
                  "mad.wide.u32 %rd3, %tid.x, 4, %rd1; st.global.u32 [%rd3], %r1;"));
  EXPECT_THAT(run(*module, "k", 3, 3), ElementsAre(30u, 31u, 32u));
}

TEST(Operands, UnknownSpecialRegistersAreRefusedByName) {
  EXPECT_THAT(refusal_of(kernel("mov.u32 %r1, %reserved_smem_offset_cap;")).message,
              HasSubstr("%reserved_smem_offset_cap"));
}

TEST(Operands, ComparesMayHaveASecondDestination) {
  EXPECT_THAT(
      results("mov.b32 %r1, 3; setp.lt.s32 %p1|%p2, %r1, 5; setp.gt.and.s32 %p3, %r1, 2, !%p1; selp.u32 %r2, 1, 0, %p1;"
              "selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 1, 0, %p3; setp.eq.s32 %p4|_, %r1, 3; selp.u32 %r5, 1, 0, %p4;"
              "st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};",
              4),
      ElementsAre(1u, 0u, 0u, 1u));
}

TEST(Operands, PredicatesCanBeLiterals) {
  EXPECT_THAT(results("mov.pred %p1, 1; mov.pred %p2, 0; selp.u32 %r1, 4, 5, %p1; selp.u32 %r2, 4, 5, %p2;"
                      "st.global.v2.u32 [%rd1], {%r1, %r2};",
                      2),
              ElementsAre(4u, 5u));
}

TEST(Operands, GuardsCoverAllOpsOfAnInstruction) {
  EXPECT_THAT(results("mov.pred %p1, 0; mov.b64 %rd2, 9; mov.b64 %rd3, 0x80; @%p1 cvt.s8.s32 %rd2, %rd3; @!%p1 add.s64 "
                      "%rd2, %rd2, 1;"
                      "st.global.u64 [%rd1], %rd2;",
                      2),
              ElementsAre(10u, 0u));
}

TEST(Operands, LookupTablesOfLop3AreLiterals) {
  EXPECT_THAT(results("mov.b32 %r1, 12; mov.b32 %r2, 10; mov.b32 %r3, 6; lop3.b32 %r4, %r1, %r2, %r3, 0x96; "
                      "st.global.u32 [%rd1], %r4;",
                      1),
              ElementsAre(12u ^ 10u ^ 6u));
  EXPECT_THAT(refusal_of(kernel("lop3.b32 %r4, %r1, %r2, %r3, %r4;")).message, HasSubstr("literal integer"));
}

TEST(Operands, ReductionsNeedNoDestination) {
  EXPECT_THAT(results("red.global.add.u32 [%rd1], 5; red.global.max.s32 [%rd1+4], 8;", 2), ElementsAre(5u, 8u));
}

TEST(Operands, CachePoliciesAreDropped) {
  EXPECT_THAT(results("createpolicy.fractional.L2::evict_first.b64 %rd2, 1.0; mov.b32 %r1, 6;"
                      "st.global.L2::cache_hint.u32 [%rd1], %r1, %rd2; ld.global.L2::cache_hint.u32 %r2, [%rd1], %rd2;"
                      "st.global.u32 [%rd1+4], %r2;",
                      2),
              ElementsAre(6u, 6u));
}

}  // namespace
}  // namespace emulator::testing
