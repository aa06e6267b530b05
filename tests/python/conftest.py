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
REAL_NVRTC = os.environ.get("CUDA_BINDINGS_TEST_REAL_NVRTC") == "1"

# The package is the one built in this checkout; without one, the installed package, which the sources must not hide.
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))
else:
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != ROOT]

# Libraries are chosen at the first call, once per process: by now or never. The real NVRTC is tested in a process of
# its own: it asks for libcuda, and must not find a fake one.
LIBRARIES = {"driver": "LIBCUDA", "runtime": "LIBCUDART", "nvrtc": "LIBNVRTC"}
FILES = {"driver": FAKES / "libfakecuda.so", "runtime": FAKES / "libfakecudart.so",
         "nvrtc": FAKES / "libfakenvrtc.so"}
if not REAL_NVRTC:
    for module, variable in LIBRARIES.items():
        name = f"CUDA_BINDINGS_{variable}"
        os.environ.setdefault(f"{name}_BEFORE_TESTS", os.environ.get(name, ""))
        os.environ[name] = str(FILES[module])


def pytest_configure(config: pytest.Config) -> None:
    """Builds the fake libraries where they are missing or older than their sources."""
    build = ROOT / "tests" / "fake" / "build.py"
    if not REAL_NVRTC and "FAKE_LIBRARIES" not in os.environ:
        subprocess.run([sys.executable, str(build)], check=True)


@pytest.fixture(scope="session")
def modules():
    """The three API modules by name."""
    from cuda_bindings import driver, nvrtc, runtime
    return {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}


@pytest.fixture(scope="session")
def _session_recorders(modules):
    from recorder import Recorder
    # The loader asks each library for its version once: before any recorder answers in its place.
    for module, call in (("driver", "cuDriverGetVersion"), ("runtime", "cudaRuntimeGetVersion"),
                         ("nvrtc", "nvrtcVersion")):
        assert getattr(modules[module], call)()[0] == 0
    return {module: Recorder(str(path)) for module, path in FILES.items()}


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
