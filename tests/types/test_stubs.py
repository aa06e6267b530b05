# SPDX-License-Identifier: Apache-2.0
"""The stubs beside the running modules: the same names, signatures, values and members, read with ast and inspect."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from enum import IntEnum
from pathlib import Path
from types import GetSetDescriptorType, ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))

MODULES = ("driver", "runtime", "nvrtc")


class Stub:
    """The declarations of one stub by name."""

    def __init__(self, path: Path) -> None:
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.constants: dict[str, int] = {}
        self.aliases: dict[str, str] = {}
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                if node.target.id.startswith("_") and not node.target.id.startswith("__"):
                    continue  # a name for types
                self.constants[node.target.id] = ast.literal_eval(node.value)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assert isinstance(node.value, ast.Name)
                self.aliases[node.targets[0].id] = node.value.id

    def members(self, name: str) -> dict[str, list[str]]:
        """Property -> its decorators, of a class's own body."""
        found: dict[str, list[str]] = {}
        for node in self.classes[name].body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                found.setdefault(node.name, []).append(ast.unparse(node.decorator_list[0]))
        return {member: decorators for member, decorators in found.items() if "property" in decorators}


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the three modules."""
    return importlib.import_module(f"cuda_bindings.{request.param}")


@pytest.fixture
def stub(module: ModuleType) -> Stub:
    """Its stub."""
    return Stub(Path(str(module.__file__)).with_name(module.__name__.split(".")[1] + ".pyi"))


def public_names(module: ModuleType) -> set[str]:
    """What dir() shows, less what Python gives every module."""
    return {name for name in dir(module) if not (name.startswith("__") and name.endswith("__"))}


def test_the_stub_names_what_the_module_has_and_nothing_else(module: ModuleType, stub: Stub) -> None:
    named = {*stub.functions, *stub.classes, *stub.constants, *stub.aliases} - {"__dir__", "_bytes"}
    assert named == public_names(module)


def test_every_function_has_the_parameters_that_the_stub_says(module: ModuleType, stub: Stub) -> None:
    checked = 0
    for name, forms in stub.functions.items():
        if name == "__dir__":
            continue
        found = [(p.name, p.kind) for p in inspect.signature(getattr(module, name)).parameters.values()]
        for form in forms:
            assert not (form.args.posonlyargs or form.args.kwonlyargs or form.args.vararg or form.args.kwarg)
            said = [(argument.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD) for argument in form.args.args]
            assert said == found, name
        checked += 1
    assert checked == {"driver": 486, "runtime": 332, "nvrtc": 25}[module.__name__.split(".")[1]]


def test_every_default_is_what_the_stub_says(module: ModuleType, stub: Stub) -> None:
    for name, forms in stub.functions.items():
        if name == "__dir__":
            continue
        signature = inspect.signature(getattr(module, name))
        found = [p.default for p in signature.parameters.values() if p.default is not inspect.Parameter.empty]
        said = [ast.literal_eval(default) for form in forms for default in form.args.defaults]
        assert said == found, name


def test_every_docstring_begins_with_the_signature_of_the_stub(module: ModuleType, stub: Stub) -> None:
    for name, forms in stub.functions.items():
        if name == "__dir__":
            continue
        first = inspect.cleandoc(getattr(module, name).__doc__).split("\n\n")[0]
        first = re.sub(r"\s+", " ", first)
        head = ast.parse("def " + first.replace("bytes | None]", "bytes]") + ": ...").body[0]
        assert isinstance(head, ast.FunctionDef) and head.name == name
        assert [a.arg for a in head.args.args] == [a.arg for a in forms[0].args.args], name
        assert head.returns is not None and forms[-1].returns is not None
        assert ast.unparse(head.returns) == ast.unparse(forms[-1].returns), name


def test_an_alias_is_the_function_that_the_stub_says(module: ModuleType, stub: Stub) -> None:
    for alias, name in stub.aliases.items():
        if alias != "_bytes":
            assert getattr(module, alias) is getattr(module, name)


def test_constants_have_the_values_of_the_stub(module: ModuleType, stub: Stub) -> None:
    assert {name: getattr(module, name) for name in stub.constants} == stub.constants


def test_enumerations_have_the_members_of_the_stub(module: ModuleType, stub: Stub) -> None:
    for name, node in stub.classes.items():
        cls: Any = getattr(module, name)
        if ast.unparse(node.bases[0]) != "IntEnum":
            assert not issubclass(cls, IntEnum)
            continue
        said = {line.targets[0].id: ast.literal_eval(line.value)
                for line in node.body if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)}
        assert {member: value.value for member, value in cls.__members__.items()} == said
        assert issubclass(cls, IntEnum)


def test_classes_derive_from_what_the_stub_says(module: ModuleType, stub: Stub) -> None:
    for name, node in stub.classes.items():
        base = ast.unparse(node.bases[0])
        if base in ("IntEnum", "_Handle", "_Number", "_Record"):
            continue
        home, _, parent = base.rpartition(".")
        there = importlib.import_module("cuda_bindings." + home.removeprefix("_")) if home else module
        assert getattr(module, name).__bases__ == (getattr(there, parent),), name


def test_records_have_the_members_of_the_stub(module: ModuleType, stub: Stub) -> None:
    for name in stub.classes:
        cls: type[Any] = getattr(module, name)
        own = {member for member, value in vars(cls).items() if isinstance(value, GetSetDescriptorType)}
        assert set(stub.members(name)) == own - {"__weakref__", "__dict__"}, name


def test_members_without_a_setter_cannot_be_assigned(module: ModuleType, stub: Stub) -> None:
    for name in stub.classes:
        for member, decorators in stub.members(name).items():
            if decorators == ["property"]:
                with pytest.raises(AttributeError, match="read-only"):
                    setattr(getattr(module, name)(), member, None)
