// SPDX-License-Identifier: Apache-2.0
// Compares of floats: PTX's fourteen operators as five questions, asked of every operand type; what setp and set share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ops/float_lanes.hpp"
#include "ops/half_bits.hpp"

namespace emulator::EMULATOR_ISA {

/// The questions that all compares come down to, by swapping operands and negating.
enum class Question { equal, unequal, less, less_or_equal, numbers };

/// The answer for one pair of values.
template <Question Asked, class T>
inline __attribute__((always_inline)) bool answer(T a, T b) {
  switch (Asked) {
    case Question::equal: return a == b;
    case Question::unequal: return static_cast<bool>(static_cast<unsigned>(a < b) | static_cast<unsigned>(a > b));
    case Question::less: return a < b;
    case Question::less_or_equal: return a <= b;
    default: return static_cast<bool>(static_cast<unsigned>(a == a) & static_cast<unsigned>(b == b));
  }
}

/// The answers for all lanes.
template <Question Asked, class T>
__attribute__((noinline)) LaneMask ask(const T* a, const T* b) noexcept {
  const NearestScope scope;  // an invalid operation may not trap, and a subnormal may not be read as zero
  constexpr auto test = [](T x, T y) { return answer<Asked>(x, y); };
  return test_lanes<test>(a, b);
}

/// Operands whose storage is not yet the number to compare are made numbers first.
struct Numbers {
  alignas(64) float value[warp_size];
};

/// Makes them so; `shift` is given to Read.
template <auto Read, class Storage>
__attribute__((noinline)) void read_numbers(Numbers& numbers, const Storage* source, unsigned shift) noexcept {
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) numbers.value[lane] = Read(source[lane], shift);
}

/// Operand kinds. `shift` picks the half of a pair that is compared; only halves look at it.
struct Single {
  static constexpr unsigned bits = 32;
  template <Question Asked>
  static LaneMask compare(Warp& warp, std::uint32_t a, std::uint32_t b, unsigned) noexcept {
    return ask<Asked>(lane_values<float>(warp, a), lane_values<float>(warp, b));
  }
};
struct Double {
  static constexpr unsigned bits = 64;
  template <Question Asked>
  static LaneMask compare(Warp& warp, std::uint32_t a, std::uint32_t b, unsigned) noexcept {
    return ask<Asked>(lane_values<double>(warp, a), lane_values<double>(warp, b));
  }
};
template <class Storage, auto Read, unsigned Bits>
struct Converted {
  static constexpr unsigned bits = Bits;
  template <Question Asked>
  static LaneMask compare(Warp& warp, std::uint32_t a, std::uint32_t b, unsigned shift) noexcept {
    Numbers x;
    Numbers y;
    read_numbers<Read>(x, lane_values<Storage>(warp, a), shift);
    read_numbers<Read>(y, lane_values<Storage>(warp, b), shift);
    return ask<Asked>(x.value, y.value);
  }
};
inline constexpr auto read_flushed = [](float value, unsigned) { return flush(value); };
template <class Format, bool Ftz>
inline constexpr auto read_half = [](std::uint32_t value, unsigned shift) {
  const std::uint32_t half = value >> shift & 0xffffu;
  return widen<Format>(Ftz ? flush_bits<Format>(half) : half);
};
using FlushedSingle = Converted<float, read_flushed, 32>;
template <class Format, bool Ftz>
using Half = Converted<std::uint32_t, read_half<Format, Ftz>, 16>;

/// A comparison operator of PTX. The u-forms hold for NaN: each is the negation of its opposite.
struct Operator {
  std::string_view name;
  Question question;
  bool swapped;
  bool negated;
};
inline constexpr std::array<Operator, 14> operators{{
    {"eq", Question::equal, false, false},
    {"ne", Question::unequal, false, false},
    {"lt", Question::less, false, false},
    {"le", Question::less_or_equal, false, false},
    {"gt", Question::less, true, false},
    {"ge", Question::less_or_equal, true, false},
    {"equ", Question::unequal, false, true},
    {"neu", Question::equal, false, true},
    {"ltu", Question::less_or_equal, true, true},
    {"leu", Question::less, true, true},
    {"gtu", Question::less_or_equal, false, true},
    {"geu", Question::less, false, true},
    {"num", Question::numbers, false, false},
    {"nan", Question::numbers, false, true},
}};

/// How a compare meets the predicate c. Without an operator c is the all-lanes mask, and "and" leaves the compare as
/// it is.
enum class Combine : std::uint8_t { logical_and, logical_or, logical_xor };

/// A compare met with c.
inline LaneMask combine(Combine how, LaneMask compared, LaneMask with) {
  if (how == Combine::logical_and) return compared & with;
  return how == Combine::logical_or ? compared | with : compared ^ with;
}

/// Compares two operands: a kind's `compare` for one question.
using Compare = LaneMask (*)(Warp&, std::uint32_t a, std::uint32_t b, unsigned shift) noexcept;

/// All that tells one handler from another but the compare itself: handlers pass it on in a register and share their
/// bodies.
struct Variant {
  std::uint32_t value = 0;  // what set writes where the compare holds
  Combine how = Combine::logical_and;
  bool swapped = false;
  bool negated = false;
  bool pair = false;  // halves are compared one by one
};
static_assert(sizeof(Variant) == 8);

/// The variant of an operator.
template <std::size_t Index>
constexpr Variant variant(Combine how, bool pair, std::uint32_t value = 0) {
  return {value, how, operators[Index].swapped, operators[Index].negated, pair};
}

/// An operator's answers from those to its question.
inline LaneMask run_compare(Warp& warp, std::uint32_t a, std::uint32_t b, Compare compare, Variant variant,
                            unsigned shift) {
  const LaneMask answers = variant.swapped ? compare(warp, b, a, shift) : compare(warp, a, b, shift);
  return variant.negated ? ~answers : answers;
}

/// A family's handlers in the order of `operators`.
template <class Family, Combine How, std::size_t... Index>
constexpr std::array<Handler, sizeof...(Index)> handlers_of(std::index_sequence<Index...>) {
  return {Family::template run<Index, How>...};
}

/// Adds the rows of a family: every operator, alone and with each combination.
template <class Family>
void add_family(OpcodeTable& table, std::string_view name, std::string_view types, const char* signature) {
  constexpr std::make_index_sequence<operators.size()> all;
  static constexpr auto with_and = handlers_of<Family, Combine::logical_and>(all);
  static constexpr auto with_or = handlers_of<Family, Combine::logical_or>(all);
  static constexpr auto with_xor = handlers_of<Family, Combine::logical_xor>(all);
  for (std::size_t index = 0; index < operators.size(); ++index) {
    const std::string_view op = operators[index].name;
    add_row(table, {name, op, types}, signature, with_and[index]);
    add_row(table, {name, op, "and", types}, signature, with_and[index]);
    add_row(table, {name, op, "or", types}, signature, with_or[index]);
    add_row(table, {name, op, "xor", types}, signature, with_xor[index]);
  }
}

/// The rows of set, in float_set.cpp.
void add_set_rows(OpcodeTable& table);

}  // namespace emulator::EMULATOR_ISA
