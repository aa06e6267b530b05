// SPDX-License-Identifier: Apache-2.0
// Rows on frames made by hand.
#include "rows.hpp"

#include <cstring>
#include <sstream>
#include <stdexcept>

#define FLOAT_ROWS(use)        \
  use(add_float_rows);         \
  use(add_rounding_rows);      \
  use(add_approximate_rows);   \
  use(add_float_compare_rows); \
  use(add_half_rows);          \
  use(add_float_convert_rows)
#define DECLARE(name) void name(OpcodeTable& table)
#define ADD(name) name(table)

namespace emulator {
namespace baseline {
FLOAT_ROWS(DECLARE);
}
namespace portable {
FLOAT_ROWS(DECLARE);
}
#if defined(EMULATOR_HAS_AVX2_ROWS)
namespace avx2 {
FLOAT_ROWS(DECLARE);
}
#endif

namespace float_tests {
namespace {

OpcodeTable baseline_rows() {
  using namespace baseline;
  OpcodeTable table;
  FLOAT_ROWS(ADD);
  return table;
}

OpcodeTable portable_rows() {
  using namespace portable;
  OpcodeTable table;
  FLOAT_ROWS(ADD);
  return table;
}

#if defined(EMULATOR_HAS_AVX2_ROWS)
OpcodeTable avx2_rows() {
  using namespace avx2;
  OpcodeTable table;
  FLOAT_ROWS(ADD);
  return table;
}
#endif

// Full, with holes, the whole warp because the rest is idle, and one lane.
struct Masks {
  LaneMask mask;
  LaneMask idle;
};
constexpr std::array<Masks, 5> masks{
    {{every_lane, 0}, {0x00ffff0fu, 0}, {0x0000ffffu, 0xffff0000u}, {every_lane, 0}, {0x00000200u, 0}}};

constexpr std::uint64_t untouched = 0xa5a5a5a5a5a5a5a5u;

using IsRight = std::function<bool(std::size_t input, std::uint64_t found)>;

// Runs 32 inputs and complains of the first wrong lane.
std::string complaint(Row& row, const Inputs& inputs, std::size_t first, const Masks& now, const IsRight& is_right) {
  std::array<std::uint64_t, warp_size> before{};
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    row.set_destination(0, lane, untouched);
    const Operands& operands = inputs[(first + lane) % inputs.size()];
    for (unsigned source = 0; source < row.sources() && source < operands.size(); ++source) {
      row.set_source(source, lane, operands[source]);
    }
    before[lane] = row.destination(0, lane);
  }
  row.run(now.mask, now.idle);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::size_t input = (first + lane) % inputs.size();
    const std::uint64_t found = row.destination(0, lane);
    const LaneMask bit = LaneMask{1} << lane;
    const bool runs = (now.mask & bit) != 0;
    const bool is_idle = (now.idle & bit) != 0;
    if (runs ? is_right(input, found) : is_idle || found == before[lane]) continue;
    std::ostringstream text;
    text << std::hex << (runs ? "of" : "outside of the mask, of");
    for (const std::uint64_t operand : inputs[input]) text << " 0x" << operand;
    text << ": 0x" << found;
    return text.str();
  }
  return "";
}

// All inputs in all variants; every other batch writes the register that it reads first.
void run_all(const std::string& spelling, const Inputs& inputs, const IsRight& is_right) {
  for (const Variant& variant : variants()) {
    Row apart(variant.table, spelling);
    Row in_place(variant.table, spelling);
    const bool has_in_place = in_place.alias_destination();
    std::size_t batch = 0;
    for (std::size_t first = 0; first < inputs.size(); first += warp_size, ++batch) {
      Row& row = has_in_place && batch % 2 == 1 ? in_place : apart;
      const std::string wrong = complaint(row, inputs, first, masks[batch % masks.size()], is_right);
      ASSERT_EQ(wrong, "") << spelling << ", " << variant.name;
    }
  }
}

}  // namespace

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> list;
    list.push_back({"baseline", baseline_rows()});
    list.push_back({"portable", portable_rows()});
#if defined(EMULATOR_HAS_AVX2_ROWS)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
      list.push_back({"avx2", avx2_rows()});
    }
#endif
    return list;
  }();
  return all;
}

