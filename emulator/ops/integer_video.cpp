// SPDX-License-Identifier: Apache-2.0
// Dot products of bytes, and the packed video instructions on two halves or four bytes of a word.
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

/// Part `index` of a word, extended by its type.
template <class Part>
std::int32_t part(std::uint32_t word, unsigned index) {
  return static_cast<Part>(word >> (8 * sizeof(Part) * index));
}

template <class A, class B>
std::uint32_t dot_four(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 4; ++i) c += static_cast<std::uint32_t>(part<A>(a, i) * part<B>(b, i));
  return c;
}

/// Halves of a times two bytes of b: the lower or the upper ones.
template <class A, class B, bool Upper>
std::uint32_t dot_two(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 2; ++i) c += static_cast<std::uint32_t>(part<A>(a, i) * part<B>(b, i + (Upper ? 2 : 0)));
  return c;
}

template <bool SignedA, bool SignedB>
void add_dot_rows(OpcodeTable& table, const char* types) {
  using A2 = std::conditional_t<SignedA, std::int16_t, std::uint16_t>;
  using A4 = std::conditional_t<SignedA, std::int8_t, std::uint8_t>;
  using B = std::conditional_t<SignedB, std::int8_t, std::uint8_t>;
  add_rare_lanes<dot_four<A4, B>>(table, "dp4a.%", types);
  add_rare_lanes<dot_two<A2, B, false>>(table, "dp2a.lo.%", types);
  add_rare_lanes<dot_two<A2, B, true>>(table, "dp2a.hi.%", types);
}

/// The sum of the four absolute differences, and the differences themselves: what compilers emit.
std::uint32_t absolute_difference(std::uint32_t a, std::uint32_t b, unsigned index) {
  const std::int32_t difference = part<std::uint8_t>(a, index) - part<std::uint8_t>(b, index);
  return static_cast<std::uint32_t>(difference < 0 ? -difference : difference);
}

std::uint32_t absolute_differences(std::uint32_t a, std::uint32_t b, std::uint32_t) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) result |= absolute_difference(a, b, i) << (8 * i);
  return result;
}

std::uint32_t sum_of_absolute_differences(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 4; ++i) c += absolute_difference(a, b, i);
  return c;
}

enum class VideoOperation : std::uint8_t { add, sub, average, absolute_difference, min, max, eq, ne, lt, le, gt, ge };
enum class VideoEnd : std::uint8_t { truncate, saturate, accumulate };

/// A packed instruction. Rare: one loop serves all of them.
struct VideoForm {
  VideoOperation operation;
  VideoEnd end;
  std::uint8_t parts;
  bool signed_result;
  bool signed_a;
  bool signed_b;
};

std::int32_t calculate(VideoOperation operation, std::int32_t a, std::int32_t b) {
  switch (operation) {
    case VideoOperation::add: return a + b;
    case VideoOperation::sub: return a - b;
    // Halves round up where the sum is not negative, else down: away from zero.
    case VideoOperation::average: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOperation::absolute_difference: return a < b ? b - a : a - b;
    case VideoOperation::min: return a < b ? a : b;
    case VideoOperation::max: return a < b ? b : a;
    case VideoOperation::eq: return a == b;
    case VideoOperation::ne: return a != b;
    case VideoOperation::lt: return a < b;
    case VideoOperation::le: return a <= b;
    case VideoOperation::gt: return a > b;
    case VideoOperation::ge: return a >= b;
  }
  return 0;
}

std::int32_t read_part(std::uint32_t word, unsigned bits, unsigned index, bool is_signed) {
  const std::uint32_t at_top = word << (32 - bits * (index + 1));
  return is_signed ? static_cast<std::int32_t>(at_top) >> (32 - bits)
                   : static_cast<std::int32_t>(at_top >> (32 - bits));
}

std::uint32_t video_lane(const VideoForm& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned bits = 32u / form.parts;
  const std::int32_t low = form.signed_result ? -(1 << (bits - 1)) : 0;
  const std::int32_t high = form.signed_result ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  std::uint32_t result = form.end == VideoEnd::accumulate ? c : 0;
  for (unsigned i = 0; i < form.parts; ++i) {
    std::int32_t value =
        calculate(form.operation, read_part(a, bits, i, form.signed_a), read_part(b, bits, i, form.signed_b));
    if (form.end == VideoEnd::accumulate) {
      result += static_cast<std::uint32_t>(value);
      continue;
    }
    if (form.end == VideoEnd::saturate) value = value < low ? low : value > high ? high : value;
    result |= (static_cast<std::uint32_t>(value) & ((1u << bits) - 1)) << (bits * i);
  }
  return result;
}

