// SPDX-License-Identifier: Apache-2.0
// The table as a whole: rows of all op files fit together.
#include "decode/opcode_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "decode/signature.hpp"

namespace emulator {
namespace {

Outcome do_nothing(Warp&, const Op&, LaneMask) noexcept { return Outcome::next; }

TEST(OpcodeTable, NoSpellingHasTwoRows) { EXPECT_THAT(opcode_table().duplicates(), ::testing::IsEmpty()); }

TEST(OpcodeTable, NamesSpellingsThatAreAddedTwice) {
  OpcodeTable table;
  table.add("add.s32", "=b32 b32 b32", do_nothing);
  table.add("add.s32", "=b32 b32 b32", do_nothing);
  EXPECT_THAT(table.duplicates(), ::testing::ElementsAre("add.s32"));
  EXPECT_EQ(table.size(), 1u);
}

TEST(OpcodeTable, KnowsTheBaseOpcodesOfItsRows) {
  OpcodeTable table;
  table.add("mad.lo.s32", "=b32 b32 b32 b32", do_nothing);
  EXPECT_TRUE(table.has_base("mad"));
  EXPECT_FALSE(table.has_base("ma"));
  EXPECT_EQ(table.find("mad.lo.s64"), nullptr);
  EXPECT_EQ(table.find("mad.lo.s32")->handler, do_nothing);
}

TEST(OpcodeTable, HasTheRowsThatDecodingItselfNeeds) {
  for (const char* spelling : {"cvt.u32.u64",
                               "cvt.u64.u32",
                               "cvt.s64.s32",
                               "mov.b16",
                               "mov.b32",
                               "mov.b64",
                               "mov.pred",
                               "mov.local_address",
                               "mov.dynamic_shared",
                               "mov.entry_address",
                               "ld.entry.b8",
                               "ld.entry.b16",
                               "ld.entry.b32",
                               "ld.entry.b64",
                               "ld.entry.s8",
                               "ld.entry.s16",
                               "ld.entry.v4.b32",
                               "ld.frame.b8",
                               "ld.frame.b64",
                               "ld.frame.v2.b64",
                               "ld.frame.v4.b32",
                               "st.frame.b8",
                               "st.frame.b64",
                               "st.frame.v4.b32",
                               "st.local.b64",
                               "membar",
                               "nop",
                               "ret"}) {
    EXPECT_NE(opcode_table().find(spelling), nullptr) << spelling;
  }
}

TEST(OpcodeTable, VariantIsOneOfTwo) {
  EXPECT_THAT(std::string(opcode_table_variant()), ::testing::AnyOf("avx2", "baseline"));
}

TEST(Signature, ListsOperandsInOrder) {
  const decode::Signature slots = decode::parse_signature("=b64* b16 p? _ i");
  ASSERT_EQ(slots.size(), 5u);
  EXPECT_TRUE(slots[0].destination && slots[0].wider && slots[0].bits == 64);
  EXPECT_TRUE(!slots[1].destination && !slots[1].wider && slots[1].bits == 16);
  EXPECT_TRUE(slots[2].optional && slots[2].bits == 1);
  EXPECT_TRUE(slots[3].free);
  EXPECT_TRUE(slots[4].literal);
}

TEST(Signature, RefusesWordsThatItDoesNotKnow) { EXPECT_THROW(decode::parse_signature("=b32 b33"), std::logic_error); }

}  // namespace
}  // namespace emulator
