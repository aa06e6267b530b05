# SPDX-License-Identifier: Apache-2.0
"""Rounding, conversions and special values of floats with references from exact fractions."""

from fractions import Fraction

import numpy as np
from kernel_case import DEFAULT, EXACT, FAST, Bits, Case, In, Launch, Out, Within, floating
from references import DIRECTIONS, root, rounded

f32, f64, i32, i64, u32, u64 = np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64
SIZES = (Launch(1, 32), Launch(1003, 96))
BITS = floating(Bits(), Bits())
SAME = floating(Bits(any_nan=True), Bits(any_nan=True), Bits(any_nan=True))


def spread(rng, n, dtype=f32, powers=20):
    """Values of both signs over many powers of two; none is zero."""
    return (rng.choice([-1.0, 1.0], n) * (1 + rng.random(n)) * 2.0 ** rng.integers(-powers, powers, n)).astype(dtype)


def directed(dtype, x, y, z, out):
    for i in range(x.size):
        a, b, c = (Fraction(float(each[i])) for each in (x, y, z))
        exact = (a + b, a - b, a * b, a * b + c, a / b, 1 / a)
        out[28 * i : 28 * i + 24] = [rounded(value, dtype, way) for value in exact for way in DIRECTIONS]
        out[28 * i + 24 : 28 * i + 28] = [root(abs(z[i]), dtype, way) for way in DIRECTIONS]


def directed_float(at, x, y, z, out, n):
    directed(f32, x, y, z, out)


def directed_double(at, x, y, z, out, n):
    directed(f64, x, y, z, out)


def directed_inputs(dtype):
    def inputs(rng, at):
        x, y, z = (spread(rng, at.n, dtype) for _ in range(3))
        # An exact zero as result would bring the sign of zero in; its rule is in special_values.
        return [In(x), In(np.where(np.abs(x) == np.abs(y), dtype(1.5), y).astype(dtype)), In(z),
                Out(dtype, 28 * at.n), i32(at.n)]
    return inputs


WAYS = (np.rint, np.trunc, np.ceil, np.floor)


def saturated(values, dtype):
    """Whole floats to integers, at the ends of the range where they do not fit."""
    limits = np.iinfo(dtype)
    return np.array([min(max(int(v), limits.min), limits.max) if np.isfinite(v) else
                     limits.max if v > 0 else limits.min for v in values], dtype)


def float_to_integer(at, x, y, small, wide, n):
    for values, place in ((x, 0), (y, 8)):
        for k, way in enumerate(WAYS):
            whole = way(values)
            small[place + k :: 16] = saturated(whole, i32)
            small[place + 4 + k :: 16] = saturated(whole, u32).view(i32)
            wide[place + k :: 16] = saturated(whole, i64)
            wide[place + 4 + k :: 16] = saturated(whole, u64).view(i64)


