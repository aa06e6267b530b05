// SPDX-License-Identifier: Apache-2.0
// FSE and Huffman decoding for Zstandard.
#include "ptx/zstd_entropy.hpp"

#include <algorithm>
#include <bit>

namespace emulator::ptx::zstd {

namespace {

constexpr unsigned longest_code = 11;
constexpr unsigned weight_accuracy = 6;
constexpr std::size_t most_weights = 255;

unsigned highest_bit(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value)) - 1; }

// Bits from the first to the last, for FSE descriptions.
class ForwardBits {
 public:
  explicit ForwardBits(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] unsigned peek(unsigned count) const {
    unsigned value = 0;
    for (unsigned each = 0; each < count; ++each) value |= bit(place_ + each) << each;
    return value;
  }
  void skip(unsigned count) { place_ += count; }
  // Bytes that were begun.
  [[nodiscard]] std::size_t used() const { return (place_ + 7) / 8; }

 private:
  [[nodiscard]] unsigned bit(std::size_t place) const {
    if (place / 8 >= bytes_.size()) return 0;
    return std::to_integer<unsigned>(bytes_[place / 8]) >> (place % 8) & 1u;
  }

  std::span<const std::byte> bytes_;
  std::size_t place_ = 0;
};

// One probability plus one, in as many bits as what is left needs.
unsigned read_probability(ForwardBits& bits, unsigned left) {
  const unsigned width = highest_bit(left + 1) + 1;
  const unsigned value = bits.peek(width);
  const unsigned low = value & ((1u << (width - 1)) - 1);
  const unsigned short_codes = (1u << width) - 1 - (left + 1);
  if (low < short_codes) {
    bits.skip(width - 1);
    return low;
  }
  bits.skip(width);
  return value >= 1u << (width - 1) ? value - short_codes : value;
}

// The weights of all symbols but the last, whose weight follows from them.
std::vector<std::uint8_t> read_weights(Bytes& input) {
  const auto head = static_cast<std::size_t>(input.number(1));
  std::vector<std::uint8_t> weights;
  if (head >= 128) {
    const std::size_t count = head - 127;
    for (const std::byte each : input.take((count + 1) / 2)) {
      weights.push_back(std::to_integer<std::uint8_t>(each >> 4));
      weights.push_back(std::to_integer<std::uint8_t>(each & std::byte{15}));
    }
    weights.resize(count);
    return weights;
  }
  Bytes description(input.take(head));
  const FseTable table = FseTable::read(description, 256, weight_accuracy);
  BackwardBits bits(description.rest());
  FseState first(table, bits);
  FseState second(table, bits);
  require(bits.left() >= 0);
  // Two states take turns until the bits have run out.
  while (true) {
    require(weights.size() < most_weights);
    weights.push_back(first.symbol());
    first.advance(bits);
    std::swap(first, second);
    if (bits.left() < 0) break;
  }
  weights.push_back(first.symbol());
  return weights;
}

}  // namespace

std::uint64_t Bytes::number(std::size_t count) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const std::byte each : take(count)) {
    value |= std::to_integer<std::uint64_t>(each) << shift;
    shift += 8;
  }
  return value;
}

BackwardBits::BackwardBits(std::span<const std::byte> bytes) : bytes_(bytes) {
  require(!bytes.empty() && bytes.back() != std::byte{0});
  // The highest set bit of the last byte only marks the end.
  left_ = static_cast<std::int64_t>(bytes.size() - 1) * 8 + highest_bit(std::to_integer<std::uint64_t>(bytes.back()));
}

std::uint64_t BackwardBits::read(unsigned count) {
  std::uint64_t value = 0;
  std::int64_t place = left_ - count;
  left_ = place;
  unsigned done = 0;
  if (place < 0) {
    done = static_cast<unsigned>(std::min<std::int64_t>(-place, count));
    place += done;
  }
  while (done < count) {
    const auto offset = static_cast<unsigned>(place % 8);
    const unsigned piece = std::min(8 - offset, count - done);
    const auto byte = std::to_integer<std::uint64_t>(bytes_[static_cast<std::size_t>(place / 8)]);
    value |= (byte >> offset & ((1u << piece) - 1)) << done;
    done += piece;
    place += piece;
  }
  return value;
}

