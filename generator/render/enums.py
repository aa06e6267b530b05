# SPDX-License-Identifier: Apache-2.0
"""The names of enumerators in one block of text: a pointer to each would cost memory, and time at import."""

from __future__ import annotations

from typing import Any


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """What tables_enums.cpp.j2 gets beside the plan: every name once, and where each begins."""
    names = sorted({name for enum in plan["enums"] for name, _ in enum["values"]})
    begin, at = {}, 0
    for name in names:
        begin[name] = at
        at += len(name) + 1
    return {"names": names, "begin": begin}
