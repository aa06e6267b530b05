// SPDX-License-Identifier: Apache-2.0
// Atomics against what one lane after the other does, written down once more; and between threads.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "one_warp.hpp"
#include "patterns.hpp"

namespace emulator::test {
namespace {

constexpr unsigned base = 10;
constexpr unsigned old_value = 0;
constexpr unsigned operand_b = 1;
constexpr unsigned operand_c = 2;

using Operation = std::function<std::uint64_t(std::uint64_t old, std::uint64_t b, std::uint64_t c)>;

struct Case {
  const char* row;
  unsigned bytes;
  Operation operation;
};

std::int32_t s32(std::uint64_t value) { return static_cast<std::int32_t>(value); }
std::int64_t s64(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const std::vector<Case>& integer_cases() {
  static const std::vector<Case> cases = {
      {"add.u32", 4, [](auto old, auto b, auto) { return old + b; }},
      {"add.u64", 8, [](auto old, auto b, auto) { return old + b; }},
      {"min.u32", 4, [](auto old, auto b, auto) { return old < b ? old : b; }},
      {"max.u32", 4, [](auto old, auto b, auto) { return old > b ? old : b; }},
      {"min.u64", 8, [](auto old, auto b, auto) { return old < b ? old : b; }},
      {"max.u64", 8, [](auto old, auto b, auto) { return old > b ? old : b; }},
      {"min.s32", 4, [](auto old, auto b, auto) { return s32(old) < s32(b) ? old : b; }},
      {"max.s32", 4, [](auto old, auto b, auto) { return s32(old) > s32(b) ? old : b; }},
      {"min.s64", 8, [](auto old, auto b, auto) { return s64(old) < s64(b) ? old : b; }},
      {"max.s64", 8, [](auto old, auto b, auto) { return s64(old) > s64(b) ? old : b; }},
      {"and.b32", 4, [](auto old, auto b, auto) { return old & b; }},
      {"or.b32", 4, [](auto old, auto b, auto) { return old | b; }},
      {"xor.b32", 4, [](auto old, auto b, auto) { return old ^ b; }},
      {"and.b64", 8, [](auto old, auto b, auto) { return old & b; }},
      {"or.b64", 8, [](auto old, auto b, auto) { return old | b; }},
      {"xor.b64", 8, [](auto old, auto b, auto) { return old ^ b; }},
      {"exch.b32", 4, [](auto, auto b, auto) { return b; }},
      {"exch.b64", 8, [](auto, auto b, auto) { return b; }},
      {"cas.b16", 2, [](auto old, auto b, auto c) { return old == b ? c : old; }},
      {"cas.b32", 4, [](auto old, auto b, auto c) { return old == b ? c : old; }},
      {"cas.b64", 8, [](auto old, auto b, auto c) { return old == b ? c : old; }},
      {"inc.u32", 4, [](auto old, auto b, auto) { return old >= b ? 0 : old + 1; }},
      {"dec.u32", 4, [](auto old, auto b, auto) { return old == 0 || old > b ? b : old - 1; }},
  };
  return cases;
}

std::uint64_t low(std::uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

/// Memory of a space, 128 words long.
struct Words {
  std::uint64_t address;
  std::byte* host;
};

Words words_in(OneWarp& on, const std::string& space, bool through_window) {
  if (space == "shared") return {0, on.block.shared};
  if (space == "generic" && through_window) return {on.memory.shared_window(), on.block.shared};
  const auto allocation = on.memory.allocate(pattern_elements * 8, AllocationKind::device);
  return {allocation->begin, allocation->host};
}

/// Few different values, so that cas hits and limits are met; some with the top bit.
std::uint64_t some_value(std::mt19937_64& random, unsigned bytes) {
  const std::uint64_t values[] = {0, 1, 2, 3, 5, ~std::uint64_t{0}, std::uint64_t{1} << (8 * bytes - 1), random()};
  return low(values[random() % 8], bytes);
}

void check(const std::string& variant, const Case& tried, const std::string& space, bool through_window) {
  SCOPED_TRACE(variant + " atom." + space + "." + tried.row);
  OneWarp on(variant);
  std::mt19937_64 random(3);
  const Words words = words_in(on, space, through_window);
  const unsigned bits = tried.bytes == 8 ? 64 : 32;
  for (const Pattern& pattern : patterns()) {
    for (const LaneMask mask : masks()) {
      std::vector<std::uint64_t> memory(pattern_elements);
      for (unsigned i = 0; i < pattern_elements; ++i) {
        memory[i] = some_value(random, tried.bytes);
        std::memcpy(words.host + i * tried.bytes, &memory[i], tried.bytes);
      }
      std::vector<std::uint64_t> expected(warp_size, 0x99u);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const std::uint64_t b = some_value(random, tried.bytes);
        const std::uint64_t c = some_value(random, tried.bytes);
        const bool active = (mask >> lane & 1u) != 0;
        on.wide(base)[lane] = active ? words.address + pattern.element[lane] * tried.bytes - 8 : 1;
        on.set(old_value, bits, lane, 0x99);
        on.set(operand_b, bits, lane, tried.bytes == 2 ? b | 0xabcd0000u : b);
        on.set(operand_c, bits, lane, tried.bytes == 2 ? c | 0x12340000u : c);
        if (!active) continue;
        std::uint64_t& word = memory[pattern.element[lane]];
        expected[lane] = word;
        word = low(tried.operation(word, b, c), tried.bytes);
      }
      ASSERT_EQ(on.run("atom." + space + "." + tried.row, {old_value, operand_b, operand_c, 3, base}, mask, 8),
                Outcome::next);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        ASSERT_EQ(on.value(old_value, bits, lane), expected[lane])
            << pattern.name << ", mask " << std::hex << mask << ", lane " << std::dec << lane;
      }
      for (unsigned i = 0; i < pattern_elements; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, words.host + i * tried.bytes, tried.bytes);
        ASSERT_EQ(word, memory[i]) << pattern.name << ", mask " << std::hex << mask << ", word " << std::dec << i;
      }
    }
  }
}

class Atomic : public ::testing::TestWithParam<std::string> {
 protected:
  /// One lane's float operation on a word: the new word.
  std::uint64_t update(const std::string& row, unsigned bytes, std::uint64_t old, std::uint64_t b,
                       const std::string& space = "global") {
    OneWarp on(GetParam());
    const Words words = words_in(on, space, false);
    std::memcpy(words.host, &old, bytes);
    on.wide(base)[0] = words.address;
    on.set(operand_b, bytes == 8 ? 64 : 32, 0, b);
    EXPECT_EQ(on.run("atom." + space + "." + row, {old_value, operand_b, operand_c, 3, base}, 1), Outcome::next);
    EXPECT_EQ(low(on.value(old_value, bytes == 8 ? 64 : 32, 0), bytes), old);
    std::uint64_t result = 0;
    std::memcpy(&result, words.host, bytes);
    return result;
  }
  std::uint64_t add_f32(float old, float b, const std::string& space = "global") {
    return update("add.f32", 4, std::bit_cast<std::uint32_t>(old), std::bit_cast<std::uint32_t>(b), space);
  }
};

TEST_P(Atomic, IntegersUpdateLaneByLane) {
  for (const Case& tried : integer_cases()) {
    check(GetParam(), tried, "global", false);
    check(GetParam(), tried, "shared", false);
    check(GetParam(), tried, "generic", false);
    check(GetParam(), tried, "generic", true);
  }
}

TEST_P(Atomic, FloatsAdd) {
  EXPECT_EQ(add_f32(1.5f, 2.25f), std::bit_cast<std::uint32_t>(3.75f));
  EXPECT_EQ(add_f32(1.0f, 0x1p-24f), std::bit_cast<std::uint32_t>(1.0f));
  EXPECT_EQ(add_f32(1.0f, 0x1.8p-24f), std::bit_cast<std::uint32_t>(1.0f + 0x1p-23f));
  EXPECT_EQ(add_f32(-0.0f, -0.0f), 0x80000000u);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(add_f32(infinity, -infinity), 0x7fffffffu);
  EXPECT_EQ(add_f32(std::numeric_limits<float>::quiet_NaN(), 1.0f), 0x7fffffffu);
}

TEST_P(Atomic, FloatAdditionFlushesSubnormalsInGlobalMemoryOnly) {
  EXPECT_EQ(add_f32(0x1p-130f, 0x1p-130f), 0u);
  EXPECT_EQ(add_f32(-0x1p-130f, 0.0f), 0u);
  EXPECT_EQ(add_f32(0x1.8p-126f, -0x1p-126f), 0u);
  EXPECT_EQ(add_f32(-0x1.8p-126f, 0x1p-126f), 0x80000000u);
  EXPECT_EQ(add_f32(0x1p-130f, 0x1p-130f, "shared"), std::bit_cast<std::uint32_t>(0x1p-129f));
  EXPECT_EQ(add_f32(0x1.8p-126f, -0x1p-126f, "shared"), std::bit_cast<std::uint32_t>(0x1p-127f));
}

TEST_P(Atomic, DoublesAdd) {
  const auto add = [&](double old, double b) {
    return std::bit_cast<double>(
        update("add.f64", 8, std::bit_cast<std::uint64_t>(old), std::bit_cast<std::uint64_t>(b)));
  };
  EXPECT_EQ(add(0.1, 0.2), 0.1 + 0.2);
  EXPECT_EQ(add(0x1p-1074, 0x1p-1074), 0x1p-1073);
  EXPECT_EQ(add(1e308, 1e308), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(add(std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity())));
}

TEST_P(Atomic, HalvesAddWithOneRounding) {
  EXPECT_EQ(update("add.f16", 2, 0x3c00, 0x4000), 0x4200u);  // 1 + 2
  EXPECT_EQ(update("add.f16", 2, 0x3c00, 0x1000), 0x3c00u);  // 1 + 2^-11: a tie, to even
  EXPECT_EQ(update("add.f16", 2, 0x3c01, 0x1000), 0x3c02u);  // the tie above goes up
  EXPECT_EQ(update("add.f16", 2, 0x0001, 0x0001), 0x0002u);  // subnormals stay
  EXPECT_EQ(update("add.f16", 2, 0x7bff, 0x7bff), 0x7c00u);  // overflow
  EXPECT_EQ(update("add.f16", 2, 0x7c00, 0xfc00), 0x7fffu);  // inf - inf
  EXPECT_EQ(update("add.f16", 2, 0x8000, 0x8000), 0x8000u);
  EXPECT_EQ(update("add.bf16", 2, 0x3f80, 0x4000), 0x4040u);
  EXPECT_EQ(update("add.bf16", 2, 0x3f80, 0x3b80), 0x3f80u);  // 1 + 2^-8: a tie, to even
  EXPECT_EQ(update("add.bf16", 2, 0x3f81, 0x3b80), 0x3f82u);
  EXPECT_EQ(update("add.bf16", 2, 0x0001, 0x0001), 0x0002u);
  EXPECT_EQ(update("add.bf16", 2, 0x7f80, 0xff80), 0x7fffu);
}

TEST_P(Atomic, PairsOfHalvesAddEachForItself) {
  EXPECT_EQ(update("add.f16x2", 4, 0x3c007bff, 0x40007bff), 0x42007c00u);
  EXPECT_EQ(update("add.f16x2", 4, 0x00010001, 0x00018001), 0x00020000u);
  EXPECT_EQ(update("add.bf16x2", 4, 0x3f807f80, 0x4000ff80), 0x40407fffu);
}

TEST_P(Atomic, HalfNextToTheOneUpdatedStays) {
  OneWarp on(GetParam());
  const auto allocation = on.memory.allocate(4, AllocationKind::device);
  const std::uint32_t word = 0x3c001234;
  std::memcpy(allocation->host, &word, 4);
  on.wide(base)[0] = allocation->begin + 2;
  on.narrow(operand_b)[0] = 0x3c00;
  on.run("atom.global.add.f16", {old_value, operand_b, operand_c, 3, base}, 1);
  std::uint32_t result = 0;
  std::memcpy(&result, allocation->host, 4);
  EXPECT_EQ(result, 0x40001234u);
}

TEST_P(Atomic, FloatLanesAddInTheirOrder) {
  for (const char* space : {"global", "shared", "generic"}) {
    OneWarp on(GetParam());
    const Words words = words_in(on, space, false);
    std::memset(words.host, 0, 4);
    float expected = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const float value = 1.0f + 0.1f * static_cast<float>(lane);
      on.wide(base)[lane] = words.address;
      on.narrow(operand_b)[lane] = std::bit_cast<std::uint32_t>(value);
      expected += value;
    }
    on.run(std::string("atom.") + space + ".add.f32", {old_value, operand_b, operand_c, 3, base});
    float result = 0;
    std::memcpy(&result, words.host, 4);
    EXPECT_EQ(result, expected) << space;
  }
}