FseTable FseTable::of(std::span<const std::int16_t> probabilities, unsigned accuracy) {
  FseTable table;
  table.accuracy = accuracy;
  const std::size_t size = std::size_t{1} << accuracy;
  table.entries.resize(size);
  std::vector<unsigned> next(probabilities.size());
  std::size_t high = size;
  for (std::size_t symbol = 0; symbol < probabilities.size(); ++symbol) {
    if (probabilities[symbol] != -1) continue;
    table.entries[--high].symbol = static_cast<std::uint8_t>(symbol);
    next[symbol] = 1;
  }
  const std::size_t step = (size >> 1) + (size >> 3) + 3;
  std::size_t place = 0;
  for (std::size_t symbol = 0; symbol < probabilities.size(); ++symbol) {
    if (probabilities[symbol] <= 0) continue;
    next[symbol] = static_cast<unsigned>(probabilities[symbol]);
    for (std::int16_t each = 0; each < probabilities[symbol]; ++each) {
      table.entries[place].symbol = static_cast<std::uint8_t>(symbol);
      do {
        place = (place + step) & (size - 1);
      } while (place >= high);
    }
  }
  for (Entry& entry : table.entries) {
    const unsigned count = next[entry.symbol]++;
    entry.bits = static_cast<std::uint8_t>(accuracy - highest_bit(count));
    entry.base = static_cast<std::uint16_t>((std::size_t{count} << entry.bits) - size);
  }
  return table;
}

FseTable FseTable::constant(std::uint8_t symbol) { return {0, {{symbol, 0, 0}}}; }

FseTable FseTable::read(Bytes& input, unsigned most_symbols, unsigned highest_accuracy) {
  ForwardBits bits(input.rest());
  const unsigned accuracy = bits.peek(4) + 5;
  bits.skip(4);
  require(accuracy <= highest_accuracy);
  std::vector<std::int16_t> probabilities;
  unsigned left = 1u << accuracy;
  while (left > 0) {
    require(probabilities.size() < most_symbols);
    const unsigned coded = read_probability(bits, left);
    const int probability = static_cast<int>(coded) - 1;
    const auto used = static_cast<unsigned>(probability < 0 ? 1 : probability);
    require(used <= left);
    left -= used;
    probabilities.push_back(static_cast<std::int16_t>(probability));
    if (probability != 0) continue;
    unsigned zeros = 3;
    while (zeros == 3) {
      zeros = bits.peek(2);
      bits.skip(2);
      probabilities.insert(probabilities.end(), zeros, 0);
      require(probabilities.size() <= most_symbols);
    }
  }
  input.take(bits.used());
  return of(probabilities, accuracy);
}

HuffmanTable HuffmanTable::read(Bytes& input) {
  std::vector<std::uint8_t> weights = read_weights(input);
  std::uint64_t sum = 0;
  for (const std::uint8_t each : weights) {
    require(each <= longest_code);
    if (each != 0) sum += std::uint64_t{1} << (each - 1);
  }
  require(sum != 0);
  HuffmanTable table;
  table.longest = highest_bit(sum) + 1;
  require(table.longest <= longest_code);
  const std::uint64_t rest = (std::uint64_t{1} << table.longest) - sum;
  require(std::has_single_bit(rest));
  weights.push_back(static_cast<std::uint8_t>(highest_bit(rest) + 1));
  // Codes in the order of their weights, and of their symbols where weights are equal.
  for (unsigned weight = 1; weight <= table.longest; ++weight) {
    for (std::size_t symbol = 0; symbol < weights.size(); ++symbol) {
      if (weights[symbol] != weight) continue;
      const Entry entry{static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(table.longest + 1 - weight)};
      table.entries.insert(table.entries.end(), std::size_t{1} << (weight - 1), entry);
    }
  }
  return table;
}

void HuffmanTable::decode(std::span<const std::byte> stream, std::size_t most, std::string& output) const {
  require(!entries.empty());
  BackwardBits bits(stream);
  const std::uint64_t mask = entries.size() - 1;
  std::uint64_t state = bits.read(longest);
  const std::int64_t end = -static_cast<std::int64_t>(longest);
  for (std::size_t count = 0; bits.left() > end; ++count) {
    require(count < most);
    const Entry& entry = entries[state];
    output.push_back(static_cast<char>(entry.symbol));
    state = (state << entry.bits | bits.read(entry.bits)) & mask;
  }
  require(bits.left() == end);
}

}  // namespace emulator::ptx::zstd
