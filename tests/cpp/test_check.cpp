// SPDX-License-Identifier: Apache-2.0
// check(): the values alone where the call succeeded, an exception that names the status where it failed.
#include <gtest/gtest.h>

#include <string>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"

namespace cu = cuda_bindings;
using tests::at;
using tests::FakeLibraries;

static_assert(std::is_void_v<decltype(cu::check(cu::cuInit(0)))>);
static_assert(std::is_same_v<decltype(cu::check(cu::cuStreamCreate(0))), cu::CUstream>);
static_assert(std::is_same_v<decltype(cu::check(cu::cuMemGetInfo())), std::tuple<std::size_t, std::size_t>>);

namespace {

TEST(Check, HandsBackTheValuesAlone) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<std::uint64_t>(words[0]) = 0x5000;
    return 0;
  });
  EXPECT_EQ(cu::check(cu::cuMemAlloc(16)), cu::CUdeviceptr(0x5000));
}

TEST(Check, ThrowsTheStatusWithItsNameAndPlace) {
  const FakeLibraries fake([asked = false](const std::uint64_t* words) mutable -> std::int64_t {
    if (asked) *at<const char*>(words[1]) = "CUDA_ERROR_OUT_OF_MEMORY";
    return asked ? 0 : ((asked = true), 2);
  });
  try {
    cu::check(cu::cuMemAlloc(16));
    FAIL() << "nothing was thrown";
  } catch (const cu::Error& error) {
    EXPECT_EQ(error.code(), 2);
    EXPECT_EQ(std::string(error.what()).rfind("CUDA_ERROR_OUT_OF_MEMORY (2) at ", 0), 0U) << error.what();
    EXPECT_NE(std::string(error.what()).find("test_check.cpp:"), std::string::npos) << error.what();
  }
}

TEST(Check, SaysTheNumberOfAStatusWithoutAName) {
  const FakeLibraries fake([](const std::uint64_t*) { return 4711; });
  try {
    cu::check(cu::cuCtxSynchronize());
    FAIL() << "nothing was thrown";
  } catch (const cu::Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("status (4711) at ", 0), 0U) << error.what();
  }
}

}  // namespace
