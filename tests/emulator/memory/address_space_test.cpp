// SPDX-License-Identifier: Apache-2.0
// Allocations of the device and host memory that it knows: bounds, overlap, reuse, what describe() says.
#include "memory/address_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace emulator {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

TEST(AddressSpace, GivesAlignedMemoryThatTheEmulatorCanUse) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(1000, AllocationKind::device);
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->size, 1000u);
  EXPECT_EQ(allocation->begin % 256, 0u);
  EXPECT_TRUE(space.in_device_range(allocation->begin));
  std::memset(allocation->host, 7, 1000);
  EXPECT_EQ(allocation->host[999], std::byte{7});
}

TEST(AddressSpace, HostCodeCannotReadDeviceAddresses) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(4096, AllocationKind::device);
  // write() reads the buffer for us and answers EFAULT instead of ending the test.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], reinterpret_cast<const void*>(allocation->begin), 1), -1);
  EXPECT_EQ(write(ends[1], allocation->host, 1), 1);
  close(ends[0]);
  close(ends[1]);
}

TEST(AddressSpace, AlignsAsAsked) {
  AddressSpace space(mebibyte);
  (void)space.allocate(1, AllocationKind::device);
  EXPECT_EQ(space.allocate(1, AllocationKind::device, 512)->begin % 512, 0u);
  EXPECT_EQ(space.allocate(1, AllocationKind::device, 65536)->begin % 65536, 0u);
}

TEST(AddressSpace, GivesNothingForZeroBytesOrTooMany) {
  AddressSpace space(mebibyte);
  EXPECT_FALSE(space.allocate(0, AllocationKind::device));
  EXPECT_FALSE(space.allocate(mebibyte + 1, AllocationKind::device));
  EXPECT_FALSE(space.allocate(~std::uint64_t{0}, AllocationKind::device));
}

TEST(AddressSpace, GivesAllFreeBytesInOnePiece) {
  AddressSpace space(mebibyte);
  EXPECT_EQ(space.free_bytes(), space.total_bytes());
  const auto all = space.allocate(space.free_bytes(), AllocationKind::device);
  ASSERT_TRUE(all);
  EXPECT_EQ(space.free_bytes(), 0u);
  EXPECT_FALSE(space.allocate(1, AllocationKind::device));
  EXPECT_TRUE(space.release(all->begin));
  EXPECT_EQ(space.free_bytes(), space.total_bytes());
}

TEST(AddressSpace, FindsAnAllocationFromItsFirstByteToItsLast) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(1000, AllocationKind::device);
  EXPECT_EQ(space.find(allocation->begin)->id, allocation->id);
  EXPECT_EQ(space.find(allocation->begin + 999)->id, allocation->id);
  EXPECT_FALSE(space.find(allocation->begin + 1000));
  EXPECT_FALSE(space.find(allocation->begin - 1));
  EXPECT_FALSE(space.find(0));
}

TEST(AddressSpace, LeavesRoomBehindAnAllocationWhoseSizeIsRound) {
  AddressSpace space(mebibyte);
  const auto first = space.allocate(1024, AllocationKind::device);
  const auto second = space.allocate(1024, AllocationKind::device);
  ASSERT_GT(second->begin, first->begin);
  EXPECT_FALSE(space.find(first->begin + 1024));
}

TEST(AddressSpace, CacheKnowsWhatKernelsMayWrite) {
  AddressSpace space(mebibyte);
  const auto variable = space.allocate(64, AllocationKind::variable);
  const auto constant = space.allocate(64, AllocationKind::constant);
  AddressCache cache;
  ASSERT_TRUE(space.find(variable->begin + 63, cache));
  EXPECT_EQ(cache.begin, variable->begin);
  EXPECT_EQ(cache.size, 64u);
  EXPECT_EQ(cache.host, variable->host);
  EXPECT_TRUE(cache.writable);
  ASSERT_TRUE(space.find(constant->begin, cache));
  EXPECT_FALSE(cache.writable);
  EXPECT_FALSE(space.find(constant->begin + 64, cache));
}

TEST(AddressSpace, HostMemoryKeepsItsAddress) {
  AddressSpace space(mebibyte);
  std::vector<std::byte> host(100);
  ASSERT_TRUE(space.add_host(host.data() + 1, 98, AllocationKind::registered, 3));
  const auto found = space.find(reinterpret_cast<std::uint64_t>(host.data()) + 98);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->host, host.data() + 1);
  EXPECT_EQ(found->flags, 3u);
  EXPECT_FALSE(space.find(reinterpret_cast<std::uint64_t>(host.data())));
  EXPECT_FALSE(space.find(reinterpret_cast<std::uint64_t>(host.data()) + 99));
  EXPECT_TRUE(space.release(found->begin));
  EXPECT_FALSE(space.find(found->begin));
}

