# SPDX-License-Identifier: Apache-2.0
"""Operand values of the opcode vectors: the edges of each type, some random ones, and how they are combined."""

from __future__ import annotations

import itertools
import random

PAIRS_OF = 25  # so many edges are paired with each other
TRIPLES = 900


def _float_edges(bits: int, mantissa: int) -> list[int]:
    """Zeros, ones, infinities, NaNs, subnormals, the smallest and largest normals, halves and neighbours."""
    one = ((1 << (bits - mantissa - 2)) - 1) << mantissa
    infinity = ((1 << (bits - 1 - mantissa)) - 1) << mantissa
    quiet = infinity | 1 << (mantissa - 1)
    positive = [
        0, 1, (1 << mantissa) - 1, 1 << mantissa, one, one + 1, one - 1, one + (1 << mantissa),
        one - (1 << mantissa), one + (1 << (mantissa - 1)), infinity, infinity - 1, quiet, infinity | 1, quiet | 5,
    ]
    sign = 1 << (bits - 1)
    return positive + [value | sign for value in positive]


def _f32(*values: float) -> list[int]:
    import struct

    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]


def _f64(*values: float) -> list[int]:
    import struct

    return [struct.unpack("<Q", struct.pack("<d", value))[0] for value in values]


NUMBERS = (2.5, 3.5, -2.5, 0.25, 127.5, 255.5, -128.5, 32767.5, 65535.5, 65536.0, 2147483648.0, 4294967296.0,
           -2147483904.0, 9.3e18, 1.85e19, -9.3e18, 3.1415927, -1.5707964, 1e-3, 1e3, 100.7, 0.7,
           1.2e38, 8.6e37, 1e-38, 3e-39)


def _integer_edges(bits: int) -> list[int]:
    top = 1 << bits
    values = [0, 1, 2, 3, 7, 8, 31, 32, 33, top - 1, top - 2, top - 7, top // 2, top // 2 - 1, top // 2 + 1]
    patterns = [0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x0123456789ABCDEF, 0xFF00FF00FF00FF00, 0x80017FFF80FF7F01]
    values += [127, 128, 255] if bits > 8 else []
    return values + [pattern % top for pattern in patterns]


def _random(bits: int, count: int, seed: str) -> list[int]:
    numbers = random.Random(f"{seed}{bits}")
    return [numbers.getrandbits(bits) for _ in range(count)]


def _unique(values: list[int]) -> list[int]:
    return list(dict.fromkeys(values))


def _packed(halves: list[int]) -> list[int]:
    """Two halves in one word: each value beside its neighbour some places on."""
    return [halves[i] | halves[(i * 7 + 3) % len(halves)] << 16 for i in range(len(halves))]


_F16 = _float_edges(16, 10) + [0x3555, 0x4248, 0x5BFF, 0x6400, 0x77FF, 0xC4D2, 0x0203, 0x8011]
_BF16 = _float_edges(16, 7) + [0x3EAB, 0x4049, 0x42F7, 0x4780, 0x5F00, 0xC4D2, 0x0043, 0x8011]

EDGES: dict[str, list[int]] = {
    "b8": _integer_edges(8), "b16": _integer_edges(16), "b32": _integer_edges(32), "b64": _integer_edges(64),
    "f16": _F16, "bf16": _BF16, "f16x2": _packed(_F16), "bf16x2": _packed(_BF16),
    "f32": _float_edges(32, 23) + _f32(*NUMBERS), "f64": _float_edges(64, 52) + _f64(*NUMBERS),
    "amount": [0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0xFFFFFFFF],
    "length": [0, 1, 4, 8, 16, 31, 32, 40, 63, 64, 255, 0x101],
    "pred": [0, 1],
}  # fmt: skip
BITS = {"b8": 8, "b16": 16, "b32": 32, "b64": 64, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32, "f32": 32,
        "f64": 64}


def values(kind: str, count: int) -> list[int]:
    """The edges of a type, then random bits, `count` in all where the type has so many."""
    edges = _unique(EDGES[kind])
    if kind in BITS and len(edges) < count:
        edges += _random(BITS[kind], count - len(edges), kind)
    return edges


def operands(kinds: tuple[str, ...]) -> list[tuple[int, ...]]:
    """The operand tuples of an opcode: all of a type for one, a square of edges for two, a drawn sample for more."""
    if len(kinds) == 1:
        return [(value,) for value in values(kinds[0], 160)]
    if len(kinds) == 2:
        first, second = (_unique(EDGES[kind]) for kind in kinds)
        return list(itertools.product(first[: PAIRS_OF + 8], second[: PAIRS_OF + 8]))
    numbers = random.Random("/".join(kinds))
    return [tuple(numbers.choice(values(kind, 48)) for kind in kinds) for _ in range(TRIPLES)]
