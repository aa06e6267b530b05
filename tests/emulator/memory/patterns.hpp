// SPDX-License-Identifier: Apache-2.0
// Shapes of a warp's addresses, and masks, that loads and stores are tried with.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "machine/warp.hpp"

namespace emulator::test {

/// Elements (in units of the access's size) that lanes look at, all below `pattern_elements`.
struct Pattern {
  std::string name;
  std::array<unsigned, warp_size> element;
};

inline constexpr unsigned pattern_elements = 128;

inline std::vector<Pattern> patterns() {
  std::mt19937 random(1);
  std::vector<Pattern> made;
  const auto add = [&](const char* name, auto element) {
    Pattern pattern{name, {}};
    for (unsigned lane = 0; lane < warp_size; ++lane) pattern.element[lane] = element(lane);
    made.push_back(pattern);
  };
  add("side by side", [](unsigned lane) { return lane; });
  add("side by side from 5", [](unsigned lane) { return lane + 5; });
  add("one place", [](unsigned) { return 7u; });
  add("two rows of 16", [](unsigned lane) { return lane % 16 + 50 * (lane / 16); });
  add("one place for each 16", [](unsigned lane) { return 3 + lane / 16; });
  add("four rows of 8", [](unsigned lane) { return lane % 8 + 30 * (3 - lane / 8); });
  add("every third", [](unsigned lane) { return 3 * lane; });
  add("backwards", [](unsigned lane) { return 31 - lane; });
  add("side by side but for the last", [](unsigned lane) { return lane == 31 ? 90u : lane; });
  add("one place but for the last", [](unsigned lane) { return lane == 31 ? 90u : 4u; });
  add("side by side but for lane 9", [](unsigned lane) { return lane == 9 ? 0u : lane; });
  add("any", [&](unsigned) { return static_cast<unsigned>(random() % pattern_elements); });
  add("any without repetition", [](unsigned lane) { return lane * 37 % pattern_elements; });
  return made;
}

inline std::vector<LaneMask> masks() {
  return {every_lane,  1u,          0x80000000u, 0x00000100u, 0x00030000u, 0x0000ffffu, 0xffff0000u,
          0x7fffffffu, 0xfffffffeu, 0x55555555u, 0x00ff00ffu, 0x12345678u, 0x80000001u};
}

}  // namespace emulator::test
