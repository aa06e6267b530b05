# SPDX-License-Identifier: Apache-2.0
"""What the type stubs say: which Python types each argument and member takes, and what functions and members give."""

from __future__ import annotations

import builtins
import re
import textwrap
from typing import Any

import attributes
import docstrings
import records
import units
from codes import RenderError
from functions import Function

# Number conversions whose C type is no integer.
REALS = frozenset({"float", "double"})
# Record members: kind -> (type of the value, types that can be assigned).
MEMBERS = {
    **dict.fromkeys("i8 u8 i16 u16 i32 u32 i64 u64".split(), ("int", "Number")),
    "f32": ("float", "Real"),
    "f64": ("float", "Real"),
    "bool": ("bool", "Number"),
    "address": ("int", "Address"),
    "kernel_parameters": ("int", "KernelParameters"),
    "pointer": ("int", "Integer"),
    "text_pointer": ("bytes | None", "bytes | Integer | None"),
}
CHARACTERS = ("bytes", "text")
WIDTH = 120
# Device addresses can be moved and ordered, and a stream speaks the stream protocol: handle_object.cpp says so too.
ARITHMETIC = (
    "def __add__(self, other: Integer, /) -> {name}: ...",
    "def __radd__(self, other: Integer, /) -> {name}: ...",
    "@overload",
    "def __sub__(self, other: {name}, /) -> int: ...",
    "@overload",
    "def __sub__(self, other: Integer, /) -> {name}: ...",
    "def __rsub__(self, other: {name}, /) -> int: ...",
    *(f"def __{order}__(self, other: {{name}}, /) -> bool: ..." for order in ("lt", "le", "gt", "ge")),
)
OWN_METHODS = {
    "CUdeviceptr": ARITHMETIC,
    "CUdeviceptr_v2": ARITHMETIC,
    "CUstream": ("def __cuda_stream__(self) -> tuple[int, int]: ...",),
}


# What attribute getters give, by the kind that attributes.toml states; the others have a class of their own.
ATTRIBUTES = {
    **dict.fromkeys(("int", "uint", "uint64", "address"), "int"),
    **dict.fromkeys(("bool", "bool32"), "bool"),
    "float": "float",
    "text": "bytes",
    "int_list": "list[int]",
}


