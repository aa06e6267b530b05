# SPDX-License-Identifier: Apache-2.0
"""How far the approximate opcodes may lie from what a real GPU gave: the documented error on each side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Tolerance:
    """|ours - theirs| <= relative * |theirs| + absolute; where |input| is over `domain`, only the class is compared."""

    relative: float = 0.0
    absolute: float = 0.0
    domain: float = float("inf")


ULP = 2.0**-23
HALF = 2.0**-10
TOLERANCES = {
    "rcp.approx": Tolerance(2 * ULP), "sqrt.approx": Tolerance(3 * ULP), "rsqrt.approx": Tolerance(3 * ULP),
    "div.approx": Tolerance(4 * ULP), "div.full": Tolerance(4 * ULP),
    "ex2.approx": Tolerance(2.0**-21), "lg2.approx": Tolerance(2.0**-21, 2.0**-21),
    "sin.approx": Tolerance(0, 2.0**-19.5, 6.2832), "cos.approx": Tolerance(0, 2.0**-19.5, 6.2832),
    "tanh.approx": Tolerance(2.0**-9.9),
    # Seeds of Newton iterations: 20 good bits.
    "rcp.approx.ftz.f64": Tolerance(2.0**-19), "rsqrt.approx.ftz.f64": Tolerance(2.0**-19),
    "rsqrt.approx.f64": Tolerance(2.0**-51),
    "ex2.approx.f16": Tolerance(2 * HALF, 2.0**-24), "ex2.approx.f16x2": Tolerance(2 * HALF, 2.0**-24),
    "tanh.approx.f16": Tolerance(2 * HALF, 2.0**-24), "tanh.approx.f16x2": Tolerance(2 * HALF, 2.0**-24),
    "ex2.approx.ftz.bf16": Tolerance(2.0**-6), "ex2.approx.ftz.bf16x2": Tolerance(2.0**-6),
}  # fmt: skip


def tolerance_of(name: str) -> Tolerance | None:
    """The tolerance of the longest row that the spelling begins with; None for exact opcodes."""
    rows = [row for row in TOLERANCES if name == row or name.startswith(row + ".")]
    return TOLERANCES[max(rows, key=len)] if rows else None


def numbers(words: np.ndarray, kind: str) -> np.ndarray:
    """Result words as doubles; pairs side by side."""
    if kind.endswith("x2"):
        words = np.stack([words & np.uint64(0xFFFF), words >> np.uint64(16)], axis=-1)
        kind = kind[:-2]
    if kind == "f64":
        return words.view(np.float64)
    if kind == "f32":
        return words.astype(np.uint32).view(np.float32).astype(np.float64)
    if kind == "f16":
        return words.astype(np.uint16).view(np.float16).astype(np.float64)
    return (words.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)


def outside(name: str, kind: str, inputs: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """A mask of the results that lie too far apart. NaN is NaN, infinities and zeros keep their sign."""
    tolerance = tolerance_of(name)
    if tolerance is None:
        return ours != theirs
    left, right = numbers(ours, kind), numbers(theirs, kind)
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(left - right) <= tolerance.relative * np.abs(right) + tolerance.absolute
        close |= (left == right) & (np.signbit(left) == np.signbit(right)) | np.isnan(left) & np.isnan(right)
        bad = ~close
        if np.isfinite(tolerance.domain):
            bad &= np.abs(numbers(inputs[:, 0], kind)) <= tolerance.domain
    return bad.any(axis=-1) if bad.ndim > 1 else bad
