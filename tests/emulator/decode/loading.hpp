// SPDX-License-Identifier: Apache-2.0
// Loads PTX for the decoder's tests and runs its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "decode/module.hpp"
#include "machine/fault.hpp"
#include "machine/launch.hpp"
#include "memory/address_space.hpp"

namespace emulator::testing {

/// The device memory of the tests.
AddressSpace& device_memory();

/// `.version 8.0 .target sm_80 .address_size 64` before the text; line 4 is the text's first.
std::string with_head(const std::string& text);

/// A module of that text behind the usual head.
std::unique_ptr<Module> load(const std::string& text);

/// An entry `k(.param .u64 out)` with registers %p<8> %h<8> %r<16> %rd<16> and that body; %rd1 holds `out`.
std::string kernel(const std::string& body);

/// Where loading ended.
struct Refusal {
  int code = 0;
  std::uint32_t line = 0;
  std::string message;
};

/// The error that loading a text ends with; code 0 where it loads. The text has its own head.
Refusal refusal_of_module(const std::string& text);
/// The same behind the usual head.
Refusal refusal_of(const std::string& text);

/// Runs a kernel whose only parameter is the address of `count` words and gives what they hold afterwards.
std::vector<std::uint32_t> run(const Module& module, std::string_view name, std::size_t count,
                               std::uint32_t threads = 1, std::uint32_t dynamic_shared = 0);

/// Runs a kernel on packed parameters. Answers the fault.
std::optional<Fault> launch(const Kernel& kernel, std::vector<std::byte> parameters, std::uint32_t threads = 1,
                            std::uint32_t dynamic_shared = 0);

/// What a device address holds.
template <class T>
T peek(std::uint64_t address) {
  const std::optional<Allocation> found = device_memory().find(address);
  T value{};
  if (found) std::memcpy(&value, found->host + (address - found->begin), sizeof value);
  return value;
}

}  // namespace emulator::testing
