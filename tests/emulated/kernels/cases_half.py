# SPDX-License-Identifier: Apache-2.0
"""Half and bfloat16 with references that round once."""

from fractions import Fraction

import numpy as np
from kernel_case import Bits, Case, In, Launch, Out, Within, floating
from references import DIRECTIONS, from_bfloat16, round_to_odd, rounded, to_bfloat16

f16, f32, f64, i32, i64 = np.float16, np.float32, np.float64, np.int32, np.int64
u16, u32 = np.uint16, np.uint32
SIZES = (Launch(1, 32), Launch(301, 96))
EQUAL = floating(Bits(), Bits())
SAME = floating(Bits(any_nan=True), Bits(any_nan=True), Bits(any_nan=True))


def halves(rng, n, powers=4):
    """Halves of both signs over some powers of two; none is zero."""
    return (rng.choice([-1.0, 1.0], n) * (1 + rng.random(n)) * 2.0 ** rng.integers(-powers, powers, n)).astype(f16)


def fused(a, b, c):
    """a * b + c of halves, rounded once."""
    return np.array([rounded(Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r)), f16, "rn")
                     for p, q, r in zip(a.ravel(), b.ravel(), c.ravel(), strict=True)], f16).reshape(a.shape)


def clamped(values):
    return np.clip(values, f16(0), f16(1))


def columns(out, *values):
    for k, each in enumerate(values):
        out[k :: len(values)] = each


def half_arithmetic(at, x, y, z, out, approximate, n):
    columns(out, x + y, x - y, x * y, fused(x, y, z), -x, np.abs(y), clamped(x + y), clamped(x * y),
            clamped(fused(x, y, z)), np.maximum(x, y), np.minimum(x, y), (x.astype(f32) + f32(0.5)).astype(f16))
    a, b = x.astype(f64), y.astype(f64)
    columns(approximate, a / b, np.sqrt(np.abs(a)), 1 / a, 1 / np.sqrt(np.abs(b)))


def half2_arithmetic(at, x, y, z, out, n):
    rows = [x + y, x - y, x * y, fused(x, y, z), -x, np.abs(y), clamped(x + y), clamped(fused(x, y, z)),
            np.maximum(x, y), np.minimum(x, y), np.stack([x[:, 0], y[:, 1]], 1)]
    out[:] = np.stack(rows, 1)


def half_polynomial(at, x, out, degree, n):
    total = np.ones(x.size, f16)
    for k in range(degree):
        total = fused(total, x, np.full(x.size, k - 3, f16))
    out[:] = total


SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 6e-8, 65504.0], f16)


def special_pairs(rng, at):
    x, y = (each.reshape(-1) for each in np.meshgrid(SPECIAL, SPECIAL))
    return [In(x), In(y), Out(u32, 3 * x.size), i32(x.size)]


def half_comparisons(at, x, y, out, n):
    unordered = np.isnan(x) | np.isnan(y)
    less, equal, greater = x < y, x == y, x > y
    # The pairs are (x, y) against (y, y).
    second = ~np.isnan(y)
    flags = [equal, ~equal & ~unordered, less, x <= y, greater, x >= y, equal | unordered, ~equal, less | unordered,
             (x >= y) | unordered, np.isnan(x), np.isinf(x), equal & second, np.zeros(x.size, bool),
             (x >= y) | unordered]
    ones = u32(0x3C00)
    columns(out, sum(f.astype(u32) << k for k, f in enumerate(flags)), np.where(less, ones, 0),
            np.where(equal, ones, 0) | np.where(greater, u32(0xFFFF0000), 0))


