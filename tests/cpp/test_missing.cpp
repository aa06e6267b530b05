// SPDX-License-Identifier: Apache-2.0
// Libraries and functions that are not there: each library's own code, zeros, and a text that says why.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cuda_bindings/cuda_bindings.hpp"

namespace cu = cuda_bindings;

namespace {

// libcuda is the fake one, as of CUDA 12.0; the others are nowhere. Before any test: libraries are chosen once.
[[maybe_unused]] const bool prepared = [] {
  setenv("CUDA_BINDINGS_LIBCUDA", FAKE_LIBCUDA, 1);
  setenv("FAKE_VERSION", "12000", 1);
  setenv("CUDA_BINDINGS_LIBCUDART", "/nowhere/libcudart.so.13", 1);
  setenv("CUDA_BINDINGS_LIBNVRTC", "/nowhere/libnvrtc.so.13", 1);
  unsetenv("CUDA_BINDINGS_DEVICE");
  return true;
}();

TEST(Missing, LibraryAnswersItsOwnCodeAndZeros) {
  const auto [status, stream] = cu::cudaStreamCreate();
  EXPECT_EQ(status, cu::cudaErrorCallRequiresNewerDriver);
  EXPECT_EQ(stream, nullptr);
  const auto [other, major, minor] = cu::nvrtcVersion();
  EXPECT_EQ(other, cu::NVRTC_ERROR_INTERNAL_ERROR);
  EXPECT_EQ(major, 0);
  EXPECT_EQ(minor, 0);
}

TEST(Missing, FunctionsWithoutAStatusSaySoToo) {
  const auto [status, text] = cu::cudaGetErrorString(cu::cudaErrorInvalidValue);
  EXPECT_EQ(status, cu::cudaErrorCallRequiresNewerDriver);
  EXPECT_EQ(text, nullptr);
  const auto [other, description] = cu::cudaCreateChannelDesc(8, 0, 0, 0, cu::cudaChannelFormatKindSigned);
  EXPECT_EQ(other, cu::cudaErrorCallRequiresNewerDriver);
  EXPECT_EQ(description.x, 0);
}

TEST(Missing, FunctionAnswersNotFoundAndOthersGoOn) {
  // cuCtxGetDevice_v2 and its like are in the fake library; a prototype that changed after 12.0 is not called.
  const cu::CUgraphNode none;
  EXPECT_EQ(std::get<0>(cu::cuGraphNodeGetType(none)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cudaGraphAddDependencies(nullptr, {}, {}, {})), cu::cudaErrorCallRequiresNewerDriver);
}

TEST(Missing, ReasonNamesThePlacesTried) {
  cu::cudaDeviceSynchronize();
  const std::string why = cu::why_missing("cudaDeviceSynchronize");
  EXPECT_EQ(why, "libcudart was not found; tried\n  /nowhere/libcudart.so.13 (CUDA_BINDINGS_LIBCUDART): no such file");
}

TEST(Missing, WhatIsThereHasNoReason) {
  EXPECT_EQ(std::get<0>(cu::cuInit(0)), cu::CUDA_SUCCESS);
  EXPECT_EQ(cu::why_missing("cuInit"), "");
  EXPECT_TRUE(cu::slot_found(cu::SLOT_cuInit));
}

TEST(Missing, StatusWithoutALibraryHasNoName) {
  EXPECT_EQ(cu::status_name(cu::cudaErrorInvalidValue), nullptr);
  EXPECT_THROW(cu::check(cu::cudaDeviceSynchronize()), cu::Error);
}

}  // namespace
