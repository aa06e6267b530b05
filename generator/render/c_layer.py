# SPDX-License-Identifier: Apache-2.0
"""What the C layer's templates need beside the plan: slots, header sections, types in C's and Cython's spelling.

E410  a row of capsules.toml names a parameter that no function has
E411  a type that has no spelling in a capsule's signature text: give it a row in capsules.toml
E412  a type of a library for which the types header has no section
E413  a name that prototypes spell with and without struct, union or enum: Cython has one text for it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from codes import RenderError

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

DATA = Path(__file__).resolve().parent.parent / "data" / "capsules.toml"
TABLES = {"driver": "DriverTable", "runtime": "RuntimeTable", "nvrtc": "NvrtcTable"}
LIBRARIES = {"driver": "LIBRARY_DRIVER", "runtime": "LIBRARY_RUNTIME", "nvrtc": "LIBRARY_NVRTC"}
# C type names that Cython has or that libc.stdint gives.
FIXED_WIDTH = ("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t")
# Records that two of the toolkit's headers declare, whichever comes first, and the macro by which they agree.
SHARED_RECORDS = {"CUuuid_st": "CU_UUID_HAS_BEEN_DEFINED"}
# The published error return of each Cython function, by what it returns.
ERROR_RETURNS = {
    "CUresult": "except ?CUDA_ERROR_NOT_FOUND nogil",
    "cudaError_t": "except ?cudaErrorCallRequiresNewerDriver nogil",
    "nvrtcResult": "except ?NVRTC_ERROR_INVALID_INPUT nogil",
    "const char *": "except ?NULL nogil",
}


@dataclass(frozen=True)
class Section:
    """Part of the types header that stands or falls with one header of the toolkit."""

    name: str
    library: str
    prefixes: tuple[str, ...]
    # Macros any of which says that the toolkit has declared these types already.
    declared_by: tuple[str, ...]
    # Headers that declare them on request; empty where only our own declarations are available.
    headers: tuple[str, ...]


# The first section whose library and prefix fit takes a type; the last one of each library takes the rest.
SECTIONS = (
    Section("EGL", "interop", ("EGL",), ("__eglext_h_",), ()),
    Section("OpenGL", "interop", ("GL",), ("__gl_h_",), ()),
    Section("VDPAU", "interop", ("Vdp",), ("_VDPAU_VDPAU_H",), ()),
    Section("cuda.h", "driver", (), ("__cuda_cuda_h__",), ("cuda.h",)),
    Section("cudaEGL.h", "driver", ("CUegl",), ("CUDAEGL_H",), ()),
    Section("cudaGL.h", "driver", ("CUGL",), ("CUDAGL_H",), ()),
    Section("cudaProfiler.h", "driver", ("CUoutput_mode",), ("CUDA_PROFILER_H",), ()),
    Section(
        "cuda_runtime_api.h",
        "runtime",
        (),
        ("__CUDA_RUNTIME_API_H__", "__DRIVER_TYPES_H__", "__VECTOR_TYPES_H__", "__LIBRARY_TYPES_H__"),
        ("cuda_runtime_api.h", "library_types.h"),
    ),
    Section("cuda_egl_interop.h", "runtime", ("cudaEgl",), ("__CUDA_EGL_INTEROP_H__",), ()),
    Section("cuda_gl_interop.h", "runtime", ("cudaGL",), ("__CUDA_GL_INTEROP_H__",), ()),
    Section("nvrtc.h", "nvrtc", (), ("__NVRTC_H__",), ("nvrtc.h",)),
)


def declaration(c_type: str, name: str, count: int = 0) -> str:
    """`name` declared with the type, as C writes it: function types and arrays wrap around the name."""
    array = f"[{count}]" if count else ""
    if "(*)" in c_type:
        return c_type.replace("(*)", f"(*{name}{array})", 1)
    function = re.fullmatch(r"(.*?) ?\((.*)\)", c_type)
    if function:
        return f"{function[1]} {name}({function[2]})"
    return f"{c_type}{'' if c_type.endswith('*') else ' '}{name}{array}"


def plain(c_type: str) -> str:
    """The type without the keywords struct, union and enum."""
    return re.sub(r"\b(struct|union|enum) ", "", c_type)


def version_number(release: str | None) -> int:
    """"12.8" -> 12080, 0 for none."""
    if not release:
        return 0
    major, minor = (int(part) for part in str(release).split("."))
    return 1000 * major + 10 * minor


class CLayer:
    """The plan of one module (or, with None, of all) as the templates of the C layer ask for it."""

    def __init__(self, plan: dict[str, Any], module: str | None) -> None:
        self.plan = plan
        self.module = module
        self.data = tomllib.loads(DATA.read_text(encoding="utf-8"))
        self.functions = [function for function in plan["functions"] if module in (None, function["module"])]
        self.table = TABLES.get(module or "", "")
        self.library = LIBRARIES.get(module or "", "")
        texts = [
            c_type
            for function in self.functions
            for c_type in [function["returns"], *(parameter["c_type"] for parameter in function["params"])]
        ]
        self._spelled_with_keyword = set(re.findall(r"(?:struct|union|enum) (\w+)", " ".join(texts)))
        without = re.sub(r"(struct|union|enum) \w+", "", " ".join(texts))
        self._spelled_plain = set(re.findall(r"\w+", without))
        self.declaration = declaration
        self.version_number = version_number
        self.plain = plain
        self._check_spellings()

    def _check_spellings(self) -> None:
        functions = self.plan["functions"]
        parameters = {(entry["name"], parameter["name"]) for entry in functions for parameter in entry["params"]}
        for function, rows in self.data.items():
            if function in ("mangled", "prefix", "synonyms"):
                continue
            for parameter in rows:
                if (function, parameter) not in parameters:
                    raise RenderError("E410", f"capsules.toml: {function} has no parameter {parameter}")

    # ---- slots

    def slots(self) -> list[dict[str, Any]]:
        """One per exported link name, in order of first mention."""
        found: dict[str, dict[str, Any]] = {}
        for function in self.functions:
            if function["inline"] or not function["link"] or function["link"] in found:
                continue
            found[function["link"]] = {
                "name": function["name"],
                "link": function["link"],
                "ptds": function["ptds"],
                "since": version_number(function["since"]),
                "abi_since": version_number(function.get("abi_since")),
                "signature": self.signature(function),
                "returns": function["returns"],
                "params": function["params"],
            }
        return list(found.values())

    @staticmethod
    def signature(function: dict[str, Any]) -> str:
        """The function's type: `CUresult(CUdeviceptr *, size_t)`."""
        return f"{function['returns']}({', '.join(parameter['c_type'] for parameter in function['params'])})"

    # ---- the Cython layer

    def exports(self) -> list[dict[str, Any]]:
        """What the Cython module exports: every function by its Python name, and the names that no header has."""
        rows = []
        by_name = {function["name"]: function for function in self.functions}
        for function in self.functions:
            rows.append({**function, "text": self.capsule_text(function)})
        for name, target in sorted(self.data["synonyms"].items()):
            if target in by_name and name not in by_name:
                row = {**by_name[target], "name": name}
                rows.append({**row, "text": self.capsule_text(row)})
        return rows

    def spelled(self, function: dict[str, Any], parameter: dict[str, Any]) -> str:
        """The type of a parameter as the published Cython declarations have it."""
        row = self.data.get(function["name"], {}).get(parameter["name"])
        if row is not None:
            return row["type"]
        # Only the const of the innermost pointee was kept.
        first, star, rest = parameter["c_type"].partition("*")
        return first + star + rest.replace("const", "").replace(" ", "")

    def is_mangled(self, name: str) -> bool:
        """Whether the published module spells the type with its own name in front."""
        return any(fnmatchcase(name, pattern) for pattern in self.data["mangled"][self.module])

    def mangled(self, name: str) -> str:
        """The C name of such a type."""
        return self.data["prefix"][self.module] + name

    def capsule_type(self, c_type: str) -> str:
        """The type as Cython prints it in a signature: const behind what it qualifies, its own name for long long."""
        match = re.fullmatch(r"(const )?((?:(?:struct|union|enum|unsigned|signed|long) )*)(\w+) ?(\**)", c_type)
        if match is None:
            raise RenderError("E411", f"cannot spell {c_type!r} for a capsule")
        const, keywords, name, stars = match.groups()
        if self.is_mangled(name):
            name = self.mangled(name)
        base = (keywords + name).replace("long long", "PY_LONG_LONG")
        return f"{base}{' const' if const else ''}{' ' + stars if stars else ''}"

    def capsule_text(self, function: dict[str, Any]) -> str:
        """The signature text under which the function's capsule is known."""
        parameters = ", ".join(self.capsule_type(self.spelled(function, parameter)) for parameter in function["params"])
        returns = self.capsule_type(function["returns"])
        return f"{returns}{'' if returns.endswith('*') else ' '}({parameters or 'void'})"

    def error_return(self, function: dict[str, Any]) -> str:
        """Cython's except clause."""
        return ERROR_RETURNS.get(function["returns"], "except * nogil")

    # ---- types

    def _section(self, entry: dict[str, Any]) -> Section:
        fitting = [section for section in SECTIONS if section.library == entry["library"]]
        for section in fitting:
            if any(entry["name"].startswith(prefix) for prefix in section.prefixes):
                return section
        for section in fitting:
            if not section.prefixes:
                return section
        raise RenderError("E412", f"{entry['name']}: no section of the types header for library {entry['library']}")

    def sections(self) -> list[tuple[Section, list[dict[str, Any]]]]:
        """The types header's parts in order, each with its types in the plan's order."""
        return [
            (section, [entry for entry in self.plan["types"] if self._section(entry) is section])
            for section in SECTIONS
        ]

    def types(self) -> list[dict[str, Any]]:
        """The types that the module's Cython declarations need."""
        libraries = ("nvrtc",) if self.module == "nvrtc" else ("interop", self.module)
        entries = [entry for entry in self.plan["types"] if entry["library"] in libraries]
        known = {entry["name"] for entry in entries}
        # runtime names a few of the driver's types (CUuuid): those, and what they stand on.
        pending = entries
        while pending:
            words = {word for entry in pending for word in re.findall(r"\w+", self._mentions(entry))}
            pending = [entry for entry in self.plan["types"] if entry["name"] in words - known]
            known |= {entry["name"] for entry in pending}
        return [entry for entry in self.plan["types"] if entry["name"] in known and entry["library"] != "nvrtc"] + [
            entry for entry in entries if entry["library"] == "nvrtc"
        ]

    def _mentions(self, entry: dict[str, Any]) -> str:
        if entry["kind"] == "record":
            return " ".join(field_type for field_type in _field_types(entry["fields"]))
        if entry["kind"] == "callback":
            return " ".join([entry["returns"], *(parameter["type"] for parameter in entry["params"])])
        return entry.get("type", "")

    def nested(self) -> list[tuple[str, str, str, dict[str, Any]]]:
        """Members of unnamed type that have a name: (name made for the type, record as C spells it, path, member)."""
        found: list[tuple[str, str, str, dict[str, Any]]] = []
        for entry in self.plan["types"] if self.module is None else self.types():
            if entry["kind"] == "record":
                spelled = f"{'union' if entry['union'] else 'struct'} {entry['name']}"
                _find_nested(found, spelled, entry["name"], "", entry["fields"])
        return found

    def section_nested(self, section: Section) -> list[tuple[str, str, str, dict[str, Any]]]:
        """`nested()` of one section of the types header."""
        names = {entry["name"] for entry in self.plan["types"] if self._section(entry) is section}
        return [row for row in self.nested() if row[1].split(" ")[1] in names]

    def mangled_entries(self, module: str, section: Section) -> list[dict[str, Any]]:
        """The types of a section for which the header needs the published module's own name too."""
        layer = CLayer(self.plan, module)
        entries = [entry for entry in self.plan["types"] if self._section(entry) is section]
        return [
            {**entry, "mangled": layer.mangled(entry["name"])}
            for entry in entries
            if layer.is_mangled(entry["name"]) and not self.is_tag_only(entry) and not self.repeats_tag(entry)
        ]

    @staticmethod
    def repeats_tag(entry: dict[str, Any]) -> bool:
        """Whether the entry is `typedef enum X X`, or the same of a record."""
        return entry["kind"] == "typedef" and entry["type"] != entry["name"] and plain(entry["type"]) == entry["name"]

    def is_tag_only(self, entry: dict[str, Any]) -> bool:
        """A record or tagged enum, which another entry names (only that name is spelled in prototypes)."""
        return entry["kind"] == "record" or (entry["kind"] == "enum" and entry.get("tag") not in (None, entry["name"]))

    @staticmethod
    def any_defined(macros: tuple[str, ...]) -> str:
        """The preprocessor's `defined(A) || defined(B)`."""
        joint = " || \\\n    " if len(macros) > 2 else " || "
        return joint.join(f"defined({macro})" for macro in macros)

    def new_enough(self, section: Section) -> str:
        """The preprocessor's condition for declarations that need headers of the plan's release, or ours."""
        macro = {"driver": "CUDA_VERSION", "runtime": "CUDART_VERSION"}[section.library]
        return f"!defined({macro}) || {macro} >= CUDA_BINDINGS_TYPES_RELEASE"

    @staticmethod
    def literal(text: str, indent: int, width: int = 120) -> str:
        """The text as adjacent C string literals, one a line where it is long."""
        parts = [""]
        for word in re.findall(r"\S+ ?", text):
            if parts[-1] and len(parts[-1]) + len(word) > width:
                parts.append("")
            parts[-1] += word
        return ("\n" + " " * indent).join(f'"{part}"' for part in parts)

    # ---- Cython's declarations

    def tag(self, entry: dict[str, Any]) -> str:
        """The C tag of a record or enum, or its typedef's name where it has none."""
        return entry.get("tag") or entry["name"]

    def shared(self, entry: dict[str, Any]) -> str | None:
        """The macro by which the toolkit's headers agree who declares the record."""
        return SHARED_RECORDS.get(entry["name"])

    def c_name(self, name: str) -> str:
        """What stands behind a name in Cython's declarations where C has another for it."""
        return f' "{self.mangled(name)}"' if self.is_mangled(name) else ""

    def enumerator(self, entry: dict[str, Any], name: str) -> str:
        """An enumerator; of a mangled enum, with its C name."""
        own = self.is_mangled(self.tag(entry)) and not self.is_tag_only(entry)
        return f'{name} "{self.mangled(name).replace("__pyx_t_", "__pyx_e_", 1)}"' if own else name

    def as_typedef(self, name: str) -> bool:
        """Whether prototypes spell the record or enum without its keyword, by a typedef of the same name."""
        if name in self._spelled_with_keyword and name in self._spelled_plain:
            raise RenderError("E413", f"{name} is spelled with and without its keyword: Cython has one text for it")
        return name in self._spelled_plain

    def cython_types(self) -> list[dict[str, Any]]:
        """types() with the types of unnamed members; `typedef struct X X` is no entry of its own."""
        made = {(row[1].split(" ")[1], row[2]): row[0] for row in self.nested()}
        rows: list[dict[str, Any]] = []
        for entry in self.types():
            if self.repeats_tag(entry):
                continue
            if entry["kind"] == "record":
                builder = CythonRecords(rows, made, entry["name"])
                builder.add(entry["name"], "", entry, self.as_typedef(entry["name"]))
            else:
                rows.append(entry)
        return rows

    def tags(self) -> list[str]:
        """Tags of incomplete structs behind the handles."""
        records = {entry["name"] for entry in self.plan["types"] if entry["kind"] == "record"}
        found = {entry["tag"] for entry in self.types() if entry["kind"] == "handle"}
        for function in self.functions:
            for parameter in function["params"]:
                found |= set(re.findall(r"struct (\w+)", parameter["c_type"]))
        return sorted(found - records)

    def stdint(self) -> list[str]:
        """The fixed-width types that the declarations use."""
        texts = [parameter["c_type"] for function in self.functions for parameter in function["params"]]
        for row in self.cython_types():
            texts += [member[0] for member in row["members"]] if row["kind"] == "record" else [self._mentions(row)]
        text = " ".join(texts)
        return [name for name in FIXED_WIDTH if re.search(rf"\b{name}\b", text)]


