# SPDX-License-Identifier: Apache-2.0
"""Verdicts: against the floor by time or by instructions, against cuda.bindings, over another call."""

import pytest

import report

TARGETS = {"by_instructions": 0.05, "floor": {"call": 0.5},
           "targets": {"handles": {"floor": 1.15, "peer": 0.38}, "arrays": {"peer": 0.4},
                       "prepared": {"extra_ns": 15}, "size": {"most": 3.5, "unit": "MB"},
                       "kernel": {"within": 0.01}}}


def row(target, floor=None, peer=None, instructions=None, **more):
    found = {"title": "call", "target": target, "ratios": {}} | more
    if floor is not None:
        found["ratios"]["ours/floor"] = floor
    if peer is not None:
        found["ratios"]["ours/peer"] = peer
    if instructions is not None:
        found["instructions"] = {"ratio": instructions}
    return found


@pytest.mark.parametrize(("given", "verdict"), [
    (row("handles", 1.15, 0.38), ("met", "")),
    (row("handles", 1.16, 0.38), ("MISSED", "floor 1.16 > 1.15")),
    (row("handles", 1.30, 0.38, instructions=1.10), ("met", "by instructions")),
    (row("handles", 1.30, 0.38, instructions=1.11), ("MISSED", "floor 1.30 > 1.15")),
    (row("handles", 1.00, 0.39), ("MISSED", "peer 0.39 > 0.38")),
    (row("handles", 1.20, 0.40), ("MISSED", "floor 1.20 > 1.15; peer 0.40 > 0.38")),
    (row("handles", 1.00), ("met", "")),
    (row("handles"), ("-", "nothing to compare with here")),
    (row(None, 9.0, 9.0), ("-", "")),
    (row("arrays", missing=True), ("MISSED", "there is none")),
    (row("arrays", different="call: ours gives 1, peer gives 2"), ("DIFFERENT", "call: ours gives 1, peer gives 2")),
    (row(None, different="call: ours gives 1, peer gives 2"), ("DIFFERENT", "call: ours gives 1, peer gives 2")),
    (row("arrays", ns={"floor": {"median": 1.0}}), ("MISSED", "there is none")),
    (row("size", value=3.4), ("met", "")),
    (row("size", value=3.6), ("MISSED", "3.60 > 3.5 MB")),
    (row("kernel", ratios={"ours/twin": 0.991}), ("met", "")),
    (row("kernel", ratios={"ours/twin": 0.985}), ("MISSED", "twin 0.985 is not 1 +- 0.01")),
    (row("kernel", ratios={"ours/twin": 1.02}), ("MISSED", "twin 1.020 is not 1 +- 0.01")),
    (row("prepared", extra_ns=14.0), ("met", "+14 ns")),
    (row("prepared", extra_ns=16.0), ("MISSED", "+16 ns > 15 ns over the launch without arguments")),
])
def test_verdict(given, verdict):
    assert report.judge(given, TARGETS) == verdict


def test_the_floor_is_judged_against_cuda_bindings():
    rows = [{"title": "call", "ratios": {"floor/peer": 0.6}}, {"title": "other", "ratios": {"floor/peer": 2.0}}]
    assert report.judge_floor(rows, TARGETS) == [("call", 0.6, 0.5)]


def test_losses_are_counted_with_the_wins():
    rows = report.judge_all([row("handles", 1.0, 0.3), row("handles", 2.0, 0.3), row(None)], TARGETS)
    assert report.summary(rows) == "1 of 2 rows with a target meet it"


def test_a_line_has_ratios_before_times():
    given = row("handles", 1.5, 0.3, verdict="met", why="", ns={
        "floor": {"median": 80.0}, "peer": {"median": 400.0}, "ours": {"median": 120.0, "low": 119.0, "high": 131.0}})
    assert report.line(given).split() == ["call", "1.50", "-", "0.30", "-", "80", "400", "120", "(119-131)", "met"]


def test_the_targets_are_those_that_were_agreed():
    targets = report.load_targets()
    assert targets["targets"]["getter"] | {"what": ""} == {"what": "", "floor": 1.15, "peer": 0.80}
    assert targets["targets"]["launch_16"] | {"what": ""} == {"what": "", "floor": 1.30, "peer": 0.18}
    assert targets["floor"] == {"cuCtxGetCurrent()": 0.75, "cuStreamQuery(stream)": 0.34,
                                "cuLaunchKernel, no arguments": 0.36}


def test_a_row_that_stayed_noisy_says_so():
    given = row("handles", verdict="met", why="by instructions", runs=3, noise=0.31)
    assert report.verdict(given) == ("met by instructions  [noisy: the quietest of 3 runs, whose ratios spread over "
                                     "31 %]")
    assert report.verdict(row("handles", verdict="MISSED", why="floor 2.00 > 1.15", runs=2, noise=0.2)) == \
        "MISSED: floor 2.00 > 1.15"


@pytest.mark.parametrize(("floor", "verdicts", "strict", "status"), [
    ([("call", 0.5, 0.6)], ["met", "MISSED"], False, 0),
    ([("call", 0.5, 0.6)], ["met", "MISSED"], True, 1),
    ([("call", 0.5, 0.6)], ["met", "-"], True, 0),
    ([("call", 0.7, 0.6)], ["met", "met"], False, 1),
    ([("call", 0.5, 0.6)], ["met", "DIFFERENT"], False, 1),
])
def test_a_slow_floor_fails_and_a_missed_target_only_where_that_is_asked_for(floor, verdicts, strict, status):
    rows = [row("handles", verdict=each) for each in verdicts]
    assert report.status(floor, rows, strict) == status
