// SPDX-License-Identifier: Apache-2.0
// The fake libraries as these tests use them: what was called, with which words, and what it does and answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tests {

// One call of a fake function: its link name and its arguments as words (see fake.hpp).
struct Call {
  std::string name;
  std::vector<std::uint64_t> words;
};

// While it lives, calls of all three libraries are recorded and answered by `behaviour`.
class FakeLibraries {
 public:
  using Behaviour = std::function<std::int64_t(const std::uint64_t* words)>;
  explicit FakeLibraries(Behaviour behaviour = [](const std::uint64_t*) { return 0; });
  ~FakeLibraries();
  FakeLibraries(const FakeLibraries&) = delete;
  FakeLibraries& operator=(const FakeLibraries&) = delete;

  const std::vector<Call>& calls() const;
};

// The memory behind a word.
template <class Type>
Type* at(std::uint64_t word) {
  return reinterpret_cast<Type*>(word);
}

// A word that stands for the object at an address.
template <class Type>
std::uint64_t word(Type* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

// A pointer handle with a made-up value.
template <class Handle>
Handle handle(std::uint64_t value) {
  return Handle(reinterpret_cast<typename Handle::Raw>(value));
}

}  // namespace tests
