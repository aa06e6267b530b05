# SPDX-License-Identifier: Apache-2.0
"""The emulated driver's exports: which function is written by hand, which forwards to another, which is a stub.

The facts of the plan's release name every export; emulator/driver/implemented.txt names what is written by hand.

E420  a line of implemented.txt names no function of the release
E421  a line of implemented.txt forwards to a function that is not written by hand, or that takes other parameters
E422  implemented.txt names a function twice, or a per-thread twin (twins are generated)
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from c_layer import declaration
from codes import RenderError

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "emulator/driver/implemented.txt"
TWIN = re.compile(r"_pt(ds|sz)$")
VERSION = re.compile(r"_v\d+$")


def version_of(since: list[int] | None) -> int:
    """[12, 8] -> 12080, 0 for none."""
    return 1000 * since[0] + 10 * since[1] if since else 0


def read_list(text: str) -> dict[str, str]:
    """implemented.txt: link name -> name of the function that it forwards to, or ""."""
    rows: dict[str, str] = {}
    for line in text.splitlines():
        name, _, target = (part.strip() for part in line.partition("#")[0].partition("="))
        if not name:
            continue
        if name in rows or TWIN.search(name):
            raise RenderError("E422", f"implemented.txt: {name}")
        rows[name] = target
    return rows


class EmulatedDriver:
    """The exports of libcuda as the templates of emulator/generated ask for them."""

    def __init__(self, facts: list[dict[str, Any]], implemented: dict[str, str]) -> None:
        exports = {row["link"]: row for row in facts if row["kind"] == "function" and row["module"] == "driver"}
        self.implemented = implemented
        self.functions: list[dict[str, Any]] = []
        for link, row in sorted(exports.items()):
            if not TWIN.search(link):
                twins = [row.get("ptds"), f"{link}_ptsz", f"{link}_ptds"]
                twin = next((name for name in twins if name and (name == row.get("ptds") or name in exports)), None)
                self.functions.append(self._function(row, twin))
        self._check(exports)

    def _function(self, row: dict[str, Any], twin: str | None) -> dict[str, Any]:
        link = row["link"]
        names = [f"{declaration(p['type'], p['name'])}" for p in row["params"]]
        # A name may be asked for as the header has it, or as the export without its version.
        bases = sorted({VERSION.sub("", row["name"]), VERSION.sub("", link)})
        return {
            "link": link,
            "bases": bases,
            "since": version_of(row.get("since")),
            "twin": twin,
            "written": link in self.implemented,
            "forward": self.implemented.get(link, ""),
            "parameters": ", ".join(names),
            "arguments": ", ".join(parameter["name"] for parameter in row["params"]),
            "types": [parameter["type"] for parameter in row["params"]],
        }

    def _check(self, exports: dict[str, dict[str, Any]]) -> None:
        by_link = {function["link"]: function for function in self.functions}
        for link, target in self.implemented.items():
            if link not in exports:
                raise RenderError("E420", f"implemented.txt: no function {link}")
            if target and (target not in by_link or not by_link[target]["written"] or by_link[target]["forward"]):
                raise RenderError("E421", f"implemented.txt: {link} forwards to {target}, which is not written by hand")
            if target and by_link[target]["types"] != by_link[link]["types"]:
                raise RenderError("E421", f"implemented.txt: {target} takes other parameters than {link}")

    def rows(self) -> list[tuple[str, dict[str, Any]]]:
        """The table's rows: base name and function, sorted by base name, oldest form first."""
        rows = [(base, function) for function in self.functions for base in function["bases"]]
        return sorted(rows, key=lambda row: (row[0], row[1]["since"], row[1]["link"]))


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """The names that this provider gives its templates."""
    del module
    path = ROOT / "headers-snapshot" / plan["release"] / "facts.jsonl"
    facts = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {"driver": EmulatedDriver(facts, read_list(LIST.read_text(encoding="utf-8")))}
