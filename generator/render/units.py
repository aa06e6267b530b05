# SPDX-License-Identifier: Apache-2.0
"""The units that docstrings tell: what the plan derives, and for the rest the rows of generator/data/units.toml.

E600  units.toml cannot be read, or a row lacks a key
E601  two rows decide the same parameter
E602  a row decides fewer parameters than it states
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from codes import RenderError

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

DATA = Path(__file__).resolve().parent.parent / "data" / "units.toml"
KEYS = {"unit", "match", "hits", "reason"}
NUMBERS = ("number", "inout_number")  # arguments that a row may decide
VALUES = ("number", "float", "capacity_count")  # and values returned


def load(path: Path = DATA) -> dict[str, dict[str, Any]]:
    """The rows by name."""
    try:
        rows: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise RenderError("E600", f"{path.name}: {error}") from error
    for name, row in rows.items():
        if set(row) != KEYS:
            raise RenderError("E600", f"{path.name}: [{name}] has {sorted(row)}, needs {sorted(KEYS)}")
    return rows


def listed(names: list[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def derived(function: dict[str, Any]) -> dict[str, str]:
    """Python name -> unit of the arguments that measure another argument, or memory that is returned."""
    arguments = function["arguments"]
    sizes: dict[str, list[str]] = {}
    counts: dict[str, list[str]] = {}
    for argument in arguments:
        for key in ("bytes", "size"):
            if isinstance(argument.get(key), str):
                sizes.setdefault(argument[key], []).append(argument["python"])
        if isinstance(argument.get("count"), str):
            counts.setdefault(argument["count"], []).append(argument["python"])
        if argument["convert"] == "jit_keys":
            counts.setdefault(argument["python_count"], []).append(argument["python"])
    for output in function["outputs"]:
        if output["produce"] == "name_buffer":
            sizes.setdefault(arguments[output["length"]]["python"], [])
    units = {name: "bytes" + (f" of {listed(of)}" if of else "") for name, of in sizes.items()}
    return units | {name: f"elements of {listed(of)}" for name, of in counts.items()}


def parameters(function: dict[str, Any]) -> list[str]:
    """The numbers whose unit a row may tell: arguments that the plan does not explain, values returned."""
    explained = derived(function)
    names = [a["python"] for a in function["arguments"] if a["convert"] in NUMBERS and a["python"] not in explained]
    for parameter, feed in zip(function["params"], function["call"], strict=True):
        if feed["feed"] == "output" and function["outputs"][feed["index"]]["produce"] in VALUES:
            names.append(parameter["name"])
    return names


def stated(plan: dict[str, Any], rows: dict[str, dict[str, Any]]) -> dict[str, str]:
    """FUNCTION.PARAMETER -> unit, from the rows."""
    return {key: rows[title]["unit"] for key, title in deciding_rows(plan, rows).items()}


def deciding_rows(plan: dict[str, Any], rows: dict[str, dict[str, Any]]) -> dict[str, str]:
    """FUNCTION.PARAMETER -> the row that decides it."""
    deciding: dict[str, str] = {}
    for function in plan["functions"]:
        for name in parameters(function):
            key = f"{function['name']}.{name}"
            for title, row in rows.items():
                if not any(fnmatchcase(key, pattern) for pattern in row["match"]):
                    continue
                if key in deciding:
                    raise RenderError("E601", f"units.toml: [{deciding[key]}] and [{title}] both decide {key}")
                deciding[key] = title
    return deciding


def check(plan: dict[str, Any], rows: dict[str, dict[str, Any]]) -> None:
    """That each row decides as many parameters as it says, or more: a release only adds some."""
    deciding = deciding_rows(plan, rows)
    for title, row in rows.items():
        hits = sum(1 for by in deciding.values() if by == title)
        if hits < row["hits"]:
            raise RenderError("E602", f"units.toml: [{title}] decides {hits} parameters, not {row['hits']}")
