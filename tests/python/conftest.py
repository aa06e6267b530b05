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

# The real NVRTC is tested in a process of its own: it asks for libcuda, and must not find a fake one.
LIBRARIES = {"driver": "CUDA_BINDINGS_LIBCUDA", "runtime": "CUDA_BINDINGS_LIBCUDART",
             "nvrtc": "CUDA_BINDINGS_LIBNVRTC"}
FILES = {"driver": FAKES / "libfakecuda.so", "runtime": FAKES / "libfakecudart.so",
         "nvrtc": FAKES / "libfakenvrtc.so"}


def pytest_configure(config: pytest.Config) -> None:
    """Builds the fake libraries where they are missing or older than their sources."""
    build = ROOT / "tests" / "fake" / "build.py"
    if not REAL_NVRTC and "FAKE_LIBRARIES" not in os.environ:
        subprocess.run([sys.executable, str(build)], check=True)


@pytest.fixture(scope="session")
def modules():
    """The three API modules by name, each with its library chosen: that happens once per process, at the first call."""
    from cuda_bindings import driver, nvrtc, runtime
    if not REAL_NVRTC:
        with pytest.MonkeyPatch.context() as patch:
            for module, variable in LIBRARIES.items():
                patch.setenv(variable, str(FILES[module]))
            for call in (driver.cuDriverGetVersion, runtime.cudaRuntimeGetVersion, nvrtc.nvrtcVersion):
                assert call()[0] == 0
    return {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}


@pytest.fixture(scope="session")
def _session_recorders(modules):
    from recorder import Recorder
    made = {module: Recorder(str(path)) for module, path in FILES.items()}
    for module, call in (("driver", "cuDriverGetVersion"), ("runtime", "cudaRuntimeGetVersion"),
                         ("nvrtc", "nvrtcVersion")):
        getattr(modules[module], call)()
        assert made[module].calls, f"{module}: another library was in use before these tests; run them by themselves"
    return made


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


@pytest.fixture
def nvrtc(modules):
    """The NVRTC module."""
    return modules["nvrtc"]
