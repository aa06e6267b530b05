// SPDX-License-Identifier: Apache-2.0
// cvt with a float on either side: the frequent ones in loops of their own, the others by way of 32 doubles.
#include <array>
#include <limits>
#include <type_traits>

#include "ops/float_lanes.hpp"
#include "ops/half_bits.hpp"
#include "ops/integral.hpp"
#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

// ---- Step 1: sources become doubles. All but 64-bit integers are exact; those keep what any narrower format needs:
// they are rounded to odd.
struct Values {
  alignas(64) double value[warp_size];
};

using Read = void (*)(Warp&, std::uint32_t source, Values&) noexcept;
using Write = void (*)(Warp&, std::uint32_t destination, LaneMask mask, const Values&, Rounding mode) noexcept;

template <class Integer>
inline __attribute__((always_inline)) double odd_double(Integer integer) {
  if constexpr (sizeof(Integer) < 8) {
    return static_cast<double>(integer);
  } else {
    const bool negative = integer < 0;
    const auto bits = static_cast<std::uint64_t>(integer);
    const std::uint64_t magnitude = negative ? 0 - bits : bits;
    const std::uint64_t folded = (magnitude & ~std::uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800u : 0u);
    const std::uint64_t kept = magnitude >> 53 != 0 ? folded : magnitude;
    const auto value = static_cast<double>(kept);
    return negative ? -value : value;
  }
}

template <class Integer>
struct FromInteger {
  static double read(Stored<Integer> value) { return odd_double(from_stored<Integer>(value)); }
  using Storage = Stored<Integer>;
};
template <bool Ftz>
struct FromF32 {
  static double read(float value) { return static_cast<double>(read_f32<Ftz>(value)); }
  using Storage = float;
};
struct FromF64 {
  static double read(double value) { return value; }
  using Storage = double;
};
template <class Format>
struct FromHalf {
  static double read(std::uint32_t value) { return static_cast<double>(widen<Format>(value & 0xffffu)); }
  using Storage = std::uint32_t;
};

template <class Source>
__attribute__((noinline)) void read_values(Warp& warp, std::uint32_t source, Values& values) noexcept {
  using Storage = Source::Storage;
  const Storage* from = lane_values<Storage>(warp, source);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) values.value[lane] = Source::read(from[lane]);
}

// ---- Step 2: what happens between: rounding to an integral value, saturation, relu.
using Change = void (*)(Values&, Rounding mode) noexcept;

__attribute__((noinline)) void keep(Values&, Rounding) noexcept {}

__attribute__((noinline)) void round_to_integral(Values& values, Rounding mode) noexcept {
  switch (mode) {
    case Rounding::nearest:
#pragma GCC ivdep
#pragma GCC unroll 1
      for (double& value : values.value) value = integral<Rounding::nearest>(value);
      return;
    case Rounding::down:
#pragma GCC ivdep
#pragma GCC unroll 1
      for (double& value : values.value) value = integral<Rounding::down>(value);
      return;
    case Rounding::up:
#pragma GCC ivdep
#pragma GCC unroll 1
      for (double& value : values.value) value = integral<Rounding::up>(value);
      return;
    default:
#pragma GCC ivdep
#pragma GCC unroll 1
      for (double& value : values.value) value = integral<Rounding::zero>(value);
  }
}

__attribute__((noinline)) void clamp_to_unit(Values& values, Rounding) noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (double& value : values.value) value = saturate(value);
}

void round_and_clamp(Values& values, Rounding mode) noexcept {
  round_to_integral(values, mode);
  clamp_to_unit(values, mode);
}

// Negative values and -0 become +0; NaN stays.
__attribute__((noinline)) void drop_negative(Values& values, Rounding) noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (double& value : values.value) value = value > 0.0 || value != value ? value : 0.0;
}

// ---- Step 3: doubles become the destination.
template <class T>
inline __attribute__((always_inline)) void store_lane(T* to, unsigned lane, LaneMask mask, T value) {
  to[lane] = (mask & lane_bits<LaneMask>.bit[lane]) != 0 ? value : to[lane];
}

