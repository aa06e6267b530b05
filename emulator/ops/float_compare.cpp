// SPDX-License-Identifier: Apache-2.0
// setp and set of floats, halves and bf16; selp.f32 selp.f64; slct by a float.
#include <array>
#include <type_traits>

#include "ops/float_lanes.hpp"
#include "ops/half_bits.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

// The questions that all compares come down to, by swapping operands and negating.
enum class Question { equal, unequal, less, less_or_equal, numbers };

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

template <Question Asked, class T>
__attribute__((noinline)) LaneMask ask(const T* a, const T* b) noexcept {
  const NearestScope scope;  // an invalid operation may not trap, and a subnormal may not be read as zero
  constexpr auto test = [](T x, T y) { return answer<Asked>(x, y); };
  return test_lanes<test>(a, b);
}

// Operands whose storage is not yet the number to compare are made numbers first.
struct Numbers {
  alignas(64) float value[warp_size];
};

template <auto Read, class Storage>
__attribute__((noinline)) void read_numbers(Numbers& numbers, const Storage* source, unsigned shift) noexcept {
  for (unsigned lane = 0; lane < warp_size; ++lane) numbers.value[lane] = Read(source[lane], shift);
}

// Operand kinds. `shift` picks the half of a pair that is compared; only halves look at it.
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
constexpr auto read_flushed = [](float value, unsigned) { return flush(value); };
template <class Format, bool Ftz>
constexpr auto read_half = [](std::uint32_t value, unsigned shift) {
  const std::uint32_t half = value >> shift & 0xffffu;
  return widen<Format>(Ftz ? flush_bits<Format>(half) : half);
};
using FlushedSingle = Converted<float, read_flushed, 32>;
template <class Format, bool Ftz>
using Half = Converted<std::uint32_t, read_half<Format, Ftz>, 16>;

