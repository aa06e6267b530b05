# SPDX-License-Identifier: Apache-2.0
"""What a call's parts cost: differences of statements, each of which runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import budget
import columns

ROOT = Path(__file__).resolve().parents[2]
EVERY = """
import budget, measure
for name, call in budget.statements(*budget.load()).items():
    result = eval(call.text, dict(call.names))
    assert measure.compile_loop(call)(1) > 0
    print(name, "" if result is None else result[0].name, sep=": ")
"""


def test_a_part_is_the_median_difference_of_two_statements_in_a_round(monkeypatch):
    monkeypatch.setattr(budget, "PARTS", {"bare": ("", "empty", None, 1), "GIL": ("", "released", "empty", 1),
                                          "item": ("", "many", "few", 48)})
    costs = {"empty": [30.0, 31.0, 90.0], "released": [100.0, 105.0, 150.0], "many": [500.0, 506.0, 900.0],
             "few": [20.0, 26.0, 30.0]}
    assert budget.parts(costs) == {"bare": 31.0, "GIL": 70.0, "item": 10.0}


def test_every_statement_that_a_part_names_runs(null_folder, floor_folder):
    environment = dict(os.environ) | columns.variables(null_folder, floor_folder)
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    environment.pop("CUDA_BINDINGS_DEVICE", None)
    done = subprocess.run([sys.executable, "-c", EVERY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = dict(line.split(": ") for line in done.stdout.splitlines())
    assert set(found) >= {name for _, whole, rest, _ in budget.PARTS.values() for name in (whole, rest) if name}
    assert found.pop("query busy") == "CUDA_ERROR_NOT_READY"
    assert found.pop("empty") == found.pop("released") == ""
    assert set(found.values()) == {"CUDA_SUCCESS"}


@pytest.mark.parametrize(("counted", "shown"), [(413.0, "     413"), (None, "       -")])
def test_a_part_is_shown_with_its_instructions_where_they_were_counted(counted, shown, capsys):
    budget.show([{"part": "GIL", "what": "given up", "ns": 41.3, "instructions": counted}])
    assert capsys.readouterr().out.splitlines()[-1] == f"{'GIL':28}    41.3{shown}  given up"
