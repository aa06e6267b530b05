# SPDX-License-Identifier: Apache-2.0
"""The benchmark's modules, and its null driver and floor, built once."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))


@pytest.fixture(scope="session")
def null_folder():
    """The folder with the null libcuda, libcudart and libnvrtc."""
    from null_driver import build
    return build.build(ROOT / "build" / "bench" / "null")


@pytest.fixture(scope="session")
def floor_folder():
    """The folder with the floor for this Python."""
    from floor import build
    return build.build(ROOT / "build" / "bench" / f"floor-{sys.version[:4]}")
