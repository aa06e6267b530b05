// SPDX-License-Identifier: Apache-2.0
// Rows whose handler is a function of one lane: the signature follows from the function's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// The handler of a function of one lane, and the signature of its row.
template <auto F>
struct LaneFunction;

template <class Destination, class... Sources, Destination (*F)(Sources...)>
struct LaneFunction<F> {
  static constexpr Handler handler = map_lanes<F, Destination, Sources...>;

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

}  // namespace emulator::EMULATOR_ISA
