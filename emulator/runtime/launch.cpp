// SPDX-License-Identifier: Apache-2.0
// Libraries, kernels and launches of the runtime. Kernels come from cudaLibraryGetKernel: there are no compiled-in ones.
#include "runtime/call.hpp"

namespace {

using namespace emulator::runtime;

template <std::uintptr_t default_stream>
cudaError_t launch(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
  if (kernel == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  return in_context([&] {
    return cuLaunchKernel(function_of(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                          static_cast<unsigned int>(shared), stream_of<default_stream>(stream), arguments, nullptr);
  });
}

template <std::uintptr_t default_stream>
cudaError_t launch_cooperative(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  if (kernel == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  return in_context([&] {
    return cuLaunchCooperativeKernel(function_of(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                     static_cast<unsigned int>(shared), stream_of<default_stream>(stream), arguments);
  });
}

template <std::uintptr_t default_stream>
cudaError_t launch_configured(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
  if (config == nullptr) return finish(cudaErrorInvalidValue);
  if (kernel == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  CUlaunchConfig made{};
  made.gridDimX = config->gridDim.x;
  made.gridDimY = config->gridDim.y;
  made.gridDimZ = config->gridDim.z;
  made.blockDimX = config->blockDim.x;
  made.blockDimY = config->blockDim.y;
  made.blockDimZ = config->blockDim.z;
  made.sharedMemBytes = static_cast<unsigned int>(config->dynamicSmemBytes);
  made.hStream = stream_of<default_stream>(config->stream);
  made.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  made.numAttrs = config->numAttrs;
  return in_context([&] { return cuLaunchKernelEx(&made, function_of(kernel), arguments, nullptr); });
}

template <std::uintptr_t default_stream>
cudaError_t launch_host_function(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return in_context([&] { return cuLaunchHostFunc(stream_of<default_stream>(stream), function, data); });
}

// The member of cudaFuncAttributes for an attribute of the driver.
struct FunctionProperty {
  CUfunction_attribute attribute;
  int cudaFuncAttributes::*number;
  size_t cudaFuncAttributes::*size;
};

constexpr FunctionProperty function_properties[] = {
    {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, nullptr, &cudaFuncAttributes::sharedSizeBytes},
    {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, nullptr, &cudaFuncAttributes::constSizeBytes},
    {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, nullptr, &cudaFuncAttributes::localSizeBytes},
    {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &cudaFuncAttributes::maxThreadsPerBlock, nullptr},
    {CU_FUNC_ATTRIBUTE_NUM_REGS, &cudaFuncAttributes::numRegs, nullptr},
    {CU_FUNC_ATTRIBUTE_PTX_VERSION, &cudaFuncAttributes::ptxVersion, nullptr},
    {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &cudaFuncAttributes::binaryVersion, nullptr},
    {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &cudaFuncAttributes::cacheModeCA, nullptr},
    {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &cudaFuncAttributes::maxDynamicSharedSizeBytes, nullptr},
    {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &cudaFuncAttributes::preferredShmemCarveout, nullptr},
};

CUresult fill_attributes(cudaFuncAttributes& attributes, const void* kernel) {
  attributes = {};
  for (const FunctionProperty& row : function_properties) {
    int value = 0;
    const CUresult status = cuFuncGetAttribute(&value, row.attribute, function_of(kernel));
    if (status != CUDA_SUCCESS) return status;
    if (row.number != nullptr) attributes.*row.number = value;
    if (row.size != nullptr) attributes.*row.size = static_cast<size_t>(value);
  }
  return CUDA_SUCCESS;
}

}  // namespace

RUNTIME_EXPORT_TWINS(cudaLaunchKernel, _ptsz, launch,
                     (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
                     kernel, grid, block, arguments, shared, stream)
RUNTIME_EXPORT_TWINS(cudaLaunchCooperativeKernel, _ptsz, launch_cooperative,
                     (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
                     kernel, grid, block, arguments, shared, stream)
RUNTIME_EXPORT_TWINS(cudaLaunchKernelExC, _ptsz, launch_configured,
                     (const cudaLaunchConfig_t* config, const void* kernel, void** arguments), config, kernel,
                     arguments)
RUNTIME_EXPORT_TWINS(cudaLaunchHostFunc, _ptsz, launch_host_function,
                     (cudaStream_t stream, cudaHostFn_t function, void* data), stream, function, data)

RUNTIME_EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* options,
                                               void** values, unsigned int count, cudaLibraryOption* library_options,
                                               void** library_values, unsigned int library_count) {
  return in_context([&] {
    return cuLibraryLoadData(library, code, reinterpret_cast<CUjit_option*>(options), values, count,
                             reinterpret_cast<CUlibraryOption*>(library_options), library_values, library_count);
  });
}

RUNTIME_EXPORT cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption* options,
                                                   void** values, unsigned int count,
                                                   cudaLibraryOption* library_options, void** library_values,
                                                   unsigned int library_count) {
  return in_context([&] {
    return cuLibraryLoadFromFile(library, file, reinterpret_cast<CUjit_option*>(options), values, count,
                                 reinterpret_cast<CUlibraryOption*>(library_options), library_values, library_count);
  });
}

RUNTIME_EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return in_context([&] { return cuLibraryUnload(library); });
}

RUNTIME_EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return in_context([&] { return cuLibraryGetKernel(kernel, library, name); });
}

RUNTIME_EXPORT cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library) {
  return in_context([&] { return cuLibraryGetKernelCount(count, library); });
}

RUNTIME_EXPORT cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int count,
                                                       cudaLibrary_t library) {
  return in_context([&] { return cuLibraryEnumerateKernels(kernels, count, library); });
}

RUNTIME_EXPORT cudaError_t cudaLibraryGetGlobal(void** pointer, size_t* bytes, cudaLibrary_t library,
                                                const char* name) {
  return in_context([&] { return cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr*>(pointer), bytes, library, name); });
}

RUNTIME_EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  if (kernel == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  return in_context(
      [&] { return attributes == nullptr ? CUDA_ERROR_INVALID_VALUE : fill_attributes(*attributes, kernel); });
}

RUNTIME_EXPORT cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return in_context(
      [&] { return cuFuncSetAttribute(function_of(kernel), static_cast<CUfunction_attribute>(attribute), value); });
}

RUNTIME_EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                                           int device) {
  return in_context(
      [&] { return cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel, device); });
}

RUNTIME_EXPORT cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config) {
  return in_context([&] { return cuFuncSetCacheConfig(function_of(kernel), static_cast<CUfunc_cache>(config)); });
}

RUNTIME_EXPORT cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  return in_context([&] { return cuFuncGetName(name, function_of(kernel)); });
}

RUNTIME_EXPORT cudaError_t cudaFuncGetParamInfo(const void* kernel, size_t index, size_t* offset, size_t* size) {
  return in_context([&] { return cuFuncGetParamInfo(function_of(kernel), index, offset, size); });
}

RUNTIME_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                                         size_t shared) {
  return in_context(
      [&] { return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function_of(kernel), threads, shared); });
}

RUNTIME_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                                  int threads, size_t shared,
                                                                                  unsigned int flags) {
  return in_context([&] {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function_of(kernel), threads, shared, flags);
  });
}

RUNTIME_EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* kernel, int blocks,
                                                                     int threads) {
  return in_context(
      [&] { return cuOccupancyAvailableDynamicSMemPerBlock(bytes, function_of(kernel), blocks, threads); });
}
