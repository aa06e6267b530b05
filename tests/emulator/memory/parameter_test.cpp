// SPDX-License-Identifier: Apache-2.0
// Parameters, addresses of things, windows and fences.
#include <gtest/gtest.h>

#include <cstring>

#include "one_warp.hpp"
#include "patterns.hpp"

namespace emulator::test {
namespace {

constexpr unsigned base = 10;

class Parameter : public ::testing::TestWithParam<std::string> {
 protected:
  OneWarp on{GetParam()};
  /// Expects a register of `bits` to hold `value` in the lanes of `mask` and `kept` in the others.
  void expect(unsigned index, unsigned bits, LaneMask mask, std::uint64_t value, std::uint64_t kept) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      EXPECT_EQ(on.value(index, bits, lane), (mask >> lane & 1u) != 0 ? value : kept) << "lane " << lane;
    }
  }
  void fill(unsigned index, std::uint64_t value) {
    for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(index)[lane] = value;
  }
};

// The buffer's byte i is 3 * i + 1.
TEST_P(Parameter, EntryParametersComeFromTheBuffer) {
  for (const LaneMask mask : masks()) {
    for (unsigned index = 0; index < 4; ++index) fill(index, 0x1111111111111111u);
    on.run("ld.entry.b32", {0}, mask, 8);
    on.run("ld.entry.b64", {1}, mask, 8);
    on.run("ld.entry.b8", {2}, mask, 100);
    on.run("ld.entry.s8", {3}, mask, 70);
    expect(0, 32, mask, 0x221f1c19, 0x11111111);
    expect(1, 64, mask, 0x2e2b2825221f1c19, 0x1111111111111111u);
    expect(2, 32, mask, 301 & 0xff, 0x11111111);
    expect(3, 32, mask, 0xffffffd3, 0x11111111);
  }
}

TEST_P(Parameter, EntryVectorsFillTheirRegisters) {
  on.run("ld.entry.v4.b16", {0, 1, 2, 3}, every_lane, 0);
  expect(0, 32, every_lane, 0x0401, 0);
  expect(1, 32, every_lane, 0x0a07, 0);
  expect(2, 32, every_lane, 0x100d, 0);
  expect(3, 32, every_lane, 0x1613, 0);
  on.run("ld.entry.v2.b64", {0, 1}, every_lane, 16);
  expect(0, 64, every_lane, 0x4643403d3a373431, 0);
  expect(1, 64, every_lane, 0x5e5b5855524f4c49, 0);
}

TEST_P(Parameter, FrameParametersKeepLanesApart) {
  constexpr unsigned slot = 12;
  for (const std::uint32_t stride : {4u, 12u}) {
    for (const LaneMask mask : masks()) {
      for (unsigned lane = 0; lane < warp_size; ++lane) on.narrow(0)[lane] = 100 + lane;
      fill(1, 0x7777777777777777u);
      EXPECT_EQ(on.run("st.frame.b32", {0, 0, 0, 0, slot}, mask, 0, stride), Outcome::next);
      EXPECT_EQ(on.run("ld.frame.b32", {1, 0, 0, 0, slot}, mask, 0, stride), Outcome::next);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        EXPECT_EQ(on.narrow(1)[lane], (mask >> lane & 1u) != 0 ? 100 + lane : 0x77777777u);
      }
    }
  }
}

TEST_P(Parameter, FrameVectorsLieElementAfterElement) {
  constexpr unsigned slot = 12;
  fill(0, 0x1122334455667788u);
  fill(1, 0x99aabbccddeeff00u);
  EXPECT_EQ(on.run("st.frame.v2.b64", {0, 1, 0, 0, slot}, every_lane, 0, 16), Outcome::next);
  EXPECT_EQ(on.run("ld.frame.v4.b32", {2, 3, 4, 5, slot}, every_lane, 0, 16), Outcome::next);
  expect(2, 32, every_lane, 0x55667788, 0);
  expect(3, 32, every_lane, 0x11223344, 0);
  expect(4, 32, every_lane, 0xddeeff00, 0);
  expect(5, 32, every_lane, 0x99aabbcc, 0);
}

TEST_P(Parameter, AddressesAreSpreadOverTheLanes) {
  on.warp.local_base = 96;
  on.grid.parameter_address = 0x7000000000;
  for (const LaneMask mask : masks()) {
    for (unsigned index = 0; index < 3; ++index) fill(index, 5);
    on.run("mov.local_address", {0}, mask, 8);
    on.run("mov.dynamic_shared", {1}, mask, 16);
    on.run("mov.entry_address", {2}, mask, 24);
    expect(0, 64, mask, 104, 5);
    expect(1, 64, mask, 1040, 5);
    expect(2, 64, mask, 0x7000000018, 5);
  }
}

TEST_P(Parameter, ConversionsMoveByTheWindow) {
  for (const LaneMask mask : masks()) {
    fill(base, 40);
    fill(0, 5);
    fill(1, 5);
    on.run("cvta.shared", {0, base}, mask);
    on.run("cvta.local", {1, base}, mask);
    expect(0, 64, mask, on.memory.shared_window() + 40, 5);
    expect(1, 64, mask, on.memory.local_window() + 40, 5);
    on.run("cvta.to.shared", {2, 0}, mask);
    on.run("cvta.to.local", {3, 1}, mask);
    expect(2, 64, mask, 40, on.wide(2)[0]);
    expect(3, 64, mask, 40, on.wide(3)[0]);
  }
}

TEST_P(Parameter, SpacesOfGenericAddressesAreTold) {
  const auto device = on.memory.allocate(16, AllocationKind::device);
  const auto constant = on.memory.allocate(16, AllocationKind::constant);
  on.grid.parameter_address = on.memory.allocate(256, AllocationKind::constant)->begin;
  const std::uint64_t addresses[] = {device->begin,
                                     on.memory.shared_window(),
                                     on.memory.shared_window() + window_bytes - 1,
                                     on.memory.local_window(),
                                     constant->begin + 15,
                                     on.grid.parameter_address + 255,
                                     on.grid.parameter_address + 256,
                                     0};
  for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(base)[lane] = addresses[lane % 8];
  const auto lanes = [&](const char* row, LaneMask mask) {
    on.narrow(0)[0] = 0xf0f0f0f0u;
    on.run(row, {0, base}, mask);
    return on.narrow(0)[0];
  };
  EXPECT_EQ(lanes("isspacep.shared", every_lane), 0x06060606u);
  EXPECT_EQ(lanes("isspacep.shared::cta", every_lane), 0x06060606u);
  EXPECT_EQ(lanes("isspacep.local", every_lane), 0x08080808u);
  EXPECT_EQ(lanes("isspacep.global", every_lane), 0xf1f1f1f1u);
  EXPECT_EQ(lanes("isspacep.const", every_lane), 0x30303030u);
  EXPECT_EQ(lanes("isspacep.param", every_lane), 0x20202020u);
  EXPECT_EQ(lanes("isspacep.shared", 0x000000ffu), 0xf0f0f006u);
}

TEST_P(Parameter, FencesGoOn) { EXPECT_EQ(on.run("membar", {}), Outcome::next); }

INSTANTIATE_TEST_SUITE_P(Variants, Parameter, ::testing::ValuesIn(variants()));

}  // namespace
}  // namespace emulator::test
