# SPDX-License-Identifier: Apache-2.0
"""Vector kernels and their NumPy references."""

import numpy as np
from kernel_case import Bits, Case, In, InOut, Launch, Out, Within, floating

f32, f64, i32 = np.float32, np.float64, np.int32
SIZES = (Launch(1, 32), Launch(1000, 128), Launch(4097, 96))

PARTICLE = np.dtype({"names": ["kind", "charge", "position", "mass", "flag"],
                     "formats": [np.int8, np.int16, (f32, 3), f64, np.uint8],
                     "offsets": [0, 2, 4, 16, 24], "itemsize": 32})
BODY = np.dtype([("kind", np.int8), ("flag", np.uint8), ("charge", np.int16), ("position", f32, 3), ("mass", f64)])


def normal(rng, n, dtype=f32):
    return rng.standard_normal(n).astype(dtype)


def saxpy(at, a, x, y, out, n):
    out[:] = a * x + y


def axpby_double(at, a, x, b, y, out, n):
    out[:] = a * x + b * y


def add_float4(at, x, y, out, n):
    out[:] = x + y


def swizzle(at, a, b, c, d, e, f, n):
    a[:] = a[:, ::-1].copy()
    b[:] = b[:, ::-1].copy()
    c[:] = np.stack([c[:, 1], -c[:, 0]], 1)
    d[:] = np.stack([d[:, 1], -d[:, 0]], 1)
    e[:] = np.stack([e[:, 1] + 1, e[:, 0]], 1)
    f[:] = np.roll(f, 1, axis=1)


def swizzle_inputs(rng, at):
    n = at.n
    return [InOut(rng.integers(0, 256, (n, 4), np.uint8)), InOut(rng.integers(0, 65536, (n, 2), np.uint16)),
            InOut(normal(rng, (n, 2))), InOut(normal(rng, (n, 2), f64)),
            InOut(rng.integers(0, 2**63, (n, 2), np.uint64)), InOut(rng.integers(0, 2**32, (n, 4), np.uint32)), i32(n)]


def read_only_vectors(at, a, b, c, d, e, f, g, out, n):
    out[:] = a[:, 0] + a[:, 1] + b[:, 0] + b[:, 1] + c + d + (e & np.uint64(0xFFFF)) + f
    out += g


def read_only_inputs(rng, at):
    n = at.n
    whole = [rng.integers(-1000, 1000, size).astype(f64) for size in ((n, 2), n)]
    return [In(whole[0]), In(rng.integers(-1000, 1000, (n, 2), i32)), In(rng.integers(0, 256, n, np.uint8)),
            In(rng.integers(-128, 128, n, np.int8)), In(rng.integers(0, 2**63, n, np.uint64)),
            In(rng.integers(0, 2**32, n, np.uint32)), In(whole[1]), Out(f64, n), i32(n)]


def gather_scatter(at, index, bytes_, words, small, out_bytes, out_words, out_sum, n):
    out_bytes[index] = bytes_ ^ 0x5A
    out_words[:] = words[index] + np.uint16(1)
    out_sum[:] = bytes_[index].astype(i32) + small - words


def gather_inputs(rng, at):
    n = at.n
    return [In(rng.permutation(n).astype(np.uint16)), In(rng.integers(0, 256, n, np.uint8)),
            In(rng.integers(0, 65536, n, np.uint16)), In(rng.integers(-128, 128, n, np.int8)),
            Out(np.uint8, n), Out(np.uint16, n), Out(i32, n), i32(n)]


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 3.5], f32)


def special_pairs(rng, at):
    x, y = (each.reshape(-1) for each in np.meshgrid(SPECIAL, SPECIAL))
    return [In(x), In(y), Out(f32, 4 * x.size), Out(f64, 3 * x.size), Out(np.uint32, x.size), i32(x.size)]


def clamp_and_select(at, x, y, out, wide, flags, n):
    out[0::4], out[1::4], out[2::4] = np.fmin(x, y), np.fmax(x, y), np.copysign(x, y)
    out[3::4] = np.where(x < y, np.abs(x), y)
    p, q = x.astype(f64), y.astype(f64)
    wide[0::3], wide[1::3], wide[2::3] = np.fmin(p, q), np.fmax(p, q), np.copysign(q, p)
    less, greater = x < y, x > y
    tests = [less, x <= y, greater, x >= y, x == y, x != y, ~less, ~(x <= y), ~greater, ~(x >= y)]
    tests = tests + tests
    unordered = np.isnan(x) | np.isnan(y)
    tests += [np.isnan(x), np.isinf(x), np.isfinite(x), np.signbit(x), unordered, unordered]
    flags[:] = sum(test.astype(np.uint32) << k for k, test in enumerate(tests))


def struct_by_value(at, one, c, d, e, f, g, pair, out):
    p = np.frombuffer(one, PARTICLE)[0]
    values = [p["kind"], p["charge"], *p["position"], p["mass"], p["flag"], c, d, e, f, g, *np.frombuffer(pair, f32)]
    out[:] = np.array(values, f64) + np.arange(14)


def particles(rng, n, dtype):
    made = np.zeros(n, dtype)
    made["kind"], made["charge"] = rng.integers(-128, 128, n), rng.integers(-30000, 30000, n)
    made["position"], made["mass"], made["flag"] = normal(rng, (n, 3)), normal(rng, n), rng.integers(0, 256, n)
    return made


