# SPDX-License-Identifier: Apache-2.0
"""The sweep of bad input runs on the fake libraries and the call plans of tests/python."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PYTHON_TESTS = Path(__file__).resolve().parents[1] / "python"
sys.path.insert(0, str(PYTHON_TESTS))
sys.path.insert(0, str(Path(__file__).resolve().parent))

# Under a name of its own: pytest knows every conftest.py by the same one.
_specification = importlib.util.spec_from_file_location("python_tests_conftest", PYTHON_TESTS / "conftest.py")
assert _specification and _specification.loader
_shared = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(_shared)

pytest_configure = _shared.pytest_configure
modules, _session_recorders, recorders = _shared.modules, _shared._session_recorders, _shared.recorders
driver, runtime, nvrtc, cuda, cudart = _shared.driver, _shared.runtime, _shared.nvrtc, _shared.cuda, _shared.cudart


class Tally:
    """How much was tried; pytest's last lines say it."""

    functions = parameters = inputs = records = members = 0


_TALLY = Tally()


@pytest.fixture(scope="session")
def tally() -> Tally:
    """Where the sweeps count."""
    return _TALLY


def pytest_terminal_summary(terminalreporter) -> None:
    """One line about the sweeps that ran."""
    if _TALLY.inputs:
        terminalreporter.write_line("sweep: " + ", ".join(
            f"{value} {name}" for name, value in sorted(vars(_TALLY).items())))