TEST_P(Atomic, ResultMayBeAnOperand) {
  OneWarp on(GetParam());
  const auto allocation = on.memory.allocate(4, AllocationKind::device);
  std::memset(allocation->host, 0, 4);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    on.wide(base)[lane] = allocation->begin;
    on.narrow(operand_b)[lane] = 2;
  }
  on.run("atom.global.add.u32", {operand_b, operand_b, operand_c, 3, base});
  for (unsigned lane = 0; lane < warp_size; ++lane) EXPECT_EQ(on.narrow(operand_b)[lane], 2 * lane);
}

TEST_P(Atomic, OnlyAFailedSwapSpendsBudget) {
  OneWarp on(GetParam());
  const auto allocation = on.memory.allocate(4, AllocationKind::device);
  std::memset(allocation->host, 0, 4);
  on.wide(base)[0] = allocation->begin;
  on.narrow(operand_b)[0] = 0;
  on.narrow(operand_c)[0] = 1;
  budget_spent();
  on.run("atom.global.cas.b32", {old_value, operand_b, operand_c, 3, base}, 1);
  on.run("atom.global.exch.b32", {old_value, operand_c, operand_c, 3, base}, 1);
  on.run("atom.global.max.u32", {old_value, operand_b, operand_c, 3, base}, 1);
  EXPECT_EQ(budget_spent(), 0u);
  on.run("atom.global.cas.b32", {old_value, operand_b, operand_c, 3, base}, 1);
  EXPECT_EQ(budget_spent(), 1u);
}

