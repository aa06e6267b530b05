// SPDX-License-Identifier: Apache-2.0
// Advice on managed memory: kept and answered; there is nothing to move, as all of it is host memory.
#include <cstring>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"

namespace emulator {
namespace {

constexpr int host_location = -1;     // CU_DEVICE_CPU
constexpr int invalid_location = -2;  // CU_DEVICE_INVALID

// The managed allocation that holds a range.
std::uint64_t managed_range(CUdeviceptr address, std::size_t bytes) {
  require(bytes != 0);
  const std::optional<Allocation> allocation = Device::instance().memory().find(address);
  require(allocation.has_value() && allocation->kind == AllocationKind::managed &&
          allocation->contains(address, bytes));
  return allocation->begin;
}

void require_location(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    require(location.id == device_ordinal, CUDA_ERROR_INVALID_DEVICE);
    return;
  }
  require(location.type == CU_MEM_LOCATION_TYPE_HOST || location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
          location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
}

int location_id(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_INVALID) return invalid_location;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : host_location;
}

void advise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, const CUmemLocation& location) {
  const std::uint64_t begin = managed_range(address, bytes);
  const bool located = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                       advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  if (located) require_location(location);
  require(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY);
  change_holding(begin, [&](Holding& holding) {
    ManagedAdvice& kept = holding.advice;
    switch (advice) {
      case CU_MEM_ADVISE_SET_READ_MOSTLY: kept.read_mostly = true; break;
      case CU_MEM_ADVISE_UNSET_READ_MOSTLY: kept.read_mostly = false; break;
      case CU_MEM_ADVISE_SET_PREFERRED_LOCATION: kept.preferred = location; break;
      case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: kept.preferred = ManagedAdvice{}.preferred; break;
      case CU_MEM_ADVISE_SET_ACCESSED_BY: kept.accessed_by.insert(location_id(location)); break;
      case CU_MEM_ADVISE_UNSET_ACCESSED_BY: kept.accessed_by.erase(location_id(location)); break;
    }
  });
}

void prefetch(CUdeviceptr address, std::size_t bytes, const CUmemLocation& location, unsigned flags, CUstream stream) {
  const std::shared_ptr<Context> context = require_context();
  require(flags == 0);
  own_stream_of(*context, stream);
  require_location(location);
  change_holding(managed_range(address, bytes), [&](Holding& holding) { holding.advice.last_prefetch = location; });
}

// The single location of the interface before CUDA 12.2: a device, or the host.
CUmemLocation location_of(CUdevice device) {
  if (device == host_location) return {CU_MEM_LOCATION_TYPE_HOST, 0};
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

void answer(void* data, std::size_t bytes, CUmem_range_attribute attribute, const ManagedAdvice& advice) {
  const auto number = [&](int value) {
    require(data != nullptr && bytes == sizeof value);
    std::memcpy(data, &value, sizeof value);
  };
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: return number(advice.read_mostly ? 1 : 0);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: return number(location_id(advice.preferred));
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: return number(location_id(advice.last_prefetch));
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: return number(advice.preferred.type);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: return number(advice.preferred.id);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: return number(advice.last_prefetch.type);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: return number(advice.last_prefetch.id);
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
      require(data != nullptr && bytes != 0 && bytes % sizeof(int) == 0);
      auto* const list = static_cast<int*>(data);
      auto next = advice.accessed_by.begin();
      for (std::size_t index = 0; index < bytes / sizeof(int); ++index) {
        list[index] = next == advice.accessed_by.end() ? invalid_location : *next++;
      }
      return;
    }
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE};
}

ManagedAdvice advice_of(CUdeviceptr address, std::size_t bytes) {
  const std::optional<Holding> holding = holding_at(managed_range(address, bytes));
  require(holding.has_value());
  return holding->advice;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
  return context_call([&](Context&) { advise(devPtr, count, advice, location); });
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return context_call([&](Context&) { advise(devPtr, count, advice, location_of(device)); });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream hStream) {
  return device_call([&] { prefetch(devPtr, count, location, flags, hStream); });
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
  return device_call([&] { prefetch(devPtr, count, location_of(dstDevice), 0, hStream); });
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                size_t count) {
  return context_call([&](Context&) { answer(data, dataSize, attribute, advice_of(devPtr, count)); });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  return context_call([&](Context&) {
    require(data != nullptr && dataSizes != nullptr && attributes != nullptr && numAttributes != 0);
    const ManagedAdvice advice = advice_of(devPtr, count);
    for (std::size_t index = 0; index < numAttributes; ++index) {
      answer(data[index], dataSizes[index], attributes[index], advice);
    }
  });
}
}
