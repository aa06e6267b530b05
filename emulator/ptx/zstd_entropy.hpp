// SPDX-License-Identifier: Apache-2.0
// Zstandard's entropy coding: bit streams that are read backwards, FSE tables, Huffman tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace emulator::ptx::zstd {

/// Thrown where the input breaks a rule of the format; decompress_zstd catches it.
struct Malformed {};

/// Throws Malformed unless the condition holds.
inline void require(bool condition) {
  if (!condition) throw Malformed();
}

/// Takes pieces off the front of the input.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
  std::span<const std::byte> take(std::size_t count) {
    require(count <= bytes_.size());
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  /// A little-endian number of 1 to 8 bytes.
  std::uint64_t number(std::size_t count);

 private:
  std::span<const std::byte> bytes_;
};

/// A bit stream from its last bit to its first. Behind the first come zeros, for which `left` is negative.
class BackwardBits {
 public:
  explicit BackwardBits(std::span<const std::byte> bytes);
  /// The next bits as a number, 32 at most.
  std::uint64_t read(unsigned count);
  [[nodiscard]] std::int64_t left() const { return left_; }

 private:
  std::span<const std::byte> bytes_;
  std::int64_t left_ = 0;
};

/// A table of finite state entropy.
struct FseTable {
  struct Entry {
    std::uint8_t symbol = 0;
    std::uint8_t bits = 0;
    std::uint16_t base = 0;
  };
  unsigned accuracy = 0;  ///< log2 of the entries
  std::vector<Entry> entries;

  /// The table of probabilities in units of 1 / 2^accuracy; -1 is less than one.
  static FseTable of(std::span<const std::int16_t> probabilities, unsigned accuracy);
  /// The table that always gives one symbol.
  static FseTable constant(std::uint8_t symbol);
  /// Reads a table's description off the front.
  static FseTable read(Bytes& input, unsigned most_symbols, unsigned highest_accuracy);
};

/// A walk through a table.
class FseState {
 public:
  FseState(const FseTable& table, BackwardBits& bits) : table_(&table), state_(bits.read(table.accuracy)) {}
  [[nodiscard]] std::uint8_t symbol() const { return table_->entries[state_].symbol; }
  void advance(BackwardBits& bits) {
    const FseTable::Entry& entry = table_->entries[state_];
    state_ = entry.base + bits.read(entry.bits);
  }

 private:
  const FseTable* table_;
  std::uint64_t state_;
};

/// A Huffman table; empty until read.
struct HuffmanTable {
  struct Entry {
    std::uint8_t symbol = 0;
    std::uint8_t bits = 0;
  };
  unsigned longest = 0;  ///< bits of the longest code; log2 of the entries
  std::vector<Entry> entries;

  /// Reads a table's description off the front.
  static HuffmanTable read(Bytes& input);
  /// Appends the symbols of one stream to `output`, `most` of them at most.
  void decode(std::span<const std::byte> stream, std::size_t most, std::string& output) const;
};

}  // namespace emulator::ptx::zstd
