// SPDX-License-Identifier: Apache-2.0
// Zstandard's frames, blocks, literals and sequences.
#include "ptx/zstd.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "ptx/zstd_entropy.hpp"

namespace emulator::ptx {

namespace {

using zstd::BackwardBits;
using zstd::Bytes;
using zstd::FseState;
using zstd::FseTable;
using zstd::HuffmanTable;
using zstd::require;

constexpr std::uint32_t frame_magic = 0xfd2fb528;
constexpr std::size_t largest_block = 128 * 1024;

/// A length code: the smallest length and how many bits are added to it.
struct LengthCode {
  std::uint32_t base;
  std::uint8_t bits;
};

constexpr LengthCode literal_codes[] = {
    {0, 0},   {1, 0},   {2, 0},     {3, 0},     {4, 0},     {5, 0},     {6, 0},      {7, 0},      {8, 0},
    {9, 0},   {10, 0},  {11, 0},    {12, 0},    {13, 0},    {14, 0},    {15, 0},     {16, 1},     {18, 1},
    {20, 1},  {22, 1},  {24, 2},    {28, 2},    {32, 3},    {40, 3},    {48, 4},     {64, 6},     {128, 7},
    {256, 8}, {512, 9}, {1024, 10}, {2048, 11}, {4096, 12}, {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16},
};

constexpr LengthCode match_codes[] = {
    {3, 0},   {4, 0},     {5, 0},     {6, 0},     {7, 0},     {8, 0},      {9, 0},      {10, 0},     {11, 0},
    {12, 0},  {13, 0},    {14, 0},    {15, 0},    {16, 0},    {17, 0},     {18, 0},     {19, 0},     {20, 0},
    {21, 0},  {22, 0},    {23, 0},    {24, 0},    {25, 0},    {26, 0},     {27, 0},     {28, 0},     {29, 0},
    {30, 0},  {31, 0},    {32, 0},    {33, 0},    {34, 0},    {35, 1},     {37, 1},     {39, 1},     {41, 1},
    {43, 2},  {47, 2},    {51, 3},    {59, 3},    {67, 4},    {83, 4},     {99, 5},     {131, 7},    {259, 8},
    {515, 9}, {1027, 10}, {2051, 11}, {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16},
};

constexpr std::int16_t default_literals[] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                             2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr std::int16_t default_matches[] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
constexpr std::int16_t default_offsets[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

/// One of the three codes of a sequence: what its table may be.
struct SequenceCode {
  std::span<const std::int16_t> defaults;
  unsigned default_accuracy;
  unsigned highest_accuracy;
  unsigned symbols;
};

const SequenceCode literal_length{default_literals, 6, 9, 36};
const SequenceCode offset_code{default_offsets, 5, 8, 32};
const SequenceCode match_length{default_matches, 6, 9, 53};

class Frame {
 public:
  Frame(std::span<const std::byte> input, std::size_t size) : input_(input), size_(size) {}

  std::string decompress() {
    read_header();
    bool is_last = false;
    while (!is_last) {
      const std::uint64_t header = input_.number(3);
      is_last = (header & 1) != 0;
      read_block(static_cast<unsigned>(header >> 1 & 3), static_cast<std::size_t>(header >> 3));
    }
    require(output_.size() == size_);
    return std::move(output_);
  }

 private:
  void read_header() {
    require(input_.number(4) == frame_magic);
    const std::uint64_t descriptor = input_.number(1);
    const bool is_single = (descriptor & 0x20) != 0;
    const bool has_reserved_bit = (descriptor & 0x08) != 0;
    const bool has_dictionary = (descriptor & 3) != 0;
    require(!has_reserved_bit && !has_dictionary);
    if (!is_single) input_.number(1);
    constexpr std::size_t size_bytes[] = {0, 2, 4, 8};
    const auto size_kind = static_cast<std::size_t>(descriptor >> 6);
    // The size is known already.
    input_.take(size_kind == 0 && is_single ? 1 : size_bytes[size_kind]);
  }

  void grow(std::size_t bytes) const { require(bytes <= size_ - output_.size()); }

  void read_block(unsigned type, std::size_t size) {
    if (type == 0) {
      grow(size);
      append(input_.take(size));
    } else if (type == 1) {
      grow(size);
      output_.append(size, static_cast<char>(input_.number(1)));
    } else {
      require(type == 2 && size <= largest_block);
      Bytes block(input_.take(size));
      const std::string literals = read_literals(block);
      read_sequences(block, literals);
    }
  }

  void append(std::span<const std::byte> bytes) {
    output_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  std::string read_literals(Bytes& block) {
    const auto head = static_cast<unsigned>(std::to_integer<unsigned>(Bytes(block).take(1)[0]));
    const unsigned type = head & 3;
    const unsigned format = head >> 2 & 3;
    if (type >= 2) return read_coded_literals(block, type == 3, format);
    constexpr std::size_t header_bytes[] = {1, 2, 1, 3};
    const auto size = static_cast<std::size_t>(block.number(header_bytes[format]) >> (format % 2 == 0 ? 3 : 4));
    require(size <= largest_block);
    if (type == 1) return std::string(size, static_cast<char>(block.number(1)));
    const auto bytes = block.take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::string read_coded_literals(Bytes& block, bool keeps_table, unsigned format) {
    constexpr std::size_t header_bytes[] = {3, 3, 4, 5};
    constexpr unsigned size_bits[] = {10, 10, 14, 18};
    const std::uint64_t header = block.number(header_bytes[format]) >> 4;
    const std::uint64_t mask = (std::uint64_t{1} << size_bits[format]) - 1;
    const auto size = static_cast<std::size_t>(header & mask);
    const auto coded = static_cast<std::size_t>(header >> size_bits[format] & mask);
    require(size <= largest_block);
    Bytes input(block.take(coded));
    if (!keeps_table) huffman_ = HuffmanTable::read(input);
    std::string literals;
    literals.reserve(size);
    if (format == 0) {
      huffman_.decode(input.rest(), size, literals);
    } else {
      std::array<std::size_t, 3> streams{};
      for (std::size_t& each : streams) each = static_cast<std::size_t>(input.number(2));
      for (const std::size_t each : streams) huffman_.decode(input.take(each), size - literals.size(), literals);
      huffman_.decode(input.rest(), size - literals.size(), literals);
    }
    require(literals.size() == size);
    return literals;
  }

  void read_table(unsigned mode, const SequenceCode& code, Bytes& block, FseTable& table) {
    switch (mode) {
      case 0: table = FseTable::of(code.defaults, code.default_accuracy); break;
      case 1: {
        const auto symbol = static_cast<std::uint8_t>(block.number(1));
        require(symbol < code.symbols);
        table = FseTable::constant(symbol);
        break;
      }
      case 2: table = FseTable::read(block, code.symbols, code.highest_accuracy); break;
      default: require(!table.entries.empty()); break;
    }
  }

  void read_sequences(Bytes& block, const std::string& literals) {
    std::size_t literals_used = 0;
    auto count = static_cast<std::size_t>(block.number(1));
    if (count == 255) {
      count = static_cast<std::size_t>(block.number(2)) + 0x7f00;
    } else if (count >= 128) {
      count = ((count - 128) << 8) + static_cast<std::size_t>(block.number(1));
    }
    if (count > 0) {
      const auto modes = static_cast<unsigned>(block.number(1));
      require((modes & 3) == 0);
      read_table(modes >> 6, literal_length, block, literal_table_);
      read_table(modes >> 4 & 3, offset_code, block, offset_table_);
      read_table(modes >> 2 & 3, match_length, block, match_table_);
      literals_used = run_sequences(count, BackwardBits(block.rest()), literals);
    } else {
      require(block.left() == 0);
    }
    grow(literals.size() - literals_used);
    output_.append(literals, literals_used);
  }

  // Returns how many literals went out.
  std::size_t run_sequences(std::size_t count, BackwardBits bits, const std::string& literals) {
    FseState literal_state(literal_table_, bits);
    FseState offset_state(offset_table_, bits);
    FseState match_state(match_table_, bits);
    std::size_t used = 0;
    for (std::size_t each = 0; each < count; ++each) {
      const unsigned offset_bits = offset_state.symbol();
      const LengthCode match = match_codes[match_state.symbol()];
      const LengthCode literal = literal_codes[literal_state.symbol()];
      const std::uint64_t offset_value = (std::uint64_t{1} << offset_bits) + bits.read(offset_bits);
      const auto matched = static_cast<std::size_t>(match.base + bits.read(match.bits));
      const auto copied = static_cast<std::size_t>(literal.base + bits.read(literal.bits));
      if (each + 1 < count) {
        literal_state.advance(bits);
        match_state.advance(bits);
        offset_state.advance(bits);
      }
      require(bits.left() >= 0 && copied <= literals.size() - used);
      grow(copied);
      output_.append(literals, used, copied);
      used += copied;
      copy_match(next_offset(offset_value, copied == 0), matched);
    }
    require(bits.left() == 0);
    return used;
  }

  // Values up to 3 mean one of the last three offsets.
  std::uint64_t next_offset(std::uint64_t value, bool has_no_literals) {
    std::size_t place = 3;
    std::uint64_t offset = value - 3;
    if (value <= 3) {
      place = static_cast<std::size_t>(value) - (has_no_literals ? 0 : 1);
      offset = place == 3 ? offsets_[0] - 1 : offsets_[place];
    }
    if (place >= 2) offsets_[2] = offsets_[1];
    if (place >= 1) offsets_[1] = offsets_[0];
    offsets_[0] = offset;
    return offset;
  }

  void copy_match(std::uint64_t offset, std::size_t count) {
    require(offset != 0 && offset <= output_.size());
    grow(count);
    // Byte by byte: a match may reach into what it writes.
    const std::size_t from = output_.size() - static_cast<std::size_t>(offset);
    for (std::size_t each = 0; each < count; ++each) output_.push_back(output_[from + each]);
  }

  Bytes input_;
  std::size_t size_;
  std::string output_;
  HuffmanTable huffman_;
  FseTable literal_table_;
  FseTable offset_table_;
  FseTable match_table_;
  std::array<std::uint64_t, 3> offsets_{1, 4, 8};
};

}  // namespace

std::optional<std::string> decompress_zstd(std::span<const std::byte> frame, std::size_t size) {
  try {
    return Frame(frame, size).decompress();
  } catch (const zstd::Malformed&) {
    return std::nullopt;
  }
}

}  // namespace emulator::ptx