class CythonRecords:
    """Cython's declarations of a record and of what it holds: no unnamed types, those inside stand before it."""

    def __init__(self, rows: list[dict[str, Any]], made: dict[tuple[str, str], str], owner: str) -> None:
        self.rows = rows
        self.made = made
        self.owner = owner

    def add(self, name: str, path: str, record: dict[str, Any], typedef: bool) -> None:
        """Appends the record at a path inside the owner, under a name."""
        members: list[tuple[str, str, int]] = []
        self._add_members(path, record["fields"], members)
        self.rows.append(
            {"kind": "record", "name": name, "union": record["union"], "typedef": typedef, "members": members}
        )

    def _add_members(self, path: str, fields: list[dict[str, Any]], members: list[tuple[str, str, int]]) -> None:
        for field in fields:
            nested = field["nested"]
            inner = f"{path}.{field['name']}" if path else field["name"]
            if nested is None:
                members.append((plain(field["type"]), field["name"], field["array"]))
            elif not field["name"]:
                self._add_members(path, nested["fields"], members)
            else:
                name = nested["tag"] or self.made[self.owner, inner]
                self.add(name, inner, nested, not nested["tag"])
                members.append((name, field["name"], field["array"]))


def _field_types(fields: list[dict[str, Any]]) -> list[str]:
    types = []
    for field in fields:
        types += _field_types(field["nested"]["fields"]) if field["nested"] else [field["type"]]
    return types


def _find_nested(
    found: list[tuple[str, str, str, dict[str, Any]]],
    spelled: str,
    name: str,
    path: str,
    fields: list[dict[str, Any]],
) -> None:
    for field in fields:
        if not field["nested"]:
            continue
        if not field["name"]:
            _find_nested(found, spelled, name, path, field["nested"]["fields"])
            continue
        inner, inner_path = f"{name}_{field['name']}", f"{path}.{field['name']}" if path else field["name"]
        _find_nested(found, spelled, inner, inner_path, field["nested"]["fields"])
        if not field["nested"]["tag"]:
            found.append((inner, spelled, inner_path, field))


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """The names that this provider gives its templates."""
    return {"c": CLayer(plan, module)}
