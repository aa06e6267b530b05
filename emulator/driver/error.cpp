// SPDX-License-Identifier: Apache-2.0
// Names and descriptions of CUresult values. The compiler names an enumerator of the header that has none.
#include "driver/entry.hpp"

namespace emulator {
namespace {

struct ErrorText {
  const char* name;
  const char* description;
};

#define EMULATOR_ERROR(code, description) \
  case code: return {#code, description};

ErrorText error_text(CUresult code) {
  switch (code) {
    EMULATOR_ERROR(CUDA_SUCCESS, "no error")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument")
    EMULATOR_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")
    EMULATOR_ERROR(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called in this process")
    EMULATOR_ERROR(CUDA_ERROR_DEINITIALIZED, "the driver is shutting down with the process")
    EMULATOR_ERROR(CUDA_ERROR_PROFILER_DISABLED, "profiling is disabled")
    EMULATOR_ERROR(CUDA_ERROR_PROFILER_NOT_INITIALIZED, "the profiler has not been set up")
    EMULATOR_ERROR(CUDA_ERROR_PROFILER_ALREADY_STARTED, "the profiler runs already")
    EMULATOR_ERROR(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "the profiler does not run")
    EMULATOR_ERROR(CUDA_ERROR_STUB_LIBRARY, "this is a stub, not a driver")
    EMULATOR_ERROR(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "the call needs a newer driver")
    EMULATOR_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "the device is busy or unavailable")
    EMULATOR_ERROR(CUDA_ERROR_NO_DEVICE, "there is no device")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device number")
    EMULATOR_ERROR(CUDA_ERROR_DEVICE_NOT_LICENSED, "the device has no licence")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_IMAGE, "the image is no device code")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid context, or no current one")
    EMULATOR_ERROR(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "the context is current already")
    EMULATOR_ERROR(CUDA_ERROR_MAP_FAILED, "mapping failed")
    EMULATOR_ERROR(CUDA_ERROR_UNMAP_FAILED, "unmapping failed")
    EMULATOR_ERROR(CUDA_ERROR_ARRAY_IS_MAPPED, "the array is mapped")
    EMULATOR_ERROR(CUDA_ERROR_ALREADY_MAPPED, "the resource is mapped already")
    EMULATOR_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "the image holds no code for this device")
    EMULATOR_ERROR(CUDA_ERROR_ALREADY_ACQUIRED, "the resource is taken already")
    EMULATOR_ERROR(CUDA_ERROR_NOT_MAPPED, "the resource is not mapped")
    EMULATOR_ERROR(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "the resource is not mapped as an array")
    EMULATOR_ERROR(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "the resource is not mapped as a pointer")
    EMULATOR_ERROR(CUDA_ERROR_ECC_UNCORRECTABLE, "memory error that could not be corrected")
    EMULATOR_ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, "the device has no such limit")
    EMULATOR_ERROR(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, "the context is in use by another thread")
    EMULATOR_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "the devices cannot reach each other's memory")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_PTX, "PTX that cannot be loaded: see the error log")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid graphics context")
    EMULATOR_ERROR(CUDA_ERROR_NVLINK_UNCORRECTABLE, "link error that could not be corrected")
    EMULATOR_ERROR(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "no compiler for PTX was found")
    EMULATOR_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is of a version newer than this driver knows")
    EMULATOR_ERROR(CUDA_ERROR_JIT_COMPILATION_DISABLED, "compiling PTX is disabled")
    EMULATOR_ERROR(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "the device has no such affinity")
    EMULATOR_ERROR(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, "synchronising inside device code is not supported")
    EMULATOR_ERROR(CUDA_ERROR_CONTAINED, "an error of the device was contained to this process")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_SOURCE, "invalid device code source")
    EMULATOR_ERROR(CUDA_ERROR_FILE_NOT_FOUND, "the file was not found")
    EMULATOR_ERROR(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "a shared library lacks a symbol")
    EMULATOR_ERROR(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "a shared library could not start")
    EMULATOR_ERROR(CUDA_ERROR_OPERATING_SYSTEM, "a call to the operating system failed")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid handle")
    EMULATOR_ERROR(CUDA_ERROR_ILLEGAL_STATE, "the object is not in a state that allows the call")
    EMULATOR_ERROR(CUDA_ERROR_LOSSY_QUERY, "the answer would leave something out")
    EMULATOR_ERROR(CUDA_ERROR_NOT_FOUND, "the name was not found")
    EMULATOR_ERROR(CUDA_ERROR_NOT_READY, "the device is not ready yet")
    EMULATOR_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel used an illegal address")
    EMULATOR_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the launch asks for more than the device has")
    EMULATOR_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "a kernel ran beyond its time limit")
    EMULATOR_ERROR(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "the launch uses textures in an incompatible way")
    EMULATOR_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is enabled already")
    EMULATOR_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access is not enabled")
    EMULATOR_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "the primary context is in use")
    EMULATOR_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context has been destroyed")
    EMULATOR_ERROR(CUDA_ERROR_ASSERT, "an assertion in device code failed")
    EMULATOR_ERROR(CUDA_ERROR_TOO_MANY_PEERS, "too many peers")
    EMULATOR_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "the host memory is registered already")
    EMULATOR_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "the host memory is not registered")
    EMULATOR_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "a kernel's stack is damaged")
    EMULATOR_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "a kernel met an illegal instruction")
    EMULATOR_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "a kernel used a misaligned address")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, "a kernel used an address of another space")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_PC, "a kernel called or jumped to what is no code")
    EMULATOR_ERROR(CUDA_ERROR_LAUNCH_FAILED, "a kernel failed")
    EMULATOR_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "more blocks than can be resident in a cooperative launch")
    EMULATOR_ERROR(CUDA_ERROR_TENSOR_MEMORY_LEAK, "a kernel did not free its tensor memory")
    EMULATOR_ERROR(CUDA_ERROR_NOT_PERMITTED, "the operation is not permitted")
    EMULATOR_ERROR(CUDA_ERROR_NOT_SUPPORTED, "the operation is not supported")
    EMULATOR_ERROR(CUDA_ERROR_SYSTEM_NOT_READY, "the system is not ready")
    EMULATOR_ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "parts of the driver do not match")
    EMULATOR_ERROR(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "the device does not support forward compatibility")
    EMULATOR_ERROR(CUDA_ERROR_MPS_CONNECTION_FAILED, "no connection to the MPS control daemon")
    EMULATOR_ERROR(CUDA_ERROR_MPS_RPC_FAILURE, "a call to the MPS server failed")
    EMULATOR_ERROR(CUDA_ERROR_MPS_SERVER_NOT_READY, "the MPS server is not ready")
    EMULATOR_ERROR(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "the MPS server has no room for a client")
    EMULATOR_ERROR(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, "the MPS server has no room for a connection")
    EMULATOR_ERROR(CUDA_ERROR_MPS_CLIENT_TERMINATED, "the MPS server ended this client")
    EMULATOR_ERROR(CUDA_ERROR_CDP_NOT_SUPPORTED, "launching from device code is not supported")
    EMULATOR_ERROR(CUDA_ERROR_CDP_VERSION_MISMATCH, "launches from device code of mixed versions")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "not possible while the stream captures")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "an earlier error has spoilt the capture")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the call would merge two captures")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture did not begin in this stream")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "work was left out of the capture at its end")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a dependency crosses the boundary of the capture")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the call would wait for the legacy stream during a capture")
    EMULATOR_ERROR(CUDA_ERROR_CAPTURED_EVENT, "not possible with an event recorded in a capture")
    EMULATOR_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture began in another thread")
    EMULATOR_ERROR(CUDA_ERROR_TIMEOUT, "the wait took too long")
    EMULATOR_ERROR(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph cannot be updated in this way")
    EMULATOR_ERROR(CUDA_ERROR_EXTERNAL_DEVICE, "a device outside CUDA failed")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size")
    EMULATOR_ERROR(CUDA_ERROR_FUNCTION_NOT_LOADED, "the function is not loaded")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_RESOURCE_TYPE, "invalid type of resource")
    EMULATOR_ERROR(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "invalid configuration of resources")
    EMULATOR_ERROR(CUDA_ERROR_KEY_ROTATION, "a key rotation went wrong")
    EMULATOR_ERROR(CUDA_ERROR_UNKNOWN, "unknown error")
  }
  return {nullptr, nullptr};
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  return guarded([&] {
    output(pStr) = error_text(error).name;
    require(*pStr != nullptr);
  });
}

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  return guarded([&] {
    output(pStr) = error_text(error).description;
    require(*pStr != nullptr);
  });
}
}
