# SPDX-License-Identifier: Apache-2.0
"""Edits of a plan, as a wrong rule would make them: one value at a path, or one change with all that follows from it.

A path names entries by what identifies them: functions.cuMemAlloc.arguments.bytesize.native,
records.CUDA_MEMCPY2D_st.fields.Height.offset, enums.CUlimit.values.CU_LIMIT_STACK_SIZE, functions.cuMemGetInfo.call.0.
`attributes.ENUM.ENUMERATOR.KEY` leads into generator/data/attributes.toml, of which tables are printed as well.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

Plan = dict[str, Any]

# Keys whose value is the index of an argument (of an output that an argument sizes) or, behind these kinds, an output.
ARGUMENT_KEYS = ("from_argument", "capacity_from", "attribute", "attributes", "sizes", "count", "size")
LENGTH_OF_OUTPUT = ("callee_handle_array", "callee_record_array")
LENGTH_OF_NOTHING = ("raw_bytes",)      # a number of bytes


class EditError(Exception):
    """An edit that does not fit the plan."""


def entry(entries: Any, name: str) -> Any:
    """An entry of a list by its id, Python name or name, or by its index; a value of a dictionary by its key."""
    if isinstance(entries, dict):
        if name not in entries:
            raise EditError(f"no {name!r} among {sorted(entries)}")
        return entries[name]
    for key in ("id", "python", "name"):
        for each in entries:
            if isinstance(each, dict) and each.get(key) == name:
                return each
    if name.lstrip("-").isdigit() and -len(entries) <= int(name) < len(entries):
        return entries[int(name)]
    raise EditError(f"no entry {name!r}")


def is_pairs(value: Any) -> bool:
    """Whether it is a list of [name, value], as the enumerators of an enum are."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def split(path: str) -> tuple[list[str], str]:
    """The steps to what holds the value, and the key of the value in it."""
    *steps, last = path.split(".")
    return steps, last


def holder(plan: Plan, path: str) -> tuple[Any, Any]:
    """The list or dictionary that holds the value at a path, and its key there."""
    steps, last = split(path)
    found: Any = plan
    for step in steps:
        found = entry(found, step)
    if is_pairs(found):
        for pair in found:
            if pair[0] == last:
                return pair, 1
        raise EditError(f"{path}: no enumerator {last}")
    if isinstance(found, list):
        return found, int(last)
    if last not in found and not path.startswith("attributes."):
        raise EditError(f"{path}: no key {last!r} among {sorted(found)}")
    return found, last


def get(plan: Plan, path: str) -> Any:
    """The value at a path."""
    where, key = holder(plan, path)
    return where[key]


def put(plan: Plan, path: str, value: Any) -> None:
    """Puts a value in the place of another one."""
    where, key = holder(plan, path)
    if isinstance(where, dict) and where.get(key) == value:
        raise EditError(f"{path} is {value!r} already")
    where[key] = value


def renumber(function: dict[str, Any], arguments: dict[int, int], outputs: dict[int, int]) -> None:
    """Follows a move of arguments and outputs in everything that names them by index."""
    for feed in function["call"]:
        moved = arguments if feed["feed"] in ("argument", "part") else outputs
        feed["index"] = moved.get(feed["index"], feed["index"])
    for output in function["outputs"]:
        for key in ARGUMENT_KEYS:
            if isinstance(output.get(key), int):
                output[key] = arguments.get(output[key], output[key])
        if isinstance(output.get("length"), int) and output["produce"] not in LENGTH_OF_NOTHING:
            moved = outputs if output["produce"] in LENGTH_OF_OUTPUT else arguments
            output["length"] = moved.get(output["length"], output["length"])


def parameter_index(function: dict[str, Any], parameter: str) -> int:
    """Where a C parameter stands."""
    names = [each["name"] for each in function["params"]]
    if parameter not in names:
        raise EditError(f"{function['name']}: no parameter {parameter!r} in {names}")
    return names.index(parameter)


def argument_place(function: dict[str, Any], index: int) -> int:
    """Where among the Python arguments one of C parameter `index` would stand: behind those of earlier parameters."""
    return len([feed for feed in function["call"][:index] if feed["feed"] == "argument"])


def output_place(function: dict[str, Any], index: int) -> int:
    """Where among the results one of C parameter `index` would stand."""
    return len([feed for feed in function["call"][:index] if feed["feed"] == "output"])


