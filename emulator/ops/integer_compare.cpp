// SPDX-License-Identifier: Apache-2.0
// setp, set, selp and slct of integers and untyped bits.
#include <array>
#include <string>

#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

// Three tests a type are enough: ne is the complement of eq, ge that of lt, le that of gt.
template <class T>
bool equal(Stored<T> a, Stored<T> b) {
  return from_stored<T>(a) == from_stored<T>(b);
}

template <class T>
bool less(Stored<T> a, Stored<T> b) {
  return from_stored<T>(a) < from_stored<T>(b);
}

template <class T>
bool greater(Stored<T> a, Stored<T> b) {
  return from_stored<T>(b) < from_stored<T>(a);
}

enum class Relation : unsigned { eq, ne, lt, le, gt, ge };

template <class T, Relation R>
inline __attribute__((always_inline)) LaneMask compare_inline(Warp& warp, std::uint32_t left, std::uint32_t right) {
  const auto* a = lane_values<Stored<T>>(warp, left);
  const auto* b = lane_values<Stored<T>>(warp, right);
  if constexpr (R == Relation::eq) return test_lanes<equal<T>>(a, b);
  if constexpr (R == Relation::ne) return ~test_lanes<equal<T>>(a, b);
  if constexpr (R == Relation::lt) return test_lanes<less<T>>(a, b);
  if constexpr (R == Relation::ge) return ~test_lanes<less<T>>(a, b);
  if constexpr (R == Relation::gt) return test_lanes<greater<T>>(a, b);
  if constexpr (R == Relation::le) return ~test_lanes<greater<T>>(a, b);
}

/// The same as a function of its own, for the many rows that are too rare to hold a copy.
template <class T, Relation R>
__attribute__((noinline)) LaneMask compare(Warp& warp, std::uint32_t left, std::uint32_t right) {
  return compare_inline<T, R>(warp, left, right);
}

using Comparison = LaneMask (*)(Warp&, std::uint32_t, std::uint32_t);

/// setp p|q, a, b: q gets the complement.
template <class T, Relation R>
Outcome set_predicate(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const LaneMask bits = compare_inline<T, R>(warp, op.operand[2], op.operand[3]);
  write_predicate(warp, op.operand[1], mask, ~bits);
  write_predicate(warp, op.operand[0], mask, bits);
  return Outcome::next;
}

enum class Combination : unsigned { none, with_and, with_or, with_xor };

LaneMask combine(Combination combination, LaneMask bits, LaneMask other) {
  switch (combination) {
    case Combination::with_and: return bits & other;
    case Combination::with_or: return bits | other;
    case Combination::with_xor: return bits ^ other;
    default: return bits;
  }
}

// Hundreds of handlers are a jump into one of two functions: what they compare and combine are arguments. `used` keeps
// the compiler from giving those functions other parameters.
__attribute__((noinline, used)) Outcome run_combined(Warp& warp, const Op& op, LaneMask mask, Comparison compared,
                                                     Combination combination) noexcept {
  const LaneMask bits = compared(warp, op.operand[2], op.operand[3]);
  const LaneMask other = read_predicate(warp, op.operand[4]);
  write_predicate(warp, op.operand[1], mask, combine(combination, ~bits, other));
  write_predicate(warp, op.operand[0], mask, combine(combination, bits, other));
  return Outcome::next;
}

/// setp.<boolop> p|q, a, b, c: both the comparison and its complement are combined with c.
template <Comparison compared, Combination C>
Outcome set_combined_predicate(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return run_combined(warp, op, mask, compared, C);
}

__attribute__((noinline, used)) Outcome run_set(Warp& warp, const Op& op, LaneMask mask, Comparison compared,
                                                Combination combination, std::uint32_t value) noexcept {
  LaneMask bits = compared(warp, op.operand[1], op.operand[2]);
  if (combination != Combination::none) bits = combine(combination, bits, read_predicate(warp, op.operand[3]));
  std::uint32_t* result = lane_values<std::uint32_t>(warp, op.operand[0]);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const LaneMask bit = lane_bits<LaneMask>.bit[lane];
    const std::uint32_t chosen = (bits & bit) != 0 ? value : 0;
    result[lane] = (mask & bit) != 0 ? chosen : result[lane];
  }
  return Outcome::next;
}

