# SPDX-License-Identifier: Apache-2.0
"""Joins generator/data/attributes.toml with the plan's enums: one row for each attribute and JIT option.

E500  attributes.toml cannot be read, or names an enum, a type or a partner that the plan does not have
E501  an enumerator has neither a row nor an exclusion
E502  a row names an enumerator that its enum does not have (and does not say since which release it will)
E503  a row's kind is unknown, or its keys do not fit its kind
E504  a function of the plan asks for the attributes of an enum that has no table
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codes import RenderError

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

DATA = Path(__file__).resolve().parent.parent / "data" / "attributes.toml"

# kind in the data: its name in C++, and the keys that it needs
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "none": ("none", ()),
    "int": ("int32", ()),
    "uint": ("uint32", ()),
    "uint64": ("uint64", ()),
    "float": ("float32", ()),
    "bool": ("boolean", ()),
    "bool32": ("bool32", ()),
    "number_object": ("number_object", ("type",)),
    "enumeration": ("enumeration", ("type",)),
    "handle": ("handle", ("type",)),
    "record": ("record", ("type",)),
    "record_pointer": ("record_pointer", ("type",)),
    "address": ("address", ()),
    "text": ("text", ("size",)),
    "int_list": ("int32_list", ()),
    "log_buffer": ("log_buffer", ("partner",)),
    "text_list": ("text_list", ("partner",)),
    "address_list": ("address_list", ("partner",)),
}
# where the plan lists what a kind's `type` names, and the prefix of its ids
TYPE_LISTS = {
    "number_object": ("handles", "HANDLE_"),
    "handle": ("handles", "HANDLE_"),
    "enumeration": ("enums", "ENUM_"),
    "record": ("records", "RECORD_"),
    "record_pointer": ("records", "RECORD_"),
}


def release_key(release: str) -> tuple[int, ...]:
    """13.1 as (13, 1)."""
    return tuple(int(part) for part in release.split("."))


def load(path: Path = DATA) -> dict[str, dict[str, dict[str, Any]]]:
    """The tables of attributes.toml: enum id -> enumerator -> row."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise RenderError("E500", f"{path.name}: {error}") from error


def check_keys(where: str, row: dict[str, Any]) -> None:
    """That a row has a known kind, with the keys of that kind and no others."""
    if row.get("kind") not in KINDS:
        raise RenderError("E503", f"{where}: kind {row.get('kind')!r} is none of {', '.join(KINDS)}")
    needed = set(KINDS[row["kind"]][1])
    given = set(row) - {"kind", "since"}
    if given != needed:
        raise RenderError("E503", f"{where}: kind {row['kind']} takes {sorted(needed)}, not {sorted(given)}")


def type_constant(where: str, row: dict[str, Any], plan: dict[str, Any]) -> str:
    """The id constant of a row's type, "-1" where it has none."""
    if "type" not in row:
        return "-1"
    section, prefix = TYPE_LISTS[row["kind"]]
    if not any(entry["id"] == row["type"] for entry in plan[section]):
        raise RenderError("E500", f"{where}: the plan's {section} have no {row['type']}")
    return prefix + row["type"]


def check_enumerators(enum: dict[str, Any], table: dict[str, dict[str, Any]], release: str) -> None:
    """That enum and table name the same enumerators."""
    known = {name for name, _ in enum["values"]}
    values = {value for name, value in enum["values"] if name in table}
    for name, value in enum["values"]:
        # A second name of the same value needs no row of its own.
        if name not in table and value not in values:
            raise RenderError(
                "E501",
                f"attributes.toml: {enum['id']}.{name} has no row\n"
                f"  add to generator/data/attributes.toml, under [{enum['id']}]:\n"
                f'    {name} = {{ kind = "..." }}   # or {{ excluded = "why" }}',
            )
    for name, row in table.items():
        later = "since" in row and release_key(row["since"]) > release_key(release)
        if name not in known and not later:
            raise RenderError("E502", f"attributes.toml: {enum['id']} of {release} has no {name}")


def rows_of(enum: dict[str, Any], table: dict[str, dict[str, Any]], plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of one enum, ordered by value."""
    check_enumerators(enum, table, plan["release"])
    values = dict(enum["values"])
    rows = {}
    for name, row in table.items():
        where = f"attributes.toml: {enum['id']}.{name}"
        if "excluded" in row:
            if set(row) - {"since"} != {"excluded"}:
                raise RenderError("E503", f"{where}: excluded, and yet more")
            continue
        check_keys(where, row)
        if name not in values:
            continue
        if "partner" in row and row["partner"] not in values:
            raise RenderError("E500", f"{where}: {enum['id']} has no {row['partner']}")
        if values[name] in rows:
            raise RenderError("E503", f"{where}: another row has its value {values[name]}")
        rows[values[name]] = {
            "name": name,
            "enumeration": "ENUM_" + enum["id"],
            "type": type_constant(where, row, plan),
            "kind": KINDS[row["kind"]][0],
            "value": values[name],
            "partner": values[row["partner"]] if "partner" in row else -1,
            "size": row.get("size", 0),
        }
    return [rows[value] for value in sorted(rows)]


def tables_asked_for(plan: dict[str, Any]) -> set[str]:
    """Every `table` that an argument or output of the plan names."""
    return {
        entry["table"]
        for function in plan["functions"]
        for entry in (*function["arguments"], *function["outputs"])
        if "table" in entry
    }


def attribute_rows(plan: dict[str, Any], tables: dict[str, dict[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """All rows, in the order in which the native layer searches: by enum id, then by value."""
    enums = {enum["id"] for enum in plan["enums"]}
    for name in sorted(set(tables) - enums):
        raise RenderError("E500", f"attributes.toml: the plan has no enum {name}")
    for name in sorted(tables_asked_for(plan) - set(tables)):
        raise RenderError("E504", f"attributes.toml: no table [{name}], which the plan's functions ask for")
    return [row for enum in plan["enums"] if enum["id"] in tables for row in rows_of(enum, tables[enum["id"]], plan)]


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """What attributes_table.cpp.j2 gets beside the plan."""
    return {"attribute_rows": attribute_rows(plan, load())}
