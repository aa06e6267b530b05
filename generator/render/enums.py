# SPDX-License-Identifier: Apache-2.0
"""The names of enumerators in one block of text: a pointer to each would cost memory, and time at import."""

from __future__ import annotations

from typing import Any

WIDTH = 150


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """What tables_enums.cpp.j2 gets beside the plan: every name once, in lines of text, and where each begins."""
    names = sorted({name for enum in plan["enums"] for name, _ in enum["values"]})
    begin, at = {}, 0
    for name in names:
        begin[name] = at
        at += len(name) + 1
    return {"name_lines": _lines(names), "begin": begin}


def _lines(names: list[str]) -> list[str]:
    """As many names a line as fit, each with its terminator. None begins with a digit, which would join that."""
    lines = [""]
    for name in names:
        if lines[-1] and len(lines[-1]) + len(name) + 2 > WIDTH:
            lines.append("")
        lines[-1] += name + "\\0"
    return lines
