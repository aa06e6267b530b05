# SPDX-License-Identifier: Apache-2.0
"""Points the package at the fake libraries and gives tests the modules and the recorders of their calls."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAKES = Path(os.environ.get("FAKE_LIBRARIES", ROOT / "build" / "fake"))
FAKE_NVRTC = os.environ.get("CUDA_BINDINGS_TEST_FAKE_NVRTC") == "1"

# The package is the one built in this checkout; without one, the installed package, which the sources must not hide.
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))
else:
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != ROOT]

# Libraries are chosen at the first call, once per process: by now or never. NVRTC needs no GPU and stays real here.
os.environ["CUDA_BINDINGS_LIBCUDA"] = str(FAKES / "libfakecuda.so")
os.environ["CUDA_BINDINGS_LIBCUDART"] = str(FAKES / "libfakecudart.so")
if FAKE_NVRTC:
    os.environ["CUDA_BINDINGS_LIBNVRTC"] = str(FAKES / "libfakenvrtc.so")


def pytest_configure(config: pytest.Config) -> None:
    """Builds the fake libraries where they are missing or older than their sources."""
    build = ROOT / "tests" / "fake" / "build.py"
    if build.is_file() and "FAKE_LIBRARIES" not in os.environ:
        subprocess.run([sys.executable, str(build)], check=True)


@pytest.fixture(scope="session")
def modules():
    """The three API modules by name."""
    from cuda_bindings import driver, nvrtc, runtime
    return {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}


@pytest.fixture(scope="session")
def _session_recorders():
    from recorder import Recorder
    recorders = {"driver": Recorder(str(FAKES / "libfakecuda.so")), "runtime": Recorder(str(FAKES / "libfakecudart.so"))}
    if FAKE_NVRTC:
        recorders["nvrtc"] = Recorder(str(FAKES / "libfakenvrtc.so"))
    return recorders


@pytest.fixture
def recorders(_session_recorders):
    """The recorders of the fake libraries, without handlers and calls; what a handler raised fails the test."""
    for recorder in _session_recorders.values():
        recorder.reset()
    yield _session_recorders
    for recorder in _session_recorders.values():
        recorder.check()
        recorder.reset()


@pytest.fixture
def driver(modules):
    """The driver module."""
    return modules["driver"]


@pytest.fixture
def runtime(modules):
    """The runtime module."""
    return modules["runtime"]


@pytest.fixture
def cuda(recorders):
    """The recorder of the fake libcuda."""
    return recorders["driver"]


@pytest.fixture
def cudart(recorders):
    """The recorder of the fake libcudart."""
    return recorders["runtime"]
