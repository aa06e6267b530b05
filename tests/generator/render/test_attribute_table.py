# SPDX-License-Identifier: Apache-2.0
"""The join of attributes.toml with the plan's enums: rows in search order, and a code for whatever does not fit."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "generator" / "render"))

import attributes  # noqa: E402
from codes import RenderError  # noqa: E402


@pytest.fixture
def plan() -> dict:
    """One enum with two attributes and a sentinel, one integer-like."""
    return {
        "release": "13.0",
        "enums": [{"id": "CUattr", "values": [["CU_SIZE", 4], ["CU_LOG", 2], ["CU_LOG_ALIAS", 2], ["CU_MAX", 9]]}],
        "handles": [{"id": "cuuint64_t"}],
        "records": [],
        "functions": [],
    }


@pytest.fixture
def tables() -> dict:
    """Rows that fit that plan."""
    return {
        "CUattr": {
            "CU_SIZE": {"kind": "number_object", "type": "cuuint64_t"},
            "CU_LOG": {"kind": "log_buffer", "partner": "CU_SIZE"},
            "CU_MAX": {"excluded": "counts"},
        }
    }


def fails(code: str, text: str, plan: dict, tables: dict) -> None:
    """The join ends with this code and this text."""
    with pytest.raises(RenderError, match=re.escape(text)) as caught:
        attributes.attribute_rows(plan, tables)
    assert caught.value.code == code


def test_rows_are_ordered_by_value_and_name_ids(plan, tables):
    rows = attributes.attribute_rows(plan, tables)
    assert [(row["name"], row["value"], row["kind"], row["type"], row["partner"]) for row in rows] == [
        ("CU_LOG", 2, "log_buffer", "-1", 4),
        ("CU_SIZE", 4, "number_object", "HANDLE_cuuint64_t", -1),
    ]


def test_the_committed_data_can_be_read():
    tables = attributes.load()
    assert tables["CUpointer_attribute"]["CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL"] == {"kind": "int"}


def test_e500_names_what_the_plan_lacks(plan, tables):
    fails("E500", "no enum CUother", plan, {**tables, "CUother": {}})
    tables["CUattr"]["CU_SIZE"]["type"] = "cuuint65_t"
    fails("E500", "have no cuuint65_t", plan, tables)


def test_e500_for_a_partner_that_does_not_exist(plan, tables):
    tables["CUattr"]["CU_LOG"]["partner"] = "CU_SIZES"
    fails("E500", "has no CU_SIZES", plan, tables)


def test_e501_shows_the_row_to_add(plan, tables):
    del tables["CUattr"]["CU_SIZE"]
    fails("E501", 'CU_SIZE = { kind = "..." }', plan, tables)


def test_e502_for_an_enumerator_that_is_gone(plan, tables):
    tables["CUattr"]["CU_OLD"] = {"kind": "int"}
    fails("E502", "CUattr of 13.0 has no CU_OLD", plan, tables)


def test_a_row_may_wait_for_a_later_release(plan, tables):
    tables["CUattr"]["CU_NEW"] = {"kind": "int", "since": "13.1"}
    assert len(attributes.attribute_rows(plan, tables)) == 2
    fails("E502", "CUattr of 13.1 has no CU_NEW", {**plan, "release": "13.1"}, tables)


@pytest.mark.parametrize(
    "row", [{"kind": "integer"}, {"kind": "int", "size": 4}, {"kind": "text"}, {"excluded": "counts", "kind": "int"}]
)
def test_e503_for_rows_that_do_not_fit(plan, tables, row):
    tables["CUattr"]["CU_SIZE"] = row
    fails("E503", "CU_SIZE", plan, tables)


def test_e504_for_a_table_that_functions_ask_for(plan, tables):
    plan["functions"] = [{"arguments": [{"convert": "attribute", "table": "CUother"}], "outputs": []}]
    fails("E504", "no table [CUother]", plan, tables)
