// SPDX-License-Identifier: Apache-2.0
// Extended precision: add, sub and mad that give or take the carry flag, which each thread has one of.
#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

/// What is added up.
enum class Sum { plain, difference, low_product, high_product };

/// hi(a * b) as bits. T gives the sign.
template <class T>
std::make_unsigned_t<T> high_product(std::make_unsigned_t<T> a, std::make_unsigned_t<T> b) {
  using Narrow = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using Broad = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  using Wide = std::conditional_t<sizeof(T) == 4, Narrow, Broad>;
  const Wide product = Wide{static_cast<T>(a)} * Wide{static_cast<T>(b)};
  return static_cast<std::make_unsigned_t<T>>(product >> (8 * sizeof(T)));
}

/// Takes: the flag of before goes in. Gives: the flag is written, in the lanes of `mask`.
/// A difference is a + ~b + 1, and the flag its carry: 0 where a digit was borrowed. Only chains that mix sub and add
/// can tell, and the compiler's own 128-bit division is one.
template <class T, Sum S, bool Takes, bool Gives>
Outcome carry_sum(Warp& warp, const Op& op, LaneMask mask) noexcept {
  using U = std::make_unsigned_t<T>;
  constexpr bool multiplies = S == Sum::low_product || S == Sum::high_product;
  U* destination = lane_values<U>(warp, op.operand[0]);
  const U* a = lane_values<U>(warp, op.operand[1]);
  const U* b = lane_values<U>(warp, op.operand[2]);
  const U* c = lane_values<U>(warp, op.operand[multiplies ? 3 : 2]);
  const U before = warp.carry;
  const U written = mask;
  U carried = 0;
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const U bit = lane_bits<U>.bit[lane];
    const U taken = Takes ? ((before & bit) != 0 ? 1 : 0) : (S == Sum::difference ? 1 : 0);
    U left = a[lane];
    if constexpr (S == Sum::low_product) left = a[lane] * b[lane];
    if constexpr (S == Sum::high_product) left = high_product<T>(a[lane], b[lane]);
    const U right = S == Sum::difference ? ~c[lane] : c[lane];
    const U value = left + right + taken;
    const bool carries = value < left || (taken != 0 && value == left);
    destination[lane] = (written & bit) != 0 ? value : destination[lane];
    carried |= carries ? bit : 0;
  }
  if constexpr (Gives) warp.carry = (warp.carry & ~mask) | (static_cast<LaneMask>(carried) & mask);
  return Outcome::next;
}

/// "add.cc.u% add.cc.s%" and so on: first the form that gives, then the one that takes, then the one that does both.
template <class T, Sum S>
void add_three_rows(OpcodeTable& table, const char* gives, const char* takes, const char* both) {
  constexpr bool multiplies = S == Sum::low_product || S == Sum::high_product;
  constexpr auto signature = multiplies ? "=b% b% b% b%" : "=b% b% b%";
  constexpr auto bits = bits_name<T>();
  add_rows(table, gives, signature, carry_sum<T, S, false, true>, bits);
  add_rows(table, takes, signature, carry_sum<T, S, true, false>, bits);
  add_rows(table, both, signature, carry_sum<T, S, true, true>, bits);
}

template <class U>
void add_width(OpcodeTable& table) {
  using S = std::make_signed_t<U>;
  add_three_rows<U, Sum::plain>(table, "add.cc.u% add.cc.s%", "addc.u% addc.s%", "addc.cc.u% addc.cc.s%");
  add_three_rows<U, Sum::difference>(table, "sub.cc.u% sub.cc.s%", "subc.u% subc.s%", "subc.cc.u% subc.cc.s%");
  add_three_rows<U, Sum::low_product>(table, "mad.lo.cc.u% mad.lo.cc.s%", "madc.lo.u% madc.lo.s%",
                                      "madc.lo.cc.u% madc.lo.cc.s%");
  add_three_rows<U, Sum::high_product>(table, "mad.hi.cc.u%", "madc.hi.u%", "madc.hi.cc.u%");
  add_three_rows<S, Sum::high_product>(table, "mad.hi.cc.s%", "madc.hi.s%", "madc.hi.cc.s%");
}

}  // namespace

void add_carry_rows(OpcodeTable& table) {
  add_width<std::uint32_t>(table);
  add_width<std::uint64_t>(table);
}

}  // namespace emulator::EMULATOR_ISA
