# SPDX-License-Identifier: Apache-2.0
"""Every single change that could be made to the plan mechanically, by kind, and a fair sample of them.

Left out is what nothing reads: a value that no template prints cannot be wrong in a way that anybody meets.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

Plan = dict[str, Any]
Row = dict[str, Any]

MODULES = ("driver", "runtime", "nvrtc")
# Called by name in templates or in hand-written sources: another link name does not compile.
NAMED_IN_SOURCES = {"cudaRuntimeGetVersion", "cuDriverGetVersion", "nvrtcVersion", "nvrtcGetNumSupportedArchs"}
# One parameter's conversion says the same of another one's: they cannot change alone.
JOINED = ("jit_keys", "jit_values", "jit_count", "attribute_list", "attribute_sizes")
OTHER_WIDTH = {"int": "uint", "uint": "int", "size": "uint", "ulonglong": "uint", "ushort": "uchar", "uchar": "ushort",
               "longlong": "int"}
OTHER_KIND = {"i32": "u32", "u32": "i32", "u64": "i64", "i64": "u64", "u16": "i16", "u8": "i8", "f32": "u32"}
OTHER_ACCESS = {"read": "none", "write": "read", "none": "write"}
WITH_NULLABLE = ("string", "handle_list", "record_list", "enumeration_list", "number_list", "string_list",
                 "address_list")
LISTS = WITH_NULLABLE[1:]
OTHER_ATTRIBUTE = {"int": "uint64", "uint": "int", "uint64": "uint", "bool": "int", "bool32": "uint64",
                   "handle": "uint64", "float": "uint", "address": "int", "enumeration": "uint"}


def row(module: str, kind: str, path: str, value: Any, names: list[str], what: str | None = None) -> Row:
    """A mutation that puts a value in another one's place."""
    step = {"set": path} if value is None else {"set": path, "to": value}
    return {"module": module, "kind": kind, "what": what or f"{path} = {value!r}", "names": names, "steps": [step]}


def other(entries: list[dict[str, Any]], entry_id: str, chance: random.Random,
          fits: Callable[[dict[str, Any]], bool] = lambda entry: True) -> str | None:
    """Another id of the list."""
    now = next((entry for entry in entries if entry["id"] == entry_id), None)
    accepted = set(now.get("accepts", ())) if now else set()
    ids = [entry["id"] for entry in entries if entry["id"] != entry_id and entry["id"] not in accepted and fits(entry)]
    return chance.choice(ids) if ids else None