def struct_inputs(rng, at):
    return [particles(rng, 1, PARTICLE).tobytes(), np.int8(-7), np.uint8(200), np.int16(-12345), np.uint16(54321),
            np.bool_(True), np.array([1.5, -2.25], f32).tobytes(), Out(f64, 14)]


def array_of_structs(at, all_bytes, n):
    p = all_bytes.view(BODY)
    p["kind"], p["charge"] = -p["kind"], p["charge"] + 3
    p["position"] *= 2
    p["mass"] *= p["mass"]
    p["flag"] = p["flag"] << 1


COEFFICIENTS = np.array([0.5, -1.25, 3.0, 0.125, -2.0], f32)


def constant_polynomial(at, x, out, n):
    total = np.full(x.size, COEFFICIENTS[4])
    for k in (3, 2, 1, 0):
        total = total * x + COEFFICIENTS[k]
    i = np.arange(x.size)
    letters = np.frombuffer(b"emulated", np.uint8)
    out[:] = total + (i << np.array([1, 4, 9])[i % 3]).astype(f32) + letters[i % 8].astype(f32)


def drive_constants(run):
    run.write_global("coefficients", COEFFICIENTS)
    run.launch()


def drive_variables(run):
    run.write_global("counter", np.array([100], i32))
    run.write_global("numbers", np.array([10, 20, 30, 40], i32))
    run.write_global("total", np.zeros(1, np.uint64))
    run.launch()
    run.extra = {"counter": run.read_global("counter", i32, 1), "numbers": run.read_global("numbers", i32, 4),
                 "total": run.read_global("total", np.uint64, 1)}


def module_variables(at, x, out, n):
    i = np.arange(x.size)
    out[:] = np.array([1, 2, 4, 8, 0, 0, 0, 0], f32)[i & 7] + np.array([20, 30], f32)[i & 1]
    return {"counter": np.array([100 + (x & 1).sum()], i32), "numbers": np.array([10, 20, 30, 45], i32),
            "total": np.array([x.astype(np.uint64).sum() << np.uint64(20)])}


def drive_chunks(run):
    """Nine launches, each on its own part, in shuffled order."""
    n, amount = run.at.n, run.arguments[3]
    length = -(-n // 9)
    for first in np.random.default_rng(n).permutation(9) * length:
        size = i32(min(length, n - first))
        run.launch(arguments=[run.arguments[0], i32(first), size, amount], grid=-(-length // 64), block=64)


def add_chunk(at, data, first, length, amount):
    data += amount * np.arange(at.n, dtype=f32)


CASES = [
    Case("saxpy", "vector.cu", lambda rng, at: [f32(2.5), In(normal(rng, at.n)), In(normal(rng, at.n)),
                                                Out(f32, at.n), i32(at.n)],
         saxpy, SIZES, floating(Within(2, 1e-6), Within(2, 1e-6))),
    Case("axpby_double", "vector.cu", lambda rng, at: [f64(0.3), In(normal(rng, at.n, f64)), f64(-1.7),
                                                       In(normal(rng, at.n, f64)), Out(f64, at.n), i32(at.n)],
         axpby_double, (Launch(10, 32, 1), Launch(3001, 64, 5)), floating(Within(2, 1e-14), Within(2, 1e-14))),
    Case("add_float4", "vector.cu", lambda rng, at: [In(normal(rng, (at.n, 4))), In(normal(rng, (at.n, 4))),
                                                     Out(f32, (at.n, 4)), i32(at.n)],
         add_float4, SIZES, floating(Bits(), Bits())),
    Case("swizzle", "vector.cu", swizzle_inputs, swizzle, SIZES),
    Case("read_only_vectors", "vector.cu", read_only_inputs, read_only_vectors, SIZES),
    Case("gather_scatter", "vector.cu", gather_inputs, gather_scatter, SIZES),
    Case("clamp_and_select", "vector.cu", special_pairs, clamp_and_select, (Launch(100, 32),),
         floating(Within(0), Within(0), Within(0))),
    Case("struct_by_value", "vector.cu", struct_inputs, struct_by_value, (Launch(14, 14), Launch(32, 32))),
    Case("array_of_structs", "vector.cu", lambda rng, at: [InOut(particles(rng, at.n, BODY).view(np.uint8)), i32(at.n)],
         array_of_structs, SIZES),
    Case("constant_polynomial", "vector.cu", lambda rng, at: [In(normal(rng, at.n)), Out(f32, at.n), i32(at.n)],
         constant_polynomial, SIZES, floating(Within(4, 1e-4), Within(4, 1e-4)), drive=drive_constants),
    Case("module_variables", "vector.cu", lambda rng, at: [In(rng.integers(0, 1000, at.n, i32)), Out(f32, at.n),
                                                           i32(at.n)],
         module_variables, SIZES, drive=drive_variables),
    Case("add_chunk", "vector.cu", lambda rng, at: [InOut(rng.integers(0, 9, at.n).astype(f32)), i32(0), i32(at.n),
                                                    f32(0.5)],
         add_chunk, (Launch(1000), Launch(5003)), drive=drive_chunks),
]
