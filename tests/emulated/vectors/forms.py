# SPDX-License-Identifier: Apache-2.0
"""Every register-to-register opcode of the emulated device with its operand types: what the vectors run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
COMPARE_INTEGERS = ("eq", "ne", "lt", "le", "gt", "ge")
COMPARE_UNSIGNED = ("lo", "ls", "hi", "hs")
COMPARE_FLOATS = (*COMPARE_INTEGERS, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
ROUNDINGS = ("rn", "rz", "rm", "rp")


@dataclass(frozen=True)
class Vector:
    """One opcode, or a short sequence, with its operands' types.

    `lines` speak of {d} {a} {b} {c} {e}; {t} is scratch.
    """

    name: str
    result: str
    sources: tuple[str, ...]
    lines: tuple[str, ...]


def bits_of(kind: str) -> str:
    """u32 -> b32; floats stay what they are, so that their edges are used."""
    return "b" + kind[1:] if kind[0] in "us" and kind[1:].isdigit() else kind


def plain(spelling: str, result: str, *sources: str, tail: str = "") -> Vector:
    """spelling {d}, {a}, {b}... with the tail behind."""
    letters = "abce"[: len(sources)]
    operands = ", ".join(["{d}", *(f"{{{letter}}}" for letter in letters)])
    return Vector(spelling + tail, bits_of(result), tuple(map(bits_of, sources)), (f"{spelling} {operands}{tail};",))


def integers() -> Iterator[Vector]:
    """Arithmetic of integers."""
    for kind in INTEGERS:
        for name in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield plain(f"{name}.{kind}", kind, kind, kind)
        for name in ("mad.lo", "mad.hi"):
            yield plain(f"{name}.{kind}", kind, kind, kind, kind)
        yield plain(f"sad.{kind}", kind, kind, kind, kind)
        if kind[0] == "s":
            yield plain(f"abs.{kind}", kind, kind)
            yield plain(f"neg.{kind}", kind, kind)
        if kind[1:] != "64":
            double = kind[0] + str(2 * int(kind[1:]))
            yield plain(f"mul.wide.{kind}", double, kind, kind)
            yield plain(f"mad.wide.{kind}", double, kind, kind, double)
    for name in ("add.sat.s32", "sub.sat.s32"):
        yield plain(name, "s32", "s32", "s32")
    yield plain("mad.hi.sat.s32", "s32", "s32", "s32", "s32")
    for half in ("lo", "hi"):
        for kind in ("u32", "s32"):
            yield plain(f"mul24.{half}.{kind}", kind, kind, kind)
            yield plain(f"mad24.{half}.{kind}", kind, kind, kind, kind)
    for left in ("u32", "s32"):
        for right in ("u32", "s32"):
            yield plain(f"dp4a.{left}.{right}", "b32", "b32", "b32", "b32")
            yield plain(f"dp2a.lo.{left}.{right}", "b32", "b32", "b32", "b32")
            yield plain(f"dp2a.hi.{left}.{right}", "b32", "b32", "b32", "b32")
    yield plain("vabsdiff4.u32.u32.u32", "b32", "b32", "b32", "b32")


def carries() -> Iterator[Vector]:
    """Chains through the carry flag."""
    for kind in ("u32", "s32", "u64"):
        bits = bits_of(kind)
        for first, second in (("add", "addc"), ("sub", "subc")):
            lines: tuple[str, ...] = (f"{first}.cc.{kind} {{t}}, {{a}}, {{b}};",
                                      f"{second}.{kind} {{d}}, {{c}}, {{t}};")
            yield Vector(f"{first}.cc.{kind}+{second}.{kind}", bits, (bits,) * 3, lines)
            lines = (lines[0], f"{second}.cc.{kind} {{t}}, {{c}}, {{t}};", f"{second}.{kind} {{d}}, {{b}}, {{c}};")
            yield Vector(f"{first}.cc.{kind}+{second}.cc.{kind}+{second}.{kind}", bits, (bits,) * 3, lines)
    for half in ("lo", "hi"):
        for kind in ("u32", "s32", "u64"):
            bits = bits_of(kind)
            first = f"mad.{half}.cc.{kind} {{t}}, {{a}}, {{b}}, {{c}};"
            lines = (first, f"madc.{half}.{kind} {{d}}, {{a}}, {{c}}, {{t}};")
            yield Vector(f"mad.{half}.cc.{kind}+madc.{half}.{kind}", bits, (bits,) * 3, lines)
            second = f"madc.{half}.cc.{kind} {{t}}, {{b}}, {{c}}, {{t}};"
            lines = (first, second, f"addc.{kind} {{d}}, {{t}}, {{a}};")
            yield Vector(f"mad.{half}.cc.{kind}+madc.{half}.cc.{kind}+addc.{kind}", bits, (bits,) * 3, lines)


def bits() -> Iterator[Vector]:
    """Logic, shifts, bit fields, permutations."""
    for kind in ("b16", "b32", "b64"):
        for name in ("and", "or", "xor"):
            yield plain(f"{name}.{kind}", kind, kind, kind)
        yield plain(f"not.{kind}", kind, kind)
        yield plain(f"cnot.{kind}", kind, kind)
        yield plain(f"shl.{kind}", kind, kind, "amount")
        for letter in "bus":
            yield plain(f"shr.{letter}{kind[1:]}", kind, kind, "amount")
    for name in ("and", "or", "xor"):
        yield plain(f"{name}.pred", "pred", "pred", "pred")
    yield plain("not.pred", "pred", "pred")
    for kind in ("b32", "b64"):
        yield plain(f"brev.{kind}", kind, kind)
        for name in ("clz", "popc"):
            yield plain(f"{name}.{kind}", "b32", kind)
        yield plain(f"bfi.{kind}", kind, kind, kind, "length", "length")
        for letter in "us":
            yield plain(f"bfe.{letter}{kind[1:]}", kind, kind, "length", "length")
            yield plain(f"bfind.{letter}{kind[1:]}", "b32", kind)
            yield plain(f"bfind.shiftamt.{letter}{kind[1:]}", "b32", kind)
    for way in ("l", "r"):
        for edge in ("wrap", "clamp"):
            yield plain(f"shf.{way}.{edge}.b32", "b32", "b32", "b32", "amount")
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield plain(f"prmt.b32{mode}", "b32", "b32", "b32", "b32")
    for table in (0x80, 0x96, 0xCA, 0x1B):
        yield plain("lop3.b32", "b32", "b32", "b32", "b32", tail=f", {table}")
    yield plain("fns.b32", "b32", "b32", "length", "length")
    for edge in ("clamp", "wrap"):
        yield plain(f"bmsk.{edge}.b32", "b32", "amount", "amount")
        for kind in ("u32", "s32"):
            yield plain(f"szext.{edge}.{kind}", "b32", "b32", "amount")


def compares() -> Iterator[Vector]:
    """setp with and without a second predicate and a combination, set, selp, slct."""
    for kind in (*INTEGERS, "b16", "b32", "b64"):
        names = ("eq", "ne") if kind[0] == "b" else COMPARE_INTEGERS + (COMPARE_UNSIGNED if kind[0] == "u" else ())
        for name in names:
            yield plain(f"setp.{name}.{kind}", "pred", kind, kind)
    for kind in ("f32", "ftz.f32", "f64", "f16", "ftz.f16"):
        for name in COMPARE_FLOATS:
            source = kind.rpartition(".")[2]
            yield plain(f"setp.{name}.{kind}", "pred", source, source)
    for combine in ("and", "or", "xor"):
        for sign in ("", "!"):
            lines = (f"setp.lt.{combine}.s32 {{p}}|{{q}}, {{a}}, {{b}}, {sign}{{c}};", "selp.u32 {d}, 2, 0, {q};",
                     "@{p} or.b32 {d}, {d}, 1;")
            yield Vector(f"setp.lt.{combine}.s32 p|q, {sign}c", "b32", ("b32", "b32", "pred"), lines)
    for kind in ("u32", "s32", "f32"):
        yield plain(f"set.lt.{kind}.s32", kind, "s32", "s32")
        yield plain(f"set.geu.{kind}.f32", kind, "f32", "f32")
        yield plain(f"set.eq.{kind}.f64", kind, "f64", "f64")
    for name in ("eq", "nan", "ltu"):
        for kind in ("f16", "f16x2"):
            yield plain(f"set.{name}.{kind}.{kind}", kind, kind, kind)
    for kind in (*INTEGERS, "b16", "b32", "b64", "f32", "f64"):
        yield plain(f"selp.{kind}", kind, kind, kind, "pred")
    for kind in ("u32", "s64", "f32", "b16"):
        yield plain(f"slct.{kind}.s32", kind, kind, kind, "s32")
        yield plain(f"slct.{kind}.f32", kind, kind, kind, "f32")


def floats() -> Iterator[Vector]:
    """Arithmetic of f32 and f64."""
    for kind, modes in (("f32", ("", ".ftz")), ("f64", ("",))):
        clamps = ("", ".sat") if kind == "f32" else ("",)
        for mode in modes:
            for clamp in clamps:
                for rounding in ("", *(f".{each}" for each in ROUNDINGS)):
                    for name in ("add", "sub", "mul"):
                        yield plain(f"{name}{rounding}{mode}{clamp}.{kind}", kind, kind, kind)
                    if rounding:
                        yield plain(f"fma{rounding}{mode}{clamp}.{kind}", kind, kind, kind, kind)
            for rounding in ROUNDINGS:
                yield plain(f"div.{rounding}{mode}.{kind}", kind, kind, kind)
                for name in ("rcp", "sqrt"):
                    yield plain(f"{name}.{rounding}{mode}.{kind}", kind, kind)
            for name in ("min", "max"):
                for nan in ("", ".NaN") if kind == "f32" else ("",):
                    yield plain(f"{name}{mode}{nan}.{kind}", kind, kind, kind)
            for name in ("abs", "neg"):
                yield plain(f"{name}{mode}.{kind}", kind, kind)
        yield plain(f"copysign.{kind}", kind, kind, kind)
        for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield plain(f"testp.{name}.{kind}", "pred", kind)


def approximations() -> Iterator[Vector]:
    """What is not exact: compared within the documented error."""
    for mode in ("", ".ftz"):
        for name in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
            yield plain(f"{name}.approx{mode}.f32", "f32", "f32")
        for name in ("div.approx", "div.full"):
            yield plain(f"{name}{mode}.f32", "f32", "f32", "f32")
    yield plain("tanh.approx.f32", "f32", "f32")
    for kind in ("f16", "f16x2"):
        yield plain(f"ex2.approx.{kind}", kind, kind)
    for kind in ("f16", "f16x2"):
        yield plain(f"tanh.approx.{kind}", kind, kind)
    for name in ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"):
        yield plain(name, "f64", "f64")


def halves() -> Iterator[Vector]:
    """Arithmetic of f16 and bf16, alone and in pairs, as of compute capability 8.0."""
    for kind in ("f16", "f16x2"):
        for mode in ("", ".ftz"):
            for clamp in ("", ".sat"):
                for rounding in ("", ".rn"):
                    for name in ("add", "sub", "mul"):
                        yield plain(f"{name}{rounding}{mode}{clamp}.{kind}", kind, kind, kind)
                yield plain(f"fma.rn{mode}{clamp}.{kind}", kind, kind, kind, kind)
            yield plain(f"fma.rn{mode}.relu.{kind}", kind, kind, kind, kind)
            for name in ("min", "max"):
                for nan in ("", ".NaN"):
                    yield plain(f"{name}{mode}{nan}.{kind}", kind, kind, kind)
            for name in ("abs", "neg"):
                yield plain(f"{name}{mode}.{kind}", kind, kind)
    for kind in ("bf16", "bf16x2"):
        for relu in ("", ".relu"):
            yield plain(f"fma.rn{relu}.{kind}", kind, kind, kind, kind)
        for name in ("min", "max"):
            for nan in ("", ".NaN"):
                yield plain(f"{name}{nan}.{kind}", kind, kind, kind)
        for name in ("abs", "neg"):
            yield plain(f"{name}.{kind}", kind, kind)



def _range_of(kind: str) -> tuple[int, int]:
    top = 1 << int(kind[1:])
    return (-top // 2, top // 2 - 1) if kind[0] == "s" else (0, top - 1)


RANGES = {kind: _range_of(kind) for kind in ("u8", "s8", *INTEGERS)}
# Narrowing and widening of floats: rounding modes and modifiers that ptxas takes.
FLOAT_PAIRS = (
    ("f16", "f32", ROUNDINGS, ("", ".ftz", ".sat", ".ftz.sat")), ("f16", "f32", ("rn", "rz"), (".relu",)),
    ("f16", "f64", ROUNDINGS, ("", ".sat")), ("bf16", "f32", ("rn", "rz"), ("", ".relu")),
    ("f32", "f64", ROUNDINGS, ("", ".ftz", ".sat", ".ftz.sat")),
    ("f32", "f16", ("",), ("", ".ftz", ".sat", ".ftz.sat")), ("f32", "bf16", ("",), ("",)),
    ("f64", "f16", ("",), ("", ".sat")), ("f64", "f32", ("",), ("", ".ftz", ".sat", ".ftz.sat")),
)  # fmt: skip


def conversions() -> Iterator[Vector]:
    """cvt between all types."""
    small = ("u8", "s8", *INTEGERS)
    for to in small:
        for source in small:
            yield plain(f"cvt.{to}.{source}", to, source)
            if not (RANGES[to][0] <= RANGES[source][0] and RANGES[source][1] <= RANGES[to][1]):
                yield plain(f"cvt.sat.{to}.{source}", to, source)
    for number in ("f16", "f32", "f64"):
        for kind in small:
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                yield plain(f"cvt.{rounding}.{kind}.{number}", kind, number)
                if number == "f32":
                    yield plain(f"cvt.{rounding}.ftz.{kind}.{number}", kind, number)
            for rounding in ROUNDINGS:
                yield plain(f"cvt.{rounding}.{number}.{kind}", number, kind)
    for number in ("f16", "f32", "f64"):
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            for mode in ("", ".ftz") if number == "f32" else ("",):
                yield plain(f"cvt.{rounding}{mode}.{number}.{number}", number, number)
        for mode in ("", ".sat", ".ftz", ".ftz.sat") if number == "f32" else ("", ".sat"):
            yield plain(f"cvt{mode}.{number}.{number}", number, number)
    for to, source, roundings, modes in FLOAT_PAIRS:
        for rounding in roundings:
            for mode in modes:
                yield plain(f"cvt{'.' + rounding if rounding else ''}{mode}.{to}.{source}", to, source)
    for to in ("f16x2", "bf16x2"):
        for rounding in ("rn", "rz"):
            for relu in ("", ".relu"):
                yield plain(f"cvt.{rounding}{relu}.{to}.f32", to, "f32", "f32")


def hopper() -> Iterator[Vector]:
    """What compute capability 9.0 brought and compilers emit for it: rounded arithmetic of bf16, its conversions."""
    for kind in ("bf16", "bf16x2"):
        for name in ("add", "sub", "mul"):
            yield plain(f"{name}.{kind}", kind, kind, kind)
            yield plain(f"{name}.rn.{kind}", kind, kind, kind)
    for name in COMPARE_FLOATS:
        yield plain(f"setp.{name}.bf16", "pred", "bf16", "bf16")
    for name in ("eq", "nan", "ltu"):
        for kind in ("bf16", "bf16x2"):
            yield plain(f"set.{name}.{kind}.{kind}", kind, kind, kind)
    for kind in INTEGERS:
        yield plain(f"cvt.rn.bf16.{kind}", "bf16", kind)
        yield plain(f"cvt.rzi.{kind}.bf16", kind, "bf16")
    for name in ("ex2.approx.ftz",):
        for kind in ("bf16", "bf16x2"):
            yield plain(f"{name}.{kind}", kind, kind)


FAMILIES = (integers, carries, bits, compares, floats, approximations, halves, conversions, hopper)
