// SPDX-License-Identifier: Apache-2.0
// Every load and store row on every address pattern and mask, against one loop that copies bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "one_warp.hpp"
#include "patterns.hpp"

namespace emulator::test {
namespace {

struct Type {
  const char* name;
  unsigned bytes;
  bool is_signed;
  unsigned register_bits;
};

constexpr Type load_types[] = {{"b8", 1, false, 32},  {"b16", 2, false, 32}, {"b32", 4, false, 32},
                               {"b64", 8, false, 64}, {"s8", 1, true, 32},   {"s16", 2, true, 32},
                               {"s32", 4, true, 32}};
constexpr Type store_types[] = {
    {"b8", 1, false, 32}, {"b16", 2, false, 32}, {"b32", 4, false, 32}, {"b64", 8, false, 64}};

struct SpaceCase {
  const char* name;
  unsigned base_bits;
};

constexpr SpaceCase spaces[] = {{"global", 64},  {"shared", 64},         {"shared.a32", 32},   {"local", 64},
                                {"generic", 64}, {"generic shared", 64}, {"generic local", 64}};

/// Register of the base; elements are in registers 0 to 3.
constexpr unsigned base = 10;

std::string spelling(const std::string& verb, const SpaceCase& space, unsigned count, const Type& type) {
  const std::string name = space.name;
  const std::string word = name.substr(0, name.find(' '));
  return verb + "." + word + (count == 1 ? "." : ".v" + std::to_string(count) + ".") + type.name;
}

/// One warp with memory of a space in which lanes have `span` bytes at an address.
class Place {
 public:
  Place(OneWarp& on, const SpaceCase& space, unsigned span) {
    const std::string name = space.name;
    if (name == "global" || name == "generic") {
      const auto allocation = on.memory.allocate(span, AllocationKind::device);
      address_ = allocation->begin;
      host_ = allocation->host;
    } else if (name == "local" || name == "generic local") {
      address_ = name == "local" ? 0 : on.memory.local_window();
      host_ = on.block.local + std::size_t{on.warp.index} * warp_size * on.block.local_stride;
      lane_stride_ = on.block.local_stride;
      on.block.local_bytes = span;
    } else {
      address_ = name == "generic shared" ? on.memory.shared_window() : 0;
      host_ = on.block.shared;
      on.block.shared_bytes = span;
    }
    for (unsigned lane = 0; lane < (lane_stride_ == 0 ? 1 : warp_size); ++lane) {
      for (unsigned i = 0; i < span; ++i) at(lane)[i] = static_cast<std::byte>(i * 7 + i / 256 * 3 + lane * 11 + 129);
    }
  }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::byte* at(unsigned lane) const { return host_ + lane * lane_stride_; }

 private:
  std::uint64_t address_ = 0;
  std::byte* host_ = nullptr;
  std::size_t lane_stride_ = 0;
};

std::uint64_t element_of(const std::byte* from, const Type& type) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, type.bytes);
  if (type.is_signed && (value >> (8 * type.bytes - 1) & 1u) != 0) value |= ~std::uint64_t{0} << (8 * type.bytes);
  return type.register_bits == 64 ? value : value & 0xffffffffu;
}

/// Displacements that leave the sum of base and displacement as it is.
constexpr std::int64_t displacements[] = {0, 64, -32};

void check_load(const std::string& variant, const SpaceCase& space, unsigned count, const Type& type, bool ordered) {
  OneWarp on(variant);
  const unsigned bytes = count * type.bytes;
  // Local memory of a thread is smaller than what the patterns reach: fewer elements there.
  const bool is_local = std::string(space.name).find("local") != std::string::npos;
  const unsigned elements = is_local ? OneWarp::local_bytes / bytes : pattern_elements;
  const Place place(on, space, elements * bytes);
  const std::string row = spelling(ordered ? "ld.volatile" : "ld", space, count, type);
  SCOPED_TRACE(variant + " " + row + " " + space.name);
  for (const Pattern& pattern : patterns()) {
    for (const LaneMask mask : masks()) {
      for (const std::int64_t displacement : displacements) {
        for (unsigned i = 0; i < count; ++i) {
          for (unsigned lane = 0; lane < warp_size; ++lane) on.set(i, type.register_bits, lane, 0xabcdef0123456789u);
        }
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          const bool active = (mask >> lane & 1u) != 0;
          const std::uint64_t address = place.address() + pattern.element[lane] % elements * bytes;
          on.set(base, space.base_bits, lane, active ? address - static_cast<std::uint64_t>(displacement) : ~lane);
        }
        ASSERT_EQ(on.run(row, {0, 1, 2, 3, base}, mask, static_cast<std::uint64_t>(displacement)), Outcome::next);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          for (unsigned i = 0; i < count; ++i) {
            const std::byte* from =
                place.at(lane) + pattern.element[lane] % elements * bytes + std::size_t{i} * type.bytes;
            const std::uint64_t kept = type.register_bits == 64 ? 0xabcdef0123456789u : 0x23456789u;
            const std::uint64_t expected = (mask >> lane & 1u) != 0 ? element_of(from, type) : kept;
            ASSERT_EQ(on.value(i, type.register_bits, lane), expected)
                << pattern.name << ", mask " << std::hex << mask << ", lane " << std::dec << lane << ", element " << i;
          }
        }
      }
    }
  }
}

