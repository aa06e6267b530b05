# SPDX-License-Identifier: Apache-2.0
"""The docstring of a function: each parameter with C type and unit, what is returned, since when, the C prototype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import units

if TYPE_CHECKING:
    from functions import Function

LISTS = ("handle_list", "record_list", "enumeration_list", "number_list", "string_list", "address_list",
         "attribute_list", "attribute_sizes")
# What is said of an argument by its conversion.
REMARKS = {
    "attribute_set": "of the attribute's type",
    "capacity": "room for so many elements",
    "color": "four numbers or one for all",
}
# And of a value returned.
VALUES = {
    "attribute_value": "of the attribute's type",
    "attribute_values": "of each attribute's type",
    "inout": "as the call leaves it",
    "capacity_count": "elements",
}
# Values that are bytes, or a few numbers, in Python.
BYTES = {
    "name_buffer": "char, as bytes", "raw_bytes": "{length} bytes", "color": "four float", "string": "text as bytes",
}
FRONT_PAGES = {
    "driver": "https://docs.nvidia.com/cuda/cuda-driver-api/",
    "runtime": "https://docs.nvidia.com/cuda/cuda-runtime-api/",
    "nvrtc": "https://docs.nvidia.com/cuda/nvrtc/",
}
# The oldest headers that the releases of the snapshots were compared with.
OLDEST = "12.0"


def c_type_of(function: Function, index: int) -> str:
    """The C type of an argument's parameter."""
    for parameter, feed in zip(function.plan["params"], function.call, strict=True):
        if feed["feed"] in ("argument", "part") and feed["index"] == index:
            return str(parameter["c_type"])
    # The arguments of an inline function are parameters of the same name.
    name = function.arguments[index]["python"]
    return str(next(p["c_type"] for p in function.plan["params"] if p["name"] == name))


def argument_line(function: Function, index: int, stated: dict[str, str], derived: dict[str, str]) -> str:
    """`name: C type, unit or what else is to be known`."""
    argument = function.arguments[index]
    name, kind = argument["python"], argument["convert"]
    parts = [c_type_of(function, index)]
    unit = derived.get(name) or stated.get(f"{function.name}.{name}")
    if unit:
        parts.append(unit)
    if kind == "address" and argument["bytes"] is not None:
        parts.append(f"{argument['bytes']} bytes")
    if kind == "out_buffer":
        size = argument["size"] or argument["size_query"]
        parts.append(f"filled by the call, of {size} bytes" if size else "filled by the call")
    if kind in LISTS and argument["count"] is not None:
        parts.append(f"{argument['count']} elements")
    if kind == "record" and argument["inout"]:
        parts.append("changed in place")
    if kind in REMARKS:
        parts.append(REMARKS[kind])
    return f"{name}: {', '.join(parts)}"


def value(function: Function, index: int, stated: dict[str, str]) -> str:
    """A value returned: its name in C, its C type, its unit."""
    output = function.outputs[index]
    if index not in function.output_parameters:
        return f"{function.arguments[output['from_argument']]['python']} ({VALUES['inout']})"
    parameter = function.output_parameters[index]
    name, kind = parameter["name"], output["produce"]
    target = parameter["c_type"].removesuffix("*").rstrip()
    if kind.endswith("_array"):
        target = "list of " + target.removeprefix("const ").removesuffix("*").rstrip().removesuffix(" const").rstrip()
    if kind in BYTES:
        target = BYTES[kind].format(**output)
    parts = [] if kind in ("attribute_value", "attribute_values", "inout") else [target]
    parts += [part for part in (stated.get(f"{function.name}.{name}") or VALUES.get(kind),) if part]
    return f"{name} ({', '.join(parts)})"


def returned(function: Function, stated: dict[str, str]) -> str:
    """The sentence on what is returned."""
    if function.plan["bare"]:
        return f"Returns the struct, {function.plan['result_type']}."
    if function.plan["result"] == "record":
        return "Returns the status (success) and the struct."
    if function.plan["result"] == "string":
        return "Returns the status (success) and the text (const char *)."
    values = [value(function, index, stated) for index in range(len(function.outputs))]
    return f"Returns the status{', ' if values else ''}{', '.join(values)}."


def since(function: Function) -> str:
    """The release that brought the function, and the one that brought this form of it."""
    release, form = function.plan["since"], function.plan["abi_since"]
    text = f"Since CUDA {release}" if release is not None else f"Since CUDA {OLDEST} or before"
    if function.link != function.name and release is not None:
        text += " in this form"
    elif form is not None and form != release:
        text += f", in this form since {form}"
    return text + (". Deprecated." if function.plan["deprecated"] else ".")


def page(plan: dict[str, Any]) -> str:
    """NVIDIA's page for the function: that of its documentation group."""
    front = FRONT_PAGES[plan["module"]]
    if plan["group"] is None or plan["module"] == "nvrtc":  # which has one page
        return front
    return f"{front}group__{plan['group'].replace('_', '__')}.html"


def lines(function: Function, stated: dict[str, str]) -> list[str]:
    """The docstring's lines after the signature."""
    derived = units.derived(function.plan)
    return [
        *(argument_line(function, index, stated, derived) for index in range(len(function.arguments))),
        f"{returned(function, stated)} {since(function)}",
        f"C: {function.plan['prototype']}",
        page(function.plan),
    ]
