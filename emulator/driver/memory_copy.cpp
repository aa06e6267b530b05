// SPDX-License-Identifier: Apache-2.0
// Copies of consecutive bytes between host and device, now or in a stream.
#include <vector>

#include "driver/copy_plan.hpp"

namespace emulator {
namespace {

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

CopyPlan to_device(CUdeviceptr target, const void* source, std::size_t bytes) {
  return linear_plan(device_side(target, bytes), unified_side(number(source), bytes), bytes);
}

CopyPlan to_host(void* target, CUdeviceptr source, std::size_t bytes) {
  return linear_plan(unified_side(number(target), bytes), device_side(source, bytes), bytes);
}

CopyPlan within_device(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  return linear_plan(device_side(target, bytes), device_side(source, bytes), bytes);
}

CopyPlan unified(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  return linear_plan(unified_side(target, bytes), unified_side(source, bytes), bytes);
}

// Copies of a batch may run in any order; here it is theirs. `failed` gets the index of the first that cannot be done.
void copy_batch(Context& context, CUstream stream, const CUdeviceptr* targets, const CUdeviceptr* sources,
                const std::size_t* sizes, std::size_t count, std::size_t* failed) {
  require(targets != nullptr && sources != nullptr && sizes != nullptr && count != 0);
  std::vector<CopyPlan> plans;
  if (failed != nullptr) *failed = SIZE_MAX;
  for (std::size_t index = 0; index < count; ++index) {
    const CUresult result = guarded([&] { plans.push_back(unified(targets[index], sources[index], sizes[index])); });
    if (result == CUDA_SUCCESS) continue;
    if (failed != nullptr) *failed = index;
    throw Failure{result};
  }
  for (const CopyPlan& plan : plans) copy_later(context, stream, plan);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return context_call([&](Context& context) { copy_now(context, nullptr, to_device(dstDevice, srcHost, ByteCount)); });
}

CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return context_call([&](Context& context) { copy_now(context, nullptr, to_host(dstHost, srcDevice, ByteCount)); });
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return context_call(
      [&](Context& context) { copy_now(context, nullptr, within_device(dstDevice, srcDevice, ByteCount)); });
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return context_call([&](Context& context) { copy_now(context, nullptr, unified(dst, src, ByteCount)); });
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount) {
  return context_call([&](Context& context) {
    context_of(dstContext);
    context_of(srcContext);
    copy_now(context, nullptr, within_device(dstDevice, srcDevice, ByteCount));
  });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream) {
  return context_call(
      [&](Context& context) { copy_later(context, hStream, to_device(dstDevice, srcHost, ByteCount)); });
}

CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return context_call([&](Context& context) { copy_later(context, hStream, to_host(dstHost, srcDevice, ByteCount)); });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return context_call(
      [&](Context& context) { copy_later(context, hStream, within_device(dstDevice, srcDevice, ByteCount)); });
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return context_call([&](Context& context) { copy_later(context, hStream, unified(dst, src, ByteCount)); });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream) {
  return context_call([&](Context& context) {
    context_of(dstContext);
    context_of(srcContext);
    copy_later(context, hStream, within_device(dstDevice, srcDevice, ByteCount));
  });
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count, CUmemcpyAttributes*,
                               size_t*, size_t, CUstream hStream) {
  return context_call([&](Context& context) { copy_batch(context, hStream, dsts, srcs, sizes, count, nullptr); });
}

CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count, CUmemcpyAttributes*,
                            size_t*, size_t, size_t* failIdx, CUstream hStream) {
  return context_call([&](Context& context) { copy_batch(context, hStream, dsts, srcs, sizes, count, failIdx); });
}
}
