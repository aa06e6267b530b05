// SPDX-License-Identifier: Apache-2.0
// Words that every layer of the emulated device uses: lanes, dimensions, and the error a module load ends with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace emulator {

/// Lanes of a warp.
inline constexpr unsigned warp_size = 32;

/// One bit a lane.
using LaneMask = std::uint32_t;

/// All lanes of a warp.
inline constexpr LaneMask every_lane = 0xffffffffu;

/// Sizes or indices of a grid or block.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  /// Elements in all.
  [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Why an image could not be loaded: a CUresult value, the PTX line (0: none) and the reason.
class LoadError : public std::exception {
 public:
  LoadError(int code, std::uint32_t line, std::string message)
      : code_(code), line_(line), message_(std::move(message)) {}

  /// The CUresult that hardware's driver would return.
  [[nodiscard]] int code() const { return code_; }
  /// Line of the PTX text, from 1; 0 where the error has no line.
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  int code_;
  std::uint32_t line_;
  std::string message_;
};

/// CUresult values that loading and running give; the driver layer checks them against the binding's header.
namespace result {
inline constexpr int success = 0;
inline constexpr int invalid_value = 1;
inline constexpr int out_of_memory = 2;
inline constexpr int invalid_image = 200;
inline constexpr int no_binary_for_gpu = 209;
inline constexpr int invalid_ptx = 218;
inline constexpr int unsupported_ptx_version = 222;
inline constexpr int not_found = 500;
inline constexpr int illegal_address = 700;
inline constexpr int launch_out_of_resources = 701;
inline constexpr int launch_timeout = 702;
inline constexpr int assertion = 710;
inline constexpr int illegal_instruction = 715;
inline constexpr int misaligned_address = 716;
inline constexpr int invalid_address_space = 717;
inline constexpr int invalid_pc = 718;
inline constexpr int launch_failed = 719;
}  // namespace result

}  // namespace emulator
