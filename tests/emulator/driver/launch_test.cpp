// SPDX-License-Identifier: Apache-2.0
// Launches: forms of arguments, what is refused at once, shared memory, cooperative launches, occupancy.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "driver_fixture.hpp"

namespace {

class Launches : public driver_test::WithContext {};

TEST_F(Launches, RunEveryThreadOfEveryBlock) {
  CUdeviceptr data = device_memory(4 * 1000);
  std::uint32_t value = 3;
  std::uint32_t count = 999;
  EXPECT_EQ(cuMemsetD32_v2(data, 1, 1000), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel("add"), 8, 128, {&data, &value, &count}), CUDA_SUCCESS);
  std::vector<std::uint32_t> expected(1000, 4);
  expected[999] = 1;
  EXPECT_EQ(values(data, 1000), expected);
}

TEST_F(Launches, TakeParametersOfMixedWidthsByPointers) {
  CUdeviceptr out = device_memory(24);
  std::uint8_t small = 7;
  double real = 2.5;
  std::uint16_t medium = 40000;
  EXPECT_EQ(launch(kernel("mixed"), 1, 1, {&small, &real, &medium, &out}), CUDA_SUCCESS);
  double found[3] = {};
  EXPECT_EQ(cuMemcpyDtoH_v2(found, out, 24), CUDA_SUCCESS);
  EXPECT_EQ(found[0], 7.0);
  EXPECT_EQ(found[1], 2.5);
  EXPECT_EQ(found[2], 40000.0);
}

TEST_F(Launches, TakeParametersPackedInABuffer) {
  struct {
    CUdeviceptr data;
    std::uint32_t value = 9;
    std::uint32_t count = 2;
  } packed;
  packed.data = device_memory(8);
  EXPECT_EQ(cuMemsetD32_v2(packed.data, 0, 2), CUDA_SUCCESS);
  std::size_t size = sizeof packed;
  void* const pointer_key = reinterpret_cast<void*>(std::uintptr_t{1});
  void* const size_key = reinterpret_cast<void*>(std::uintptr_t{2});
  void* extra[] = {pointer_key, &packed, size_key, &size, nullptr};
  EXPECT_EQ(cuLaunchKernel(kernel("add"), 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_EQ(values(packed.data, 2), (std::vector<std::uint32_t>{9, 9}));
  size = sizeof packed - 1;
  EXPECT_EQ(cuLaunchKernel(kernel("add"), 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  size = sizeof packed;
  void* parameters[] = {&packed.data, &packed.value, &packed.count};
  EXPECT_EQ(cuLaunchKernel(kernel("add"), 1, 1, 1, 2, 1, 1, 0, nullptr, parameters, extra), CUDA_ERROR_INVALID_VALUE);
  void* unknown[] = {reinterpret_cast<void*>(std::uintptr_t{9}), &packed, nullptr};
  EXPECT_EQ(cuLaunchKernel(kernel("add"), 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, unknown), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, RefuseSizesThatTheDeviceDoesNotHave) {
  CUdeviceptr out = device_memory(4096);
  void* parameters[] = {&out};
  const CUfunction block = kernel("block");  // at most 256 threads by its own directive
  const auto code = [&](unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz) {
    return cuLaunchKernel(block, gx, gy, gz, bx, by, bz, 0, nullptr, parameters, nullptr);
  };
  EXPECT_EQ(code(1, 1, 1, 256, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(code(1, 1, 1, 257, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(1, 1, 1, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(1, 1, 1, 32, 16, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(0, 1, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(1, 1, 1, 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(1, 65536, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code(1, 1, 65536, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(Launches, RefuseHandlesThatAreNone) {
  EXPECT_EQ(launch(nullptr, 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(std::uintptr_t{16}), 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(kernel("stop"), 1, 1, {}, reinterpret_cast<CUstream>(std::uintptr_t{16})),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(kernel("add"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, NeedTheAttributeForMuchSharedMemory) {
  CUdeviceptr out = device_memory(4);
  const CUfunction shared = kernel("shared");
  EXPECT_EQ(launch(shared, 1, 1, {&out}, nullptr, 49152), CUDA_SUCCESS);
  EXPECT_EQ(values(out, 1), std::vector<std::uint32_t>{49152});
  EXPECT_EQ(launch(shared, 1, 1, {&out}, nullptr, 49153), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 166913),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000), CUDA_SUCCESS);
  EXPECT_EQ(launch(shared, 1, 1, {&out}, nullptr, 100000), CUDA_SUCCESS);
  EXPECT_EQ(values(out, 1), std::vector<std::uint32_t>{100000});
}

TEST_F(Launches, WithAttributesIgnoreWhatOnlyTunesAndRefuseClusters) {
  CUdeviceptr out = device_memory(8);
  void* parameters[] = {&out};
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[0].value.priority = -1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  CUlaunchConfig config{2, 1, 1, 64, 1, 1, 0, nullptr, attributes, 2};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel("block"), parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(values(out, 2), (std::vector<std::uint32_t>{64, 64}));
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {2, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel("block"), parameters, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  attributes[1].id = driver_test::no_enumerator<CUlaunchAttributeID>(99);
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel("block"), parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernelEx(nullptr, kernel("block"), parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, CooperativeOnesHaveALimit) {
  CUdeviceptr out = device_memory(16);
  void* parameters[] = {&out};
  EXPECT_EQ(cuLaunchCooperativeKernel(kernel("block"), 4, 1, 1, 32, 1, 1, 0, nullptr, parameters), CUDA_SUCCESS);
  EXPECT_EQ(values(out, 4), (std::vector<std::uint32_t>{32, 32, 32, 32}));
  EXPECT_EQ(cuLaunchCooperativeKernel(kernel("block"), 1u << 30, 1, 1, 32, 1, 1, 0, nullptr, parameters),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(Launches, OccupancyOfTheClaimedMultiprocessor) {
  int blocks = 0;
  const CUfunction add = kernel("add");  // few registers, no shared memory
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 8);  // 2048 threads
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 0), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 32);  // blocks a multiprocessor
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 40000), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 4);  // 164 KiB of shared memory, 1 KiB of each block's taken by the system
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 2048, 0), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 0);
  int grid = 0;
  int block = 0;
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel("block"), nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(block, 256);
  EXPECT_EQ(grid % 8, 0);
  std::size_t bytes = 0;
  EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 8, 256), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 164u * 1024 / 8 - 1024);
}

}  // namespace