class Types:
    """Spells the plan's types as one module's stub refers to them."""

    def __init__(self, plan: dict[str, Any], module: str) -> None:
        self.module = module
        self.handles = {handle["id"]: handle for handle in plan["handles"]}
        self.enums = {enum["id"]: enum for enum in plan["enums"]}
        self.records = {record["id"]: record for record in plan["records"]}
        self.callbacks = {callback["id"]: callback for callback in plan["callbacks"]}
        self.groups: dict[str, list[str]] = {}
        for enum in plan["enums"]:
            self.groups.setdefault(enum["group"], []).append(enum["id"])

    def name(self, entry: dict[str, Any]) -> str:
        """A class as this stub names it: those of another module through that module."""
        return entry["name"] if entry["module"] == self.module else f"_{entry['module']}.{entry['name']}"

    def derives(self, handle: str | None, base: str) -> bool:
        """Whether a handle class is another or derives from it."""
        while handle is not None:
            if handle == base:
                return True
            handle = self.handles[handle]["base"]
        return False

    def handle_classes(self, handle: str) -> list[str]:
        """The classes whose instances are taken for a handle; those that derive from one named go without saying."""
        taken: list[str] = [handle]
        for other in self.handles[handle]["accepts"]:
            if not any(self.derives(other, known) for known in taken):
                taken.append(other)
        return [self.name(self.handles[each]) for each in taken]

    def handle(self, handle: str) -> str:
        """What is taken for a handle."""
        entry = self.handles[handle]
        # A device address, or a number with a class of its own, may have been computed in floats.
        numbers = ["Integer"] if entry["kind"] in ("pointer", "function") else ["Integer", "float"]
        none = ["None"] if entry["none"] == "null" else []
        return " | ".join([*self.handle_classes(handle), *numbers, *none])

    def callback(self, callback: str) -> str:
        """What is taken for a callback: a function pointer, or a callable with what it is told."""
        entry = self.callbacks[callback]
        told = []
        for argument in entry["arguments"]:
            if argument["kind"] == "handle":
                told.append(self.name(self.handles[argument["type"]]))
            elif argument["kind"] == "enumeration":
                told.append(self.name(self.enums[argument["type"]]))
            elif argument["kind"] == "record":
                told.append(self.record(argument["type"]))
            else:
                told.append(argument["annotation"])  # Any, bytes or int
        pointer = self.handle(entry["id"]) if entry["named"] else "Address"
        result = "object" if entry["returns"] == "void" else "Integer"
        if entry["failed"]:  # nothing stands for 0 where a number means failure
            result += " | None"
        return f"{pointer} | Callable[[{', '.join(told)}], {result}]"

    def enumeration(self, enum: str) -> str:
        """What is taken for an enumerator: classes of one C type stand for each other."""
        others = [other for other in self.groups[self.enums[enum]["group"]] if other != enum]
        return " | ".join([*(self.name(self.enums[each]) for each in (enum, *others)), "Integer"])

    def record(self, record: str) -> str:
        """A record's class."""
        return self.name(self.records[record])

    def handle_list(self, handle: str, nullable: bool) -> str:
        """Lists are invariant: one of runtime twins is named beside that of the driver's handles."""
        names = self.handle_classes(handle)
        names += [self.name(other) for other in self.handles.values() if other["base"] == handle]
        return " | ".join([*(f"ListOf[{name}]" for name in names), *(["None"] if nullable else [])])

    # -- arguments ---------------------------------------------------------------------------------------------------

    def argument(self, function: str, argument: dict[str, Any]) -> str:
        """What an argument takes, by its conversion."""
        kind = argument["convert"]
        none = " | None" if argument["nullable"] and kind != "user_data" else ""
        if kind in ("number", "inout_number", "capacity", "jit_count"):
            return "Real" if argument["native"] in REALS else "Number"
        if kind == "handle":
            return self.handle(argument["type"])
        if kind == "callback":
            return self.callback(argument["type"])
        if kind in ("enumeration", "inout_enumeration"):
            return self.enumeration(argument["type"])
        if kind == "attribute":
            return self.enumeration(argument["table"])
        if kind == "record":
            return self.record(argument["type"]) + ("" if argument["by_value"] else none)
        if kind == "record_list":
            name = self.record(argument["type"])
            return (f"{name} | " if argument["single"] else "") + f"ListOf[{name}]" + none
        if kind == "handle_pointer":
            return " | ".join([*self.handle_classes(argument["type"]), "Integer", "None"])
        if kind == "inout_handle":
            return " | ".join([*self.handle_classes(argument["type"]), "None"])
        if kind == "handle_list":
            return self.handle_list(argument["type"], argument["nullable"])
        if kind in ("enumeration_list", "jit_keys", "attribute_list"):
            return f"Iterable[{self.enumeration(argument.get('type', argument.get('table')))}]" + none
        if kind in ("number_list", "attribute_sizes"):
            return "Iterable[Number]" + none
        plain = {
            "string": "Text", "string_list": "ListOf[bytes]", "address_list": "AddressList",
            "jit_values": "JitValues", "color": "Iterable[Real] | float", "out_buffer": "Buffer | NumPyArray",
            "attribute_set": "Any", "extra": "Integer", "user_data": "Any",
        }  # fmt: skip
        if kind in plain:
            return plain[kind] + none
        none_included = {"address": "Address", "kernel_parameters": "KernelParameters"}
        if kind in none_included:
            return none_included[kind]
        raise RenderError("E401", f"{function}: no type for conversion {kind!r}")

    # -- results -----------------------------------------------------------------------------------------------------

    def output(self, function: Function, output: dict[str, Any]) -> str:
        """What a call gives for an output when it succeeds."""
        kind = output["produce"]
        if kind in ("handle", "handle_array", "callee_handle_array"):
            name = self.name(self.handles[output["type"]])
            return name if kind == "handle" else f"list[{name}]"
        if kind in ("record", "record_array", "callee_record_array"):
            name = self.record(output["type"])
            return name if kind == "record" else f"list[{name}]"
        if kind == "enumeration":
            return self.name(self.enums[output["type"]])
        if kind == "inout":
            return self.changed(function, function.arguments[output["from_argument"]])
        plain = {
            "number": "int", "capacity_count": "int", "address": "int", "float": "float", "string": "bytes",
            "name_buffer": "bytes", "raw_bytes": "bytes", "number_array": "list[int]", "archs": "list[int]",
            "color": "tuple[float, float, float, float]", "attribute_value": "Any", "attribute_values": "list[Any]",
        }  # fmt: skip
        if kind not in plain:
            raise RenderError("E401", f"{function.name}: no type for result {kind!r}")
        return plain[kind]

    def changed(self, function: Function, argument: dict[str, Any]) -> str:
        """An in/out argument after the call."""
        kind = argument["convert"]
        if kind == "inout_number":
            return "int"
        if kind == "inout_enumeration":
            return self.name(self.enums[argument["type"]])
        if kind == "inout_handle":
            return self.name(self.handles[argument["type"]])
        raise RenderError("E401", f"{function.name}: no type for in/out conversion {kind!r}")

    def attribute(self, row: dict[str, Any]) -> str:
        """What a getter gives for the attribute that has this row."""
        kind = row["kind"]
        if kind in ATTRIBUTES:
            return ATTRIBUTES[kind]
        table = {"handle": self.handles, "number_object": self.handles, "record": self.records,
                 "enumeration": self.enums}.get(kind)
        if table is None:
            raise RenderError("E401", f"no type for the value of an attribute of kind {kind!r}")
        return self.name(table[row["type"]])

    # -- record members ----------------------------------------------------------------------------------------------

    def member(self, record: dict[str, Any], field: dict[str, Any]) -> tuple[str, str]:
        """The type of a member's value, and what can be assigned."""
        kind = field["kind"]
        if kind in CHARACTERS:
            return "bytes", "Iterable[Number]"
        if kind == "record_list":
            name = self.record(field["type"])
            return f"list[{name}]", f"ListOf[{name}] | None"
        if kind == "handle_list":
            name = self.name(self.handles[field["type"]])
            return f"list[{name}]", f"{self.handle_list(field['type'], False)} | ListOf[int] | None"
        got, taken = self.one(record, field)
        return (f"list[{got}]", f"Iterable[{taken}]") if field["count"] else (got, taken)

    def one(self, record: dict[str, Any], field: dict[str, Any]) -> tuple[str, str]:
        """The same of a member that is no array, or of an array's element."""
        kind = field["kind"]
        if kind == "enumeration":
            return self.name(self.enums[field["type"]]), self.enumeration(field["type"])
        if kind == "handle":
            return self.name(self.handles[field["type"]]), self.handle(field["type"])
        if kind == "callback":
            return self.name(self.handles[field["type"]]), self.callback(field["type"])
        if any(other["kind"] == "callback" and other["count_field"] == field["name"] for other in record["fields"]):
            return "Any", "Any"  # a callable's own object
        if kind == "record":
            return (self.record(field["type"]),) * 2
        if kind == "handle_view":
            names = self.handle_classes(field["type"])
            return names[0], " | ".join([*names, "Integer", "Buffer", "NumPyArray", "None"])
        if kind not in MEMBERS:
            raise RenderError("E401", f"{record['name']}.{field['name']}: no type for a member of kind {kind!r}")
        return MEMBERS[kind]


