# SPDX-License-Identifier: Apache-2.0
"""Every example runs on the GPU and finds its own result correct."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name", ["saxpy", "saxpy_2021", "saxpy_runtime", "constant_memory", "two_streams",
                                  "graph_capture"])
def test_example_verifies_its_result(name):
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "correct" in done.stdout
