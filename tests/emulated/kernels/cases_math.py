# SPDX-License-Identifier: Apache-2.0
"""The math library against NumPy in the next wider type, within the errors that CUDA documents."""

import math

import numpy as np
from kernel_case import DEFAULT, EXACT, FAST, Case, In, Launch, Out, Within, floating

f32, f64, i32, wide = np.float32, np.float64, np.int32, np.longdouble
SIZES = (Launch(1, 32), Launch(1003, 96))


def columns(out, *values):
    """One function after the other into the columns of the results."""
    for k, each in enumerate(values):
        out[k :: len(values)] = each


def erf(values):
    """The error function of the C library."""
    return np.array([math.erf(value) for value in values])


def erfc(values):
    """The complementary error function of the C library."""
    return np.array([math.erfc(value) for value in values])


def trigonometry(at, x, out, n):
    a = x.astype(f64)
    columns(out, np.sin(a), np.cos(a), np.sin(a), np.cos(a))


def tangent(at, x, out, n):
    out[:] = np.tan(x.astype(f64))


def exponentials(at, x, out, n):
    kind = f64 if x.dtype == f32 else wide
    a, quarter = x.astype(kind), (x.dtype.type(0.25) * x).astype(kind)
    b = (np.abs(x) + x.dtype.type(1e-3)).astype(kind)
    columns(out, np.exp(a), np.exp2(a), kind(10) ** quarter, np.log(b), np.log2(b), np.log10(b), np.expm1(a),
            np.log1p(b))


def powers(at, x, y, out, n):
    kind = f64 if x.dtype == f32 else wide
    a, b = x.astype(kind), y.astype(kind)
    columns(out, a**b, np.sqrt(a), 1 / np.sqrt(a), np.cbrt(b), np.hypot(a, b), a / b, 1 / a)


def inverse_and_hyperbolic(at, x, out, n):
    one = x.dtype.type(1)
    kind = f64 if x.dtype == f32 else wide
    bounded = x / (one + np.abs(x))
    a, u, shifted = x.astype(kind), bounded.astype(kind), (bounded - one / 4).astype(kind)
    columns(out, np.arcsin(u), np.arccos(u), np.arctan(a), np.arctan2(a, shifted), np.sinh(a), np.cosh(a), np.tanh(a),
            erf(a), erfc(a))


def double_trigonometry(at, x, out, n):
    a = x.astype(wide)
    columns(out, np.sin(a), np.cos(a), np.tan(a), 2 * np.sin(a))


def approximate_absolute(at, x, out, tangents, n):
    a = x.astype(f64)
    b = (np.abs(x) + f32(0.5)).astype(f64)
    columns(out, np.sin(a), np.cos(a), np.log(b), np.log2(b))
    tangents[:] = np.tanh(a)


def approximate_relative(at, x, out, n):
    a = x.astype(f64)
    b = (np.abs(x) + f32(0.5)).astype(f64)
    columns(out, np.exp(a), a / b, 1 / np.sqrt(b), np.exp2(a), a / b, 1 / np.sqrt(b), b**2.5)


def double_seeds(at, x, out, low_words, n):
    columns(out, 1 / x, 1 / np.sqrt(x))
    low_words[:] = 0


def powers_of_two(at, x, out, n):
    power = np.exp2(x.astype(f32))
    columns(out, power, x, 1 / power, power, 1 / power)


def one(low, high, count, dtype=f32):
    """Inputs of a function of one number, uniform between two ends, and room for `count` results."""
    return lambda rng, at: [In(rng.uniform(low, high, at.n).astype(dtype)), Out(dtype, count * at.n), i32(at.n)]


def two(count, dtype=f32):
    return lambda rng, at: [In(rng.uniform(0.01, 20, at.n).astype(dtype)), In(rng.uniform(-8, 8, at.n).astype(dtype)),
                            Out(dtype, count * at.n), i32(at.n)]


def everywhere(rule):
    return floating(rule, rule, rule)


PRECISE = (EXACT, DEFAULT)

