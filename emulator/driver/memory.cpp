// SPDX-License-Identifier: Apache-2.0
// Device and managed memory: allocating, freeing, asking what there is.
#include <algorithm>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t pitch_alignment = 512;

// Kernels of the owner may still use it; an error that sticks does not keep the memory.
void wait_for_owner(const Holding& holding) {
  if (const auto owner = contexts().find(holding.context)) owner->drain();
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return context_call([&](Context&) {
    output(free) = Device::instance().memory().free_bytes();
    output(total) = Device::instance().memory().total_bytes();
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  return context_call([&](Context& context) {
    output(dptr);
    require(bytesize != 0);
    *dptr = hold_device_memory(context, bytesize, AllocationKind::device);
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  return context_call([&](Context& context) {
    output(dptr);
    output(pPitch);
    require(WidthInBytes != 0 && Height != 0);
    require(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16);
    const std::uint64_t most = Device::instance().memory().total_bytes();
    require(WidthInBytes <= most && Height <= most / WidthInBytes, CUDA_ERROR_OUT_OF_MEMORY);
    const std::uint64_t pitch = (WidthInBytes + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    *dptr = hold_device_memory(context, pitch * Height, AllocationKind::device, pitch_alignment);
    *pPitch = pitch;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  return context_call([&](Context& context) {
    output(dptr);
    require(bytesize != 0);
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
    *dptr = reinterpret_cast<CUdeviceptr>(hold_host_memory(context, bytesize, AllocationKind::managed, flags));
  });
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return context_call([&](Context&) {
    if (dptr == 0) return;
    const std::optional<Holding> holding = holding_at(dptr);
    require(holding.has_value());
    require(holding->kind == AllocationKind::device || holding->kind == AllocationKind::managed ||
            holding->kind == AllocationKind::pool);
    wait_for_owner(*holding);
    require(release_holding(dptr));
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  return context_call([&](Context&) {
    const std::optional<Allocation> allocation = Device::instance().memory().find(dptr);
    require(allocation.has_value(), CUDA_ERROR_NOT_FOUND);
    if (pbase != nullptr) *pbase = allocation->begin;
    if (psize != nullptr) *psize = allocation->size;
  });
}
}
