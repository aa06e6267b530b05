# SPDX-License-Identifier: Apache-2.0
"""PTX of the vectors: one entry an opcode, operands and results in arrays of 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence

from forms import Vector

REGISTER = {"b8": "b32", "b16": "b16", "b32": "b32", "b64": "b64", "f16": "b16", "bf16": "b16", "f16x2": "b32",
            "bf16x2": "b32", "f32": "b32", "f64": "b64", "amount": "b32", "length": "b32", "pred": "pred"}
HEAD = ".version {version}\n.target {target}\n.address_size 64\n"
ENTRY = """
.visible .entry {entry}(.param .u64 inputs, .param .u64 outputs, .param .u32 count) {{
  .reg .pred %end, %p, %q;
  .reg .b32 %index, %block, %word;
  .reg .b64 %in, %out, %wide, %place;
{registers}
  ld.param.u64 %in, [inputs];
  ld.param.u64 %out, [outputs];
  ld.param.u32 %word, [count];
  mov.u32 %index, %tid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %index, %block, 128, %index;
  setp.ge.u32 %end, %index, %word;
  @%end ret;
  mul.wide.u32 %place, %index, {stride};
  add.u64 %in, %in, %place;
  mul.wide.u32 %place, %index, 8;
  add.u64 %out, %out, %place;
{loads}
{body}
{store}
  ret;
}}
"""


def _load(letter: str, kind: str, offset: int) -> list[str]:
    register = REGISTER[kind]
    lines = [f"ld.global.u64 %wide, [%in+{offset}];"]
    if register == "b64":
        return [*lines, f"mov.b64 %{letter}, %wide;"]
    if register == "b32":
        return [*lines, f"cvt.u32.u64 %{letter}, %wide;"]
    lines.append("cvt.u32.u64 %word, %wide;")
    return [*lines, f"cvt.u16.u32 %{letter}, %word;" if register == "b16" else f"setp.ne.u32 %{letter}, %word, 0;"]


def _store(kind: str) -> list[str]:
    register = REGISTER[kind]
    widen = {"b64": "mov.b64 %wide, %d;", "b32": "cvt.u64.u32 %wide, %d;", "b16": "cvt.u64.u16 %wide, %d;",
             "pred": "selp.u64 %wide, 1, 0, %d;"}
    return [widen[register], "st.global.u64 [%out], %wide;"]


def entry(vector: Vector, name: str) -> str:
    """The kernel of one vector: operand k of tuple i lies at word i * operands + k."""
    letters = "abce"[: len(vector.sources)]
    names = {letter: f"%{letter}" for letter in "abcedtpq"}
    registers = [f".reg .{REGISTER[kind]} %{letter};" for letter, kind in zip(letters, vector.sources, strict=True)]
    registers += [f".reg .{REGISTER[vector.result]} %d;", f".reg .{REGISTER[vector.result]} %t;"]
    loads = [line for at, letter in enumerate(letters) for line in _load(letter, vector.sources[at], 8 * at)]

    def block(lines: Sequence[str]) -> str:
        return "\n".join("  " + line for line in lines)

    return ENTRY.format(entry=name, registers=block(registers), stride=8 * len(letters), loads=block(loads),
                        body=block([line.format(**names) for line in vector.lines]), store=block(_store(vector.result)))


def module(vectors: Sequence[Vector], target: str, version: str = "7.8") -> str:
    """A module with the entries v0, v1, ... of the vectors."""
    head = HEAD.format(version=version, target=target)
    return head + "".join(entry(vector, f"v{at}") for at, vector in enumerate(vectors))