void check_store(const std::string& variant, const SpaceCase& space, unsigned count, const Type& type, bool ordered) {
  OneWarp on(variant);
  const unsigned bytes = count * type.bytes;
  const bool is_local = std::string(space.name).find("local") != std::string::npos;
  const unsigned elements = is_local ? OneWarp::local_bytes / bytes : pattern_elements;
  const Place place(on, space, elements * bytes);
  const std::string row = spelling(ordered ? "st.volatile" : "st", space, count, type);
  SCOPED_TRACE(variant + " " + row + " " + space.name);
  const unsigned memories = is_local ? warp_size : 1;
  std::uint64_t value = 1;
  for (const Pattern& pattern : patterns()) {
    for (const LaneMask mask : masks()) {
      std::vector<std::vector<std::byte>> expected;
      for (unsigned memory = 0; memory < memories; ++memory) {
        expected.emplace_back(place.at(memory), place.at(memory) + std::size_t{elements} * bytes);
      }
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const bool active = (mask >> lane & 1u) != 0;
        const unsigned offset = pattern.element[lane] % elements * bytes;
        on.set(base, space.base_bits, lane, active ? place.address() + offset - 16 : ~lane);
        for (unsigned i = 0; i < count; ++i) {
          value = value * 6364136223846793005u + 1442695040888963407u;
          on.set(i, type.register_bits, lane, value);
          if (active) {
            std::memcpy(expected[is_local ? lane : 0].data() + offset + std::size_t{i} * type.bytes, &value,
                        type.bytes);
          }
        }
      }
      ASSERT_EQ(on.run(row, {0, 1, 2, 3, base}, mask, 16), Outcome::next);
      for (unsigned memory = 0; memory < memories; ++memory) {
        ASSERT_EQ(std::memcmp(place.at(memory), expected[memory].data(), expected[memory].size()), 0)
            << pattern.name << ", mask " << std::hex << mask << ", memory of lane " << std::dec << memory;
      }
    }
  }
}

class LoadStore : public ::testing::TestWithParam<std::string> {};

TEST_P(LoadStore, LoadsGiveWhatLiesInMemory) {
  for (const SpaceCase& space : spaces) {
    for (const unsigned count : {1u, 2u, 4u}) {
      for (const Type& type : load_types) {
        if (count * type.bytes > 16) continue;
        check_load(GetParam(), space, count, type, false);
        check_load(GetParam(), space, count, type, true);
      }
    }
  }
}

TEST_P(LoadStore, StoresPutLanesInTheirOrder) {
  for (const SpaceCase& space : spaces) {
    for (const unsigned count : {1u, 2u, 4u}) {
      for (const Type& type : store_types) {
        if (count * type.bytes > 16) continue;
        check_store(GetParam(), space, count, type, false);
        check_store(GetParam(), space, count, type, true);
      }
    }
  }
}

TEST_P(LoadStore, DestinationMayBeTheBase) {
  for (const char* row : {"ld.global.b64", "ld.global.v2.b64", "ld.volatile.global.v2.b64", "ld.generic.b64"}) {
    for (const Pattern& pattern : patterns()) {
      for (const LaneMask mask : masks()) {
        OneWarp on(GetParam());
        const auto allocation = on.memory.allocate(pattern_elements * 16, AllocationKind::device);
        for (unsigned i = 0; i < pattern_elements * 2; ++i) {
          const std::uint64_t value = 1000 + i;
          std::memcpy(allocation->host + i * 8, &value, 8);
        }
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          on.wide(base)[lane] = allocation->begin + pattern.element[lane] * 16;
        }
        ASSERT_EQ(on.run(row, {base, 1, 2, 3, base}, mask), Outcome::next);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
          if ((mask >> lane & 1u) == 0) continue;
          ASSERT_EQ(on.wide(base)[lane], 1000 + pattern.element[lane] * 2) << row << ", " << pattern.name;
        }
      }
    }
  }
}

