// SPDX-License-Identifier: Apache-2.0
// Arithmetic on f16, bf16 and their pairs: operands become floats and are rounded once on the way back.
#pragma once

#include <cstdint>

#include "ops/half_bits.hpp"
#include "ops/lanes.hpp"

namespace emulator::EMULATOR_ISA {

/// Both halves of 32 lanes: the low ones, then the high ones. A lone half is low; the register's upper part may then
/// hold anything, and so may the high ones here.
struct Halves {
  alignas(64) float value[2 * warp_size];
};

/// Computes a = op(a, b, c) on 2 * 32 floats. What it leaves need not be a half: the write rounds it, so it must be
/// exact, or rounded to odd, or to so many bits more that a second rounding does no harm.
using HalfOp = void (*)(float* a, const float* b, const float* c) noexcept;

/// What happens to results before rounding.
enum class Finish : std::uint8_t { none, saturate, relu };

/// All that tells handlers of one op from another.
struct HalfVariant {
  bool bf16 = false;
  bool ftz = false;
  Finish finish = Finish::none;
  std::uint8_t sources = 2;
};

/// The body of all handlers: operand[0] = compute(operand[1], ...), half by half.
Outcome run_halves(Warp& warp, const Op& op, LaneMask mask, HalfOp compute, HalfVariant variant) noexcept;

/// A handler from its parts.
template <HalfOp Compute, bool IsBf16, bool Ftz, Finish How, std::uint8_t Sources>
Outcome halves(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return run_halves(warp, op, mask, Compute, {IsBf16, Ftz, How, Sources});
}

}  // namespace emulator::EMULATOR_ISA
