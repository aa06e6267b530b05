# SPDX-License-Identifier: Apache-2.0
"""Writes what the kernel tests recorded, where CUDA_BINDINGS_RECORD names a file; prints the spellings reached."""

from __future__ import annotations

import json
import os

import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The results of all cases that ran, with the device's name."""
    path = os.environ.get("CUDA_BINDINGS_RECORD")
    if not path:
        return
    from kernel_case import RECORDS

    with open(path, "w", encoding="utf-8") as file:
        json.dump({"device": RECORDED_ON.get("name", ""), "results": RECORDS}, file)


def pytest_terminal_summary(terminalreporter) -> None:
    """The figures that tests left in REPORTED."""
    from spelling_coverage import REPORTED

    for line in REPORTED:
        terminalreporter.write_line(line)


RECORDED_ON: dict[str, str] = {}


@pytest.fixture(autouse=True)
def _name_of_the_device(request: pytest.FixtureRequest) -> None:
    if "device" in request.fixturenames:
        RECORDED_ON["name"] = request.getfixturevalue("device").name