TEST(AddressSpace, RefusesHostMemoryThatOverlapsAKnownRange) {
  AddressSpace space(mebibyte);
  std::vector<std::byte> host(100);
  ASSERT_TRUE(space.add_host(host.data() + 20, 60, AllocationKind::pinned, 0));
  EXPECT_FALSE(space.add_host(host.data() + 20, 60, AllocationKind::pinned, 0));
  EXPECT_FALSE(space.add_host(host.data(), 21, AllocationKind::pinned, 0));
  EXPECT_FALSE(space.add_host(host.data() + 79, 1, AllocationKind::pinned, 0));
  EXPECT_FALSE(space.add_host(host.data(), 100, AllocationKind::pinned, 0));
  EXPECT_TRUE(space.add_host(host.data(), 20, AllocationKind::pinned, 0));
  EXPECT_TRUE(space.add_host(host.data() + 80, 20, AllocationKind::pinned, 0));
}

TEST(AddressSpace, RefusesHostMemoryThatIsNone) {
  AddressSpace space(mebibyte);
  const auto device = space.allocate(256, AllocationKind::device);
  std::byte host{};
  EXPECT_FALSE(space.add_host(nullptr, 1, AllocationKind::registered, 0));
  EXPECT_FALSE(space.add_host(&host, 0, AllocationKind::registered, 0));
  EXPECT_FALSE(space.add_host(&host, ~std::uint64_t{0}, AllocationKind::registered, 0));
  EXPECT_FALSE(space.add_host(reinterpret_cast<void*>(device->begin + 64), 1, AllocationKind::registered, 0));
}

TEST(AddressSpace, ReleasesOnlyWhatBeginsThere) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(64, AllocationKind::device);
  EXPECT_FALSE(space.release(allocation->begin + 1));
  EXPECT_TRUE(space.release(allocation->begin));
  EXPECT_FALSE(space.release(allocation->begin));
}

TEST(AddressSpace, LabelsAnAllocation) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(64, AllocationKind::device);
  space.label(allocation->begin, 42, 5);
  EXPECT_EQ(space.find(allocation->begin)->tag, 42u);
  EXPECT_EQ(space.find(allocation->begin)->flags, 5u);
}

TEST(AddressSpace, LargeFreedMemoryGoesBackToTheSystem) {
  AddressSpace space(64 * mebibyte);
  const auto allocation = space.allocate(32 * mebibyte, AllocationKind::device);
  std::memset(allocation->host, 1, 32 * mebibyte);
  std::vector<unsigned char> resident(32 * mebibyte / 4096);
  const auto pages = [&] {
    EXPECT_EQ(mincore(allocation->host, 32 * mebibyte, resident.data()), 0);
    return std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1u) != 0; });
  };
  EXPECT_EQ(pages(), 8192);
  space.release(allocation->begin);
  EXPECT_EQ(pages(), 0);
}

void check_small_pieces(bool last_first) {
  AddressSpace space(4 * mebibyte);
  std::vector<Allocation> parts;
  for (int i = 0; i < 64; ++i) {
    parts.push_back(*space.allocate(65536 - 256, AllocationKind::device));
    std::memset(parts.back().host, 1, 65536 - 256);
  }
  std::byte* begin = parts[0].host;
  if (last_first) std::reverse(parts.begin(), parts.end());
  for (const Allocation& part : parts) space.release(part.begin);
  std::vector<unsigned char> resident(1024);
  ASSERT_EQ(mincore(begin, 4 * mebibyte, resident.data()), 0);
  EXPECT_EQ(std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1u) != 0; }), 0);
}

TEST(AddressSpace, SmallFreedPiecesGoBackOnceTheyAreLargeTogether) {
  check_small_pieces(false);
  check_small_pieces(true);
}

TEST(AddressSpaceDescribe, TellsHowFarAnAddressIsFromAnAllocation) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(4000, AllocationKind::device);
  char range[80];
  std::snprintf(range, sizeof(range), "the 4000 bytes at 0x%llx (device memory)",
                static_cast<unsigned long long>(allocation->begin));
  EXPECT_EQ(space.describe(allocation->begin + 12), std::string("12 bytes into ") + range);
  EXPECT_EQ(space.describe(allocation->begin + 4012), std::string("12 bytes behind ") + range);
  EXPECT_EQ(space.describe(allocation->begin - 4), std::string("4 bytes before ") + range);
}