def statement(head: str, parts: list[str], tail: str, brackets: str = "()") -> str:
    """`head(parts)tail` on one line or, where that is too long, with a line for each part."""
    line = f"{head}{brackets[0]}{', '.join(parts)}{brackets[1]}{tail}"
    if len(line.split("\n")[0]) <= WIDTH:
        return line
    parts = [part if len(part) <= WIDTH - 5 else part.replace(" | Callable", "\n    | Callable") for part in parts]
    lines = "".join(f"    {part},\n" for part in parts)
    return f"{head}{brackets[0]}\n{lines}{brackets[1]}{tail}"


def documented(lines: list[str], indent: str) -> str:
    """A docstring of these lines."""
    broken = [part for line in lines for part in textwrap.wrap(line, 110, subsequent_indent="    ",
                                                               break_long_words=False, break_on_hyphens=False)]
    end = '"""' if len(broken) == 1 else f'\n{indent}"""'
    return f'{indent}"""' + f"\n{indent}".join(broken) + end


class Stub:
    """The lines of one module's stub."""

    def __init__(self, plan: dict[str, Any], module: str) -> None:
        self.types = Types(plan, module)
        self.units = units.stated(plan, units.load())
        self.tables = attributes.load()
        self.functions = [Function(plan, f) for f in plan["functions"] if f["module"] == module]

    def parameters(self, function: Function) -> list[str]:
        """Name, type and default of each parameter."""
        return [
            f"{argument['python']}: {self.types.argument(function.name, argument)}"
            + ("" if default is None else f" = {default}")
            for argument, default in zip(function.arguments, function.defaults(), strict=True)
        ]

    def result(self, function: Function, value: str | None = None) -> str:
        """What a function returns: the status, then its outputs as they are after a success.

        `value` is the type of the attribute's value, in one of the forms of a getter.
        """
        if function.plan["result"] == "record":
            outputs = [self.types.record(function.plan["result_type"])]
        elif function.plan["result"] == "string":
            outputs = ["bytes"]
        else:
            outputs = [
                value if value is not None and output["produce"] == "attribute_value"
                else self.types.output(function, output)
                for output in function.outputs
            ]
        return outputs[0] if function.plan["bare"] else f"tuple[{', '.join([function.status, *outputs])}]"

    def function(self, function: Function) -> str:
        """A function's declaration; of one with an older form, both; of an attribute getter, one for each type."""
        doc = documented(docstrings.lines(function, self.units), "    ")
        forms = self.forms(function)
        if len(forms) == 1:
            return statement(f"def {function.name}", forms[0][0], f" -> {forms[0][1]}:\n{doc}")
        *texts, last = [
            "@overload\n" + statement(f"def {function.name}", parameters, f" -> {result}:")
            for parameters, result in forms
        ]
        return "\n".join([*(f"{text} ..." for text in texts), f"{last}\n{doc}"])

    def forms(self, function: Function) -> list[tuple[list[str], str]]:
        """The forms in which a function can be called: parameters and result."""
        parameters, result = self.parameters(function), self.result(function)
        getter = next((o for o in function.outputs if o["produce"] == "attribute_value"), None)
        if getter is not None:
            at = getter["attribute"]
            name = function.arguments[at]["python"]
            typed = [
                ([*parameters[:at], f"{name}: {alias}", *parameters[at + 1 :]], self.result(function, value))
                for value, alias, _ in self.attribute_types(getter["table"])
            ]
            return [*typed, (parameters, result)]
        if function.plan["overload"] is None:
            return [(parameters, result)]
        # The older form is told by its number of arguments: they stand under the names of the newer one's first.
        newer = [*parameters[:-1], parameters[-1].removesuffix(" = ...")]
        older = self.parameters(next(f for f in self.functions if f.name == function.plan["overload"]))
        names = [argument["python"] for argument in function.arguments]
        types = [parameter.partition(": ")[2] for parameter in older]
        older = [f"{name}: {text}" for name, text in zip(names, types, strict=False)]
        return [(newer, result), ([*older, f"{names[-1]}: EllipsisType = ..."], result)]

    def attribute_types(self, table: str) -> list[tuple[str, str, list[str]]]:
        """The attributes of an enumeration by the type of their values: (type, the name for them, the attributes)."""
        enum = self.types.enums[table]
        known = {name for name, _ in enum["values"]}
        by_type: dict[str, list[str]] = {}
        for name, row in self.tables[table].items():
            if "excluded" not in row and name in known:
                by_type.setdefault(self.types.attribute(row), []).append(f"{enum['name']}.{name}")
        return [
            (value, f"_{enum['name']}_{re.sub(r'[^A-Za-z0-9]+', '_', value).strip('_')}", names)
            for value, names in by_type.items()
        ]

    def attribute_aliases(self) -> list[str]:
        """The names for the attributes of each type, which the getters' forms use."""
        tables = dict.fromkeys(
            o["table"] for function in self.functions for o in function.outputs if o["produce"] == "attribute_value"
        )
        return [
            statement(f"{alias}: TypeAlias = Literal", names, "", "[]")
            for table in tables
            for _, alias, names in self.attribute_types(table)
        ]

    def handle(self, handle: dict[str, Any]) -> str:
        """A handle class: what it derives from, and what only it can do."""
        name, base = handle["name"], handle["base"]
        if base is not None:
            parent = self.types.name(self.types.handles[base])
        else:
            parent = "_Handle" if handle["kind"] in ("pointer", "function") else "_Number"
        own = [line.format(name=name) for line in OWN_METHODS.get(handle["id"], ())]
        body = "".join(f"\n    {line}" for line in own)
        head = "" if base is not None else "@disjoint_base\n"
        doc = f'    """The C type {name} holding `init_value`, or the one stored at address `_ptr`."""'
        return f"{head}class {name}({parent}):\n{doc}{body}"

    def record_doc(self, record: dict[str, Any]) -> str:
        """A record's docstring."""
        what = "union" if record["union"] else "struct"
        return documented([f"The C {what} {record['name']} of {record['size']} bytes."], "    ")

    def shadowed(self, record: dict[str, Any], text: str) -> str:
        """A type inside a class whose members hide a builtin of that name."""
        hidden = {field["name"] for field in record["fields"] if hasattr(builtins, field["name"])}
        return f"_{text}" if text in hidden else text

    def member(self, record: dict[str, Any], field: dict[str, Any]) -> list[str]:
        """A member as a property."""
        got, taken = self.types.member(record, field)
        name = field["name"]
        doc = records.member_doc(self.types.records, field)
        lines = ["@property", f"def {name}(self) -> {self.shadowed(record, got)}:", f'    """{doc}"""']
        if not field["readonly"]:
            lines += [f"@{name}.setter", f"def {name}(self, value: {taken}) -> None: ..."]
        return lines


