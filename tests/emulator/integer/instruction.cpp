// SPDX-License-Identifier: Apache-2.0
// One instruction on a warp made by hand.
#include "instruction.hpp"

#include <cstring>
#include <sstream>
#include <stdexcept>

// ops/rows.hpp declares the rows of one variant at a time: tests run both.
#define EMULATOR_INTEGER_ROWS(use) \
  use(add_integer_rows);           \
  use(add_carry_rows);             \
  use(add_bit_rows);               \
  use(add_video_rows);             \
  use(add_compare_rows);           \
  use(add_move_rows);              \
  use(add_integer_convert_rows)
#define EMULATOR_DECLARE_ROWS(name) void name(OpcodeTable& table)
#define EMULATOR_ADD_ROWS(name) name(variant.table)

namespace emulator::baseline {
EMULATOR_INTEGER_ROWS(EMULATOR_DECLARE_ROWS);
}
#if defined(__x86_64__)
namespace emulator::avx2 {
EMULATOR_INTEGER_ROWS(EMULATOR_DECLARE_ROWS);
}
#endif

namespace emulator::integer_tests {
namespace {

Variant baseline_variant() {
  using namespace emulator::baseline;
  Variant variant{"baseline", {}};
  EMULATOR_INTEGER_ROWS(EMULATOR_ADD_ROWS);
  return variant;
}

#if defined(__x86_64__)
Variant avx2_variant() {
  using namespace emulator::avx2;
  Variant variant{"avx2", {}};
  EMULATOR_INTEGER_ROWS(EMULATOR_ADD_ROWS);
  return variant;
}
#endif

unsigned bits_of_word(std::string word) {
  if (word.starts_with('=')) word.erase(0, 1);
  if (word.starts_with('p')) return 1;
  if (word == "_" || word == "i") return 0;
  return static_cast<unsigned>(std::stoul(word.substr(1)));
}

std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

const std::vector<const Variant*>& variants() {
  static const Variant baseline = baseline_variant();
  static const std::vector<const Variant*> all = [] {
    std::vector<const Variant*> made{&baseline};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
      static const Variant avx2 = avx2_variant();
      made.push_back(&avx2);
    }
#endif
    return made;
  }();
  return all;
}

Lanes all_lanes(std::uint64_t value) {
  Lanes lanes;
  lanes.fill(value);
  return lanes;
}

Instruction::Instruction(const Variant& variant, std::string_view spelling) : variant_(variant.name) {
  const OpcodeRow* row = variant.table.find(spelling);
  if (row == nullptr) throw std::invalid_argument("no row " + std::string(spelling));
  std::istringstream words(row->signature);
  for (std::string word; words >> word;) slots_.push_back({bits_of_word(word), word == "i"});
  op_.handler = row->handler;
  for (unsigned operand = 0; operand < slots_.size() && operand < 6; ++operand)
    op_.operand[operand] = place_of(operand);
  warp_.frame = frame_.data();
  const LaneMask every = every_lane;
  std::memcpy(frame_.data(), &every, sizeof every);
}

void Instruction::set(unsigned operand, const Lanes& values) {
  std::byte* place = frame_.data() + place_of(operand);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if (bits(operand) == 64) {
      std::memcpy(place + 8 * lane, &values[lane], 8);
    } else {
      auto word = static_cast<std::uint32_t>(low_bits(values[lane], bits(operand)));
      if (bits(operand) < 32) word |= (0x9e3779b9u * (lane + 1)) << bits(operand);
      std::memcpy(place + 4 * lane, &word, 4);
    }
  }
}

void Instruction::set_predicate(unsigned operand, LaneMask values, bool negated) {
  std::memcpy(frame_.data() + place_of(operand), &values, sizeof values);
  op_.operand[operand] = place_of(operand) | (negated ? 1u : 0u);
}

void Instruction::run(LaneMask mask) { ASSERT_EQ(op_.handler(warp_, op_, mask), Outcome::next); }

Lanes Instruction::get(unsigned operand) const {
  Lanes values;
  const std::byte* place = frame_.data() + (op_.operand[operand] & ~1u);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, place + (bits(operand) == 64 ? 8 : 4) * lane, bits(operand) == 64 ? 8 : 4);
    values[lane] = low_bits(value, bits(operand));
  }
  return values;
}

std::uint32_t Instruction::whole_slot(unsigned operand, unsigned lane) const {
  std::uint32_t word = 0;
  std::memcpy(&word, frame_.data() + op_.operand[operand] + 4 * lane, sizeof word);
  return word;
}

LaneMask Instruction::get_predicate(unsigned operand) const {
  LaneMask values = 0;
  std::memcpy(&values, frame_.data() + (op_.operand[operand] & ~1u), sizeof values);
  return values;
}

LaneMask mask_of_batch(std::size_t batch) {
  static constexpr LaneMask masks[] = {0xffffffffu, 0x0000ffffu, 0xaaaaaaaau, 0xffffffffu, 0x80000001u,
                                       0x7fffffffu, 0x00010000u, 0xffffffffu, 0xfffffffeu, 0x12345678u};
  return masks[batch % std::size(masks)];
}

std::string describe(std::string_view spelling, const Inputs& inputs, const Input& input, std::uint64_t expected,
                     std::uint64_t found) {
  std::ostringstream text;
  text << spelling << " of" << std::hex;
  for (unsigned source = 0; source < inputs.sources; ++source) text << " 0x" << input[source];
  text << ": expected 0x" << expected << ", found 0x" << found;
  return text.str();
}

bool check_batch(Instruction& instruction, std::string_view spelling, const Inputs& inputs, std::size_t first,
                 const Lanes& expected) {
  const std::size_t batch = first / warp_size;
  const auto input = [&](unsigned lane) -> const Input& { return inputs.lanes[(first + lane) % inputs.lanes.size()]; };
  for (unsigned source = 0; source < inputs.sources; ++source) {
    Lanes values;
    for (unsigned lane = 0; lane < warp_size; ++lane) values[lane] = input(lane)[source];
    instruction.set(source + 1, values);
  }
  const auto shared = static_cast<unsigned>(batch % (inputs.sources + 1));
  const bool can_share = shared > 0 && (instruction.bits(shared) == 64) == (instruction.bits(0) == 64);
  instruction.set(0, all_lanes(0x5a5a5a5a5a5a5a5au));
  instruction.alias(0, can_share ? shared : 0);
  const Lanes before = instruction.get(0);
  const LaneMask mask = mask_of_batch(batch);
  instruction.run(mask);
  const Lanes after = instruction.get(0);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint64_t wanted = (mask >> lane & 1) != 0 ? expected[lane] : before[lane];
    if (after[lane] == wanted) continue;
    ADD_FAILURE() << instruction.variant() << ": " << describe(spelling, inputs, input(lane), wanted, after[lane])
                  << " in lane " << lane << " of mask 0x" << std::hex << mask;
    return false;
  }
  return true;
}

}  // namespace emulator::integer_tests
