# SPDX-License-Identifier: Apache-2.0
"""The two sources of truth of the surface tests: the API table (tests/data) and the C prototypes (header facts)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("driver", "runtime", "nvrtc")

# Python names of C parameters that clash with Python words or built-ins.
RENAMED = {"length": "len", "pformat": "format", "typename": "type", "numbytes": "bytes", "from_": "from",
           "input_": "input"}


@dataclass(frozen=True)
class Parameter:
    """One C parameter as the header declares it."""

    name: str
    type: str


@dataclass(frozen=True)
class Prototype:
    """One C function: its public name, the symbol that is called, and its parameters."""

    name: str
    link: str
    module: str
    returns: str
    parameters: tuple[Parameter, ...]
    inline: bool
    internal: bool


@lru_cache(maxsize=None)
def table() -> dict:
    """The API of CUDA 13.0, name by name."""
    return json.loads((ROOT / "tests" / "data" / "api_13.0.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=None)
def extra_rows() -> dict:
    """Functions of the headers that the incumbent leaves out, in the table's form."""
    return json.loads((ROOT / "tests" / "data" / "api_extra_13.0.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=None)
def prototypes() -> dict[str, Prototype]:
    """Public name and link name -> prototype; a default-ABI prototype wins over an internal one of the same name."""
    path = Path(os.environ.get("CUDA_BINDINGS_TEST_FACTS", ROOT / "headers-snapshot" / "13.0" / "facts.jsonl"))
    found: dict[str, Prototype] = {}
    internal: dict[str, Prototype] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        if fact["kind"] != "function":
            continue
        parameters = tuple(Parameter(p["name"], p["type"]) for p in fact["params"])
        prototype = Prototype(fact["name"], fact.get("link", fact["name"]), fact["module"], fact["returns"],
                              parameters, bool(fact.get("inline")), fact.get("visibility") == "internal")
        if prototype.internal:
            internal.setdefault(prototype.name, prototype)
        else:
            found.setdefault(prototype.name, prototype)
            found.setdefault(prototype.link, prototype)
    return {**internal, **found}


def c_parameter_of(python_name: str, prototype: Prototype) -> int:
    """Index of the C parameter that a Python argument stands for."""
    names = [p.name for p in prototype.parameters]
    for candidate in (python_name, RENAMED.get(python_name)):
        if candidate in names:
            return names.index(candidate)
    raise AssertionError(f"{prototype.name}: no C parameter for the argument {python_name!r} in {names}")
