// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, counting, permutation of bytes.
#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

template <class T>
constexpr unsigned bits_of = 8 * sizeof(T);

template <class T>
T bit_and(T a, T b) {
  return a & b;
}

template <class T>
T bit_or(T a, T b) {
  return a | b;
}

template <class T>
T bit_xor(T a, T b) {
  return a ^ b;
}

template <class T>
T bit_not(T a) {
  return ~a;
}

template <class T>
T logical_not(T a) {
  return a == 0 ? 1 : 0;
}

// Shift amounts of the width and more are legal in PTX: everything is shifted out.
template <class T>
T shift_left(T a, std::uint32_t amount) {
  return amount < bits_of<T> ? a << amount : 0;
}

template <class T>
T shift_right(T a, std::uint32_t amount) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (amount < bits_of<T> ? amount : bits_of<T> - 1));
  } else {
    return amount < bits_of<T> ? static_cast<T>(a >> amount) : T{0};
  }
}

// shf: b above a, 64 bits shifted.
constexpr std::uint32_t wrapped(std::uint32_t amount) { return amount & 31; }
constexpr std::uint32_t clamped(std::uint32_t amount) { return amount < 32 ? amount : 32; }

template <auto Limit>
std::uint32_t funnel_left(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
  return static_cast<std::uint32_t>(((std::uint64_t{b} << 32 | a) << Limit(amount)) >> 32);
}

template <auto Limit>
std::uint32_t funnel_right(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> Limit(amount));
}

/// `count` ones from bit 0 on; count may be anything.
template <class U>
U low_ones(std::uint32_t count) {
  return count >= bits_of<U> ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << count) - 1);
}

/// Position or length of a bit field: the low byte of the operand, but all of it for 64 bits. Hardware does so, while
/// PTX speaks of the low byte throughout.
template <class T>
constexpr std::uint32_t field_operand(std::uint32_t value) {
  return sizeof(T) == 4 ? value & 0xff : value;
}

template <class T>
T extract_field(T a, std::uint32_t position, std::uint32_t length) {
  using U = std::make_unsigned_t<T>;
  position = field_operand<T>(position);
  length = field_operand<T>(length);
  const U field = shift_right(static_cast<U>(a), position) & low_ones<U>(length);
  if constexpr (std::is_signed_v<T>) {
    // Beyond the field, and beyond what is left of the operand, the sign goes on.
    const std::uint32_t left = position < bits_of<U> ? bits_of<U> - position : 0;
    const bool fits = length <= left;
    const std::uint32_t last = fits ? position + length - 1 : bits_of<U> - 1;
    const bool negative = length != 0 && (static_cast<U>(a) >> (last & (bits_of<U> - 1)) & 1) != 0;
    const U above = static_cast<U>(~low_ones<U>(fits ? length : left));
    return static_cast<T>(negative ? field | above : field);
  } else {
    return field;
  }
}

template <class U>
U insert_field(U a, U b, std::uint32_t position, std::uint32_t length) {
  position = field_operand<U>(position);
  const U field = shift_left(low_ones<U>(field_operand<U>(length)), position);
  return (b & ~field) | (shift_left(a, position) & field);
}

template <class U>
std::uint32_t leading_zeros(U a) {
  if constexpr (sizeof(U) == 8) {
    return a == 0 ? 64u : static_cast<std::uint32_t>(__builtin_clzll(a));
  } else {
    return a == 0 ? 32u : static_cast<std::uint32_t>(__builtin_clz(a));
  }
}

// Additions inside the word: vectorises, and needs no instruction that the baseline lacks.
template <class U>
std::uint32_t population_count(U a) {
  constexpr U by_1 = static_cast<U>(0x5555555555555555u);
  constexpr U by_2 = static_cast<U>(0x3333333333333333u);
  constexpr U by_4 = static_cast<U>(0x0f0f0f0f0f0f0f0fu);
  a = a - (a >> 1 & by_1);
  a = (a & by_2) + (a >> 2 & by_2);
  a = (a + (a >> 4)) & by_4;
  a += a >> 8;
  a += a >> 16;
  if constexpr (sizeof(U) == 8) a += a >> 32;
  return static_cast<std::uint32_t>(a) & 0x7f;
}

template <class U>
U reverse_bits(U a) {
  constexpr U by_1 = static_cast<U>(0x5555555555555555u);
  constexpr U by_2 = static_cast<U>(0x3333333333333333u);
  constexpr U by_4 = static_cast<U>(0x0f0f0f0f0f0f0f0fu);
  a = (a >> 1 & by_1) | (a & by_1) << 1;
  a = (a >> 2 & by_2) | (a & by_2) << 2;
  a = (a >> 4 & by_4) | (a & by_4) << 4;
  if constexpr (sizeof(U) == 8) {
    return __builtin_bswap64(a);
  } else {
    return __builtin_bswap32(a);
  }
}

/// The highest bit that differs from the sign; all ones where there is none.
template <class T, bool AsShift>
std::uint32_t find_top_bit(T a) {
  using U = std::make_unsigned_t<T>;
  const auto bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  const std::uint32_t zeros = leading_zeros(bits);
  return AsShift ? zeros : bits_of<U> - 1 - zeros;
}

