// SPDX-License-Identifier: Apache-2.0
// Contexts: the thread's stack, the primary context's life, handles that are gone, limits.
#include <gtest/gtest.h>

#include <thread>

#include "driver_fixture.hpp"

namespace {

CUcontext current() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  return context;
}

class Contexts : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    while (current() != nullptr) cuCtxPopCurrent_v2(nullptr);
  }
  static CUcontext create() {
    CUcontext made = nullptr;
    EXPECT_EQ(cuCtxCreate_v2(&made, 0, 0), CUDA_SUCCESS);
    return made;
  }
};

TEST_F(Contexts, AreAStackOfTheThread) {
  const CUcontext first = create();
  const CUcontext second = create();
  EXPECT_NE(first, second);
  EXPECT_EQ(current(), second);
  CUcontext popped = nullptr;
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, second);
  EXPECT_EQ(current(), first);
  EXPECT_EQ(cuCtxPushCurrent_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(current(), second);
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(current(), first);
  EXPECT_EQ(cuCtxDestroy_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, AnotherThreadHasNone) {
  const CUcontext made = create();
  std::thread([] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_EQ(cuCtxDestroy_v2(made), CUDA_SUCCESS);
}

TEST_F(Contexts, SettingReplacesTheTopAndNullRemovesIt) {
  const CUcontext first = create();
  const CUcontext second = create();
  EXPECT_EQ(cuCtxSetCurrent(first), CUDA_SUCCESS);
  EXPECT_EQ(current(), first);
  EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(current(), first);  // what lay below
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(first), CUDA_SUCCESS);
}

TEST_F(Contexts, ADestroyedOneIsFoundOut) {
  const CUcontext made = create();
  std::thread([made] { EXPECT_EQ(cuCtxDestroy_v2(made), CUDA_SUCCESS); }).join();
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAlloc_v2(&data, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPushCurrent_v2(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(reinterpret_cast<CUcontext>(std::uintptr_t{64})), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, TakeTheirMemoryWithThem) {
  const CUcontext outer = create();
  std::size_t before = 0;
  std::size_t total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&before, &total), CUDA_SUCCESS);
  const CUcontext inner = create();
  CUdeviceptr data = 0;
  CUmodule module = nullptr;
  EXPECT_EQ(cuMemAlloc_v2(&data, 1 << 20), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadData(&module, driver_test::kernels.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(inner), CUDA_SUCCESS);
  std::size_t after = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&after, &total), CUDA_SUCCESS);
  EXPECT_EQ(after, before);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuCtxDestroy_v2(outer), CUDA_SUCCESS);
}

TEST_F(Contexts, ThePrimaryOneIsSharedAndGoesWithTheLastRelease) {
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  unsigned flags = 0;
  int active = -1;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&first, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&second, 0), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuCtxSetCurrent(first), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&second, 0), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);  // current again, as it has the same handle
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
}

TEST_F(Contexts, CreationRefusesWhatItCannotDo) {
  CUcontext made = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&made, 0, 7), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxCreate_v2(&made, 1u << 20, 0), CUDA_ERROR_INVALID_VALUE);
  CUexecAffinityParam affinity{};
  EXPECT_EQ(cuCtxCreate_v3(&made, &affinity, 1, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  EXPECT_EQ(current(), nullptr);
}

class ContextSettings : public driver_test::WithContext {};

TEST_F(ContextSettings, VersionFlagsDeviceAndNumber) {
  unsigned version = 0;
  unsigned flags = 77;
  CUdevice device = -1;
  unsigned long long id = 0;
  EXPECT_EQ(cuCtxGetApiVersion(context_, &version), CUDA_SUCCESS);
  EXPECT_EQ(version, 3020u);
  EXPECT_EQ(cuCtxGetFlags(&flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuCtxGetId(context_, &id), CUDA_SUCCESS);
  EXPECT_GT(id, 0u);
  EXPECT_EQ(cuCtxGetApiVersion(reinterpret_cast<CUcontext>(std::uintptr_t{1}), &version), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(ContextSettings, LimitsAreKept) {
  std::size_t value = 0;
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 1048576u);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 21), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, std::size_t{1} << 21);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_SHMEM_SIZE), CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