TEST_P(LoadStore, LanesMayLieInDifferentAllocations) {
  OneWarp on(GetParam());
  std::vector<Allocation> allocations;
  for (unsigned i = 0; i < 7; ++i) {
    allocations.push_back(*on.memory.allocate(64, AllocationKind::device));
    std::memset(allocations.back().host, static_cast<int>(i + 1), 64);
  }
  std::uint32_t host_value = 0x08080808;
  ASSERT_TRUE(on.memory.add_host(&host_value, 4, AllocationKind::managed, 0));
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    on.wide(base)[lane] =
        lane % 8 == 7 ? reinterpret_cast<std::uint64_t>(&host_value) : allocations[lane % 8].begin + 4 * (lane / 8);
  }
  ASSERT_EQ(on.run("ld.global.b32", {0, 1, 2, 3, base}), Outcome::next);
  for (unsigned lane = 0; lane < warp_size; ++lane) EXPECT_EQ(on.narrow(0)[lane], (lane % 8 + 1) * 0x01010101u);
}

TEST_P(LoadStore, GenericLanesMayBeInAllSpacesAtOnce) {
  OneWarp on(GetParam());
  const auto allocation = on.memory.allocate(64, AllocationKind::device);
  const std::uint32_t global_value = 11;
  const std::uint32_t shared_value = 22;
  const std::uint32_t local_value = 33;
  std::memcpy(allocation->host + 8, &global_value, 4);
  std::memcpy(on.block.shared + 8, &shared_value, 4);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    std::memcpy(on.block.local + std::size_t{32 + lane} * on.block.local_stride + 8, &local_value, 4);
    const std::uint64_t windows[] = {allocation->begin, on.memory.shared_window(), on.memory.local_window()};
    on.wide(base)[lane] = windows[lane % 3];
  }
  ASSERT_EQ(on.run("ld.generic.b32", {0, 1, 2, 3, base}, every_lane, 8), Outcome::next);
  for (unsigned lane = 0; lane < warp_size; ++lane) EXPECT_EQ(on.narrow(0)[lane], 11 * (lane % 3 + 1));
}

TEST_P(LoadStore, SharedAddressesOf32BitsWrap) {
  OneWarp on(GetParam());
  const std::uint32_t value = 77;
  std::memcpy(on.block.shared + 8, &value, 4);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    on.wide(base)[lane] = 0xfffffff8u;  // a 32-bit register, widened
    on.narrow(base + 1)[lane] = 0xfffffff8u;
  }
  ASSERT_EQ(on.run("ld.shared.b32", {0, 1, 2, 3, base}, every_lane, 16), Outcome::next);
  ASSERT_EQ(on.run("ld.shared.a32.b32", {1, 2, 3, 4, base + 1}, every_lane, 16), Outcome::next);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    EXPECT_EQ(on.narrow(0)[lane], 77u);
    EXPECT_EQ(on.narrow(1)[lane], 77u);
  }
}

TEST_P(LoadStore, VolatileLoadsSpendBudgetAndPlainOnesDoNot) {
  OneWarp on(GetParam());
  const auto allocation = on.memory.allocate(64, AllocationKind::device);
  for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(base)[lane] = allocation->begin;
  budget_spent();
  on.run("ld.global.b32", {0, 1, 2, 3, base});
  on.run("st.volatile.global.b32", {0, 1, 2, 3, base});
  EXPECT_EQ(budget_spent(), 0u);
  on.run("ld.volatile.global.b32", {0, 1, 2, 3, base});
  EXPECT_EQ(budget_spent(), 1u);
  for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(base)[lane] = 0;
  on.run("ld.volatile.shared.b32", {0, 1, 2, 3, base});
  on.run("ld.volatile.local.b32", {0, 1, 2, 3, base});
  EXPECT_EQ(budget_spent(), 2u);
}

TEST_P(LoadStore, RowsAreUnique) { EXPECT_TRUE(rows_of(GetParam()).duplicates().empty()); }

INSTANTIATE_TEST_SUITE_P(Variants, LoadStore, ::testing::ValuesIn(variants()));

}  // namespace
}  // namespace emulator::test
