// SPDX-License-Identifier: Apache-2.0
// Images of modules: text, fatbins made byte by byte, and what is refused.
#include "ptx/image.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

constexpr unsigned flag_none = 0x11;
constexpr unsigned flag_lz4 = 0x2011;
constexpr unsigned flag_zstd = 0x8011;
constexpr unsigned flag_specific = 0x100011;

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// An entry: kind 1 is PTX, 2 machine code.
std::string entry(unsigned kind, unsigned target, const std::string& data, unsigned flags = flag_none,
                  std::uint64_t unpacked_bytes = 0) {
  std::string bytes(0x50, '\0');
  const std::size_t padded = (data.size() + 7) / 8 * 8;
  put<std::uint16_t>(bytes, 0, static_cast<std::uint16_t>(kind));
  put<std::uint16_t>(bytes, 2, 0x101);
  put<std::uint32_t>(bytes, 4, 0x50);
  put<std::uint64_t>(bytes, 8, padded);
  put<std::uint32_t>(bytes, 16, flags == flag_none ? 0 : static_cast<std::uint32_t>(data.size()));
  put<std::uint32_t>(bytes, 20, 0x40);
  put<std::uint32_t>(bytes, 28, target);
  put<std::uint64_t>(bytes, 40, flags);
  put<std::uint64_t>(bytes, 56, unpacked_bytes);
  bytes += data;
  bytes.resize(0x50 + padded);
  return bytes;
}

/// A container of entries.
std::string container(const std::string& entries) {
  std::string bytes(16, '\0');
  put<std::uint32_t>(bytes, 0, 0xba55ed50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, entries.size());
  return bytes + entries;
}

/// The text that an image of known size gives for a capability.
std::string text_of(const std::string& image, unsigned capability = 80) {
  return ptx_of_image(image.data(), image.size(), capability);
}

/// Why an image of known size is refused.
Refusal refusal_of_image(const std::string& image, unsigned capability = 80) {
  try {
    text_of(image, capability);
  } catch (const LoadError& error) {
    return {error.code(), error.line(), error.what()};
  }
  return {};
}

/// Refusal because there is nothing to run.
Refusal no_binary(std::string message) { return {result::no_binary_for_gpu, 0, std::move(message)}; }

TEST(Image, IsTextUpToItsNul) {
  EXPECT_EQ(ptx_of_image(".version\0more", std::nullopt, 80), ".version");
  EXPECT_EQ(text_of(std::string(".version\0more", 13)), ".version");
}

TEST(Image, IsTextWithoutANulWhereTheSizeIsKnown) {
  const char text[8] = {'.', 'v', 'e', 'r', 's', 'i', 'o', 'n'};
  EXPECT_EQ(ptx_of_image(text, 8, 80), ".version");
}

TEST(Image, MayStandBehindCommentsAndBlanks) {
  const std::string text = "\n// a line\n /* two\nlines */\t.version 8.0\n";
  EXPECT_EQ(ptx_of_image(text.c_str(), std::nullopt, 80), text);
}
TEST(Image, IsRefusedAsHardwareDoesWhereItIsNoPtx) {
  for (const char* text : {"", "hello", "version 8.0", "/* .version", "// .version"}) {
    try {
      ptx_of_image(text, std::nullopt, 80);
      ADD_FAILURE() << text;
    } catch (const LoadError& error) {
      EXPECT_EQ(error.code(), result::invalid_image) << text;
      EXPECT_EQ(std::string(error.what()).substr(0, 26), "Missing .version directive");
    }
  }
  EXPECT_THROW(ptx_of_image(nullptr, std::nullopt, 80), LoadError);
}

TEST(Image, OfMachineCodeIsRefusedByName) {
  EXPECT_EQ(refusal_of_image("\x7f"
                             "ELF....",
                             90),
            no_binary("the image is a cubin (ELF); the emulated device executes PTX only: compile for compute_90 "
                      "(virtual), not sm_90"));
  EXPECT_EQ(refusal_of_image("BC\xc0\xde...."),
            no_binary("the image is LLVM bitcode; the emulated device executes PTX only"));
}

