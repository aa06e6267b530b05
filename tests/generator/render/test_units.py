# SPDX-License-Identifier: Apache-2.0
"""The rows that give numbers their units: what they decide, and what is wrong with them. The functions are ours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "generator" / "render"))

import units  # noqa: E402
from codes import RenderError  # noqa: E402


def plan_of(name: str, *arguments: dict, outputs: tuple = ()) -> dict:
    """A plan of one function with these arguments and (C name, how it is produced) outputs."""
    params = [{"name": c_name, "c_type": "int *"} for c_name, _ in outputs]
    call = [{"feed": "output", "index": index} for index in range(len(outputs))]
    return {"functions": [{"name": name, "arguments": list(arguments), "params": params, "call": call,
                           "outputs": [{"produce": produce} for _, produce in outputs]}]}


def number(name: str) -> dict:
    """An argument that is a number."""
    return {"python": name, "convert": "number"}


def row(*match: str, unit: str = "bytes", hits: int = 1) -> dict:
    """A row of the table."""
    return {"unit": unit, "match": list(match), "hits": hits, "reason": "for the test"}


def code_of(action, *arguments) -> str:
    """The code of the error that it ends with."""
    with pytest.raises(RenderError) as caught:
        action(*arguments)
    return caught.value.code


def test_a_row_decides_what_its_pattern_matches():
    plan = plan_of("cuFoo", number("width"), number("height"))
    assert units.stated(plan, {"rows": row("cu*.height", unit="rows")}) == {"cuFoo.height": "rows"}


def test_a_row_decides_a_value_that_is_returned():
    plan = plan_of("cuFoo", outputs=(("pMilliseconds", "float"), ("pStream", "handle")))
    assert units.stated(plan, {"time": row("*.p*", unit="milliseconds")}) == {"cuFoo.pMilliseconds": "milliseconds"}


def test_what_measures_another_argument_needs_no_row():
    memory = {"python": "dst", "convert": "address", "bytes": "count"}
    nodes = {"python": "nodes", "convert": "handle_list", "count": "numNodes"}
    plan = plan_of("cuFoo", memory, number("count"), nodes, number("numNodes"))
    assert units.derived(plan["functions"][0]) == {"count": "bytes of dst", "numNodes": "elements of nodes"}
    assert units.parameters(plan["functions"][0]) == []


def test_a_number_that_measures_several_lists_names_them():
    lists = [{"python": name, "convert": "handle_list", "count": "count"} for name in ("a", "b", "c")]
    assert units.derived(plan_of("cuFoo", *lists)["functions"][0]) == {"count": "elements of a, b and c"}


def test_e600_a_table_that_cannot_be_read(tmp_path):
    assert code_of(units.load, tmp_path / "none.toml") == "E600"
    incomplete = tmp_path / "units.toml"
    incomplete.write_text('[row]\nunit = "bytes"\nmatch = ["*"]\nhits = 1\n')
    assert code_of(units.load, incomplete) == "E600"


def test_e601_two_rows_for_one_parameter():
    plan = plan_of("cuFoo", number("size"))
    assert code_of(units.stated, plan, {"one": row("*.size"), "two": row("cuFoo.*")}) == "E601"


def test_e602_a_row_that_has_lost_a_parameter():
    plan = plan_of("cuFoo", number("size"))
    assert code_of(units.check, plan, {"row": row("*.size", hits=2)}) == "E602"
    units.check(plan, {"row": row("*.size", hits=1)})
