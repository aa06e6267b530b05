# SPDX-License-Identifier: Apache-2.0
"""Kernels in PTX by hand with their references."""

import numpy as np
from cases_half import SPECIAL as HALF_SPECIAL
from cases_half import bfloats, halves
from cases_integers import remainder, signed, words
from kernel_case import Bits, Case, In, InOut, Launch, Out, floating
from references import from_bfloat16, round_to_odd, to_bfloat16

f16, f32, f64, i32, i64 = np.float16, np.float32, np.float64, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
SIZES = (Launch(1, 32), Launch(1003, 96))


def copies_of_every_width(at, source, target, sums, n):
    target[:] = source
    w = source.view(u64)
    sums[:] = (w[:, 1] ^ w[:, 6] ^ w[:, 7] ^ w[:, 4] ^ w[:, 5]) * u64(10) + u64(10)


def parameters_of_every_width(at, out, a, b, c, d, e, f, g, pair, h):
    first, second = np.frombuffer(pair, u32)
    f_bits, g_bits = np.array([f]).view(u32)[0], np.array([g]).view(u64)[0]
    out[:] = [i64(c.view(np.int16)).view(u64), i64(b.view(np.int8)).view(u64), u64(a) | u64(d) << u64(32),
              u64(e) | u64(f_bits) << u64(32), g_bits, u64(second) | u64(first) << u64(32), h]


def parameter_inputs(rng, at):
    return [Out(u64, 7), u8(200), u8(0x85), u16(0x8123), u16(0xFEDC), u32(0x89ABCDEF), f32(1.25), f64(-2.5),
            np.array([7, 9], u32).tobytes(), u64(2**63 + 5)]


def untyped_shared(at, x, out):
    other = x[np.arange(x.size) ^ 1]
    out[:, 0], out[:, 1] = other, ~other
    out[:, 2], out[:, 3] = other + (x & u32(255)), 0xFFFFFFFF


def untyped_local(at, x, out, n):
    words32 = out.view(u32)
    i = np.arange(x.shape[0])
    bits = np.empty((x.shape[0], 4), u32)
    bits[:, 0], bits[:, 1] = x[:, 0].astype(f32).view(u32), x[:, 1].astype(f32).view(u32)
    bits[:, 2], bits[:, 3] = 0x3F800000, 0xC0000000
    v = x.view(u32)
    words32[:, 0] = v[i, 3 - i % 4]
    words32[:, 1], words32[:, 2], words32[:, 3] = v[:, 0], v[:, 1], bits[i, i % 4]
    words32[:, 4], words32[:, 5] = v[:, 2], v[:, 3]
    out[:, 3] = x[:, 1].astype(f32).astype(f64).view(u64)
    words32[:, 8], words32[:, 9] = v[:, 2], 0


def relaxed_compare_and_swap(at, cells, wide, n):
    i = np.arange(n, dtype=u64)
    cells += np.array([i.sum(), 3 * n], u32)
    wide[0] += i.sum() << u64(30)
    wide[1] ^= np.bitwise_xor.reduce(i << u64(30))


def bit_field(value, place, length, sign):
    """bfe: the field goes on beyond the top bit with zeros or with the sign of its last bit."""
    if length == 0:
        return 0
    top = min(place + length - 1, 31)
    extended = signed(value) if sign else value
    field = extended >> min(place, 63) if place <= 31 else (-1 if sign and value >> 31 else 0)
    if not sign:
        return field & (1 << length) - 1 if length < 32 else field
    negative = value >> top & 1
    kept = field & (1 << min(length, 32)) - 1
    return kept | (-1 << length if negative and length < 32 else 0)


def inserted(a, b, place, length):
    """bfi: the low bits of a go into b."""
    mask = ((1 << length) - 1 << place) & 0xFFFFFFFF
    return b & ~mask | (a << place) & mask


def extended(value, width):
    """szext.clamp: the low bits with their sign; none of width 0."""
    return signed(value & (1 << width) - 1, width) if 0 < width < 32 else value if width else 0


def rare_integer_forms(at, x, y, out, n):
    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        out[i] = np.array([v % 2**64 for v in rare_results(a, b)], u64)


def rare_results(a, b):
    """The thirteen words of a pair of 64-bit values."""
    low, high = a % 2**32, b % 2**32
    place, length = high & 63, high >> 8 & 63
    half_a, half_b = low % 2**16, high % 2**16
    sa, sb, odd = signed(a, 64), signed(b, 64), b | 1

    def pair(first, second):
        return first % 2**32 | second % 2**32 << 32

    least = min(sa, sb) % 2**64
    a_less = signed(low) < signed(high)
    positive = signed(low) > 0
    flags = [sa < sb, a > b, sa <= sb, half_a != half_b, signed(half_a, 16) > signed(half_b, 16), a_less and positive,
             not a_less and positive, low > high or not positive]
    product24 = signed(low, 24) * signed(high, 24)
    mad24 = ((low & 0xFFFFFF) * (high & 0xFFFFFF) + place) % 2**32
    top = (~low if signed(low) < 0 else low) % 2**32
    chosen = half_a if not place & 1 else low >> 16
    return [
        pair(bit_field(low, place, length, False), bit_field(low, place, length, True)),
        pair(inserted(low, high, place, length), ((1 << length) - 1) << place if place < 32 else 0),
        pair(extended(low, place), chosen | chosen << 16),
        pair((half_a * half_b + half_a) % 2**16 | (half_a * half_b >> 16) << 16,
             (signed(half_a, 16) * signed(half_b, 16) >> 16) % 2**16),
        pair(low % (high | 1), remainder(signed(low), 1000)),
        remainder(sa, signed(odd, 64)), a % odd, max(sa, sb) % 2**64 ^ least >> place,
        sum(flag << k for k, flag in enumerate(flags)),
        pair(low, product24), pair(mad24, low ^ high ^ mad24),
        pair(-1 if a_less else 0, place == 0), pair(top.bit_length() - 1, 32 - low.bit_length() if low else -1),
    ]


SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-40, -2e-41], f32)


def special_pairs(rng, at):
    x, y = (each_side.reshape(-1) for each_side in np.meshgrid(SPECIAL, SPECIAL))
    return [In(x), In(y), Out(u32, x.size), i32(x.size)]


def comparisons_with_nan(at, x, y, out, n):
    unordered = np.isnan(x) | np.isnan(y)
    a, b = (np.where(np.abs(v) < f32(2.0**-126), f32(0), v) for v in (x, y))
    tests = [unordered, ~unordered, unordered, ~unordered, ~unordered, unordered, (x >= y) | unordered,
             (x == y) | unordered, a == b, a != b, (x != y) & ~unordered, (a < b) | unordered, np.isinf(x),
             (np.abs(y) < f32(2.0**-126)) & (y != 0), x <= y]
    out[:] = sum(test.astype(u32) << k for k, test in enumerate(tests))


def half_inputs(rng, at):
    x, y = halves(rng, (at.n, 2)), halves(rng, (at.n, 2))
    x[::3] = y[::3]
    if at.n > HALF_SPECIAL.size:
        x[: HALF_SPECIAL.size, 1] = HALF_SPECIAL
    return [In(x), In(y), Out(f16, (at.n, 4, 2)), i32(at.n)]


def halves_by_hand(at, x, y, out, n):
    flags = np.stack([x[:, 0] == y[:, 0], np.isnan(x[:, 1]) | np.isnan(y[:, 1])], 1)
    out[:] = np.stack([x * y, x - y, flags.astype(f16), (x < y).astype(f16)], 1)


def bfloats_by_hand(at, x, y, z, out, n):
    a, b = from_bfloat16(x).astype(f64), from_bfloat16(y).astype(f64)

    def once(values):
        return to_bfloat16(round_to_odd(values, 20).astype(f32))

    out[:, 0], out[:, 1] = once(a[:, 0] + b[:, 0]), once(a[:, 1] - b[:, 1])
    out[:, 2], out[:, 3] = once(a[:, 0] * b[:, 1]), once(z.astype(f64))
    out[:, 4:6] = once(a + b)
    out[:, 6], out[:, 7] = 0, x[:, 1]


HAND = "dialect.ptx"

CASES = [
    Case("copies_of_every_width", HAND,
         lambda rng, at: [In(rng.integers(0, 256, (at.n, 64), u8)), Out(u8, (at.n, 64)), Out(u64, at.n), i32(at.n)],
         copies_of_every_width, SIZES),
    Case("parameters_of_every_width", HAND, parameter_inputs, parameters_of_every_width, (Launch(1, 1),)),
    Case("untyped_shared", HAND, lambda rng, at: [In(rng.integers(0, 2**32, 64, u32)), Out(u32, (64, 4))],
         untyped_shared, (Launch(64, 64, 1),)),
    Case("untyped_local", HAND, lambda rng, at: [In(rng.integers(-9999, 9999, (at.n, 4), i32)), Out(u64, (at.n, 5)),
                                                 i32(at.n)],
         untyped_local, SIZES),
    Case("relaxed_compare_and_swap", HAND, lambda rng, at: [InOut(np.array([5, 6], u32)), InOut(np.array([7, 8], u64)),
                                                            i32(at.n)],
         relaxed_compare_and_swap, (Launch(1, 32), Launch(203, 96))),
    Case("rare_integer_forms", HAND, lambda rng, at: [In(words(rng, at.n, u64)), In(words(rng, at.n, u64, 7)),
                                                      Out(u64, (at.n, 13)), i32(at.n)],
         rare_integer_forms, SIZES),
    Case("comparisons_with_nan", HAND, special_pairs, comparisons_with_nan, (Launch(81, 32),)),
    Case("halves_by_hand", HAND, half_inputs, halves_by_hand, SIZES, floating(Bits(), Bits(), Bits(any_nan=True))),
    Case("bfloats_by_hand", "hopper.ptx",
         lambda rng, at: [In(bfloats(rng, (at.n, 2))), In(bfloats(rng, (at.n, 2))),
                          In(rng.integers(-(2**31), 2**31, at.n, i32) >> 3), Out(u16, (at.n, 8)), i32(at.n)],
         bfloats_by_hand, SIZES),
]
