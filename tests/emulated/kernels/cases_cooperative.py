# SPDX-License-Identifier: Apache-2.0
"""Cooperative groups with their references."""

import numpy as np
from kernel_case import Case, In, InOut, Launch, Out, Within, floating

f64, i32 = np.float64, np.int32
TOGETHER = (Launch(50, 32, 2, cooperative=True), Launch(500, 64, 8, cooperative=True))


def grid_relaxation(at, a, b, n, steps):
    for _ in range(steps):
        b[:] = 0.5 * a + 0.25 * (np.roll(a, 1) + np.roll(a, -1))
        a[:], b[:] = b.copy(), a.copy()


def grid_normalise(at, x, sums, out, n):
    rows = np.zeros(at.grid * at.block, i32)
    rows[: x.size] = x
    sums[:] = rows.reshape(at.grid, -1).sum(1)
    out[:] = x.sum() - x


def tiled_partitions(at, x, out, n):
    rows = np.zeros(at.blocks * at.block, i32)
    rows[: x.size] = x
    for k, size in enumerate((4, 16, 32)):
        sums = np.repeat(rows.reshape(-1, size).sum(1), size)
        ranks = np.arange(rows.size) % size
        out[k::3] = (sums * 100 + ranks + 1000000 * (sums == 3))[: x.size]


def coalesced_adds(at, x, counts, ranks, n):
    kind = x & 3
    counts[:] = np.bincount(kind, minlength=4)
    ranks[:] = np.choose(kind, [0, 2, -1, 3])


CASES = [
    Case("grid_relaxation", "cooperative.cu",
         lambda rng, at: [InOut(rng.random(at.n)), InOut(np.zeros(at.n)), i32(at.n), i32(6)],
         grid_relaxation, TOGETHER, floating(Within(2, 1e-15), Within(2, 1e-15))),
    Case("grid_normalise", "cooperative.cu",
         lambda rng, at: [In(rng.integers(-99, 99, at.n, i32)), Out(i32, at.grid), Out(i32, at.n), i32(at.n)],
         grid_normalise, TOGETHER),
    Case("tiled_partitions", "cooperative.cu",
         lambda rng, at: [In(rng.integers(-2, 4, at.n, i32)), Out(i32, 3 * at.n), i32(at.n)],
         tiled_partitions, (Launch(20, 32), Launch(1003, 96))),
    Case("coalesced_adds", "cooperative.cu",
         lambda rng, at: [In(rng.integers(-99, 99, at.n, i32)), InOut(np.zeros(4, i32)), Out(i32, at.n), i32(at.n)],
         coalesced_adds, (Launch(20, 32), Launch(1003, 96))),
]
