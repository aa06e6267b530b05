// SPDX-License-Identifier: Apache-2.0
// Devices of the runtime: choosing one, its properties, limits and pools.
#include <cstring>

#include "runtime/call.hpp"

namespace {

using namespace emulator::runtime;

struct IntProperty {
  int cudaDeviceProp::*member;
  int attribute;
};

// A member and the attribute of the same meaning; both APIs number attributes alike.
constexpr IntProperty int_properties[] = {
    {&cudaDeviceProp::regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
    {&cudaDeviceProp::warpSize, cudaDevAttrWarpSize},
    {&cudaDeviceProp::maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
    {&cudaDeviceProp::major, cudaDevAttrComputeCapabilityMajor},
    {&cudaDeviceProp::minor, cudaDevAttrComputeCapabilityMinor},
    {&cudaDeviceProp::multiProcessorCount, cudaDevAttrMultiProcessorCount},
    {&cudaDeviceProp::integrated, cudaDevAttrIntegrated},
    {&cudaDeviceProp::canMapHostMemory, cudaDevAttrCanMapHostMemory},
    {&cudaDeviceProp::maxTexture1D, cudaDevAttrMaxTexture1DWidth},
    {&cudaDeviceProp::maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth},
    {&cudaDeviceProp::maxSurface1D, cudaDevAttrMaxSurface1DWidth},
    {&cudaDeviceProp::maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth},
    {&cudaDeviceProp::concurrentKernels, cudaDevAttrConcurrentKernels},
    {&cudaDeviceProp::ECCEnabled, cudaDevAttrEccEnabled},
    {&cudaDeviceProp::pciBusID, cudaDevAttrPciBusId},
    {&cudaDeviceProp::pciDeviceID, cudaDevAttrPciDeviceId},
    {&cudaDeviceProp::pciDomainID, cudaDevAttrPciDomainId},
    {&cudaDeviceProp::tccDriver, cudaDevAttrTccDriver},
    {&cudaDeviceProp::asyncEngineCount, cudaDevAttrAsyncEngineCount},
    {&cudaDeviceProp::unifiedAddressing, cudaDevAttrUnifiedAddressing},
    {&cudaDeviceProp::memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
    {&cudaDeviceProp::l2CacheSize, cudaDevAttrL2CacheSize},
    {&cudaDeviceProp::persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize},
    {&cudaDeviceProp::maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
    {&cudaDeviceProp::streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
    {&cudaDeviceProp::globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
    {&cudaDeviceProp::localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
    {&cudaDeviceProp::regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
    {&cudaDeviceProp::managedMemory, cudaDevAttrManagedMemory},
    {&cudaDeviceProp::isMultiGpuBoard, cudaDevAttrIsMultiGpuBoard},
    {&cudaDeviceProp::multiGpuBoardGroupID, cudaDevAttrMultiGpuBoardGroupID},
    {&cudaDeviceProp::hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported},
    {&cudaDeviceProp::pageableMemoryAccess, cudaDevAttrPageableMemoryAccess},
    {&cudaDeviceProp::concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
    {&cudaDeviceProp::computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
    {&cudaDeviceProp::canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem},
    {&cudaDeviceProp::cooperativeLaunch, cudaDevAttrCooperativeLaunch},
    {&cudaDeviceProp::pageableMemoryAccessUsesHostPageTables, cudaDevAttrPageableMemoryAccessUsesHostPageTables},
    {&cudaDeviceProp::directManagedMemAccessFromHost, cudaDevAttrDirectManagedMemAccessFromHost},
    {&cudaDeviceProp::maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
    {&cudaDeviceProp::accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize},
    {&cudaDeviceProp::hostRegisterSupported, cudaDevAttrHostRegisterSupported},
    {&cudaDeviceProp::sparseCudaArraySupported, cudaDevAttrSparseCudaArraySupported},
    {&cudaDeviceProp::hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported},
    {&cudaDeviceProp::timelineSemaphoreInteropSupported, cudaDevAttrTimelineSemaphoreInteropSupported},
    {&cudaDeviceProp::memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    {&cudaDeviceProp::gpuDirectRDMASupported, cudaDevAttrGPUDirectRDMASupported},
    {&cudaDeviceProp::gpuDirectRDMAWritesOrdering, cudaDevAttrGPUDirectRDMAWritesOrdering},
    {&cudaDeviceProp::deferredMappingCudaArraySupported, cudaDevAttrDeferredMappingCudaArraySupported},
    {&cudaDeviceProp::ipcEventSupported, cudaDevAttrIpcEventSupport},
    {&cudaDeviceProp::clusterLaunch, cudaDevAttrClusterLaunch},
    {&cudaDeviceProp::deviceNumaConfig, cudaDevAttrNumaConfig},
    {&cudaDeviceProp::deviceNumaId, cudaDevAttrNumaId},
    {&cudaDeviceProp::mpsEnabled, cudaDevAttrMpsEnabled},
    {&cudaDeviceProp::hostNumaId, cudaDevAttrHostNumaId},
};

struct SizeProperty {
  size_t cudaDeviceProp::*member;
  int attribute;
};

constexpr SizeProperty size_properties[] = {
    {&cudaDeviceProp::sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
    {&cudaDeviceProp::memPitch, cudaDevAttrMaxPitch},
    {&cudaDeviceProp::totalConstMem, cudaDevAttrTotalConstantMemory},
    {&cudaDeviceProp::textureAlignment, cudaDevAttrTextureAlignment},
    {&cudaDeviceProp::texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
    {&cudaDeviceProp::surfaceAlignment, cudaDevAttrSurfaceAlignment},
    {&cudaDeviceProp::sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {&cudaDeviceProp::sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {&cudaDeviceProp::reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
};

struct ArrayProperty {
  int* (*first)(cudaDeviceProp&);
  int attributes[3];
  int length;
};

constexpr ArrayProperty array_properties[] = {
    {[](cudaDeviceProp& p) { return p.maxThreadsDim; },
     {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ},
     3},
    {[](cudaDeviceProp& p) { return p.maxGridSize; },
     {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ},
     3},
    {[](cudaDeviceProp& p) { return p.maxTexture2D; },
     {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, 0},
     2},
    {[](cudaDeviceProp& p) { return p.maxTexture3D; },
     {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth},
     3},
    {[](cudaDeviceProp& p) { return p.maxTexture2DLinear; },
     {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch},
     3},
    {[](cudaDeviceProp& p) { return p.maxSurface2D; },
     {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight, 0},
     2},
    {[](cudaDeviceProp& p) { return p.maxSurface3D; },
     {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth},
     3},
};

// The value of an attribute; 0 for one that the driver does not know.
int attribute_value(int attribute, int device) {
  int value = 0;
  const CUresult status = cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute), device);
  return status == CUDA_SUCCESS ? value : 0;
}

CUresult fill_properties(cudaDeviceProp& properties, int device) {
  std::memset(&properties, 0, sizeof properties);
  CUresult status = cuDeviceGetName(properties.name, sizeof properties.name, device);
  if (status == CUDA_SUCCESS) status = cuDeviceTotalMem_v2(&properties.totalGlobalMem, device);
  if (status == CUDA_SUCCESS) status = cuDeviceGetUuid_v2(reinterpret_cast<CUuuid*>(&properties.uuid), device);
  if (status != CUDA_SUCCESS) return status;
  for (const IntProperty& row : int_properties) properties.*row.member = attribute_value(row.attribute, device);
  for (const SizeProperty& row : size_properties) {
    properties.*row.member = static_cast<size_t>(attribute_value(row.attribute, device));
  }
  for (const ArrayProperty& row : array_properties) {
    for (int axis = 0; axis < row.length; ++axis)
      row.first(properties)[axis] = attribute_value(row.attributes[axis], device);
  }
  return CUDA_SUCCESS;
}

}  // namespace

RUNTIME_EXPORT cudaError_t cudaGetDeviceCount(int* count) {
  return initialized([&] { return cuDeviceGetCount(count); });
}

RUNTIME_EXPORT cudaError_t cudaSetDevice(int device) { return finish(set_device(device)); }

RUNTIME_EXPORT cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return finish(set_device(device)); }

RUNTIME_EXPORT cudaError_t cudaGetDevice(int* device) {
  return initialized([&] {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = current_device();
    return CUDA_SUCCESS;
  });
}

RUNTIME_EXPORT cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return initialized(
      [&] { return properties == nullptr ? CUDA_ERROR_INVALID_VALUE : fill_properties(*properties, device); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return initialized([&] { return cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device); });
}

// There is one device: whatever is wished for, it is the nearest.
RUNTIME_EXPORT cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wish) {
  if (device == nullptr || wish == nullptr) return finish(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

RUNTIME_EXPORT cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || (count > 0 && devices == nullptr)) return finish(cudaErrorInvalidValue);
  for (int index = 0; index < count; ++index) {
    if (devices[index] != 0) return finish(cudaErrorInvalidDevice);
  }
  return cudaSuccess;
}

RUNTIME_EXPORT cudaError_t cudaDeviceSynchronize() {
  return in_context([] { return cuCtxSynchronize(); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceReset() {
  return initialized([] { return reset_device(); });
}

RUNTIME_EXPORT cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return initialized([&] { return cuDevicePrimaryCtxSetFlags_v2(current_device(), flags); });
}

RUNTIME_EXPORT cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return in_context([&] { return cuCtxGetFlags(flags); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return in_context([&] { return cuCtxGetLimit(value, static_cast<CUlimit>(limit)); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return in_context([&] { return cuCtxSetLimit(static_cast<CUlimit>(limit), value); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return in_context([&] { return cuCtxGetCacheConfig(reinterpret_cast<CUfunc_cache*>(config)); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return in_context([&] { return cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cuCtxGetStreamPriorityRange(least, greatest); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return initialized([&] { return cuDeviceGetPCIBusId(text, length, device); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return initialized([&] { return cuDeviceGetByPCIBusId(device, text); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return initialized([&] { return cuDeviceCanAccessPeer(can, device, peer); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source,
                                                     int destination) {
  return initialized([&] {
    return cuDeviceGetP2PAttribute(value, static_cast<CUdevice_P2PAttribute>(attribute), source, destination);
  });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return initialized([&] { return cuDeviceGetDefaultMemPool(pool, device); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return initialized([&] { return cuDeviceGetMemPool(pool, device); });
}

RUNTIME_EXPORT cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return initialized([&] { return cuDeviceSetMemPool(device, pool); });
}