def output_to_argument(plan: Plan, function: str, parameter: str, argument: dict[str, Any]) -> None:
    """An output is taken for an input: it leaves the results and stands among the arguments."""
    entry_ = entry(plan["functions"], function)
    index = parameter_index(entry_, parameter)
    feed = entry_["call"][index]
    if feed["feed"] != "output":
        raise EditError(f"{function}.{parameter} is no output")
    old, place = feed["index"], argument_place(entry_, index)
    del entry_["outputs"][old]
    renumber(entry_, {i: i + 1 for i in range(place, len(entry_["arguments"]))},
             {i: i - 1 for i in range(old + 1, len(entry_["outputs"]) + 1)})
    made = {"python": parameter, "nullable": True, "default": None, "annotation": "Any", **argument}
    if made["convert"] == "address":
        made.setdefault("bytes", None)
    entry_["arguments"].insert(place, made)
    entry_["call"][index] = {**feed, "feed": "argument", "index": place}
    entry_["params"][index].update(role="in", alloc="-", nullable=True)


def argument_to_output(plan: Plan, function: str, parameter: str, output: dict[str, Any]) -> None:
    """An input is taken for an output: it leaves the arguments and stands among the results."""
    entry_ = entry(plan["functions"], function)
    index = parameter_index(entry_, parameter)
    feed = entry_["call"][index]
    if feed["feed"] != "argument":
        raise EditError(f"{function}.{parameter} is no argument")
    old, place = feed["index"], output_place(entry_, index)
    del entry_["arguments"][old]
    # What came out through the argument (in and out) comes out through the new output alone.
    mirrored = [i for i, each in enumerate(entry_["outputs"]) if each.get("from_argument") == old]
    for mirror in reversed(mirrored):
        del entry_["outputs"][mirror]
        renumber(entry_, {}, {i: i - 1 for i in range(mirror + 1, len(entry_["outputs"]) + 1)})
        place = min(place, len(entry_["outputs"]))
    renumber(entry_, {i: i - 1 for i in range(old + 1, len(entry_["arguments"]) + 1)},
             {i: i + 1 for i in range(place, len(entry_["outputs"]))})
    entry_["outputs"].insert(place, {"annotation": "Any", **output})
    entry_["call"][index] = {**feed, "feed": "output", "index": place}
    entry_["params"][index].update(role="out", alloc="callee", nullable=False)


def drop_output(plan: Plan, function: str, index: int) -> None:
    """A result that comes out through an argument (in and out) is not given back."""
    entry_ = entry(plan["functions"], function)
    if entry_["outputs"][index]["produce"] != "inout":
        raise EditError(f"{function}: output {index} is a parameter's own")
    del entry_["outputs"][index]
    renumber(entry_, {}, {i: i - 1 for i in range(index + 1, len(entry_["outputs"]) + 1)})
    for parameter in entry_["params"]:
        if parameter["role"] == "inout":
            parameter["role"] = "in"


def add_inout_output(plan: Plan, function: str, argument: int, output: int, annotation: str = "Any") -> None:
    """An argument comes out again."""
    entry_ = entry(plan["functions"], function)
    renumber(entry_, {}, {i: i + 1 for i in range(output, len(entry_["outputs"]))})
    entry_["outputs"].insert(output, {"produce": "inout", "from_argument": argument, "annotation": annotation})


def swap(plan: Plan, function: str, what: str, first: int, second: int) -> None:
    """Two arguments or two results change places in Python; in C all stays as it is."""
    entry_ = entry(plan["functions"], function)
    entries = entry_[what]
    entries[first], entries[second] = entries[second], entries[first]
    moved = {first: second, second: first}
    renumber(entry_, moved if what == "arguments" else {}, moved if what == "outputs" else {})


def drop_entry(plan: Plan, path: str) -> None:
    """A list loses an entry: a record a member, an enum an enumerator."""
    where, key = path.rsplit(".", 1)
    entries = get(plan, where)
    found = [i for i, each in enumerate(entries) if (each[0] if isinstance(each, list) else each["name"]) == key]
    if not found:
        raise EditError(f"{path}: no such entry")
    del entries[found[0]]


OPERATIONS: dict[str, Callable[..., None]] = {
    "output_to_argument": output_to_argument, "argument_to_output": argument_to_output,
    "drop_output": drop_output, "add_inout_output": add_inout_output, "swap": swap, "drop": drop_entry}


def edit(plan: Plan, step: dict[str, Any]) -> None:
    """Applies one step: {set = PATH, to = VALUE}, or {do = OPERATION, ...}."""
    if "set" in step:
        put(plan, step["set"], copy.deepcopy(step.get("to")))
        return
    arguments = {key: copy.deepcopy(value) for key, value in step.items() if key != "do"}
    OPERATIONS[step["do"]](plan, **arguments)


def apply(plan: Plan, steps: list[dict[str, Any]]) -> None:
    """Applies all steps of a mutation to a plan, in place."""
    for step in steps:
        edit(plan, step)
