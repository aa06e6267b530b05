// SPDX-License-Identifier: Apache-2.0
// set of floats, halves and bf16: a thousand rows seldom met, so all instruction sets use the baseline's handlers.
#include "ops/float_compare.hpp"
#include "ops/rows.hpp"

#define EMULATOR_IS_avx2 1
#define EMULATOR_JOIN(left, right) left##right
#define EMULATOR_IS(isa) EMULATOR_JOIN(EMULATOR_IS_, isa)

#if EMULATOR_IS(EMULATOR_ISA)

namespace emulator {
namespace baseline {
void add_set_rows(OpcodeTable& table);
}
namespace avx2 {
void add_set_rows(OpcodeTable& table) { baseline::add_set_rows(table); }
}  // namespace avx2
}  // namespace emulator

#else

namespace emulator::EMULATOR_ISA {
namespace {

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
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const LaneMask bit = lane_bits<LaneMask>.bit[lane];
    const std::uint32_t result =
        ((low & bit) != 0 ? variant.value : 0u) | ((high & bit) != 0 ? variant.value << 16 : 0u);
    destination[lane] = (mask & bit) != 0 ? result : destination[lane];
  }
  return Outcome::next;
}

template <class Kind, std::uint32_t Value, bool Pair = false>
struct Set {
  template <std::size_t Index, Combine How>
  static Outcome run(Warp& warp, const Op& op, LaneMask mask) noexcept {
    return run_set(warp, op, mask, Kind::template compare<operators[Index].question>, variant<Index>(How, Pair, Value));
  }
};

// set of one source type. What lies above 16 bits of a narrow destination is free, so all ones serve u16 too.
template <class Kind>
void add_scalar_sets(OpcodeTable& table, std::string_view ftz, std::string_view source) {
  constexpr bool half = Kind::bits == 16;
  constexpr const char* to_32 = half ? "=b32 b16 b16 p?" : Kind::bits == 32 ? "=b32 b32 b32 p?" : "=b32 b64 b64 p?";
  constexpr const char* to_16 = half ? "=b16 b16 b16 p?" : Kind::bits == 32 ? "=b16 b32 b32 p?" : "=b16 b64 b64 p?";
  const auto types = [&](std::string_view destination) { return joined({ftz, destination, source}); };
  add_family<Set<Kind, 0xffffffffu> >(table, "set", types("u32"), to_32);
  add_family<Set<Kind, 0xffffffffu> >(table, "set", types("s32"), to_32);
  add_family<Set<Kind, F32::one> >(table, "set", types("f32"), to_32);
  add_family<Set<Kind, F16::one> >(table, "set", types("f16"), to_16);
  add_family<Set<Kind, Bf16::one> >(table, "set", types("bf16"), to_16);
  if (!half) return;
  add_family<Set<Kind, 0xffffffffu> >(table, "set", types("u16"), to_16);
  add_family<Set<Kind, 0xffffffffu> >(table, "set", types("s16"), to_16);
}

template <class Format, bool Ftz>
void add_pair_sets(OpcodeTable& table, std::string_view ftz, std::string_view type) {
  using Source = Half<Format, Ftz>;
  constexpr const char* signature = "=b32 b32 b32 p?";
  add_family<Set<Source, Format::one, true> >(table, "set", joined({ftz, type, type}), signature);
  add_family<Set<Source, 0xffffu, true> >(table, "set", joined({ftz, "u32", type}), signature);
  add_family<Set<Source, 0xffffu, true> >(table, "set", joined({ftz, "s32", type}), signature);
}

}  // namespace

void add_set_rows(OpcodeTable& table) {
  add_scalar_sets<Single>(table, "", "f32");
  add_scalar_sets<FlushedSingle>(table, "ftz", "f32");
  add_scalar_sets<Double>(table, "", "f64");
  add_scalar_sets<Half<F16, false> >(table, "", "f16");
  add_scalar_sets<Half<F16, true> >(table, "ftz", "f16");
  add_scalar_sets<Half<Bf16, false> >(table, "", "bf16");
  add_pair_sets<F16, false>(table, "", "f16x2");
  add_pair_sets<F16, true>(table, "ftz", "f16x2");
  add_pair_sets<Bf16, false>(table, "", "bf16x2");
}

}  // namespace emulator::EMULATOR_ISA

#endif
