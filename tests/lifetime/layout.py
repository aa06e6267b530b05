# SPDX-License-Identifier: Apache-2.0
"""How every struct and union lies in memory, from the header facts alone: the shadow model's knowledge of C.

What a member means in Python is written down here by hand, per C type; nothing comes from the generated tables.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

FACTS = Path(__file__).resolve().parents[2] / "headers-snapshot" / "13.0" / "facts.jsonl"

# C type: how struct packs it.
NUMBERS = {"int": "i", "unsigned int": "I", "long": "q", "long long": "q", "unsigned long long": "Q", "size_t": "Q",
           "unsigned short": "H", "unsigned char": "B", "float": "f"}
INTEGER_LIKES = {"CUdeviceptr": "Q", "CUmemGenericAllocationHandle": "Q", "CUgraphConditionalHandle": "Q",
                 "cudaGraphConditionalHandle": "Q", "cuuint32_t": "I", "cuuint64_t": "Q"}
CHARACTERS = ("char", "unsigned char")
ZERO_TERMINATED = {("cudaDeviceProp", "name")}
READ_ONLY = {("CUuuid_st", "bytes"), ("CUDA_CONDITIONAL_NODE_PARAMS", "phGraph_out"),
             ("cudaConditionalNodeParams", "phGraph_out")}
# What a fresh struct holds that is not zero: dim3 has a C++ constructor, and so have the structs that begin with two.
INITIAL = {"dim3": {0: 1, 4: 1, 8: 1}, "cudaKernelNodeParams": {8: 1, 12: 1, 16: 1, 20: 1, 24: 1, 28: 1},
           "cudaLaunchConfig_st": {0: 1, 4: 1, 8: 1, 12: 1, 16: 1, 20: 1}}
GRAPH_LISTS = ("phGraph_out",)      # filled by the library; `size` counts


class Field(NamedTuple):
    """One member. `kind`: number, enum, handle, record, address, packed, raw, bytes, text, records, handles, graphs
    or pointee; `type`: a struct format, or the name of a class."""

    name: str
    offset: int
    kind: str
    type: str
    count: int
    size: int           # of one element
    read_only: bool


class Layout(NamedTuple):
    """One C struct or union. `name` is its tag's class."""

    name: str
    module: str
    size: int
    align: int
    is_union: bool
    fields: tuple[Field, ...]


class Enumeration(NamedTuple):
    """The names' values of a C enumeration, and how struct packs one."""

    module: str
    format: str
    values: frozenset


@cache
def facts() -> dict[str, dict[str, dict]]:
    """The facts by kind and name."""
    found: dict[str, dict[str, dict]] = {}
    for line in FACTS.read_text().splitlines():
        fact = json.loads(line)
        found.setdefault(fact["kind"], {})[fact.get("name", "")] = fact
    return found


def bare(c_type: str) -> str:
    """A type's name without struct, union, enum, const and pointer marks."""
    words = c_type.replace("*", " ").split()
    return " ".join(word for word in words if word not in ("struct", "union", "enum", "const"))


def tag_of(name: str) -> str:
    """The record that a typedef stands for, at the end of its chain; empty for anything else."""
    while name not in facts()["record"]:
        typedef = facts()["typedef"].get(name)
        if typedef is None or bare(typedef["type"]) == name:
            return ""
        name = bare(typedef["type"])
    return name


def class_name(name: str) -> str:
    """What Python calls a record: a nested one by its path."""
    return name.replace("::", "_")


@cache
def enumeration(name: str) -> Enumeration:
    """An enumeration of the headers."""
    fact = facts()["enum"][name]
    return Enumeration(fact["module"], "i" if fact["underlying"] == "int" else "I",
                       frozenset(value for _, value in fact["values"]))


def is_handle(name: str) -> bool:
    """Whether Python has a handle's class for the C type."""
    return name in facts()["handle"] or name in facts()["callback"] or name in INTEGER_LIKES


def handle_format(name: str) -> str:
    """How struct packs a handle."""
    return INTEGER_LIKES.get(name, "Q")


_WIDTH = {"i": 4, "I": 4, "q": 8, "Q": 8, "H": 2, "B": 1, "f": 4}


def _meaning(owner: str, member: dict) -> tuple[str, str, int]:
    """Kind, type and size of one element of a member."""
    c_type, name = member["type"], bare(member["type"])
    if c_type in CHARACTERS and "array" in member:
        return ("text" if (owner, member["name"]) in ZERO_TERMINATED else "bytes"), "", 1
    if c_type.endswith("**"):
        return ("packed" if member["name"] == "kernelParams" else "raw"), "", 8
    if name == "void":
        return "address", "", 8
    if c_type.endswith("*"):
        if member["name"] in GRAPH_LISTS:
            return "graphs", name, 8
        if tag_of(name):
            return "records", name, 8
        return ("pointee" if name in INTEGER_LIKES else "handles"), name, 8
    if c_type in NUMBERS:
        return "number", NUMBERS[c_type], _WIDTH[NUMBERS[c_type]]
    if is_handle(name):
        return "handle", name, _WIDTH[handle_format(name)]
    if tag_of(name):
        return "record", class_name(name), facts()["record"][tag_of(name)]["size"]
    return "enum", enumeration(name) and name, 4


def _fields(owner: str, record: dict, base: int):
    for member in record["fields"]:
        offset = base + member["bits"] // 8
        if "::@" in member["type"]:         # neither it nor its type has a name: the members are the struct's own
            yield from _fields(owner, facts()["record"][bare(member["type"])], offset)
            continue
        kind, type_name, size = _meaning(owner, member)
        yield Field(member["name"], offset, kind, type_name, member.get("array", 0), size,
                    (owner, member["name"]) in READ_ONLY)


@cache
def layout(name: str) -> Layout:
    """The layout of a record by its own name, a typedef's, or Python's name of a nested one."""
    tag = tag_of(_c_names().get(name, name))
    record = facts()["record"][tag]
    return Layout(class_name(tag), record["module"], record["size"], record["align"], record.get("union", False),
                  tuple(_fields(tag, record, 0)))


@cache
def _c_names() -> dict[str, str]:
    return {class_name(name): name for name in facts()["record"]}


@cache
def classes() -> tuple[tuple[str, str], ...]:
    """Module and name of every class that there must be."""
    found = []
    for name, fact in facts()["record"].items():
        if "@" not in name:
            found.append((class_name(name), fact["module"]))
    for name, fact in facts()["typedef"].items():
        if tag_of(name) and name not in facts()["record"]:
            found.append((name, fact["module"]))
    made = []
    for name, module in found:
        made += [(each, name) for each in (("driver", "runtime") if module == "shared" else (module,))]
    return tuple(sorted(made))


def derives(name: str, base: str) -> bool:
    """Whether the class `name` is `base` or derives from it: a typedef's class from the class of what it names."""
    while name != base:
        typedef = facts()["typedef"].get(name)
        if typedef is None or bare(typedef["type"]) == name:
            return False
        name = bare(typedef["type"])
    return True
