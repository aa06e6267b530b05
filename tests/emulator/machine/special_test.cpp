// SPDX-License-Identifier: Apache-2.0
// Special registers: what each answers.
#include <gtest/gtest.h>

#include <vector>

#include "program.hpp"

namespace emulator::testing {
namespace {

using Words = std::vector<std::uint32_t>;

/// Reads one register in every thread of a grid of 2 blocks of 40 threads with 100 bytes of static and 300 of dynamic shared memory.
Words read(const std::string& name) {
  Words result(80, 0xdddddddd);
  Assembler code("reader");
  code.op(put, {0, code.special(name)}, result.data());
  Machine machine(code);
  machine.kernel.static_shared = 100;
  machine.launch.dynamic_shared = 300;
  machine.services.threads = 1;
  EXPECT_TRUE(machine.run({2, 1, 1}, {10, 4, 1}));
  return result;
}

TEST(SpecialRegister, SizesAreTheSameForAll) {
  EXPECT_EQ(read("ntid.x"), Words(80, 10));
  EXPECT_EQ(read("ntid.y"), Words(80, 4));
  EXPECT_EQ(read("ntid.z"), Words(80, 1));
  EXPECT_EQ(read("nctaid.x"), Words(80, 2));
  EXPECT_EQ(read("nwarpid"), Words(80, 2));
  EXPECT_EQ(read("nsmid"), Words(80, 1));
  EXPECT_EQ(read("smid"), Words(80, 0));
  EXPECT_EQ(read("WARP_SZ"), Words(80, 32));
}

TEST(SpecialRegister, LanesAndWarpsCountInABlock) {
  const Words lane = read("laneid"), warp = read("warpid");
  for (std::uint32_t thread = 0; thread < 80; ++thread) {
    EXPECT_EQ(lane[thread], thread % 40 % 32);
    EXPECT_EQ(warp[thread], thread % 40 / 32);
  }
}

TEST(SpecialRegister, LaneMasksAtBothEnds) {
  EXPECT_EQ(read("lanemask_eq")[31], 0x80000000u);
  EXPECT_EQ(read("lanemask_lt")[0], 0u);
  EXPECT_EQ(read("lanemask_lt")[31], 0x7fffffffu);
  EXPECT_EQ(read("lanemask_le")[0], 1u);
  EXPECT_EQ(read("lanemask_le")[31], 0xffffffffu);
  EXPECT_EQ(read("lanemask_gt")[0], 0xfffffffeu);
  EXPECT_EQ(read("lanemask_gt")[31], 0u);
  EXPECT_EQ(read("lanemask_ge")[0], 0xffffffffu);
  EXPECT_EQ(read("lanemask_ge")[5], 0xffffffe0u);
}

TEST(SpecialRegister, SharedSizesCountInAllocationUnits) {
  // Dynamic memory begins at 112, the next multiple of 16; 412 bytes are four units of 128.
  EXPECT_EQ(read("dynamic_smem_size"), Words(80, 300));
  EXPECT_EQ(read("total_smem_size"), Words(80, 512));
}

TEST(SpecialRegister, EachBlockIsAClusterOfItsOwn) {
  EXPECT_EQ(read("cluster_ctarank"), Words(80, 0));
  EXPECT_EQ(read("cluster_nctarank"), Words(80, 1));
  EXPECT_EQ(read("clusterid.x")[79], 1u);
  EXPECT_EQ(read("nclusterid.x"), Words(80, 2));
}

TEST(SpecialRegister, ClocksGrowWithEachReading) {
  std::vector<std::uint64_t> first(32), second(32), begin(32), end(32);
  Assembler code("clocks");
  const auto one = code.wide(), two = code.wide(), three = code.wide(), four = code.wide();
  code.op("mov.special.clock64", {one});
  code.op("mov.special.clock64", {two});
  code.op("mov.special.globaltimer", {three});
  code.op("mov.special.globaltimer", {four});
  code.op(put_wide, {0, one}, first.data());
  code.op(put_wide, {0, two}, second.data());
  code.op(put_wide, {0, three}, begin.data());
  code.op(put_wide, {0, four}, end.data());
  ASSERT_TRUE(Machine(code).run({1, 1, 1}, {32, 1, 1}));
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_LT(first[lane], second[lane]);
    EXPECT_LE(begin[lane], end[lane]);
    EXPECT_GT(begin[lane], 1700000000000000000u) << "nanoseconds since 1970";
  }
}

TEST(SpecialRegister, GridNumbersDiffer) {
  std::vector<std::uint64_t> first(1), second(1);
  for (auto* result : {&first, &second}) {
    Assembler code("grid");
    const auto id = code.wide();
    code.op("mov.special.gridid", {id});
    code.op(put_wide, {0, id}, result->data());
    ASSERT_TRUE(Machine(code).run({1, 1, 1}, {1, 1, 1}));
  }
  EXPECT_LT(first[0], second[0]);
}

}  // namespace
}  // namespace emulator::testing
