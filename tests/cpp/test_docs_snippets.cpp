// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/cpp.md: each is an excerpt of this file, which runs on the fake libraries.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake_libraries.hpp"

namespace {

TEST(DocsSnippets, Tuple) {
  const tests::FakeLibraries fake;
  namespace cu = cuda_bindings;

  const auto [status, memory] = cu::cuMemAlloc(1 << 20);
  if (status != cu::CUDA_SUCCESS) {
    const auto [named, name] = cu::cuGetErrorName(status);
    std::fprintf(stderr, "cuMemAlloc: %s\n", name);
  }
  EXPECT_EQ(memory, cu::CUdeviceptr{});
}

TEST(DocsSnippets, Check) {
  const tests::FakeLibraries fake;
  namespace cu = cuda_bindings;

  const cu::CUstream stream = cu::check(cu::cuStreamCreate(cu::CU_STREAM_NON_BLOCKING));
  const auto [free, total] = cu::check(cu::cuMemGetInfo());
  cu::check(cu::cuStreamSynchronize(stream));
  EXPECT_EQ(free, total);
}

TEST(DocsSnippets, Handles) {
  const tests::FakeLibraries fake;
  namespace cu = cuda_bindings;

  const cu::CUkernel kernel = std::get<1>(cu::cuLibraryGetKernel(nullptr, "saxpy"));
  const cu::CUfunction function(kernel);          // a cast that the headers document
  const cu::cudaStream_t stream(cu::CUstream{});  // the runtime's name of the driver's handle
  ::CUstream_st* const raw = stream.raw();        // as C has it; CUstream(raw) takes it back
  const cu::CUdeviceptr second_half = cu::CUdeviceptr(0x1000) + 512;
  EXPECT_EQ(cu::CUstream(raw), nullptr);
  EXPECT_FALSE(function);
  EXPECT_EQ(second_half.raw(), 0x1200U);
}

TEST(DocsSnippets, Spans) {
  const tests::FakeLibraries fake;
  namespace cu = cuda_bindings;
  const cu::CUgraph graph;

  const std::vector<float> x(1024);
  const auto [copied] = cu::cuMemcpyHtoD(cu::CUdeviceptr(0x1000), x);  // 4096 bytes
  const auto [counted, number] = cu::cuGraphGetNodes(graph, {});       // an empty output: how many are there?
  std::vector<cu::CUgraphNode> nodes(number);
  const auto [listed, written] = cu::cuGraphGetNodes(graph, nodes);
  EXPECT_EQ(copied + counted + listed, cu::CUDA_SUCCESS);
  EXPECT_EQ(written, number);
}

TEST(DocsSnippets, Launch) {
  const tests::FakeLibraries fake;
  namespace cu = cuda_bindings;
  const cu::CUfunction kernel;
  const cu::CUstream stream;

  float a = 2.0f;
  cu::CUdeviceptr x(0x1000), y(0x2000);
  auto arguments = cu::kernel_arguments(a, x, y);
  const auto [status] = cu::cuLaunchKernel(kernel, 32768, 1, 1, 512, 1, 1, 0, stream, arguments.data(), nullptr);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
}

TEST(DocsSnippets, Records) {
  const tests::FakeLibraries fake;
  namespace cu = cuda_bindings;

  const cu::CUDA_MEMCPY2D copy{.srcMemoryType = cu::CU_MEMORYTYPE_DEVICE, .srcDevice = cu::CUdeviceptr(0x1000)};
  const auto [status] = cu::cuMemcpy2D(copy);
  EXPECT_EQ(status, cu::CUDA_SUCCESS);
}

}  // namespace
