// SPDX-License-Identifier: Apache-2.0
// Calls through cuda_bindings.hpp whose instructions check_header.py counts; call_cost_plain.cpp has their twins.
#include "cuda_bindings/cuda_bindings.hpp"

namespace cu = cuda_bindings;

extern "C" {

unsigned get_current(::CUctx_st** result) {
  const auto [status, context] = cu::cuCtxGetCurrent();
  *result = context.raw();
  return status;
}

unsigned allocate(unsigned long long* result, std::size_t size) {
  const auto [status, memory] = cu::cuMemAlloc(size);
  *result = memory.raw();
  return status;
}

unsigned release(unsigned long long memory) {
  const auto [status] = cu::cuMemFree(cu::CUdeviceptr(memory));
  return status;
}

unsigned launch(::CUfunc_st* kernel, ::CUstream_st* stream, void** arguments) {
  const auto [status] =
      cu::cuLaunchKernel(cu::CUfunction(kernel), 32768, 1, 1, 512, 1, 1, 0, cu::CUstream(stream), arguments, nullptr);
  return status;
}

unsigned copy(unsigned long long to, const float* from, std::size_t number) {
  const auto [status] = cu::cuMemcpyHtoD(cu::CUdeviceptr(to), std::span(from, number));
  return status;
}

unsigned get_info(std::size_t* free, std::size_t* total) {
  const auto [status, free_now, total_now] = cu::cuMemGetInfo();
  *free = free_now;
  *total = total_now;
  return status;
}
}