Row::Row(const OpcodeTable& table, std::string_view spelling) {
  const OpcodeRow* row = table.find(spelling);
  if (row == nullptr) throw std::invalid_argument("no row " + std::string(spelling));
  handler_ = row->handler;
  // The decoder leaves an optional operand at the all-lanes mask where the spelling does not combine.
  const bool combines = spelling.find(".and.") != std::string_view::npos ||
                        spelling.find(".or.") != std::string_view::npos ||
                        spelling.find(".xor.") != std::string_view::npos;
  std::istringstream signature(row->signature);
  for (std::string slot; signature >> slot;) {
    if (slot.front() == '=') ++destinations_;
    const std::size_t digits = slot.find_first_of("0123456789");
    op_.operand[slots_.size()] = static_cast<std::uint32_t>(256 * (slots_.size() + 1));
    if (slot.back() == '?' && !combines) op_.operand[slots_.size()] = guard_always;
    slots_.push_back(digits == std::string::npos ? 1u : static_cast<unsigned>(std::stoul(slot.substr(digits))));
  }
  warp_.frame = frame_.data();
  std::memset(frame_.data(), 0xff, sizeof(LaneMask));
}

void Row::write(unsigned operand, unsigned lane, std::uint64_t value) {
  const std::uint32_t place = op_.operand[operand] & ~1u;
  if (place == guard_always) return;
  if (slots_.at(operand) == 64) {
    std::memcpy(frame_.data() + place + 8 * lane, &value, 8);
  } else if (slots_[operand] == 1) {
    LaneMask predicate = 0;
    std::memcpy(&predicate, frame_.data() + place, sizeof predicate);
    const LaneMask bit = LaneMask{1} << lane;
    predicate = (value & 1) != 0 ? predicate | bit : predicate & ~bit;
    std::memcpy(frame_.data() + place, &predicate, sizeof predicate);
  } else {
    auto word = static_cast<std::uint32_t>(value);
    // What lies above a narrow value may be anything: a NaN pattern here, so that its being read shows.
    if (slots_[operand] < 32) word = (word & ((1u << slots_[operand]) - 1)) | 0x7fc1ffffu << slots_[operand];
    std::memcpy(frame_.data() + place + 4 * lane, &word, 4);
  }
}

void Row::set_source(unsigned index, unsigned lane, std::uint64_t value) { write(destinations_ + index, lane, value); }

std::uint64_t Row::destination(unsigned index, unsigned lane) const {
  const std::byte* place = frame_.data() + op_.operand[index];
  const unsigned bits = slots_.at(index);
  if (bits == 64) {
    std::uint64_t value = 0;
    std::memcpy(&value, place + 8 * lane, 8);
    return value;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, place + (bits == 1 ? 0 : 4 * lane), 4);
  if (bits == 1) return word >> lane & 1u;
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

std::uint32_t Row::whole_register(unsigned index, unsigned lane) const {
  std::uint32_t word = 0;
  std::memcpy(&word, frame_.data() + op_.operand[index] + 4 * lane, 4);
  return word;
}

void Row::run(LaneMask mask, LaneMask idle) {
  warp_.active = mask;
  warp_.idle = idle;
  ASSERT_EQ(handler_(warp_, op_, mask), Outcome::next);
}

bool Row::alias_destination() {
  if (sources() == 0 || slots_[0] != slots_[destinations_] || slots_[0] == 1) return false;
  // The source is written after the destination, and so both have its value.
  op_.operand[0] = op_.operand[destinations_];
  return true;
}

void check_within(const std::string& spelling, const Inputs& inputs, const Judge& judge) {
  run_all(spelling, inputs, [&](std::size_t input, std::uint64_t found) { return judge(inputs[input], found); });
}

void check(const std::string& spelling, const Inputs& inputs, const Reference& reference) {
  std::vector<std::uint64_t> expected;
  expected.reserve(inputs.size());
  for (const Operands& operands : inputs) expected.push_back(reference(operands));
  run_all(spelling, inputs, [&](std::size_t input, std::uint64_t found) { return found == expected[input]; });
}

void expect(const std::string& spelling, const Operands& operands, std::uint64_t expected) {
  check(spelling, {operands}, [&](const Operands&) { return expected; });
}

}  // namespace float_tests
}  // namespace emulator