TEST_P(Atomic, FaultsLikeAStore) {
  OneWarp on(GetParam());
  const auto constant = on.memory.allocate(64, AllocationKind::constant);
  const auto device = on.memory.allocate(64, AllocationKind::device);
  for (unsigned lane = 0; lane < warp_size; ++lane) on.wide(base)[lane] = device->begin;
  const auto run = [&](const char* row, LaneMask mask) {
    return on.run(row, {old_value, operand_b, operand_c, 3, base}, mask);
  };
  on.wide(base)[4] = constant->begin;
  EXPECT_EQ(run("atom.global.add.u32", every_lane), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::illegal_address);
  EXPECT_EQ(on.fault.thread.x, 36u);
  EXPECT_TRUE(on.fault.is_write);
  EXPECT_EQ(run("atom.global.add.u32", ~0x10u), Outcome::next);
  on.wide(base)[4] = device->begin + 4;
  EXPECT_EQ(run("atom.global.add.u64", every_lane), Outcome::fault);
  EXPECT_EQ(on.fault.kind, FaultKind::misaligned_address);
}

TEST_P(Atomic, ThreadsLoseNoUpdate) {
  constexpr int rounds = 2000;
  OneWarp first(GetParam());
  const auto allocation = first.memory.allocate(64, AllocationKind::device);
  std::memset(allocation->host, 0, 64);
  const auto work = [&](unsigned thread) {
    OneWarp on(GetParam());
    on.grid.memory = &first.memory;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      on.wide(base)[lane] = allocation->begin;
      on.wide(operand_b)[lane] = 1;
    }
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      on.narrow(4)[lane] = 1;
      on.narrow(5)[lane] = std::bit_cast<std::uint32_t>(1.0f);
      on.narrow(6)[lane] = thread * 1000 + lane;
      on.narrow(7)[lane] = 0xffffffffu;
      on.narrow(8)[lane] = 0x3c00;
    }
    for (int round = 0; round < rounds; ++round) {
      const LaneMask mask = round % 2 == 0 ? every_lane : 0x0000ff0fu;
      on.run("atom.global.add.u64", {old_value, operand_b, operand_c, 3, base}, mask, 0);
      on.run("atom.global.inc.u32", {old_value, 7, operand_c, 3, base}, mask, 8);
      on.run("atom.global.add.f32", {old_value, 5, operand_c, 3, base}, 0xffu, 12);
      on.run("atom.global.max.u32", {old_value, 6, operand_c, 3, base}, mask, 16);
    }
    for (int round = 0; round < 8; ++round) {
      on.run("atom.generic.add.f16", {old_value, 8, operand_c, 3, base}, 0xffu, 22);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 3; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
  const auto at = [&](unsigned offset, auto value) {
    std::memcpy(&value, allocation->host + offset, sizeof(value));
    return value;
  };
  EXPECT_EQ(at(0, std::uint64_t{}), 3u * (rounds / 2) * (32 + 12));
  EXPECT_EQ(at(8, std::uint32_t{}), 3u * (rounds / 2) * (32 + 12));
  EXPECT_EQ(at(12, float{}), 3.0f * rounds * 8);
  EXPECT_EQ(at(16, std::uint32_t{}), 2031u);
  EXPECT_EQ(at(22, std::uint16_t{}), 0x5a00u);  // 192
}

INSTANTIATE_TEST_SUITE_P(Variants, Atomic, ::testing::ValuesIn(variants()));

}  // namespace
}  // namespace emulator::test