// Forms are numbered, so that one loop makes the rows: operation, parts, three signs, end.
constexpr unsigned arithmetic_rows = 6 * 2 * 8 * 3;
constexpr unsigned comparison_rows = 6 * 2 * 4 * 2;

constexpr VideoForm arithmetic_form(unsigned number) {
  const unsigned signs = number / 3 % 8;
  return {static_cast<VideoOperation>(number / 48),
          static_cast<VideoEnd>(number % 3),
          static_cast<std::uint8_t>(number / 24 % 2 == 0 ? 2 : 4),
          (signs & 4) != 0,
          (signs & 2) != 0,
          (signs & 1) != 0};
}

constexpr VideoForm comparison_form(unsigned number) {
  const unsigned first = static_cast<unsigned>(VideoOperation::eq);
  return {static_cast<VideoOperation>(first + number / 16),
          number % 2 == 0 ? VideoEnd::truncate : VideoEnd::accumulate,
          static_cast<std::uint8_t>(number / 8 % 2 == 0 ? 2 : 4),
          false,
          (number & 4) != 0,
          (number & 2) != 0};
}

constexpr VideoForm form_of(unsigned number) {
  return number < arithmetic_rows ? arithmetic_form(number) : comparison_form(number - arithmetic_rows);
}

// `used` keeps its parameters as they are: a handler stays a jump.
__attribute__((noinline, used)) Outcome run_video(Warp& warp, const Op& op, LaneMask mask, unsigned number) noexcept {
  const VideoForm form = form_of(number);
  const std::uint32_t* a = lane_values<std::uint32_t>(warp, op.operand[1]);
  const std::uint32_t* b = lane_values<std::uint32_t>(warp, op.operand[2]);
  const std::uint32_t* c = lane_values<std::uint32_t>(warp, op.operand[3]);
  std::uint32_t* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((mask >> lane & 1) != 0) destination[lane] = video_lane(form, a[lane], b[lane], c[lane]);
  }
  return Outcome::next;
}

template <unsigned Number>
Outcome video(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return run_video(warp, op, mask, Number);
}

/// The compilers' forms have handlers of their own.
template <unsigned Number>
constexpr Handler video_handler() {
  constexpr VideoForm form = form_of(Number);
  constexpr bool of_unsigned_bytes = form.operation == VideoOperation::absolute_difference && form.parts == 4 &&
                                     !form.signed_result && !form.signed_a && !form.signed_b;
  if constexpr (of_unsigned_bytes && form.end == VideoEnd::accumulate) {
    return LaneFunction<sum_of_absolute_differences>::compact_handler;
  } else if constexpr (of_unsigned_bytes) {
    return LaneFunction<absolute_differences>::compact_handler;
  } else {
    return video<Number>;
  }
}

template <std::size_t... I>
constexpr std::array<Handler, sizeof...(I)> video_handlers(std::index_sequence<I...>) {
  return {video_handler<I>()...};
}

std::string video_spelling(const VideoForm& form) {
  static constexpr const char* names[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
  static constexpr const char* relations[] = {".eq", ".ne", ".lt", ".le", ".gt", ".ge"};
  const auto type = [](bool is_signed) { return is_signed ? ".s32" : ".u32"; };
  const auto operation = static_cast<unsigned>(form.operation);
  const bool compares = operation >= std::size(names);
  return joined({compares ? "vset" : names[operation], form.parts == 2 ? "2" : "4",
                 compares ? "" : type(form.signed_result), type(form.signed_a), type(form.signed_b),
                 compares ? relations[operation - std::size(names)] : "",
                 form.end == VideoEnd::saturate     ? ".sat"
                 : form.end == VideoEnd::accumulate ? ".add"
                                                    : ""});
}

}  // namespace

void add_video_rows(OpcodeTable& table) {
  add_dot_rows<false, false>(table, "u32.u32");
  add_dot_rows<false, true>(table, "u32.s32");
  add_dot_rows<true, false>(table, "s32.u32");
  add_dot_rows<true, true>(table, "s32.s32");
  static constexpr auto handlers = video_handlers(std::make_index_sequence<arithmetic_rows + comparison_rows>());
  for (unsigned number = 0; number < handlers.size(); ++number) {
    table.add(video_spelling(form_of(number)), "=b32 b32 b32 b32", handlers[number]);
  }
}

}  // namespace emulator::EMULATOR_ISA