/// set d, a, b and set.<boolop> d, a, b, c.
template <Comparison compared, Combination C, std::uint32_t True>
Outcome set_value(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return run_set(warp, op, mask, compared, C, True);
}

// What set writes where the relation holds, by destination type.
constexpr std::uint32_t all_ones = 0xffffffffu;
constexpr std::uint32_t one_f32 = 0x3f800000u;
constexpr std::uint32_t one_f16 = 0x3c00u;
constexpr std::uint32_t one_bf16 = 0x3f80u;

/// A relation's spellings: lo, ls, hi and hs are unsigned, bits know only eq and ne.
struct RelationNames {
  Relation relation;
  const char* name;
  const char* unsigned_name;
};
constexpr RelationNames relation_names[] = {
    {Relation::eq, "eq", nullptr}, {Relation::ne, "ne", nullptr}, {Relation::lt, "lt", "lo"},
    {Relation::le, "le", "ls"},    {Relation::gt, "gt", "hi"},    {Relation::ge, "ge", "hs"},
};

/// All handlers of one relation.
struct RelationHandlers {
  std::array<Handler, 4> setp;                // by Combination
  std::array<std::array<Handler, 4>, 4> set;  // by destination, then by Combination
};

template <Comparison compared, std::uint32_t True>
constexpr std::array<Handler, 4> set_handlers() {
  return {set_value<compared, Combination::none, True>, set_value<compared, Combination::with_and, True>,
          set_value<compared, Combination::with_or, True>, set_value<compared, Combination::with_xor, True>};
}

template <class T, Relation R>
constexpr RelationHandlers relation_handlers() {
  constexpr Comparison compared = compare<T, R>;
  return {
      {set_predicate<T, R>, set_combined_predicate<compared, Combination::with_and>,
       set_combined_predicate<compared, Combination::with_or>, set_combined_predicate<compared, Combination::with_xor>},
      {set_handlers<compared, all_ones>(), set_handlers<compared, one_f32>(), set_handlers<compared, one_f16>(),
       set_handlers<compared, one_bf16>()}};
}

void add_relation_rows(OpcodeTable& table, std::string_view relation, std::string_view type,
                       const RelationHandlers& handlers) {
  static constexpr const char* boolops[] = {"", ".and", ".or", ".xor"};
  static constexpr struct {
    const char* name;
    const char* width;
    unsigned kind;
  } destinations[] = {
      {".u32.", "=b32", 0}, {".s32.", "=b32", 0}, {".f32.", "=b32", 1}, {".f16.", "=b16", 2}, {".bf16.", "=b16", 3}};
  const std::string_view bits = type.substr(1);
  const std::string setp_signature = joined({"=p =p b", bits, " b", bits, " p?"});
  for (unsigned combination = 0; combination < 4; ++combination) {
    const std::string_view boolop = boolops[combination];
    table.add(joined({"setp.", relation, boolop, ".", type}), setp_signature, handlers.setp[combination]);
    for (const auto& destination : destinations) {
      table.add(joined({"set.", relation, boolop, destination.name, type}),
                joined({destination.width, " b", bits, " b", bits, combination == 0 ? "" : " p"}),
                handlers.set[destination.kind][combination]);
    }
  }
}