def whole_inputs(rng, at):
    n = at.n
    x = spread(rng, n, f32, 70)
    x[: n // 2] = rng.integers(-40, 40, n // 2) / f32(4)
    y = spread(rng, n, f64, 70)
    y[: n // 2] = rng.integers(-40, 40, n // 2) / 4
    special = [np.inf, -np.inf, 0.0, -0.0, 2.0**31, -(2.0**31), 2.0**63, 2.0**64, -(2.0**63), 2147483647.0][:n]
    x[: len(special)] = y[: len(special)] = special
    return [In(x), In(y), Out(i32, 16 * n), Out(i64, 16 * n), i32(n)]


def integer_to_float(at, x, y, single, wide, n):
    for i in range(x.size):
        small = (int(x[i]), int(x[i]) % 2**32, int(y[i]), int(y[i]) % 2**64)
        single[20 * i : 20 * i + 16] = [rounded(Fraction(v), f32, way) for v in small for way in DIRECTIONS]
        wide[10 * i : 10 * i + 2] = small[:2]
        wide[10 * i + 2 : 10 * i + 10] = [rounded(Fraction(v), f64, way) for v in small[2:] for way in DIRECTIONS]
    for k, dtype in enumerate((np.int16, np.uint16, np.int8, np.uint8)):
        single[16 + k :: 20] = x.astype(dtype)


def integer_inputs(rng, at):
    n = at.n
    x = rng.integers(-(2**31), 2**31, n, i32) >> rng.integers(0, 31, n, i32)
    y = rng.integers(-(2**63), 2**63 - 1, n, i64) >> rng.integers(0, 63, n, i64)
    x[0], y[0] = 0, 0
    x[-1], y[-1] = -1, -1
    return [In(x), In(y), Out(f32, 20 * n), Out(f64, 10 * n), i32(n)]


def narrow_and_widen(at, x, y, out, wide, n):
    for k, way in enumerate(DIRECTIONS):
        out[k::4] = [rounded(Fraction(float(v)), f32, way) for v in x]
    wide[:] = y


def round_to_whole(at, x, y, out, wide, n):
    def away(values):
        return np.copysign(np.floor(np.abs(values) + values.dtype.type(0.5)), values)

    mantissa, power = np.frexp(x)
    columns = [np.floor(x), np.ceil(x), np.trunc(x), np.rint(x), away(x), np.clip(x, 0, 1), np.fmod(x, f32(1.75)),
               mantissa + power.astype(f32)]
    fraction, whole = np.modf(y)
    wides = [np.floor(y), np.ceil(y), np.trunc(y), np.rint(y), away(y), fraction + 2 * whole, np.fmod(y, 1.75),
             np.ldexp(y, np.arange(y.size) % 40 - 20)]
    for k in range(8):
        out[k::8], wide[k::8] = columns[k], wides[k]


def round_inputs(rng, at):
    n = at.n
    x, y = spread(rng, n), spread(rng, n, f64)
    x[: n // 2], y[: n // 2] = rng.integers(-90, 90, n // 2) / f32(4), rng.integers(-90, 90, n // 2) / 4
    return [In(x), In(y), Out(f32, 8 * n), Out(f64, 8 * n), i32(n)]


def words_of_floats(at, x, y, z, out, n):
    out[0::5], out[1::5] = x.view(u32), y.view(u64)
    out[2::5] = z << u64(32) | z >> u64(32)
    out[3::5], out[4::5] = z & u64(0xFFFFFFFF), z + u64(1)


SPECIAL = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1e-40, -3e-42, 1.2e-38, 3e38, -1e-20], f32)


def special_inputs(rng, at):
    x, y = (each.reshape(-1) for each in np.meshgrid(SPECIAL, SPECIAL))
    return [In(x), In(y), Out(f32, 7 * x.size), Out(f64, 6 * x.size), i32(x.size)]


def operations(a, b, fused):
    return [a + b, a - b, a * b, a / b, np.sqrt(a), fused, a.dtype.type(1) / b]


def special_values(at, x, y, out, wide, n):
    p, q = x.astype(f64), y.astype(f64)
    # The fused product of these singles is exact in double, and the sum far from halfway between singles.
    for k, values in enumerate(operations(x, y, (p * q + q).astype(f32))):
        out[k::7] = np.where(np.isnan(values), u32(0x7FFFFFFF).view(f32), values)
    for k, values in enumerate(operations(p, q, p * q + q)[:6]):
        wide[k::6] = values


def flushed(values):
    """Subnormal singles as zeros of the same sign."""
    return np.where(np.abs(values) < f32(2.0**-126), np.copysign(f32(0), values), values)


def special_values_flushed(at, x, y, out, wide, n):
    a, b = flushed(x), flushed(y)
    p, q = a.astype(f64), b.astype(f64)
    for k, values in enumerate(operations(a, b, (p * q + q).astype(f32))):
        out[k::7] = flushed(np.where(np.isnan(values), u32(0x7FFFFFFF).view(f32), values))
    # float to double flushes too; double arithmetic itself never does.
    for k, values in enumerate(operations(p, q, p * q + q)[:6]):
        wide[k::6] = values


def mandelbrot(at, out, width, height, limit):
    x, y = np.meshgrid(np.arange(width, dtype=f32), np.arange(height, dtype=f32))
    cr, ci = f32(3) * x / f32(width) - f32(2), f32(2) * y / f32(height) - f32(1)
    re, im = np.zeros_like(cr), np.zeros_like(cr)
    out[:] = 0
    inside = np.ones(out.shape, bool)
    for _ in range(limit):
        inside &= re * re + im * im <= 4
        out += inside
        re, im = np.where(inside, re * re - im * im + cr, re), np.where(inside, f32(2) * re * im + ci, im)


def complex_polynomial(at, z, out, degree, n):
    re, im = np.ones(z.shape[0]), np.full(z.shape[0], -0.5)
    x, y = z[:, 0], z[:, 1]
    for k in range(degree):
        re, im = re * x - im * y + 1.0 / (k + 1), re * y + im * x + 0.25 * k
    out[:, 0], out[:, 1] = re, im


def compensated_sum(at, x, out, rows, columns):
    total, lost = np.zeros(rows, f32), np.zeros(rows, f32)
    for k in range(columns):
        following = x[:, k] - lost
        after = total + following
        lost = (after - total) - following
        total = after
    out[:] = total


def newton_square_root(at, x, out, steps, n):
    for i in range(x.size):
        value, k = max(x[i], 1.0), 0
        while True:
            before, value, k = value, 0.5 * (value + x[i] / value), k + 1
            if not (value < before and k < 100):
                break
        out[i], steps[i] = value, k


CASES = [
    Case("directed_float", "floats.cu", directed_inputs(f32), directed_float, (Launch(1, 32), Launch(301, 96)), BITS),
    Case("directed_double", "floats.cu", directed_inputs(f64), directed_double, (Launch(1, 32), Launch(301, 96)), BITS),
    Case("float_to_integer", "floats.cu", whole_inputs, float_to_integer, SIZES),
    Case("integer_to_float", "floats.cu", integer_inputs, integer_to_float, (Launch(2, 32), Launch(301, 96)), BITS),
    Case("narrow_and_widen", "floats.cu",
         lambda rng, at: [In(spread(rng, at.n, f64)), In(spread(rng, at.n)), Out(f32, 4 * at.n), Out(f64, at.n),
                          i32(at.n)],
         narrow_and_widen, (Launch(1, 32), Launch(501, 96)), BITS),
    Case("round_to_whole", "floats.cu", round_inputs, round_to_whole, SIZES, SAME),
    Case("words_of_floats", "floats.cu",
         lambda rng, at: [In(spread(rng, at.n)), In(spread(rng, at.n, f64)), In(rng.integers(0, 2**64, at.n, u64)),
                          Out(u64, 5 * at.n), i32(at.n)],
         words_of_floats, SIZES),
    Case("special_values_kept", "floats.cu", special_inputs, special_values, (Launch(144, 64, 3),),
         SAME, modes=(EXACT, DEFAULT), kernel="special_values"),
    Case("special_values_flushed", "floats.cu", special_inputs, special_values_flushed, (Launch(144, 64, 3),),
         SAME, modes=(FAST,), kernel="special_values"),
    Case("mandelbrot", "floats.cu", lambda rng, at: [Out(i32, (at.n, at.n)), i32(at.n), i32(at.n), i32(60)],
         mandelbrot, (Launch(37, (16, 4), (3, 10)), Launch(64, (8, 8), (8, 8))), modes=(EXACT,)),
    Case("complex_polynomial", "floats.cu",
         lambda rng, at: [In(rng.uniform(-1, 1, (at.n, 2))), Out(f64, (at.n, 2)), i32(9), i32(at.n)],
         complex_polynomial, SIZES, floating(Within(4, 1e-13), Within(4, 1e-13))),
    Case("compensated_sum", "floats.cu",
         lambda rng, at: [In(spread(rng, at.n * 50, f32, 12).reshape(at.n, 50)), Out(f32, at.n), i32(at.n), i32(50)],
         compensated_sum, (Launch(3, 32), Launch(77, 32)), BITS),
    Case("newton_square_root", "floats.cu",
         lambda rng, at: [In(np.abs(spread(rng, at.n, f64))), Out(f64, at.n), Out(i32, at.n), i32(at.n)],
         newton_square_root, SIZES, BITS, modes=(EXACT,)),
]