# What a stub may import, in isort's order: (module, name). Some names begin a section.
SECTIONS = ("collections.abc", "typing_extensions", "cuda_bindings")
IMPORTS = (
    *(("collections.abc", name) for name in ("Callable", "Iterable")),
    ("enum", "IntEnum"),
    ("types", "EllipsisType"),
    *(("typing", name) for name in ("Any", "Final", "Literal", "TypeAlias", "overload")),
    ("typing_extensions", "disjoint_base"),
    *(("cuda_bindings", f"{name} as _{name}") for name in ("driver", "runtime")),
    *(("cuda_bindings._native", name) for name in ("_Handle", "_Number", "_Record")),
    *(
        ("cuda_bindings.typing", name)
        for name in (
            "Address", "AddressList", "Buffer", "Integer", "JitValues", "KernelParameters", "ListOf", "Number",
            "NumPyArray", "Real", "Text",
        )
    ),
)  # fmt: skip


def imports(body: str) -> str:
    """The import lines for what a stub's text uses."""
    words = set(re.findall(r"[A-Za-z_]\w*", body))
    sections: list[list[str]] = []
    for module in dict.fromkeys(module for module, _ in IMPORTS):
        if module in SECTIONS:
            sections.append([])
        names = [name for of, name in IMPORTS if of == module and name.split()[-1] in words]
        if names:
            line = f"from {module} import {', '.join(names)}"
            if module == "cuda_bindings._native":
                line += "  # pyright: ignore[reportPrivateUsage]"
            wide = [f"from {module} import (", *(f"    {name}," for name in names), ")"]
            sections[-1] += [line] if len(line) <= WIDTH else wide
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """What stub.pyi.j2 gets beside the plan."""
    if module is None:
        raise RenderError("E404", "stub.pyi.j2 is one module's")
    return {"stub": Stub(plan, module), "imports": imports}
