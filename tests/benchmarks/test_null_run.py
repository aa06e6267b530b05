# SPDX-License-Identifier: Apache-2.0
"""The null driver's part from end to end, with the package of this checkout and the floor."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import columns
import null_run

ROOT = Path(__file__).resolve().parents[2]


def run(null_folder, floor_folder, output, pattern):
    """null_run.py in a process of its own."""
    environment = dict(os.environ) | columns.variables(null_folder, floor_folder)
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    environment.pop("CUDA_BINDINGS_DEVICE", None)
    return subprocess.run([sys.executable, ROOT / "benchmarks" / "null_run.py", output, "--rounds", "2", "--only",
                           pattern], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("pattern", "rows"), [("cuStreamQuery(stream)", 1), ("16 pointers, ", 5), ("struct.", 10),
                                               ("cuMemcpyBatchAsync", 3), ("cuGraphGet", 2)])
def test_rows_have_values_that_agree_and_times(null_folder, floor_folder, tmp_path, pattern, rows):
    done = run(null_folder, floor_folder, tmp_path / "rows.json", pattern)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert len(found) == rows
    assert all(row["ns"]["ours"]["median"] > 0 for row in found)


def test_a_floor_that_gives_other_values_fails_the_run_and_is_named_in_its_row(null_folder, tmp_path):
    (tmp_path / "benchmark_floor.py").write_text("def cuDriverGetVersion(): return 0, 12345\n")
    done = run(null_folder, tmp_path, tmp_path / "rows.json", "cuDriverGetVersion")
    assert done.returncode == null_run.DIFFERENT
    assert "DIFFERENT: cuDriverGetVersion()" in done.stderr
    rows = {row["title"]: row for row in json.loads((tmp_path / "rows.json").read_text())["rows"]}
    assert "floor gives" in rows["cuDriverGetVersion()"]["different"]


def test_every_target_is_some_rows():
    import report

    used = {case.target for case in null_run.all_cases()} - {None}
    elsewhere = {"start", "size", "build", "properties", "gpu_launch", "gpu_kernel"}
    assert used | elsewhere == set(report.load_targets()["targets"])
