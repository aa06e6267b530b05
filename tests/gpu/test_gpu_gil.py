# SPDX-License-Identifier: Apache-2.0
"""The functions that keep the GIL never block: they return while the device is busy, one thread waits for it inside the
driver and another one calls without end. A function that waited would stop all of them for ever."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from gpu import EMULATED

HERE = Path(__file__).resolve().parent
LONG = 120  # seconds; a process that has not ended by then is stuck
HELD = ["cuCtxGetCurrent", "cuDeviceGet", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString",
        "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide", "cuTensorMapEncodeTiled", "cuTensorMapReplaceAddress",
        "cudaCreateChannelDesc", "make_cudaExtent", "make_cudaPitchedPtr", "make_cudaPos", "nvrtcGetErrorString",
        "nvrtcVersion"]


def child(name: str) -> list:
    """The command of the other process."""
    return [sys.executable, HERE / "gil_child.py", name]


def test_every_function_that_keeps_the_gil_has_its_reason_and_is_called_here():
    rows = HERE.parents[1] / "generator" / "data" / "gil.toml"
    if rows.exists():  # tests of an installed package may stand alone
        found = re.findall(r'^(\w+) *= *"(.+)"$', rows.read_text(), re.MULTILINE)
        assert [name for name, _ in found] == HELD
        assert all(len(reason) > 10 for _, reason in found)


def held_here(capability: tuple[int, int]) -> list[str]:
    """Those that the device has."""
    tensor_maps = not EMULATED and capability >= (9, 0)
    return [name for name in HELD if (tensor_maps or not name.startswith("cuTensorMap"))
            and not (EMULATED and name == "cudaCreateChannelDesc")]


def test_no_function_that_keeps_the_gil_blocks(capability):
    done = subprocess.run(child("held"), capture_output=True, text=True, check=False, timeout=LONG)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == held_here(capability)


def test_a_call_that_waited_with_the_gil_would_be_noticed():
    with subprocess.Popen(child("waiting"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "waiting\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=2)
        process.kill()
        assert process.stdout.read() == ""


def test_no_function_that_keeps_the_gil_locks_waits_or_allocates(capability, tmp_path):
    library = tmp_path / "lock_audit.so"
    compiler = shlex.split(os.environ.get("CXX", "g++"))
    subprocess.run([*compiler, "-std=c++20", "-O2", "-fPIC", "-shared", HERE / "lock_audit.cpp", "-o", library, "-ldl"],
                   check=True)
    done = subprocess.run(child("audit"), capture_output=True, text=True, check=False, timeout=LONG,
                          env=dict(os.environ, LD_PRELOAD=str(library)))
    assert done.returncode == 0, done.stderr
    counts = {name: int(count) for name, count in (line.split() for line in done.stdout.splitlines())}
    assert counts.pop("cuStreamQuery") >= 1000, "the count sees nothing: that function takes a lock"
    assert list(counts) == held_here(capability)
    assert {name: count for name, count in counts.items() if count >= 100} == {}, "what is asked for once is no matter"
