# SPDX-License-Identifier: Apache-2.0
"""The C types of records' members, as their docstrings name them."""

from __future__ import annotations

from typing import Any


def member_type(records: dict[str, dict[str, Any]], field: dict[str, Any]) -> str:
    """A member's C type (an array's element); a type that has no name of its own is a struct or a union."""
    if "::" not in field["c_type"]:
        return str(field["c_type"])
    return "union" if records[field["type"]]["union"] else "struct"


def member_types(plan: dict[str, Any]) -> list[str]:
    """Every such type once, in a fixed order."""
    records = {record["id"]: record for record in plan["records"]}
    return sorted({member_type(records, field) for record in plan["records"] for field in record["fields"]})


def member_doc(records: dict[str, dict[str, Any]], field: dict[str, Any]) -> str:
    """A member's docstring."""
    array = f"[{field['count']}]" if field["count"] else ""
    return f"{member_type(records, field)}{array} at byte {field['offset']}"


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """What tables_records.cpp.j2 gets beside the plan."""
    records = {record["id"]: record for record in plan["records"]}
    types = member_types(plan)
    numbers = {name: number for number, name in enumerate(types)}
    return {"member_types": types, "type_number": lambda field: numbers[member_type(records, field)]}