// An integral value as an integer: beyond the range the nearest end of it, NaN as the rules say.
template <class Integer, bool FromF64, class T>
inline __attribute__((always_inline)) Integer to_integer(T value) {
  using Limits = std::numeric_limits<Integer>;
  // Conversions to 32 bits are vector code; narrower results are clamped first and so fit.
  using Wide = std::conditional_t<sizeof(Integer) < 4, std::int32_t, Integer>;
  constexpr T low = static_cast<T>(Limits::min());
  constexpr T beyond = static_cast<T>(Limits::max() / 2 + 1) * T{2};  // exact, where max() itself is not
  const bool fits = value >= low && value < beyond;
  const Integer inside = static_cast<Integer>(static_cast<Wide>(fits ? value : T{0}));
  const Integer bounded = value >= beyond ? Limits::max() : inside;
  const Integer clamped = value < low ? Limits::min() : bounded;
  return value != value ? integer_of_nan<Integer, FromF64> : clamped;
}

template <class Integer, bool FromF64>
__attribute__((noinline)) void write_integers(Warp& warp, std::uint32_t destination, LaneMask mask,
                                              const Values& values, Rounding) noexcept {
  using Storage = Stored<Integer>;
  Storage* to = lane_values<Storage>(warp, destination);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    store_lane(to, lane, mask, static_cast<Storage>(to_integer<Integer, FromF64>(values.value[lane])));
  }
}

template <class Format, bool Ftz = false, bool KeepNan = false>
__attribute__((noinline)) void write_narrow(Warp& warp, std::uint32_t destination, LaneMask mask, const Values& values,
                                            Rounding mode) noexcept {
  std::uint32_t* to = lane_values<std::uint32_t>(warp, destination);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    std::uint32_t bits = narrow<Format, KeepNan>(values.value[lane], mode);
    if constexpr (Ftz) {
      const std::uint32_t scaled = narrow<F32>(values.value[lane] * static_cast<double>(tiny_scale), mode);
      bits = std::bit_cast<std::uint32_t>(flush_tiny(std::bit_cast<float>(bits), std::bit_cast<float>(scaled)));
    }
    store_lane(to, lane, mask, bits);
  }
}

__attribute__((noinline)) void write_f64(Warp& warp, std::uint32_t destination, LaneMask mask, const Values& values,
                                         Rounding) noexcept {
  double* to = lane_values<double>(warp, destination);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    store_lane(to, lane, mask, settle_nan(values.value[lane], values.value[lane]));
  }
}

// The three steps. The mode of step 2 is that of float to integer, of step 3 that of everything else.
__attribute__((noinline)) Outcome run_steps(Warp& warp, const Op& op, LaneMask mask, Read read, Change change,
                                            Write write, Rounding mode) noexcept {
  const NearestScope scope;
  Values values;
  read(warp, op.operand[1], values);
  change(values, mode);
  write(warp, op.operand[0], mask, values, mode);
  return Outcome::next;
}

template <Read From, Change Between, Write To, Rounding Mode>
Outcome convert(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return run_steps(warp, op, mask, From, Between, To, Mode);
}

// ---- Handlers with one loop, for the frequent pairs.
template <class Integer, Rounding Mode, bool Ftz>
constexpr auto integer_of_f32 =
    [](float value) { return to_integer<Integer, false>(integral<Mode>(read_f32<Ftz>(value))); };
