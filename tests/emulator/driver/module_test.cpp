// SPDX-License-Identifier: Apache-2.0
// Modules, libraries, the linker, logs, and what functions say about themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "driver_fixture.hpp"

namespace {

using driver_test::kernels;
using testing::HasSubstr;

class Modules : public driver_test::WithContext {};

const char bad_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n  nonsense;\n}\n";

TEST_F(Modules, HaveFunctionsByName) {
  const CUfunction add = kernel("add");
  CUfunction again = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&again, module_, "add"), CUDA_SUCCESS);
  EXPECT_EQ(again, add);
  EXPECT_EQ(cuModuleGetFunction(&again, module_, "none"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&again, module_, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&again, nullptr, "add"), CUDA_ERROR_INVALID_HANDLE);
  const char* name = nullptr;
  EXPECT_EQ(cuFuncGetName(&name, add), CUDA_SUCCESS);
  EXPECT_STREQ(name, "add");
  CUmodule module = nullptr;
  EXPECT_EQ(cuFuncGetModule(&module, add), CUDA_SUCCESS);
  EXPECT_EQ(module, module_);
  unsigned count = 0;
  EXPECT_EQ(cuModuleGetFunctionCount(&count, module_), CUDA_SUCCESS);
  EXPECT_EQ(count, 7u);
  CUfunction all[7] = {};
  EXPECT_EQ(cuModuleEnumerateFunctions(all, 7, module_), CUDA_SUCCESS);
  EXPECT_NE(std::find(all, all + 7, add), all + 7);
}

TEST_F(Modules, HaveVariablesWithTheirInitialValues) {
  kernel("add");
  CUdeviceptr address = 0;
  std::size_t size = 0;
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, &size, module_, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(values(address, 1), std::vector<std::uint32_t>{5});
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, &size, module_, "table"), CUDA_SUCCESS);
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(values(address, 2), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, &size, module_, "none"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetGlobal_v2(nullptr, nullptr, module_, "counter"), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, OfTheSameTextHaveVariablesOfTheirOwn) {
  CUmodule first = nullptr;
  CUmodule second = nullptr;
  CUdeviceptr one = 0;
  CUdeviceptr other = 0;
  EXPECT_EQ(cuModuleLoadData(&first, kernels.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadData(&second, kernels.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetGlobal_v2(&one, nullptr, first, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetGlobal_v2(&other, nullptr, second, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(one, 77, 1), CUDA_SUCCESS);
  EXPECT_EQ(values(other, 1), std::vector<std::uint32_t>{5});
}

TEST_F(Modules, GoWithTheirFunctions) {
  const CUfunction add = kernel("add");
  EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module_), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(add, 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Modules, SayWhatIsWrongInTheErrorLog) {
  char log[512];
  std::memset(log, 'x', sizeof log);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), nullptr};
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, bad_ptx, 3, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(module, nullptr);
  EXPECT_THAT(log, HasSubstr("ptxas application ptx input, line 5; error   : "));
  EXPECT_THAT(log, HasSubstr("nonsense"));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values[1]), std::strlen(log) + 1);
}

TEST_F(Modules, CutTheLogToItsBuffer) {
  char log[32];
  std::memset(log, 'x', sizeof log);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER};
  void* values[] = {reinterpret_cast<void*>(std::uintptr_t{20}), log};
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, bad_ptx, 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_STREQ(log, "ptxas application p");
  EXPECT_EQ(log[20], 'x');
}

TEST_F(Modules, TellOfTheirEntriesInTheInformationLog) {
  char log[4096] = "x";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), reinterpret_cast<void*>(std::uintptr_t{1})};
  EXPECT_EQ(cuModuleLoadDataEx(&module_, kernels.c_str(), 3, options, values), CUDA_SUCCESS);
  EXPECT_THAT(log, HasSubstr("ptxas info    : entry add: "));
}

