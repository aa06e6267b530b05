# SPDX-License-Identifier: Apache-2.0
"""What the C++ header's function template needs beside the plan: parameters, locals, the C call, the tuple returned.

The plan says what every C parameter is; here stands how C++ passes it. Lengths that a span carries are no parameters.

E610  a kind of argument or output that the C++ header does not know
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import c_layer
from codes import RenderError
from cpp_types import CppTypes
from functions import NATIVES

INVALID = {
    "driver": "CUDA_ERROR_INVALID_VALUE",
    "runtime": "cudaErrorInvalidValue",
    "nvrtc": "NVRTC_ERROR_INVALID_INPUT",
}
# Words that no parameter may be called by: C++ has them, or generated bodies do.
TAKEN = frozenset(
    "new delete template operator export class this typename namespace private public protected friend explicit status "
    "asked needed text record whole default register struct union inline using auto not and or xor".split()
)
# Arguments by value whose C type is the parameter's, and those that are passed by value and answered.
VALUES = frozenset({"number", "enumeration", "handle", "attribute"})
ANSWERED = frozenset({"inout_number", "inout_handle", "inout_enumeration"})
LISTS = frozenset({"record_list", "handle_list", "number_list", "enumeration_list", "jit_keys", "attribute_list"})
ADDRESSES = {"address_list": "void *const", "jit_values": "void *", "attribute_sizes": "size_t"}
ARRAYS = frozenset({"handle_array", "record_array", "number_array"})


@dataclass
class Written:
    """One inline function being put together."""

    parameters: list[tuple[str, str]] = field(default_factory=list)  # (type, name)
    signature: list[str] = field(default_factory=list)  # C's parameter types, with handle classes
    passed: list[str] = field(default_factory=list)
    locals: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)  # conditions under which the call is not made
    outputs: dict[int, tuple[str, str]] = field(default_factory=dict)  # output index -> (type, expression)


class CppFunction:
    """A function of the plan as an inline function of C++."""

    def __init__(self, types: CppTypes, plan: dict[str, Any], function: dict[str, Any]) -> None:
        self.types = types
        self.plan = function
        self.name: str = function["name"]
        self.link: str = function["link"]
        self.ptds: str | None = function["ptds"]
        self.status: str = plan["libraries"][function["module"]]["status"]
        self.success: str = plan["libraries"][function["module"]]["success"]
        self.missing: str = plan["libraries"][function["module"]]["missing"]
        self.invalid = INVALID[function["module"]]
        self.arguments: list[dict[str, Any]] = function["arguments"]
        self.produced: list[dict[str, Any]] = function["outputs"]
        self.names = [self._name(parameter, index) for index, parameter in enumerate(function["params"])]
        self.places = {  # (feed, index) -> position in C's list
            (feed["feed"], feed["index"]): position for position, feed in enumerate(function["call"])
        }
        self.counted = self._find_counted()
        self.written = Written()
        if not function["inline"]:
            self._write()

    @staticmethod
    def _name(parameter: dict[str, Any], index: int) -> str:
        name = parameter["name"] or f"argument_{index}"
        return name + "_" if name in TAKEN else name

    # ---- which spans carry which length

    def _find_counted(self) -> dict[int, list[tuple[int, bool]]]:
        """Argument index of each length -> positions of the spans that carry it, and whether each may be left empty."""
        by_python = {argument["python"]: index for index, argument in enumerate(self.arguments)}
        found: dict[int, list[tuple[int, bool]]] = {}

        def note(length: int | None, position: int, optional: bool = False) -> None:
            if length is not None:
                found.setdefault(length, []).append((position, optional))

        for position, (feed, parameter) in enumerate(zip(self.plan["call"], self.plan["params"], strict=True)):
            if feed["feed"] == "argument":
                argument = self.arguments[feed["index"]]
                length = argument.get("count") or argument.get("bytes") or argument.get("size")
                if argument["convert"] in ("jit_keys", "jit_values"):
                    length = argument["python_count"]
                elif argument["convert"] == "handle_pointer":
                    length = parameter["length_from"]
                note(by_python.get(length), position, argument.get("optional", False))
            elif feed["feed"] == "output":
                output = self.produced[feed["index"]]
                if output["produce"] in ARRAYS or output["produce"] == "name_buffer":
                    capacity = output.get("capacity_from")
                    note(output.get("length") if capacity is None else capacity, position, capacity is not None)
                elif output["produce"] == "attribute_value":
                    note(output["size"], position)
                elif output["produce"] == "attribute_values":
                    note(output["count"], position)
        return {length: users for length, users in found.items() if not self._shared_by_addresses(users)}

    def _shared_by_addresses(self, users: list[tuple[int, bool]]) -> bool:
        """Two addresses of one size: which of them is memory of the host depends on other arguments."""
        kinds = [self._convert_at(position) for position, _ in users]
        return len(kinds) > 1 and all(kind == "address" for kind in kinds)

    def _convert_at(self, position: int) -> str:
        feed = self.plan["call"][position]
        return self.arguments[feed["index"]]["convert"] if feed["feed"] == "argument" else ""

    def _carries_length(self, position: int) -> bool:
        return any(position == user for users in self.counted.values() for user, _ in users)

    # ---- the text of each C parameter

    def _write(self) -> None:
        for position, feed in enumerate(self.plan["call"]):
            self.written.signature.append(self._signature_type(feed["c_type"]))
            if feed["feed"] == "argument":
                self._argument(position, feed["index"])
            elif feed["feed"] == "output":
                self._output(position, feed["index"])
            else:  # the size beside a value of any type
                self._size_pointer(position, feed)
        for index, output in enumerate(self.produced):
            if output["produce"] == "inout":
                position = self.places["argument", output["from_argument"]]
                self.written.outputs[index] = (self._pointee(position), self.names[position])
        self._order_counts()

    def _signature_type(self, c_type: str) -> str:
        text = re.sub(r"\*const$", "*", c_layer.plain(c_type))  # a parameter's own const is its function's affair
        # The runtime spells one handle by its tag.
        return text.replace("cudaGraphicsResource **", "cudaGraphicsResource_t *")

    def _pointee(self, position: int) -> str:
        return self.written.signature[position].removesuffix("*").rstrip()

    def _element(self, position: int) -> str:
        return self._pointee(position).removeprefix("const ")

    def _take(self, c_type: str, position: int) -> None:
        self.written.parameters.append((c_type, self.names[position]))

    def _span(self, element: str, position: int, optional: bool = False) -> None:
        """A list that is read, under a prototype that may lack the const."""
        name = self.names[position]
        self._take(f"std::span<const {element}>", position)
        data = f"detail::data_or_null({name})" if optional else f"{name}.data()"
        const = self.written.signature[position].startswith("const ")
        self.written.passed.append(data if const else f"detail::without_const({data})")

    def _argument(self, position: int, index: int) -> None:
        argument = self.arguments[index]
        convert = argument["convert"]
        name = self.names[position]
        c_type = self.written.signature[position]
        put = self.written.passed.append
        if index in self.counted:
            put(f"&{name}" if convert in ANSWERED else name)  # _order_counts declares it
        elif convert in VALUES or convert == "jit_count":
            self._take(c_type, position)
            put(name)
        elif convert in ANSWERED:
            self._take(self._pointee(position), position)
            put(f"&{name}")
        elif convert == "record":
            self._record(position, argument["by_value"])
        elif convert == "string":
            self._take("ZStringView", position)
            put(f"{name}.c_str()")
        elif convert in LISTS:
            self._span(self._element(position), position, argument.get("optional", False) or bool(argument.get("rank")))
            self._check_rank(position, argument)
        elif convert == "handle_pointer" and self._carries_length(position):
            self._span(self._element(position), position)
        elif convert == "string_list":
            self._take("std::span<const char *const>", position)
            put(f"{name}.data()")
        elif convert in ADDRESSES:
            self._addresses(position, ADDRESSES[convert])
        elif convert == "address":
            self._address(position)
        elif convert == "attribute_set":
            self._attribute_set(position, index)
        elif convert == "out_buffer":
            self._take("std::span<char>", position)
            put(f"{name}.data()")
            self._check_size(position, argument["size_query"])
        elif convert == "color":
            self._take("std::span<const float, 4>", position)
            put(f"detail::without_const({name}.data())")
        elif convert in ("kernel_parameters", "extra", "handle_pointer", "callback", "user_data"):
            self._take(c_type, position)
            put(name)
        else:
            raise RenderError("E610", f"{self.name}.{name}: argument kind {convert!r}")

    def _record(self, position: int, by_value: bool) -> None:
        name = self.names[position]
        if by_value:
            self._take(self.written.signature[position], position)
            self.written.passed.append(name)
            return
        self._take(f"Record<{self._pointee(position)}>", position)
        self.written.passed.append(f"{name}.get()")

    def _check_rank(self, position: int, argument: dict[str, Any]) -> None:
        """A list that must have at least as many elements as another argument says, or so many fewer."""
        if argument.get("rank"):
            name = self.names[position]
            rank = next(i for i, other in enumerate(self.arguments) if other["python"] == argument["rank"])
            needed = self.names[self.places["argument", rank]]
            more = f" + {argument['fewer']}" if argument["fewer"] else ""
            self.written.checks.append(f"(!{name}.empty() && {name}.size(){more} < {needed})")

    def _addresses(self, position: int, element: str) -> None:
        c_type = self.written.signature[position]
        if element.endswith("const"):
            self._take(f"std::span<{'const ' if c_type.startswith('const') else ''}{element}>", position)
        else:
            self._take(f"std::span<{element}>", position)
        data = f"{self.names[position]}.data()"
        lacks_const = element.endswith("const") and c_type == "void **"
        self.written.passed.append(f"const_cast<void **>({data})" if lacks_const else data)

    def _address(self, position: int) -> None:
        name = self.names[position]
        c_type = self.written.signature[position]
        if not self._carries_length(position):
            self._take(c_type, position)
            self.written.passed.append(name)
            return
        access = self.arguments[self.plan["call"][position]["index"]]["access"]
        key = f"{self.name}.{self.plan['params'][position]['name']}"
        written = access == "write" or key in self.types.data["written"]["names"]
        self._take("WriteBytes" if written else "ReadBytes", position)
        const = c_type.startswith("const ") or written
        self.written.passed.append(f"{name}.data()" if const else f"detail::without_const({name}.data())")

    def _attribute_set(self, position: int, index: int) -> None:
        name = self.names[position]
        if ("part", index) in self.places:  # its size stands beside it
            self._take("ReadBytes", position)
            self.written.passed.append(f"detail::without_const({name}.data())")
            return
        self._take("const void *", position)
        const = self.written.signature[position].startswith("const ")
        self.written.passed.append(name if const else f"detail::without_const({name})")

    def _size_pointer(self, position: int, feed: dict[str, Any]) -> None:
        owner = "argument" if feed["feed"] == "part" else "output"
        name = self.names[position]
        self.written.locals.append(f"std::size_t {name} = {self.names[self.places[owner, feed['index']]]}.size();")
        self.written.passed.append(f"&{name}")
        if owner == "output":
            self.written.outputs[feed["index"]] = ("std::size_t", name)

    def _check_size(self, position: int, query: str | None) -> None:
        """Asks how long an output must be before it is written, where the library does not take its length."""
        if query is None:
            return
        before = "".join(self.names[index] + ", " for index in range(position))[:-2]
        self.written.locals.append(f"const auto [asked, needed] = {query}({before});")
        self.written.checks.append("asked_failed")
        self.written.checks.append(f"static_cast<std::size_t>(needed) > {self.names[position]}.size()")

    def _output(self, position: int, index: int) -> None:
        output = self.produced[index]
        produce = output["produce"]
        name = self.names[position]
        put = self.written.passed.append
        if produce in ("handle", "record", "number", "float", "enumeration", "string", "address"):
            self._single(position, index)
        elif produce == "capacity_count":
            put(f"&{name}")
            self.written.outputs[index] = ("std::size_t", name)
        elif produce in ARRAYS:
            self._take(f"std::span<{self._element(position)}>", position)
            put(f"detail::data_or_null({name})")
        elif produce == "name_buffer":
            self._take("std::span<char>", position)
            put(f"{name}.data()")
        elif produce in ("raw_bytes", "color"):
            length = output.get("length", 4)
            element = "char" if produce == "raw_bytes" else "float"
            self.written.locals.append(f"std::array<{element}, {length}> {name}{{}};")
            put(f"{name}.data()")
            self.written.outputs[index] = (f"std::array<{element}, {length}>", name)
        elif produce == "attribute_value":
            sized = output["size"] is not None or ("output_part", index) in self.places
            self._take("WriteBytes" if sized else "void *", position)
            put(f"{name}.data()" if sized else name)
        elif produce == "attribute_values":
            self._take("std::span<void *const>", position)
            put(f"const_cast<void **>({name}.data())")
        elif produce in ("callee_handle_array", "callee_record_array"):
            self._callee_array(position, index)
        elif produce == "archs":
            self._take("std::span<int>", position)
            put(f"{name}.data()")
            key = f"{self.name}.{self.plan['params'][position]['name']}"
            self._check_size(position, self.types.data["size_of"][key])
        else:
            raise RenderError("E610", f"{self.name}.{name}: output kind {produce!r}")

    def _single(self, position: int, index: int) -> None:
        output = self.produced[index]
        name = self.names[position]
        c_type = self._pointee(position)
        if c_type == "void":  # a plain void *, behind which the plan knows more
            c_type = "void *" if output["produce"] == "address" else NATIVES[output["native"]]
        self.written.locals.append(f"{c_layer.declaration(c_type, name)}{{}};")
        self.written.passed.append(f"&{name}")
        self.written.outputs[index] = (c_type, name)

    def _callee_array(self, position: int, index: int) -> None:
        name = self.names[position]
        element = self._pointee(position).removesuffix("*").rstrip()
        self.written.locals.append(f"{element} *{name} = nullptr;")
        self.written.passed.append(f"&{name}")
        length = self.names[self.places["output", self.produced[index]["length"]]]
        self.written.outputs[index] = (f"std::span<{element}>", f"{{{name}, {name} == nullptr ? 0 : {length}}}")

    # ---- lengths

    def _order_counts(self) -> None:
        """Declares the lengths that spans carry, before the other locals, and the checks that they agree."""
        declared: list[str] = []
        for index, users in sorted(self.counted.items()):
            position = self._position_of_length(index)
            name = self.names[position]
            c_type = self.written.signature[position]
            answered = c_type.endswith("*")
            c_type = self._pointee(position) if answered else c_type
            spans = [self.names[user] for user, optional in users if not optional]
            optional = [self.names[user] for user, optional in users if optional]
            if len(users) == 1 and c_type == "size_t":
                declared.append(f"{'' if answered else 'const '}std::size_t {name} = {(spans + optional)[0]}.size();")
                continue
            if spans:
                sizes = [f"{spans[0]}.size()", *spans[1:]]
                declared.append(f"const auto {name}_of = detail::count_of<{c_type}>({', '.join(sizes)});")
            else:
                declared.append(f"const auto {name}_of = detail::capacity_of<{c_type}>({', '.join(optional)});")
            declared.append(f"{c_type + ' ' if answered else 'const auto '}{name} = {name}_of.value;")
            self.written.checks.append(f"!{name}_of.ok")
            if spans:
                for other in optional:
                    self.written.checks.append(f"(!{other}.empty() && {other}.size() != {spans[0]}.size())")
        self.written.locals[:0] = declared

    def _position_of_length(self, index: int) -> int:
        if ("argument", index) in self.places:
            return self.places["argument", index]
        for output, entry in enumerate(self.produced):
            if entry["produce"] == "capacity_count" and entry["capacity_from"] == index:
                return self.places["output", output]
        raise RenderError("E610", f"{self.name}: the C call takes no {self.arguments[index]['python']!r}")

    # ---- what the template prints

    def parameters(self) -> str:
        """The parameter list."""
        return ", ".join(c_layer.declaration(c_type, name) for c_type, name in self.written.parameters)

    def stream_flag(self) -> dict[str, str] | None:
        """For functions whose default stream is a flag: the per-thread form's name, and the line that sets the flag."""
        row = self.types.data["stream_flags"].get(self.name)
        if row is None:
            return None
        constant = f"constexpr auto either = {row['either']};\n  "
        line = f"({row['parameter']} & either) == 0) {row['parameter']} |= {row['flag']};"
        return {
            "name": row["per_thread"],
            "always": f"{constant}if ({line}",
            "by_unit": f"{constant}if (default_stream_is_per_thread && {line}",
        }

    def names_passed_on(self) -> str:
        """The arguments of a call to another form of the same function."""
        return ", ".join(name for _, name in self.written.parameters)

    def _lengths_of_callee_arrays(self) -> set[int]:
        return {o["length"] for o in self.produced if o["produce"].startswith("callee_")}

    def results(self) -> list[tuple[str, str]]:
        """(type, expression) of what the tuple holds behind the status."""
        if self.plan["result"] == "string":
            return [("const char *", "text")]
        if self.plan["result"] == "record":
            return [(c_layer.plain(self.plan["returns"]), "record")]
        skipped = self._lengths_of_callee_arrays()
        return [self.written.outputs[index] for index in sorted(self.written.outputs) if index not in skipped]

    def tuple_type(self) -> str:
        """The return type."""
        return f"std::tuple<{', '.join([self.status, *(c_type for c_type, _ in self.results())])}>"

    def answer(self, status: str) -> str:
        """The braces of a return statement."""
        return "{" + ", ".join([status, *(expression for _, expression in self.results())]) + "}"

    def call(self, slot: str) -> str:
        """The C call through a slot."""
        returns = c_layer.plain(self.plan["returns"])
        signature = f"{returns}({', '.join(self.written.signature)})"
        return f"detail::call<{slot}, {signature}>({', '.join(self.written.passed)})"

    def conditions(self) -> str:
        """When the call is not made and the answer is `invalid`; empty where it always is."""
        return " || ".join(check for check in self.written.checks if check != "asked_failed")

    def asks(self) -> bool:
        """Whether another function is asked first, whose failure is the answer."""
        return "asked_failed" in self.written.checks

    def whole_output(self) -> dict[str, str] | None:
        """For functions that ask for a size: what a second form without the buffer returns."""
        if not self.asks():
            return None
        element = "int" if any(o["produce"] == "archs" for o in self.produced) else "char"
        others = [parameter for parameter in self.written.parameters if not parameter[0].startswith("std::span<")]
        query = next(line for line in self.written.locals if line.startswith("const auto [asked"))
        return {
            "element": element,
            "parameters": ", ".join(c_layer.declaration(c_type, name) for c_type, name in others),
            "name": next(name for c_type, name in self.written.parameters if c_type.startswith("std::span<")),
            "query": query,
        }

    def notes(self) -> list[str]:
        """The lines of the comment above the function."""
        notes = []
        changed = [p["name"] for p in self.plan["params"] if p["role"] == "inout" and p["rank"] == "value"]
        names = [self.names[self.places["output", i]] for i in self.written.outputs if ("output", i) in self.places]
        names = [name for name in names if name not in changed]
        if names:
            notes.append(f"Out: {', '.join(names)}.")
        if changed:
            notes.append(f"In and out: {', '.join(changed)}.")
        if self.plan["since"]:
            notes.append(f"Since CUDA {self.plan['since']}.")
        if self.plan["deprecated"]:
            notes.append("Deprecated.")
        notes.append(f"C: {self.plan['prototype']}")
        return wrap_words(" ".join(notes), 116)

    def members(self) -> str:
        """The initialiser of what a function of the header itself returns: its members in order are its parameters."""
        return ", ".join(self.names)

    def inline_parameters(self) -> str:
        """The parameter list of such a function."""
        types = [c_layer.plain(parameter["c_type"]) for parameter in self.plan["params"]]
        return ", ".join(c_layer.declaration(c_type, name) for c_type, name in zip(types, self.names, strict=True))

    def inline_result(self) -> str:
        """What such a function returns."""
        return c_layer.plain(self.plan["returns"])


