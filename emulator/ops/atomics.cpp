// SPDX-License-Identifier: Apache-2.0
// atom and red. Operands: old value 0, b 1, c 2 (cas: the new value), base address 4, Op::immediate = displacement.
// Lanes go one after the other. Shared memory has one worker, so plain updates do; elsewhere the host's atomics are
// used.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "machine/groups.hpp"
#include "ops/float_environment.hpp"
#include "ops/half_bits.hpp"
#include "ops/memory_lanes.hpp"
#include "ops/nan_rules.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

/// Whether f32 additions to global memory flush subnormals, which those to shared memory keep.
constexpr bool global_f32_add_flushes = true;

/// What the handlers of one operation know: the memory's words and the function from old value and operands to the
/// new one.
template <class WordType, WordType (*Function)(WordType, WordType, WordType)>
struct Update {
  using Word = WordType;
  static Word plain(Word* where, Word b, Word c) {
    const Word old = *where;
    *where = Function(old, b, c);
    return old;
  }
  static Word atomic(Word* where, Word b, Word c) {
    Word old = __atomic_load_n(where, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(where, &old, Function(old, b, c), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
  }
};

template <class Word>
Word sum(Word old, Word b, Word) {
  return static_cast<Word>(old + b);
}
template <class Word>
Word bits_and(Word old, Word b, Word) {
  return old & b;
}
template <class Word>
Word bits_or(Word old, Word b, Word) {
  return old | b;
}
template <class Word>
Word bits_xor(Word old, Word b, Word) {
  return old ^ b;
}
template <class Word>
Word second(Word, Word b, Word) {
  return b;
}
template <class Word>
Word swapped_if_equal(Word old, Word b, Word c) {
  return old == b ? c : old;
}
template <class Word>
Word smaller(Word old, Word b, Word) {
  return std::min(old, b);
}
template <class Word>
Word larger(Word old, Word b, Word) {
  return std::max(old, b);
}
/// Signed comparisons of words that are kept unsigned.
template <class Word>
Word smaller_signed(Word old, Word b, Word) {
  using Signed = std::make_signed_t<Word>;
  return static_cast<Signed>(old) < static_cast<Signed>(b) ? old : b;
}
template <class Word>
Word larger_signed(Word old, Word b, Word) {
  using Signed = std::make_signed_t<Word>;
  return static_cast<Signed>(old) > static_cast<Signed>(b) ? old : b;
}

std::uint32_t wrapped_up(std::uint32_t old, std::uint32_t b, std::uint32_t) { return old >= b ? 0 : old + 1; }
std::uint32_t wrapped_down(std::uint32_t old, std::uint32_t b, std::uint32_t) {
  return old == 0 || old > b ? b : old - 1;
}

template <bool flushes>
std::uint32_t sum_f32(std::uint32_t old, std::uint32_t b, std::uint32_t) {
  const auto operand = [](std::uint32_t bits) { return std::bit_cast<float>(flushes ? flush_bits<F32>(bits) : bits); };
  const auto result = std::bit_cast<std::uint32_t>(settle_nan(operand(old) + operand(b)));
  return flushes ? flush_bits<F32>(result) : result;
}

std::uint64_t sum_f64(std::uint64_t old, std::uint64_t b, std::uint64_t) {
  const auto x = std::bit_cast<double>(old);
  const auto y = std::bit_cast<double>(b);
  return std::bit_cast<std::uint64_t>(settle_nan(x + y, x, y));
}

// The float sum of two halves, rounded again to a half, is the rounded exact sum: 24 bits are two more than twice 11.
template <class Format>
std::uint32_t narrow_sum(std::uint32_t a, std::uint32_t b) {
  const float exact = widen<Format>(a & 0xffffu) + widen<Format>(b & 0xffffu);
  if constexpr (Format::mantissa_bits == 10) {
    return narrow_f16(exact);
  } else {
    return narrow_bf16(exact);
  }
}

template <class Format>
std::uint16_t sum_half(std::uint16_t old, std::uint16_t b, std::uint16_t) {
  return static_cast<std::uint16_t>(narrow_sum<Format>(old, b));
}

template <class Format>
std::uint32_t sum_halves(std::uint32_t old, std::uint32_t b, std::uint32_t) {
  return narrow_sum<Format>(old, b) | narrow_sum<Format>(old >> 16, b >> 16) << 16;
}

/// The host has instructions for these.
template <class WordType>
struct Addition : Update<WordType, sum<WordType>> {
  static WordType atomic(WordType* where, WordType b, WordType) {
    return __atomic_fetch_add(where, b, __ATOMIC_SEQ_CST);
  }
};
template <class WordType>
struct Exchange : Update<WordType, second<WordType>> {
  static WordType atomic(WordType* where, WordType b, WordType) {
    return __atomic_exchange_n(where, b, __ATOMIC_SEQ_CST);
  }
};
template <class WordType>
struct CompareAndSwap : Update<WordType, swapped_if_equal<WordType>> {
  static WordType atomic(WordType* where, WordType b, WordType c) {
    __atomic_compare_exchange_n(where, &b, c, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return b;
  }
};
/// f32 addition to shared memory keeps subnormals.
struct AdditionF32 : Update<std::uint32_t, sum_f32<global_f32_add_flushes>> {
  static Word plain(Word* where, Word b, Word c) { return Update<Word, sum_f32<false>>::plain(where, b, c); }
};

template <class Operation>
inline constexpr bool can_fail = false;
template <class Word>
inline constexpr bool can_fail<CompareAndSwap<Word>> = true;
template <class Operation>
inline constexpr bool is_addition = false;
template <class Word>
inline constexpr bool is_addition<Addition<Word>> = true;

/// All lanes add to one word: one host addition of their sum, from which each lane's old value follows as if they had
/// gone in turn.
template <class Word>
void add_together(Word* where, Register<Word>* old, const Register<Word>* b, LaneMask mask) {
  Word total = 0;
  Word before[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    before[lane] = total;
    total += (mask >> lane & 1u) != 0 ? b[lane] : 0;
  }
  const Word first = __atomic_fetch_add(where, total, __ATOMIC_SEQ_CST);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    old[lane] = first + before[lane];
  }
}

bool is_one_place(std::byte* const* host, LaneMask mask) {
  const std::byte* first = host[std::countr_zero(mask)];
  bool same = true;
  for (unsigned lane = 0; lane < warp_size; ++lane) same &= (mask >> lane & 1u) == 0 || host[lane] == first;
  return same;
}

template <class Operation>
Outcome update_lanes(Warp& warp, const Op& op, LaneMask mask, Space space) {
  using Word = typename Operation::Word;
  using Value = Register<Word>;
  std::byte* host[warp_size];
  const LaneAccess access{space, sizeof(Word), true, true};
  if (!place_lanes(warp, op, mask, {space, false}, access, host)) return Outcome::fault;
  auto* destination = lane_values<Value>(warp, op.operand[0]);
  const auto* b = lane_values<Value>(warp, op.operand[1]);
  const auto* c = lane_values<Value>(warp, op.operand[2]);
  if constexpr (is_addition<Operation>) {
    if (space != Space::shared && (mask & (mask - 1)) != 0 && is_one_place(host, mask)) {
      add_together<Word>(reinterpret_cast<Word*>(host[std::countr_zero(mask)]), destination, b, mask);
      return Outcome::next;
    }
  }
  const NearestScope environment;
  bool failed = false;
  for_each_lane(mask, [&](unsigned lane) {
    auto* where = reinterpret_cast<Word*>(host[lane]);
    const auto expected = static_cast<Word>(b[lane]);
    const auto replacement = static_cast<Word>(c[lane]);
    const Word old = space == Space::shared ? Operation::plain(where, expected, replacement)
                                            : Operation::atomic(where, expected, replacement);
    failed |= old != expected;
    destination[lane] = old;
  });
  if (can_fail<Operation> && failed) spend_budget(warp, 1);
  return Outcome::next;
}

template <class Operation, Space space>
Outcome update(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return update_lanes<Operation>(warp, op, mask, space);
}

void add_rows(OpcodeTable& table, const std::string& name, unsigned bits, bool has_c, Handler global, Handler shared,
              Handler generic) {
  const std::string width = "b" + std::to_string(bits);
  const std::string signature = "=" + width + "* " + width + "* " + (has_c ? width + "*" : "_") + " _ b64";
  table.add("atom.global." + name, signature, global);
  table.add("atom.shared." + name, signature, shared);
  table.add("atom.generic." + name, signature, generic);
}

template <class Operation>
void add_operation(OpcodeTable& table, const char* name) {
  add_rows(table, name, 8 * sizeof(Register<typename Operation::Word>), can_fail<Operation>,
           update<Operation, Space::global>, update<Operation, Space::shared>, update<Operation, Space::generic>);
}

template <class Word>
void add_bit_operations(OpcodeTable& table, const std::string& type) {
  add_operation<Update<Word, bits_and<Word>>>(table, ("and." + type).c_str());
  add_operation<Update<Word, bits_or<Word>>>(table, ("or." + type).c_str());
  add_operation<Update<Word, bits_xor<Word>>>(table, ("xor." + type).c_str());
  add_operation<Exchange<Word>>(table, ("exch." + type).c_str());
  add_operation<CompareAndSwap<Word>>(table, ("cas." + type).c_str());
}

}  // namespace

void add_atomic_rows(OpcodeTable& table) {
  using Word16 = std::uint16_t;
  using Word32 = std::uint32_t;
  using Word64 = std::uint64_t;
  add_bit_operations<Word32>(table, "b32");
  add_bit_operations<Word64>(table, "b64");
  add_operation<CompareAndSwap<Word16>>(table, "cas.b16");
  add_operation<Addition<Word32>>(table, "add.u32");
  add_operation<Addition<Word64>>(table, "add.u64");
  add_operation<Update<Word32, wrapped_up>>(table, "inc.u32");
  add_operation<Update<Word32, wrapped_down>>(table, "dec.u32");
  add_operation<Update<Word32, smaller<Word32>>>(table, "min.u32");
  add_operation<Update<Word32, larger<Word32>>>(table, "max.u32");
  add_operation<Update<Word64, smaller<Word64>>>(table, "min.u64");
  add_operation<Update<Word64, larger<Word64>>>(table, "max.u64");
  add_operation<Update<Word32, smaller_signed<Word32>>>(table, "min.s32");
  add_operation<Update<Word32, larger_signed<Word32>>>(table, "max.s32");
  add_operation<Update<Word64, smaller_signed<Word64>>>(table, "min.s64");
  add_operation<Update<Word64, larger_signed<Word64>>>(table, "max.s64");
  add_operation<AdditionF32>(table, "add.f32");
  add_operation<Update<Word64, sum_f64>>(table, "add.f64");
  add_operation<Update<Word16, sum_half<F16>>>(table, "add.f16");
  add_operation<Update<Word16, sum_half<Bf16>>>(table, "add.bf16");
  add_operation<Update<Word32, sum_halves<F16>>>(table, "add.f16x2");
  add_operation<Update<Word32, sum_halves<Bf16>>>(table, "add.bf16x2");
}

}  // namespace emulator::EMULATOR_ISA
