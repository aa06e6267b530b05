// SPDX-License-Identifier: Apache-2.0
// What all fake functions of one library share: the hook, the count of calls, the versions it claims, the status it answers with.
#include "fake.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

std::atomic<FakeHook*> hook{nullptr};
std::mutex counting;
std::map<std::string, std::uint64_t>& counts() {
  static auto* const map = new std::map<std::string, std::uint64_t>;
  return *map;
}

// The release that the library claims: FAKE_VERSION=12040, or 13.0.
int version() {
  const char* const text = std::getenv("FAKE_VERSION");
  return text == nullptr ? 13000 : std::atoi(text);
}

// The status of every call: FAKE_STATUS=999, or success.
std::int64_t status() {
  const char* const text = std::getenv("FAKE_STATUS");
  return text == nullptr ? 0 : std::atoi(text);
}

// What calls do without a hook: the loader asks libraries for their version before any test can set one.
std::int64_t without_hook(const char* link_name, const std::uint64_t* words) {
  if (status() != 0) return status();
  if (std::strcmp(link_name, "cuDriverGetVersion") == 0 || std::strcmp(link_name, "cudaRuntimeGetVersion") == 0) {
    *reinterpret_cast<int*>(words[0]) = version();
  } else if (std::strcmp(link_name, "nvrtcVersion") == 0) {
    *reinterpret_cast<int*>(words[0]) = version() / 1000;
    *reinterpret_cast<int*>(words[1]) = version() % 1000 / 10;
  } else if (std::strcmp(link_name, "cuGetExportTable") == 0) {
    return 500;  // the real NVRTC asks any libcuda that is loaded for its tables, and would read what success promises
  }
  return 0;
}

}  // namespace

extern "C" {

void fake_set_hook(FakeHook* wanted) { hook.store(wanted); }

std::uint64_t fake_call_count(const char* link_name) {
  const std::lock_guard<std::mutex> guard(counting);
  if (link_name != nullptr) return counts()[link_name];
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts()) sum += count;
  return sum;
}

std::int64_t fake_call(const char* link_name, std::uint64_t* words, int count) {
  {
    const std::lock_guard<std::mutex> guard(counting);
    ++counts()[link_name];
  }
  FakeHook* const called = hook.load();
  return called == nullptr ? without_hook(link_name, words) : called(link_name, words, count);
}
}
