// SPDX-License-Identifier: Apache-2.0
// Devices, their attributes, errors' names, and what happens before cuInit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "driver_fixture.hpp"

namespace {

int attribute(CUdevice_attribute which) {
  int value = -1000;
  EXPECT_EQ(cuDeviceGetAttribute(&value, which, 0), CUDA_SUCCESS) << which;
  return value;
}

class Device : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cuInit(0), CUDA_SUCCESS); }
};

TEST(BeforeInit, OnlyQuestionsAboutTheDriverItselfAreAnswered) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        int number = 0;
        CUcontext context = nullptr;
        const bool right = cuDeviceGetCount(&number) == CUDA_ERROR_NOT_INITIALIZED &&
                           cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED &&
                           cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED &&
                           cuDriverGetVersion(&number) == CUDA_SUCCESS && number == 13000;
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// Options are read once: each of these needs a process of its own.
TEST(Options, LetAnOldDriverBePlayed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("CUDA_BINDINGS_EMULATOR_DRIVER_VERSION", "12.4", 1);
        int version = 0;
        void* newer = nullptr;
        void* known = nullptr;
        CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        const bool right = cuDriverGetVersion(&version) == CUDA_SUCCESS && version == 12040 &&
                           cuGetProcAddress_v2("cuLogsCurrent", &newer, 13000, 0, &status) == CUDA_SUCCESS &&
                           newer == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND &&
                           cuGetProcAddress_v2("cuCtxCreate", &known, 13000, 0, nullptr) == CUDA_SUCCESS &&
                           known == reinterpret_cast<void*>(cuCtxCreate_v3) && cuInit(0) == CUDA_SUCCESS &&
                           cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS &&
                           cuModuleLoadData(&module, ".version 8.5\n.target sm_80\n.address_size 64\n") ==
                               CUDA_ERROR_UNSUPPORTED_PTX_VERSION &&
                           cuModuleLoadData(&module, ".version 8.4\n.target sm_80\n.address_size 64\n") == CUDA_SUCCESS;
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Options, SetCapabilityAndMemory) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("CUDA_BINDINGS_EMULATOR_CC", "9.0", 1);
        setenv("CUDA_BINDINGS_EMULATOR_MEMORY", "64M", 1);
        std::size_t bytes = 0;
        const bool right = cuInit(0) == CUDA_SUCCESS && attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == 9 &&
                           attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == 227 * 1024 &&
                           cuDeviceTotalMem_v2(&bytes, 0) == CUDA_SUCCESS && bytes == 64u << 20;
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(Device, ThereIsOne) {
  int count = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  CUdevice device = -1;
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Device, NameSaysThatItIsEmulated) {
  char name[128];
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Emulated CUDA device (CPU, cuda_bindings)");
  char cut[9];
  EXPECT_EQ(cuDeviceGetName(cut, sizeof cut, 0), CUDA_SUCCESS);
  EXPECT_STREQ(cut, "Emulated");
}

TEST_F(Device, BusIdLeadsBackToTheDevice) {
  char id[32];
  EXPECT_EQ(cuDeviceGetPCIBusId(id, sizeof id, 0), CUDA_SUCCESS);
  EXPECT_STREQ(id, "0000:00:00.0");
  CUdevice device = -1;
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, id), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "0000:01:00.0"), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, AnswersEveryAttributeOfTheHeaderAndNoneBeyond) {
  for (int which = 1; which < CU_DEVICE_ATTRIBUTE_MAX; ++which) attribute(static_cast<CUdevice_attribute>(which));
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, ClaimsCapabilityEightZeroWithItsLimits) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 8);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 166912);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH), 0);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED), 0);
}

TEST_F(Device, HasAFixedUuid) {
  CUuuid first;
  CUuuid second;
  EXPECT_EQ(cuDeviceGetUuid_v2(&first, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetUuid(&second, 0), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(first.bytes, "cuda_bindings-em", 16), 0);
  EXPECT_EQ(std::memcmp(first.bytes, second.bytes, 16), 0);
}

TEST_F(Device, DoesNotReachItselfAsAPeer) {
  int can = -1;
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST(Errors, HaveTheirNamesAndOurDescriptions) {
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "invalid argument");
  EXPECT_EQ(cuGetErrorName(driver_test::no_enumerator<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(cuGetErrorString(driver_test::no_enumerator<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetErrorString(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(Errors, DescriptionsAreAllDifferent) {
  std::set<std::string> seen;
  int codes = 0;
  for (int code = 0; code < 1000; ++code) {
    const char* text = nullptr;
    if (cuGetErrorString(static_cast<CUresult>(code), &text) != CUDA_SUCCESS) continue;
    ++codes;
    seen.insert(text);
  }
  EXPECT_EQ(codes, 101);
  EXPECT_EQ(seen.size(), 101u);
}

}  // namespace