/// fns: from `base` on, the |offset|-th set bit upwards or downwards; offset 0 asks for bit `base` itself.
std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  if (base >= 32) return ~0u;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
  std::int64_t wanted = offset < 0 ? -std::int64_t{offset} : offset;
  for (std::uint32_t bit = base; bit < 32; bit += offset < 0 ? ~0u : 1u) {
    if ((mask >> bit & 1) != 0 && --wanted == 0) return bit;
  }
  return ~0u;
}

std::uint32_t make_mask_clamped(std::uint32_t first, std::uint32_t count) {
  return shift_left(low_ones<std::uint32_t>(count), first);
}

std::uint32_t make_mask_wrapped(std::uint32_t first, std::uint32_t count) {
  return make_mask_clamped(first & 31, count & 31);
}

template <class T>
T extend_clamped(T a, std::uint32_t width) {
  if (width == 0) return 0;
  if (width >= 32) return a;
  const std::uint32_t unused = 32 - width;
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << unused) >> unused);
}

template <class T>
T extend_wrapped(T a, std::uint32_t width) {
  return extend_clamped(a, width & 31);
}

// prmt: eight bytes, those of b above those of a; a selector nibble each, whose top bit replicates the byte's sign.
std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned place = 0; place < 4; ++place) {
    const std::uint32_t nibble = selector >> (4 * place) & 15;
    auto byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * place);
  }
  return result;
}

/// The modes of prmt: the default selector for each of the four values of the low bits of c.
struct PermutationMode {
  std::uint32_t selector[4];
};
constexpr PermutationMode forward_extract{{0x3210, 0x4321, 0x5432, 0x6543}};
constexpr PermutationMode backward_extract{{0x5670, 0x6701, 0x7012, 0x0123}};
constexpr PermutationMode replicate_byte{{0x0000, 0x1111, 0x2222, 0x3333}};
constexpr PermutationMode clamp_left{{0x3210, 0x3211, 0x3222, 0x3333}};
constexpr PermutationMode clamp_right{{0x0000, 0x1110, 0x2210, 0x3210}};
constexpr PermutationMode replicate_half{{0x1010, 0x3232, 0x1010, 0x3232}};

template <const PermutationMode& Mode>
std::uint32_t permute_by_mode(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  return permute(a, b, Mode.selector[selector & 3]);
}

/// lop3: bit (4a + 2b + c) of the table for each bit. A tree of choices whose leaves are the same in all lanes.
struct LookupTable {
  std::uint32_t leaf[4];        ///< where c is 0, by 2a + b
  std::uint32_t difference[4];  ///< what c being 1 flips
  explicit LookupTable(std::uint64_t table) {
    const auto entry = [&](unsigned index) { return (table >> index & 1) != 0 ? ~0u : 0u; };
    for (unsigned pair = 0; pair < 4; ++pair) {
      leaf[pair] = entry(2 * pair);
      difference[pair] = leaf[pair] ^ entry(2 * pair + 1);
    }
  }
  [[nodiscard]] std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const auto by_c = [&](unsigned pair) { return leaf[pair] ^ (c & difference[pair]); };
    const std::uint32_t without_a = (by_c(1) & b) | (by_c(0) & ~b);
    const std::uint32_t with_a = (by_c(3) & b) | (by_c(2) & ~b);
    return (with_a & a) | (without_a & ~a);
  }
};

/// Three sources from operand[First] on; returns the lanes whose result is not zero.
template <unsigned First>
LaneMask look_up(Warp& warp, const Op& op, LaneMask mask) {
  const LookupTable table(op.immediate);
  const std::uint32_t* a = lane_values<std::uint32_t>(warp, op.operand[First]);
  const std::uint32_t* b = lane_values<std::uint32_t>(warp, op.operand[First + 1]);
  const std::uint32_t* c = lane_values<std::uint32_t>(warp, op.operand[First + 2]);
  std::uint32_t* destination = lane_values<std::uint32_t>(warp, op.operand[0]);
  LaneMask not_zero = 0;
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const LaneMask bit = lane_bits<LaneMask>.bit[lane];
    const std::uint32_t value = table(a[lane], b[lane], c[lane]);
    destination[lane] = (mask & bit) != 0 ? value : destination[lane];
    not_zero |= value != 0 ? bit : 0;
  }
  return not_zero;
}

Outcome lop3(Warp& warp, const Op& op, LaneMask mask) noexcept {
  look_up<1>(warp, op, mask);
  return Outcome::next;
}

/// lop3.<boolop> d|p, a, b, c, table, q: p tells whether d is not zero, combined with q.
template <bool And>
Outcome lop3_with_predicate(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const LaneMask other = read_predicate(warp, op.operand[5]);
  const LaneMask not_zero = look_up<2>(warp, op, mask);
  write_predicate(warp, op.operand[1], mask, And ? not_zero & other : not_zero | other);
  return Outcome::next;
}

