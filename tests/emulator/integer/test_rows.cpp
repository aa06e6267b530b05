// SPDX-License-Identifier: Apache-2.0
// The table's integer rows: each spelling once, the same in each variant, operands as the decoder expects them.
#include <gmock/gmock.h>

#include "instruction.hpp"

namespace emulator::integer_tests {
namespace {

struct ExpectedRow {
  const char* spelling;
  const char* signature;
};

// What compilers emit, by the histogram of real kernels.
const ExpectedRow arithmetic_rows[] = {
    {"abs.s32", "=b32 b32"},
    {"abs.s64", "=b64 b64"},
    {"add.s16", "=b16 b16 b16"},
    {"add.s32", "=b32 b32 b32"},
    {"add.u32", "=b32 b32 b32"},
    {"add.s64", "=b64 b64 b64"},
    {"add.u64", "=b64 b64 b64"},
    {"add.sat.s32", "=b32 b32 b32"},
    {"add.cc.u32", "=b32 b32 b32"},
    {"addc.u32", "=b32 b32 b32"},
    {"addc.cc.u32", "=b32 b32 b32"},
    {"div.u32", "=b32 b32 b32"},
    {"div.s64", "=b64 b64 b64"},
    {"dp2a.lo.s32.s32", "=b32 b32 b32 b32"},
    {"dp4a.u32.u32", "=b32 b32 b32 b32"},
    {"mad.lo.s16", "=b16 b16 b16 b16"},
    {"mad.lo.s32", "=b32 b32 b32 b32"},
    {"mad.lo.s64", "=b64 b64 b64 b64"},
    {"mad.lo.cc.u32", "=b32 b32 b32 b32"},
    {"mad.wide.u32", "=b64 b32 b32 b64"},
    {"mad.wide.u16", "=b32 b16 b16 b32"},
    {"madc.hi.cc.u32", "=b32 b32 b32 b32"},
    {"madc.lo.cc.u32", "=b32 b32 b32 b32"},
    {"max.s32", "=b32 b32 b32"},
    {"min.u64", "=b64 b64 b64"},
    {"mul.wide.s32", "=b64 b32 b32"},
    {"mul.wide.u16", "=b32 b16 b16"},
    {"mul.hi.u16", "=b16 b16 b16"},
    {"mul.hi.s64", "=b64 b64 b64"},
    {"neg.s64", "=b64 b64"},
    {"rem.s64", "=b64 b64 b64"},
    {"sad.u32", "=b32 b32 b32 b32"},
    {"sub.cc.u32", "=b32 b32 b32"},
    {"subc.cc.u32", "=b32 b32 b32"},
    {"vabsdiff4.u32.u32.u32", "=b32 b32 b32 b32"},
    {"vabsdiff4.u32.u32.u32.add", "=b32 b32 b32 b32"},
};

const ExpectedRow bit_rows[] = {
    {"and.b16", "=b16 b16 b16"},
    {"and.b64", "=b64 b64 b64"},
    {"bfe.u32", "=b32 b32 b32 b32"},
    {"bfe.s64", "=b64 b64 b32 b32"},
    {"bfi.b64", "=b64 b64 b64 b32 b32"},
    {"bfind.shiftamt.u32", "=b32 b32"},
    {"bfind.s64", "=b32 b64"},
    {"bmsk.clamp.b32", "=b32 b32 b32"},
    {"brev.b64", "=b64 b64"},
    {"clz.b64", "=b32 b64"},
    {"fns.b32", "=b32 b32 b32 b32"},
    {"lop3.b32", "=b32 b32 b32 b32 i"},
    {"not.b32", "=b32 b32"},
    {"popc.b64", "=b32 b64"},
    {"prmt.b32", "=b32 b32 b32 b32"},
    {"prmt.b32.rc16", "=b32 b32 b32 b32"},
    {"shf.l.wrap.b32", "=b32 b32 b32 b32"},
    {"shl.b64", "=b64 b64 b32"},
    {"shr.b64", "=b64 b64 b32"},
    {"shr.s32", "=b32 b32 b32"},
    {"szext.clamp.s32", "=b32 b32 b32"},
};

const ExpectedRow other_rows[] = {
    {"setp.eq.b16", "=p =p b16 b16 p?"},
    {"setp.le.s32", "=p =p b32 b32 p?"},
    {"setp.ne.s64", "=p =p b64 b64 p?"},
    {"setp.lt.and.s32", "=p =p b32 b32 p?"},
    {"set.eq.u32.s64", "=b32 b64 b64"},
    {"set.lt.or.f16.u16", "=b16 b16 b16 p"},
    {"selp.u16", "=b16 b16 b16 p"},
    {"selp.b64", "=b64 b64 b64 p"},
    {"slct.b64.s32", "=b64 b64 b64 b32"},
    {"mov.b16", "=b16 b16"},
    {"mov.pred", "=p p"},
    {"mov.pack.4x16", "=b64 b16 b16 b16 b16"},
    {"mov.unpack.2x32", "=b32 =b32 _ _ b64"},
    {"and.pred", "=p p p"},
    {"not.pred", "=p p"},
    {"nop", ""},
    {"cvt.u64.u32", "=b64* b32*"},
    {"cvt.s32.s8", "=b32* b8*"},
    {"cvt.sat.s8.s32", "=b8* b32*"},
};

template <std::size_t N>
void expect_rows(const ExpectedRow (&rows)[N]) {
  for (const Variant* variant : variants()) {
    for (const ExpectedRow& expected : rows) {
      const OpcodeRow* row = variant->table.find(expected.spelling);
      ASSERT_NE(row, nullptr) << variant->name << ": no row " << expected.spelling;
      EXPECT_EQ(row->signature, expected.signature) << expected.spelling;
    }
  }
}

TEST(IntegerRows, ArithmeticHasTheOperandsOfPtx) { expect_rows(arithmetic_rows); }

TEST(IntegerRows, BitsHaveTheOperandsOfPtx) { expect_rows(bit_rows); }

TEST(IntegerRows, ComparesMovesAndConversionsHaveTheOperandsOfTheDecoder) { expect_rows(other_rows); }

TEST(IntegerRows, NoSpellingHasTwoRows) {
  for (const Variant* variant : variants()) EXPECT_THAT(variant->table.duplicates(), testing::IsEmpty());
}

TEST(IntegerRows, VariantsHaveTheSameRows) {
  for (const Variant* variant : variants()) EXPECT_EQ(variant->table.size(), variants().front()->table.size());
}

}  // namespace
}  // namespace emulator::integer_tests
