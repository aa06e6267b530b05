// SPDX-License-Identifier: Apache-2.0
// The per-thread state of the runtime: its device and its last error.
#include "runtime/call.hpp"

#include <mutex>

namespace emulator::runtime {
namespace {

struct ThreadState {
  int device = -1;  // none chosen
  cudaError_t last = cudaSuccess;
};

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

// The runtime retains a device's primary context once, for good; cudaDeviceReset makes it anew under the same handle.
CUresult primary_context(int device, CUcontext* context) {
  static std::mutex mutex;
  static CUcontext kept = nullptr;  // there is one device
  const std::lock_guard<std::mutex> guard(mutex);
  if (kept == nullptr) {
    CUdevice handle = 0;
    CUresult status = cuDeviceGet(&handle, device);
    if (status == CUDA_SUCCESS) status = cuDevicePrimaryCtxRetain(&kept, handle);
    if (status != CUDA_SUCCESS) return status;
  }
  *context = kept;
  return CUDA_SUCCESS;
}

}  // namespace

cudaError_t finish(cudaError_t status) noexcept {
  if (status != cudaSuccess && status != cudaErrorNotReady) thread_state().last = status;
  return status;
}

cudaError_t finish(CUresult status) noexcept { return finish(static_cast<cudaError_t>(static_cast<int>(status))); }

cudaError_t last_error(bool clear) noexcept {
  const cudaError_t last = thread_state().last;
  if (clear) thread_state().last = cudaSuccess;
  return last;
}

int current_device() noexcept {
  if (thread_state().device >= 0) return thread_state().device;
  CUdevice device = 0;
  return cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : 0;
}

CUresult set_device(int device) noexcept {
  CUresult status = cuInit(0);
  int count = 0;
  if (status == CUDA_SUCCESS) status = cuDeviceGetCount(&count);
  if (status != CUDA_SUCCESS) return status;
  if (device < 0 || device >= count) return CUDA_ERROR_INVALID_DEVICE;
  CUcontext context = nullptr;
  status = primary_context(device, &context);
  if (status == CUDA_SUCCESS) status = cuCtxSetCurrent(context);
  if (status == CUDA_SUCCESS) thread_state().device = device;
  return status;
}

CUresult ensure_context() noexcept {
  CUcontext current = nullptr;
  const CUresult status = cuInit(0);
  if (status != CUDA_SUCCESS) return status;
  if (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current != nullptr) return CUDA_SUCCESS;
  return set_device(thread_state().device < 0 ? 0 : thread_state().device);
}

}  // namespace emulator::runtime
