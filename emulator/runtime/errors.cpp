// SPDX-License-Identifier: Apache-2.0
// Versions, error state and error texts of the runtime.
#include "runtime/call.hpp"
#include "runtime/error_names.hpp"

using namespace emulator::runtime;

RUNTIME_EXPORT cudaError_t cudaGetLastError() { return last_error(true); }
RUNTIME_EXPORT cudaError_t cudaPeekAtLastError() { return last_error(false); }

RUNTIME_EXPORT const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }

RUNTIME_EXPORT const char* cudaGetErrorString(cudaError_t error) { return error_text(error); }

RUNTIME_EXPORT cudaError_t cudaDriverGetVersion(int* version) {
  return finish(version == nullptr ? CUDA_ERROR_INVALID_VALUE : cuDriverGetVersion(version));
}

// The runtime is as new as the types that it was built with.
RUNTIME_EXPORT cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return finish(cudaErrorInvalidValue);
  *version = CUDA_BINDINGS_TYPES_RELEASE;
  return cudaSuccess;
}

RUNTIME_EXPORT cudaError_t cudaProfilerStart() { return cudaSuccess; }
RUNTIME_EXPORT cudaError_t cudaProfilerStop() { return cudaSuccess; }
