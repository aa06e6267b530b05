# SPDX-License-Identifier: Apache-2.0
"""The modules of the package built in this checkout. Nothing here calls a library."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def driver():
    """The driver module."""
    from cuda_bindings import driver
    return driver


@pytest.fixture(scope="session")
def runtime():
    """The runtime module."""
    from cuda_bindings import runtime
    return runtime
