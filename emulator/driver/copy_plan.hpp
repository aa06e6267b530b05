// SPDX-License-Identifier: Apache-2.0
// A copy of rows: where from and to, checked when the call is made, done when its stream comes to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/context.hpp"

namespace emulator {

/// One side of a copy.
struct CopySide {
  std::byte* begin = nullptr;   ///< of the first row copied
  std::size_t row_pitch = 0;    ///< bytes from a row to the next
  std::size_t slice_pitch = 0;  ///< bytes from a slice to the next
  bool pageable = false;        ///< the program's own memory, which it may change or free as soon as the call returns
};

/// A copy of depth slices of height rows of width bytes.
struct CopyPlan {
  CopySide source;
  CopySide target;
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;

  [[nodiscard]] bool empty() const { return width == 0 || height == 0 || depth == 0; }
  [[nodiscard]] std::size_t bytes() const { return width * height * depth; }
  /// Copies the bytes.
  void run() const;
};

/// Copies in the stream's turn, and returns when it is done.
void copy_now(Context& context, CUstream stream, const CopyPlan& plan);
/// Queues the copy; returns as soon as the program may go on with its pageable memory, as on hardware.
void copy_later(Context& context, CUstream stream, const CopyPlan& plan);

/// A plan of consecutive bytes.
CopyPlan linear_plan(CopySide target, CopySide source, std::size_t bytes);
/// A side at a device address; INVALID_VALUE where no allocation holds it.
CopySide device_side(CUdeviceptr address, std::size_t bytes);
/// A side at a host pointer, or at whatever a unified address means.
CopySide unified_side(std::uint64_t address, std::size_t bytes);

}  // namespace emulator
