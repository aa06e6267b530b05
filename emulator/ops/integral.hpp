// SPDX-License-Identifier: Apache-2.0
// Rounding to an integral value in the same format, as vector code on every instruction set.
#pragma once

#include "ops/float_environment.hpp"

namespace emulator::EMULATOR_ISA {

inline __attribute__((always_inline)) float with_sign_of(float value, float sign) {
  return __builtin_copysignf(value, sign);
}
inline __attribute__((always_inline)) double with_sign_of(double value, double sign) {
  return __builtin_copysign(value, sign);
}

/// Nearest integral value, ties to even. Needs the nearest environment.
template <class T>
inline __attribute__((always_inline)) T nearest_integral(T value) {
#if defined(__x86_64__) && !defined(__SSE4_1__)
  // SSE2 has no instruction for it: adding and taking away 2^(p-1) leaves no fraction. Larger values and NaN have none.
  constexpr T magic = sizeof(T) == 4 ? T{8388608} : T{4503599627370496};
  const T magnitude = with_sign_of(value, T{1});
  const T rounded = with_sign_of((magnitude + magic) - magic, value);
  return magnitude < magic ? rounded : value;
#else
  if constexpr (sizeof(T) == 4) {
    return __builtin_rintf(value);
  } else {
    return __builtin_rint(value);
  }
#endif
}

/// The integral value next to `value` in the direction of Mode; zeros keep the sign of `value`.
template <Rounding Mode, class T>
inline __attribute__((always_inline)) T integral(T value) {
  const T nearest = nearest_integral(value);
  if constexpr (Mode == Rounding::nearest) return nearest;
  const T below = nearest - (nearest > value ? T{1} : T{0});
  const T above = nearest + (nearest < value ? T{1} : T{0});
  if constexpr (Mode == Rounding::down) return with_sign_of(below, value);
  if constexpr (Mode == Rounding::up) return with_sign_of(above, value);
  return with_sign_of(value < T{0} ? above : below, value);
}

}  // namespace emulator::EMULATOR_ISA
