// SPDX-License-Identifier: Apache-2.0
// div rcp sqrt in every rounding, and the .rz .rm .rp forms of add sub mul fma. Built with -frounding-math: the mode is the CPU's.
#include "ops/float_lanes.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

template <bool Ftz, bool Sat>
struct Float {
  using Type = float;
  static Type read(float value) { return read_f32<Ftz>(value); }
  static Type write(float value, float, float = 0, float = 0) { return write_f32<Ftz, Sat>(value); }
  static float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static float root(float a) { return __builtin_sqrtf(a); }
};

struct Double {
  using Type = double;
  static Type read(double value) { return value; }
  template <class... Sources>
  static Type write(double value, Sources... sources) {
    return settle_nan(value, sources...);
  }
  static double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static double root(double a) { return __builtin_sqrt(a); }
};

// Operands are flushed before the arithmetic and NaN settled after it; T says how.
template <class T>
constexpr auto add = [](T::Type a, T::Type b) { return T::write(T::read(a) + T::read(b), a, b); };
template <class T>
constexpr auto sub = [](T::Type a, T::Type b) { return T::write(T::read(a) - T::read(b), a, b); };
template <class T>
constexpr auto mul = [](T::Type a, T::Type b) { return T::write(T::read(a) * T::read(b), a, b); };
template <class T>
constexpr auto div = [](T::Type a, T::Type b) { return T::write(T::read(a) / T::read(b), a, b); };
template <class T>
constexpr auto fma =
    [](T::Type a, T::Type b, T::Type c) { return T::write(T::fused(T::read(a), T::read(b), T::read(c)), a, b, c); };
template <class T>
constexpr auto rcp = [](T::Type a) { return T::write(typename T::Type{1} / T::read(a), a); };
template <class T>
constexpr auto root = [](T::Type a) { return T::write(T::root(T::read(a)), a); };

// One body serves the handlers of all modes.
template <Rounding Mode, Handler Body>
Outcome rounded(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const RoundingScope scope(Mode);
  return Body(warp, op, mask);
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