// A comparison operator of PTX. The u-forms hold for NaN: each is the negation of its opposite.
struct Operator {
  std::string_view name;
  Question question;
  bool swapped;
  bool negated;
};
constexpr std::array<Operator, 14> operators{{
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

// How a compare meets the predicate c. Without an operator c is the all-lanes mask, and "and" leaves the compare as it is.
enum class Combine : std::uint8_t { logical_and, logical_or, logical_xor };

inline LaneMask combine(Combine how, LaneMask compared, LaneMask with) {
  if (how == Combine::logical_and) return compared & with;
  return how == Combine::logical_or ? compared | with : compared ^ with;
}

using Compare = LaneMask (*)(Warp&, std::uint32_t a, std::uint32_t b, unsigned shift) noexcept;

// All that tells one handler from another but the compare itself: handlers pass it on in a register and share their bodies.
struct Variant {
  std::uint32_t value = 0;  // what set writes where the compare holds
  Combine how = Combine::logical_and;
  bool swapped = false;
  bool negated = false;
  bool pair = false;  // halves are compared one by one
};
static_assert(sizeof(Variant) == 8);

template <std::size_t Index>
constexpr Variant variant(Combine how, bool pair, std::uint32_t value = 0) {
  return {value, how, operators[Index].swapped, operators[Index].negated, pair};
}

inline LaneMask run_compare(Warp& warp, std::uint32_t a, std::uint32_t b, Compare compare, Variant variant,
                            unsigned shift) {
  const LaneMask answers = variant.swapped ? compare(warp, b, a, shift) : compare(warp, a, b, shift);
  return variant.negated ? ~answers : answers;
}

// setp writes p and q: a compare and its negation, or those of the low and of the high halves.
inline Outcome write_predicates(Warp& warp, const Op& op, LaneMask mask, Combine how, LaneMask p, LaneMask q) {
  const LaneMask with = read_predicate(warp, op.operand[4]);
  write_predicate(warp, op.operand[0], mask, combine(how, p, with));
  write_predicate(warp, op.operand[1], mask, combine(how, q, with));
  return Outcome::next;
}

__attribute__((noinline)) Outcome run_setp(Warp& warp, const Op& op, LaneMask mask, Compare compare,
                                           Variant variant) noexcept {
  const LaneMask low = run_compare(warp, op.operand[2], op.operand[3], compare, variant, 0);
  const LaneMask high = variant.pair ? run_compare(warp, op.operand[2], op.operand[3], compare, variant, 16) : ~low;
  return write_predicates(warp, op, mask, variant.how, low, high);
}

// set writes a value where the compare holds, else 0; a pair has one in each half.
__attribute__((noinline)) Outcome run_set(Warp& warp, const Op& op, LaneMask mask, Compare compare,
                                          Variant variant) noexcept {
  const LaneMask with = read_predicate(warp, op.operand[3]);
  const LaneMask low = combine(variant.how, run_compare(warp, op.operand[1], op.operand[2], compare, variant, 0), with);
  LaneMask high = 0;
  if (variant.pair) {
    high = combine(variant.how, run_compare(warp, op.operand[1], op.operand[2], compare, variant, 16), with);
  }
  std::uint32_t* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const LaneMask bit = lane_bits<LaneMask>.bit[lane];
    const std::uint32_t result =
        ((low & bit) != 0 ? variant.value : 0u) | ((high & bit) != 0 ? variant.value << 16 : 0u);
    destination[lane] = (mask & bit) != 0 ? result : destination[lane];
  }
  return Outcome::next;
}

// The handler families; each makes a table over operators and combinations.
template <class Kind, bool Pair = false>
struct Setp {
  template <std::size_t Index, Combine How>
  static Outcome run(Warp& warp, const Op& op, LaneMask mask) noexcept {
    constexpr Operator asked = operators[Index];
    if constexpr (Kind::bits == 16) {
      return run_setp(warp, op, mask, Kind::template compare<asked.question>, variant<Index>(How, Pair));
    } else {  // the frequent ones do without a call through a pointer
      const std::uint32_t a = op.operand[asked.swapped ? 3 : 2];
      const std::uint32_t b = op.operand[asked.swapped ? 2 : 3];
      const LaneMask answers = Kind::template compare<asked.question>(warp, a, b, 0);
      return write_predicates(warp, op, mask, How, asked.negated ? ~answers : answers,
                              asked.negated ? answers : ~answers);
    }
  }
};
template <class Kind, std::uint32_t Value, bool Pair = false>
struct Set {
  template <std::size_t Index, Combine How>
  static Outcome run(Warp& warp, const Op& op, LaneMask mask) noexcept {
    return run_set(warp, op, mask, Kind::template compare<operators[Index].question>, variant<Index>(How, Pair, Value));
  }
};

template <class Family, Combine How, std::size_t... Index>
constexpr std::array<Handler, sizeof...(Index)> handlers_of(std::index_sequence<Index...>) {
  return {Family::template run<Index, How>...};
}

// Adds the rows of a family: every operator, alone and with each combination.
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

// set of one source type. What lies above 16 bits of a narrow destination is free, so all ones serve u16 too.
template <class Kind>
void add_set_rows(OpcodeTable& table, std::string_view ftz, std::string_view source) {
  constexpr bool half = Kind::bits == 16;
  constexpr const char* to_32 = half ? "=b32 b16 b16 p?" : Kind::bits == 32 ? "=b32 b32 b32 p?" : "=b32 b64 b64 p?";
  constexpr const char* to_16 = half ? "=b16 b16 b16 p?" : Kind::bits == 32 ? "=b16 b32 b32 p?" : "=b16 b64 b64 p?";
  const auto types = [&](std::string_view destination) { return joined({ftz, destination, source}); };
  add_family<Set<Kind, 0xffffffffu>>(table, "set", types("u32"), to_32);
  add_family<Set<Kind, 0xffffffffu>>(table, "set", types("s32"), to_32);
  add_family<Set<Kind, F32::one>>(table, "set", types("f32"), to_32);
  add_family<Set<Kind, F16::one>>(table, "set", types("f16"), to_16);
  add_family<Set<Kind, Bf16::one>>(table, "set", types("bf16"), to_16);
  if (!half) return;
  add_family<Set<Kind, 0xffffffffu>>(table, "set", types("u16"), to_16);
  add_family<Set<Kind, 0xffffffffu>>(table, "set", types("s16"), to_16);
}

template <class Kind>
void add_scalar_rows(OpcodeTable& table, std::string_view ftz, std::string_view type) {
  constexpr const char* signature = Kind::bits == 16   ? "=p =p b16 b16 p?"
                                    : Kind::bits == 32 ? "=p =p b32 b32 p?"
                                                       : "=p =p b64 b64 p?";
  add_family<Setp<Kind>>(table, "setp", joined({ftz, type}), signature);
  add_set_rows<Kind>(table, ftz, type);
}

template <class Format, bool Ftz>
void add_pair_rows(OpcodeTable& table, std::string_view ftz, std::string_view type) {
  add_family<Setp<Half<Format, Ftz>, true>>(table, "setp", joined({ftz, type}), "=p =p b32 b32 p?");
  add_family<Set<Half<Format, Ftz>, Format::one, true>>(table, "set", joined({ftz, type, type}), "=b32 b32 b32 p?");
  add_family<Set<Half<Format, Ftz>, 0xffffu, true>>(table, "set", joined({ftz, "u32", type}), "=b32 b32 b32 p?");
  add_family<Set<Half<Format, Ftz>, 0xffffu, true>>(table, "set", joined({ftz, "s32", type}), "=b32 b32 b32 p?");
}

template <class T>
Outcome select(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const LaneMask chosen = read_predicate(warp, op.operand[3]);
  const T* a = lane_values<T>(warp, op.operand[1]);
  const T* b = lane_values<T>(warp, op.operand[2]);
  T* destination = lane_values<T>(warp, op.operand[0]);
  if ((mask | warp.idle) == every_lane) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      destination[lane] = (chosen & lane_bits<T>.bit[lane]) != 0 ? a[lane] : b[lane];
    }
    return Outcome::next;
  }
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const T value = (chosen & lane_bits<T>.bit[lane]) != 0 ? a[lane] : b[lane];
    destination[lane] = (mask & lane_bits<T>.bit[lane]) != 0 ? value : destination[lane];
  }
  return Outcome::next;
}

