// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a kernel: found later, sticks to its context, explained once; kernels that never end stop nobody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "driver_fixture.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;

class Faults : public driver_test::WithContext {
 protected:
  CUresult store_beyond(CUdeviceptr data, std::size_t bytes) {
    CUdeviceptr address = data + bytes;
    return launch(kernel("store"), 1, 1, {&address});
  }
};

TEST_F(Faults, AppearAtTheNextSynchronisationAndStick) {
  const CUdeviceptr data = device_memory(16);
  testing::internal::CaptureStderr();
  EXPECT_EQ(store_beyond(data, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr more = 0;
  EXPECT_EQ(cuMemAlloc_v2(&more, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  std::uint32_t value = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, data, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_THAT(report, HasSubstr("kernel store"));
  EXPECT_THAT(report, HasSubstr("st.global.u32")) << report;
  // Told once.
  EXPECT_EQ(report.find("kernel store"), report.rfind("kernel store"));
}

TEST_F(Faults, LeaveOtherContextsAlone) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(kernel("stop"), 1, 1, {}), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  CUcontext other = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(device_memory(16)), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  testing::internal::GetCapturedStderr();
}

TEST_F(Faults, SkipWhatWasQueuedBehindAndTellCallbacks) {
  driver_test::HostFlag flag;
  CUdeviceptr address = flag.address();
  CUresult seen = CUDA_SUCCESS;
  bool called = false;
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(kernel("wait"), 1, 1, {&address}), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel("stop"), 1, 1, {}), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchHostFunc(
                nullptr, [](void* data) { *static_cast<bool*>(data) = true; }, &called),
            CUDA_SUCCESS);
  EXPECT_EQ(
      cuStreamAddCallback(
          nullptr, [](CUstream, CUresult status, void* data) { *static_cast<CUresult*>(data) = status; }, &seen, 0),
      CUDA_SUCCESS);
  flag.raise();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(seen, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_FALSE(called);
}

TEST_F(Faults, EndWithTheResetOfThePrimaryContext) {
  CUcontext primary = nullptr;
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxPushCurrent_v2(primary), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(kernel("stop"), 1, 1, {}), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(device_memory(16)), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
}

TEST_F(Faults, AKernelThatNeverEndsDoesNotStopTheEndOfItsContext) {
  CUcontext other = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUdeviceptr flag = device_memory(4);
  EXPECT_EQ(cuMemsetD32_v2(flag, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel("wait"), 1, 1, {&flag}), CUDA_SUCCESS);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(ProcessEnd, IsNotStoppedByAKernelThatNeverEnds) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        alarm(20);
        cuInit(0);
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        CUfunction wait = nullptr;
        CUdeviceptr flag = 0;
        cuCtxCreate_v2(&context, 0, 0);
        cuModuleLoadData(&module, driver_test::kernels.c_str());
        cuModuleGetFunction(&wait, module, "wait");
        cuMemAlloc_v2(&flag, 4);
        cuMemsetD32_v2(flag, 0, 1);
        void* parameters[] = {&flag};
        const CUresult result = cuLaunchKernel(wait, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
        std::exit(result == CUDA_SUCCESS ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessEnd, OfAForkedChildIsQuiet) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    CUdeviceptr data = 0;
    const bool right = cuMemAlloc_v2(&data, 16) == CUDA_ERROR_NOT_INITIALIZED &&
                       cuStreamSynchronize(stream) == CUDA_ERROR_NOT_INITIALIZED &&
                       cuCtxDestroy_v2(context) == CUDA_ERROR_NOT_INITIALIZED &&
                       cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    std::_Exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
}

}  // namespace
