# SPDX-License-Identifier: Apache-2.0
"""Runs a program in a process of its own, with the fake libraries and a limit: a hang is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from separate import FAKE_LIBRARY, INFLUENCES, PACKAGE

HERE = Path(__file__).resolve().parent
LIMIT = 120     # seconds; nothing here waits for more than a few

PRELUDE = f"""
import sys
sys.path[:0] = {[str(PACKAGE), str(HERE), str(HERE.parent / "python")]!r}
import ctypes, os, threading, time
import foreign
from cuda_bindings import driver, nvrtc, runtime
from recorder import Recorder, script
fake = None
def record():
    "Starts to record the driver's calls."
    global fake
    driver.cuDriverGetVersion()
    fake = Recorder(os.environ["CUDA_BINDINGS_LIBCUDA"])
    return fake
"""


def run(code: str, status: int = 0, limit: int = LIMIT, **variables: str) -> str:
    """What a program prints; it must end by itself, within the limit, with that exit status."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(INFLUENCES)}
    environment.update(FAKE_LIBRARY, PYTHONFAULTHANDLER="1", **variables)
    done = subprocess.run([sys.executable, "-c", PRELUDE + code], env=environment, capture_output=True, text=True,
                          timeout=limit, check=False)
    assert done.returncode == status, f"exit status {done.returncode}: {done.stderr}"
    return done.stdout.strip()
