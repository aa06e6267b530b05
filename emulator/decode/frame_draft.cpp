// SPDX-License-Identifier: Apache-2.0
// The frame of a function while it is decoded.
#include "decode/frame_draft.hpp"

#include <limits>

#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

constexpr std::uint64_t cache_line = 64;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t room(const PlaceInfo& place) {
  if (place.bits == 1) return sizeof(LaneMask);
  return place.bits == 64 ? 8u * warp_size : 4u * warp_size;
}

}  // namespace

std::uint32_t parameter_stride(std::uint32_t bytes) {
  if (bytes <= 4) return 4;
  return static_cast<std::uint32_t>(round_up(bytes, 8));
}

FrameDraft::FrameDraft() { add({.kind = PlaceKind::mask, .bits = 1}); }

Place FrameDraft::add(PlaceInfo info) {
  const auto index = static_cast<std::uint32_t>(places_.size());
  places_.push_back(info);
  shared_with_.push_back(index);
  return index << 1;
}

Place FrameDraft::constant(std::uint64_t value, unsigned bits) {
  const bool wide = bits == 64;
  if (!wide) value &= 0xffffffffu;
  const auto [found, is_new] = constants_[wide ? 1 : 0].try_emplace(value, 0u);
  if (is_new) {
    found->second =
        add({.kind = PlaceKind::constant, .bits = static_cast<std::uint8_t>(wide ? 64 : 32), .value = value});
  }
  return found->second;
}

Place FrameDraft::address(SymbolRef symbol, std::int64_t addend, unsigned bits) {
  for (const SymbolUse& use : symbol_uses_) {
    const bool same = use.symbol.kind == symbol.kind && use.symbol.index == symbol.index && use.addend == addend &&
                      info(use.place).bits == bits;
    if (same) return use.place;
  }
  const Place place = add({.kind = PlaceKind::constant, .bits = static_cast<std::uint8_t>(bits)});
  symbol_uses_.push_back({symbol, addend, place});
  return place;
}

Place FrameDraft::value(unsigned bits) {
  return add({.kind = PlaceKind::value, .bits = static_cast<std::uint8_t>(bits == 1 || bits == 64 ? bits : 32)});
}

Place FrameDraft::parameter(std::uint32_t bytes) { return add({.kind = PlaceKind::parameter, .value = bytes}); }

ParameterSlot FrameDraft::slot(Place place) const {
  const PlaceInfo& parameter = info(place);
  const auto bytes = static_cast<std::uint32_t>(parameter.value);
  return {.offset = parameter.offset, .stride = parameter_stride(bytes), .bytes = bytes};
}

void FrameDraft::share(Place place, Place other) { shared_with_[place >> 1] = other >> 1; }

void FrameDraft::lay_out(Function& function) {
  std::uint64_t end = cache_line;
  std::vector<std::uint32_t> constant_index(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    PlaceInfo& place = places_[i];
    if (place.kind != PlaceKind::constant) continue;
    place.offset = static_cast<std::uint32_t>(end);
    end += room(place);
    constant_index[i] = static_cast<std::uint32_t>(function.constants.size());
    function.constants.push_back(
        {.offset = place.offset, .bytes = static_cast<std::uint8_t>(place.bits / 8), .value = place.value});
  }
  for (const SymbolUse& use : symbol_uses_) {
    addresses_.push_back({.constant = constant_index[use.place >> 1], .symbol = use.symbol, .addend = use.addend});
  }
  function.register_begin = static_cast<std::uint32_t>(end);
  // Predicates are a word each and stand together; values of lanes begin at cache lines.
  const auto give_room = [&](auto wanted, auto bytes_of) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      PlaceInfo& place = places_[i];
      if (!wanted(place) || shared_with_[i] != i) continue;
      place.offset = static_cast<std::uint32_t>(end);
      end += bytes_of(place);
    }
    end = round_up(end, cache_line);
  };
  give_room([](const PlaceInfo& place) { return place.kind == PlaceKind::value && place.bits == 1; }, room);
  give_room([](const PlaceInfo& place) { return place.kind == PlaceKind::value && place.bits != 1; }, room);
  give_room([](const PlaceInfo& place) { return place.kind == PlaceKind::parameter; },
            [](const PlaceInfo& place) {
              const auto bytes = static_cast<std::uint32_t>(place.value);
              return round_up(std::uint64_t{parameter_stride(bytes)} * warp_size, cache_line);
            });
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (shared_with_[i] != i) places_[i].offset = places_[shared_with_[i]].offset;
  }
  if (end > std::numeric_limits<std::int32_t>::max())
    refuse(0, "Function '" + function.name + "' needs too many registers");
  function.frame_bytes = static_cast<std::uint32_t>(end);
}

}  // namespace emulator::decode
