# SPDX-License-Identifier: Apache-2.0
"""Tests on a real GPU: skipped as a whole where no driver answers; each test cleans up what it makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))
    # For the examples and the other process of the IPC test.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
else:
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != ROOT]


CHECK = """
from cuda_bindings import driver
from cuda_bindings.errors import LibraryNotFoundError
try:
    status, = driver.cuInit(0)
except LibraryNotFoundError:
    raise SystemExit("no libcuda")
if status:
    raise SystemExit(f"cuInit: {status!r}")
"""


def _why_not(items: list[pytest.Item]) -> str | None:
    """Why these tests cannot run here, or None. Asked in another process: libraries are chosen once per process."""
    if any(Path(item.fspath).parent.name == "python" for item in items):
        return "beside tests of the fake libraries: run tests/gpu by itself"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    done = subprocess.run([sys.executable, "-c", CHECK], env=environment, cwd="/", capture_output=True, text=True,
                          check=False)
    return (done.stderr.strip().splitlines() or ["no answer"])[-1] if done.returncode else None


def pytest_configure(config: pytest.Config) -> None:
    """Names the markers."""
    config.addinivalue_line("markers", "gpu: needs a GPU and its driver")
    config.addinivalue_line("markers", "provokes_errors: makes CUDA calls fail on purpose; not for compute-sanitizer")


def _without_what_is_not_emulated(items: list[pytest.Item], here: list[pytest.Item]) -> list[pytest.Item]:
    """Leaves out the tests that not_emulated.py lists with a reason; a row that fits no test is an error."""
    from not_emulated import NOT_EMULATED

    def row_of(item: pytest.Item) -> str | None:
        stem = Path(item.fspath).stem
        names = (stem, f"{stem}::{item.originalname}", f"{stem}::{item.name}")
        return next((name for name in names if name in NOT_EMULATED), None)

    rows = {item: row_of(item) for item in here}
    files = {Path(item.fspath).stem for item in here}
    unused = [row for row in NOT_EMULATED if row.split("::")[0] in files and row not in rows.values()]
    whole = len(files) == len(list(Path(__file__).parent.glob("test_*.py")))
    if unused and whole:
        raise pytest.UsageError(f"tests/gpu/not_emulated.py: no test fits {', '.join(unused)}")
    left_out = [item for item, row in rows.items() if row]
    items[:] = [item for item in items if item not in left_out]
    if left_out:
        left_out[0].config.hook.pytest_deselected(items=left_out)
    return [item for item in here if item not in left_out]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of this folder, and skips them where there is no GPU."""
    here = [item for item in items if Path(item.fspath).parent == Path(__file__).parent]
    if here and os.environ.get("CUDA_BINDINGS_DEVICE") == "emulated":
        here = _without_what_is_not_emulated(items, here)
    reason = _why_not(items) if here else None
    for item in here:
        item.add_marker(pytest.mark.gpu)
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


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


@pytest.fixture(scope="session")
def nvrtc():
    """The NVRTC module."""
    from cuda_bindings import nvrtc
    return nvrtc


@pytest.fixture(scope="session")
def device(driver):
    """The first device."""
    from gpu import ok
    ok(driver.cuInit(0))
    return ok(driver.cuDeviceGet(0))


@pytest.fixture(scope="session")
def primary(driver, device):
    """The device's primary context."""
    from gpu import ok
    context = ok(driver.cuDevicePrimaryCtxRetain(device))
    yield context
    ok(driver.cuDevicePrimaryCtxRelease(device))


@pytest.fixture
def context(driver, primary):
    """The primary context, current; nothing may be left undone behind the test."""
    from gpu import ok
    ok(driver.cuCtxSetCurrent(primary))
    yield primary
    ok(driver.cuCtxSynchronize())


@pytest.fixture
def stream(driver, context):
    """A stream that does not wait for the default one."""
    from gpu import ok
    made = ok(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    yield made
    ok(driver.cuStreamSynchronize(made))
    ok(driver.cuStreamDestroy(made))


@pytest.fixture
def memory(driver, context):
    """Allocates device memory of n bytes and frees it."""
    from gpu import ok
    made = []

    def allocate(size: int):
        made.append(ok(driver.cuMemAlloc(size)))
        return made[-1]
    yield allocate
    for pointer in made:
        ok(driver.cuMemFree(pointer))


@pytest.fixture(scope="session")
def capability(driver, device):
    """Compute capability as two numbers."""
    from gpu import ok
    attribute = driver.CUdevice_attribute
    return (ok(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)),
            ok(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)))


@pytest.fixture(scope="session")
def kernels_cubin(nvrtc, capability):
    """All kernels of these tests, compiled for the device."""
    from gpu import KERNELS, build
    return build(nvrtc, KERNELS, b"--gpu-architecture=sm_%d%d" % capability, cubin=True)


@pytest.fixture(scope="session")
def kernels_ptx(nvrtc, capability):
    """All kernels of these tests as PTX."""
    from gpu import KERNELS, build
    return build(nvrtc, KERNELS, b"--gpu-architecture=compute_%d%d" % capability, cubin=False)


@pytest.fixture
def module(driver, context, kernels_cubin):
    """The kernels, loaded."""
    from gpu import ok
    loaded = ok(driver.cuModuleLoadData(kernels_cubin))
    yield loaded
    ok(driver.cuModuleUnload(loaded))


@pytest.fixture
def kernel(driver, module):
    """A kernel of the module by name."""
    from gpu import ok
    return lambda name: ok(driver.cuModuleGetFunction(module, name))