template <Rounding Mode>
constexpr auto s32_of_f64 = [](double value) { return to_integer<std::int32_t, true>(integral<Mode>(value)); };
template <Rounding Mode, bool Ftz>
constexpr auto integral_f32 = [](float value) { return write_f32<Ftz>(integral<Mode>(read_f32<Ftz>(value))); };
template <Rounding Mode>
constexpr auto integral_f64 = [](double value) { return settle_nan(integral<Mode>(value), value); };
template <class Float, class Integer>
constexpr auto float_of_integer = [](Integer value) { return static_cast<Float>(value); };
// NaN is cut to the format and quiet, as the CPU's instruction does it too.
template <bool Ftz>
constexpr auto f32_of_f64 = [](double value) {
  const auto result = static_cast<float>(value);
  return Ftz ? flush_tiny(result, static_cast<float>(value * static_cast<double>(tiny_scale))) : result;
};
// NaN keeps its payload, but .ftz makes an f32 op of its own, which does not.
template <bool Ftz>
constexpr auto f64_of_f32 = [](float value) { return static_cast<double>(Ftz ? settle_nan(flush(value)) : value); };
constexpr auto f32_of_f16 = [](std::uint16_t value) { return settle_nan(widen_f16(value)); };
constexpr auto f32_of_bf16 = [](std::uint32_t value) { return value << 16; };
constexpr auto f16_of_f32 = [](float value) { return narrow_f16(value); };
constexpr auto bf16_of_f32 = [](float value) { return narrow_bf16(value); };
// Without a modifier these are moves: not even NaN changes.
constexpr auto same_bits_32 = [](std::uint32_t value) { return value; };
constexpr auto same_bits_64 = [](std::uint64_t value) { return value; };
// a goes to the high half.
constexpr auto f16x2_of_f32 = [](float a, float b) { return narrow_f16(a) << 16 | narrow_f16(b); };
constexpr auto bf16x2_of_f32 = [](float a, float b) { return narrow_bf16(a) << 16 | narrow_bf16(b); };

// A 64-bit integer as f64 in a directed rounding, in integers.
template <class Integer, Rounding Mode>
constexpr auto f64_of_wide = [](Integer value) {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  const int excess = 11 - std::countl_zero(magnitude | 1);
  const int shift = excess > 0 ? excess : 0;
  const std::uint64_t kept = magnitude >> shift;
  const bool inexact = kept << shift != magnitude;
  const bool outwards = Mode == Rounding::up ? !negative : Mode == Rounding::down ? negative : false;
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + shift) << 52);
  const double result = static_cast<double>(static_cast<std::int64_t>(kept + (inexact && outwards ? 1 : 0))) * scale;
  return negative ? -result : result;
};

// ---- Rows.
using Handlers = std::array<Handler, 4>;  // by Rounding
constexpr std::array<Rounding, 4> modes{Rounding::nearest, Rounding::down, Rounding::up, Rounding::zero};
constexpr std::array<std::string_view, 4> mode_names{"rn", "rm", "rp", "rz"};
constexpr std::array<std::string_view, 4> integral_names{"rni", "rmi", "rpi", "rzi"};

template <Read From, Change Between, Write To>
constexpr Handlers in_steps() {
  return {convert<From, Between, To, modes[0]>, convert<From, Between, To, modes[1]>,
          convert<From, Between, To, modes[2]>, convert<From, Between, To, modes[3]>};
}

// A type of PTX with the width of its registers.
struct TypeName {
  std::string_view name;
  std::string_view width;
};

void add_conversion(OpcodeTable& table, std::initializer_list<std::string_view> modifiers, TypeName to, TypeName from,
                    Handler handler) {
  const std::string signature = joined({"=", to.width, "* ", from.width, "*"}, "");
  add_row(table, {"cvt", joined(modifiers), to.name, from.name}, signature.c_str(), handler);
}

void add_modes(OpcodeTable& table, const std::array<std::string_view, 4>& names, std::string_view modifiers,
               TypeName to, TypeName from, const Handlers& handlers) {
  for (std::size_t mode = 0; mode < handlers.size(); ++mode) {
    add_conversion(table, {names[mode], modifiers}, to, from, handlers[mode]);
  }
}

// Calls use(type, name) for each integer type.
template <class Use>
void for_each_integer(Use use) {
  use(std::uint8_t{}, TypeName{"u8", "b8"});
  use(std::int8_t{}, TypeName{"s8", "b8"});
  use(std::uint16_t{}, TypeName{"u16", "b16"});
  use(std::int16_t{}, TypeName{"s16", "b16"});
  use(std::uint32_t{}, TypeName{"u32", "b32"});
  use(std::int32_t{}, TypeName{"s32", "b32"});
  use(std::uint64_t{}, TypeName{"u64", "b64"});
  use(std::int64_t{}, TypeName{"s64", "b64"});
}

constexpr TypeName f16{"f16", "b16"};
constexpr TypeName bf16{"bf16", "b16"};
constexpr TypeName f32{"f32", "b32"};
constexpr TypeName f64{"f64", "b64"};

