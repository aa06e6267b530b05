// SPDX-License-Identifier: Apache-2.0
// LZ4's block format: literals, then a match of at least four bytes further back, again and again.
#include "ptx/lz4.hpp"

#include <cstdint>

namespace emulator::ptx {

namespace {

constexpr std::size_t shortest_match = 4;
constexpr std::size_t highest_ratio = 255;  // what one byte of a length can add

class Block {
 public:
  Block(std::span<const std::byte> input, std::size_t size) : input_(input), size_(size) { output_.reserve(size); }

  std::optional<std::string> decompress() {
    while (place_ < input_.size()) {
      const unsigned token = byte();
      if (!copy_literals(token >> 4)) return std::nullopt;
      // The last sequence has no match.
      if (place_ == input_.size()) break;
      if (!copy_match(token & 15u)) return std::nullopt;
    }
    if (output_.size() != size_) return std::nullopt;
    return std::move(output_);
  }

 private:
  unsigned byte() { return std::to_integer<unsigned>(input_[place_++]); }

  // A length of 15 goes on in the bytes that follow, as long as they are 255.
  std::optional<std::size_t> length(unsigned nibble) {
    std::size_t total = nibble;
    if (nibble < 15) return total;
    unsigned more = 255;
    while (more == 255) {
      if (place_ == input_.size()) return std::nullopt;
      more = byte();
      total += more;
    }
    return total;
  }

  bool copy_literals(unsigned nibble) {
    const auto count = length(nibble);
    if (!count || *count > input_.size() - place_ || *count > size_ - output_.size()) return false;
    output_.append(reinterpret_cast<const char*>(input_.data()) + place_, *count);
    place_ += *count;
    return true;
  }

  bool copy_match(unsigned nibble) {
    if (input_.size() - place_ < 2) return false;
    const std::size_t low = byte();
    const std::size_t distance = low | std::size_t{byte()} << 8;
    const auto count = length(nibble);
    if (!count || distance == 0 || distance > output_.size()) return false;
    if (*count + shortest_match > size_ - output_.size()) return false;
    // Byte by byte: a match may reach into what it writes.
    const std::size_t from = output_.size() - distance;
    for (std::size_t each = 0; each < *count + shortest_match; ++each) output_.push_back(output_[from + each]);
    return true;
  }

  std::span<const std::byte> input_;
  std::size_t size_;
  std::size_t place_ = 0;
  std::string output_;
};

}  // namespace

std::optional<std::string> decompress_lz4(std::span<const std::byte> block, std::size_t size) {
  if (size / highest_ratio > block.size()) return std::nullopt;
  return Block(block, size).decompress();
}

}  // namespace emulator::ptx
