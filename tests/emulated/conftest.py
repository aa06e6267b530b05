# SPDX-License-Identifier: Apache-2.0
"""Chooses the device before the first driver call: CUDA_BINDINGS_TEST_DEVICE=emulated (the default) or gpu.

CUDA_BINDINGS_LIBCUDA names another build of the emulated device, with sanitizers for instance.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHOICES = ("emulated", "gpu")

for _folder in (ROOT, HERE / "kernels", HERE):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))


def pytest_addoption(parser: pytest.Parser) -> None:
    """The device as an option; the environment variable is the default."""
    parser.addoption("--test-device", choices=CHOICES, default=None, help="device of tests/emulated")


def _chosen(config: pytest.Config) -> str:
    chosen = config.getoption("--test-device", None) or os.environ.get("CUDA_BINDINGS_TEST_DEVICE", "emulated")
    if chosen not in CHOICES:
        raise pytest.UsageError(f"CUDA_BINDINGS_TEST_DEVICE is {chosen!r}: it may be {' or '.join(CHOICES)}")
    return chosen


def pytest_configure(config: pytest.Config) -> None:
    """Names the marker."""
    config.addinivalue_line("markers", "emulated: runs on the emulated device or, where chosen, on a real GPU")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the tests of this folder; leaves them out, and says so, beside tests that load the fake libraries."""
    ours = [item for item in items if HERE in Path(item.fspath).parents]
    fakes = ROOT / "tests" / "python"
    if any(fakes in Path(item.fspath).parents for item in items) and ours:
        items[:] = [item for item in items if item not in ours]
        config.hook.pytest_deselected(items=ours)
        config.stash[_LEFT_OUT] = len(ours)
        return
    if not ours:
        return
    on_gpu = _chosen(config) == "gpu"
    if on_gpu or os.environ.get("CUDA_BINDINGS_LIBCUDA"):
        os.environ.pop("CUDA_BINDINGS_DEVICE", None)
    else:
        os.environ["CUDA_BINDINGS_DEVICE"] = "emulated"
    for item in ours:
        item.add_marker(pytest.mark.emulated)
        if on_gpu:
            item.add_marker(pytest.mark.gpu)


_LEFT_OUT = pytest.StashKey[int]()


def pytest_report_collectionfinish(config: pytest.Config) -> str | None:
    """One process loads one driver: says that this folder was left out."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    if left_out:
        return f"tests/emulated: {left_out} tests left out beside those of the fake libraries; run the folder by itself"
    return None


def _open(config: pytest.Config):
    """The device, or the one line that says why there is none."""
    from device import Device, DeviceError

    chosen = _chosen(config)
    try:
        found = Device()
    except (DeviceError, RuntimeError, OSError) as error:
        return None, f"no {chosen} device: {' '.join(str(error).split())}"
    if found.emulated != (chosen == "emulated"):
        return None, f"asked for the {chosen} device, got {found.name!r}"
    return found, None


@pytest.fixture(scope="session")
def _opened(request: pytest.FixtureRequest):
    opened = _open(request.config)
    yield opened
    if opened[0]:
        opened[0].close()


@pytest.fixture
def device(_opened):
    """The device under test, with its context current."""
    found, reason = _opened
    if not found:
        pytest.fail(reason, pytrace=False)
    return found