TEST(Fatbin, GivesTheHighestTargetUpToTheCapability) {
  const std::string image = container(entry(1, 75, "for 75") + entry(1, 90, "for 90") + entry(1, 80, "for 80"));
  EXPECT_EQ(text_of(image, 75), "for 75");
  EXPECT_EQ(text_of(image, 80), "for 80");
  EXPECT_EQ(text_of(image, 89), "for 80");
  EXPECT_EQ(text_of(image, 120), "for 90");
}

TEST(Fatbin, KnowsItsOwnLength) {
  const std::string image = container(entry(1, 80, "inside")) + "behind";
  EXPECT_EQ(ptx_of_image(image.data(), std::nullopt, 80), "inside");
}

TEST(Fatbin, MayComeInAWrapper) {
  const std::string inside = container(entry(1, 80, "inside"));
  const struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data = nullptr;
    const void* name = nullptr;
  } wrapper{0x466243b1, 1, inside.data(), nullptr};
  EXPECT_EQ(ptx_of_image(&wrapper, std::nullopt, 80), "inside");
  EXPECT_EQ(ptx_of_image(&wrapper, sizeof wrapper, 80), "inside");
}

TEST(Fatbin, InAWrapperThatPointsElsewhereIsRefused) {
  std::string wrapper(24, '\0');
  put<std::uint32_t>(wrapper, 0, 0x466243b1);
  EXPECT_EQ(refusal_of_image(wrapper), invalid(0, "malformed fatbin: the wrapper does not point to a container"));
  put<const char*>(wrapper, 8, "no container");
  EXPECT_EQ(refusal_of_image(wrapper), invalid(0, "malformed fatbin: the wrapper does not point to a container"));
  EXPECT_EQ(refusal_of_image(wrapper.substr(0, 12)), invalid(0, "malformed fatbin: the wrapper is cut off"));
}

TEST(Fatbin, IgnoresMachineCodeBesidePtx) {
  EXPECT_EQ(text_of(container(entry(2, 80, "machine code") + entry(1, 80, "text"))), "text");
}

TEST(Fatbin, OfMachineCodeOnlyIsRefused) {
  EXPECT_EQ(refusal_of_image(container(entry(2, 80, "machine code"))),
            no_binary("the fatbin holds machine code only; the emulated device executes PTX only: compile for "
                      "compute_80 (virtual), not sm_80"));
}

TEST(Fatbin, NamesTheTargetsThatAreTooHigh) {
  EXPECT_EQ(
      refusal_of_image(container(entry(1, 90, "a") + entry(1, 80, "b", flag_specific))),
      no_binary("the fatbin has PTX for sm_90, sm_80 (specific); the emulated device needs PTX for sm_80 or lower"));
}

TEST(Fatbin, MayBeCompressedWithLz4) {
  // Four literals, a match of 8 bytes four back, one literal: "abcd" "abcdabcd" "!".
  const std::string block(
      "\x44"
      "abcd"
      "\x04\x00"
      "\x10"
      "!",
      9);
  EXPECT_EQ(text_of(container(entry(1, 80, block, flag_lz4, 13))), "abcdabcdabcd!");
}

TEST(Fatbin, MayHaveLongLz4Lengths) {
  // 20 literals (15 and 5 more), a match of 4 + 15 + 255 + 1 bytes one back, then one literal.
  const std::string block =
      "\xff\x05"
      "aaaaaaaaaaaaaaaaaaaa" +
      std::string("\x01\x00\xff\x01\x10!", 6);
  EXPECT_EQ(text_of(container(entry(1, 80, block, flag_lz4, 296))), std::string(295, 'a') + "!");
}