template <class Integer, class Source>
constexpr Handlers to_integer_handlers() {
  constexpr bool from_f32 = std::is_same_v<typename Source::Storage, float>;
  constexpr bool from_f64 = std::is_same_v<typename Source::Storage, double>;
  if constexpr (from_f32 && std::is_same_v<Integer, std::int32_t>) {
    constexpr bool ftz = std::is_same_v<Source, FromF32<true>>;
    return {map_floats_compactly<integer_of_f32<Integer, modes[0], ftz>, Integer, float>,
            map_floats_compactly<integer_of_f32<Integer, modes[1], ftz>, Integer, float>,
            map_floats_compactly<integer_of_f32<Integer, modes[2], ftz>, Integer, float>,
            map_floats_compactly<integer_of_f32<Integer, modes[3], ftz>, Integer, float>};
  } else if constexpr (from_f64 && std::is_same_v<Integer, std::int32_t>) {
    return {map_floats_compactly<s32_of_f64<modes[0]>, Integer, double>,
            map_floats_compactly<s32_of_f64<modes[1]>, Integer, double>,
            map_floats_compactly<s32_of_f64<modes[2]>, Integer, double>,
            map_floats_compactly<s32_of_f64<modes[3]>, Integer, double>};
  } else {
    return in_steps<read_values<Source>, round_to_integral, write_integers<Integer, from_f64>>();
  }
}

// .sat changes nothing for integers: the conversion saturates anyway.
template <class Source>
void add_to_integers(OpcodeTable& table, std::string_view ftz, TypeName from) {
  for_each_integer([&]<class Integer>(Integer, TypeName to) {
    static constexpr Handlers handlers = to_integer_handlers<Integer, Source>();
    add_modes(table, integral_names, ftz, to, from, handlers);
    add_modes(table, integral_names, joined({ftz, "sat"}), to, from, handlers);
  });
}

template <class Integer>
constexpr Handlers to_f64_handlers() {
  constexpr Handler nearest = map_floats<float_of_integer<double, Integer>, double, Integer>;
  if constexpr (sizeof(Integer) < 8) {
    return {nearest, nearest, nearest, nearest};
  } else {
    return {nearest, map_floats_compactly<f64_of_wide<Integer, modes[1]>, double, Integer>,
            map_floats_compactly<f64_of_wide<Integer, modes[2]>, double, Integer>,
            map_floats_compactly<f64_of_wide<Integer, modes[3]>, double, Integer>};
  }
}

// A saturated integer is 0 or 1, whatever the rounding.
template <class Integer>
void add_from_integer(OpcodeTable& table, TypeName from) {
  constexpr Read read = read_values<FromInteger<Integer>>;
  static constexpr Handlers to_f32 = [] {
    Handlers handlers = in_steps<read, keep, write_narrow<F32>>();
    handlers[0] = map_floats<float_of_integer<float, Integer>, float, Integer>;
    return handlers;
  }();
  static constexpr Handlers to_f64 = to_f64_handlers<Integer>();
  static constexpr Handlers to_f16 = in_steps<read, keep, write_narrow<F16>>();
  static constexpr Handlers to_bf16 = in_steps<read, keep, write_narrow<Bf16>>();
  constexpr auto same = [](Handler handler) { return Handlers{handler, handler, handler, handler}; };
  add_modes(table, mode_names, "", f32, from, to_f32);
  add_modes(table, mode_names, "ftz", f32, from, to_f32);
  add_modes(table, mode_names, "", f64, from, to_f64);
  add_modes(table, mode_names, "", f16, from, to_f16);
  add_modes(table, mode_names, "", bf16, from, to_bf16);
  constexpr Rounding any = Rounding::nearest;
  const Handlers sat_f32 = same(convert<read, clamp_to_unit, write_narrow<F32>, any>);
  add_modes(table, mode_names, "sat", f32, from, sat_f32);
  add_modes(table, mode_names, "ftz.sat", f32, from, sat_f32);
  add_modes(table, mode_names, "sat", f64, from, same(convert<read, clamp_to_unit, write_f64, any>));
  add_modes(table, mode_names, "sat", f16, from, same(convert<read, clamp_to_unit, write_narrow<F16>, any>));
}

