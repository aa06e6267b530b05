// SPDX-License-Identifier: Apache-2.0
// Every export as a weak function that returns 0 (answers_*.cpp has others in place of some), and what the benchmark
// asks: how often each was called, and with what.
#include "null.hpp"

#include <cstring>

namespace null_driver {

std::uint64_t counts[function_count];
bool recording = false;

namespace {

constexpr const char* names[] = {
#define NULL_FUNCTION(name) #name,
#include NULL_NAMES
#undef NULL_FUNCTION
};

constexpr int most = 256;
std::uint64_t recorded[most];
int recorded_count = 0;

}  // namespace

void record(std::uint64_t value) {
  if (recorded_count < most) recorded[recorded_count++] = value;
}

}  // namespace null_driver

// The arguments do not matter: the caller cleans up after them in this machine's calling convention.
#define NULL_FUNCTION(name)                           \
  NULL_EXPORT [[gnu::weak]] int name() {              \
    null_driver::count(null_driver::function_##name); \
    return 0;                                         \
  }
#include NULL_NAMES
#undef NULL_FUNCTION

/// Calls of one function since the library was loaded; all bits set where it exports no such function.
NULL_EXPORT std::uint64_t null_driver_calls(const char* name) {
  for (int function = 0; function < null_driver::function_count; ++function) {
    if (std::strcmp(null_driver::names[function], name) == 0) return null_driver::counts[function];
  }
  return UINT64_MAX;
}

/// Calls of all functions.
NULL_EXPORT std::uint64_t null_driver_all_calls() {
  std::uint64_t sum = 0;
  for (const std::uint64_t one : null_driver::counts) sum += one;
  return sum;
}

/// Begins to record what calls are given, or ends it.
NULL_EXPORT void null_driver_record(int on) {
  null_driver::recording = on != 0;
  if (on != 0) null_driver::recorded_count = 0;
}

/// How many numbers were recorded; copies them to `values`, which has room for 256.
NULL_EXPORT int null_driver_recorded(std::uint64_t* values) {
  std::memcpy(values, null_driver::recorded,
              sizeof(std::uint64_t) * static_cast<unsigned>(null_driver::recorded_count));
  return null_driver::recorded_count;
}
