// SPDX-License-Identifier: Apache-2.0
// Memory of the runtime: allocation on the device and the host, pools, attributes of pointers.
#include "runtime/call.hpp"

namespace {

using namespace emulator::runtime;

// The runtime gives a null pointer for no bytes, and frees it; the driver refuses both.
CUresult allocate(void** pointer, size_t size) {
  if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pointer = nullptr;
  if (size == 0) return CUDA_SUCCESS;
  return cuMemAlloc_v2(reinterpret_cast<CUdeviceptr*>(pointer), size);
}

CUresult allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (pointer == nullptr || pitch == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pointer = nullptr;
  *pitch = 0;
  if (width == 0 || height == 0) return CUDA_SUCCESS;
  return cuMemAllocPitch_v2(reinterpret_cast<CUdeviceptr*>(pointer), pitch, width, height, 4);
}

template <std::uintptr_t default_stream>
cudaError_t allocate_async(void** pointer, size_t size, cudaStream_t stream) {
  return in_context([&] {
    return cuMemAllocAsync(reinterpret_cast<CUdeviceptr*>(pointer), size, stream_of<default_stream>(stream));
  });
}

template <std::uintptr_t default_stream>
cudaError_t allocate_from_pool(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return in_context([&] {
    return cuMemAllocFromPoolAsync(reinterpret_cast<CUdeviceptr*>(pointer), size, pool,
                                   stream_of<default_stream>(stream));
  });
}

template <std::uintptr_t default_stream>
cudaError_t free_async(void* pointer, cudaStream_t stream) {
  return in_context([&] { return cuMemFreeAsync(device_pointer(pointer), stream_of<default_stream>(stream)); });
}

// Memory that CUDA does not know is `unregistered` to the runtime, and no error.
CUresult describe_pointer(cudaPointerAttributes& attributes, const void* pointer) {
  attributes = {};
  attributes.type = cudaMemoryTypeUnregistered;
  attributes.device = -2;
  attributes.hostPointer = const_cast<void*>(pointer);
  unsigned int type = 0;
  const CUdeviceptr address = device_pointer(pointer);
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS) return CUDA_SUCCESS;
  unsigned int managed = 0;
  cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  attributes.type = managed != 0                 ? cudaMemoryTypeManaged
                    : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                 : cudaMemoryTypeDevice;
  cuPointerGetAttribute(&attributes.device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
  cuPointerGetAttribute(&attributes.devicePointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address);
  if (cuPointerGetAttribute(&attributes.hostPointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, address) != CUDA_SUCCESS) {
    attributes.hostPointer = nullptr;
  }
  return CUDA_SUCCESS;
}

template <std::uintptr_t default_stream>
cudaError_t prefetch(const void* pointer, size_t size, cudaMemLocation location, unsigned int flags,
                     cudaStream_t stream) {
  return in_context([&] {
    const CUmemLocation place{static_cast<CUmemLocationType>(location.type), {location.id}};
    return cuMemPrefetchAsync_v2(device_pointer(pointer), size, place, flags, stream_of<default_stream>(stream));
  });
}

}  // namespace

RUNTIME_EXPORT cudaError_t cudaMalloc(void** pointer, size_t size) {
  return in_context([&] { return allocate(pointer, size); });
}

RUNTIME_EXPORT cudaError_t cudaFree(void* pointer) {
  return in_context([&] { return pointer == nullptr ? CUDA_SUCCESS : cuMemFree_v2(device_pointer(pointer)); });
}

RUNTIME_EXPORT cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return in_context([&] { return allocate_pitched(pointer, pitch, width, height); });
}

RUNTIME_EXPORT cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return in_context([&] {
    if (pitched == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pitched = {nullptr, 0, extent.width, extent.height};
    return allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
  });
}

RUNTIME_EXPORT cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned int flags) {
  return in_context([&] { return cuMemAllocManaged(reinterpret_cast<CUdeviceptr*>(pointer), size, flags); });
}

RUNTIME_EXPORT cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return in_context([&] { return cuMemHostAlloc(pointer, size, 0); });
}

RUNTIME_EXPORT cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned int flags) {
  return in_context([&] { return cuMemHostAlloc(pointer, size, flags); });
}

RUNTIME_EXPORT cudaError_t cudaFreeHost(void* pointer) {
  return in_context([&] { return pointer == nullptr ? CUDA_SUCCESS : cuMemFreeHost(pointer); });
}

RUNTIME_EXPORT cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned int flags) {
  return in_context([&] { return cuMemHostRegister_v2(pointer, size, flags); });
}

RUNTIME_EXPORT cudaError_t cudaHostUnregister(void* pointer) {
  return in_context([&] { return cuMemHostUnregister(pointer); });
}

RUNTIME_EXPORT cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return in_context([&] { return cuMemHostGetDevicePointer_v2(reinterpret_cast<CUdeviceptr*>(device), host, flags); });
}

RUNTIME_EXPORT cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  return in_context([&] { return cuMemHostGetFlags(flags, host); });
}

RUNTIME_EXPORT cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return in_context([&] { return cuMemGetInfo_v2(free, total); });
}

RUNTIME_EXPORT cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return in_context(
      [&] { return attributes == nullptr ? CUDA_ERROR_INVALID_VALUE : describe_pointer(*attributes, pointer); });
}

RUNTIME_EXPORT_TWINS(cudaMallocAsync, _ptsz, allocate_async, (void** pointer, size_t size, cudaStream_t stream),
                     pointer, size, stream)
RUNTIME_EXPORT_TWINS(cudaFreeAsync, _ptsz, free_async, (void* pointer, cudaStream_t stream), pointer, stream)
RUNTIME_EXPORT_TWINS(cudaMallocFromPoolAsync, _ptsz, allocate_from_pool,
                     (void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream), pointer, size, pool,
                     stream)

RUNTIME_EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
  return in_context([&] { return cuMemPoolCreate(pool, reinterpret_cast<const CUmemPoolProps*>(properties)); });
}

RUNTIME_EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return in_context([&] { return cuMemPoolDestroy(pool); });
}

RUNTIME_EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  return in_context([&] { return cuMemPoolTrimTo(pool, keep); });
}

RUNTIME_EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return in_context([&] { return cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value); });
}

RUNTIME_EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return in_context([&] { return cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value); });
}

RUNTIME_EXPORT cudaError_t cudaMemAdvise(const void* pointer, size_t size, cudaMemoryAdvise advice,
                                         cudaMemLocation location) {
  return in_context([&] {
    const CUmemLocation place{static_cast<CUmemLocationType>(location.type), {location.id}};
    return cuMemAdvise_v2(device_pointer(pointer), size, static_cast<CUmem_advise>(advice), place);
  });
}

RUNTIME_EXPORT_TWINS(cudaMemPrefetchAsync, _ptsz, prefetch,
                     (const void* pointer, size_t size, cudaMemLocation location, unsigned int flags,
                      cudaStream_t stream),
                     pointer, size, location, flags, stream)
