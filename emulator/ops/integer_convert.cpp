// SPDX-License-Identifier: Apache-2.0
// cvt between integer types. Narrow results lie extended in their slot, so that a wider register reads right.
#include <limits>
#include <string>

#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

// Casts that leave the same bits share a handler: a narrowing one does not see the source's sign, a widening one to at
// least 32 bits not the destination's.
template <class Destination, class Source>
using SharedSource =
    std::conditional_t<sizeof(Destination) <= sizeof(Source), std::make_unsigned_t<Stored<Source>>, Source>;

template <class Destination>
using SharedDestination = std::conditional_t<sizeof(Destination) >= 4, std::make_unsigned_t<Destination>, Destination>;

template <class Destination, class Source>
Destination cast(Source a) {
  return static_cast<Destination>(a);
}

template <class Destination, class Source>
Destination cast_saturating(Source a) {
  using Limits = std::numeric_limits<Destination>;
  // Compared in the source's type: a limit that lies outside of it cannot be passed.
  if constexpr (std::is_signed_v<Source> && !std::is_signed_v<Destination>) {
    if (a < 0) return 0;
  } else if constexpr (std::is_signed_v<Source> && sizeof(Destination) < sizeof(Source)) {
    if (a < Source{Limits::min()}) return Limits::min();
  }
  constexpr bool limited = std::numeric_limits<Source>::digits > Limits::digits;
  if constexpr (limited) {
    if (a > static_cast<Source>(Limits::max())) return Limits::max();
  }
  return static_cast<Destination>(a);
}

/// Every value of Source is one of Destination: saturation does nothing.
template <class Destination, class Source>
constexpr bool holds_all = std::numeric_limits<Destination>::digits >= std::numeric_limits<Source>::digits &&
                           (std::is_signed_v<Destination> || !std::is_signed_v<Source>);

/// "cvt.u16.s32" and "cvt.sat.u16.s32" with "=b16* b32*": the registers may be wider than the types.
void add_cast_rows(OpcodeTable& table, std::string_view destination, std::string_view source, Handler plain,
                   Handler saturating) {
  const std::string signature = joined({"=b", destination.substr(1), "* b", source.substr(1), "*"});
  table.add(joined({"cvt.", destination, ".", source}), signature, plain);
  table.add(joined({"cvt.sat.", destination, ".", source}), signature, saturating);
}

template <class Destination, class Source>
void add_pair(OpcodeTable& table) {
  using SharedTo = SharedDestination<Destination>;
  using SharedFrom = SharedSource<Destination, Source>;
  // To 32 and 64 bits is what addresses and indices are made of.
  constexpr bool is_rare = sizeof(Destination) < 4;
  constexpr Handler plain = is_rare ? map_lanes_compactly<cast<SharedTo, SharedFrom>, SharedTo, SharedFrom>
                                    : map_lanes<cast<SharedTo, SharedFrom>, SharedTo, SharedFrom>;
  Handler saturating = plain;
  if constexpr (!holds_all<Destination, Source>) {
    saturating = map_lanes_compactly<cast_saturating<Destination, Source>, Destination, Source>;
  }
  add_cast_rows(table, type_name<Destination>(), type_name<Source>(), plain, saturating);
}

template <class Destination>
void add_destination(OpcodeTable& table) {
  add_pair<Destination, std::uint8_t>(table);
  add_pair<Destination, std::int8_t>(table);
  add_pair<Destination, std::uint16_t>(table);
  add_pair<Destination, std::int16_t>(table);
  add_pair<Destination, std::uint32_t>(table);
  add_pair<Destination, std::int32_t>(table);
  add_pair<Destination, std::uint64_t>(table);
  add_pair<Destination, std::int64_t>(table);
}

// cvt.pack: a above b; the forms of 8 bits and fewer shift the low part of c further up.
template <class T, unsigned Bits>
std::uint32_t saturate_to_bits(std::int32_t value) {
  constexpr std::int32_t low = std::is_signed_v<T> ? -(1 << (Bits - 1)) : 0;
  constexpr std::int32_t high = (1 << (std::is_signed_v<T> ? Bits - 1 : Bits)) - 1;
  const std::int32_t clamped = value < low ? low : value > high ? high : value;
  return static_cast<std::uint32_t>(clamped) & ((1u << Bits) - 1);
}

template <class T, unsigned Bits>
std::uint32_t pack(std::int32_t a, std::int32_t b) {
  return saturate_to_bits<T, Bits>(a) << Bits | saturate_to_bits<T, Bits>(b);
}

template <class T, unsigned Bits>
std::uint32_t pack_onto(std::int32_t a, std::int32_t b, std::uint32_t c) {
  return c << (2 * Bits) | pack<T, Bits>(a, b);
}

template <unsigned Bits>
void add_pack_onto_rows(OpcodeTable& table, const char* bits) {
  add_rare_lanes<pack_onto<std::uint32_t, Bits>>(table, "cvt.pack.sat.u%.s32.b32", bits);
  add_rare_lanes<pack_onto<std::int32_t, Bits>>(table, "cvt.pack.sat.s%.s32.b32", bits);
}

}  // namespace

void add_integer_convert_rows(OpcodeTable& table) {
  add_destination<std::uint8_t>(table);
  add_destination<std::int8_t>(table);
  add_destination<std::uint16_t>(table);
  add_destination<std::int16_t>(table);
  add_destination<std::uint32_t>(table);
  add_destination<std::int32_t>(table);
  add_destination<std::uint64_t>(table);
  add_destination<std::int64_t>(table);
  add_rare_lanes<pack<std::uint32_t, 16>>(table, "cvt.pack.sat.u16.s32");
  add_rare_lanes<pack<std::int32_t, 16>>(table, "cvt.pack.sat.s16.s32");
  add_pack_onto_rows<8>(table, "8");
  add_pack_onto_rows<4>(table, "4");
  add_pack_onto_rows<2>(table, "2");
}

}  // namespace emulator::EMULATOR_ISA
