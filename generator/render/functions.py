# SPDX-License-Identifier: Apache-2.0
"""What the function templates need beside the plan: local names, C types in Cython's words, order of conversions."""

from __future__ import annotations

import keyword
import re
from typing import Any

import docstrings
import units
from codes import RenderError

STATUS_LIBRARY = {"driver": "LIBRARY_DRIVER", "runtime": "LIBRARY_RUNTIME", "nvrtc": "LIBRARY_NVRTC"}
# Words that no local variable of generated Cython may have.
TAKEN = frozenset(keyword.kwlist) | {
    "status", "cdef", "cpdef", "cimport", "ctypedef", "nogil", "gil", "include", "extern", "object", "bint", "sizeof",
    "list", "tuple", "bytes", "bool", "int", "float", "size_t", "NULL", "by", "struct", "union", "enum", "print",
    "public",
}  # fmt: skip
# C types that Cython knows by itself.
PLAIN = frozenset(
    "void char short int long unsigned signed float double size_t const "
    "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t bool".split()
)
# number conversions: the C type behind the name of each as_* function
NATIVES = {
    "int": "int",
    "uint": "unsigned int",
    "short": "short",
    "ushort": "unsigned short",
    "char": "char",
    "uchar": "unsigned char",
    "size": "size_t",
    "long": "long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "float": "float",
    "double": "double",
}
# Conversions that need the C value of another argument (a byte length, a count) and so come after the others.
LATER = {
    "address": ("bytes",),
    "handle_list": ("count",),
    "handle_pointer": ("count",),
    "record_list": ("count",),
    "enumeration_list": ("count",),
    "number_list": ("count", "rank"),
    "string_list": ("count",),
    "address_list": ("count",),
    "out_buffer": ("size", "size_query"),
    "attribute_set": ("attribute",),
    "attribute_list": (),
    "jit_keys": (),
}


def cython_type(c_type: str) -> str:
    """A C type as Cython spells it: without struct/enum/union, callbacks written inline marked noexcept."""
    text = re.sub(r"\b(struct|enum|union) ", "", c_type)
    text = re.sub(r"\s*\*", "*", text)
    text = text.replace("const char*const*", "const char* const*")
    if "(*)" in text:
        text += " noexcept"
    return text


def pointee(c_type: str) -> str:
    """What an output parameter's type points to, in Cython's spelling: `CUdeviceptr *` gives `CUdeviceptr`."""
    text = cython_type(c_type)
    if not text.endswith("*"):
        raise RenderError("E401", f"output parameter of type {c_type!r} is no pointer")
    return text[:-1].rstrip()


def element(c_type: str) -> str:
    """The element type of an array parameter, without const: `const CUgraphNode *` gives `CUgraphNode`."""
    text = pointee(c_type)
    return text.removeprefix("const ") if not text.endswith("*") else text


def names_in(c_type: str) -> list[str]:
    """The type names in a C type that Cython must be told about."""
    return [name for name in re.findall(r"[A-Za-z_]\w*", cython_type(c_type)) if name not in PLAIN | {"noexcept"}]


def parameter_text(c_type: str) -> str:
    """A parameter of a slot's declaration."""
    text = cython_type(c_type)
    return text


def trim_lines(text: str, width: int = 140) -> str:
    """Statements without blank lines between them; those longer than `width` are continued after a comma.

    Where a template breaks a statement is the template's business alone: a line that ends in a comma is joined first.
    """
    lines: list[str] = []
    for line in re.sub(r",\n\s*", ", ", text).split("\n"):
        if line.strip():
            margin = " " * (indent_of(line) + 8)
            while len(line) > width:
                at = break_at(line, width)
                lines.append(line[:at])
                line = margin + line[at + 1 :]
            lines.append(line)
    return "\n".join(lines) + "\n"


def break_at(line: str, width: int) -> int:
    """Behind which comma a long line is broken: the last that fits among those in the fewest parentheses."""
    depth, best, best_depth = 0, 0, 99
    for at, character in enumerate(line[:width]):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and line[at + 1 : at + 2] == " " and depth <= best_depth:
            best, best_depth = at + 1, depth
    return best or line.index(", ") + 1


def indent_of(line: str) -> int:
    """How many spaces a line starts with."""
    return len(line) - len(line.lstrip(" "))


