# SPDX-License-Identifier: Apache-2.0
"""Memory accesses of every kind with their references."""

import numpy as np
from kernel_case import Case, In, InOut, Launch, Out

f32, f64, i32, u8, u32, u64 = np.float32, np.float64, np.int32, np.uint8, np.uint32, np.uint64
SIZES = (Launch(1, 32), Launch(1003, 96))
DYNAMIC = (Launch(10, 32, shared=32 * 4 + 16), Launch(1003, 96, shared=96 * 4 + 48))


def whole(rng, *shape):
    return rng.integers(-99, 99, shape).astype(f32)


def cached_accesses(at, x, y, out, wide, n):
    out[0::3], out[1::3], out[2::3] = 6 * x, y[:, 0] + y[:, 1], y[:, 2]
    wide[:] = y[:, ::-1]


def flags_between_blocks(at, flags, values, rounds):
    flags[:] = rounds
    totals = np.arange(at.grid, dtype=np.int64)
    for k in range(rounds):
        for b in range(at.grid):
            if b:
                totals[b] += values[b - 1, k] + k
            values[b, k] = totals[b]


def volatile_polling(at, flag, box, out, rounds):
    flag[:] = rounds
    box[0] = rounds * 1.5
    out[0] = 1.5 * sum(k * k for k in range(1, rounds + 1))


def ordered_atomics(at, cells, n):
    before = np.arange(n) * 2
    cells[:] = [2 * n, 3 * n, n - 1, 5 * n, np.bitwise_xor.reduce(before)]


def dynamic_shared(at, x, out, sizes, n):
    filled = np.zeros(at.blocks * at.block, i32)
    filled[: x.size] = x
    filled = filled.reshape(-1, at.block)
    t = np.arange(at.block)
    low = filled.view(np.int16)[:, 0::2].astype(i32)
    out[:] = (filled[:, ::-1] + low + t % 5 + t % 3 + 1).reshape(-1)[: x.size]
    sizes[:] = [at.shared, 1, 1, 1]


def shared_layouts(at, x, out, real, ids, n):
    filled = np.zeros((at.blocks, 64), f32)
    filled.reshape(-1)[: x.size] = x
    t = np.arange(64)
    o = t * 7 + 3 & 63
    total = filled[:, o] + o + 3 * o + o * 5 % 256 + (filled[:, o] + o - filled[:, o] + 1)
    out[:] = total.reshape(-1)[: x.size]
    real[:] = ((filled[:, o] + filled) * 0.5).reshape(-1)[: x.size]
    index = np.arange(at.blocks)[:, None] * 64 + o
    ids[:] = (o.astype(u64) << u64(40) | index.astype(u64)).reshape(-1)[: x.size]


def mixed_widths(at, memory, narrow, out, n):
    i, k = np.meshgrid(np.arange(n), np.arange(8), indexing="ij")
    memory[:] = ((i + 1) * (k + 3)).astype(u8)
    memory.view(np.uint16)[:, 1] += np.uint16(1)
    memory.view(u32)[:, 1] ^= u32(0x01020304)
    last = memory[:, 7].view(np.int8).astype(np.int64)
    out[:] = memory.view(u64)[:, 0] + (narrow + last).view(u64)


def copy_with_memcpy(at, source, target, n):
    target[:] = source
    i = np.arange(n)
    target[i, i % 24] ^= 0x20
    target[:, 20:23] = (i % 256)[:, None]


CASES = [
    Case("cached_accesses", "memory.cu",
         lambda rng, at: [In(whole(rng, at.n)), In(whole(rng, at.n, 4)), Out(f32, 3 * at.n), Out(f32, (at.n, 4)),
                          i32(at.n)],
         cached_accesses, SIZES),
    Case("flags_between_blocks", "memory.cu",
         lambda rng, at: [InOut(np.zeros(at.grid, u32)), Out(i32, (at.grid, 6)), i32(6)],
         flags_between_blocks, (Launch(1, 32, 2), Launch(2, 32, 9))),
    Case("volatile_polling", "memory.cu",
         lambda rng, at: [InOut(np.zeros(2, u32)), InOut(np.zeros(1, f32)), Out(f32, 1), i32(8)],
         volatile_polling, (Launch(1, 32, 2), Launch(2, 1, 2))),
    Case("ordered_atomics", "memory.cu", lambda rng, at: [InOut(np.zeros(5, u32)), i32(at.n)], ordered_atomics, SIZES),
    Case("dynamic_shared", "memory.cu",
         lambda rng, at: [In(rng.integers(-99999, 99999, at.n, i32)), Out(i32, at.n), Out(u32, 4), i32(at.n)],
         dynamic_shared, DYNAMIC),
    Case("shared_layouts", "memory.cu",
         lambda rng, at: [In(whole(rng, at.n)), Out(f32, at.n), Out(f64, at.n), Out(u64, at.n), i32(at.n)],
         shared_layouts, (Launch(10, 64), Launch(1003, 64))),
    Case("mixed_widths", "memory.cu",
         lambda rng, at: [Out(u8, (at.n, 8)), In(rng.integers(-9999, 9999, at.n, np.int16)), Out(u64, at.n), i32(at.n)],
         mixed_widths, SIZES),
    Case("copy_with_memcpy", "memory.cu",
         lambda rng, at: [In(rng.integers(0, 256, (at.n, 24), u8)), Out(u8, (at.n, 24)), i32(at.n)],
         copy_with_memcpy, SIZES),
]
