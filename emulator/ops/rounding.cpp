// SPDX-License-Identifier: Apache-2.0
// div rcp sqrt in every rounding, and .rz .rm .rp of add sub mul fma, by the CPU's mode (-frounding-math).
#include "ops/float_lanes.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

// How a type reads its operands and settles its results. `scaled` is the result on operands scaled for flush_tiny.
template <bool Ftz, bool Sat>
struct Float {
  using Type = float;
  static constexpr float scale = Ftz ? tiny_scale : 1.0f;
  static float read(float value) { return read_f32<Ftz>(value); }
  static float write(float value, float scaled, float, float = 0, float = 0) {
    return write_f32<false, Sat>(Ftz ? flush_tiny(value, scaled) : value);
  }
  static float write_quotient(float value, float scaled, float, float) { return write(value, scaled, 0); }
  static float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static float root(float a) { return __builtin_sqrtf(a); }
};

struct Double {
  using Type = double;
  static constexpr double scale = 1.0;
  static double read(double value) { return value; }
  template <class... Sources>
  static double write(double value, double, Sources... sources) {
    return settle_nan(value, sources...);
  }
  static double write_quotient(double value, double, double a, double b) { return settle_quotient(value, a, b); }
  static double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static double root(double a) { return __builtin_sqrt(a); }
};

// Sums and roots are never inexact below the smallest normal: they need no scaled result but themselves.
template <class T>
constexpr auto add = [](T::Type first, T::Type second) {
  const auto a = T::read(first);
  const auto b = T::read(second);
  return T::write(a + b, (a + b) * T::scale, a, b);
};
template <class T>
constexpr auto sub = [](T::Type first, T::Type second) {
  const auto a = T::read(first);
  const auto b = T::read(second);
  return T::write(a - b, (a - b) * T::scale, a, b);
};
template <class T>
constexpr auto mul = [](T::Type first, T::Type second) {
  const auto a = T::read(first);
  const auto b = T::read(second);
  return T::write(a * b, (a * T::scale) * b, a, b);
};
template <class T>
constexpr auto fma = [](T::Type first, T::Type second, T::Type third) {
  const auto a = T::read(first);
  const auto b = T::read(second);
  const auto c = T::read(third);
  return T::write(T::fused(a, b, c), T::fused(a * T::scale, b, c * T::scale), a, b, c);
};
template <class T>
constexpr auto div = [](T::Type first, T::Type second) {
  const auto a = T::read(first);
  const auto b = T::read(second);
  return T::write_quotient(a / b, (a * T::scale) / b, a, b);
};
template <class T>
constexpr auto rcp = [](T::Type source) {
  const auto a = T::read(source);
  return T::write(typename T::Type{1} / a, T::scale / a, a);
};
template <class T>
constexpr auto root = [](T::Type source) {
  const auto a = T::read(source);
  return T::write(T::root(a), T::root(a) * T::scale, a);
};

// One body serves the handlers of all modes. To nearest there is mostly nothing to set.
template <Rounding Mode, Handler Body>
Outcome rounded(Warp& warp, const Op& op, LaneMask mask) noexcept {
  if constexpr (Mode == Rounding::nearest) {
    const NearestScope scope;
    return Body(warp, op, mask);
  } else {
    const RoundingScope scope(Mode);
    return Body(warp, op, mask);
  }
}

template <Handler Body>
void add_directed(OpcodeTable& table, std::string_view name, std::string_view type, const char* signature) {
  add_row(table, {name, "rz", type}, signature, rounded<Rounding::zero, Body>);
  add_row(table, {name, "rm", type}, signature, rounded<Rounding::down, Body>);
  add_row(table, {name, "rp", type}, signature, rounded<Rounding::up, Body>);
}

template <Handler Body>
void add_all_modes(OpcodeTable& table, std::string_view name, std::string_view type, const char* signature) {
  add_row(table, {name, "rn", type}, signature, rounded<Rounding::nearest, Body>);
  add_directed<Body>(table, name, type, signature);
}

template <class T>
void add_arithmetic(OpcodeTable& table, std::string_view type) {
  using V = T::Type;
  constexpr bool wide = sizeof(V) == 8;
  constexpr const char* two = wide ? "=b64 b64 b64" : "=b32 b32 b32";
  constexpr const char* three = wide ? "=b64 b64 b64 b64" : "=b32 b32 b32 b32";
  add_directed<map_lanes<add<T>, V, V, V>>(table, "add", type, two);
  add_directed<map_lanes<sub<T>, V, V, V>>(table, "sub", type, two);
  add_directed<map_lanes<mul<T>, V, V, V>>(table, "mul", type, two);
  add_directed<map_lanes<fma<T>, V, V, V, V>>(table, "fma", type, three);
  add_directed<map_lanes<fma<T>, V, V, V, V>>(table, "mad", type, three);
}

template <class T>
void add_quotients(OpcodeTable& table, std::string_view type) {
  using V = T::Type;
  constexpr bool wide = sizeof(V) == 8;
  constexpr const char* one = wide ? "=b64 b64" : "=b32 b32";
  constexpr const char* two = wide ? "=b64 b64 b64" : "=b32 b32 b32";
  add_all_modes<map_lanes<div<T>, V, V, V>>(table, "div", type, two);
  add_all_modes<map_lanes<rcp<T>, V, V>>(table, "rcp", type, one);
  add_all_modes<map_lanes<root<T>, V, V>>(table, "sqrt", type, one);
}

}  // namespace

void add_rounding_rows(OpcodeTable& table) {
  add_arithmetic<Float<false, false>>(table, "f32");
  add_arithmetic<Float<true, false>>(table, "ftz.f32");
  add_arithmetic<Float<false, true>>(table, "sat.f32");
  add_arithmetic<Float<true, true>>(table, "ftz.sat.f32");
  add_arithmetic<Double>(table, "f64");
  add_quotients<Float<false, false>>(table, "f32");
  add_quotients<Float<true, false>>(table, "ftz.f32");
  add_quotients<Double>(table, "f64");
}

}  // namespace emulator::EMULATOR_ISA
