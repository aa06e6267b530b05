// SPDX-License-Identifier: Apache-2.0
// Does copies, at once or in a stream.
#include "driver/copy_plan.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include "driver/holdings.hpp"

namespace emulator {
namespace {

// Up to here the bytes of pageable memory are taken along; a longer copy is done before the call returns.
constexpr std::size_t most_staged = 64 * 1024;

// Takes the source's rows along in memory of its own.
void stage(CopyPlan& plan, std::vector<std::byte>& staged) {
  staged.resize(plan.bytes());
  CopyPlan taking = plan;
  taking.target = {staged.data(), plan.width, plan.width * plan.height, false};
  taking.run();
  plan.source = taking.target;
}

}  // namespace

void CopyPlan::run() const {
  if (empty()) return;
  for (std::size_t slice = 0; slice < depth; ++slice) {
    const std::byte* from = source.begin + slice * source.slice_pitch;
    std::byte* to = target.begin + slice * target.slice_pitch;
    if (source.row_pitch == width && target.row_pitch == width) {
      std::memmove(to, from, width * height);
      continue;
    }
    for (std::size_t row = 0; row < height; ++row) {
      std::memmove(to + row * target.row_pitch, from + row * source.row_pitch, width);
    }
  }
}

void copy_now(Context& context, CUstream handle, const CopyPlan& plan) {
  const StreamReference stream = own_stream_of(context, handle);
  stream.context->run_synchronously(*stream.stream, [&] { plan.run(); });
}

void copy_later(Context& context, CUstream handle, const CopyPlan& plan) {
  const StreamReference stream = own_stream_of(context, handle);
  if (plan.empty()) return;
  if (plan.target.pageable || (plan.source.pageable && plan.bytes() > most_staged)) {
    stream.context->run_synchronously(*stream.stream, [&] { plan.run(); });
    return;
  }
  if (!plan.source.pageable) {
    stream.context->enqueue(*stream.stream, [plan] { plan.run(); });
    return;
  }
  auto staged = std::make_shared<std::vector<std::byte>>();
  CopyPlan own = plan;
  stage(own, *staged);
  stream.context->enqueue(*stream.stream, [own, staged] { own.run(); });
}

CopyPlan linear_plan(CopySide target, CopySide source, std::size_t bytes) {
  source.row_pitch = target.row_pitch = bytes;
  return {source, target, bytes, 1, 1};
}

CopySide device_side(CUdeviceptr address, std::size_t bytes) {
  CopySide side;
  if (bytes != 0) side.begin = device_bytes(address, bytes);
  return side;
}

CopySide unified_side(std::uint64_t address, std::size_t bytes) {
  CopySide side;
  if (bytes == 0) return side;
  side.begin = any_bytes(address, bytes);
  side.pageable = is_pageable(address);
  return side;
}

}  // namespace emulator
