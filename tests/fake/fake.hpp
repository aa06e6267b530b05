// SPDX-License-Identifier: Apache-2.0
// The fake libraries' side of a call: every argument becomes a 64-bit word, and a hook decides what happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define FAKE_EXPORT __attribute__((visibility("default")))

// Called for each call of a fake function, on the calling thread, with or without the GIL.
//   words[i]      argument i: integers, enumerators and pointers as their value (signed ones sign-extended), a float as its 32
//                 bits, a double as its 64, a struct passed by value as the address of the copy
//   words[count]  only for functions that return a struct: the address of the result, zeroed before
// The answer is what the fake function returns: a status, or the address of a text.
extern "C" typedef std::int64_t FakeHook(const char* link_name, const std::uint64_t* words, int count);

extern "C" {
// The hook, or null for none: calls then succeed and write nothing (texts are "fake", versions 13.0 or FAKE_VERSION's;
// with FAKE_STATUS they all fail with that number).
FAKE_EXPORT void fake_set_hook(FakeHook* hook);
// How often the function of this link name was called, and all functions together (null), since the library was loaded.
FAKE_EXPORT std::uint64_t fake_call_count(const char* link_name);
std::int64_t fake_call(const char* link_name, std::uint64_t* words, int count);
}

namespace fake {

template <class Value>
std::uint64_t word(Value& value) {
  if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    return reinterpret_cast<std::uint64_t>(&value);
  }
}

template <class Result, class... Arguments>
Result call(const char* link_name, Arguments... arguments) {
  std::uint64_t words[] = {word(arguments)..., 0};
  constexpr int count = sizeof...(Arguments);
  if constexpr (std::is_pointer_v<Result>) {
    const std::int64_t answer = fake_call(link_name, words, count);
    return answer == 0 ? "fake" : reinterpret_cast<Result>(answer);
  } else if constexpr (std::is_enum_v<Result>) {
    return static_cast<Result>(fake_call(link_name, words, count));
  } else {
    Result result{};
    words[count] = reinterpret_cast<std::uint64_t>(&result);
    fake_call(link_name, words, count);
    return result;
  }
}

}  // namespace fake
