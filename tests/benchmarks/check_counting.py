# SPDX-License-Identifier: Apache-2.0
"""Instruction counts under valgrind: the same in every run, and a call that one load slows is noticed by name.

No file of the plain pytest run, as valgrind is needed: a part of `./dev test --only instructions`.
"""

import os
from pathlib import Path

import pytest

import columns
import instructions
import stored_ratios

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ROW = "cuDriverGetVersion()"


@pytest.fixture(scope="module")
def environment(null_folder, floor_folder):
    """What counted processes see."""
    return dict(os.environ) | columns.variables(null_folder, floor_folder) | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])}


@pytest.fixture(scope="module")
def counted(environment):
    """The row of one call."""
    return instructions.measure_all(environment, ROW)


def test_another_run_gives_the_same_ratio_whatever_variables_there_are(environment, counted):
    again = instructions.measure_all(environment | {"ANOTHER": "x" * 4000, "PYTHONHASHSEED": "7"}, ROW)
    assert list(again) == list(counted) == [ROW]
    assert again[ROW]["ratio"] == pytest.approx(counted[ROW]["ratio"], rel=0.005)


def test_a_row_that_a_single_load_slows_fails_by_name(environment, counted, tmp_path, capsys):
    path = tmp_path / "instructions.json"
    now = stored_ratios.conditions()
    stored_ratios.store(now, counted, path=path)
    assert stored_ratios.check(now, counted, path=path) == 0
    slowed = instructions.measure_all(environment, ROW, HERE / "slowed_count.py")
    assert stored_ratios.check(now, slowed, path=path) == 1
    assert f"GROWN: {ROW}" in capsys.readouterr().out
