# SPDX-License-Identifier: Apache-2.0
"""The table of mutations fits today's plan: each applies, changes it, and what it changes can be printed."""

from __future__ import annotations

import copy
import sys

import pytest
from mutation_trial import ROOT, Failure, current_plan
from plan_edits import EditError, apply, get
from plan_mutations import Mutation, attribute, mutated, report, table
from random_mutations import draw

sys.path.insert(0, str(ROOT / "generator" / "render"))

import attributes  # noqa: E402
import render  # noqa: E402

KINDS = {"direction", "length source", "link name", "nullability", "wrapper", "rank", "alloc", "access", "offset",
         "member length", "member kind", "count member", "hidden member", "enum value", "handle cast", "handle base",
         "GIL", "order", "return shape", "default", "release", "limit", "attribute"}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """The plan of this checkout."""
    try:
        return current_plan(None, tmp_path_factory.mktemp("plan"))
    except SystemExit as error:
        pytest.skip(str(error))


def test_there_are_fifty_of_all_modules_and_kinds():
    mutations = table()
    assert len(mutations) == 50 and len({mutation.id for mutation in mutations}) == 50
    count = {module: [m.module for m in mutations].count(module) for module in ("driver", "runtime", "nvrtc")}
    assert count == {"driver": 22, "runtime": 19, "nvrtc": 9}
    assert {mutation.kind for mutation in mutations} == KINDS


def test_no_two_touch_the_same_entry():
    names = [name for mutation in table() for name in mutation.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("mutation", table(), ids=lambda mutation: mutation.id)
def test_mutation_changes_the_plan(mutation, plan):
    assert mutated(plan, [mutation]) != plan


@pytest.mark.parametrize("drawn", [False, True], ids=["by hand", "by chance"])
def test_mutated_plan_is_printed(drawn, plan, monkeypatch):
    mutations = [Mutation(**row) for row in draw(plan, 60, 1)] if drawn else table()
    changed = mutated(plan, mutations)
    monkeypatch.setattr(attributes, "load", lambda: changed["attributes"])
    printed = render.render(changed)
    assert printed.keys() == {output.path for output in render.OUTPUTS}
    for path in ("bindings/generated/driver.pyx", "bindings/generated/runtime.pyx", "bindings/generated/nvrtc.pyx"):
        assert printed[path] != (ROOT / path).read_text(encoding="utf-8")


FUNCTION = {
    "name": "f",
    "params": [{"name": name, "role": "in", "alloc": "-", "nullable": True} for name in ("handle", "list", "count")],
    "arguments": [{"python": "handle"}, {"python": "count"}],
    "outputs": [{"produce": "handle_array", "capacity_from": 1, "length": 1}],
    "call": [{"feed": "argument", "index": 0}, {"feed": "output", "index": 0}, {"feed": "argument", "index": 1}],
}


def test_an_output_that_becomes_an_input_stands_where_its_parameter_does():
    changed = {"functions": [copy.deepcopy(FUNCTION)]}
    apply(changed, [{"do": "output_to_argument", "function": "f", "parameter": "list",
                     "argument": {"convert": "address"}}])
    function = changed["functions"][0]
    assert [argument["python"] for argument in function["arguments"]] == ["handle", "list", "count"]
    assert function["outputs"] == []
    assert [(feed["feed"], feed["index"]) for feed in function["call"]] == [
        ("argument", 0), ("argument", 1), ("argument", 2)]


def test_arguments_that_change_places_are_found_by_what_names_them():
    changed = {"functions": [copy.deepcopy(FUNCTION)]}
    apply(changed, [{"do": "swap", "function": "f", "what": "arguments", "first": 0, "second": 1}])
    assert get(changed, "functions.f.outputs.0.capacity_from") == 0
    assert [feed["index"] for feed in changed["functions"][0]["call"]] == [1, 0, 0]


def test_edits_that_change_nothing_are_refused():
    with pytest.raises(EditError, match="already"):
        apply({"functions": [copy.deepcopy(FUNCTION)]}, [{"set": "functions.f.name", "to": "f"}])
    with pytest.raises(EditError, match="no entry 'g'"):
        apply({"functions": [copy.deepcopy(FUNCTION)]}, [{"set": "functions.g.name", "to": "h"}])


def test_failures_go_to_the_mutation_that_they_name():
    first, second = (Mutation(name, "driver", "order", "", [name], []) for name in ("cuOne", "cuTwo"))
    failures = [Failure("test_x[cuOne]", "cuTwo"), Failure("test_all", "cuTwo is wrong"),
                Failure("test_y", "cuOneMore")]
    assert attribute(failures, [first, second]) == [failures[2]]
    assert (first.caught, second.caught) == ([failures[0]], [failures[1]])
    assert "2 of 2" not in report([first, second]) and "test_x[cuOne]" in report([first, second])
