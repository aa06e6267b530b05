# SPDX-License-Identifier: Apache-2.0
"""What lanes of a warp do together, with NumPy references over arrays of warps."""

import numpy as np
from kernel_case import Case, In, InOut, Launch, Out

f32, f64, i32, u32, u64 = np.float32, np.float64, np.int32, np.uint32, np.uint64
SIZES = (Launch(20, 32), Launch(1003, 96))
LANE = np.arange(32)


def warps(values, at, fill):
    """Values by warp; lanes beyond n hold `fill`."""
    whole = np.full(at.blocks * at.block, fill, values.dtype)
    whole[: values.size] = values
    return whole.reshape(-1, 32)


def take(rows, lanes):
    """Of each warp, the values of these lanes (32 numbers, or as many for each warp)."""
    return np.take_along_axis(rows, np.broadcast_to(lanes, rows.shape), 1)


def masks(flags):
    """A bit for each lane of a warp, given to all its lanes."""
    return np.broadcast_to((flags.astype(u64) << LANE.astype(u64)).sum(1, keepdims=True).astype(u32), flags.shape)


def columns(out, n, *values):
    """Results of all warps into the columns of the first n threads."""
    for k, each in enumerate(values):
        out[k :: len(values)] = each.reshape(-1)[:n]


def shuffles(at, x, lanes, out, wide, n):
    v, source = warps(x, at, -1), warps(lanes, at, 0)
    up3 = np.where(LANE >= 3, LANE - 3, LANE)
    up2 = np.where(LANE % 16 >= 2, LANE - 2, LANE)
    down7, down2 = np.where(LANE + 7 < 32, LANE + 7, LANE), np.where(LANE + 2 < 32, LANE + 2, LANE)
    down1 = np.where(LANE % 4 < 3, LANE + 1, LANE)
    # With segments of 16 (mask 0x10 in bits 8 to 12) the lower bound is the segment's first lane.
    up4 = np.where(LANE % 16 >= 4, LANE - 4, LANE)
    narrow = v.astype(np.int16)
    columns(out, n, take(v, source % 32), take(v, LANE // 8 * 8 + 5), take(v, up3), take(v, up2), take(v, down7),
            take(v, down1), take(v, LANE ^ 9), take(v, LANE ^ 3), take(narrow, LANE // 2).astype(i32),
            np.broadcast_to(31 - LANE, v.shape), take(v, up4), np.broadcast_to(LANE % 16 >= 4, v.shape))
    columns(wide, n, take(v * 0.5, LANE ^ 1) + take(v.astype(f64), down2))


def shuffle_some_lanes(at, x, out, n):
    v = warps(x, at, 0)
    columns(out, n, np.where(LANE % 2 == 1, v[:, 3:4], 2 * v[:, 8:9]))


def votes(at, x, out, n):
    v = warps(x, at, 4)
    p, q = v & 3 == 1, v > -900
    inside = warps(np.ones(x.size, bool), at, False)
    p = p & inside
    ballot = masks(p)
    same = p.all(1, keepdims=True) | ~p.any(1, keepdims=True)
    summary = (p.any(1, keepdims=True) | q.all(1, keepdims=True).astype(i32) << 1
               | p.sum(1, keepdims=True) << 2 | same.astype(i32) << 9)
    columns(out, n, np.broadcast_to(summary, v.shape), ballot, np.where(LANE < 16, masks(q) & u32(0xFFFF), 0))


def matches(at, x, y, out, n):
    a, b = warps(x, at, 1000), warps(y, at, 1000)

    def equal(values):
        same = values[:, :, None] == values[:, None, :]
        return (same.astype(u64) << LANE.astype(u64)).sum(2).astype(u32)

    high = a >> 4
    whole = (high == high[:, :1]).all(1, keepdims=True)
    columns(out, n, equal(a), equal(b), np.broadcast_to(np.where(whole, u32(2**32 - 1), u32(0)), a.shape),
            np.full(a.shape, 2**32 - 1, u32), np.ones(a.shape, u32))


def warp_reductions(at, x, out, n):
    v = warps(x, at, 3)
    u = v.view(u32)
    results = [v.sum(1, dtype=i32), v.min(1), v.max(1), u.sum(1, dtype=u32), u.min(1), u.max(1),
               np.bitwise_and.reduce(u | u32(7), 1), np.bitwise_or.reduce(u & u32(0xFF00FF), 1),
               np.bitwise_xor.reduce(u, 1)]
    columns(out, n, *(np.repeat(each.view(i32), 32) for each in results))


def lane_masks(at, out, n):
    lane = np.tile(LANE, at.blocks * at.block // 32).astype(u64)
    one, all_ = u64(1), u64(2**32 - 1)
    below = (one << lane) - one
    set_bits = [4, 5, 6, 7, 12]  # of 0xf0f0f0f0, the first five from bit 4 on
    third = np.array(set_bits, u64)[(lane % u64(5)).astype(int)]
    # 0x12345678 has bits ... 18, 20 at and below 20: the second from there down is 18.
    columns(out, n, lane, np.full(lane.shape, 32), one << lane, below, below | one << lane,
            all_ & ~(below | one << lane), all_ & ~below, np.full(lane.shape, all_), third, np.full(lane.shape, 18))


def collatz_lengths(at, x, out, together, n):
    v, steps = x.astype(u64), np.zeros(x.size, i32)
    while (v != 1).any():
        steps += v != 1
        v = np.where(v == 1, v, np.where(v & u64(1), u64(3) * v + u64(1), v // u64(2)))
    out[:] = steps
    columns(together, n, np.repeat(warps(steps, at, 0).max(1), 32))


def branch_tree(at, x, out, n):
    def path(v):
        r = 0
        if v & 1:
            if v & 2:
                r = v * 3 if v & 4 else v - 7
                for _ in range(v & 7):
                    r ^= r << 1
                return (r + 2**31) % 2**32 - 2**31
            if v & 8:
                r = 100
                while r > v & 63:
                    r -= 11
            return r
        while True:
            r += (v & 15) + 1
            if r % 5 == 4:
                return r
            if r % 3 != 2:
                r += 2
            if r >= 60:
                return r

    out[:] = [path(int(v)) for v in x]


def warp_exchange(at, x, out, n):
    v = warps(x, at, 0)
    total = sum(take(v, (LANE + k) % 32) * (k + 1) for k in range(32))
    moved = np.empty_like(total)
    moved[:, LANE * 7 % 32] = total
    columns(out, n, moved)


def drive_compaction(run):
    """Warps write in any order: the results are compared sorted."""
    _, out, count, _ = run.arguments
    run.launch()
    run.device.synchronize()
    run.device.write(out, np.sort(run.device.download(out, i32, run.at.n)))


def compact_by_ballot(at, x, out, count, n):
    kept = x[x % 3 == 0]
    count[0] = kept.size
    out[:] = np.sort(np.concatenate([kept, np.full(x.size - kept.size, 2**31 - 1, i32)]))


def bitonic_sort(at, x, n):
    x[:] = np.sort(warps(x, at, 2**31 - 1), 1).reshape(-1)[: x.size]


def values(rng, n, low=-1000, high=1000):
    return rng.integers(low, high, n).astype(i32)


def match_inputs(rng, at):
    x = values(rng, at.n, 0, 9)
    x[40:70] += 16
    return [In(x), In(rng.integers(0, 5, at.n).astype(u64) << u64(33)), Out(u32, 5 * at.n), i32(at.n)]


CASES = [
    Case("shuffles", "warp.cu", lambda rng, at: [In(values(rng, at.n)), In(values(rng, at.n, 0, 64)),
                                                 Out(i32, 12 * at.n), Out(f64, at.n), i32(at.n)],
         shuffles, SIZES),
    Case("shuffle_some_lanes", "warp.cu", lambda rng, at: [In(values(rng, at.n)), Out(i32, at.n), i32(at.n)],
         shuffle_some_lanes, (Launch(32, 32), Launch(960, 96))),
    Case("votes", "warp.cu", lambda rng, at: [In(values(rng, at.n)), Out(u32, 3 * at.n), i32(at.n)], votes, SIZES),
    Case("matches", "warp.cu", match_inputs, matches, SIZES),
    Case("warp_reductions", "warp.cu", lambda rng, at: [In(values(rng, at.n)), Out(i32, 9 * at.n), i32(at.n)],
         warp_reductions, SIZES, archs=("compute_80",)),
    Case("lane_masks", "warp.cu", lambda rng, at: [Out(u32, 10 * at.n), i32(at.n)], lane_masks, SIZES),
    Case("collatz_lengths", "warp.cu",
         lambda rng, at: [In(rng.integers(1, 3000, at.n, u32)), Out(i32, at.n), Out(i32, at.n), i32(at.n)],
         collatz_lengths, (Launch(20, 32), Launch(301, 96))),
    Case("branch_tree", "warp.cu", lambda rng, at: [In(values(rng, at.n, 1, 2**20)), Out(i32, at.n), i32(at.n)],
         branch_tree, SIZES),
    Case("warp_exchange", "warp.cu", lambda rng, at: [In(values(rng, at.n)), Out(i32, at.n), i32(at.n)],
         warp_exchange, SIZES),
    Case("compact_by_ballot", "warp.cu",
         lambda rng, at: [In(values(rng, at.n)), InOut(np.full(at.n, 2**31 - 1, i32)), InOut(np.zeros(1, i32)),
                          i32(at.n)],
         compact_by_ballot, SIZES, drive=drive_compaction),
    Case("bitonic_sort", "warp.cu", lambda rng, at: [InOut(values(rng, at.n)), i32(at.n)], bitonic_sort, SIZES),
]
