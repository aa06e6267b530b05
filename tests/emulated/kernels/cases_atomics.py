# SPDX-License-Identifier: Apache-2.0
"""Atomic operations and locks with their NumPy references."""

import numpy as np
from kernel_case import Case, In, InOut, Launch, Out, cover

f16, f32, f64, i32, i64 = np.float16, np.float32, np.float64, np.int32, np.int64
u16, u32, u64 = np.uint16, np.uint32, np.uint64
SIZES = (Launch(1, 32), Launch(77, 32), Launch(2050, 192))


def integers(rng, n, dtype=i32):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype, endpoint=True)


def atomic_int(at, x, s, u, n):
    v = x.view(u32)
    s[:] = [s[0] + x.sum(dtype=i32), s[1] - x.sum(dtype=i32), min(s[2], x.min()), max(s[3], x.max())]
    u[:6] = [u[0] + v.sum(dtype=u32), min(u[1], v.min()), max(u[2], v.max()),
             u[3] & np.bitwise_and.reduce(v | u32(0xFF00FF00)), u[4] | np.bitwise_or.reduce(v & u32(0x00FF00FF)),
             u[5] ^ np.bitwise_xor.reduce(v)]
    for _ in range(x.size):
        u[6] = 0 if u[6] >= 41 else u[6] + 1
        u[7] = 41 if u[7] == 0 or u[7] > 41 else u[7] - 1


def atomic_int_inputs(rng, at):
    return [In(integers(rng, at.n)), InOut(np.array([3, 4, 0, 0], i32)),
            InOut(np.array([7, 2**31, 2**31, 2**32 - 1, 0, 9, 0, 99], u32)), i32(at.n)]


def atomic_tickets(at, next_, wrapping, seen, seen_wrapped, n):
    next_[0] = n
    wrapping[0] = n % 10
    seen[:] = 1
    seen_wrapped[:] = np.bincount(np.arange(n) % 10, minlength=10)


def drive_exchange(run):
    """What is left in the cells belongs to the sum, and depends on which thread was last."""
    cell, wide, real, total, wide_total, real_total, _ = run.arguments
    run.launch()
    run.device.synchronize()
    get = run.device.download
    run.device.write(total, get(total, u64, 1) + get(cell, i32, 1).astype(u64))
    run.device.write(wide_total, get(wide_total, u64, 1) + get(wide, u64, 1))
    run.device.write(real_total, get(real_total, f64, 1) + get(real, f32, 1))
    run.device.write(cell, np.zeros(1, i32))
    run.device.write(wide, np.zeros(1, u64))
    run.device.write(real, np.zeros(1, f32))


def atomic_exchange_chain(at, cell, wide, real, total, wide_total, real_total, n):
    everything = int(n) * (int(n) + 1) // 2
    total[0], wide_total[0], real_total[0] = everything, everything << 32, everything


def atomic_shared(at, x, out, wide_out, real_out, n):
    for block in range(at.blocks):
        v = x[block * at.block : (block + 1) * at.block]
        w, u = v.astype(i64), v.view(u32)
        decremented = 0
        for _ in range(v.size):
            decremented = 12 if decremented == 0 else decremented - 1
        out[block] = [v.sum(dtype=i32), min(0, v.min()), max(0, v.max()), v.size % 13, decremented,
                      np.bitwise_and.reduce(v), np.bitwise_or.reduce(v), np.bitwise_xor.reduce(v), 0,
                      u.max().view(i32)]
        wide = [w.sum(), min(0, w.min() << 20), max(0, w.max() << 20), np.bitwise_and.reduce(w << 7),
                np.bitwise_or.reduce(u.astype(i64) << 3), np.bitwise_xor.reduce(w)]
        wide_out[block] = np.array(wide, i64).view(u64).tolist() + [w.view(u64).max()]
        low = (v & 255).sum()
        real_out[block] = [low, 7.5, low]


def atomic_wide(at, x, u, s, n):
    v = x.view(u64)
    u[:] = [u[0] + v.sum(dtype=u64), min(u[1], v.min()), max(u[2], v.max()),
            u[3] & np.bitwise_and.reduce(v | u64(0xFF00FF00FF00FF00)),
            u[4] | np.bitwise_or.reduce(v & u64(0x00FF00FF00FF00FF)), u[5] ^ np.bitwise_xor.reduce(v)]
    s[:] = [min(s[0], x.min()), max(s[1], x.max())]


def atomic_float(at, x, real, wide, half_sum, halves, n):
    real[0] += x.sum()
    wide[0] += x.sum(dtype=f64) * 0.125
    half_sum[0] += x[:200].sum()
    halves[:] += np.array([x[:200].sum(), -2 * x[:200].sum()], f16)


