# SPDX-License-Identifier: Apache-2.0
"""Functions, heaps and local memory with their references."""

import numpy as np
from kernel_case import Case, In, InOut, Launch, Out

f32, f64, i32, u32, u64 = np.float32, np.float64, np.int32, np.uint32, np.uint64
SIZES = (Launch(5, 32), Launch(301, 96))


def recursion(at, fib, ack, n):
    numbers = [0, 1]
    while len(numbers) < 13:
        numbers.append(numbers[-1] + numbers[-2])
    i = np.arange(n)
    fib[:] = np.array(numbers)[i % 13]
    ack[:] = np.choose(i % 3, [i % 4 + 1, i % 4 + 2, 2 * (i % 4) + 3])


def mutual_recursion(at, parity, moves, trace, n):
    def hanoi(disks, start, to, seen):
        if disks == 0:
            return seen
        via = 6 - start - to
        seen = hanoi(disks - 1, start, via, seen) * 31 + start * 4 + to
        return hanoi(disks - 1, via, to, seen)

    i = np.arange(n)
    parity[:] = 1 - i % 17 % 2
    moves[:] = 2 ** (i % 6) - 1
    trace[:] = np.array([hanoi(disks, 1, 3, 1) % 2**64 for disks in range(6)], u64)[i % 6]


def function_table(at, x, y, out, n):
    out[:] = np.choose(np.arange(n) & 3, [x + y, x - y, x * y, np.maximum(x, y)])


def virtual_calls(at, x, areas, corners, n):
    square = np.arange(n) % 3 != 0
    areas[:] = np.where(square, x * x, f32(3) * x * x)
    corners[:] = np.where(square, 4, 0)


def drive_objects(run):
    x, objects, areas, n = run.arguments
    run.launch("make_objects", arguments=[x, objects, n])
    run.launch("ask_objects", arguments=[objects, areas, n])


def objects_on_the_heap(at, x, objects, areas, n):
    objects[:] = 0
    areas[:] = np.where(np.arange(n) % 2 == 1, x * x + 4, f32(3) * x * x)


def heap_lists(at, x, out, n):
    for i, v in enumerate(x.tolist()):
        items = [v + k for k in range(v % 5 + 1)][::-1]
        out[i] = sum(item * (1 + 2 * k) for k, item in enumerate(items))


def local_arrays(at, x, out, n):
    i, k = np.meshgrid(np.arange(n), np.arange(16), indexing="ij")
    out[:] = np.sort(x[(i * 5 + k * k) % n], 1)


def local_structs(at, x, out, n):
    for i, v in enumerate(x.tolist()):
        k = (v + i) % 6
        pair = {k & 1: k, ~k & 1: -v}
        out[i] = (v + k) % 256 + (v * 0.5 + k) * 3 + pair[0] + pair[1] * 0.25 + float((v << 33 | k) >> 30)


def structs_in_and_out(at, x, out, large_out, real, n):
    i = np.arange(n)
    divisor = i % 7 + 1
    out[:, 0], out[:, 1], out[:, 2] = x // divisor, x % divisor, i + 2
    large_out[:] = (i % 9 + i) * 2
    at_x = i % 5
    value = ((0.5 * at_x - 2.0) * at_x + x % 10) * at_x + 1.0
    real[:] = np.where(i % 3 == 0, -value, value) * (i % 4)


def templates_and_lambdas(at, x, out, real, n):
    out[:] = sum(k * x + k for k in range(5))
    real[:] = sum(k + x * 0.5 * k for k in range(3))


def many_switches(at, x, out, n):
    def wrapped(v):
        return (v + 2**31) % 2**32 - 2**31

    def ways(way, v):
        quotient = abs(v) // 3 * (1 if v >= 0 else -1)
        table = {0: v + 1, 1: v * 3, 2: v ^ 0x55, 3: v - 2, 4: v - 9, 5: ~v, 6: v << 2, 7: v >> 1, 8: v & 0xFF, 9: -v,
                 10: int(np.fmod(v, 11)), 11: v | 0x100, 12: v * v, 20: 1000 - v, 100: quotient}
        return wrapped(table.get(way, way))

    for i, v in enumerate(x.tolist()):
        for k in range(4):
            v = ways(int(np.fmod(v ^ k * 5, 23)), v)
        out[i] = ways(100 if i % 2 else 20, v)


def generic_pointers(at, x, out, spaces, n):
    i = np.arange(n)
    k = i // 4 & 3
    # Of the local words the one at i & 3 = 2 was overwritten, and those lanes read their own.
    local = np.where(k == (i & 3), i, k + 1)
    out[:] = np.choose(i & 3, [x[i // 4 * 4 + k], 50 + k, local, np.array([7, 77, 777, 7777])[k]])
    spaces[:] = 1 << (i & 3)


def reals(rng, n):
    return rng.standard_normal(n).astype(f32)


CASES = [
    Case("recursion", "calls.cu", lambda rng, at: [Out(u32, at.n), Out(i32, at.n), i32(at.n)], recursion,
         (Launch(5, 32), Launch(77, 64))),
    Case("mutual_recursion", "calls.cu", lambda rng, at: [Out(i32, at.n), Out(i32, at.n), Out(u64, at.n), i32(at.n)],
         mutual_recursion, (Launch(5, 32), Launch(77, 64))),
    Case("function_table", "calls.cu",
         lambda rng, at: [In(reals(rng, at.n)), In(reals(rng, at.n)), Out(f32, at.n), i32(at.n)],
         function_table, SIZES),
    Case("virtual_calls", "calls.cu", lambda rng, at: [In(reals(rng, at.n)), Out(f32, at.n), Out(i32, at.n), i32(at.n)],
         virtual_calls, SIZES),
    Case("objects_on_the_heap", "calls.cu",
         lambda rng, at: [In(rng.integers(-99, 99, at.n).astype(f32)), Out(u64, at.n), Out(f32, at.n), i32(at.n)],
         objects_on_the_heap, SIZES, drive=drive_objects, kernel="ask_objects"),
    Case("heap_lists", "calls.cu", lambda rng, at: [In(rng.integers(0, 999, at.n, i32)), Out(i32, at.n), i32(at.n)],
         heap_lists, SIZES),
    Case("local_arrays", "calls.cu", lambda rng, at: [In(rng.integers(-999, 999, at.n, i32)), Out(i32, (at.n, 16)),
                                                      i32(at.n)],
         local_arrays, SIZES),
    Case("local_structs", "calls.cu", lambda rng, at: [In(rng.integers(0, 999, at.n, i32)), Out(f64, at.n), i32(at.n)],
         local_structs, SIZES),
    Case("structs_in_and_out", "calls.cu",
         lambda rng, at: [In(rng.integers(0, 999, at.n, i32)), Out(i32, (at.n, 3)), Out(f32, at.n), Out(f64, at.n),
                          i32(at.n)],
         structs_in_and_out, SIZES),
    Case("templates_and_lambdas", "calls.cu",
         lambda rng, at: [In(rng.integers(-999, 999, at.n, i32)), Out(i32, at.n), Out(f64, at.n), i32(at.n)],
         templates_and_lambdas, SIZES),
    Case("many_switches", "calls.cu", lambda rng, at: [In(rng.integers(0, 9999, at.n, i32)), Out(i32, at.n), i32(at.n)],
         many_switches, SIZES),
    Case("generic_pointers", "calls.cu",
         lambda rng, at: [InOut(rng.integers(-999, 999, at.n + 4, i32)), Out(i32, at.n), Out(u32, at.n), i32(at.n)],
         generic_pointers, SIZES),
]
