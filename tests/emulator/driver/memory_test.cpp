// SPDX-License-Identifier: Apache-2.0
// Memory: allocating, freeing, pools, host memory, what pointers answer; wrong uses give codes.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "driver_fixture.hpp"

namespace {

class Memory : public driver_test::WithContext {};

template <class T>
T pointer_attribute(CUpointer_attribute which, CUdeviceptr pointer) {
  T value{};
  EXPECT_EQ(cuPointerGetAttribute(&value, which, pointer), CUDA_SUCCESS) << which;
  return value;
}

TEST_F(Memory, IsCountedAndGivenBack) {
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  const CUdeviceptr data = device_memory(1 << 20);
  EXPECT_EQ(data % 256, 0u);
  std::size_t less = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&less, &total), CUDA_SUCCESS);
  EXPECT_LE(less + (1 << 20), free);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetInfo_v2(&less, &total), CUDA_SUCCESS);
  EXPECT_EQ(less, free);
}

TEST_F(Memory, RefusesNothingAndTooMuch) {
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAlloc_v2(&data, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(&data, std::size_t{1} << 60), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(Memory, IsFreedOnceAndAtItsBeginning) {
  const CUdeviceptr data = device_memory(64);
  EXPECT_EQ(cuMemFree_v2(data + 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, RangeOfAnAddressInside) {
  const CUdeviceptr data = device_memory(1000);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &size, data + 999), CUDA_SUCCESS);
  EXPECT_EQ(base, data);
  EXPECT_EQ(size, 1000u);
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &size, 64), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Memory, PitchFitsTheRow) {
  CUdeviceptr data = 0;
  std::size_t pitch = 0;
  EXPECT_EQ(cuMemAllocPitch_v2(&data, &pitch, 100, 4, 4), CUDA_SUCCESS);
  EXPECT_EQ(pitch, 512u);
  EXPECT_EQ(data % 512, 0u);
  EXPECT_EQ(cuMemAllocPitch_v2(&data, &pitch, 100, 4, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, PointersOfTheDeviceAnswer) {
  const CUdeviceptr data = device_memory(4096);
  EXPECT_EQ(pointer_attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, data), context_);
  EXPECT_EQ(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data + 8), CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, data + 8), data + 8);
  EXPECT_EQ(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, data + 8), data);
  EXPECT_EQ(pointer_attribute<std::size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, data + 8), 4096u);
  EXPECT_EQ(pointer_attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, data), 0);
  EXPECT_FALSE(pointer_attribute<bool>(CU_POINTER_ATTRIBUTE_IS_MANAGED, data));
  EXPECT_TRUE(pointer_attribute<bool>(CU_POINTER_ATTRIBUTE_MAPPED, data));
  void* host = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, data), CUDA_ERROR_INVALID_VALUE);
  const auto id = pointer_attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, data);
  EXPECT_NE(id, pointer_attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, device_memory(16)));
}

TEST_F(Memory, UnknownPointersAnswerToTheListOnly) {
  int local = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(&local);
  unsigned type = 7;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CUDA_ERROR_INVALID_VALUE);
  int ordinal = 7;
  CUcontext context = context_;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_CONTEXT};
  void* places[] = {&type, &ordinal, &context};
  EXPECT_EQ(cuPointerGetAttributes(3, which, places, address), CUDA_SUCCESS);
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, -2);
  EXPECT_EQ(context, nullptr);
}

