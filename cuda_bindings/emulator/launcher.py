# SPDX-License-Identifier: Apache-2.0
"""Runs another program with the emulated device as its libcuda.so.1, first on the loader's path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from cuda_bindings import emulator

NOT_FOUND = 127  # as a shell says it


def run(command: Sequence[str]) -> int:
    """Run the command and return its exit status (128 + N where signal N ended it, as a shell does).

    The alias lies in a temporary folder that lives as long as the program.
    """
    if shutil.which(command[0]) is None:
        print(f"python -m cuda_bindings.emulator run: {command[0]}: no such command", file=sys.stderr)
        return NOT_FOUND
    with tempfile.TemporaryDirectory(prefix="cuda-bindings-emulator-") as folder:
        os.symlink(emulator.library(), os.path.join(folder, "libcuda.so.1"))
        status = subprocess.call(list(command), env=environment(folder))
    return status if status >= 0 else 128 - status


def environment(folder: str) -> dict[str, str]:
    """Return this process's variables with the folder first on the loader's path, and our own package told as well."""
    changed = dict(os.environ, CUDA_BINDINGS_DEVICE="emulated")
    changed["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH", "")]))
    return changed
