// SPDX-License-Identifier: Apache-2.0
// setp of floats, halves and bf16; selp.f32 selp.f64; slct by a float.
#include "ops/float_compare.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

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
template <class Kind>
void add_scalar_rows(OpcodeTable& table, std::string_view ftz, std::string_view type) {
  constexpr const char* signature = Kind::bits == 16   ? "=p =p b16 b16 p?"
                                    : Kind::bits == 32 ? "=p =p b32 b32 p?"
                                                       : "=p =p b64 b64 p?";
  add_family<Setp<Kind>>(table, "setp", joined({ftz, type}), signature);
}

template <class Format, bool Ftz>
void add_pair_rows(OpcodeTable& table, std::string_view ftz, std::string_view type) {
  add_family<Setp<Half<Format, Ftz>, true>>(table, "setp", joined({ftz, type}), "=p =p b32 b32 p?");
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

// slct takes a where c >= 0; -0 is, NaN is not. Only the sign and NaN matter, so subnormals change nothing but under
// .ftz, where a negative one becomes -0.
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
  add_set_rows(table);
  add_selections(table);
}

}  // namespace emulator::EMULATOR_ISA