// slct takes a where c >= 0; -0 is, NaN is not. Only the sign and NaN matter, so subnormals change nothing but under .ftz,
// where a negative one becomes -0.
template <class T, bool Ftz>
constexpr auto slct = [](T a, T b, float c) { return read_f32<Ftz>(c) >= 0.0f ? a : b; };

void add_selections(OpcodeTable& table) {
  add_row(table, {"selp.f32"}, "=b32 b32 b32 p", select<std::uint32_t>);
  add_row(table, {"selp.f64"}, "=b64 b64 b64 p", select<std::uint64_t>);
  using Narrow = std::uint32_t;
  using Wide = std::uint64_t;
  for (const std::string_view type : {"b16", "u16", "s16"}) {
    add_row(table, {"slct", type, "f32"}, "=b16 b16 b16 b32",
            map_floats<slct<Narrow, false>, Narrow, Narrow, Narrow, float>);
    add_row(table, {"slct.ftz", type, "f32"}, "=b16 b16 b16 b32",
            map_floats<slct<Narrow, true>, Narrow, Narrow, Narrow, float>);
  }
  for (const std::string_view type : {"b32", "u32", "s32", "f32"}) {
    add_row(table, {"slct", type, "f32"}, "=b32 b32 b32 b32",
            map_floats<slct<Narrow, false>, Narrow, Narrow, Narrow, float>);
    add_row(table, {"slct.ftz", type, "f32"}, "=b32 b32 b32 b32",
            map_floats<slct<Narrow, true>, Narrow, Narrow, Narrow, float>);
  }
  for (const std::string_view type : {"b64", "u64", "s64", "f64"}) {
    add_row(table, {"slct", type, "f32"}, "=b64 b64 b64 b32", map_floats<slct<Wide, false>, Wide, Wide, Wide, float>);
    add_row(table, {"slct.ftz", type, "f32"}, "=b64 b64 b64 b32",
            map_floats<slct<Wide, true>, Wide, Wide, Wide, float>);
  }
}

}  // namespace

void add_float_compare_rows(OpcodeTable& table) {
  add_scalar_rows<Single>(table, "", "f32");
  add_scalar_rows<FlushedSingle>(table, "ftz", "f32");
  add_scalar_rows<Double>(table, "", "f64");
  add_scalar_rows<Half<F16, false>>(table, "", "f16");
  add_scalar_rows<Half<F16, true>>(table, "ftz", "f16");
  add_scalar_rows<Half<Bf16, false>>(table, "", "bf16");
  add_pair_rows<F16, false>(table, "", "f16x2");
  add_pair_rows<F16, true>(table, "ftz", "f16x2");
  add_pair_rows<Bf16, false>(table, "", "bf16x2");
  add_selections(table);
}

}  // namespace emulator::EMULATOR_ISA
