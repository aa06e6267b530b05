// SPDX-License-Identifier: Apache-2.0
// What functions take: numbers, handles, text, records, memory, kernel arguments; checked word by word as C received them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"

namespace cu = cuda_bindings;
using testing::ElementsAre;
using tests::at;
using tests::FakeLibraries;
using tests::handle;
using tests::word;

// A view need not end in a zero: it never becomes text by itself.
static_assert(!std::is_convertible_v<std::string_view, cu::ZStringView>);
static_assert(!std::is_constructible_v<cu::ZStringView, std::string_view>);
static_assert(std::is_convertible_v<std::string, cu::ZStringView>);
static_assert(std::is_convertible_v<const char*, cu::ZStringView>);
// Memory to be written is not const.
static_assert(std::is_convertible_v<const std::vector<float>&, cu::ReadBytes>);
static_assert(!std::is_convertible_v<const std::vector<float>&, cu::WriteBytes>);
static_assert(std::is_convertible_v<std::vector<float>&, cu::WriteBytes>);
static_assert(!std::is_convertible_v<std::vector<std::string>&, cu::ReadBytes>);
// Nor is a record that the library may change.
static_assert(!std::is_invocable_v<decltype(cu::cuGraphAddMemAllocNode), cu::CUgraph, std::span<const cu::CUgraphNode>,
                                   const cu::CUDA_MEM_ALLOC_NODE_PARAMS&>);

namespace {

TEST(Arguments, NumbersAndEnumeratorsPassAsTheyAre) {
  const FakeLibraries fake;
  const auto [status] = cu::cuCtxSetLimit(cu::CU_LIMIT_MALLOC_HEAP_SIZE, 1ULL << 40);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuCtxSetLimit");
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(2, 1ULL << 40));
}

TEST(Arguments, HandlesPassAsCHandles) {
  const FakeLibraries fake;
  const auto [status] = cu::cuStreamWaitEvent(handle<cu::CUstream>(0x100), handle<cu::CUevent>(0x200), 1);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(0x100, 0x200, 1));
}

TEST(Arguments, StatusOfAFailedCallIsReturnedAsItIs) {
  const FakeLibraries fake([](const std::uint64_t*) { return 999; });
  EXPECT_EQ(std::get<0>(cu::cuCtxSynchronize()), cu::CUDA_ERROR_UNKNOWN);
  const FakeLibraries newer([](const std::uint64_t*) { return 123456; });
  EXPECT_EQ(static_cast<int>(std::get<0>(cu::cuCtxSynchronize())), 123456);
}

TEST(Arguments, TextPassesWithItsZero) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_STREQ(at<const char>(words[2]), "saxpy");
    return 0;
  });
  const std::string name = "saxpy";
  constexpr std::string_view with_zero("saxpy\0", 6);
  EXPECT_EQ(std::get<0>(cu::cuModuleGetFunction(handle<cu::CUmodule>(1), "saxpy")), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuModuleGetFunction(handle<cu::CUmodule>(1), name)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuModuleGetFunction(handle<cu::CUmodule>(1), cu::ZStringView::terminated(with_zero))),
            cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().size(), 3U);
}

TEST(Arguments, ViewWithoutItsZeroIsRefused) {
  EXPECT_THROW(cu::ZStringView::terminated("saxpy"), std::invalid_argument);
  EXPECT_THROW(cu::ZStringView::terminated({}), std::invalid_argument);
}

TEST(Arguments, RecordsPassByReferenceAddressOrNull) {
  const FakeLibraries fake;
  const cu::CUDA_MEMCPY2D copy{.srcMemoryType = cu::CU_MEMORYTYPE_HOST, .WidthInBytes = 64, .Height = 2};
  EXPECT_EQ(std::get<0>(cu::cuMemcpy2D(copy)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemcpy2D(&copy)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemcpy2D(nullptr)), cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuMemcpy2D_v2");
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(word(&copy)));
  EXPECT_THAT(fake.calls().at(1).words, ElementsAre(word(&copy)));
  EXPECT_THAT(fake.calls().at(2).words, ElementsAre(0));
}

TEST(Arguments, RecordIsLaidOutAsInC) {
  const cu::CUDA_MEMCPY2D copy{.srcXInBytes = 1, .dstDevice = cu::CUdeviceptr(0x1234), .Height = 7};
  std::array<std::uint64_t, 16> words;
  static_assert(sizeof copy == sizeof words);
  std::memcpy(words.data(), &copy, sizeof words);
  EXPECT_EQ(words[0], 1U);        // srcXInBytes at 0
  EXPECT_EQ(words[11], 0x1234U);  // dstDevice at 88
  EXPECT_EQ(words[15], 7U);       // Height at 120
}

TEST(Arguments, NewRecordIsAllZeros) {
  alignas(cu::CUDA_RESOURCE_DESC) unsigned char memory[sizeof(cu::CUDA_RESOURCE_DESC)];
  std::memset(memory, 0xff, sizeof memory);
  const auto* const record = new (memory) cu::CUDA_RESOURCE_DESC;
  EXPECT_EQ(record->flags, 0U);
  EXPECT_EQ(record->res.array.hArray, nullptr);
  for (const int word : record->res.reserved.reserved) EXPECT_EQ(word, 0);
}

