// SPDX-License-Identifier: Apache-2.0
// Rows whose handler is a function of one lane: the signature follows from the function's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ops/lanes.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {

/// Adds one row for each blank-separated spelling, all with the same handler. '%' in spellings and signature is `type`.
void add_rows(OpcodeTable& table, const char* spellings, const char* signature, Handler handler, const char* type = "");

/// The bits of an integer type: "16". What '%' stands for where the sign does not matter.
template <class T>
constexpr const char* bits_name() {
  return sizeof(T) == 8 ? "64" : sizeof(T) == 4 ? "32" : sizeof(T) == 2 ? "16" : "8";
}

/// PTX's name of an integer type: "u16", "s64".
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 8 ? "s64" : sizeof(T) == 4 ? "s32" : sizeof(T) == 2 ? "s16" : "s8";
  } else {
    return sizeof(T) == 8 ? "u64" : sizeof(T) == 4 ? "u32" : sizeof(T) == 2 ? "u16" : "u8";
  }
}

/// The parts, one behind the other.
std::string joined(std::initializer_list<std::string_view> parts);

/// map_lanes in half the code: the loop for partial masks serves full ones as well. For rows that are rare or slow.
template <auto F, class Destination, class... Sources>
Outcome map_lanes_compactly(Warp& warp, const Op& op, LaneMask mask) noexcept {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    map_pointers<F, Destination, Sources...>(lane_values<Stored<Destination>>(warp, op.operand[0]), false, mask,
                                             lane_values<Stored<Sources>>(warp, op.operand[I + 1])...);
  }
  (std::index_sequence_for<Sources...>{});
  return Outcome::next;
}

/// The handlers of a function of one lane, and the signature of its row.
template <auto F>
struct LaneFunction;

template <class Destination, class... Sources, Destination (*F)(Sources...)>
struct LaneFunction<F> {
  static constexpr Handler handler = map_lanes<F, Destination, Sources...>;
  static constexpr Handler compact_handler = map_lanes_compactly<F, Destination, Sources...>;

  struct Signature {
    char text[5 * (1 + sizeof...(Sources)) + 1] = {};
    constexpr Signature() {
      std::size_t end = 0;
      const auto append = [&](const char* word) {
        while (*word != 0) text[end++] = *word++;
      };
      append("=b");
      append(bits_name<Destination>());
      ((append(" b"), append(bits_name<Sources>())), ...);
    }
  };
  static constexpr Signature signature{};
};

/// Rows of `operand[0] = F(operand[1], ...)`; the types of F give the signature.
template <auto F>
void add_lanes(OpcodeTable& table, const char* spellings, const char* type = "") {
  add_rows(table, spellings, LaneFunction<F>::signature.text, LaneFunction<F>::handler, type);
}

/// The same with the compact handler.
template <auto F>
void add_rare_lanes(OpcodeTable& table, const char* spellings, const char* type = "") {
  add_rows(table, spellings, LaneFunction<F>::signature.text, LaneFunction<F>::compact_handler, type);
}

}  // namespace emulator::EMULATOR_ISA
