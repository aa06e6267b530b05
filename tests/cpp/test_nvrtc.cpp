// SPDX-License-Identifier: Apache-2.0
// NVRTC's text: sources and options in, programs' output in memory as long as NVRTC says, never past a span's end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
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

const cu::nvrtcProgram program = handle<cu::nvrtcProgram>(0x77);

// An NVRTC whose PTX is "ptx\0"; the size comes in the only word behind the program, the text as well.
FakeLibraries::Behaviour four_bytes_of_ptx() {
  return [asked = false](const std::uint64_t* words) mutable {
    if (!asked) {
      *at<std::size_t>(words[1]) = 4;
    } else {
      std::memcpy(at<char>(words[1]), "ptx", 4);
    }
    asked = true;
    return 0;
  };
}

TEST(Nvrtc, CreatesAProgramFromTextsWithHeaders) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_STREQ(at<const char>(words[1]), "source");
    EXPECT_EQ(words[2], 0U);
    EXPECT_STREQ(at<const char*>(words[4])[1], "two");
    *at<std::uint64_t>(words[0]) = 0x77;
    return 0;
  });
  const char* const headers[] = {"one", "two"};
  const char* const names[] = {"1.h", "2.h"};
  const auto [status, made] = cu::nvrtcCreateProgram("source", nullptr, headers, names);
  EXPECT_EQ(status, cu::NVRTC_SUCCESS);
  EXPECT_EQ(made, program);
  EXPECT_EQ(fake.calls().at(0).words.at(3), 2U);
}

TEST(Nvrtc, HeadersWithoutTheirNamesAreRefused) {
  const FakeLibraries fake;
  const char* const headers[] = {"one"};
  EXPECT_EQ(std::get<0>(cu::nvrtcCreateProgram("source", "name", headers, {})), cu::NVRTC_ERROR_INVALID_INPUT);
  EXPECT_TRUE(fake.calls().empty());
}

TEST(Nvrtc, OptionsPassWithTheirNumber) {
  const FakeLibraries fake;
  const char* const options[] = {"--std=c++20", "--gpu-architecture=sm_90"};
  EXPECT_EQ(std::get<0>(cu::nvrtcCompileProgram(program, options)), cu::NVRTC_SUCCESS);
  EXPECT_THAT(fake.calls().at(0).words, ElementsAre(0x77, 2, word(&options[0])));
}

TEST(Nvrtc, OutputComesInMemoryAsLongAsItMustBe) {
  const FakeLibraries fake(four_bytes_of_ptx());
  const auto [status, ptx] = cu::nvrtcGetPTX(program);
  EXPECT_EQ(status, cu::NVRTC_SUCCESS);
  EXPECT_THAT(ptx, ElementsAre('p', 't', 'x', '\0'));
}

TEST(Nvrtc, OutputGoesIntoTheCallersMemory) {
  const FakeLibraries fake(four_bytes_of_ptx());
  std::array<char, 8> memory{};
  const auto [status] = cu::nvrtcGetPTX(program, memory);
  EXPECT_EQ(status, cu::NVRTC_SUCCESS);
  EXPECT_STREQ(memory.data(), "ptx");
  EXPECT_THAT(fake.calls().at(1).words, ElementsAre(0x77, word(memory.data())));
}

TEST(Nvrtc, MemoryThatIsTooShortIsNotWritten) {
  const FakeLibraries fake(four_bytes_of_ptx());
  std::array<char, 3> memory{'a', 'b', 'c'};
  EXPECT_EQ(std::get<0>(cu::nvrtcGetPTX(program, memory)), cu::NVRTC_ERROR_INVALID_INPUT);
  EXPECT_THAT(memory, ElementsAre('a', 'b', 'c'));
  EXPECT_EQ(fake.calls().size(), 1U);
  EXPECT_EQ(fake.calls().at(0).name, "nvrtcGetPTXSize");
}

TEST(Nvrtc, FailureToTellTheSizeIsTheAnswer) {
  const FakeLibraries fake([](const std::uint64_t*) { return 4; });
  const auto [status, log] = cu::nvrtcGetProgramLog(program);
  EXPECT_EQ(status, cu::NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_TRUE(log.empty());
}

TEST(Nvrtc, ArchitecturesComeAsNumbers) {
  const FakeLibraries fake([asked = false](const std::uint64_t* words) mutable {
    if (!asked) *at<int>(words[0]) = 2;
    if (asked) std::memcpy(at<int>(words[0]), std::array{80, 90}.data(), 8);
    asked = true;
    return 0;
  });
  const auto [status, architectures] = cu::nvrtcGetSupportedArchs();
  EXPECT_EQ(status, cu::NVRTC_SUCCESS);
  EXPECT_THAT(architectures, ElementsAre(80, 90));
}

TEST(Nvrtc, DestroyedProgramIsNull) {
  const FakeLibraries fake([](const std::uint64_t* words) {
    EXPECT_EQ(*at<std::uint64_t>(words[0]), 0x77U);
    *at<std::uint64_t>(words[0]) = 0;
    return 0;
  });
  cu::nvrtcProgram destroyed = program;
  EXPECT_EQ(std::get<0>(cu::nvrtcDestroyProgram(&destroyed)), cu::NVRTC_SUCCESS);
  EXPECT_EQ(destroyed, nullptr);
}

}  // namespace