def wrap_words(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def fit(text: str, width: int = 120) -> str:
    """Lines of C++ without blank ones between them; long ones are broken behind the outermost comma or operator."""
    lines: list[str] = []
    for line in text.split("\n"):
        margin = " " * (len(line) - len(line.lstrip()) + 4)
        while len(line) > width:
            at = _break_at(line, width, len(margin))
            lines.append(line[:at].rstrip())
            line = margin + line[at:].lstrip()
        if line.strip():
            lines.append(line)
    return "\n".join(lines) + "\n"


def _break_at(line: str, width: int, margin: int) -> int:
    """Where a long line is broken: at the last of the places in the fewest brackets; at a bracket for want of one."""
    depth, best, best_depth = 0, 0, 100
    for at, character in enumerate(line[:width]):
        depth += (character in "([{<") - (character in ")]}>")
        here = 99 if character in "([{" else depth if line[at : at + 2] in (", ", "; ") else 100
        if line[at : at + 4] in (" || ", " ?  ") or line[at : at + 3] in (" = ", " : "):
            here, at = depth, at + (3 if line[at : at + 4] == " || " else 2)
        if at >= margin and here <= best_depth and here < 100:
            best, best_depth = at + 1, here
    return best or line.rindex(" ", margin, width)


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """The names that cpp_functions.hpp.j2 uses."""
    types = CppTypes(plan)
    functions = [CppFunction(types, plan, each) for each in plan["functions"] if each["module"] == module]
    # Those that ask others come last: an inline function is declared before it is used.
    return {"functions": sorted(functions, key=lambda function: function.asks()), "fit": fit}