def half_conversions(at, x, y, z, h, out, whole, back, n):
    directed = [np.array([rounded(Fraction(float(v)), f16, way) for v in x]) for way in DIRECTIONS]
    integers = [z, z & 0x7FFF, z.astype(np.int16), z, z.astype(u16) // 2]
    columns(out, *(each.astype(f16).view(u16) for each in (*directed, y, *integers)))
    a = h.astype(f64)
    columns(whole, np.rint(a), np.trunc(a), np.clip(np.ceil(a), 0, None), np.floor(a), np.clip(np.trunc(a), 0, None),
            np.rint(a), np.clip(np.trunc(a), -128, 127), np.clip(np.rint(a), 0, None))
    columns(back, x.astype(f16).astype(f32), h.astype(f32))


def conversion_inputs(rng, at):
    n = at.n
    return [In((rng.standard_normal(n) * 100).astype(f32)), In(rng.standard_normal(n) * 100),
            In(rng.integers(-30000, 30000, n, i32)), In((rng.standard_normal(n) * 100).astype(f16)),
            Out(u16, 10 * n), Out(i64, 8 * n), Out(f32, 2 * n), i32(n)]


def half2_warp_sums(at, x, out, n):
    filled = np.zeros((at.blocks * at.block, 2), f64)
    filled[: x.shape[0]] = x
    out[:] = filled.reshape(-1, 64).sum(1)


def bfloats(rng, n):
    return to_bfloat16(halves(rng, n, 6).astype(f32))


def bfloat_results(x, y, z):
    """Sum, difference, product and fused product of bfloat16, rounded once."""
    a, b, c = (from_bfloat16(each).astype(f64) for each in (x, y, z))
    # All but the fused result are exact in double, and cut to a float that cannot mislead the last rounding.
    return [to_bfloat16(round_to_odd(each, 20).astype(f32)) for each in (a + b, a - b, a * b, a * b + c)]


def larger(x, y):
    return np.where(from_bfloat16(x) > from_bfloat16(y), x, y)


def smaller(x, y):
    return np.where(from_bfloat16(x) < from_bfloat16(y), x, y)


def bfloat_arithmetic(at, x, y, z, out, n):
    columns(out, *bfloat_results(x, y, z), x ^ u16(0x8000), y & u16(0x7FFF), larger(x, y), smaller(x, y))


def bfloat2_arithmetic(at, x, y, z, out, n):
    out[:] = np.stack([*bfloat_results(x, y, z), larger(x, y), x | u16(0x8000)], 1)


def bfloat_conversions(at, x, z, out, back, n):
    a = to_bfloat16(x)
    whole = np.clip(np.trunc(from_bfloat16(a)), -(2**31), 2**31 - 1)
    toward_zero = (x.view(u32) >> u32(16)).astype(u16)
    columns(out, a, a, to_bfloat16(z.astype(f32)), to_bfloat16((z >> 20).astype(f32)), toward_zero,
            whole.astype(i64).astype(u16))
    back[:] = from_bfloat16(a) + from_bfloat16(to_bfloat16(z.astype(f32)))


def mixed_dot_products(at, rows, column, out, pairs, n):
    total = np.zeros(rows.shape[0], f32)
    for k in range(2 * pairs):
        total += rows[:, k].astype(f32) * column[k].astype(f32)
    out[:] = total


CASES = [
    Case("half_arithmetic", "half.cu",
         lambda rng, at: [*(In(halves(rng, at.n)) for _ in range(3)), Out(f16, 12 * at.n), Out(f16, 4 * at.n),
                          i32(at.n)],
         half_arithmetic, SIZES, {mode: {"out": Bits(), "approximate": Within(1)} for mode in EQUAL}),
    Case("half2_arithmetic", "half.cu",
         lambda rng, at: [*(In(halves(rng, (at.n, 2))) for _ in range(3)), Out(f16, (at.n, 11, 2)), i32(at.n)],
         half2_arithmetic, SIZES, EQUAL),
    Case("half_polynomial", "half.cu", lambda rng, at: [In(halves(rng, at.n, 1)), Out(f16, at.n), i32(6), i32(at.n)],
         half_polynomial, SIZES, EQUAL),
    Case("half_comparisons", "half.cu", special_pairs, half_comparisons, (Launch(81, 32),)),
    Case("half_conversions", "half.cu", conversion_inputs, half_conversions, SIZES, EQUAL),
    Case("half2_warp_sums", "half.cu",
         lambda rng, at: [In(rng.integers(-9, 9, (at.n, 2)).astype(f16)), Out(f16, at.blocks * at.block // 32),
                          i32(at.n)],
         half2_warp_sums, SIZES, EQUAL),
    Case("bfloat_arithmetic", "half.cu",
         lambda rng, at: [*(In(bfloats(rng, at.n)) for _ in range(3)), Out(u16, 8 * at.n), i32(at.n)],
         bfloat_arithmetic, SIZES, archs=("compute_80",)),
    Case("bfloat2_arithmetic", "half.cu",
         lambda rng, at: [*(In(bfloats(rng, (at.n, 2))) for _ in range(3)), Out(u16, (at.n, 6, 2)), i32(at.n)],
         bfloat2_arithmetic, SIZES, archs=("compute_80",)),
    Case("bfloat_conversions", "half.cu",
         lambda rng, at: [In((rng.standard_normal(at.n) * 99).astype(f32)),
                          In(rng.integers(-(2**30), 2**30, at.n, i32)), Out(u16, 6 * at.n), Out(f32, at.n), i32(at.n)],
         bfloat_conversions, SIZES, EQUAL),
    Case("mixed_dot_products", "half.cu",
         lambda rng, at: [In(halves(rng, (at.n, 34), 1)), In(halves(rng, 34, 1)), Out(f32, at.n), i32(17), i32(at.n)],
         mixed_dot_products, SIZES, floating(Within(8, 1e-5), Within(8, 1e-5))),
]