def compare_and_swap_loops(at, x, greatest, product, low, n):
    greatest[0] = max(greatest[0], x.max())
    product[0] *= 2.0 ** (int(n) // 2) * 0.5 ** (int(n) - int(n) // 2)
    low[0] += u16(3 * int(n) % 65536)


def atomic_scopes(at, x, out, n):
    blocks = [x[k * at.block : (k + 1) * at.block].sum(dtype=i32) for k in range(at.blocks)]
    out[:] = [x.sum(dtype=i32), x.sum(dtype=i32), *blocks, max(0, x.max()), 77]


def drive_lock(run):
    run.write_global("lock_word", np.zeros(1, i32))
    run.launch()


def lock_across_blocks(at, counter, log, rounds):
    counter[0] = at.blocks * rounds
    log += 1


def lock_within_a_warp(at, counter, n):
    counter[:] = [min(at.block, int(n) - k * at.block) for k in range(at.blocks)]


def drive_list(run):
    head, following, n, length, total = run.arguments
    run.launch(arguments=[head, following, n])
    run.launch("chain_length", arguments=[head, following, length, total], grid=1, block=1)
    run.device.synchronize()
    # Which item came when is the scheduler's business.
    run.device.write(head, np.zeros(1, i32))
    run.device.write(following, np.zeros(run.at.n, i32))


def linked_list_push(at, head, following, n, length, total):
    head[0], following[:] = 0, 0
    length[0], total[0] = n, np.arange(n).sum()


CASES = [
    Case("atomic_int", "atomics.cu", atomic_int_inputs, atomic_int, SIZES),
    Case("atomic_tickets", "atomics.cu", lambda rng, at: [InOut(np.zeros(1, i32)), InOut(np.zeros(1, u32)),
                                                          InOut(np.zeros(at.n, i32)), InOut(np.zeros(10, i32)),
                                                          i32(at.n)],
         atomic_tickets, SIZES),
    Case("atomic_exchange_chain", "atomics.cu",
         lambda rng, at: [InOut(np.zeros(1, i32)), InOut(np.zeros(1, u64)), InOut(np.zeros(1, f32)),
                          InOut(np.zeros(1, u64)), InOut(np.zeros(1, u64)), InOut(np.zeros(1)), i32(at.n)],
         atomic_exchange_chain, SIZES, drive=drive_exchange),
    Case("atomic_shared", "atomics.cu", lambda rng, at: [In(integers(rng, at.n)), Out(i32, (at.blocks, 10)),
                                                         Out(u64, (at.blocks, 7)), Out(f32, (at.blocks, 3)), i32(at.n)],
         atomic_shared, SIZES),
    Case("atomic_wide", "atomics.cu",
         lambda rng, at: [In(integers(rng, at.n, i64)), InOut(np.array([7, 2**63, 2**63, 2**64 - 1, 0, 9], u64)),
                          InOut(np.zeros(2, i64)), i32(at.n)],
         atomic_wide, SIZES),
    Case("atomic_float", "atomics.cu",
         lambda rng, at: [In(rng.integers(-4, 5, at.n).astype(f32)), InOut(np.array([1.5], f32)),
                          InOut(np.array([2.25])), InOut(np.zeros(1, f16)), InOut(np.zeros(2, f16)), i32(at.n)],
         atomic_float, SIZES),
    Case("compare_and_swap_loops", "atomics.cu",
         lambda rng, at: [In(rng.standard_normal(at.n).astype(f32) + f32(5)), InOut(np.array([-1], f32)),
                          InOut(np.array([3.0])), InOut(np.array([65000, 123], u16)), i32(at.n)],
         compare_and_swap_loops, (Launch(1, 32), Launch(77, 32), Launch(301, 64))),
    Case("atomic_scopes", "atomics.cu", lambda rng, at: [In(integers(rng, at.n) >> 8),
                                                         InOut(np.zeros(at.blocks + 4, i32)), i32(at.n)],
         atomic_scopes, SIZES),
    Case("lock_across_blocks", "atomics.cu",
         lambda rng, at: [InOut(np.zeros(1, i32)), InOut(np.zeros(at.blocks * 5, i32)), i32(5)],
         lock_across_blocks, (Launch(1, 32, 1), Launch(2, 64, 9)), drive=drive_lock),
    Case("lock_within_a_warp", "atomics.cu", lambda rng, at: [InOut(np.zeros(cover(at.n, at.block), i32)), i32(at.n)],
         lock_within_a_warp, (Launch(20, 32), Launch(150, 64))),
    Case("linked_list_push", "atomics.cu",
         lambda rng, at: [InOut(np.array([-1], i32)), Out(i32, at.n), i32(at.n), Out(i32, 1), Out(i32, 1)],
         linked_list_push, (Launch(99, 32), Launch(1500, 96)), drive=drive_list),
]
