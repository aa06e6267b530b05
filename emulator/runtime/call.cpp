// SPDX-License-Identifier: Apache-2.0
// The per-thread state of the runtime: its device and its last error.
#include "runtime/call.hpp"

#include <atomic>
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

// As with NVIDIA's, a runtime does not start on a driver of an older major release. The driver has no such error.
constexpr auto insufficient_driver = static_cast<CUresult>(cudaErrorInsufficientDriver);

// The primary context that the runtime has retained, for good unless it is reset; its handle stays the same then.
std::atomic<CUcontext> primary{nullptr};  // there is one device

bool is_active(int device) {
  unsigned int flags = 0;
  int active = 0;
  return cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && active != 0;
}

CUresult retain_primary(int device) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> guard(mutex);
  if (primary != nullptr && is_active(device)) return CUDA_SUCCESS;
  CUcontext context = nullptr;
  const CUresult status = cuDevicePrimaryCtxRetain(&context, device);
  if (status == CUDA_SUCCESS) primary = context;
  return status;
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

CUresult start() noexcept {
  int driver = 0;
  const CUresult status = cuDriverGetVersion(&driver);
  if (status != CUDA_SUCCESS) return status;
  return driver / 1000 < CUDA_BINDINGS_TYPES_RELEASE / 1000 ? insufficient_driver : cuInit(0);
}

int current_device() noexcept {
  if (thread_state().device >= 0) return thread_state().device;
  CUdevice device = 0;
  return cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : 0;
}

CUresult set_device(int device) noexcept {
  CUresult status = start();
  int count = 0;
  if (status == CUDA_SUCCESS) status = cuDeviceGetCount(&count);
  if (status != CUDA_SUCCESS) return status;
  if (device < 0 || device >= count) return CUDA_ERROR_INVALID_DEVICE;
  status = retain_primary(device);
  if (status == CUDA_SUCCESS) status = cuCtxSetCurrent(primary);
  if (status == CUDA_SUCCESS) thread_state().device = device;
  return status;
}

CUresult reset_device() noexcept {
  const int device = current_device();
  const CUresult status = retain_primary(device);  // so that it is known as the one that was reset
  return status == CUDA_SUCCESS ? cuDevicePrimaryCtxReset_v2(device) : status;
}

CUresult ensure_context() noexcept {
  CUcontext current = nullptr;
  const CUresult status = start();
  if (status != CUDA_SUCCESS) return status;
  const bool has_one = cuCtxGetCurrent(&current) == CUDA_SUCCESS && current != nullptr;
  // One that was reset is made anew by the first call that needs it.
  if (has_one && (current != primary || is_active(current_device()))) return CUDA_SUCCESS;
  return set_device(thread_state().device < 0 ? 0 : thread_state().device);
}

}  // namespace emulator::runtime