CASES = [
    Case("single_trigonometry_fast", "math.cu", one(-3.14, 3.14, 4), trigonometry, SIZES,
         everywhere(Within(2, 2.0**-20.9)), kernel="single_trigonometry"),
    Case("single_trigonometry", "math.cu", one(-300, 300, 4), trigonometry, SIZES, everywhere(Within(2)),
         modes=PRECISE),
    Case("single_trigonometry_large", "math.cu",
         lambda rng, at: [In((rng.uniform(1, 2, at.n) * 2.0 ** rng.integers(17, 100, at.n)).astype(f32)),
                          Out(f32, 4 * at.n), i32(at.n)],
         trigonometry, SIZES, everywhere(Within(2)), modes=PRECISE, kernel="single_trigonometry"),
    Case("single_tangent", "math.cu", one(-100, 100, 1), tangent, SIZES, everywhere(Within(4)), modes=PRECISE),
    Case("single_tangent_fast", "math.cu", one(-1, 1, 1), tangent, SIZES, everywhere(Within(4, 2e-6)), modes=(FAST,),
         kernel="single_tangent"),
    Case("single_exponentials", "math.cu", one(-20, 20, 8), exponentials, SIZES, everywhere(Within(2)), modes=PRECISE),
    Case("single_exponentials_fast", "math.cu", one(-2, 2, 8), exponentials, SIZES, everywhere(Within(8, 2.0**-21)),
         modes=(FAST,), kernel="single_exponentials"),
    Case("single_powers", "math.cu", two(7), powers, SIZES, everywhere(Within(4)), modes=PRECISE),
    Case("single_powers_fast", "math.cu",
         lambda rng, at: [In(rng.uniform(0.5, 2, at.n).astype(f32)), In(rng.uniform(0.1, 2, at.n).astype(f32)),
                          Out(f32, 7 * at.n), i32(at.n)],
         powers, SIZES, everywhere(Within(16)), modes=(FAST,), kernel="single_powers"),
    Case("single_inverse_and_hyperbolic", "math.cu", one(-2.5, 2.5, 9), inverse_and_hyperbolic, SIZES,
         everywhere(Within(5)), modes=PRECISE),
    Case("single_inverse_and_hyperbolic_fast", "math.cu", one(-2.5, 2.5, 9), inverse_and_hyperbolic, SIZES,
         everywhere(Within(16, 1e-5)), modes=(FAST,), kernel="single_inverse_and_hyperbolic"),
    Case("double_trigonometry", "math.cu", one(-1e3, 1e3, 4, f64), double_trigonometry, SIZES, everywhere(Within(2))),
    Case("double_trigonometry_large", "math.cu",
         lambda rng, at: [In(rng.uniform(1, 2, at.n) * 2.0 ** rng.integers(30, 60, at.n)), Out(f64, 4 * at.n),
                          i32(at.n)],
         double_trigonometry, SIZES, everywhere(Within(2)), kernel="double_trigonometry"),
    Case("double_exponentials", "math.cu", one(-30, 30, 8, f64), exponentials, SIZES, everywhere(Within(2))),
    Case("double_powers", "math.cu", two(7, f64), powers, SIZES, everywhere(Within(2))),
    Case("double_inverse_and_hyperbolic", "math.cu", one(-2.5, 2.5, 9, f64), inverse_and_hyperbolic, SIZES,
         everywhere(Within(5))),
    Case("approximate_absolute", "math.cu",
         lambda rng, at: [In(rng.uniform(-3.14, 3.14, at.n).astype(f32)), Out(f32, 4 * at.n), Out(f32, at.n),
                          i32(at.n)],
         approximate_absolute, SIZES, everywhere({"out": Within(2, 2.0**-20.5), "tangents": Within(2.0**13)})),
    Case("approximate_relative", "math.cu", one(-6, 6, 7), approximate_relative, SIZES, everywhere(Within(32))),
    Case("double_seeds", "math.cu",
         lambda rng, at: [In(rng.uniform(0.001, 1000, at.n)), Out(f64, 2 * at.n), Out(np.uint32, at.n), i32(at.n)],
         double_seeds, SIZES, everywhere(Within(2.0**34))),
    Case("powers_of_two", "math.cu",
         lambda rng, at: [In(np.arange(-60, 60, dtype=i32)), Out(f32, 600), i32(120)],
         powers_of_two, (Launch(120, 32),), everywhere(Within(2))),
]