TEST_F(Memory, EveryPointerAttributeOfTheHeaderIsAnswered) {
  const CUdeviceptr data = device_memory(16);
  for (int which = CU_POINTER_ATTRIBUTE_CONTEXT; which <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE; ++which) {
    std::uint64_t value[2] = {};
    void* place = value;
    auto attribute = static_cast<CUpointer_attribute>(which);
    EXPECT_EQ(cuPointerGetAttributes(1, &attribute, &place, data), CUDA_SUCCESS) << which;
  }
  std::uint64_t value = 0;
  EXPECT_EQ(cuPointerGetAttribute(&value, driver_test::no_enumerator<CUpointer_attribute>(99), data),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, PageLockedMemoryHasOneAddressForAll) {
  void* host = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&host, 4096, 1), CUDA_SUCCESS);
  CUdeviceptr device = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, host, 0), CUDA_SUCCESS);
  EXPECT_EQ(device, reinterpret_cast<CUdeviceptr>(host));
  unsigned flags = 0;
  EXPECT_EQ(cuMemHostGetFlags(&flags, host), CUDA_SUCCESS);
  EXPECT_EQ(flags, 3u);  // portable, and mapped as all are
  EXPECT_EQ(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device), CU_MEMORYTYPE_HOST);
  EXPECT_EQ(cuMemFree_v2(device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, RegisteredMemoryIsReachedByKernels) {
  std::vector<std::uint32_t> buffer(1024, 40);
  EXPECT_EQ(cuMemHostRegister_v2(buffer.data(), 4096, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister_v2(buffer.data(), 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  auto data = reinterpret_cast<CUdeviceptr>(buffer.data());
  std::uint32_t value = 2;
  std::uint32_t count = 1024;
  EXPECT_EQ(launch(kernel("add"), 4, 256, {&data, &value, &count}), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(buffer, std::vector<std::uint32_t>(1024, 42));
  EXPECT_EQ(cuMemHostUnregister(buffer.data()), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(buffer.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(Memory, ManagedMemoryIsTheProgramsToo) {
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAllocManaged(&data, 4096, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  auto* const values = reinterpret_cast<std::uint32_t*>(data);
  values[0] = 1;
  std::uint32_t value = 5;
  std::uint32_t count = 1;
  EXPECT_EQ(launch(kernel("add"), 1, 32, {&data, &value, &count}), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(values[0], 6u);
  EXPECT_TRUE(pointer_attribute<bool>(CU_POINTER_ATTRIBUTE_IS_MANAGED, data));
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}

TEST_F(Memory, AdviceOnManagedMemoryIsRemembered) {
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAllocManaged(&data, 65536, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  EXPECT_EQ(cuMemAdvise_v2(data, 65536, CU_MEM_ADVISE_SET_READ_MOSTLY, device), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAdvise_v2(data, 65536, CU_MEM_ADVISE_SET_ACCESSED_BY, device), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPrefetchAsync_v2(data, 65536, device, 0, nullptr), CUDA_SUCCESS);
  int number = -7;
  EXPECT_EQ(cuMemRangeGetAttribute(&number, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, data, 65536), CUDA_SUCCESS);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(cuMemRangeGetAttribute(&number, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, data, 64), CUDA_SUCCESS);
  EXPECT_EQ(number, -2);
  EXPECT_EQ(cuMemRangeGetAttribute(&number, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, data, 64), CUDA_SUCCESS);
  EXPECT_EQ(number, 0);
  int list[2] = {9, 9};
  EXPECT_EQ(cuMemRangeGetAttribute(list, 8, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, data, 64), CUDA_SUCCESS);
  EXPECT_EQ(list[0], 0);
  EXPECT_EQ(list[1], -2);
  EXPECT_EQ(cuMemAdvise_v2(device_memory(16), 16, CU_MEM_ADVISE_SET_READ_MOSTLY, device), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, PoolsCountWhatIsInUse) {
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  const auto used = [&](CUmemoryPool of) {
    cuuint64_t bytes = 0;
    EXPECT_EQ(cuMemPoolGetAttribute(of, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes), CUDA_SUCCESS);
    return bytes;
  };
  cuuint64_t high = 0;
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAllocAsync(&data, 1000, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(used(pool), 1000u);
  EXPECT_EQ(pointer_attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, data), pool);
  EXPECT_EQ(cuMemFreeAsync(data, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(used(pool), 0u);
  EXPECT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high), CUDA_SUCCESS);
  EXPECT_EQ(high, 1000u);
}

TEST_F(Memory, PoolsCountWhatAContextTakesWithIt) {
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  CUcontext other = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  EXPECT_EQ(cuMemAllocAsync(&data, 1000, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  cuuint64_t bytes = 0;
  EXPECT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 0u);
}

TEST_F(Memory, OwnPoolsHaveAMaximumAndAnEnd) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.maxSize = 4096;
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&first, 4096, pool, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&second, 1, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&second, 1, pool, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(second, nullptr), CUDA_SUCCESS);
}

}  // namespace
