# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: writes each test's start and outcome as a line of JSON, so that a crash loses one test only."""

from __future__ import annotations

import json
import os


def _write(**row: str) -> None:
    with open(os.environ["MUTATION_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps(row) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    """A test begins."""
    _write(test=nodeid, outcome="started", text="")


def pytest_runtest_logreport(report) -> None:
    """A phase of a test has ended."""
    if report.failed:
        _write(test=report.nodeid, outcome="failed", text=str(report.longrepr)[-6000:])
    elif report.when == "call" or report.skipped:
        _write(test=report.nodeid, outcome=report.outcome, text="")


def pytest_collectreport(report) -> None:
    """A file that cannot be collected fails as a whole."""
    if report.failed:
        _write(test=report.nodeid, outcome="failed", text=str(report.longrepr)[-6000:])


def pytest_collection_modifyitems(config, items) -> None:
    """Leaves out what an earlier process, which a test has ended, ran already."""
    with open(os.environ["MUTATION_DONE"], encoding="utf-8") as lines:
        done = set(lines.read().split("\n"))
    items[:] = [item for item in items if item.nodeid not in done]
