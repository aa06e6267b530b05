// SPDX-License-Identifier: Apache-2.0
// The C calls that call_cost_wrapped.cpp is measured against: the same slots, or (LINKED) the library's exported functions.
#include "cuda_bindings/cuda_types.h"

#ifdef LINKED
extern "C" {
CUresult cuCtxGetCurrent(CUcontext*);
CUresult cuMemAlloc_v2(CUdeviceptr*, size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void**, void**);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void*, size_t);
CUresult cuMemGetInfo_v2(size_t*, size_t*);
}
#define CALL(function) function
#else
#include "generated/table_driver.hpp"
[[gnu::visibility("hidden")]] extern cuda_bindings::DriverTable table asm("cuda_bindings_driver_slots");
#define CALL(function) table.function
#endif

extern "C" {

CUresult get_current(CUcontext* result) {
  CUcontext context = nullptr;
  const CUresult status = CALL(cuCtxGetCurrent)(&context);
  *result = context;
  return status;
}

CUresult allocate(CUdeviceptr* result, size_t size) {
  CUdeviceptr memory = 0;
  const CUresult status = CALL(cuMemAlloc_v2)(&memory, size);
  *result = memory;
  return status;
}

CUresult release(CUdeviceptr memory) { return CALL(cuMemFree_v2)(memory); }

CUresult launch(CUfunction kernel, CUstream stream, void** arguments) {
  return CALL(cuLaunchKernel)(kernel, 32768, 1, 1, 512, 1, 1, 0, stream, arguments, nullptr);
}

CUresult copy(CUdeviceptr to, const float* from, size_t number) {
  return CALL(cuMemcpyHtoD_v2)(to, from, number * sizeof(float));
}

CUresult get_info(size_t* free, size_t* total) {
  size_t free_now = 0;
  size_t total_now = 0;
  const CUresult status = CALL(cuMemGetInfo_v2)(&free_now, &total_now);
  *free = free_now;
  *total = total_now;
  return status;
}
}