class Candidates:
    """The mutations of one plan; what is put in another value's place is drawn as well."""

    def __init__(self, plan: Plan, chance: random.Random) -> None:
        self.plan = plan
        self.chance = chance
        self.handles = {entry["id"]: entry for entry in plan["handles"]}
        self.queries = {argument["size_query"] for function in plan["functions"]
                        for argument in function["arguments"] if argument.get("size_query")}
        # Without these nothing can be called, or built.
        self.needed = {library[key] for library in plan["libraries"].values() for key in ("success", "missing")}

    def all(self) -> Iterator[Row]:
        """All of them."""
        for function in self.plan["functions"]:
            if not function["inline"]:
                yield from self.of_function(function)
        for record in self.plan["records"]:
            yield from self.of_record(record)
        yield from self.of_enums()
        yield from self.of_handles()
        for constant in self.plan["constants"]:
            yield row(constant["module"], "constant", f"constants.{constant['name']}.value", constant["value"] + 1,
                      [constant["name"]])
        for enum, rows in self.plan["attributes"].items():
            for name, entry in rows.items():
                if entry.get("kind") in OTHER_ATTRIBUTE and not entry.get("since"):
                    made = {"kind": OTHER_ATTRIBUTE[entry["kind"]]}
                    short = name.split("ATTRIBUTE_")[-1]
                    yield row("driver" if enum.startswith("CU") else "runtime", "attribute",
                              f"attributes.{enum}.{name}", made, [name, short])

    # --- functions -------------------------------------------------------------------------------------------------

    def of_function(self, function: dict[str, Any]) -> Iterator[Row]:
        """The function as a whole, its arguments, its results."""
        name, module, link = function["name"], function["module"], function["link"]
        names = [name, *({link} - {name})]
        path = f"functions.{name}"
        if link not in NAMED_IN_SOURCES and link not in self.queries:
            if not any(f["link"] == link and f is not function for f in self.plan["functions"]):
                yield row(module, "link name", path + ".link", link + "_v9", names)
        if module != "nvrtc":
            twin = None if function["ptds"] else link + "_ptsz"
            yield row(module, "link name", path + ".ptds", twin, [*names, *({function["ptds"]} - {None})])
        yield row(module, "GIL", path + ".gil", "release" if function["gil"] == "hold" else "hold", names)
        yield row(module, "release", path + ".since", "9.1" if function["since"] != "9.1" else "9.2", names)
        if module == "runtime":
            yield row(module, "release", path + ".abi_since", None if function["abi_since"] else "13.0", names)
        if function["aliases"]:
            yield row(module, "alias", path + ".aliases", [], [*names, *function["aliases"]])
        for argument in function["arguments"]:
            for each in self.of_argument(function, argument):
                yield {"module": module, "names": names, **each}
        for each in self.of_outputs(function):
            yield {"module": module, "names": names, **each}
        for first in range(len(function["arguments"]) - 1):
            if not function["overload"] and function["arguments"][first + 1]["default"] is None:
                yield {"module": module, "names": names, "kind": "order",
                       "what": f"{name}: arguments {first} and {first + 1} in each other's place",
                       "steps": [{"do": "swap", "function": name, "what": "arguments", "first": first,
                                  "second": first + 1}]}

    def of_argument(self, function: dict[str, Any], argument: dict[str, Any]) -> Iterator[Row]:
        """What may be wrong about an argument."""
        name, python, convert = function["name"], argument["python"], argument["convert"]
        path = f"functions.{name}.arguments.{python}"

        def change(kind: str, key: str, value: Any) -> Row:
            made = row("", kind, f"{path}.{key}", value, [])
            return {key: value for key, value in made.items() if key not in ("module", "names")}
        if convert in WITH_NULLABLE or (convert == "record" and not argument["by_value"]):
            yield change("nullability", "nullable", not argument["nullable"])
        if convert in ("number", "inout_number") and argument["native"] in OTHER_WIDTH:
            yield change("width", "native", OTHER_WIDTH[argument["native"]])
        if convert in ("handle", "handle_list", "handle_pointer", "inout_handle"):
            kind = self.handles[argument["type"]]["kind"]
            made = other(self.plan["handles"], argument["type"], self.chance, lambda h: h["kind"] == kind)
            yield change("wrapper", "type", made)
        if convert in ("enumeration", "enumeration_list", "inout_enumeration"):
            yield change("wrapper", "type", other(self.plan["enums"], argument["type"], self.chance))
        if convert in ("record", "record_list") and not argument.get("by_value"):
            yield change("wrapper", "type", other(self.plan["records"], argument["type"], self.chance))
        if convert == "address":
            yield change("access", "access", OTHER_ACCESS[argument["access"]])
            if argument["bytes"]:
                yield change("length source", "bytes", None)
        if convert in LISTS and argument["count"]:
            if convert != "record_list":    # whose `optional` nobody would read then: the renderer refuses that
                yield change("length source", "check_count", not argument["check_count"])
            numbers = [a["python"] for a in function["arguments"] if a["convert"] == "number"]
            numbers = [each for each in numbers if each != argument["count"]]
            if numbers:
                yield change("length source", "count", self.chance.choice(numbers))
        if argument.get("max_length"):
            yield change("limit", "max_length", None)
        if argument.get("size_query"):
            yield change("length source", "size_query", self.chance.choice(
                sorted(self.queries - {argument["size_query"]})))
        if argument["default"] is not None:
            yield change("default", "default", None)
        elif argument is function["arguments"][-1] and not function["overload"] and convert == "number":
            yield change("default", "default", 0)
        if convert == "record" and not argument["by_value"]:
            yield {"kind": "direction", "what": f"{name}.{python} is an output",
                   "steps": [{"do": "argument_to_output", "function": name, "parameter": self.c_name(function, python),
                              "output": {"produce": "record", "type": argument["type"]}}]}

    @staticmethod
    def c_name(function: dict[str, Any], python: str) -> str:
        """The C parameter that an argument is passed as."""
        index = [a["python"] for a in function["arguments"]].index(python)
        for parameter, feed in zip(function["params"], function["call"], strict=True):
            if feed["feed"] == "argument" and feed["index"] == index:
                return parameter["name"]
        raise AssertionError(f"{function['name']}: {python} is not passed")

    @staticmethod
    def of_type(path: str, made: str | None) -> Row:
        """A result of another class."""
        return {"kind": "wrapper", "what": f"{path}.type = {made}", "steps": [{"set": path + ".type", "to": made}]}

    def of_outputs(self, function: dict[str, Any]) -> Iterator[Row]:
        """What may be wrong about the results."""
        name, outputs = function["name"], function["outputs"]
        for index, output in enumerate(outputs):
            path = f"functions.{name}.outputs.{index}"
            produce = output["produce"]
            if produce in ("handle", "handle_array", "callee_handle_array"):
                kind = self.handles[output["type"]]["kind"]
                made = other(self.plan["handles"], output["type"], self.chance, lambda h, k=kind: h["kind"] == k)
                yield self.of_type(path, made)
                if produce == "handle" and kind == "pointer":
                    yield {"kind": "rank", "what": f"{path} is an address",
                           "steps": [{"set": path, "to": {"produce": "address", "annotation": "int"}}]}
            if produce == "enumeration":
                made = other(self.plan["enums"], output["type"], self.chance)
                yield self.of_type(path, made)
            if produce in ("record", "record_array", "callee_record_array"):
                size = next(r["size"] for r in self.plan["records"] if r["id"] == output["type"])
                made = other(self.plan["records"], output["type"], self.chance, lambda r, s=size: r["size"] >= s)
                yield self.of_type(path, made)
            if produce == "string":
                yield {"kind": "rank", "what": f"{path} is an address",
                       "steps": [{"set": path, "to": {"produce": "address", "annotation": "int"}}]}
            if produce == "inout":
                yield {"kind": "direction", "what": f"{path} goes in only",
                       "steps": [{"do": "drop_output", "function": name, "index": index}]}
        lengths = {o["length"] for o in outputs if o["produce"].startswith("callee_")}
        for parameter, feed in zip(function["params"], function["call"], strict=True):
            if feed["feed"] == "output" and feed["index"] not in lengths and outputs[feed["index"]]["produce"] in (
                    "number", "handle", "record", "enumeration", "string", "address", "float"):
                yield {"kind": "direction", "what": f"{name}.{parameter['name']} is an input",
                       "steps": [{"do": "output_to_argument", "function": name, "parameter": parameter["name"],
                                  "argument": {"convert": "address", "access": "none"}}]}
        for first in range(len(outputs) - 1):
            yield {"kind": "order", "what": f"{name}: results {first} and {first + 1} in each other's place",
                   "steps": [{"do": "swap", "function": name, "what": "outputs", "first": first, "second": first + 1}]}

    # --- classes ---------------------------------------------------------------------------------------------------

    def class_names(self, record: dict[str, Any]) -> list[str]:
        """The names under which tests know a record: its own, those of classes derived from it, its owner's."""
        found = {record["id"], record["name"]}
        while True:
            more = {r["id"] for r in self.plan["records"] if r["base"] in found}
            more |= {r["id"] for r in self.plan["records"] if r["id"] and record["id"].startswith(r["id"] + "_")}
            if more <= found:
                return sorted(found)
            found |= more

    def of_record(self, record: dict[str, Any]) -> Iterator[Row]:
        """Members in the wrong place, of the wrong kind, too many, not shown, not settable; another size."""
        names, module = self.class_names(record), record["module"]
        for member in record["fields"]:
            path = f"records.{record['id']}.fields.{member['name']}"
            if not record["union"] and member["offset"] + 8 <= record["size"]:
                yield row(module, "offset", path + ".offset", member["offset"] + record["align"], names)
            if member["kind"] in OTHER_KIND:
                yield row(module, "member kind", path + ".kind", OTHER_KIND[member["kind"]], names)
            if member["kind"] == "enumeration":
                yield row(module, "member class", path + ".type",
                          other(self.plan["enums"], member["type"], self.chance), names)
            if member["kind"] == "handle":
                kind = self.handles[member["type"]]["kind"]
                made = other(self.plan["handles"], member["type"], self.chance, lambda h, k=kind: h["kind"] == k)
                yield row(module, "member class", path + ".type", made, names)
            if member["count"] > 1:
                yield row(module, "member length", path + ".count", member["count"] - 1, names)
            yield row(module, "hidden member", path + ".hidden", not member["hidden"], names)
            yield row(module, "read-only member", path + ".readonly", not member["readonly"], names)
            if member["kind"] in ("u32", "i32", "u64"):
                yield row(module, "initial value", path + ".initial", 1 - member["initial"], names)
        if record["fields"]:
            yield row(module, "size", f"records.{record['id']}.size", record["size"] + record["align"], names)

    def of_enums(self) -> Iterator[Row]:
        """Values, missing enumerators, the sign."""
        for enum in self.plan["enums"]:
            path, module = f"enums.{enum['id']}", enum["module"]
            for name, value in enum["values"]:
                if name in self.needed:
                    continue
                yield row(module, "enum value", f"{path}.values.{name}", value + 1, [enum["name"], name])
                if enum["id"] not in self.plan["attributes"]:
                    yield {"module": module, "kind": "enumerator", "what": f"{path} has no {name}",
                           "names": [enum["name"], name], "steps": [{"do": "drop", "path": f"{path}.values.{name}"}]}

    def of_handles(self) -> Iterator[Row]:
        """Base classes, classes that are taken, None."""
        for handle in self.plan["handles"]:
            path, module, names = f"handles.{handle['id']}", handle["module"], [handle["name"]]
            if handle["base"]:
                yield row(module, "handle base", path + ".base", None, names)
            if handle["accepts"]:
                yield row(module, "handle cast", path + ".accepts", handle["accepts"][1:],
                          [*names, handle["accepts"][0]])
            yield row(module, "handle None", path + ".none", "refuse" if handle["none"] == "null" else "null", names)


def draw(plan: Plan, number: int, seed: int) -> list[Row]:
    """Mutations drawn by chance: kind after kind, so that all are met, then a module, then one of these."""
    chance = random.Random(seed)
    grouped: dict[str, dict[str, list[Row]]] = {}
    for each in Candidates(plan, chance).all():
        grouped.setdefault(each["kind"], {}).setdefault(each["module"], []).append(each)
    kinds = sorted(grouped)
    found: list[Row] = []
    taken: set[str] = set()
    while len(found) < number:
        kind = kinds[len(found) % len(kinds)]
        module = chance.choice(sorted(grouped[kind]))
        each = chance.choice(grouped[kind][module])
        if taken.isdisjoint(each["names"]):
            taken.update(each["names"])
            found.append({"id": f"R{len(found) + 1}", **each})
    return found
