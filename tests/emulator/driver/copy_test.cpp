// SPDX-License-Identifier: Apache-2.0
// Copies and fills: one, two and three dimensions, what is out of bounds, what waits for what.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "driver_fixture.hpp"

namespace {

class Copies : public driver_test::WithContext {};

std::vector<std::uint8_t> counted(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

TEST_F(Copies, GoThereAndBack) {
  const std::vector<std::uint8_t> source = counted(200);
  std::vector<std::uint8_t> back(200);
  const CUdeviceptr first = device_memory(200);
  const CUdeviceptr second = device_memory(200);
  EXPECT_EQ(cuMemcpyHtoD_v2(first, source.data(), 200), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoD_v2(second, first, 200), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(back.data(), second, 200), CUDA_SUCCESS);
  EXPECT_EQ(back, source);
  std::vector<std::uint8_t> unified(200);
  EXPECT_EQ(cuMemcpy(reinterpret_cast<CUdeviceptr>(unified.data()), second, 200), CUDA_SUCCESS);
  EXPECT_EQ(unified, source);
}

TEST_F(Copies, BeyondAnAllocationAreRefusedToTheByte) {
  std::uint8_t bytes[17] = {};
  const CUdeviceptr data = device_memory(16);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, bytes, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, bytes, 17), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(bytes, data + 1, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(bytes, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(bytes, reinterpret_cast<CUdeviceptr>(bytes), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, bytes, 0), CUDA_SUCCESS);
}

TEST_F(Copies, FromPageableMemoryTakeTheBytesAlong) {
  driver_test::HostFlag flag;
  const CUdeviceptr data = device_memory(4);
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUdeviceptr address = flag.address();
  EXPECT_EQ(launch(kernel("wait"), 1, 1, {&address}, stream), CUDA_SUCCESS);
  std::uint32_t value = 11;
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(data, &value, 4, stream), CUDA_SUCCESS);
  value = 99;  // the program's again as soon as the call has returned
  flag.raise();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{11});
}

TEST_F(Copies, OfPageableMemoryToTheHostAreDoneOnReturn) {
  const CUdeviceptr data = device_memory(4);
  EXPECT_EQ(cuMemsetD32Async(data, 21, 1, nullptr), CUDA_SUCCESS);
  std::uint32_t value = 0;
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(&value, data, 4, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(value, 21u);
}

TEST_F(Copies, RowsFromAPitchToAnother) {
  const std::vector<std::uint8_t> source = counted(60);  // 6 rows of 10
  std::vector<std::uint8_t> back(12, 0xff);
  CUdeviceptr data = 0;
  std::size_t pitch = 0;
  EXPECT_EQ(cuMemAllocPitch_v2(&data, &pitch, 10, 6, 4), CUDA_SUCCESS);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source.data();
  copy.srcPitch = 10;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = data;
  copy.dstPitch = pitch;
  copy.WidthInBytes = 10;
  copy.Height = 6;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  CUDA_MEMCPY2D part{};  // columns 2 and 3 of rows 1 to 3, into columns 1 and 2 of rows of 4 bytes
  part.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  part.srcDevice = data;
  part.srcPitch = pitch;
  part.srcXInBytes = 2;
  part.srcY = 1;
  part.dstMemoryType = CU_MEMORYTYPE_HOST;
  part.dstHost = back.data();
  part.dstPitch = 4;
  part.dstXInBytes = 1;
  part.WidthInBytes = 2;
  part.Height = 3;
  EXPECT_EQ(cuMemcpy2DUnaligned_v2(&part), CUDA_SUCCESS);
  const std::vector<std::uint8_t> expected = {0xff, 12, 13, 0xff, 0xff, 22, 23, 0xff, 0xff, 32, 33, 0xff};
  EXPECT_EQ(back, expected);
}

TEST_F(Copies, RowsThatDoNotFitAreRefused) {
  std::uint8_t bytes[64] = {};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = bytes;
  copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device_memory(63);
  copy.dstPitch = 8;
  copy.WidthInBytes = 8;
  copy.Height = 8;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);  // one byte too many
  copy.Height = 7;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  copy.srcPitch = 7;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.srcPitch = 8;
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_NOT_SUPPORTED);
  copy.srcMemoryType = driver_test::no_enumerator<CUmemorytype>(9);
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copies, SlicesOfAVolume) {
  const std::vector<std::uint8_t> source = counted(2 * 3 * 4);  // 2 slices of 3 rows of 4
  std::vector<std::uint8_t> back(2 * 2 * 2);
  const CUdeviceptr data = device_memory(24);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, source.data(), 24), CUDA_SUCCESS);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = data;
  copy.srcPitch = 4;
  copy.srcHeight = 3;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.dstPitch = 2;
  copy.dstHeight = 2;
  copy.WidthInBytes = 2;
  copy.Height = 2;
  copy.Depth = 2;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_SUCCESS);
  const std::vector<std::uint8_t> expected = {6, 7, 10, 11, 18, 19, 22, 23};
  EXPECT_EQ(back, expected);
  copy.srcZ = 1;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copies, FillsOfEveryWidth) {
  const CUdeviceptr data = device_memory(16);
  EXPECT_EQ(cuMemsetD8_v2(data, 0xab, 16), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{0xabababab});
  EXPECT_EQ(cuMemsetD16_v2(data, 0x1234, 2), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 2), (std::vector<std::uint32_t>{0x12341234, 0xabababab}));
  EXPECT_EQ(cuMemsetD32_v2(data, 7, 4), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 4), (std::vector<std::uint32_t>{7, 7, 7, 7}));
  EXPECT_EQ(cuMemsetD32_v2(data + 2, 7, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32_v2(data, 7, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copies, FillsOfRowsLeaveTheRestAlone) {
  const CUdeviceptr data = device_memory(32);
  EXPECT_EQ(cuMemsetD8_v2(data, 0, 32), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D32_v2(data, 16, 9, 2, 2), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 8), (std::vector<std::uint32_t>{9, 9, 0, 0, 9, 9, 0, 0}));
  EXPECT_EQ(cuMemsetD2D8_v2(data, 16, 1, 17, 2), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
