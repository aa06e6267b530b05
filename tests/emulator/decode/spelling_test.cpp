// SPDX-License-Identifier: Apache-2.0
// What PTX spells in many ways is one row of the table.
#include "decode/spelling.hpp"

#include <gtest/gtest.h>

#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

std::string row_of(std::string_view opcode) { return normalise(opcode).row; }

TEST(Spelling, ArithmeticIsTakenAsWritten) {
  EXPECT_EQ(row_of("add.ftz.f32"), "add.ftz.f32");
  EXPECT_EQ(row_of("mad.wide.u32"), "mad.wide.u32");
  EXPECT_EQ(row_of("setp.lt.and.s32"), "setp.lt.and.s32");
  EXPECT_EQ(row_of("cvt.rn.ftz.f32.f64"), "cvt.rn.ftz.f32.f64");
}

TEST(Spelling, LoadsForgetCachesScopesAndSignsThatDoNotMatter) {
  EXPECT_EQ(row_of("ld.global.nc.v2.f64"), "ld.global.v2.b64");
  EXPECT_EQ(row_of("ld.global.L1::no_allocate.L2::128B.v4.f32"), "ld.global.v4.b32");
  EXPECT_EQ(row_of("ld.global.ca.u8"), "ld.global.b8");
  EXPECT_EQ(row_of("ld.local.s32"), "ld.local.b32");
  EXPECT_EQ(row_of("ld.const.f32"), "ld.global.b32");
  EXPECT_EQ(row_of("ld.weak.u64"), "ld.generic.b64");
  EXPECT_EQ(row_of("ldu.global.f32"), "ld.global.b32");
}

TEST(Spelling, NarrowSignedLoadsKeepTheirSign) {
  EXPECT_EQ(row_of("ld.global.s8"), "ld.global.s8");
  EXPECT_EQ(row_of("ld.shared::cta.v2.s16"), "ld.shared.v2.s16");
}

TEST(Spelling, OrderedAccessesAreVolatile) {
  EXPECT_EQ(row_of("ld.volatile.shared.f32"), "ld.volatile.shared.b32");
  EXPECT_EQ(row_of("ld.acquire.gpu.global.u32"), "ld.volatile.global.b32");
  EXPECT_EQ(row_of("ld.relaxed.sys.global.u64"), "ld.volatile.global.b64");
  EXPECT_EQ(row_of("st.release.cta.b32"), "st.volatile.generic.b32");
}

TEST(Spelling, ParameterAccessesAreDecidedByTheirOperands) {
  EXPECT_EQ(row_of("ld.param.u64"), "");
  EXPECT_EQ(access_row("ld", "entry", normalise("ld.param.v4.f32").access), "ld.entry.v4.b32");
  EXPECT_EQ(access_row("st", "frame", normalise("st.param.s8").access), "st.frame.b8");
}

TEST(Spelling, StoresHaveNoSign) { EXPECT_EQ(row_of("st.global.cs.s16"), "st.global.b16"); }

TEST(Spelling, AtomicsTakeTheirModifiersInAnyOrder) {
  EXPECT_EQ(row_of("atom.global.sys.add.u32"), "atom.global.add.u32");
  EXPECT_EQ(row_of("atom.add.release.gpu.u32"), "atom.generic.add.u32");
  EXPECT_EQ(row_of("atom.relaxed.gpu.global.cas.b64"), "atom.global.cas.b64");
  EXPECT_EQ(row_of("atom.shared::cta.max.s32"), "atom.shared.max.s32");
  EXPECT_EQ(row_of("atom.add.noftz.f16x2"), "atom.generic.add.f16x2");
}

TEST(Spelling, SignedAdditionIsUnsignedAddition) {
  EXPECT_EQ(row_of("atom.global.add.s32"), "atom.global.add.u32");
  EXPECT_EQ(row_of("red.shared.add.s64"), "atom.shared.add.u64");
}

TEST(Spelling, ReductionsAreAtomicsWithoutResult) {
  EXPECT_EQ(normalise("red.global.add.f32").family, Family::reduction);
  EXPECT_EQ(row_of("red.relaxed.gpu.global.or.b32"), "atom.global.or.b32");
}

TEST(Spelling, MovesOnlyKnowWidths) {
  EXPECT_EQ(row_of("mov.f32"), "mov.b32");
  EXPECT_EQ(row_of("mov.s64"), "mov.b64");
  EXPECT_EQ(row_of("mov.u16"), "mov.b16");
  EXPECT_EQ(row_of("mov.pred"), "mov.pred");
  EXPECT_EQ(normalise("mov.b128").family, Family::left_out);
}

TEST(Spelling, GlobalAddressesAreGenericAddresses) {
  EXPECT_EQ(row_of("cvta.to.global.u64"), "mov.b64");
  EXPECT_EQ(row_of("cvta.const.u64"), "mov.b64");
  EXPECT_EQ(row_of("cvta.param.u64"), "mov.b64");
  EXPECT_EQ(row_of("cvta.shared.u64"), "cvta.shared");
  EXPECT_EQ(row_of("cvta.to.local.u64"), "cvta.to.local");
  EXPECT_EQ(normalise("cvta.shared.u32").family, Family::left_out);
}

TEST(Spelling, AllBarriersOfABlockAreBar) {
  EXPECT_EQ(row_of("barrier.sync"), "bar.sync");
  EXPECT_EQ(row_of("barrier.cta.sync.aligned"), "bar.sync");
  EXPECT_EQ(row_of("barrier.red.popc.aligned.u32"), "bar.red.popc.u32");
  EXPECT_EQ(row_of("bar.warp.sync"), "bar.warp.sync");
}

TEST(Spelling, FencesAreOneAndHintsAreNone) {
  EXPECT_EQ(row_of("membar.gl"), "membar");
  EXPECT_EQ(row_of("fence.acq_rel.gpu"), "membar");
  EXPECT_EQ(row_of("fence.sc.cluster"), "membar");
  EXPECT_EQ(row_of("prefetch.global.L2"), "nop");
  EXPECT_EQ(row_of("discard.global.L2"), "nop");
}

TEST(Spelling, BranchesLoseUni) {
  EXPECT_EQ(row_of("bra.uni"), "bra");
  EXPECT_EQ(row_of("call.uni"), "call");
  EXPECT_EQ(row_of("ret.uni"), "ret");
}

TEST(Spelling, UnknownModifiersOfMemoryInstructionsAreRefused) {
  EXPECT_EQ(normalise("ld.global.often.f32").family, Family::left_out);
  EXPECT_EQ(normalise("ld.global").family, Family::left_out);
  EXPECT_EQ(normalise("atom.global.u32").family, Family::left_out);
}

TEST(Spelling, WhatIsLeftOutIsKnownByName) {
  for (const char* opcode :
       {"cp.async.commit_group", "mbarrier.init.shared.b64", "fence.proxy.async", "tex.2d.v4.f32.f32",
        "barrier.cluster.arrive", "ld.shared::cluster.u32", "ld.global.v8.f32", "wgmma.fence.sync.aligned"}) {
    EXPECT_TRUE(is_left_out(opcode)) << opcode;
  }
  for (const char* opcode :
       {"fence.acq_rel.cluster", "ld.relaxed.cluster.global.u32", "ld.shared::cta.u32", "barrier.sync"}) {
    EXPECT_FALSE(is_left_out(opcode)) << opcode;
  }
}

}  // namespace
}  // namespace emulator::decode
