# SPDX-License-Identifier: Apache-2.0
"""Holds the modules against the table of the 13.0 API, name by name, but for accepted differences (in data)."""

from __future__ import annotations

import ctypes
import enum
import inspect
import sys
from functools import lru_cache

import pytest
from api_table import MODULES, ROOT, prototypes, table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = ("function", "class", "member", "enum", "constant")
# Keyed by the address of a host-side variable, which only nvcc makes: nothing to call them with from Python.
HOST_SYMBOLS = {"cudaGetSymbolAddress", "cudaGetSymbolSize", "cudaGraphAddMemcpyNodeFromSymbol",
                "cudaGraphAddMemcpyNodeToSymbol", "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
                "cudaGraphExecMemcpyNodeSetParamsToSymbol", "cudaGraphMemcpyNodeSetParamsFromSymbol",
                "cudaGraphMemcpyNodeSetParamsToSymbol", "cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync",
                "cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}


@lru_cache(maxsize=None)
def differences() -> list[dict]:
    """The accepted differences: each accepts more, or mends a weakness of list (a)."""
    text = (ROOT / "tests" / "data" / "api_differences.toml").read_text(encoding="utf-8")
    return tomllib.loads(text).get("difference", [])


def accepted(kind: str, module: str, name: str) -> dict | None:
    """The difference that covers a name, if any."""
    return next((d for d in differences() if (d["kind"], d["module"], d["name"]) == (kind, module, name)), None)


def entries(section: str, wanted=lambda name, entry: True):
    """One test per name of a section of the table that is wanted."""
    rows = table()[section]
    found = [(m, r["name"], r) for m in MODULES for r in rows[m]] if section == "functions" else [
        (m, n, e) for m in MODULES for n, e in rows.get(m, {}).items()]
    return pytest.mark.parametrize(("module_name", "name", "entry"),
                                   [pytest.param(*f, id=f"{f[0]}.{f[1]}") for f in found if wanted(*f[1:])])


def test_the_table_counts_what_the_description_counts():
    assert [len(table()["functions"][m]) for m in MODULES] == [471, 315, 25]
    assert [len(table()["enums"][m]) for m in MODULES] == [116, 84, 1]
    assert [len(table()["constants"][m]) for m in MODULES] == [74, 92, 0]
    nested = {m: sum(len(paths) for paths in owners.values()) for m, owners in table()["nested"].items()}
    assert nested == {"driver": 37, "runtime": 32}
    assert [len(table()["classes"][m]) + nested.get(m, 0) for m in MODULES] == [311, 150, 1]


def test_every_difference_has_a_reason_and_is_needed():
    for difference in differences():
        assert difference["kind"] in KINDS and difference["accepts"] in ("more", "mends") and difference["reason"]
        assert difference["accepts"] != "mends" or difference["weakness"]


@entries("functions")
def test_function_has_the_parameters_and_defaults(modules, module_name, name, entry):
    function = getattr(modules[module_name], name)
    expected = [(a["name"], a.get("default", inspect.Parameter.empty)) for a in entry["arguments"]]
    signature = inspect.signature(function)
    found = [(p.name, p.default) for p in signature.parameters.values()]
    difference = accepted("function", module_name, name)
    if difference:
        assert found != expected, "the difference is not needed any more"
        assert [f"{n}" for n, _ in found] == difference["parameters"]
        return
    assert found == expected


@entries("functions")
def test_function_documents_itself(modules, module_name, name, entry):
    first = (getattr(modules[module_name], name).__doc__ or "").splitlines()[0]
    assert first.startswith(name + "("), first


def test_every_function_of_the_headers_is_reachable(modules):
    missing = []
    for prototype in prototypes().values():
        if prototype.internal or prototype.name in HOST_SYMBOLS or prototype.link.endswith(("_ptds", "_ptsz")):
            continue
        module = modules[prototype.module]
        if not hasattr(module, prototype.name) and not accepted("function", prototype.module, prototype.name):
            missing.append(prototype.name)
        # Explicit names of the ABI that the public name means.
        if not hasattr(module, prototype.link) and not accepted("function", prototype.module, prototype.link):
            missing.append(prototype.link)
    assert not missing, " ".join(sorted(set(missing)))


@entries("classes")
def test_class_has_its_base_and_size(modules, module_name, name, entry):
    module = modules[module_name]
    cls = getattr(module, name)
    assert isinstance(cls, type) and cls.__name__ == name
    base = entry["base"]
    ancestors = [c.__name__ for c in cls.__mro__[1:]]
    if base is None:
        assert not [a for a in ancestors if a in table()["classes"][module_name]], ancestors
    else:
        assert ancestors[0] == base
        if module_name == "runtime" and hasattr(modules["driver"], base) and not hasattr(module, base):
            assert cls.__mro__[1] is getattr(modules["driver"], base)
    if "size" in entry:
        assert module.sizeof(cls) == entry["size"]


def _kind_of_value(value: object) -> str:
    return "int" if type(value) is int else type(value).__name__


@entries("classes", lambda name, entry: entry.get("members"))
def test_record_has_its_members(modules, module_name, name, entry):
    module = modules[module_name]
    cls = getattr(module, name)
    missing = [m for m in entry["members"] if not hasattr(cls, m)]
    assert missing == []
    if entry["kind"] == "nested":
        return
    record = cls()
    for member, shape in entry["members"].items():
        value = getattr(record, member)
        difference = accepted("member", module_name, f"{name}.{member}")
        if difference:
            assert type(value).__name__ == difference["type"]
        elif shape == "NoneType":       # an enum member whose zero has no name, or no enum at all: see below
            assert value is None or isinstance(value, int)
        elif shape.startswith("list["):
            items, _, item = shape[5:].partition("]")
            assert type(value) is list and len(value) == int(items)
            assert not value or not item or {_kind_of_value(v) for v in value} == {item.strip()}
        elif shape.startswith("bytes["):
            assert type(value) is bytes and len(value) == int(shape[6:-1])
        elif shape.startswith("anon_"):
            assert hasattr(value, "getPtr")
        else:
            assert _kind_of_value(value) == shape, (member, value)
    for member, value in (entry.get("initial") or {}).items():
        assert getattr(record, member) == value


# Room that a later release may use: no part of what a record says of itself.
UNSAID = {"reserved", "reserved0", "reserved1", "reserved2", "pad", "padding"}


@entries("classes", lambda name, entry: entry.get("members") and entry["kind"] == "record")
def test_repr_says_every_member_but_the_reserved(modules, module_name, name, entry):
    said = [line.partition(" :")[0] for line in repr(getattr(modules[module_name], name)()).splitlines()]
    assert [member for member in said if member in entry["members"]] == [
        member for member in entry["members"] if member not in UNSAID]


@pytest.mark.parametrize(("module_name", "owner"), [(m, o) for m, owners in table()["nested"].items() for o in owners])
def test_nested_records_have_their_members(modules, module_name, owner):
    record = getattr(modules[module_name], owner)()
    for path, entry in table()["nested"][module_name][owner].items():
        view = record
        for part in path.split("."):
            view = getattr(view, part)
        assert [m for m in entry["members"] if not hasattr(view, m)] == [], path


# Left out: what is not made alone, and dim3 and what holds one (they start at one).
@entries("classes", lambda name, entry: not (entry["kind"] == "nested" or entry.get("initial")
                                             or name == "cudaKernelNodeParams"))
def test_a_fresh_object_is_zero(modules, module_name, name, entry):
    value = getattr(modules[module_name], name)()
    if entry["kind"] == "record":
        assert ctypes.string_at(value.getPtr(), entry["size"]) == bytes(entry["size"])
    else:
        assert int(value) == 0
        number = "0" if entry["kind"] in ("signed32", "unsigned32", "unsigned64") else "0x0"
        assert repr(value) == str(value) == f"<{name} {number}>"


@entries("enums")
def test_enum_has_its_members_and_values(modules, module_name, name, entry):
    cls = getattr(modules[module_name], name)
    assert isinstance(cls, type) and issubclass(cls, enum.IntEnum) and cls.__name__ == name
    expected = {member: value for member, value in entry}
    found = {member: int(value) for member, value in cls.__members__.items()}
    sentinels = {m for m in expected if m.endswith(("_MAX", "_NUM_OPTIONS", "Max"))}
    assert [m for m in expected if m not in found] == []
    assert {m: (v, found[m]) for m, v in expected.items() if found[m] != v and m not in sentinels} == {}
    # In the header's order, aliases behind the name that stands first.
    assert [m for m in found if m in expected] == [m for m, _ in entry]


@entries("constants")
def test_constant_has_its_value(modules, module_name, name, entry):
    value = getattr(modules[module_name], name)
    assert type(value) is int and value == entry


@pytest.mark.parametrize("module_name", MODULES)
def test_dir_lists_every_name_of_the_table(modules, module_name):
    names = set(dir(modules[module_name]))
    wanted = {r["name"] for r in table()["functions"][module_name]}
    for section in ("classes", "enums", "constants"):
        wanted |= set(table()[section].get(module_name, {}))
    wanted -= {n for n, e in table()["classes"][module_name].items() if e["kind"] == "nested"}
    assert sorted(wanted - names) == []


@pytest.mark.parametrize("name", ["cuNoSuchFunction", "", "\udc80", "cuInit\udcff", "cuInit\0", "é"])
def test_a_name_that_there_is_not_is_an_attribute_error(modules, name):
    for module in modules.values():
        assert not hasattr(module, name)
        with pytest.raises(AttributeError, match="has no attribute"):
            getattr(module, name)
