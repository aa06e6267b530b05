// SPDX-License-Identifier: Apache-2.0
// What runtime functions do around their driver calls: the device's primary context, and the thread's last error.
#pragma once

#include <cstdint>

#include "cuda_bindings/cuda_types.h"
#include "generated/driver_functions.hpp"

#define RUNTIME_EXPORT extern "C" __attribute__((visibility("default")))

// Two exports of one implementation: the function, and its twin whose stream 0 is the thread's own.
#define RUNTIME_EXPORT_TWINS(name, suffix, implementation, parameters, ...)                          \
  RUNTIME_EXPORT cudaError_t name parameters { return implementation<legacy_default>(__VA_ARGS__); } \
  RUNTIME_EXPORT cudaError_t name##suffix parameters { return implementation<per_thread_default>(__VA_ARGS__); }

namespace emulator::runtime {

/// What stream 0 means to a function: the handle that the driver has for it.
inline constexpr std::uintptr_t legacy_default = 0x1;
inline constexpr std::uintptr_t per_thread_default = 0x2;

/// A stream argument as the driver is to see it.
template <std::uintptr_t default_stream>
CUstream stream_of(cudaStream_t stream) {
  return stream == nullptr ? reinterpret_cast<CUstream>(default_stream) : stream;
}

/// Remembers a failure as the thread's last error and returns it. Not-ready answers are no failures.
cudaError_t finish(cudaError_t status) noexcept;
/// The same for a driver's answer: the numbers are the same where both APIs have the error.
cudaError_t finish(CUresult status) noexcept;
/// The thread's last error; cleared where `clear`, unless the context is lost to it.
cudaError_t last_error(bool clear) noexcept;

/// Initialises the driver, which must not be older than this runtime's major release.
CUresult start() noexcept;

/// The thread's device: what cudaSetDevice has chosen, else the current context's, else 0.
int current_device() noexcept;
/// Makes a device the thread's, with its primary context current.
CUresult set_device(int device) noexcept;
/// Ends all that lives in the thread's device; the next call starts it anew.
CUresult reset_device() noexcept;
/// Sees to it that the thread has a current context: the primary one of its device. The first runtime call does this.
CUresult ensure_context() noexcept;

/// A driver call in the current context, and what it answers as the runtime's status.
template <class Action>
cudaError_t in_context(Action&& action) noexcept {
  const CUresult status = ensure_context();
  return finish(status == CUDA_SUCCESS ? action() : status);
}

/// A driver call that needs no context.
template <class Action>
cudaError_t initialized(Action&& action) noexcept {
  const CUresult status = start();
  return finish(status == CUDA_SUCCESS ? action() : status);
}

/// Device pointers are numbers to the driver and addresses to the runtime.
inline CUdeviceptr device_pointer(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// A kernel of cudaLibraryGetKernel, as the driver's launch takes it.
inline CUfunction function_of(const void* kernel) { return reinterpret_cast<CUfunction>(const_cast<void*>(kernel)); }

}  // namespace emulator::runtime
