// SPDX-License-Identifier: Apache-2.0
// Vectors of lanes side by side in memory, as {x y, x y, ...}, and in registers, as {x x ...}, {y y ...}: from one to
// the other in steps of 16 bytes a register.
#pragma once

#include <cstring>

namespace emulator::EMULATOR_ISA {

/// 16 bytes of 4- or 8-byte elements.
template <class Element>
struct Sixteen {
  typedef Element Type __attribute__((vector_size(16)));
  static constexpr unsigned elements = 16 / sizeof(Element);

  static __attribute__((always_inline)) Type load(const Element* from) {
    Type value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static __attribute__((always_inline)) void store(Element* to, const Type& value) {
    std::memcpy(to, &value, sizeof(value));
  }
};

/// {a0 a1 ..}, {b0 b1 ..} to {a0 a2 .. b0 b2 ..} or, with `odd`, to {a1 a3 .. b1 b3 ..}.
template <unsigned odd, class Type>
inline __attribute__((always_inline)) Type every_second(const Type& a, const Type& b) {
  if constexpr (sizeof(a[0]) == 8) {
    return __builtin_shufflevector(a, b, odd, 2 + odd);
  } else {
    return __builtin_shufflevector(a, b, odd, 2 + odd, 4 + odd, 6 + odd);
  }
}

/// {a0 a1 ..}, {b0 b1 ..} to {a0 b0 ..} or, with `upper`, to those of the upper halves.
template <unsigned upper, class Type>
inline __attribute__((always_inline)) Type interleaved(const Type& a, const Type& b) {
  if constexpr (sizeof(a[0]) == 8) {
    return __builtin_shufflevector(a, b, upper, 2 + upper);
  } else {
    return __builtin_shufflevector(a, b, 2 * upper, 4 + 2 * upper, 2 * upper + 1, 5 + 2 * upper);
  }
}

/// Rows of four to columns of four.
template <class Type>
inline __attribute__((always_inline)) void transpose(Type& a, Type& b, Type& c, Type& d) {
  const Type ac_low = interleaved<0>(a, c);
  const Type ac_high = interleaved<1>(a, c);
  const Type bd_low = interleaved<0>(b, d);
  const Type bd_high = interleaved<1>(b, d);
  a = interleaved<0>(ac_low, bd_low);
  b = interleaved<1>(ac_low, bd_low);
  c = interleaved<0>(ac_high, bd_high);
  d = interleaved<1>(ac_high, bd_high);
}

/// Vectors of `count` elements of some lanes to registers.
template <unsigned count, unsigned lanes, class Element>
inline __attribute__((always_inline)) void take_apart(const Element* source, Element* const (&destination)[count]) {
  using Part = Sixteen<Element>;
#pragma GCC unroll 8
  for (unsigned lane = 0; lane < lanes; lane += Part::elements) {
    auto a = Part::load(source + lane * count);
    auto b = Part::load(source + lane * count + Part::elements);
    if constexpr (count == 2) {
      Part::store(destination[0] + lane, every_second<0>(a, b));
      Part::store(destination[1] + lane, every_second<1>(a, b));
    } else {
      auto c = Part::load(source + lane * count + 2 * Part::elements);
      auto d = Part::load(source + lane * count + 3 * Part::elements);
      transpose(a, b, c, d);
      Part::store(destination[0] + lane, a);
      Part::store(destination[1] + lane, b);
      Part::store(destination[2] + lane, c);
      Part::store(destination[3] + lane, d);
    }
  }
}

/// Registers of some lanes to vectors of `count` elements.
template <unsigned count, unsigned lanes, class Element>
inline __attribute__((always_inline)) void put_together(const Element* const (&source)[count], Element* destination) {
  using Part = Sixteen<Element>;
#pragma GCC unroll 8
  for (unsigned lane = 0; lane < lanes; lane += Part::elements) {
    auto a = Part::load(source[0] + lane);
    auto b = Part::load(source[1] + lane);
    if constexpr (count == 2) {
      Part::store(destination + lane * count, interleaved<0>(a, b));
      Part::store(destination + lane * count + Part::elements, interleaved<1>(a, b));
    } else {
      auto c = Part::load(source[2] + lane);
      auto d = Part::load(source[3] + lane);
      transpose(a, b, c, d);
      Part::store(destination + lane * count, a);
      Part::store(destination + lane * count + Part::elements, b);
      Part::store(destination + lane * count + 2 * Part::elements, c);
      Part::store(destination + lane * count + 3 * Part::elements, d);
    }
  }
}

}  // namespace emulator::EMULATOR_ISA
