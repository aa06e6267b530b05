# SPDX-License-Identifier: Apache-2.0
"""What the C++ header's templates for types need beside the plan: handle classes, enumerations, records, constants.

E600  a member's type whose size is not known, or a record that does not come out at the plan's size
E601  a type name that C++ needs and the plan does not have
E602  cpp_header.toml names something that the plan does not have
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import c_layer
from codes import RenderError

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

DATA = Path(__file__).resolve().parent.parent / "data" / "cpp_header.toml"
INTEGERS = {"signed32": "int", "unsigned32": "unsigned int", "unsigned64": "unsigned long long"}
# Sizes of C's own types on the 64-bit platforms that the project serves; alignment is the same.
BASIC = {
    "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4,
    "float": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "double": 8, "size_t": 8,
    "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "uint8_t": 1, "int8_t": 1, "uint16_t": 2, "int16_t": 2,
    "bool": 1,
}  # fmt: skip


def load() -> dict[str, Any]:
    """The rows of cpp_header.toml."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


class CppTypes:
    """The plan's types as C++ has them."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.data = load()
        self.plain_names = frozenset(self.data["plain"]["names"])
        self.types = {entry["name"]: entry for entry in plan["types"] if entry["kind"] == "typedef"}
        self.types |= {entry["name"]: entry for entry in plan["types"] if entry["kind"] != "typedef"}
        self.types |= {e["tag"]: e for e in plan["types"] if e["kind"] == "enum" and e.get("tag")}
        self.handle_rows = {h["name"]: h for h in plan["handles"] if self._is_class(h)}
        self.aliases = {other: name for name in self.handle_rows for other in self._older_names(name)}
        self.declaration = c_layer.declaration
        self.plain = c_layer.plain
        self._check_data()

    def _check_data(self) -> None:
        """That every name of cpp_header.toml is one of the plan's."""
        handles = {handle["name"] for handle in self.plan["handles"]}
        constants = {constant["name"] for constant in self.plan["constants"]}
        functions = {f"{f['name']}.{p['name']}" for f in self.plan["functions"] for p in f["params"]}
        unknown = self.plain_names - handles
        unknown |= set(self.data["addresses"]["names"]) - handles
        unknown |= set(self.data["constants"]) - constants
        unknown |= (set(self.data["written"]["names"]) | set(self.data["size_of"])) - functions
        unknown |= set(self.data["stream_flags"]) - {function["name"] for function in self.plan["functions"]}
        if unknown:
            raise RenderError("E602", f"cpp_header.toml: the plan has no {', '.join(sorted(unknown))}")

    def _is_class(self, handle: dict[str, Any]) -> bool:
        return handle["kind"] != "function" and handle["name"] not in self.plain_names

    def _older_names(self, name: str) -> list[str]:
        """The handles that `name` is a typedef of: CUdeviceptr_v2 for CUdeviceptr."""
        target = self.types[name].get("type", "")
        return [target] if target in self.handle_rows else []

    # ---- handles

    def handles(self) -> list[dict[str, Any]]:
        """The handle classes: name, base class, other name, and the classes that may be cast to it."""
        rows = []
        by_id = {handle["id"]: handle["name"] for handle in self.plan["handles"]}
        for name, handle in self.handle_rows.items():
            if name in self.aliases:
                continue
            casts = {self.aliases.get(by_id[other], by_id[other]) for other in handle["accepts"]}
            rows.append({
                "name": name,
                "base": self._base(name, handle),
                "older": self._older_names(name),
                "casts": sorted(cast for cast in casts - {name} if cast in self.handle_rows),
            })  # fmt: skip
        return rows

    def _base(self, name: str, handle: dict[str, Any]) -> str:
        if name in self.data["addresses"]["names"]:
            return f"Address<{name}>"
        return f"Handle<{name}, {self.raw(name)}>"

    def raw(self, name: str) -> str:
        """A handle as C has it, spelled so that it needs no header of NVIDIA's."""
        handle = self.handle_rows[name]
        if handle["kind"] in INTEGERS:
            return INTEGERS[handle["kind"]]
        entry = self.types[name]
        return f"{'const ' if entry['const'] else ''}::{entry['tag']} *"

    def tags(self) -> list[str]:
        """The incomplete C structs behind the handles."""
        return sorted({entry["tag"] for entry in self.plan["types"] if entry["kind"] == "handle"})

    def is_handle(self, name: str) -> bool:
        """Whether the name is that of a handle class, or another name of one."""
        return name in self.handle_rows

    # ---- enumerations and the rest

    def enums(self) -> list[dict[str, Any]]:
        """The enumerations in the plan's order, each under the name that prototypes use."""
        return [entry for entry in self.plan["types"] if entry["kind"] == "enum"]

    def others(self) -> list[dict[str, Any]]:
        """Typedefs, callbacks and records in the plan's order, without names that stand already."""
        rows = []
        enum_names = {name for entry in self.enums() for name in (entry["name"], entry.get("tag"))}
        for entry in self.plan["types"]:
            if entry["kind"] in ("enum", "handle") or entry["name"] in self.handle_rows:
                continue
            if entry["kind"] == "typedef":
                if entry["name"] in enum_names or c_layer.plain(entry["type"]) == entry["name"]:
                    continue
                rows.append({"kind": "typedef", "name": entry["name"], "type": c_layer.plain(entry["type"])})
            elif entry["kind"] == "callback":
                parameters = ", ".join(self.raw_type(parameter["type"]) for parameter in entry["params"])
                rows.append({**entry, "type": f"{entry['returns']} (*)({parameters})"})
            elif entry["kind"] == "record":
                self._check_size(entry)
                rows.append(entry)
            else:
                raise RenderError("E601", f"{entry['name']}: kind {entry['kind']}")
        return rows

    def using(self, entry: dict[str, Any]) -> str:
        """The alias declaration of a typedef or callback."""
        return f"using {entry['name']} = {entry['type']};"

    def raw_type(self, c_type: str) -> str:
        """A type with raw handles, as callbacks have it."""
        text = c_layer.plain(c_type)
        return re.sub(r"\w+", lambda word: self.raw(word[0]) if word[0] in self.handle_rows else word[0], text).replace(
            "* *", "**"
        )

    def constants(self) -> list[dict[str, Any]]:
        """The constants with their C++ type: `kind` is number, handle or pointer."""
        rows = []
        for constant in self.plan["constants"]:
            c_type = self.data["constants"].get(constant["name"], "int")
            kind = "number"
            if c_type.endswith("*"):
                kind = "pointer"
            elif c_type in self.handle_rows:
                kind = "number_handle" if self.handle_rows[c_type]["kind"] in INTEGERS else "handle"
            raw = self.raw(c_type) if kind == "handle" else c_type
            rows.append({**constant, "type": c_type, "kind": kind, "raw": raw})
        return rows

    def macro_names(self) -> list[str]:
        """Names of functions and types, any of which a header may have made a macro."""
        names = {name for f in self.plan["functions"] for name in (f["name"], f["link"], *f["aliases"]) if name}
        return sorted(names | {entry["name"] for entry in self.plan["types"] if entry["library"] != "interop"})

    # ---- sizes: which member of a union is as large as the union

    def size(self, c_type: str, array: int = 0) -> tuple[int, int]:
        """(size, alignment) of a member."""
        base = self._size_of_one(c_type)
        return base[0] * (array or 1), base[1]

    def _size_of_one(self, c_type: str) -> tuple[int, int]:
        text = c_layer.plain(c_type).removeprefix("const ")
        if "*" in text:
            return 8, 8
        if text in BASIC:
            return BASIC[text], BASIC[text]
        entry = self.types.get(text)
        if entry is None:
            raise RenderError("E600", f"size of {c_type!r}")
        if entry["kind"] == "typedef":
            return self._size_of_one(entry["type"])
        if entry["kind"] == "enum":
            return 4, 4
        if entry["kind"] == "record":
            return entry["size"], entry["align"]
        return 8, 8

    def _size_of_field(self, field: dict[str, Any]) -> tuple[int, int]:
        if not field["nested"]:
            return self.size(field["type"], field["array"])
        size, align = self._layout(field["nested"])
        return size * (field["array"] or 1), align

    def _layout(self, record: dict[str, Any]) -> tuple[int, int]:
        offset, align = 0, 1
        for field in record["fields"]:
            size, own = self._size_of_field(field)
            align = max(align, own)
            offset = max(offset, size) if record["union"] else -(-offset // own) * own + size
        return -(-offset // align) * align, align

    def _check_size(self, entry: dict[str, Any]) -> None:
        size, align = self._layout(entry)
        align = max(align, entry["align"])
        if -(-size // align) * align != entry["size"]:
            raise RenderError("E600", f"{entry['name']}: {size} bytes, the plan says {entry['size']}")

    def first_whole(self, record: dict[str, Any]) -> int:
        """The index of the member of a union that is zeroed: the first of the largest, which leaves no byte out."""
        sizes = [self._size_of_field(field)[0] for field in record["fields"]]
        return sizes.index(max(sizes))


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """The names that this provider gives its templates."""
    return {"cpp": CppTypes(plan), "optional": ("cpp",)}