TEST(Fatbin, WithMalformedLz4IsRefused) {
  const Refusal refusal = invalid(0, "malformed fatbin: the PTX for sm_80 does not decompress");
  const auto with = [](const std::string& block, std::uint64_t size) {
    return refusal_of_image(container(entry(1, 80, block, flag_lz4, size)));
  };
  EXPECT_EQ(with(std::string("\x44"
                             "abcd"
                             "\x04\x00"
                             "\x10"
                             "!",
                             9),
                 12),
            refusal)
      << "larger than declared";
  EXPECT_EQ(with(std::string("\x44"
                             "abcd"
                             "\x04\x00"
                             "\x10"
                             "!",
                             9),
                 14),
            refusal)
      << "smaller than declared";
  EXPECT_EQ(with(std::string("\x44"
                             "abcd"
                             "\x05\x00"
                             "\x10"
                             "!",
                             9),
                 13),
            refusal)
      << "match before the beginning";
  EXPECT_EQ(with(std::string("\x44"
                             "abcd"
                             "\x00\x00"
                             "\x10"
                             "!",
                             9),
                 13),
            refusal)
      << "match at no distance";
  EXPECT_EQ(with(std::string("\x44"
                             "abc",
                             4),
                 4),
            refusal)
      << "literals behind the end";
  EXPECT_EQ(with(std::string("\x44"
                             "abcd"
                             "\x04",
                             6),
                 12),
            refusal)
      << "distance cut off";
  EXPECT_EQ(with(std::string("\xf0\xff\xff", 3), 600), refusal) << "length cut off";
  EXPECT_EQ(with(std::string("\x10!", 2), 1 << 20), refusal) << "impossible size";
  EXPECT_EQ(with("", 1), refusal) << "empty";
}

TEST(Fatbin, MayBeCompressedWithZstd) {
  // A frame of one raw block of four bytes.
  const std::string frame("\x28\xb5\x2f\xfd\x20\x04\x21\x00\x00text", 13);
  EXPECT_EQ(text_of(container(entry(1, 80, frame, flag_zstd, 4))), "text");
  EXPECT_EQ(refusal_of_image(container(entry(1, 80, frame, flag_zstd, 5))),
            invalid(0, "malformed fatbin: the PTX for sm_80 does not decompress"));
}

TEST(Fatbin, MayNotGrowBeyondAnyText) {
  EXPECT_EQ(refusal_of_image(container(entry(1, 80, "", flag_zstd, (256u << 20) + 1))),
            invalid(0, "malformed fatbin: the PTX for sm_80 is too large"));
}

TEST(Fatbin, WithLengthsThatDoNotFitIsRefused) {
  const std::string whole = container(entry(1, 80, "text"));
  EXPECT_EQ(refusal_of_image(whole.substr(0, 10)), invalid(0, "malformed fatbin: the header is cut off"));
  EXPECT_EQ(refusal_of_image(whole.substr(0, 40)), invalid(0, "malformed fatbin: it is larger than its image"));
  std::string bad = whole;
  put<std::uint64_t>(bad, 8, ~std::uint64_t{0});
  EXPECT_EQ(refusal_of_image(bad), invalid(0, "malformed fatbin: it is larger than its image"));
  bad = whole;
  put<std::uint16_t>(bad, 6, 8);
  EXPECT_EQ(refusal_of_image(bad), invalid(0, "malformed fatbin: the header has no valid size"));
  bad = whole;
  put<std::uint32_t>(bad, 16 + 4, 0);
  EXPECT_EQ(refusal_of_image(bad), invalid(0, "malformed fatbin: an entry's header has no valid size"));
  bad = whole;
  put<std::uint64_t>(bad, 16 + 8, ~std::uint64_t{0});
  EXPECT_EQ(refusal_of_image(bad), invalid(0, "malformed fatbin: an entry is larger than its container"));
  EXPECT_EQ(refusal_of_image(container("short")), invalid(0, "malformed fatbin: an entry's header is cut off"));
  bad = container(entry(1, 80, "text", flag_lz4, 4));
  put<std::uint32_t>(bad, 16 + 16, 100);
  EXPECT_EQ(refusal_of_image(bad), invalid(0, "malformed fatbin: a compressed entry is larger than its place"));
}

}  // namespace
}  // namespace emulator::ptx::testing
