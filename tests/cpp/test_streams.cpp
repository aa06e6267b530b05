// SPDX-License-Identifier: Apache-2.0
// CUDA_API_PER_THREAD_DEFAULT_STREAM: each unit of a program means its own default stream, and every variant has its name.
#include <gtest/gtest.h>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"
#include "per_thread_unit.hpp"

namespace cu = cuda_bindings;
using tests::FakeLibraries;

namespace {

TEST(DefaultStream, IsTheLegacyOneWithoutTheMacro) {
  const FakeLibraries fake;
  EXPECT_EQ(std::get<0>(cu::cuStreamSynchronize(nullptr)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemsetD8(cu::CUdeviceptr(1), 0, 1)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cudaStreamQuery(nullptr)), cu::cudaSuccess);
  EXPECT_EQ(fake.calls().at(0).name, "cuStreamSynchronize");
  EXPECT_EQ(fake.calls().at(1).name, "cuMemsetD8_v2");
  EXPECT_EQ(fake.calls().at(2).name, "cudaStreamQuery");
}

TEST(DefaultStream, IsTheThreadsOwnInAUnitWithTheMacro) {
  const FakeLibraries fake;
  tests::call_with_per_thread_default_stream();
  EXPECT_EQ(fake.calls().at(0).name, "cuStreamSynchronize_ptsz");
  EXPECT_EQ(fake.calls().at(1).name, "cuMemsetD8_v2_ptds");
  EXPECT_EQ(fake.calls().at(2).name, "cudaStreamQuery_ptsz");
  EXPECT_EQ(fake.calls().at(3).name, "cuCtxSynchronize");
}

TEST(DefaultStream, IsAFlagOfCuGetProcAddressWhereNoneIsGiven) {
  const FakeLibraries fake;
  EXPECT_EQ(std::get<0>(cu::cuGetProcAddress("cuInit", 13000, 0)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuGetProcAddress_v2_ptsz("cuInit", 13000, 0)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuGetProcAddress_v2_ptsz("cuInit", 13000, 1)), cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).words.at(3), 0U);
  EXPECT_EQ(fake.calls().at(1).words.at(3), 2U);
  EXPECT_EQ(fake.calls().at(2).words.at(3), 1U);
}

TEST(DefaultStream, VariantsCanBeCalledByName) {
  const FakeLibraries fake;
  EXPECT_EQ(std::get<0>(cu::cuStreamSynchronize_ptsz(nullptr)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemsetD8_v2(cu::CUdeviceptr(1), 0, 1)), cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuStreamSynchronize_ptsz");
  EXPECT_EQ(fake.calls().at(1).name, "cuMemsetD8_v2");
}

}  // namespace
