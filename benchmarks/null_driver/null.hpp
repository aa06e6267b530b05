// SPDX-License-Identifier: Apache-2.0
// The null driver: libraries whose every function counts its call and returns 0 at once.
#pragma once

#include <cstdint>

#define NULL_EXPORT extern "C" [[gnu::visibility("default")]]

namespace null_driver {

// One number per exported function.
enum Function : int {
#define NULL_FUNCTION(name) function_##name,
#include NULL_NAMES
#undef NULL_FUNCTION
  function_count
};

extern std::uint64_t counts[function_count];

inline void count(Function function) { ++counts[function]; }

// What the recorded call was given; written only between null_driver_record() and its end.
extern bool recording;
void record(std::uint64_t value);

}  // namespace null_driver