class Function:
    """A function of the plan with the names that its generated text uses."""

    def __init__(self, plan: dict[str, Any], function: dict[str, Any]) -> None:
        self.plan = function
        self.name: str = function["name"]
        self.link: str = function["link"]
        self.library = STATUS_LIBRARY[function["module"]]
        self.status: str = plan["libraries"][function["module"]]["status"]
        self.success: str = plan["libraries"][function["module"]]["success"]
        self.table: str = function["module"] + "_table"
        self.handles = {handle["id"]: handle for handle in plan["handles"]}
        self.records = {record["id"]: record for record in plan["records"]}
        self.arguments: list[dict[str, Any]] = function["arguments"]
        self.outputs: list[dict[str, Any]] = function["outputs"]
        self.callbacks: list[dict[str, Any]] = function["callbacks"]
        self.call: list[dict[str, Any]] = function["call"]
        self.positions = {argument["python"]: index for index, argument in enumerate(self.arguments)}
        self.output_parameters: dict[int, dict[str, Any]] = {}
        for parameter, feed in zip(function["params"], self.call, strict=True):
            if feed["feed"] == "output":
                self.output_parameters[feed["index"]] = {"name": parameter["name"], "c_type": feed["c_type"]}

    def local(self, index: int) -> str:
        """The C variable that holds argument `index`."""
        argument = self.arguments[index]
        owner = argument["python_options"] if argument["convert"] == "jit_values" else argument["python"]
        return "c_" + owner.rstrip("_")

    def local_of(self, python: str) -> str:
        """The C variable that holds the argument of that Python name."""
        if python not in self.positions:
            raise RenderError("E401", f"{self.name}: no argument {python!r}")
        return self.local(self.positions[python])

    def output(self, index: int) -> str:
        """The C variable (or object) that receives output `index`: the C parameter's name, changed if taken."""
        if index not in self.output_parameters:
            return f"output_{index}"
        name = self.output_parameters[index]["name"]
        return name + "_" if name in TAKEN or name in self.positions else name

    def output_type(self, index: int) -> str:
        """The C type of output `index`'s variable; behind a plain `void *` it is what the plan says it receives."""
        target = pointee(self.output_parameters[index]["c_type"])
        if target != "void":
            return target
        output = self.outputs[index]
        return "void*" if output["produce"] == "address" else NATIVES[output["native"]]

    def output_element(self, index: int) -> str:
        """The element type of output `index`, an array."""
        return element(self.output_parameters[index]["c_type"])

    def ordered(self) -> list[int]:
        """Argument indexes in the order of conversion: first what needs no other argument."""
        def later(index: int) -> bool:
            argument = self.arguments[index]
            if argument["convert"] in ("attribute_list", "attribute_sizes", "jit_keys", "jit_values"):
                return True
            return any(argument.get(key) is not None for key in LATER.get(argument["convert"], ()))

        indexes = range(len(self.arguments))
        return [index for index in indexes if not later(index)] + [index for index in indexes if later(index)]

    def handle_zero(self, handle: str) -> str:
        """The empty value of a handle class's C type."""
        return "NULL" if self.handles[handle]["kind"] in ("pointer", "function") else "0"

    def argument_feed(self, index: int) -> dict[str, Any]:
        """The place of argument `index` in the C call."""
        for feed in self.call:
            if feed["feed"] in ("argument", "part") and feed["index"] == index:
                return feed
        raise RenderError("E401", f"{self.name}: the call takes no argument {self.arguments[index]['python']!r}")

    def argument_type(self, index: int) -> str:
        """The C type that the call gives argument `index`."""
        return cython_type(self.argument_feed(index)["c_type"])

    def pointed(self, index: int) -> str:
        """The C type that in/out argument `index` points to."""
        return pointee(self.argument_feed(index)["c_type"])

    def record_pointer(self, index: int) -> str:
        """The pointer type of a record argument, also where the call takes the record by value."""
        return self.argument_type(index) + ("*" if self.arguments[index]["by_value"] else "")

    def cast(self, feed: dict[str, Any]) -> str:
        """The cast that memory of type void* needs to be this parameter."""
        spelled = cython_type(feed["c_type"])
        return "" if spelled in ("void*", "const void*") else f"<{spelled}>"

    def size_local(self, python: str) -> str:
        """The C value of a number argument as a size."""
        native = self.arguments[self.positions[python]].get("native")
        name = self.local_of(python)
        return name if native == "size" else f"<size_t>{name}"

    def byte_length(self, argument: dict[str, Any]) -> str:
        """How many bytes an address argument must offer."""
        return "SIZE_MAX" if argument["bytes"] is None else self.size_local(argument["bytes"])

    def needed(self, argument: dict[str, Any]) -> str:
        """How many bytes the caller's buffer must have."""
        if argument["size_query"] is not None:
            return "needed"
        return "0" if argument["size"] is None else self.size_local(argument["size"])

    def query_arguments(self, argument: dict[str, Any]) -> str:
        """What the size query of a buffer is given: every argument that stands before the buffer."""
        return ", ".join(self.local(index) for index in range(self.positions[argument["python"]]))

    def count(self, argument: dict[str, Any]) -> str:
        """Whether a list must have at least so many elements, and how many."""
        # A list that may be missing is NULL for None, whatever the count says: edge data, a tensor map's arrays.
        given = f"{argument['python']} is not None"
        counted = argument["check_count"] and argument["count"] is not None
        if argument.get("rank"):
            rank, fewer = self.size_local(argument["rank"]), argument["fewer"]
            return f"{given}, " + (f"fewer({rank}, {fewer})" if fewer else rank)
        if not counted:
            return "False, 0"
        return f"{given if argument.get('optional') else 'True'}, {self.size_local(argument['count'])}"

    def number_rest(self, argument: dict[str, Any]) -> str:
        """The part of NumberList::read that tells element class, nullability, count and limit."""
        handle = "-1" if argument["handle_type"] is None else f"HANDLE_{argument['handle_type']}"
        return f"{handle}, {argument['nullable']}, {self.count(argument)}, {argument['max_length'] or 0}"

    def room(self, output: dict[str, Any]) -> str:
        """How many elements an array output has: the value of an argument."""
        capacity, length = output.get("capacity_from"), output.get("length")
        index = length if capacity is None else capacity
        argument = self.arguments[index]
        if argument["convert"] not in ("number", "inout_number", "capacity"):
            return f"{self.local(index)}.size"
        name = self.local(index)
        if argument.get("native") == "int":  # a negative length is the library's to refuse
            return f"<size_t>max({name}, 0)"
        return name if argument.get("native") == "size" else f"<size_t>{name}"

    def attribute_room(self, output: dict[str, Any]) -> str:
        """The byte size that an attribute getter is given, 0 where the attribute alone decides."""
        return "0" if output["size"] is None else self.size_local(self.arguments[output["size"]]["python"])

    def attributes_argument(self) -> str:
        """The Python name of a plural getter's list of attributes."""
        return next(a["python"] for a in self.arguments if a["convert"] == "attribute_list")

    def sizes_argument(self) -> str | None:
        """The Python name of a plural getter's list of sizes, where it has one."""
        return next((a["python"] for a in self.arguments if a["convert"] == "attribute_sizes"), None)

    def jit_keys(self) -> list[int]:
        """The composites of JIT options, each by the index of its keys."""
        return [index for index, a in enumerate(self.arguments) if a["convert"] == "jit_keys"]

    def link_states(self) -> list[int]:
        """The arguments whose kept options the driver may have written into during the call."""
        return [index for index, a in enumerate(self.arguments) if a.get("type") == "CUlinkState"]

    def keeper(self) -> int | None:
        """The output on which JIT options must live on (a link state writes into them until it completes), or None."""
        if not self.jit_keys():
            return None
        return next((i for i, o in enumerate(self.outputs) if o.get("type") == "CUlinkState"), None)

    def defaults(self) -> list[str | None]:
        """The arguments' defaults; of a function with an older, shorter form the last argument may be left out."""
        defaults = [argument["default"] for argument in self.arguments]
        return [*defaults[:-1], "..."] if self.plan["overload"] is not None else defaults

    def parameters(self) -> str:
        """The names of the parameters."""
        return ", ".join(argument["python"] for argument in self.arguments)

    def head(self, annotated: bool = False) -> str:
        """The parameter list with its defaults, as signatures have it, or also with the annotations of the stub."""
        return ", ".join(
            a["python"]
            + (f": {a['annotation']}" if annotated else "")
            + ("" if default is None else f" = {default}" if annotated else f"={default}")
            for a, default in zip(self.arguments, self.defaults(), strict=True)
        )

    def signature(self) -> str:
        """What the docstring says of the types."""
        results = [o["annotation"] for o in self.outputs]
        if self.plan["result"] == "string":
            results = ["bytes"]
        elif self.plan["result"] == "record":
            results = [self.records[self.plan["result_type"]]["name"]]
        result = results[0] if self.plan["bare"] else f"tuple[{', '.join([self.status, *results])}]"
        return f"{self.name}({self.head(annotated=True)}) -> {result}"

    @property
    def returned(self) -> str:
        """The C type that the function returns, in Cython's spelling."""
        return cython_type(self.plan["returns"])

    def record_name(self) -> str:
        """The local name of a bare record: its class's without `cuda`."""
        name = self.plan["result_type"].removeprefix("cuda")
        return name[:1].lower() + name[1:]

    def record_fields(self) -> list[str]:
        """The fields that the arguments of make_cuda* fill, in the same order."""
        fields = [field["name"] for field in self.records[self.plan["result_type"]]["fields"]]
        if len(fields) != len(self.arguments):
            raise RenderError("E401", f"{self.name}: {len(self.arguments)} arguments for fields {fields}")
        return fields

    def stored(self, index: int) -> str:
        """What a field is set to: the number that was read; memory as the object, which the record keeps alive."""
        argument = self.arguments[index]
        return self.local(index) if argument["convert"] == "number" else argument["python"]

    def pointer(self) -> str:
        """The function's slot as a member of the table's struct."""
        parameters = ", ".join(parameter_text(p["c_type"]) for p in self.plan["params"])
        return f"{cython_type(self.plan['returns'])} (*{self.link})({parameters}) noexcept nogil"


