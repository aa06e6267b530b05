// SPDX-License-Identifier: Apache-2.0
// The frame of a function while it is decoded: ops name places, offsets come at the end.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/function.hpp"

namespace emulator::decode {

/// A place in the frame: its index times two; bit 0 negates a predicate, as in Op::operand.
using Place = std::uint32_t;

/// Place of the all-lanes mask.
inline constexpr Place all_lanes = 0;

/// What a symbol's address is made of once everything is laid out.
enum class SymbolKind : std::uint8_t { none, variable, shared, function };

/// A symbol of the module: an index into ModuleDraft's list of its kind.
struct SymbolRef {
  SymbolKind kind = SymbolKind::none;
  std::uint32_t index = 0;
};

/// A constant of the frame that is a symbol's address.
struct AddressConstant {
  std::uint32_t constant = 0;  ///< index in Function::constants
  SymbolRef symbol;
  std::int64_t addend = 0;
};

/// What a place holds.
enum class PlaceKind : std::uint8_t { mask, constant, value, parameter };

/// One place.
struct PlaceInfo {
  PlaceKind kind = PlaceKind::value;
  std::uint8_t bits = 32;    ///< 1: one mask; up to 32: uint32_t[32]; 64: uint64_t[32]
  std::uint32_t offset = 0;  ///< from lay_out on
  std::uint64_t value = 0;   ///< of a constant; a parameter's bytes
};

/// Collects the places of a frame.
class FrameDraft {
 public:
  FrameDraft();

  /// A constant of 32 or 64 bits, each value once.
  Place constant(std::uint64_t value, unsigned bits);
  /// The address of a symbol plus `addend`, each once.
  Place address(SymbolRef symbol, std::int64_t addend, unsigned bits);
  /// A register or hidden value; 1 bit makes a predicate.
  Place value(unsigned bits);
  /// A parameter variable.
  Place parameter(std::uint32_t bytes);

  [[nodiscard]] const PlaceInfo& info(Place place) const { return places_[place >> 1]; }
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] bool is_constant(Place place) const { return info(place).kind == PlaceKind::constant; }
  /// The slot of a parameter; its offset is right after lay_out.
  [[nodiscard]] ParameterSlot slot(Place place) const;
  /// The frame offset of a place, negation kept.
  [[nodiscard]] std::uint32_t offset(Place place) const { return info(place).offset | (place & 1u); }
  /// Lets a value live where `other` lives.
  void share(Place place, Place other);

  /// Gives offsets and fills constants, frame_bytes and register_begin of the function.
  void lay_out(Function& function);
  [[nodiscard]] const std::vector<AddressConstant>& addresses() const { return addresses_; }

 private:
  Place add(PlaceInfo info);

  struct SymbolUse {
    SymbolRef symbol;
    std::int64_t addend;
    Place place;
  };
  std::vector<PlaceInfo> places_;
  std::vector<std::uint32_t> shared_with_;  ///< beside places: index of the place whose room is used; itself by default
  std::unordered_map<std::uint64_t, Place> constants_[2];
  std::vector<SymbolUse> symbol_uses_;
  std::vector<AddressConstant> addresses_;
};

/// Distance between two lanes' copies of a parameter. It depends on the size only, so that caller and callee agree.
std::uint32_t parameter_stride(std::uint32_t bytes);

}  // namespace emulator::decode
