// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and the pools behind it.
#include <atomic>
#include <cstring>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"
#include "driver/objects.hpp"
#include "driver/pool_object.hpp"

namespace emulator {

void PoolObject::get(CUmemPool_attribute attribute, void* value) const {
  const std::lock_guard lock(mutex_);
  const auto wide = [&](cuuint64_t number) { std::memcpy(value, &number, sizeof number); };
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      std::memcpy(value, &reuse_[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], sizeof(int));
      return;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return wide(release_threshold_);
    // Nothing is kept beyond what is in use.
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return wide(used_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: return wide(used_high_);
    default: throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
}

void PoolObject::set(CUmemPool_attribute attribute, const void* value) {
  const std::lock_guard lock(mutex_);
  cuuint64_t wide = 0;
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      std::memcpy(&reuse_[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], value, sizeof(int));
      return;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: std::memcpy(&release_threshold_, value, sizeof wide); return;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      std::memcpy(&wide, value, sizeof wide);
      require(wide == 0);
      used_high_ = used_;
      return;
    default: throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
}

CUmemoryPool default_pool() {
  static const CUmemoryPool pool = pools().add(std::make_shared<PoolObject>(0));
  return pool;
}

namespace {

constexpr std::uint64_t pool_alignment = 512;

// The pool that cuMemAllocAsync takes from.
std::atomic<CUmemoryPool>& current_pool() {
  static auto* const pool = new std::atomic<CUmemoryPool>(default_pool());
  return *pool;
}

std::shared_ptr<PoolObject> pool_of(CUmemoryPool handle) {
  std::shared_ptr<PoolObject> pool = pools().find(handle);
  require(pool != nullptr);
  return pool;
}

void require_device(CUdevice device) { require(device == device_ordinal, CUDA_ERROR_INVALID_DEVICE); }

void require_device_location(const CUmemLocation& location) {
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
  require_device(location.id);
}

// Memory is taken when the call is made, which stream order allows; frees that are under way are waited for if need be.
CUdeviceptr allocate(Context& context, CUmemoryPool handle, std::size_t bytes) {
  require(bytes != 0);
  const std::shared_ptr<PoolObject> pool = pool_of(handle);
  const auto attempt = [&](CUdeviceptr& address) {
    if (!pool->take(bytes)) return false;
    const CUresult result =
        guarded([&] { address = hold_device_memory(context, bytes, AllocationKind::pool, pool_alignment, handle); });
    if (result != CUDA_SUCCESS) pool->freed(bytes);
    return result == CUDA_SUCCESS;
  };
  CUdeviceptr address = 0;
  if (attempt(address)) return address;
  context.drain();
  require(attempt(address), CUDA_ERROR_OUT_OF_MEMORY);
  return address;
}

void allocate_async(CUdeviceptr* dptr, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  const std::shared_ptr<Context> context = require_context();
  output(dptr);
  const StreamReference target = own_stream_of(*context, stream);
  *dptr = allocate(*target.context, pool, bytes);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return device_call([&] { allocate_async(dptr, bytesize, current_pool(), hStream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  return device_call([&] { allocate_async(dptr, bytesize, pool, hStream); });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return context_call([&](Context& context) {
    const StreamReference target = own_stream_of(context, hStream);
    if (dptr == 0) return;
    const std::optional<Holding> holding = holding_at(dptr);
    require(holding.has_value());
    require(holding->kind == AllocationKind::device || holding->kind == AllocationKind::pool);
    target.context->enqueue(*target.stream, [dptr] { release_holding(dptr); });
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return device_call([&] {
    output(pool_out);
    require_device(dev);
    *pool_out = default_pool();
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  return device_call([&] {
    output(pool);
    require_device(dev);
    *pool = current_pool();
  });
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return device_call([&] {
    require_device(dev);
    pool_of(pool);
    current_pool() = pool;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  return device_call([&] {
    output(pool);
    output(poolProps);
    require(poolProps->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    require_device_location(poolProps->location);
    require(poolProps->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED);
    *pool = pools().add(std::make_shared<PoolObject>(poolProps->maxSize));
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return device_call([&] {
    require(pool != default_pool());
    // What has been allocated from it lives until it is freed.
    require(pools().remove(pool) != nullptr);
    CUmemoryPool expected = pool;
    current_pool().compare_exchange_strong(expected, default_pool());
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return device_call([&] {
    require(value != nullptr);
    pool_of(pool)->get(attr, value);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return device_call([&] {
    require(value != nullptr);
    pool_of(pool)->set(attr, value);
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  // Nothing is kept beyond what is in use.
  return device_call([&] { pool_of(pool); });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool, CUmemLocation* location) {
  return device_call([&] {
    output(flags);
    require_device_location(output(location));
    pool_of(memPool);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  return device_call([&] {
    require(map != nullptr || count == 0);
    pool_of(pool);
    for (std::size_t index = 0; index < count; ++index) {
      require_device_location(map[index].location);
      // The device's access to its own memory cannot be taken away.
      require(map[index].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    }
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location, CUmemAllocationType type) {
  return device_call([&] {
    output(pool_out);
    require_device_location(output(location));
    require(type == CU_MEM_ALLOCATION_TYPE_PINNED);
    *pool_out = default_pool();
  });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return device_call([&] {
    output(pool);
    require_device_location(output(location));
    require(type == CU_MEM_ALLOCATION_TYPE_PINNED);
    *pool = current_pool();
  });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return device_call([&] {
    require_device_location(output(location));
    require(type == CU_MEM_ALLOCATION_TYPE_PINNED);
    pool_of(pool);
    current_pool() = pool;
  });
}
}