// Narrowing: every rounding, alone and saturated.
template <Read From, Write To>
void add_narrowing(OpcodeTable& table, std::string_view ftz, TypeName to, TypeName from, Handler nearest) {
  Handlers plain = in_steps<From, keep, To>();
  if (nearest != nullptr) plain[0] = nearest;
  add_modes(table, mode_names, ftz, to, from, plain);
  add_modes(table, mode_names, joined({ftz, "sat"}), to, from, in_steps<From, clamp_to_unit, To>());
}

// Widening, and conversion to the same type: no rounding.
template <Read From, Write To>
void add_widening(OpcodeTable& table, std::string_view ftz, TypeName to, TypeName from, Handler plain) {
  constexpr Rounding any = Rounding::nearest;
  add_conversion(table, {ftz}, to, from, plain != nullptr ? plain : convert<From, keep, To, any>);
  add_conversion(table, {ftz, "sat"}, to, from, convert<From, clamp_to_unit, To, any>);
}

// Rounding to an integral value in the same type.
template <Read From, Write To>
void add_integral(OpcodeTable& table, std::string_view ftz, TypeName type, const Handlers* direct) {
  constexpr Handlers steps = in_steps<From, round_to_integral, To>();
  add_modes(table, integral_names, ftz, type, type, direct != nullptr ? *direct : steps);
  add_modes(table, integral_names, joined({ftz, "sat"}), type, type, in_steps<From, round_and_clamp, To>());
}

constexpr Read from_f16 = read_values<FromHalf<F16>>;
constexpr Read from_bf16 = read_values<FromHalf<Bf16>>;
constexpr Read from_f64 = read_values<FromF64>;
constexpr Write to_f16 = write_narrow<F16>;
constexpr Write to_bf16 = write_narrow<Bf16>;

// All conversions with f32 on a side, with .ftz or without it. Narrowing to halves takes .ftz and pays no heed to it.
template <bool Ftz>
void add_f32_conversions(OpcodeTable& table) {
  constexpr std::string_view ftz = Ftz ? "ftz" : "";
  constexpr Read from_f32 = read_values<FromF32<Ftz>>;
  constexpr Read from_any_f32 = read_values<FromF32<false>>;
  constexpr Write to_f32 = write_narrow<F32, Ftz>;
  using Bits = std::uint32_t;
  add_narrowing<from_f64, write_narrow<F32, Ftz, true>>(table, ftz, f32, f64,
                                                        map_floats<f32_of_f64<Ftz>, float, double>);
  add_narrowing<from_any_f32, to_f16>(table, ftz, f16, f32, map_floats_compactly<f16_of_f32, Bits, float>);
  add_narrowing<from_any_f32, to_bf16>(table, ftz, bf16, f32, map_floats_compactly<bf16_of_f32, Bits, float>);
  add_widening<from_f32, write_f64>(table, ftz, f64, f32, map_floats<f64_of_f32<Ftz>, double, float>);
  add_widening<from_f16, to_f32>(table, ftz, f32, f16, map_floats_compactly<f32_of_f16, float, std::uint16_t>);
  add_widening<from_bf16, to_f32>(table, ftz, f32, bf16, Ftz ? nullptr : map_lanes<f32_of_bf16, Bits, Bits>);
  add_widening<from_f32, to_f32>(table, ftz, f32, f32, Ftz ? nullptr : map_lanes<same_bits_32, Bits, Bits>);
  static constexpr Handlers integral = {map_floats_compactly<integral_f32<modes[0], Ftz>, float, float>,
                                        map_floats_compactly<integral_f32<modes[1], Ftz>, float, float>,
                                        map_floats_compactly<integral_f32<modes[2], Ftz>, float, float>,
                                        map_floats_compactly<integral_f32<modes[3], Ftz>, float, float>};
  add_integral<from_f32, to_f32>(table, ftz, f32, &integral);
}

