// SPDX-License-Identifier: Apache-2.0
// Accesses that may not be: exact to the byte, told for the first lane that errs, and nothing is read or written then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "one_warp.hpp"

namespace emulator::test {
namespace {

using ::testing::HasSubstr;

constexpr unsigned base = 10;

struct Width {
  const char* type;
  unsigned bytes;
};

constexpr Width widths[] = {{"b8", 1},     {"b16", 2},    {"b32", 4},    {"b64", 8},     {"v2.b8", 2},  {"v4.b8", 4},
                            {"v2.b16", 4}, {"v4.b16", 8}, {"v2.b32", 8}, {"v4.b32", 16}, {"v2.b64", 16}};

class AccessFault : public ::testing::TestWithParam<std::string> {
 protected:
  OneWarp on{GetParam()};

  /// All lanes at `address`, but for those of `lanes`, which are at `other`.
  void place_lanes(std::uint64_t address, LaneMask lanes, std::uint64_t other) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      on.wide(base)[lane] = (lanes >> lane & 1u) != 0 ? other : address;
    }
  }
  Outcome run(const std::string& row, LaneMask mask = every_lane, std::uint64_t displacement = 0) {
    return on.run(row, {0, 1, 2, 3, base}, mask, displacement);
  }
  void expect_fault(FaultKind kind, unsigned lane, std::uint64_t address, std::uint32_t size, bool is_write) {
    EXPECT_EQ(on.fault.kind, kind);
    EXPECT_EQ(on.fault.thread.x, 32 + lane);
    EXPECT_EQ(on.fault.address, address);
    EXPECT_EQ(on.fault.size, size);
    EXPECT_EQ(on.fault.is_write, is_write);
  }
};

TEST_P(AccessFault, GlobalAccessesMayEndWithTheAllocationAndNotBehindIt) {
  for (const Width& width : widths) {
    const auto allocation = on.memory.allocate(256 + width.bytes, AllocationKind::device);
    const std::uint64_t last = allocation->begin + 256;
    for (const char* space : {"global.", "generic.", "volatile.global."}) {
      for (const char* verb : {"ld.", "st."}) {
        const std::string name = space;
        const std::string row = std::string(verb) + name + width.type;
        SCOPED_TRACE(row);
        for (const LaneMask errs : {0x00000008u, 0x80000000u, 0x00000001u, 0xffff0000u}) {
          place_lanes(allocation->begin, errs, last);
          EXPECT_EQ(run(row), Outcome::next);
          place_lanes(allocation->begin, errs, last + width.bytes);
          EXPECT_EQ(run(row), Outcome::fault);
          expect_fault(FaultKind::illegal_address, static_cast<unsigned>(__builtin_ctz(errs)), last + width.bytes,
                       width.bytes, verb[0] == 's');
          EXPECT_THAT(on.fault.note, HasSubstr("0 bytes behind the "));
          EXPECT_EQ(run(row, ~errs), Outcome::next);
        }
      }
    }
  }
}

TEST_P(AccessFault, LastElementMayNotReachOverTheEnd) {
  // 4 bytes asked for at the end of 6: the allocation's size counts, not what it was rounded up to.
  const auto allocation = on.memory.allocate(6, AllocationKind::device);
  place_lanes(allocation->begin, 0, 0);
  EXPECT_EQ(run("ld.global.b32"), Outcome::next);
  EXPECT_EQ(run("ld.global.b16", every_lane, 4), Outcome::next);
  EXPECT_EQ(run("ld.global.b32", every_lane, 4), Outcome::fault);
  expect_fault(FaultKind::illegal_address, 0, allocation->begin + 4, 4, false);
  EXPECT_EQ(run("ld.global.b64"), Outcome::fault);
}

TEST_P(AccessFault, GlobalAccessesMayNotBeginBeforeTheAllocation) {
  const auto allocation = on.memory.allocate(64, AllocationKind::device);
  place_lanes(allocation->begin, 1u << 20, allocation->begin - 4);
  EXPECT_EQ(run("ld.global.b32"), Outcome::fault);
  expect_fault(FaultKind::illegal_address, 20, allocation->begin - 4, 4, false);
}

TEST_P(AccessFault, SideBySideAccessThatRunsOverTheEndNamesItsFirstLane) {
  const auto allocation = on.memory.allocate(100, AllocationKind::device);
  for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(base)[lane] = allocation->begin + 4 * lane;
  EXPECT_EQ(run("st.global.b32"), Outcome::fault);
  expect_fault(FaultKind::illegal_address, 25, allocation->begin + 100, 4, true);
  EXPECT_EQ(run("st.global.b32", 0x01ffffffu), Outcome::next);
}