template <class U>
void add_logic_rows(OpcodeTable& table, const char* bits, const char* two, const char* one) {
  add_rows(table, "and.b%", two, LaneFunction<bit_and<U>>::handler, bits);
  add_rows(table, "or.b%", two, LaneFunction<bit_or<U>>::handler, bits);
  add_rows(table, "xor.b%", two, LaneFunction<bit_xor<U>>::handler, bits);
  add_rows(table, "not.b%", one, LaneFunction<bit_not<U>>::handler, bits);
}

template <class U>
void add_field_rows(OpcodeTable& table) {
  using S = std::make_signed_t<U>;
  constexpr auto bits = bits_name<U>();
  add_lanes<extract_field<U>>(table, "bfe.u%", bits);
  add_lanes<extract_field<S>>(table, "bfe.s%", bits);
  add_lanes<insert_field<U>>(table, "bfi.b%", bits);
  add_lanes<leading_zeros<U>>(table, "clz.b%", bits);
  add_lanes<population_count<U>>(table, "popc.b%", bits);
  add_lanes<reverse_bits<U>>(table, "brev.b%", bits);
  add_lanes<find_top_bit<U, false>>(table, "bfind.u%", bits);
  add_lanes<find_top_bit<S, false>>(table, "bfind.s%", bits);
  add_lanes<find_top_bit<U, true>>(table, "bfind.shiftamt.u%", bits);
  add_lanes<find_top_bit<S, true>>(table, "bfind.shiftamt.s%", bits);
}

void add_permutation_rows(OpcodeTable& table) {
  add_lanes<permute>(table, "prmt.b32");
  add_lanes<permute_by_mode<forward_extract>>(table, "prmt.b32.f4e");
  add_lanes<permute_by_mode<backward_extract>>(table, "prmt.b32.b4e");
  add_lanes<permute_by_mode<replicate_byte>>(table, "prmt.b32.rc8");
  add_lanes<permute_by_mode<clamp_left>>(table, "prmt.b32.ecl");
  add_lanes<permute_by_mode<clamp_right>>(table, "prmt.b32.ecr");
  add_lanes<permute_by_mode<replicate_half>>(table, "prmt.b32.rc16");
}

void add_shift_rows(OpcodeTable& table) {
  // What a 32-bit shift leaves in the low half is right for 16 bits: nothing comes back from above.
  add_rows(table, "shl.b16", "=b16 b16 b32", LaneFunction<shift_left<std::uint32_t>>::handler);
  add_lanes<shift_left<std::uint32_t>>(table, "shl.b32");
  add_lanes<shift_left<std::uint64_t>>(table, "shl.b64");
  add_lanes<shift_right<std::uint16_t>>(table, "shr.b16 shr.u16");
  add_lanes<shift_right<std::uint32_t>>(table, "shr.b32 shr.u32");
  add_lanes<shift_right<std::uint64_t>>(table, "shr.b64 shr.u64");
  add_lanes<shift_right<std::int16_t>>(table, "shr.s16");
  add_lanes<shift_right<std::int32_t>>(table, "shr.s32");
  add_lanes<shift_right<std::int64_t>>(table, "shr.s64");
  add_lanes<funnel_left<wrapped>>(table, "shf.l.wrap.b32");
  add_lanes<funnel_left<clamped>>(table, "shf.l.clamp.b32");
  add_lanes<funnel_right<wrapped>>(table, "shf.r.wrap.b32");
  add_lanes<funnel_right<clamped>>(table, "shf.r.clamp.b32");
}

}  // namespace

void add_bit_rows(OpcodeTable& table) {
  add_logic_rows<std::uint32_t>(table, "16", "=b16 b16 b16", "=b16 b16");
  add_logic_rows<std::uint32_t>(table, "32", "=b32 b32 b32", "=b32 b32");
  add_logic_rows<std::uint64_t>(table, "64", "=b64 b64 b64", "=b64 b64");
  add_lanes<logical_not<std::uint16_t>>(table, "cnot.b16");
  add_lanes<logical_not<std::uint32_t>>(table, "cnot.b32");
  add_lanes<logical_not<std::uint64_t>>(table, "cnot.b64");
  add_shift_rows(table);
  add_field_rows<std::uint32_t>(table);
  add_field_rows<std::uint64_t>(table);
  add_permutation_rows(table);
  add_lanes<find_nth_set>(table, "fns.b32");
  add_lanes<make_mask_clamped>(table, "bmsk.clamp.b32");
  add_lanes<make_mask_wrapped>(table, "bmsk.wrap.b32");
  add_lanes<extend_clamped<std::uint32_t>>(table, "szext.clamp.u32");
  add_lanes<extend_clamped<std::int32_t>>(table, "szext.clamp.s32");
  add_lanes<extend_wrapped<std::uint32_t>>(table, "szext.wrap.u32");
  add_lanes<extend_wrapped<std::int32_t>>(table, "szext.wrap.s32");
  add_rows(table, "lop3.b32", "=b32 b32 b32 b32 i", lop3);
  add_rows(table, "lop3.and.b32", "=b32 =p b32 b32 b32 i p", lop3_with_predicate<true>);
  add_rows(table, "lop3.or.b32", "=b32 =p b32 b32 b32 i p", lop3_with_predicate<false>);
}

}  // namespace emulator::EMULATOR_ISA
