// SPDX-License-Identifier: Apache-2.0
// Spans: their length is the C count; spans of one count agree, or the call is not made; an empty output asks for the size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"

namespace cu = cuda_bindings;
using testing::_;
using testing::ElementsAre;
using tests::at;
using tests::FakeLibraries;
using tests::handle;
using tests::word;

namespace {

TEST(Lists, HandlesPassWithTheirNumber) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(at<std::uint64_t>(words[2])[1], 0x22U);
    *at<std::uint64_t>(words[0]) = 0x33;
    return 0;
  });
  const std::vector<cu::CUgraphNode> before{handle<cu::CUgraphNode>(0x11), handle<cu::CUgraphNode>(0x22)};
  const auto [status, node] = cu::cuGraphAddEmptyNode(handle<cu::CUgraph>(0xaa), before);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(node, handle<cu::CUgraphNode>(0x33));
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(_, 0xaa, word(before.data()), 2));
}

TEST(Lists, RecordsPassWithTheirNumber) {
  const FakeLibraries fake;
  std::array<cu::CUstreamBatchMemOpParams, 3> operations{};
  const auto [status] = cu::cuStreamBatchMemOp(nullptr, operations, 0);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).name, "cuStreamBatchMemOp_v2");
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(0, 3, word(operations.data()), 0));
}

TEST(Lists, OfOneCountMustAgreeOrNothingIsCalled) {
  const FakeLibraries fake;
  const std::vector<cu::CUgraphNode> two(2);
  const std::vector<cu::CUgraphNode> three(3);
  const std::vector<cu::CUgraphEdgeData> edges(3);
  const cu::CUgraph graph = handle<cu::CUgraph>(1);
  EXPECT_EQ(std::get<0>(cu::cuGraphAddDependencies(graph, two, three, {})), cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(std::get<0>(cu::cuGraphAddDependencies(graph, two, two, edges)), cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(std::get<0>(cu::cudaGraphAddDependencies(nullptr, {}, {}, std::vector<cu::cudaGraphEdgeData>(1))),
            cu::cudaErrorInvalidValue);
  EXPECT_TRUE(fake.calls().empty());
}

TEST(Lists, OptionalOneMayBeLeftEmpty) {
  const FakeLibraries fake;
  const std::vector<cu::CUgraphNode> from(2);
  const std::vector<cu::CUgraphNode> to(2);
  const std::vector<cu::CUgraphEdgeData> edges(2);
  EXPECT_EQ(std::get<0>(cu::cuGraphAddDependencies(handle<cu::CUgraph>(1), from, to, {})), cu::CUDA_SUCCESS);
  EXPECT_EQ(std::get<0>(cu::cuGraphAddDependencies(handle<cu::CUgraph>(1), from, to, edges)), cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(1, word(from.data()), word(to.data()), 0, 2));
  EXPECT_THAT(fake.calls().at(1).words, ElementsAre(1, word(from.data()), word(to.data()), word(edges.data()), 2));
}

TEST(Lists, LongerThanTheCCountCanSayIsRefused) {
  const FakeLibraries fake;
  const cu::CUgraphicsResource resource{};
  const std::span<const cu::CUgraphicsResource> endless(&resource, std::size_t{1} << 32);
  EXPECT_EQ(std::get<0>(cu::cuGraphicsMapResources(endless, nullptr)), cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(fake.calls().empty());
  EXPECT_EQ(std::get<0>(cu::cuGraphicsMapResources(endless.first(1), nullptr)), cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(1, word(&resource), 0));
}

TEST(Lists, EmptyOutputAsksForTheNumber) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(words[1], 0U);
    *at<std::size_t>(words[2]) = 5;
    return 0;
  });
  const auto [status, number] = cu::cuGraphGetNodes(handle<cu::CUgraph>(1), {});
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(number, 5U);
}

TEST(Lists, OutputIsAsLongAsItsSpan) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(*at<std::size_t>(words[2]), 4U);
    at<std::uint64_t>(words[1])[0] = 0x90;
    *at<std::size_t>(words[2]) = 1;
    return 0;
  });
  std::array<cu::CUgraphNode, 4> nodes;
  const auto [status, number] = cu::cuGraphGetNodes(handle<cu::CUgraph>(1), nodes);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(number, 1U);
  EXPECT_EQ(nodes[0], handle<cu::CUgraphNode>(0x90));
}