TEST_F(Modules, RefuseOtherImages) {
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module,
                             "\x7f"
                             "ELF\2\1\1"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoadData(&module, ".version 99.0\n.target sm_80\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(nullptr, kernels.c_str()), CUDA_ERROR_INVALID_VALUE);
  CUjit_option unknown[] = {CU_JIT_NUM_OPTIONS};
  void* values[] = {nullptr};
  EXPECT_EQ(cuModuleLoadDataEx(&module, kernels.c_str(), 1, unknown, values), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, ComeFromFiles) {
  const std::string path = testing::TempDir() + "module_test.ptx";
  std::ofstream(path) << kernels;
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoad(&module, (path + ".none").c_str()), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Modules, FunctionsSayWhereTheirParametersLie) {
  const CUfunction mixed = kernel("mixed");
  const std::size_t expected[4][2] = {{0, 1}, {8, 8}, {16, 2}, {24, 8}};
  for (std::size_t index = 0; index < 4; ++index) {
    std::size_t offset = 99;
    std::size_t size = 99;
    EXPECT_EQ(cuFuncGetParamInfo(mixed, index, &offset, &size), CUDA_SUCCESS);
    EXPECT_EQ(offset, expected[index][0]) << index;
    EXPECT_EQ(size, expected[index][1]) << index;
  }
  std::size_t offset = 0;
  EXPECT_EQ(cuFuncGetParamInfo(mixed, 4, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, FunctionsHaveAttributes) {
  const auto attribute = [&](CUfunction function, CUfunction_attribute which) {
    int value = -77;
    EXPECT_EQ(cuFuncGetAttribute(&value, which, function), CUDA_SUCCESS) << which;
    return value;
  };
  EXPECT_EQ(attribute(kernel("add"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(kernel("block"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 256);
  EXPECT_EQ(attribute(kernel("add"), CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  EXPECT_EQ(attribute(kernel("add"), CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 8);
  EXPECT_EQ(attribute(kernel("add"), CU_FUNC_ATTRIBUTE_PTX_VERSION), 80);
  EXPECT_EQ(attribute(kernel("add"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 49152);
  EXPECT_GT(attribute(kernel("add"), CU_FUNC_ATTRIBUTE_NUM_REGS), 0);
  for (int which = 0; which < CU_FUNC_ATTRIBUTE_MAX; ++which) {
    attribute(kernel("add"), static_cast<CUfunction_attribute>(which));
  }
  int value = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, kernel("add")), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(kernel("add"), CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, LibrariesHaveKernelsThatStandForFunctions) {
  CUlibrary library = nullptr;
  EXPECT_EQ(cuLibraryLoadData(&library, kernels.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
  EXPECT_EQ(count, 7u);
  CUkernel add = nullptr;
  EXPECT_EQ(cuLibraryGetKernel(&add, library, "add"), CUDA_SUCCESS);
  CUdeviceptr data = device_memory(4);
  EXPECT_EQ(cuMemsetD32_v2(data, 1, 1), CUDA_SUCCESS);
  std::uint32_t value = 4;
  std::uint32_t one = 1;
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(add), 1, 1, {&data, &value, &one}), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuKernelGetFunction(&function, add), CUDA_SUCCESS);
  EXPECT_EQ(launch(function, 1, 1, {&data, &value, &one}), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{9});
  CUlibrary back = nullptr;
  EXPECT_EQ(cuKernelGetLibrary(&back, add), CUDA_SUCCESS);
  EXPECT_EQ(back, library);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuKernelGetFunction(&function, add), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(add), 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Modules, LibrariesNeedNoContextToLoadAndHaveVariablesInEach) {
  CUcontext mine = nullptr;
  EXPECT_EQ(cuCtxPopCurrent_v2(&mine), CUDA_SUCCESS);
  CUlibrary library = nullptr;
  EXPECT_EQ(cuLibraryLoadData(&library, kernels.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxPushCurrent_v2(mine), CUDA_SUCCESS);
  CUdeviceptr first = 0;
  EXPECT_EQ(cuLibraryGetGlobal(&first, nullptr, library, "counter"), CUDA_SUCCESS);
  CUcontext other = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUdeviceptr second = 0;
  EXPECT_EQ(cuLibraryGetGlobal(&second, nullptr, library, "counter"), CUDA_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(Modules, LinkingGivesAnImageThatLoads) {
  CUlinkState link = nullptr;
  EXPECT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  const std::string callee =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .func (.param .b32 r) twice(.param .b32 x) {\n  .reg .b32 %r<3>;\n"
      "  ld.param.b32 %r1, [x];\n  add.s32 %r2, %r1, %r1;\n  st.param.b32 [r], %r2;\n  ret;\n}\n";
  const std::string caller =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 x);\n"
      ".visible .entry call(.param .u64 out) {\n  .reg .b32 %r<3>;\n  .reg .b64 %rd<2>;\n"
      "  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, 21;\n  {\n  .param .b32 a;\n  .param .b32 b;\n"
      "  st.param.b32 [a], %r1;\n  call.uni (b), twice, (a);\n  ld.param.b32 %r2, [b];\n  }\n"
      "  st.global.u32 [%rd1], %r2;\n  ret;\n}\n";
  for (std::string text : {callee, caller}) {
    EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "part", 0, nullptr, nullptr),
              CUDA_SUCCESS);
  }
  void* image = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(cuLinkComplete(link, &image, &size), CUDA_SUCCESS);
  EXPECT_EQ(std::strlen(static_cast<char*>(image)) + 1, size);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "call"), CUDA_SUCCESS);
  CUdeviceptr out = device_memory(4);
  EXPECT_EQ(launch(function, 1, 1, {&out}), CUDA_SUCCESS);
  EXPECT_EQ(values(out, 1), std::vector<std::uint32_t>{42});
}

TEST_F(Modules, LinkingWithoutWhatIsCalledFails) {
  CUlinkState link = nullptr;
  char log[512] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  EXPECT_EQ(cuLinkCreate_v2(2, options, values, &link), CUDA_SUCCESS);
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func missing();\n"
      ".visible .entry call() {\n  call missing;\n  ret;\n}\n";
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, text.data(), text.size(), "part", 0, nullptr, nullptr),
            CUDA_SUCCESS);
  void* image = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(cuLinkComplete(link, &image, &size), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, HasSubstr("missing"));
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_NVVM, text.data(), 4, "part", 0, nullptr, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
}

}  // namespace