TEST(Arguments, RecordsByValuePassWhole) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(at<cu::CUmemLocation>(words[3])->type, cu::CU_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(at<cu::CUmemLocation>(words[3])->id, 5);
    return 0;
  });
  const cu::CUmemLocation location{.type = cu::CU_MEM_LOCATION_TYPE_DEVICE, .id = 5};
  EXPECT_EQ(std::get<0>(cu::cuMemAdvise(cu::CUdeviceptr(0x1000), 64, cu::CU_MEM_ADVISE_SET_READ_MOSTLY, location)),
            cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuMemAdvise_v2");
  EXPECT_EQ(fake.calls().at(0).words.at(0), 0x1000U);
}

TEST(Arguments, Dim3StartsAtOne) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(at<cu::dim3>(words[1])->x, 256U);
    EXPECT_EQ(at<cu::dim3>(words[1])->y, 1U);
    EXPECT_EQ(at<cu::dim3>(words[2])->z, 1U);
    return 0;
  });
  void* arguments[] = {nullptr};
  EXPECT_EQ(std::get<0>(cu::cudaLaunchKernel(nullptr, 256, {}, arguments, 0, nullptr)), cu::cudaSuccess);
  EXPECT_EQ(fake.calls().size(), 1U);
}

TEST(Arguments, MemoryPassesWithItsLengthInBytes) {
  const FakeLibraries fake;
  const std::vector<float> numbers(100);
  std::array<std::uint16_t, 8> halves{};
  EXPECT_EQ(std::get<0>(cu::cuMemcpyHtoD(cu::CUdeviceptr(0x10), numbers)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemcpyDtoH(halves, cu::CUdeviceptr(0x20))), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemcpyHtoD(cu::CUdeviceptr(0x10), {numbers.data(), 12})), cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(0x10, word(numbers.data()), 400));
  EXPECT_THAT(fake.calls().at(1).words, ElementsAre(word(halves.data()), 0x20, 16));
  EXPECT_THAT(fake.calls().at(2).words, ElementsAre(0x10, word(numbers.data()), 12));
}

TEST(Arguments, RuntimeCopiesTakeAddressesOfEitherSide) {
  const FakeLibraries fake;
  int from = 1;
  int to = 0;
  EXPECT_EQ(std::get<0>(cu::cudaMemcpy(&to, &from, sizeof to, cu::cudaMemcpyDeviceToHost)), cu::cudaSuccess);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(word(&to), word(&from), 4, 2));
}

TEST(Arguments, KernelArgumentsAreAddresses) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    void** const parameters = at<void*>(words[9]);
    EXPECT_EQ(*static_cast<float*>(parameters[0]), 2.0F);
    EXPECT_EQ(*static_cast<std::uint64_t*>(parameters[1]), 0x7000U);
    EXPECT_EQ(*static_cast<std::size_t*>(parameters[2]), 3U);
    return 0;
  });
  float a = 2.0F;
  const cu::CUdeviceptr memory(0x7000);
  std::size_t n = 3;
  auto arguments = cu::kernel_arguments(a, memory, n);
  const auto [status] = cu::cuLaunchKernel(handle<cu::CUfunction>(0xf0), 1, 2, 3, 4, 5, 6, 7,
                                           handle<cu::CUstream>(0xa0), arguments.data(), nullptr);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuLaunchKernel");
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(0xf0, 1, 2, 3, 4, 5, 6, 7, 0xa0, word(arguments.data()), 0));
}

TEST(Arguments, FloatsAndSmallIntegersKeepTheirBits) {
  const FakeLibraries fake;
  EXPECT_EQ(std::get<0>(cu::cuTexRefSetMipmapLevelBias(handle<cu::CUtexref>(1), 0.5F)), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuMemsetD16(cu::CUdeviceptr(0x30), 0xbeef, 4)), cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(1, std::bit_cast<std::uint32_t>(0.5F)));
  EXPECT_THAT(fake.calls().at(1).words, ElementsAre(0x30, 0xbeef, 4));
}

TEST(Arguments, CallbacksPassAsFunctions) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    reinterpret_cast<void (*)(void*)>(words[1])(at<void>(words[2]));
    return 0;
  });
  int called = 0;
  const auto [status] = cu::cuLaunchHostFunc(
      nullptr, [](void* data) { ++*static_cast<int*>(data); }, &called);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(called, 1);
}

TEST(Arguments, AttributeValuesPassByAddress) {
  const FakeLibraries fake;
  const std::uint64_t threshold = 1 << 20;
  EXPECT_EQ(std::get<0>(cu::cuMemPoolSetAttribute(handle<cu::CUmemoryPool>(0x60), cu::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                                                  &threshold)),
            cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(0x60, 4, word(&threshold)));
}

TEST(Arguments, ExplicitVersionIsAnotherFunction) {
  const FakeLibraries fake;
  EXPECT_EQ(std::get<0>(cu::cuCtxCreate_v2(0, cu::CUdevice(3))), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuCtxCreate(nullptr, 0, cu::CUdevice(3))), cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuCtxCreate_v2");
  EXPECT_EQ(fake.calls().at(1).name, "cuCtxCreate_v4");
}

}  // namespace
