// SPDX-License-Identifier: Apache-2.0
// mov between registers, packing and unpacking of vectors, logic of predicates, nop.
#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

template <class T>
T same(T a) {
  return a;
}

// The first source is the least significant part.
std::uint32_t pack_bytes(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint32_t>(b) << 8 | a; }

std::uint32_t pack_four_bytes(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return pack_bytes(c, d) << 16 | pack_bytes(a, b);
}

std::uint32_t pack_halves(std::uint16_t a, std::uint16_t b) { return static_cast<std::uint32_t>(b) << 16 | a; }

std::uint64_t pack_words(std::uint32_t a, std::uint32_t b) { return static_cast<std::uint64_t>(b) << 32 | a; }

std::uint64_t pack_four_halves(std::uint16_t a, std::uint16_t b, std::uint16_t c, std::uint16_t d) {
  return pack_words(pack_halves(a, b), pack_halves(c, d));
}

/// Parts of operand[4] go to operand[0...Count-1]. Copied first: a part may be written over its own source.
template <class Whole, unsigned Bits, unsigned Count>
Outcome unpack(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const bool full = (mask | warp.idle) == every_lane;
  alignas(64) Whole source[warp_size];
  const Whole* operand = lane_values<Whole>(warp, op.operand[4]);
  for (unsigned lane = 0; lane < warp_size; ++lane) source[lane] = operand[lane];
  for (unsigned part = 0; part < Count; ++part) {
    std::uint32_t* destination = lane_values<std::uint32_t>(warp, op.operand[part]);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      auto value = static_cast<std::uint32_t>(source[lane] >> (part * Bits));
      if constexpr (Bits < 32) value &= (1u << Bits) - 1;
      const bool written = full || (mask & lane_bits<LaneMask>.bit[lane]) != 0;
      destination[lane] = written ? value : destination[lane];
    }
  }
  return Outcome::next;
}

LaneMask and_masks(LaneMask a, LaneMask b) { return a & b; }
LaneMask or_masks(LaneMask a, LaneMask b) { return a | b; }
LaneMask xor_masks(LaneMask a, LaneMask b) { return a ^ b; }

template <auto F>
Outcome combine_predicates(Warp& warp, const Op& op, LaneMask mask) noexcept {
  write_predicate(warp, op.operand[0], mask,
                  F(read_predicate(warp, op.operand[1]), read_predicate(warp, op.operand[2])));
  return Outcome::next;
}

template <bool Negated>
Outcome copy_predicate(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const LaneMask bits = read_predicate(warp, op.operand[1]);
  write_predicate(warp, op.operand[0], mask, Negated ? ~bits : bits);
  return Outcome::next;
}

Outcome do_nothing(Warp&, const Op&, LaneMask) noexcept { return Outcome::next; }

}  // namespace

void add_move_rows(OpcodeTable& table) {
  add_rows(table, "mov.b16", "=b16 b16", LaneFunction<same<std::uint32_t>>::handler);
  add_lanes<same<std::uint32_t>>(table, "mov.b32");
  add_lanes<same<std::uint64_t>>(table, "mov.b64");
  add_rows(table, "mov.pack.2x8", "=b16 b8 b8", LaneFunction<pack_bytes>::handler);
  add_lanes<pack_four_bytes>(table, "mov.pack.4x8");
  add_lanes<pack_halves>(table, "mov.pack.2x16");
  add_lanes<pack_four_halves>(table, "mov.pack.4x16");
  add_lanes<pack_words>(table, "mov.pack.2x32");
  add_rows(table, "mov.unpack.2x8", "=b8 =b8 _ _ b16", unpack<std::uint32_t, 8, 2>);
  add_rows(table, "mov.unpack.4x8", "=b8 =b8 =b8 =b8 b32", unpack<std::uint32_t, 8, 4>);
  add_rows(table, "mov.unpack.2x16", "=b16 =b16 _ _ b32", unpack<std::uint32_t, 16, 2>);
  add_rows(table, "mov.unpack.4x16", "=b16 =b16 =b16 =b16 b64", unpack<std::uint64_t, 16, 4>);
  add_rows(table, "mov.unpack.2x32", "=b32 =b32 _ _ b64", unpack<std::uint64_t, 32, 2>);
  add_rows(table, "mov.pred", "=p p", copy_predicate<false>);
  add_rows(table, "not.pred", "=p p", copy_predicate<true>);
  add_rows(table, "and.pred", "=p p p", combine_predicates<and_masks>);
  add_rows(table, "or.pred", "=p p p", combine_predicates<or_masks>);
  add_rows(table, "xor.pred", "=p p p", combine_predicates<xor_masks>);
  add_rows(table, "nop", "", do_nothing);
}

}  // namespace emulator::EMULATOR_ISA