TEST(Lists, OutputsOfOneNumberMayBeLeftOutButNotDiffer) {
  const FakeLibraries fake;
  std::vector<cu::CUgraphNode> from(2);
  std::vector<cu::CUgraphNode> to(2);
  std::vector<cu::CUgraphEdgeData> edges(3);
  EXPECT_EQ(std::get<0>(cu::cuGraphGetEdges(handle<cu::CUgraph>(1), from, to, edges)), cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(fake.calls().empty());
  EXPECT_EQ(std::get<0>(cu::cuGraphGetEdges(handle<cu::CUgraph>(1), from, to, {})), cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(1, word(from.data()), word(to.data()), 0, _));
}

TEST(Lists, TextGoesIntoTheCallersMemory) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(words[1], 16U);
    std::snprintf(at<char>(words[0]), 16, "NVIDIA %d", static_cast<int>(words[2]));
    return 0;
  });
  char name[16] = {};
  const auto [status] = cu::cuDeviceGetName(name, cu::CUdevice(7));
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_STREQ(name, "NVIDIA 7");
}

TEST(Lists, KeysAndValuesOfOptionsAgree) {
  const FakeLibraries fake;
  const std::array<cu::CUjit_option, 2> keys{cu::CU_JIT_MAX_REGISTERS, cu::CU_JIT_TARGET};
  std::array<void*, 2> values{reinterpret_cast<void*>(32), reinterpret_cast<void*>(90)};
  const char* const image = "ptx";
  EXPECT_EQ(std::get<0>(cu::cuModuleLoadDataEx(image, keys, values)), cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(_, word(image), 2, word(keys.data()), word(values.data())));
  EXPECT_EQ(std::get<0>(cu::cuModuleLoadDataEx(image, keys, {})), cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fake.calls().size(), 1U);
}

TEST(Lists, PluralAttributesGoWhereTheCallerSays) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    *at<int>(word(at<void*>(words[2])[1])) = 1;
    return 0;
  });
  const std::array attributes{cu::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, cu::CU_POINTER_ATTRIBUTE_IS_MANAGED};
  unsigned type = 0;
  int managed = 0;
  const std::array<void*, 2> data{&type, &managed};
  const auto [status] = cu::cuPointerGetAttributes(attributes, data, cu::CUdeviceptr(0x10));
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_EQ(managed, 1);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(2, word(attributes.data()), word(data.data()), 0x10));
}

TEST(Lists, OfAddressesAndSizesPassTogether) {
  const FakeLibraries fake;
  const std::array<cu::CUdeviceptr, 2> to{cu::CUdeviceptr(1), cu::CUdeviceptr(2)};
  const std::array<cu::CUdeviceptr, 2> from{cu::CUdeviceptr(3), cu::CUdeviceptr(4)};
  const std::array<std::size_t, 2> sizes{5, 6};
  const std::array<cu::CUmemcpyAttributes, 1> attributes{};
  const std::array<std::size_t, 1> starts{0};
  const auto [status] = cu::cuMemcpyBatchAsync(to, from, sizes, attributes, starts, nullptr);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(word(to.data()), word(from.data()), word(sizes.data()), 2,
                                                    word(attributes.data()), word(starts.data()), 1, 0));
}

TEST(Lists, OfATensorAreAsLongAsItsRank) {
  const FakeLibraries fake;
  const std::array<std::uint64_t, 2> extents{64, 64};
  const std::array<std::uint64_t, 1> strides{256};
  const std::array<std::uint32_t, 2> box{8, 8};
  const std::array<std::uint32_t, 2> steps{1, 1};
  const auto encode = [&](unsigned rank) {
    return std::get<0>(cu::cuTensorMapEncodeTiled(cu::CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, nullptr, extents, strides,
                                                  box, steps, cu::CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                  cu::CU_TENSOR_MAP_SWIZZLE_NONE, cu::CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                  cu::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  };
  EXPECT_EQ(encode(3), cu::CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(fake.calls().empty());
  EXPECT_EQ(encode(2), cu::CUDA_SUCCESS);
  EXPECT_EQ(fake.calls().at(0).words.at(4), word(extents.data()));
  EXPECT_EQ(fake.calls().at(0).words.at(5), word(strides.data()));
}

}  // namespace
