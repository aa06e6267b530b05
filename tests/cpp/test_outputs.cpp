// SPDX-License-Identifier: Apache-2.0
// What functions put out: values of every kind, arrays of the library's own, records, and what a failed call leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"

namespace cu = cuda_bindings;
using testing::ElementsAre;
using tests::at;
using tests::FakeLibraries;
using tests::handle;
using tests::word;

namespace {

TEST(Outputs, HandleComesBehindTheStatus) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<std::uint64_t>(words[0]) = 0x7f00;
    return 0;
  });
  const auto [status, memory] = cu::cuMemAlloc(4096);
  static_assert(std::is_same_v<decltype(memory), const cu::CUdeviceptr>);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(memory.raw(), 0x7f00U);
  EXPECT_EQ(fake.calls().at(0).name, "cuMemAlloc_v2");
  EXPECT_EQ(fake.calls().at(0).words.at(1), 4096U);
}

TEST(Outputs, AreZeroWhereTheCallFailedWithoutWriting) {
  const FakeLibraries fake([](const std::uint64_t*) { return 2; });
  const auto [status, memory] = cu::cuMemAlloc(4096);
  EXPECT_EQ(status, cu::CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(memory, cu::CUdeviceptr{});
  const auto [other, stream] = cu::cudaStreamCreate();
  EXPECT_EQ(other, cu::cudaErrorMemoryAllocation);
  EXPECT_EQ(stream, nullptr);
}

TEST(Outputs, SeveralComeInCsOrder) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<std::size_t>(words[0]) = 10;
    *at<std::size_t>(words[1]) = 20;
    return 0;
  });
  const auto [status, free, total] = cu::cudaMemGetInfo();
  EXPECT_EQ(status, cu::cudaSuccess);
  EXPECT_EQ(free, 10U);
  EXPECT_EQ(total, 20U);
}

TEST(Outputs, MayStandBehindInputs) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<std::uint64_t>(words[0]) = 0x5000;
    *at<std::size_t>(words[1]) = 512;
    return 0;
  });
  const auto [status, memory, pitch] = cu::cuMemAllocPitch(100, 7, 16);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(memory, cu::CUdeviceptr(0x5000));
  EXPECT_EQ(pitch, 512U);
  EXPECT_EQ(fake.calls().at(0).words.at(2), 100U);
  EXPECT_EQ(fake.calls().at(0).words.at(4), 16U);
}

TEST(Outputs, NumbersFloatsAndEnumeratorsKeepTheirTypes) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<int>(words[0]) = -3;
    return 0;
  });
  const auto [status, value] = cu::cuDeviceGetAttribute(cu::CU_DEVICE_ATTRIBUTE_WARP_SIZE, cu::CUdevice(0));
  static_assert(std::is_same_v<decltype(value), const int>);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(value, -3);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(testing::_, 10, 0));
  static_assert(std::is_same_v<decltype(cu::cuEventElapsedTime(nullptr, nullptr)), std::tuple<cu::CUresult, float>>);
  static_assert(std::is_same_v<decltype(cu::cuCtxGetCacheConfig()), std::tuple<cu::CUresult, cu::CUfunc_cache>>);
}

TEST(Outputs, RecordComesByValue) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    auto* const description = at<cu::CUDA_ARRAY_DESCRIPTOR>(words[0]);
    description->Width = 640;
    description->NumChannels = 4;
    return 0;
  });
  const auto [status, description] = cu::cuArrayGetDescriptor(handle<cu::CUarray>(0x70));
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(description.Width, 640U);
  EXPECT_EQ(description.Height, 0U);
  EXPECT_EQ(description.NumChannels, 4U);
}

TEST(Outputs, TextIsTheLibrarys) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<const char*>(words[1]) = "CUDA_ERROR_INVALID_VALUE";
    return 0;
  });
  const auto [status, name] = cu::cuGetErrorName(cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_INVALID_VALUE");
}

