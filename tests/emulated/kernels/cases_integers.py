# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic with its NumPy references; Python's integers where NumPy has no such operation."""

import numpy as np
from kernel_case import Case, In, Launch, Out

i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
SIZES = (Launch(33, 32), Launch(1001, 96))
FEW = (Launch(33, 32), Launch(301, 64))


def edges(dtype):
    """Values at which things go wrong."""
    limits = np.iinfo(dtype)
    width = 8 * np.dtype(dtype).itemsize
    values = [0, 1, 2, limits.max, limits.max - 1, limits.min, limits.min + 1, *(1 << k for k in range(width - 1))]
    return np.array(values, dtype)


def words(rng, n, dtype=u32, mixed=0):
    """Random values of every magnitude, after the edges (each array of a kernel begins at another edge)."""
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max, n, dtype, endpoint=True) >> rng.integers(0, 8, n).astype(dtype)
    special = np.roll(edges(dtype), mixed)[:n]
    values[: special.size] = special
    return values


def unsigned(values, bits=32):
    return [int(value) % 2**bits for value in values]


def each(function, *arrays):
    """A function of Python integers over arrays."""
    return [function(*(int(value) for value in row)) for row in zip(*arrays, strict=True)]


def put(out, column, values):
    """One column of a kernel's results, cut to the width of its type."""
    bits = 8 * out.itemsize
    out[column :: out.shape[0] // len(values)] = np.array(unsigned(values, bits), f"u{out.itemsize}").view(out.dtype)


def signed(value, bits=32):
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def reverse(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


def trailing_one(value):
    return (value & -value).bit_length()


def bits_32(at, x, out, n):
    columns = [each(lambda v: reverse(v, 32), x), each(lambda v: 32 - v.bit_length(), x), each(trailing_one, x),
               each(lambda v: bin(v).count("1"), x), each(lambda v: 32 - (-v % 2**32).bit_length(), x),
               each(lambda v: trailing_one(v) - 1, x), each(lambda v: v >> 5 & 0x7FF, x),
               each(lambda v: v & 0xFFF00FFF | v << 12 & 0xFF000, x)]
    for column, values in enumerate(columns):
        put(out, column, values)


def bits_64(at, x, out, n):
    columns = [each(lambda v: reverse(v, 64), x), each(lambda v: 64 - v.bit_length(), x), each(trailing_one, x),
               each(lambda v: bin(v).count("1"), x), x ^ x >> u64(7) ^ x << u64(13),
               ~x & x << u64(1) | (x & u64(255)) << u64(56)]
    for column, values in enumerate(columns):
        put(out, column, values)


def permuted(a, b, c):
    """prmt in its default mode: selector nibbles choose bytes of b:a, their top bit spreads the byte's sign."""
    source = [(b << 32 | a) >> 8 * k & 255 for k in range(8)]
    chosen = [source[c >> 4 * k & 7] for k in range(4)]
    spread = [(255 if byte & 128 else 0) if c >> 4 * k & 8 else byte for k, byte in enumerate(chosen)]
    return sum(byte << 8 * k for k, byte in enumerate(spread))


def intrinsic_permuted(a, b, c):
    """__byte_perm looks at the low three bits of each nibble alone."""
    return permuted(a, b, c & 0x7777)


def low24(value):
    return signed(value, 24)


def bytes_and_averages(at, x, y, z, out, n):
    a, b, c = x.view(i32), y.view(i32), z.view(i32)
    columns = [each(intrinsic_permuted, x, y, z), each(lambda p, q, r: abs(p - q) + r, a, b, z),
               each(lambda p, q, r: abs(p - q) + r, x, y, z), each(lambda p, q: p + q >> 1, a, b),
               each(lambda p, q: p + q + 1 >> 1, a, b), each(lambda p, q: p + q >> 1, x, y),
               each(lambda p, q: p + q + 1 >> 1, x, y), each(lambda p, q: low24(p) * low24(q), a, b),
               each(lambda p, q: (p & 0xFFFFFF) * (q & 0xFFFFFF), x, y), each(lambda p, q: p * q >> 32, a, b),
               each(lambda p, q: p * q >> 32, x, y), each(abs, a), np.minimum(a, b) ^ np.maximum(b, c),
               np.minimum(x, y) ^ np.maximum(y, z)]
    for column, values in enumerate(columns):
        put(out, column, values)


def funnel_shifts(at, x, y, z, out, n):
    both = [int(high) << 32 | int(low) for low, high in zip(x, y, strict=True)]
    amounts = [int(amount) % 70 for amount in z]
    clamped = [min(amount, 32) for amount in amounts]
    columns = [[v << (s & 31) >> 32 for v, s in zip(both, amounts, strict=True)],
               [v >> (s & 31) for v, s in zip(both, amounts, strict=True)],
               [v << s >> 32 for v, s in zip(both, clamped, strict=True)],
               [v >> s for v, s in zip(both, clamped, strict=True)],
               [v << (s & 31) | v >> (-s & 31) for v, s in zip(unsigned(x), amounts, strict=True)],
               [v << 7 | v >> 25 for v in unsigned(y)]]
    for column, values in enumerate(columns):
        put(out, column, values)


def parts(values, dtype):
    """Words as rows of their bytes or halves."""
    return values.view(dtype).reshape(values.size, -1).astype(i64)


def small_dot_products(at, x, y, z, out, n):
    def halves(high, half_type, byte_type):
        pairs = parts(y, byte_type)[:, 2:] if high else parts(y, byte_type)[:, :2]
        return (parts(x, half_type) * pairs).sum(1) + z

    columns = [(parts(x, i8) * parts(y, i8)).sum(1) + z, (parts(x, u8) * parts(y, u8)).sum(1) + z,
               halves(False, i16, i8), halves(True, i16, i8), halves(False, u16, u8), halves(True, u16, u8),
               (parts(x, u8) * parts(y, i8)).sum(1) + z, halves(True, i16, u8)]
    for column, values in enumerate(columns):
        put(out, column, values)


def video(at, x, y, out, n):
    a, b = parts(x, u8), parts(y, u8)
    sa, sb = parts(x, i8), parts(y, i8)
    ha, hb = parts(x, u16), parts(y, u16)

    def packed(values, dtype):
        return values.astype(dtype).view(u32).reshape(-1)

    columns = [packed(abs(a - b), u8), packed(a + b, u8), packed(a - b, u8), packed(abs(a - b), u8),
               packed(np.maximum(a, b), u8), packed(np.minimum(sa, sb), u8), packed(np.where(a > b, 255, 0), u8),
               packed(ha + hb, u16), packed(np.maximum(parts(x, i16), parts(y, i16)), u16), packed(a + b + 1 >> 1, u8),
               abs(a - b).sum(1), packed(abs(ha - hb), u16)]
    # vabsdiff4 without .add writes the four differences, and its third operand counts for nothing.
    for column, values in enumerate(columns):
        put(out, column, values)


def truncated(a, b):
    """Division as C has it."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a, b):
    return a - b * truncated(a, b)


def divide(at, x, y, p, q, small, wide, n):
    a, b, c, d = x.view(u32), y.view(u32), p.view(u64), q.view(u64)
    halves = x.astype(i16)
    columns = [each(truncated, x, y), each(remainder, x, y), a // b, a % b,
               each(lambda v: truncated(v, 7) + remainder(v, 10), x),
               each(lambda v, h: v // 1000 + truncated(h, 3), a, halves)]
    for column, values in enumerate(columns):
        put(small, column, values)
    columns = [each(truncated, p, q), each(remainder, p, q), c // d, c % d, each(lambda v: truncated(v, 1000003), p)]
    for column, values in enumerate(columns):
        put(wide, column, values)


def divide_inputs(rng, at):
    n = at.n
    divisors = [words(rng, n, dtype, 5) for dtype in (i32, i64)]
    for each_divisor in divisors:
        each_divisor[each_divisor == 0] = 3
    x, p = words(rng, n, i32), words(rng, n, i64)
    for number, divisor in zip((x, p), divisors, strict=True):
        # The one quotient that does not fit: C leaves it undefined.
        number[(number == np.iinfo(number.dtype).min) & (divisor == -1)] = 5
    return [In(x), In(divisors[0]), In(p), In(divisors[1]), Out(i32, 6 * n), Out(i64, 5 * n), i32(n)]


def shifts(at, x, amount, out, n):
    def shifted(function):
        return each(lambda v, s: function(v, s % 80), x, amount)

    def arithmetic(bits):
        return shifted(lambda v, s: (signed(v, bits) >> s) % 2**bits)

    columns = [shifted(lambda v, s: (v << s) % 2**32), shifted(lambda v, s: v % 2**32 >> s), arithmetic(32),
               shifted(lambda v, s: v << s), shifted(lambda v, s: v >> s), arithmetic(64),
               shifted(lambda v, s: signed(v, 64) >> (s & 63)),
               shifted(lambda v, s: v % 2**16 >> 3 | (signed(v, 16) >> 5) << 16)]
    for column, values in enumerate(columns):
        put(out, column, values)


def multiply_wide(at, x, y, out, n):
    def high_signed(a, b):
        return signed(a, 64) * signed(b, 64) >> 64

    def combined(a, b):
        return (a * b + a * 3 - b) % 2**128

    columns = [each(lambda a, b: a * b, x, y), each(lambda a, b: a * b >> 64, x, y), each(high_signed, x, y),
               each(lambda a, b: a * b >> 64 ^ a * b % 2**64, x, y), each(combined, x, y),
               each(lambda a, b: combined(a, b) >> 64, x, y),
               each(lambda a, b: a % 2**32 * (b % 2**32), x, y),
               each(lambda a, b: signed(a) * signed(b) + b, x, y),
               each(lambda a, b: a % 2**16 * (b % 2**16) + b % 2**32 * 1000, x, y),
               each(lambda a, b: a * b // ((b >> 40) + 1), x, y)]
    for column, values in enumerate(columns):
        put(out, column, values)


def carry_chains(at, x, y, sums, differences, products, n):
    def number(row):
        return sum(int(word) << 32 * k for k, word in enumerate(row))

    def split(value, count):
        return [value >> 32 * k & 0xFFFFFFFF for k in range(count)]

    for i in range(int(n)):
        a, b = number(x[i]), number(y[i])
        sums[i], differences[i] = split(a + b, 9), split(a - b, 9)
        products[i] = split(a % 2**128 * (b % 2**128), 8)


def carry_inputs(rng, at):
    x, y = rng.integers(0, 2**32, (at.n, 8), u32), rng.integers(0, 2**32, (at.n, 8), u32)
    x[::3, 2:6] = 0xFFFFFFFF
    y[::5] = x[::5]
    return [In(x), In(y), Out(u32, (at.n, 9)), Out(u32, (at.n, 9)), Out(u32, (at.n, 8)), i32(at.n)]


def narrow_types(at, x, y, z, w, out, back, back16, n):
    a, b, c, d = (values.astype(i32) for values in (x, y, z, w))
    columns = [(a + b).astype(i8), (c * d).astype(i16), (d << 3).astype(u16).astype(i32) - (b + 200).astype(u8),
               np.where(a < b.astype(i8), c, d),
               (c == d.astype(i16)) | (c > a) * 2 | (d != b) * 4 | x.view(u8).astype(i32) << 8]
    for column, values in enumerate(columns):
        put(out, column, values)
    back[:] = (a >> 1 ^ b).astype(i8)
    back16[:] = (c - d).astype(i16)


def mix_rounds(at, seed, out, wide, rounds, n):
    h, crc = seed.copy(), ~seed
    factor = u64(6364136223846793005)
    state = h.astype(u64) * factor + u64(1442695040888963407)
    for _ in range(rounds):
        h ^= h << u32(13)
        h ^= h >> u32(17)
        h ^= h << u32(5)
        crc = crc >> u32(1) ^ (crc & u32(1)) * u32(0xEDB88320)
        state = state * factor + (h | u32(1))
    out[:], wide[:] = h ^ crc, state ^ state >> u64(29)


def overflow_and_saturation(at, x, y, out, wide, n):
    def clamp(value, bits):
        return max(-(2 ** (bits - 1)), min(2 ** (bits - 1) - 1, value))

    columns = [each(lambda a, b: clamp(a + b, 32), x, y), each(lambda a, b: clamp(a - b, 32), x, y),
               each(lambda a: clamp(a, 8), x), each(lambda a, b: (a * b >> 32) + a, x, y),
               each(lambda a, b: a + b, x, y), each(lambda a: -a, x)]
    for column, values in enumerate(columns):
        put(out, column, values)
    columns = [each(lambda a, b: a - b, x, y), each(lambda a, b: abs(a * b), x, y),
               each(lambda a, b: min(a * 3, b) + max(a % 2**64, b % 2**64), x, y)]
    for column, values in enumerate(columns):
        put(wide, column, values)


def unary(count, dtype):
    return lambda rng, at: [In(words(rng, at.n, dtype)), Out(i32 if dtype == u32 else dtype, count * at.n), i32(at.n)]


def ternary(count, dtype=u32, result=None):
    return lambda rng, at: [*(In(words(rng, at.n, dtype, 3 * k)) for k in range(3)), Out(result or dtype, count * at.n),
                            i32(at.n)]


CASES = [
    Case("bits_32", "integers.cu", unary(8, u32), bits_32, SIZES),
    Case("bits_64", "integers.cu", unary(6, u64), bits_64, SIZES),
    Case("bytes_and_averages", "integers.cu", ternary(14, u32, i32), bytes_and_averages, SIZES),
    Case("funnel_shifts", "integers.cu", ternary(6), funnel_shifts, SIZES),
    Case("small_dot_products", "integers.cu", ternary(8, i32), small_dot_products, SIZES),
    Case("video", "integers.cu", lambda rng, at: [In(words(rng, at.n)), In(words(rng, at.n, u32, 7)),
                                                  Out(u32, 12 * at.n), i32(at.n)],
         video, SIZES),
    Case("divide", "integers.cu", divide_inputs, divide, SIZES),
    Case("shifts", "integers.cu", lambda rng, at: [In(words(rng, at.n, u64)), In(rng.integers(0, 2**32, at.n, u32)),
                                                   Out(u64, 8 * at.n), i32(at.n)],
         shifts, SIZES),
    Case("multiply_wide", "integers.cu", lambda rng, at: [In(words(rng, at.n, u64)), In(words(rng, at.n, u64, 9)),
                                                          Out(u64, 10 * at.n), i32(at.n)],
         multiply_wide, SIZES),
    Case("carry_chains", "integers.cu", carry_inputs, carry_chains, FEW),
    Case("narrow_types", "integers.cu",
         lambda rng, at: [In(words(rng, at.n, i8)), In(words(rng, at.n, u8)), In(words(rng, at.n, i16)),
                          In(words(rng, at.n, u16)), Out(i32, 5 * at.n), Out(i8, at.n), Out(i16, at.n), i32(at.n)],
         narrow_types, SIZES),
    Case("mix_rounds", "integers.cu", lambda rng, at: [In(words(rng, at.n)), Out(u32, at.n), Out(u64, at.n), i32(40),
                                                       i32(at.n)],
         mix_rounds, SIZES),
    Case("overflow_and_saturation", "integers.cu",
         lambda rng, at: [In(words(rng, at.n, i32)), In(words(rng, at.n, i32, 4)), Out(i32, 6 * at.n),
                          Out(i64, 3 * at.n), i32(at.n)],
         overflow_and_saturation, SIZES),
]
