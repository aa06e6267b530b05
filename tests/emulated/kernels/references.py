# SPDX-License-Identifier: Apache-2.0
"""Correctly rounded results from exact fractions, and bfloat16: what NumPy does not have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

NEAREST, ZERO, UP, DOWN = "rn", "rz", "ru", "rd"
DIRECTIONS = (NEAREST, ZERO, UP, DOWN)


def _between(lower, upper, above: int, mid_above, direction: str):
    """The choice between the neighbours of a value: `above` is the value's sign, `mid_above(mid)` mid against it."""
    if direction == UP or (direction == ZERO and above < 0):
        return upper
    if direction in (DOWN, ZERO):
        return lower
    side = mid_above((Fraction(float(lower)) + Fraction(float(upper))) / 2)
    if side == 0:
        even = int(lower.view(f"u{lower.dtype.itemsize}")) % 2 == 0
        return lower if even else upper
    return lower if side > 0 else upper


def choose(guess, compare, dtype, direction: str):
    """The value rounded to dtype; compare(fraction) is the sign of fraction - value, guess is near it. No overflow."""
    lower = dtype(guess)
    while compare(Fraction(float(lower))) > 0:
        lower = np.nextafter(lower, dtype(-np.inf))
    upper = np.nextafter(lower, dtype(np.inf))
    while compare(Fraction(float(upper))) <= 0:
        lower, upper = upper, np.nextafter(upper, dtype(np.inf))
    if compare(Fraction(float(lower))) == 0:
        return lower
    return _between(lower, upper, -compare(Fraction(0)), compare, direction)


def _sign(value) -> int:
    return (value > 0) - (value < 0)


def rounded(value: Fraction, dtype, direction: str):
    """A fraction as the nearest float, or the one towards zero, up or down."""
    return choose(float(value), lambda other: _sign(other - value), dtype, direction)


def root(value: float, dtype, direction: str):
    """The square root of a float."""
    square = Fraction(float(value))

    def compare(other: Fraction) -> int:
        return _sign(other) if other < 0 else _sign(other * other - square)

    return choose(float(value) ** 0.5, compare, dtype, direction)


def to_bfloat16(values) -> np.ndarray:
    """float32 to bfloat16 bits, to nearest even; NaN is 0x7fff."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    result = ((bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FFF), result)


def from_bfloat16(bits) -> np.ndarray:
    """bfloat16 bits to float32."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def round_to_odd(values, bits: int) -> np.ndarray:
    """Doubles cut to so many fraction bits, the last set where anything was cut: a second rounding is then right."""
    words = np.asarray(values, np.float64).view(np.uint64)
    cut = np.uint64((1 << (52 - bits)) - 1)
    return ((words & ~cut) | ((words & cut) != 0).astype(np.uint64) << np.uint64(52 - bits)).view(np.float64)
