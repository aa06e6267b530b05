# SPDX-License-Identifier: Apache-2.0
"""Tables of a run stand between the comments that name its machine; nothing else of the page changes."""

import pytest

import page

RUN = {"python": "3.12.3", "peer": "13.5.0", "machine": {"processor": "A CPU", "load": "load 0.1"},
       "floor": [["cuStreamQuery(stream)", 0.27, 0.34]],
       "budget": [{"part": "GIL", "ns": 41.31, "instructions": 413.0, "what": "given up"}],
       "rows": [{"title": "cuStreamQuery(stream)", "verdict": "met", "why": "", "instructions": {"ratio": 1.08},
                 "ratios": {"ours/floor": 1.031, "ours/peer": 0.284},
                 "ns": {"floor": {"median": 74.2}, "peer": {"median": 1273.0},
                        "ours": {"median": 79.4, "low": 78.6, "high": 85.9}}},
                {"title": "repr(struct)", "verdict": "-", "why": "", "ratios": {}, "ns": {}},
                {"title": "launch, wall", "verdict": "MISSED", "why": "twin 1.20 > 1.05", "ratios": {"ours/twin": 1.2},
                 "figures": "us: twin 4.0", "left_out": {"cupy": "No module named 'cupy'"}}]}


def test_a_run_gives_its_machine_and_tables():
    lines = page.tables(RUN).splitlines()
    assert lines[0] == "Python 3.12.3, cuda.bindings 13.5.0; A CPU, load 0.1. 1 of 2 rows with a target meet it."
    assert "| cuStreamQuery(stream) | 1.03 | 1.08 | 0.28 | 74 | 1,273 | 79 (79-86) | met |" in lines
    assert "| repr(struct) |  |  |  |  |  |  | - |" in lines
    assert "| cuStreamQuery(stream) | 0.27 | at most 0.34 |" in lines
    assert "| launch, wall | ours/twin 1.200 | us: twin 4.0 | MISSED: twin 1.20 > 1.05 |" in lines
    assert "| GIL | 41.3 | 413 | given up |" in lines
    assert "No cupy column: `No module named 'cupy'`" in lines


def test_only_the_named_place_changes():
    text = "a\n<!-- here -->\nold\n<!-- end of here -->\nb\n<!-- there -->\n<!-- end of there -->\n"
    assert page.put(text, "here", "new\n") == text.replace("old\n", "new\n")
    assert page.put(text, "there", "new\n") == text.replace("<!-- there -->\n", "<!-- there -->\nnew\n")


def test_a_place_that_is_not_there_is_an_error():
    with pytest.raises(SystemExit, match="no place named 'moon'"):
        page.put("a\n", "moon", "x\n")


def test_the_page_has_its_places():
    text = page.PAGE.read_text(encoding="utf-8")
    for name in ("here", "h200"):
        assert page.put(text, name, "").count(f"<!-- end of {name} -->") == 1
