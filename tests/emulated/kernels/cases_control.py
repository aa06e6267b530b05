# SPDX-License-Identifier: Apache-2.0
"""Barriers, clocks, printf and kernels that fail, with their references."""

import numpy as np
from kernel_case import DEFAULT, Case, In, Launch, Out

i32, u8, u32 = np.int32, np.uint8, np.uint32
ILLEGAL_ADDRESS, ASSERT, MISALIGNED, LAUNCH_FAILED = 700, 710, 716, 719


def padded(values, at):
    """Values by block, zeros beyond n."""
    whole = np.zeros(at.blocks * at.block, values.dtype)
    whole[: values.size] = values
    return whole.reshape(-1, at.block)


def exit_before_barrier(at, x, out, n):
    t = np.arange(at.n) % at.block
    sums = padded(np.where(t % 5 == 4, 0, x), at).sum(1, dtype=i32)
    out[:] = np.where(t % 5 == 4, out, np.repeat(sums, at.block)[: at.n])


def barrier_reductions(at, x, out, n):
    rows = padded(x, at)
    values = (rows > 0).sum(1) | (rows > -1000).all(1).astype(i32) << 20 | (rows > 990).any(1).astype(i32) << 21
    out[:] = np.repeat(values, at.block)[: at.n]


def named_barriers(at, x, out, rounds):
    out[:] = (x.reshape(-1, 32)[:, ::-1] * 2 + 1).reshape(-1)


def barrier_in_branches(at, out, n):
    t = np.arange(64)
    cells = np.full(64, -1)
    for k in range(3):
        cells = np.where(t // 32 % 2 == k % 2, t * 10 + k, cells + 1)
        cells = cells + cells[::-1]
    out[:] = np.tile(cells, at.blocks)[:n]


def clocks(at, out):
    out[:] = 15


def special_registers(at, out):
    (gx, gy, gz), (bx, by, bz) = at.grid, at.block
    size = bx * by * bz
    block, thread = np.divmod(np.arange(gx * gy * gz * size), size)
    out[:, 0] = thread % bx | thread // bx % by << 8 | thread // (bx * by) << 16
    out[:, 1] = block % gx | block // gx % gy << 8 | block // (gx * gy) << 16
    out[:, 2] = gx | gy << 8 | gz << 16
    out[:, 3] = thread % 32 | size << 8


def exit_in_assembly(at, out, n):
    out[:] = np.where(np.arange(n) % 3 == 0, 1, 2)


def prints(at, x, text, n):
    lines = []
    for i, v in enumerate(x.tolist()):
        word = "odd" if i % 2 else "even"
        lines.append(f"thread {i % at.block} of block {i // at.block}: {v:5d}|{v & 255:<6d}|{v & 0xFFF:#x}|"
                     f"{chr(97 + i % 26)}|{word}")
        lines.append(f"7 arguments, {v * 0.25:.3f} {v:+.2e} {v << 33} {v % 2**32 << 7:x} {i:05d} {i / 8:g} %")
    return {"stdout": sorted(lines)}


def fails_with(code):
    """A reference for a kernel whose launch ends with this code."""
    def reference(at, x, n):
        return {"error": code}
    return reference


def with_one_seven(rng, at):
    x = rng.integers(10, 99, at.n, i32)
    x[at.n // 2] = 7
    return [In(x), i32(at.n)]


SIZES = (Launch(20, 32), Launch(1003, 96))
GRIDS = (Launch(0, (4, 3, 2), (3, 2, 2)), Launch(1, (33, 1, 2), (1, 5, 1)))


def failing(name, code):
    return Case(name, "control.cu", with_one_seven, fails_with(code), (Launch(300, 64),), faults=True,
                modes=(DEFAULT,), archs=("compute_80",))


CASES = [
    Case("exit_before_barrier", "control.cu",
         lambda rng, at: [In(rng.integers(-99, 99, at.n, i32)), Out(i32, at.n), i32(at.n)],
         exit_before_barrier, SIZES),
    Case("barrier_reductions", "control.cu",
         lambda rng, at: [In(rng.integers(-999, 999, at.n, i32)), Out(i32, at.n), i32(at.n)],
         barrier_reductions, SIZES),
    Case("named_barriers", "control.cu",
         lambda rng, at: [In(rng.integers(-99, 99, at.grid * 5 * 32, i32)), Out(i32, at.grid * 5 * 32), i32(5)],
         named_barriers, (Launch(1, 64, 1), Launch(2, 64, 7))),
    Case("barrier_in_branches", "control.cu", lambda rng, at: [Out(i32, at.n), i32(at.n)], barrier_in_branches,
         (Launch(50, 64), Launch(640, 64))),
    Case("clocks", "control.cu", lambda rng, at: [Out(i32, at.block)], clocks, (Launch(1, 48, 1),)),
    Case("special_registers", "control.cu",
         lambda rng, at: [Out(u32, (int(np.prod(at.grid)) * int(np.prod(at.block)), 4))], special_registers, GRIDS),
    Case("exit_in_assembly", "control.cu", lambda rng, at: [Out(i32, at.n), i32(at.n)], exit_in_assembly,
         (Launch(20, 32), Launch(1003, 64))),
    Case("prints", "control.cu",
         lambda rng, at: [In(rng.integers(-999, 999, at.n, i32)), In(np.frombuffer(b"even\0", u8)), i32(at.n)],
         prints, (Launch(3, 32), Launch(75, 32)), prints=True),
    failing("asserts", ASSERT),
    failing("traps", LAUNCH_FAILED),
    failing("writes_nowhere", ILLEGAL_ADDRESS),
    failing("writes_askew", MISALIGNED),
]
