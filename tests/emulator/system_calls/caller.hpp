// SPDX-License-Identifier: Apache-2.0
// A warp whose kernel calls system functions: arguments in a frame, texts in device memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "machine/system_calls.hpp"

namespace emulator::test {

/// printf arguments as a compiler packs them.
class PackedArguments {
 public:
  /// 4 or 8 bytes at the next multiple of their size.
  template <class T>
  PackedArguments& add(T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const std::size_t place = bytes_.size();
    bytes_.resize(place + sizeof(T));
    std::memcpy(bytes_.data() + place, &value, sizeof(T));
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// The calling warp: 32 lanes, threads (32, 0, 0) to (63, 0, 0) of block (1, 2, 3).
class Caller {
 public:
  Caller();

  /// A text in device memory, NUL and all.
  std::uint64_t text(const std::string& characters);
  /// Puts arguments where a lane's local memory begins; their generic address.
  std::uint64_t arguments(const PackedArguments& packed, LaneMask lanes = every_lane);
  /// Makes a call site of arguments and a result of so many bytes (0: none).
  void declare(SystemCall call, std::initializer_list<std::uint32_t> arguments, std::uint32_t result);
  void argument(std::size_t index, unsigned lane, std::uint64_t value);
  void argument(std::size_t index, std::uint64_t value) {
    for (unsigned lane = 0; lane < warp_size; ++lane) argument(index, lane, value);
  }
  [[nodiscard]] std::uint64_t result(unsigned lane) const;
  Outcome call(LaneMask mask = every_lane) { return run_system_call(warp, site, mask); }

  /// printf for the lanes of a mask, all with the same arguments: what it printed.
  std::string print(const std::string& format, const PackedArguments& packed, LaneMask mask = 1);
  /// What was printed since the last question.
  std::string printed();

  AddressSpace memory;
  PrintBuffer prints;
  DeviceHeap heap;
  Kernel kernel;
  Grid grid;
  Block block;
  Warp warp;
  Fault fault;
  CallSite site;

 private:
  std::vector<std::byte> frame_;
  std::vector<std::byte> local_;
};

}  // namespace emulator::test
