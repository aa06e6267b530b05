# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans and histograms with their NumPy references."""

import numpy as np
from kernel_case import Bits, Case, In, InOut, Launch, Out, cover, floating

f32, f64, i32, u32, u64 = np.float32, np.float64, np.int32, np.uint32, np.uint64


def blocks_of(x, size):
    """The values by block, filled up with zeros."""
    filled = np.zeros(cover(x.size, size) * size, x.dtype)
    filled[: x.size] = x
    return filled.reshape(-1, size)


def tree(rows):
    """Sums of rows in the order of a halving tree."""
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        rows = rows[:, :half] + rows[:, half:]
    return rows[:, 0]


def block_sum(at, x, out, n):
    out[:] = tree(blocks_of(x, at.block))


def warp_sum(at, x, out, n):
    out[0] += x.sum()


def grid_extremes(at, x, y, z, least, greatest, least_y, greatest_y, greatest_z, n):
    least[0], greatest[0] = min(0, x.min()), max(0, x.max())
    least_y[0], greatest_y[0], greatest_z[0] = min(2**31, y.min()), max(2**31, y.max()), z.max()


def extreme_inputs(rng, at):
    n = at.n
    return [In(rng.integers(-(2**31), 2**31, n, i32)), In(rng.integers(0, 2**32, n, u32)),
            In(rng.integers(0, 2**64, n, u64)), InOut(np.zeros(1, i32)), InOut(np.zeros(1, i32)),
            InOut(np.full(1, 2**31, u32)), InOut(np.full(1, 2**31, u32)), InOut(np.zeros(1, u64)), i32(n)]


def argument_of_maximum(at, x, where, value, n):
    where[0], value[0] = x.argmax(), x.max()


def dot_product(at, x, y, out, n):
    out[0] += x @ y


def small(rng, n, dtype):
    return rng.integers(-50, 50, n).astype(dtype)


def drive_scan(run):
    """Scans blocks, then the sums of blocks (they fit one block), then adds those."""
    x, out, sums, n = run.arguments
    scratch = run.device.alloc(4)
    run.launch()
    blocks, size = run.at.blocks, 64
    run.launch(arguments=[sums, sums, scratch, i32(blocks)], grid=1, block=size, shared=2 * size * 4)
    run.launch("add_block_sums", arguments=[out, sums, n])
    run.device.synchronize()
    run.device.free(scratch)


def block_scan(at, x, out, sums, n):
    out[:] = np.cumsum(x)
    sums[:] = np.cumsum(blocks_of(x, at.block).sum(1))


def look_back_scan(at, x, out, state, ticket, n):
    out[:] = np.cumsum(x, dtype=u32)
    ticket[0] = at.blocks
    totals = np.cumsum(blocks_of(x, at.block).sum(1, dtype=u32), dtype=u32)
    state[:] = totals.astype(u64) | u64(2 << 32)


def segmented_warp_scan(at, x, head, out, n):
    begin = 0
    for i in range(x.size):
        # Exact: the values are multiples of 1/4 and small.
        if head[i] or i % at.block % 32 == 0:
            begin = i
        out[i] = x[begin : i + 1].sum()


def histogram_shared(at, x, bins, n):
    bins += np.bincount(x, minlength=256).astype(u32)


def histogram_weighted(at, x, weight, sums, counts, bins, n):
    place = np.fmod(x, bins)
    place = np.where(place < 0, place + bins, place)
    sums += np.bincount(place, weight, int(bins)).astype(f32)
    counts += np.bincount(place, minlength=int(bins)).astype(u64)


def drive_last_block(run):
    run.write_global("arrived", np.zeros(1, u32))
    run.launch()
    run.launch()
    run.extra = {"arrived": run.read_global("arrived", u32, 1)}


def last_block_sum(at, x, partial, out, n):
    stride = at.blocks * at.block
    rows = np.zeros((cover(x.size, stride), at.blocks, at.block))
    rows.reshape(-1)[: x.size] = x
    partial[:] = rows.sum((0, 2))
    out[0] = x.sum()
    return {"arrived": np.zeros(1, u32)}


SIZES = (Launch(1, 64), Launch(1000, 64, shared=256), Launch(5003, 256, shared=1024))
STRIDED = (Launch(700, 64, 3), Launch(20001, 64, 7))

CASES = [
    Case("block_sum", "reduce.cu", lambda rng, at: [In(rng.standard_normal(at.n).astype(f32)), Out(f32, at.blocks),
                                                    i32(at.n)],
         block_sum, (Launch(1, 64, shared=256), *SIZES[1:]), floating(Bits(), Bits())),
    Case("block_sum_volatile", "reduce.cu", lambda rng, at: [In(rng.standard_normal(at.n).astype(f32)),
                                                             Out(f32, at.blocks), i32(at.n)],
         block_sum, (Launch(1, 256), Launch(5003, 256)), floating(Bits(), Bits())),
    Case("warp_sum", "reduce.cu", lambda rng, at: [In(small(rng, at.n, i32)), InOut(np.array([5], i32)), i32(at.n)],
         warp_sum, (Launch(1, 32), Launch(1000, 96), Launch(5003, 256))),
    Case("grid_extremes", "reduce.cu", extreme_inputs, grid_extremes, STRIDED),
    Case("argument_of_maximum", "reduce.cu",
         lambda rng, at: [In(small(rng, at.n, f32)), Out(i32, 1), Out(f32, 1), i32(at.n)],
         argument_of_maximum, (Launch(77, 128, 1), Launch(2999, 128, 1))),
    Case("dot_product", "reduce.cu", lambda rng, at: [In(small(rng, at.n, f64)), In(small(rng, at.n, f64)),
                                                      InOut(np.array([0.5])), i32(at.n)],
         dot_product, STRIDED),
    Case("block_scan", "reduce.cu", lambda rng, at: [In(small(rng, at.n, i32)), Out(i32, at.n), Out(i32, at.blocks),
                                                     i32(at.n)],
         block_scan, (Launch(1, 32, shared=256), Launch(5003, 128, shared=1024)), drive=drive_scan),
    Case("look_back_scan", "reduce.cu",
         lambda rng, at: [In(rng.integers(0, 1000, at.n, u32)), Out(u32, at.n), InOut(np.zeros(at.blocks, u64)),
                          InOut(np.zeros(1, u32)), i32(at.n)],
         look_back_scan, (Launch(100, 64), Launch(9999, 128))),
    Case("segmented_warp_scan", "reduce.cu",
         lambda rng, at: [In(small(rng, at.n, f32) / f32(4)), In((rng.random(at.n) < 0.2).astype(i32)), Out(f32, at.n),
                          i32(at.n)],
         segmented_warp_scan, (Launch(45, 64), Launch(1003, 96))),
    Case("histogram_shared", "reduce.cu", lambda rng, at: [In(rng.integers(0, 256, at.n, np.uint8)),
                                                           InOut(np.full(256, 3, u32)), i32(at.n)],
         histogram_shared, STRIDED),
    Case("histogram_weighted", "reduce.cu",
         lambda rng, at: [In(rng.integers(-9999, 9999, at.n, i32)), In(small(rng, at.n, f32)), InOut(np.zeros(37, f32)),
                          InOut(np.zeros(37, u64)), i32(37), i32(at.n)],
         histogram_weighted, (Launch(3001, 128),)),
    Case("last_block_sum", "reduce.cu", lambda rng, at: [In(small(rng, at.n, f64)), Out(f64, at.blocks), Out(f64, 1),
                                                         i32(at.n)],
         last_block_sum, (Launch(1000, 32, 5), Launch(20001, 32, 11)), drive=drive_last_block),
]