TEST(Outputs, FunctionsWithoutAStatusAnswerSuccess) {
  const FakeLibraries fake([](const std::uint64_t*) { return 0; });
  const auto [status, text] = cu::cudaGetErrorString(cu::cudaErrorInvalidValue);
  EXPECT_EQ(status, cu::cudaSuccess);
  EXPECT_STREQ(text, "fake");
}

TEST(Outputs, RecordThatCReturnsComesBehindSuccess) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    at<cu::cudaChannelFormatDesc>(words[5])->x = static_cast<int>(words[0]);
    return 0;
  });
  const auto [status, description] = cu::cudaCreateChannelDesc(32, 0, 0, 0, cu::cudaChannelFormatKindFloat);
  EXPECT_EQ(status, cu::cudaSuccess);
  EXPECT_EQ(description.x, 32);
}

TEST(Outputs, BytesOfKnownNumberComeAsAnArray) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    std::memcpy(at<char>(words[0]), "ABCDEFGH", 8);
    *at<unsigned>(words[1]) = 1;
    return 0;
  });
  const auto [status, luid, mask] = cu::cuDeviceGetLuid(cu::CUdevice(0));
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(luid, (std::array<char, 8>{'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'}));
  EXPECT_EQ(mask, 1U);
}

TEST(Outputs, ArraysOfTheLibrarysOwnComeAsSpans) {
  static const std::array<std::uint64_t, 2> nodes{0x11, 0x22};
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<int>(words[1]) = 1;
    *at<std::uint64_t>(words[2]) = 77;
    *at<const void*>(words[4]) = nodes.data();
    *at<std::size_t>(words[6]) = nodes.size();
    return 0;
  });
  const auto [status, capture, id, graph, dependencies, edges] = cu::cuStreamGetCaptureInfo(nullptr);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(capture, cu::CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(id, 77U);
  EXPECT_EQ(graph, nullptr);
  EXPECT_THAT(dependencies, ElementsAre(handle<cu::CUgraphNode>(0x11), handle<cu::CUgraphNode>(0x22)));
  EXPECT_TRUE(edges.empty());
}

TEST(Outputs, ValuesThatGoInAndComeOutDoBoth) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(*at<int>(words[0]), 2);  // CU_STREAM_CAPTURE_MODE_RELAXED
    *at<int>(words[0]) = 1;
    return 0;
  });
  const auto [status, before] = cu::cuThreadExchangeStreamCaptureMode(cu::CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(before, cu::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

TEST(Outputs, AttributeValuesGoWhereTheCallerSays) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<std::uint64_t>(words[2]) = 4096;
    return 0;
  });
  std::uint64_t threshold = 0;
  const auto [status] =
      cu::cuMemPoolGetAttribute(handle<cu::CUmemoryPool>(1), cu::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(threshold, 4096U);
}

TEST(Outputs, SizeOfACoredumpSettingGoesInAndComesOut) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(*at<std::size_t>(words[2]), 32U);
    std::memcpy(at<char>(words[1]), "core", 5);
    *at<std::size_t>(words[2]) = 5;
    return 0;
  });
  std::array<char, 32> file{};
  const auto [status, size] = cu::cuCoredumpGetAttribute(cu::CU_COREDUMP_FILE, file);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(size, 5U);
  EXPECT_STREQ(file.data(), "core");
}

TEST(Outputs, FunctionsOfTheHeadersThemselvesFillTheirRecord) {
  const cu::cudaExtent extent = cu::make_cudaExtent(1, 2, 3);
  EXPECT_EQ(extent.width, 1U);
  EXPECT_EQ(extent.height, 2U);
  EXPECT_EQ(extent.depth, 3U);
  int there = 0;
  const cu::cudaPitchedPtr pointer = cu::make_cudaPitchedPtr(&there, 4, 5, 6);
  EXPECT_EQ(pointer.ptr, &there);
  EXPECT_EQ(pointer.pitch, 4U);
  EXPECT_EQ(pointer.xsize, 5U);
  EXPECT_EQ(pointer.ysize, 6U);
}

}  // namespace