template <class T>
void add_ordered_rows(OpcodeTable& table) {
  static constexpr std::array<RelationHandlers, 6> handlers = {
      relation_handlers<std::make_unsigned_t<T>, Relation::eq>(),
      relation_handlers<std::make_unsigned_t<T>, Relation::ne>(),
      relation_handlers<T, Relation::lt>(),
      relation_handlers<T, Relation::le>(),
      relation_handlers<T, Relation::gt>(),
      relation_handlers<T, Relation::ge>()};
  const std::string_view type = type_name<T>();
  for (const auto& names : relation_names) {
    const auto& chosen = handlers[static_cast<unsigned>(names.relation)];
    add_relation_rows(table, names.name, type, chosen);
    if (std::is_unsigned_v<T> && names.unsigned_name != nullptr) {
      add_relation_rows(table, names.unsigned_name, type, chosen);
    }
    if (std::is_unsigned_v<T> && names.unsigned_name == nullptr) {
      add_relation_rows(table, names.name, joined({"b", type.substr(1)}), chosen);
    }
  }
}

/// selp d, a, b, p. A choice of bits, so that 64-bit lanes are pairs of words to it.
template <unsigned WordsPerLane>
struct WordBits {
  LaneMask bit[WordsPerLane * warp_size];
  constexpr WordBits() : bit{} {
    for (unsigned word = 0; word < WordsPerLane * warp_size; ++word) bit[word] = 1u << (word / WordsPerLane);
  }
};
template <unsigned WordsPerLane>
alignas(64) constexpr WordBits<WordsPerLane> word_bits{};

template <unsigned WordsPerLane>
Outcome select(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const std::uint32_t* a = lane_values<std::uint32_t>(warp, op.operand[1]);
  const std::uint32_t* b = lane_values<std::uint32_t>(warp, op.operand[2]);
  std::uint32_t* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  const LaneMask chosen = read_predicate(warp, op.operand[3]);
  if ((mask | warp.idle) == every_lane) {
#pragma GCC ivdep
    for (unsigned word = 0; word < WordsPerLane * warp_size; ++word) {
      const std::uint32_t from_a = (chosen & word_bits<WordsPerLane>.bit[word]) != 0 ? ~0u : 0u;
      destination[word] = (a[word] & from_a) | (b[word] & ~from_a);
    }
    return Outcome::next;
  }
#pragma GCC ivdep
  for (unsigned word = 0; word < WordsPerLane * warp_size; ++word) {
    const LaneMask bit = word_bits<WordsPerLane>.bit[word];
    const std::uint32_t from_a = (chosen & bit) != 0 ? ~0u : 0u;
    const std::uint32_t kept = (mask & bit) != 0 ? 0u : ~0u;
    const std::uint32_t value = (a[word] & from_a) | (b[word] & ~from_a);
    destination[word] = (destination[word] & kept) | (value & ~kept);
  }
  return Outcome::next;
}

/// slct d, a, b, c: a where c >= 0.
template <class T>
T select_by_sign(T a, T b, std::int32_t c) {
  return c >= 0 ? a : b;
}

}  // namespace

void add_compare_rows(OpcodeTable& table) {
  add_ordered_rows<std::uint16_t>(table);
  add_ordered_rows<std::int16_t>(table);
  add_ordered_rows<std::uint32_t>(table);
  add_ordered_rows<std::int32_t>(table);
  add_ordered_rows<std::uint64_t>(table);
  add_ordered_rows<std::int64_t>(table);
  add_rows(table, "selp.b% selp.u% selp.s%", "=b% b% b% p", select<1>, "16");
  add_rows(table, "selp.b% selp.u% selp.s%", "=b% b% b% p", select<1>, "32");
  add_rows(table, "selp.b% selp.u% selp.s%", "=b% b% b% p", select<2>, "64");
  constexpr auto slct = "slct.b%.s32 slct.u%.s32 slct.s%.s32";
  constexpr auto slct_with_float = "slct.b%.s32 slct.u%.s32 slct.s%.s32 slct.f%.s32";
  constexpr auto slct_signature = "=b% b% b% b32";
  add_rows(table, slct, slct_signature, LaneFunction<select_by_sign<std::uint32_t>>::handler, "16");
  add_rows(table, slct_with_float, slct_signature, LaneFunction<select_by_sign<std::uint32_t>>::handler, "32");
  add_rows(table, slct_with_float, slct_signature, LaneFunction<select_by_sign<std::uint64_t>>::handler, "64");
}

}  // namespace emulator::EMULATOR_ISA