def type_declarations(plan: dict[str, Any], functions: list[dict[str, Any]]) -> list[str]:
    """One Cython line for each C type that the prototypes of these functions name.

    Cython only has to know a type's class (number, pointer, struct); the C compiler reads the real one from our header.
    """
    # A tag and a typedef may share a name (`struct dim3` and `dim3`): the tag says what it is.
    known = {entry["name"]: entry for entry in sorted(plan["types"], key=lambda entry: entry["kind"] != "typedef")}
    known |= {entry["tag"]: entry for entry in plan["types"] if entry.get("tag") and entry["tag"] not in known}
    used: set[str] = set()
    for function in functions:
        for text in (function["returns"], *(parameter["c_type"] for parameter in function["params"])):
            used.update(names_in(text))
    return [declaration(known, name, name) for name in sorted(used)]


def declaration(known: dict[str, dict[str, Any]], name: str, spelled: str) -> str:
    """The Cython line that declares `name`, whose meaning is that of `spelled`."""
    plain = cython_type(spelled)
    if all(word in PLAIN for word in re.findall(r"\w+", plain)):
        return f"ctypedef {plain} {name}"
    if plain.endswith("*") or "(" in plain:
        return f"ctypedef void* {name}"
    if plain not in known:
        raise RenderError("E401", f"type {name}: the plan's types do not have {plain!r}")
    entry = known[plain]
    kind = entry["kind"]
    if kind == "typedef":
        return declaration(known, name, entry["type"])
    if kind == "enum":
        return f"ctypedef int {name}"
    if kind == "handle":
        return f"ctypedef {'const ' if entry.get('const') else ''}void* {name}"
    if kind == "callback":
        return f"ctypedef void* {name}"
    if kind in ("record", "forward"):
        return f"ctypedef struct {name}: pass"
    raise RenderError("E401", f"type {name}: kind {kind!r}")


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """The names that functions.pyx.j2 and function_table.pxd.j2 use."""
    functions = [function for function in plan["functions"] if function["module"] == module]
    stated = units.stated(plan, units.load())
    return {
        "documentation": lambda function: docstrings.lines(function, stated),
        "functions": [Function(plan, function) for function in functions],
        "type_declarations": lambda: type_declarations(plan, [f for f in functions if not f["inline"]]),
        "natives": NATIVES,
        "library": STATUS_LIBRARY[module],
        "optional": ("documentation", "type_declarations", "natives", "library"),
    }

