// SPDX-License-Identifier: Apache-2.0
// Strict mode: shared memory that nobody has written may not be read; cvta.to wants an address of its space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "one_warp.hpp"

namespace emulator::test {
namespace {

constexpr unsigned base = 10;

class Strict : public ::testing::TestWithParam<std::string> {
 protected:
  OneWarp on{GetParam()};
  void SetUp() override { on.strict(); }
  void at(auto address) {
    for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(base)[lane] = address(lane);
  }
};

TEST_P(Strict, ReadingWhatWasWrittenIsFine) {
  at([](unsigned lane) { return 4 * lane; });
  EXPECT_EQ(on.run("st.shared.b32", {0, 1, 2, 3, base}), Outcome::next);
  EXPECT_EQ(on.run("ld.shared.b32", {0, 1, 2, 3, base}), Outcome::next);
  at([](unsigned lane) { return 16 * (lane % 8); });
  EXPECT_EQ(on.run("ld.shared.v4.b32", {0, 1, 2, 3, base}), Outcome::next);
}

TEST_P(Strict, FirstUnwrittenByteIsNamed) {
  at([](unsigned lane) { return 4 * lane; });
  EXPECT_EQ(on.run("st.shared.b16", {0, 1, 2, 3, base}), Outcome::next);
  EXPECT_EQ(on.run("ld.shared.b16", {0, 1, 2, 3, base}), Outcome::next);
  EXPECT_EQ(on.run("ld.shared.b32", {0, 1, 2, 3, base}, 0xffffff00u), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::strict);
  EXPECT_EQ(on.fault.thread.x, 32u + 8u);
  EXPECT_EQ(on.fault.address, 32u);
  EXPECT_EQ(on.fault.note, "reads shared memory that was never written, from offset 34 on");
}

TEST_P(Strict, GenericAddressesAndAtomicsAreFollowedToo) {
  at([&](unsigned lane) { return on.memory.shared_window() + 4 * lane; });
  EXPECT_EQ(on.run("atom.generic.add.u32", {1, 0, 0, 0, base}), Outcome::fault);
  EXPECT_EQ(on.run("st.generic.b32", {0, 1, 2, 3, base}), Outcome::next);
  EXPECT_EQ(on.run("atom.generic.add.u32", {1, 0, 0, 0, base}), Outcome::next);
  at([](unsigned lane) { return 128 + 4 * lane; });
  EXPECT_EQ(on.run("atom.shared.add.u32", {1, 0, 0, 0, base}), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::strict);
}

TEST_P(Strict, BoundsComeFirst) {
  at([](unsigned) { return OneWarp::shared_bytes; });
  EXPECT_EQ(on.run("ld.shared.b32", {0, 1, 2, 3, base}), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::illegal_address);
}

TEST_P(Strict, ConversionsWantAnAddressOfTheSpace) {
  const auto allocation = on.memory.allocate(16, AllocationKind::device);
  at([&](unsigned lane) { return lane == 6 ? allocation->begin : on.memory.shared_window() + 8; });
  EXPECT_EQ(on.run("cvta.to.shared", {0, base}), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::strict);
  EXPECT_EQ(on.fault.thread.x, 32u + 6u);
  EXPECT_EQ(on.fault.address, allocation->begin);
  EXPECT_EQ(on.run("cvta.to.shared", {0, base}, ~(1u << 6)), Outcome::next);
  EXPECT_EQ(on.run("cvta.to.local", {0, base}, 1), Outcome::fault);
}

INSTANTIATE_TEST_SUITE_P(Variants, Strict, ::testing::ValuesIn(variants()));

}  // namespace
}  // namespace emulator::test
