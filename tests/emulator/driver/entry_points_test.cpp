// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress gives the form that the requested release means; stubs and the coverage list tell the truth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "driver/entry_table.hpp"
#include "generated/driver_functions.hpp"

extern "C" int cuda_bindings_emulator_coverage(void (*visit)(const char* name, int implemented, void* data),
                                               void* data);

namespace {

struct Found {
  CUresult result;
  void* address;
  CUdriverProcAddressQueryResult status;
};

Found ask(const char* name, int version, cuuint64_t flags = 0) {
  Found found{CUDA_SUCCESS, nullptr, CU_GET_PROC_ADDRESS_SUCCESS};
  found.result = cuGetProcAddress_v2(name, &found.address, version, flags, &found.status);
  return found;
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

TEST(GetProcAddress, GivesTheFormOfTheRequestedRelease) {
  EXPECT_EQ(ask("cuCtxCreate", 3020).address, address(cuCtxCreate_v2));
  EXPECT_EQ(ask("cuCtxCreate", 11040).address, address(cuCtxCreate_v3));
  EXPECT_EQ(ask("cuCtxCreate", 12040).address, address(cuCtxCreate_v3));
  EXPECT_EQ(ask("cuCtxCreate", 12050).address, address(cuCtxCreate_v4));
  EXPECT_EQ(ask("cuCtxCreate", 13000).address, address(cuCtxCreate_v4));
  EXPECT_EQ(ask("cuMemAlloc", 13000).address, address(cuMemAlloc_v2));
  EXPECT_EQ(ask("cuEventElapsedTime", 12000).address, address(cuEventElapsedTime));
  EXPECT_EQ(ask("cuEventElapsedTime", 12080).address, address(cuEventElapsedTime_v2));
  EXPECT_EQ(ask("cuMemAdvise", 12010).address, address(cuMemAdvise));
  EXPECT_EQ(ask("cuMemAdvise", 12020).address, address(cuMemAdvise_v2));
}

// A client of CUDA 12 means the form with one argument.
TEST(GetProcAddress, KeepsFormsApartThatHaveTheSameBaseName) {
  EXPECT_EQ(ask("cuCtxGetDevice", 12080).address, address(cuCtxGetDevice));
  EXPECT_EQ(ask("cuCtxGetDevice", 13000).address, address(cuCtxGetDevice_v2));
  EXPECT_EQ(ask("cuCtxGetDevice_v2", 13000).address, address(cuCtxGetDevice_v2));
}

TEST(GetProcAddress, HonoursTheDefaultStreamFlag) {
  EXPECT_EQ(ask("cuMemcpyHtoD", 13000).address, address(cuMemcpyHtoD_v2));
  EXPECT_EQ(ask("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM).address, address(cuMemcpyHtoD_v2));
  EXPECT_EQ(ask("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM).address,
            address(cuMemcpyHtoD_v2_ptds));
  EXPECT_EQ(ask("cuLaunchKernel", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM).address,
            address(cuLaunchKernel_ptsz));
  // A function without a stream has one form for both.
  EXPECT_EQ(ask("cuMemAlloc", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM).address, address(cuMemAlloc_v2));
}

TEST(GetProcAddress, TellsUnknownNamesFromReleasesThatAreTooOld) {
  const Found unknown = ask("cuNoSuchFunction", 13000);
  EXPECT_EQ(unknown.result, CUDA_SUCCESS);
  EXPECT_EQ(unknown.address, nullptr);
  EXPECT_EQ(unknown.status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  const Found too_old = ask("cuMemAllocAsync", 11010);
  EXPECT_EQ(too_old.address, nullptr);
  EXPECT_EQ(too_old.status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  void* place = &place;
  EXPECT_EQ(cuGetProcAddress("cuNoSuchFunction", &place, 13000, 0), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(place, nullptr);
}

TEST(GetProcAddress, RefusesWhatIsNoRequest) {
  EXPECT_EQ(ask(nullptr, 13000).result, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ask("cuInit", 13000, 8).result, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", nullptr, 13000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(GetExportTable, HasNone) {
  const CUuuid id{{1, 2, 3}};
  const void* table = &id;
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
}

TEST(Stubs, SayThatTheyAreNotSupported) {
  std::size_t stubs = 0;
  for (const emulator::EntryPoint& row : emulator::entry_points()) {
    if (row.implemented) continue;
    ++stubs;
    // A stub looks at no parameter.
    EXPECT_EQ(reinterpret_cast<CUresult (*)()>(row.address)(), CUDA_ERROR_NOT_SUPPORTED) << row.link;
  }
  EXPECT_GT(stubs, 300u);
}

std::map<std::string, bool> coverage() {
  std::map<std::string, bool> found;
  cuda_bindings_emulator_coverage(
      [](const char* name, int implemented, void* data) {
        (*static_cast<std::map<std::string, bool>*>(data))[name] = implemented != 0;
      },
      &found);
  return found;
}

TEST(Coverage, IsWhatTheListOfImplementedFunctionsSays) {
  std::ifstream list(EMULATOR_SOURCE "/driver/implemented.txt");
  ASSERT_TRUE(list.good());
  std::size_t listed = 0;
  const std::map<std::string, bool> covered = coverage();
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string name = line.substr(0, line.find(' '));
    ++listed;
    ASSERT_EQ(covered.count(name), 1u) << name;
    EXPECT_TRUE(covered.at(name)) << name;
  }
  std::size_t implemented = 0;
  for (const auto& [name, is] : covered) implemented += is ? 1 : 0;
  EXPECT_EQ(implemented, listed);
  EXPECT_GT(covered.size(), 550u);
  EXPECT_FALSE(covered.at("cuGraphCreate"));
}

}  // namespace