TEST_P(AccessFault, EveryMisalignmentIsFound) {
  const auto allocation = on.memory.allocate(256, AllocationKind::device);
  for (const Width& width : widths) {
    for (std::uint64_t offset = 0; offset < 2 * width.bytes; ++offset) {
      for (const char* space : {"global.", "generic.", "shared.", "local.", "volatile.global."}) {
        const std::string name = space;
        const bool is_narrow = name == "shared." || name == "local.";
        const std::uint64_t begin = is_narrow ? 0 : allocation->begin;
        const bool aligned = offset % width.bytes == 0;
        SCOPED_TRACE(name + width.type + " at " + std::to_string(offset));
        place_lanes(begin, 0xfffff000u, begin + offset);
        EXPECT_EQ(run("ld." + name + width.type), aligned ? Outcome::next : Outcome::fault);
        if (!aligned) expect_fault(FaultKind::misaligned_address, 12, begin + offset, width.bytes, false);
        place_lanes(begin, every_lane, begin);
        EXPECT_EQ(run("st." + name + width.type, every_lane, offset), aligned ? Outcome::next : Outcome::fault);
        if (!aligned) expect_fault(FaultKind::misaligned_address, 0, begin + offset, width.bytes, true);
      }
    }
  }
}

TEST_P(AccessFault, ConstantsCanBeReadButNotWritten) {
  const auto constant = on.memory.allocate(64, AllocationKind::constant);
  place_lanes(constant->begin, 0, 0);
  EXPECT_EQ(run("ld.global.b32"), Outcome::next);
  for (const char* row : {"st.global.b32", "st.generic.b32", "st.volatile.global.b32", "st.global.v2.b8"}) {
    EXPECT_EQ(run(row), Outcome::fault) << row;
    EXPECT_EQ(on.fault.kind, FaultKind::illegal_address) << row;
    EXPECT_THAT(on.fault.note, HasSubstr("constant memory"));
    EXPECT_EQ(run(row, 0x00000700u), Outcome::fault) << row;
  }
}

TEST_P(AccessFault, FreedMemoryIsGoneAndNamed) {
  const auto allocation = on.memory.allocate(64, AllocationKind::device);
  on.memory.release(allocation->begin);
  place_lanes(allocation->begin + 8, 0, 0);
  EXPECT_EQ(run("ld.global.b32"), Outcome::fault);
  EXPECT_THAT(on.fault.note, HasSubstr("freed earlier: 8 bytes into the 64 bytes"));
}

TEST_P(AccessFault, NullIsNobodys) {
  for (const char* row : {"ld.global.b32", "st.global.b64", "ld.generic.b8", "st.generic.v4.b32"}) {
    place_lanes(0, 0, 0);
    EXPECT_EQ(run(row, every_lane, 16), Outcome::fault) << row;
    EXPECT_EQ(on.fault.address, 16u);
    EXPECT_EQ(on.fault.note, "a null pointer with an offset");
  }
}

TEST_P(AccessFault, NothingIsTouchedWhenOneLaneErrs) {
  const auto allocation = on.memory.allocate(256, AllocationKind::device);
  std::memset(allocation->host, 0, 256);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    on.wide(base)[lane] = allocation->begin + 8 * lane;
    on.wide(0)[lane] = 5;
  }
  on.wide(base)[31] = allocation->begin + 256;
  EXPECT_EQ(run("st.global.b64"), Outcome::fault);
  EXPECT_EQ(run("st.volatile.global.b64"), Outcome::fault);
  EXPECT_EQ(on.run("atom.global.exch.b64", {1, 0, 0, 0, base}), Outcome::fault);
  for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(allocation->host[i], std::byte{0});
  EXPECT_EQ(run("ld.global.b64"), Outcome::fault);
  for (unsigned lane = 0; lane < warp_size; ++lane) EXPECT_EQ(on.wide(0)[lane], 5u);
}

