// SPDX-License-Identifier: Apache-2.0
// Zstandard frames made byte by byte, one made by its reference compressor, and malformed ones.
#include "ptx/zstd.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>

namespace emulator::ptx {
namespace {

// Magic number and a descriptor: a window of 1 KiB, sizes and checksum left out.
const std::string frame_head("\x28\xb5\x2f\xfd\x00\x00", 6);

std::optional<std::string> decompress(const std::string& frame, std::size_t size) {
  return decompress_zstd(std::as_bytes(std::span(frame)), size);
}

/// The frame of one block, the last; type 0 is raw, 1 one byte again and again, 2 compressed.
std::string frame_of(unsigned type, std::size_t size, const std::string& content) {
  const std::size_t header = 1 | type << 1 | size << 3;
  std::string bytes;
  for (unsigned shift = 0; shift < 24; shift += 8) bytes += static_cast<char>(header >> shift & 0xff);
  return frame_head + bytes + content;
}

/// The frame of one compressed block.
std::string compressed(const std::string& content) { return frame_of(2, content.size(), content); }

// Four raw literals; one sequence whose three codes stand alone: 4 literals, then 8 bytes from 4 back.
const std::string repeated(
    "\x20"
    "abcd"
    "\x01\x54\x04\x02\x05"
    "\x07",
    11);

// A Huffman table of tab and newline, one bit each, in direct weights; tab newline newline tab; no sequences.
const std::string two_symbols(
    "\x42\xc0\x01"
    "\x89\x00\x00\x00\x00\x01"
    "\x16"
    "\x00",
    11);

TEST(Zstd, CopiesRawBlocks) { EXPECT_EQ(decompress(frame_of(0, 4, "text"), 4), "text"); }

TEST(Zstd, RepeatsTheByteOfARunBlock) { EXPECT_EQ(decompress(frame_of(1, 1000, "x"), 1000), std::string(1000, 'x')); }

TEST(Zstd, JoinsBlocks) {
  const std::string first = frame_of(0, 2, "ab");
  std::string frame = first;
  frame[6] = static_cast<char>(frame[6] & ~1);  // not the last
  EXPECT_EQ(decompress(frame + frame_of(0, 2, "cd").substr(6), 4), "abcd");
}

TEST(Zstd, SkipsEverySizeInTheHeader) {
  const std::string block = frame_of(0, 4, "text").substr(6);
  EXPECT_EQ(decompress(std::string("\x28\xb5\x2f\xfd\x20\x04", 6) + block, 4), "text");
  EXPECT_EQ(decompress(std::string("\x28\xb5\x2f\xfd\x40\x00\x04\x00", 8) + block, 4), "text");
  EXPECT_EQ(decompress(std::string("\x28\xb5\x2f\xfd\xa0\x04\x00\x00\x00", 9) + block, 4), "text");
  EXPECT_EQ(decompress(std::string("\x28\xb5\x2f\xfd\xe0\x04\x00\x00\x00\x00\x00\x00\x00", 13) + block, 4), "text");
}

TEST(Zstd, CopiesMatchesThatReachIntoThemselves) { EXPECT_EQ(decompress(compressed(repeated), 12), "abcdabcdabcd"); }

TEST(Zstd, DecodesHuffmanLiterals) { EXPECT_EQ(decompress(compressed(two_symbols), 4), "\t\n\n\t"); }

TEST(Zstd, RepeatsOneLiteral) { EXPECT_EQ(decompress(compressed(std::string("\x29z\x00", 3)), 5), "zzzzz"); }

TEST(Zstd, ReadsWhatTheReferenceCompressorWrites) {
  const std::string frame(
      "\x28\xb5\x2f\xfd\x00\x00\xe5\x05\x00\x92\xcc\x1c\x11\xc0\x57\x1b\xd6\xf1\x0f\x74\xb2\xbd\xb2\x77\x4a\x03"
      "\x40\x57\x70\x02\x1c\x08\xca\xbf\x93\x4d\x85\xc7\x5c\x3f\x76\x66\x2c\x62\x8e\xac\x58\x71\x5d\x8c\xd8\x9b"
      "\x8b\xf8\x86\xfd\x59\x5d\x0c\x6b\x45\x24\x10\x61\x4d\xff\x8c\xe0\xac\xa0\x4e\x70\x3e\x1b\x57\x76\x81\xd9"
      "\x9a\xb1\x88\xd9\xdb\x8f\x08\xb3\x14\xe1\xbb\x80\xb5\x6d\x37\xb1\x33\x25\x23\x6c\xf8\xa6\x7c\x56\x4a\xe8"
      "\x66\x8f\x3e\xc5\xbe\x2c\x38\x6b\x67\x1d\xb3\x02\x73\x10\x0d\x03\x80\x97\x43\xa0\x50\x20\x04\x2f\xa8\x10"
      "\x20\x8c\x64\xa6\xcd\x01\x50\x29\xe8\x72\x10\x70\x22\x81\x04\x12\xa8\x63\x59\x25\xbf\xb5\x2b\x89\x25\x5c"
      "\x9c\x20\x09\x53\x22\x61\x21\x3e\x4f\x95\xa0\x73\x1e\x1c\x2c\xa7\x44\xd1\x14\xae\x94\x75\xde\xad\x3f\x1b"
      "\x8f\xa6\xc6\xd2\xca\xb0\xb7\x0b\xff\xc5\x48\x60\x86\x88\x29",
      197);
  std::string expected;
  for (int i = 0; i < 24; ++i) {
    expected += "add.s32 %r" + std::to_string(i * i) + ", %r" + std::to_string(i * 7 % 13) + ", " +
                std::to_string(i * i * i) + "; ";
  }
  EXPECT_EQ(decompress(frame, expected.size()), expected);
  for (std::size_t cut = 0; cut < frame.size(); ++cut) {
    EXPECT_EQ(decompress(frame.substr(0, cut), expected.size()), std::nullopt) << "cut at " << cut;
  }
}

TEST(Zstd, RefusesOtherSizesThanDeclared) {
  EXPECT_EQ(decompress(compressed(repeated), 11), std::nullopt);
  EXPECT_EQ(decompress(compressed(repeated), 13), std::nullopt);
  EXPECT_EQ(decompress(frame_of(0, 4, "text"), 3), std::nullopt);
  EXPECT_EQ(decompress(frame_of(1, 1000, "x"), 999), std::nullopt);
}

TEST(Zstd, RefusesHeadersThatItCannotRead) {
  const std::string block = frame_of(0, 4, "text").substr(6);
  EXPECT_EQ(decompress("", 0), std::nullopt);
  EXPECT_EQ(decompress(std::string("\x29\xb5\x2f\xfd\x00\x00", 6) + block, 4), std::nullopt) << "magic number";
  EXPECT_EQ(decompress(std::string("\x28\xb5\x2f\xfd\x08\x00", 6) + block, 4), std::nullopt) << "reserved bit";
  EXPECT_EQ(decompress(std::string("\x28\xb5\x2f\xfd\x01\x00\x07", 7) + block, 4), std::nullopt) << "dictionary";
}

/// The frame of `content` with the byte at `place` replaced.
std::string changed(std::string content, std::size_t place, char value) {
  content.at(place) = value;
  return compressed(content);
}

TEST(Zstd, RefusesBlocksThatBreakTheRules) {
  EXPECT_EQ(decompress(frame_of(3, 4, "text"), 4), std::nullopt) << "reserved type";
  EXPECT_EQ(decompress(frame_of(2, 200 * 1024, std::string(200 * 1024, 'x')), 4), std::nullopt) << "too large";
  EXPECT_EQ(decompress(changed(repeated, 6, '\x55'), 12), std::nullopt) << "reserved mode";
  EXPECT_EQ(decompress(changed(repeated, 6, '\xd4'), 12), std::nullopt) << "repeats a table that never was";
  EXPECT_EQ(decompress(changed(repeated, 7, '\x24'), 12), std::nullopt) << "literal length code too large";
  EXPECT_EQ(decompress(changed(repeated, 8, '\x20'), 12), std::nullopt) << "offset code too large";
  EXPECT_EQ(decompress(changed(repeated, 9, '\x35'), 12), std::nullopt) << "match length code too large";
  EXPECT_EQ(decompress(changed(repeated, 7, '\x05'), 12), std::nullopt) << "more literals than there are";
  EXPECT_EQ(decompress(changed(repeated, 10, '\x00'), 12), std::nullopt) << "no end mark";
  EXPECT_EQ(decompress(changed(repeated, 10, '\x0f'), 12), std::nullopt) << "bits left over";
  EXPECT_EQ(decompress(changed(repeated, 8, '\x03'), 12), std::nullopt) << "match before the beginning";
  EXPECT_EQ(decompress(changed(two_symbols, 3, '\x7f'), 4), std::nullopt) << "table cut off";
  EXPECT_EQ(decompress(changed(two_symbols, 8, '\x0c'), 4), std::nullopt) << "weight too large";
  EXPECT_EQ(decompress(changed(two_symbols, 8, '\x00'), 4), std::nullopt) << "table without a symbol";
  EXPECT_EQ(decompress(changed(two_symbols, 9, '\x36'), 4), std::nullopt) << "more literals than declared";
  EXPECT_EQ(decompress(changed(two_symbols, 9, '\x0a'), 4), std::nullopt) << "fewer literals than declared";
  EXPECT_EQ(decompress(changed(two_symbols, 0, '\x43'), 4), std::nullopt) << "keeps a table that never was";
}

}  // namespace
}  // namespace emulator::ptx
