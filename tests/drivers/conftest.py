# SPDX-License-Identifier: Apache-2.0
"""Fake libraries of other releases, made once, and the processes in which they are played."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
# What the tests of the API expect of each function holds here too.
for folder in (TESTS / "drivers", TESTS / "python"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))

from link_names import link_names  # noqa: E402

_where = importlib.util.spec_from_file_location("fake_build", TESTS / "fake" / "build.py")
assert _where and _where.loader
fake_build = importlib.util.module_from_spec(_where)
_where.loader.exec_module(fake_build)

VARIABLES = {"driver": "CUDA_BINDINGS_LIBCUDA", "runtime": "CUDA_BINDINGS_LIBCUDART", "nvrtc": "CUDA_BINDINGS_LIBNVRTC"}
# What a 14.0 might bring: new functions, new forms of old ones. None may be called by who asks for today's.
IMAGINED = {
    "driver": {"cuMemAlloc_v3", "cuCtxCreate_v5", "cuDeviceGetAttribute_v2", "cuStreamGetCaptureInfo_v4",
               "cuMemcpyHtoD_v3_ptds", "cuGetProcAddress_v3", "cuQuantumEntangle", "cuTimeStreamRewind_ptsz"},
    "runtime": {"cudaMalloc_v2", "cudaStreamGetCaptureInfo_v4", "cudaGetDeviceProperties_v3", "cudaQuantumEntangle"},
    "nvrtc": {"nvrtcCompileProgram_v2", "nvrtcGetDreams"},
}


# NVIDIA's wheels that this interpreter may have would be found before what a scenario has put into folders.
WITHOUT_WHEELS = """
import os, sys
sys.path[:] = [path for path in sys.path if path in {paths!r} or not os.path.isdir(os.path.join(path, "nvidia"))]
"""


class Libraries:
    """Makes variants of the fake libraries, each once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[tuple[str, str], str] = {}
        if not (fake_build.OUTPUT / "fake.o").exists():
            fake_build.compile_objects()
        self.exports = {module: _exports(fake_build.OUTPUT / name)
                        for module, (name, _) in fake_build.LIBRARIES.items()}

    def of_release(self, module: str, release: str) -> str:
        """A library that exports what that release's headers declare; for 14.0, all of 13.0's and more."""
        if (module, release) not in self.made:
            names = link_names(min(release, "13.0"))[module]
            more = names - self.exports[module] | (IMAGINED[module] if release == "14.0" else set())
            target = self.folder / release / f"lib{module}.so"
            self.made[module, release] = str(fake_build.link(module, target, self.exports[module] - names, more=more))
        return self.made[module, release]

    def lacking(self, module: str, names: set[str]) -> str:
        """A library of 13.0 that does not export the names."""
        self.made[module, "count"] = str(int(self.made.get((module, "count"), "0")) + 1)
        target = self.folder / f"lacking{self.made[module, 'count']}" / f"lib{module}.so"
        return str(fake_build.link(module, target, names))

    def all_of_release(self, release: str) -> dict[str, str]:
        """The three libraries of a release."""
        return {module: self.of_release(module, release) for module in VARIABLES}


def _exports(library: Path) -> set[str]:
    listing = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in listing.stdout.splitlines()}
    return {name for name in names if name.startswith(("cu", "nvrtc"))}


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Libraries]:
    """The maker of libraries, with the objects that it links up to date."""
    fake_build.build()
    yield Libraries(tmp_path_factory.mktemp("drivers"))


@pytest.fixture(scope="session")
def play() -> Callable[..., str]:
    """Runs one scenario of play.py in a process of its own with the libraries named by variables; what it prints."""
    from separate import run_python

    def run(scenario: str, chosen: dict[str, str], paths: tuple[Path, ...] = (), before: str = "",
            **variables: str) -> str:
        named = {VARIABLES[module]: path for module, path in chosen.items()}
        hidden = WITHOUT_WHEELS.format(paths=[str(path) for path in paths])
        code = f"{hidden}{before}import play\nplay.{scenario}"
        return run_python(code, (*paths, TESTS / "drivers", TESTS / "python"), **{**named, **variables})
    return run