TEST(AddressSpaceDescribe, NamesTheKindOfMemory) {
  AddressSpace space(mebibyte);
  const auto constant = space.allocate(16, AllocationKind::constant);
  EXPECT_THAT(space.describe(constant->begin), HasSubstr("(constant memory)"));
  std::byte host[16];
  ASSERT_TRUE(space.add_host(host, 16, AllocationKind::pinned, 0));
  EXPECT_THAT(space.describe(reinterpret_cast<std::uint64_t>(host)), HasSubstr("(pinned host memory)"));
}

TEST(AddressSpaceDescribe, RemembersWhatWasFreed) {
  AddressSpace space(mebibyte);
  const auto allocation = space.allocate(100, AllocationKind::device);
  space.release(allocation->begin);
  EXPECT_THAT(space.describe(allocation->begin + 8), StartsWith("freed earlier: 8 bytes into the 100 bytes at 0x"));
}

TEST(AddressSpaceDescribe, KnowsWindowsAndNull) {
  AddressSpace space(mebibyte);
  EXPECT_EQ(space.describe(space.shared_window() + 40), "offset 40 of the shared memory window");
  EXPECT_EQ(space.describe(space.local_window() + 8), "offset 8 of the local memory window");
  EXPECT_EQ(space.describe(space.code_window() + 16), "the address of a function");
  EXPECT_EQ(space.describe(0), "a null pointer with an offset");
  EXPECT_EQ(space.describe(0x123456789abc), "near nothing that is allocated");
}

// A model that only remembers which bytes are taken, in steps of 256.
TEST(AddressSpace, AgreesWithASimpleModelOverRandomAllocations) {
  std::mt19937_64 random(7);
  AddressSpace space(mebibyte);
  std::map<std::uint64_t, Allocation> live;
  std::uint64_t first = 0;
  for (int step = 0; step < 20000; ++step) {
    if (live.empty() || random() % 5 < 3) {
      const std::uint64_t size = 1 + random() % (random() % 8 == 0 ? 200000 : 3000);
      const std::uint64_t alignment = std::uint64_t{256} << random() % 5;
      const auto made = space.allocate(size, AllocationKind::device, alignment);
      if (!made) continue;
      if (first == 0) first = made->begin;
      EXPECT_EQ(made->begin % alignment, 0u);
      const auto after = live.lower_bound(made->begin);
      if (after != live.end()) {
        EXPECT_LE(made->begin + made->reserved, after->first);
      }
      if (after != live.begin()) {
        EXPECT_GE(made->begin, std::prev(after)->first + std::prev(after)->second.reserved);
      }
      live.emplace(made->begin, *made);
    } else {
      auto victim = live.begin();
      std::advance(victim, static_cast<std::ptrdiff_t>(random() % live.size()));
      EXPECT_TRUE(space.release(victim->first));
      live.erase(victim);
    }
    const std::uint64_t address = first + random() % mebibyte;
    const auto after = live.upper_bound(address);
    const Allocation* expected = after == live.begin() ? nullptr : &std::prev(after)->second;
    if (expected != nullptr && address >= expected->begin + expected->size) expected = nullptr;
    AddressCache cache;
    ASSERT_EQ(space.find(address, cache), expected != nullptr);
    ASSERT_EQ(space.find(address).has_value(), expected != nullptr);
    if (expected != nullptr) {
      ASSERT_EQ(cache.begin, expected->begin);
    }
    std::uint64_t used = 0;
    for (const auto& [begin, allocation] : live) used += allocation.reserved;
    ASSERT_EQ(space.free_bytes(), space.total_bytes() - used);
  }
}

// The first allocation in the order of addresses comes and goes, so that all others move in the index meanwhile.
TEST(AddressSpace, ReadersAlwaysSeeWholeEntriesWhileOthersAllocate) {
  AddressSpace space(16 * mebibyte);
  std::uint64_t first = space.allocate(mebibyte, AllocationKind::device)->begin;
  std::vector<Allocation> fixed;
  for (std::uint64_t i = 0; i < 300; ++i) fixed.push_back(*space.allocate(100 + i, AllocationKind::device));
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      for (std::size_t round = 0; !done.load(); ++round) {
        const Allocation& expected = fixed[round * 7 % fixed.size()];
        AddressCache cache;
        if (!space.find(expected.begin + 99, cache) || cache.begin != expected.begin || cache.size != expected.size ||
            cache.host != expected.host) {
          ++wrong;
        }
      }
    });
  }
  for (int step = 0; step < 20000; ++step) {
    space.release(first);
    first = space.allocate(mebibyte, AllocationKind::device)->begin;
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace emulator