TEST_P(AccessFault, SharedMemoryEndsWithTheBlocksShare) {
  on.block.shared_bytes = 40;
  for (const Width& width : widths) {
    const std::uint64_t last = (40 - width.bytes) / width.bytes * width.bytes;
    for (const char* verb : {"ld.", "st."}) {
      SCOPED_TRACE(std::string(verb) + width.type);
      place_lanes(0, 1u << 17, last);
      EXPECT_EQ(run(std::string(verb) + "shared." + width.type), Outcome::next);
      place_lanes(0, 1u << 17, last + width.bytes);
      EXPECT_EQ(run(std::string(verb) + "shared." + width.type), Outcome::fault);
      expect_fault(FaultKind::illegal_address, 17, last + width.bytes, width.bytes, verb[0] == 's');
      EXPECT_EQ(on.fault.note, "the block has 40 bytes of shared memory");
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        on.narrow(base)[lane] = static_cast<std::uint32_t>(last + (lane == 17 ? width.bytes : 0));
      }
      EXPECT_EQ(run(std::string(verb) + "shared.a32." + width.type), Outcome::fault);
      expect_fault(FaultKind::illegal_address, 17, last + width.bytes, width.bytes, verb[0] == 's');
      EXPECT_EQ(run(std::string(verb) + "shared.a32." + width.type, ~(1u << 17)), Outcome::next);
    }
  }
}

TEST_P(AccessFault, GenericAddressesOfSharedMemoryAreBoundedToo) {
  on.block.shared_bytes = 40;
  place_lanes(on.memory.shared_window() + 36, 0, 0);
  EXPECT_EQ(run("st.generic.b32"), Outcome::next);
  EXPECT_EQ(run("st.generic.b32", every_lane, 4), Outcome::fault);
  expect_fault(FaultKind::illegal_address, 0, on.memory.shared_window() + 40, 4, true);
  EXPECT_EQ(on.fault.note, "the block has 40 bytes of shared memory");
}

TEST_P(AccessFault, SharedLoadsRefuseGenericAddresses) {
  place_lanes(on.memory.shared_window(), 0, 0);
  EXPECT_EQ(run("ld.shared.b32"), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::illegal_address);
  EXPECT_THAT(on.fault.note, HasSubstr("the address is a generic one (cvta.to is missing)"));
}

TEST_P(AccessFault, GlobalLoadsRefuseAddressesOfSharedMemory) {
  place_lanes(on.memory.shared_window() + 8, 0, 0);
  EXPECT_EQ(run("ld.global.b32"), Outcome::fault);
  EXPECT_EQ(on.fault.note, "offset 8 of the shared memory window");
}

TEST_P(AccessFault, LocalMemoryEndsWithTheThreadsShare) {
  on.block.local_bytes = 24;
  for (const char* verb : {"ld.", "st."}) {
    place_lanes(16, 0, 0);
    EXPECT_EQ(run(std::string(verb) + "local.b64"), Outcome::next);
    place_lanes(16, 0x00001000u, 24);
    EXPECT_EQ(run(std::string(verb) + "local.b64"), Outcome::fault);
    expect_fault(FaultKind::illegal_address, 12, 24, 8, verb[0] == 's');
    EXPECT_EQ(on.fault.note, "the thread has 24 bytes of local memory");
    place_lanes(24, 0, 0);
    EXPECT_EQ(run(std::string(verb) + "local.b64"), Outcome::fault);
    place_lanes(on.memory.local_window() + 24, 0, 0);
    EXPECT_EQ(run(std::string(verb) + "generic.b64"), Outcome::fault);
    EXPECT_EQ(on.fault.note, "the thread has 24 bytes of local memory");
  }
}

TEST_P(AccessFault, CodeCannotBeRead) {
  place_lanes(on.memory.code_window() + 16, 0, 0);
  EXPECT_EQ(run("ld.generic.b32"), Outcome::fault);
  EXPECT_EQ(on.fault.note, "the address of a function");
}

TEST_P(AccessFault, StrideThatWrapsAroundTheAddressSpaceIsNoRegularAccess) {
  const auto allocation = on.memory.allocate(128, AllocationKind::device);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    on.wide(base)[lane] = allocation->begin + lane * 0x4000000000000004u;
  }
  EXPECT_EQ(run("ld.global.b32"), Outcome::fault);
  expect_fault(FaultKind::illegal_address, 1, allocation->begin + 0x4000000000000004u, 4, false);
}

TEST_P(AccessFault, MisalignedHostMemoryIsCheckedByAddress) {
  alignas(16) std::byte host[64];
  ASSERT_TRUE(on.memory.add_host(host + 2, 62, AllocationKind::registered, 0));
  const auto begin = reinterpret_cast<std::uint64_t>(host);
  place_lanes(begin + 4, 0, 0);
  EXPECT_EQ(run("ld.global.b32"), Outcome::next);
  place_lanes(begin + 2, 0, 0);
  EXPECT_EQ(run("ld.global.b32"), Outcome::fault);
  expect_fault(FaultKind::misaligned_address, 0, begin + 2, 4, false);
}

INSTANTIATE_TEST_SUITE_P(Variants, AccessFault, ::testing::ValuesIn(variants()));

}  // namespace
}  // namespace emulator::test
