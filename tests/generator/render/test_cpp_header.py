# SPDX-License-Identifier: Apache-2.0
"""The C++ header's providers: what C++ makes of a function's parameters, of unions and of names that the data knows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "generator" / "render"))

import cpp_functions  # noqa: E402
import cpp_types  # noqa: E402
from codes import RenderError  # noqa: E402


def test_statement_is_broken_behind_its_outermost_comma():
    text = "  return f(inner(aa, bb), cccc, inner(dd, ee));"
    assert cpp_functions.fit(text, 40) == "  return f(inner(aa, bb), cccc,\n      inner(dd, ee));\n"


def test_line_without_a_comma_is_broken_at_a_space():
    assert cpp_functions.fit("if (ready) answer |= flag;", 16) == "if (ready)\n    answer |=\n    flag;\n"


def test_blank_lines_go():
    assert cpp_functions.fit("a;\n\n\nb;\n") == "a;\nb;\n"


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> cpp_types.CppTypes:
    """The types of a plan with nothing in it, under data with nothing in it."""
    names = {"names": []}
    empty = {"plain": names, "addresses": names, "constants": {}, "written": names, "size_of": {}, "stream_flags": {}}
    monkeypatch.setattr(cpp_types, "load", lambda: empty)
    return cpp_types.CppTypes({"types": [], "handles": [], "constants": [], "functions": []})


def member(name: str, c_type: str, array: int = 0) -> dict:
    """A member of a record as the plan has it."""
    return {"name": name, "type": c_type, "array": array, "nested": None}


def test_largest_member_of_a_union_is_the_one_that_is_zeroed(types):
    union = {"union": True, "fields": [member("a", "int"), member("b", "char", 64), member("c", "void *")]}
    assert types.first_whole(union) == 1


def test_member_of_unknown_type_is_an_error(types):
    with pytest.raises(RenderError, match="E600"):
        types.size("struct nobody_knows")


def test_name_that_the_plan_does_not_have_is_an_error():
    plan = {"types": [], "handles": [], "constants": [], "functions": []}
    with pytest.raises(RenderError, match="E602.*CUdeviceptr"):
        cpp_types.CppTypes(json.loads(json.dumps(plan)))
