# SPDX-License-Identifier: Apache-2.0
"""Runs Python in a process of its own: libraries are chosen at the first call, once per process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cuda_bindings

PACKAGE = Path(cuda_bindings.__file__).resolve().parents[1]
FAKES = Path(os.environ.get("FAKE_LIBRARIES", Path(__file__).resolve().parents[2] / "build" / "fake"))
VARIABLES = ("CUDA_BINDINGS_LIBCUDA", "CUDA_BINDINGS_LIBCUDART", "CUDA_BINDINGS_LIBNVRTC")
NO_LIBRARY = dict.fromkeys(VARIABLES, "/nowhere/lib.so")
FAKE_LIBRARY = {
    "CUDA_BINDINGS_LIBCUDA": str(FAKES / "libfakecuda.so"),
    "CUDA_BINDINGS_LIBCUDART": str(FAKES / "libfakecudart.so"),
    "CUDA_BINDINGS_LIBNVRTC": str(FAKES / "libfakenvrtc.so"),
}
# What would make a library turn up, or choose streams, behind a test's back.
INFLUENCES = ("CUDA_", "CONDA_", "LD_LIBRARY_PATH", "PYTHONPATH", "FAKE_")

PRELUDE = """
import sys
sys.path[:0] = {paths!r}
def attempt(call, *arguments):
    "What the call gives, or the exception's class and text."
    try:
        return call(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
"""


def run_python(code: str, paths: tuple[Path | str, ...] = (), **variables: str) -> str:
    """What the code prints; `paths` stand before everything else in sys.path, `variables` are all that CUDA is told."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(INFLUENCES)}
    environment.update(variables)
    prelude = PRELUDE.format(paths=[*map(str, paths), str(PACKAGE)])
    command = [sys.executable, "-c", prelude + code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