// .relu exists to nearest and towards zero, for one half and for a pair.
template <class Format>
void add_relu(OpcodeTable& table, TypeName to) {
  constexpr Handlers handlers = in_steps<read_values<FromF32<false>>, drop_negative, write_narrow<Format>>();
  add_conversion(table, {"rn.relu"}, to, f32, handlers[0]);
  add_conversion(table, {"rz.relu"}, to, f32, handlers[3]);
}

// The pairs that are rare go half by half.
template <class Format, Change Between, Rounding Mode>
Outcome convert_pair(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const NearestScope scope;
  Values high;
  Values low;
  read_values<FromF32<false>>(warp, op.operand[1], high);
  read_values<FromF32<false>>(warp, op.operand[2], low);
  Between(high, Mode);
  Between(low, Mode);
  std::uint32_t* to = lane_values<std::uint32_t>(warp, op.operand[0]);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t bits = narrow<Format>(high.value[lane], Mode) << 16 | narrow<Format>(low.value[lane], Mode);
    store_lane(to, lane, mask, bits);
  }
  return Outcome::next;
}

template <class Format>
void add_pairs(OpcodeTable& table, std::string_view type, Handler nearest) {
  constexpr const char* signature = "=b32 b32 b32";
  add_row(table, {"cvt.rn", type, "f32"}, signature, nearest);
  add_row(table, {"cvt.rz", type, "f32"}, signature, convert_pair<Format, keep, Rounding::zero>);
  add_row(table, {"cvt.rn.relu", type, "f32"}, signature, convert_pair<Format, drop_negative, Rounding::nearest>);
  add_row(table, {"cvt.rz.relu", type, "f32"}, signature, convert_pair<Format, drop_negative, Rounding::zero>);
}

}  // namespace

void add_float_convert_rows(OpcodeTable& table) {
  add_to_integers<FromF32<false>>(table, "", f32);
  add_to_integers<FromF32<true>>(table, "ftz", f32);
  add_to_integers<FromF64>(table, "", f64);
  add_to_integers<FromHalf<F16>>(table, "", f16);
  add_to_integers<FromHalf<Bf16>>(table, "", bf16);
  for_each_integer([&]<class Integer>(Integer, TypeName from) { add_from_integer<Integer>(table, from); });
  add_f32_conversions<false>(table);
  add_f32_conversions<true>(table);
  static constexpr Handlers integral = {map_floats_compactly<integral_f64<modes[0]>, double, double>,
                                        map_floats_compactly<integral_f64<modes[1]>, double, double>,
                                        map_floats_compactly<integral_f64<modes[2]>, double, double>,
                                        map_floats_compactly<integral_f64<modes[3]>, double, double>};
  add_integral<from_f64, write_f64>(table, "", f64, &integral);
  add_integral<from_f16, to_f16>(table, "", f16, nullptr);
  add_integral<from_bf16, to_bf16>(table, "", bf16, nullptr);
  add_widening<from_f64, write_f64>(table, "", f64, f64, map_lanes<same_bits_64, std::uint64_t, std::uint64_t>);
  add_widening<from_f16, write_f64>(table, "", f64, f16, nullptr);
  add_widening<from_bf16, write_f64>(table, "", f64, bf16, nullptr);
  add_widening<from_f16, to_f16>(table, "", f16, f16, nullptr);
  add_widening<from_bf16, to_bf16>(table, "", bf16, bf16, nullptr);
  add_narrowing<from_f64, write_narrow<F16, false, true>>(table, "", f16, f64, nullptr);
  add_narrowing<from_f64, write_narrow<Bf16, false, true>>(table, "", bf16, f64, nullptr);
  add_narrowing<from_f16, to_bf16>(table, "", bf16, f16, nullptr);
  add_narrowing<from_bf16, to_f16>(table, "", f16, bf16, nullptr);
  add_relu<F16>(table, f16);
  add_relu<Bf16>(table, bf16);
  add_pairs<F16>(table, "f16x2", map_floats_compactly<f16x2_of_f32, std::uint32_t, float, float>);
  add_pairs<Bf16>(table, "bf16x2", map_floats_compactly<bf16x2_of_f32, std::uint32_t, float, float>);
}

}  // namespace emulator::EMULATOR_ISA
