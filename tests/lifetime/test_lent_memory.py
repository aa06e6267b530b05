# SPDX-License-Identifier: Apache-2.0
"""Structs at an address that is lent for a while: what is left of them afterwards never looks there again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cuda_bindings

PACKAGE = Path(cuda_bindings.__file__).resolve().parents[1]

PROGRAM = """
import ctypes, gc, sys
sys.path.insert(0, {package!r})
from cuda_bindings import driver

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

def callback(address):
    parameters = driver.CUDA_KERNEL_NODE_PARAMS(_ptr=address)
    assert int(parameters.func) == 0
    try:
        raise ValueError
    except ValueError as caught:
        error = caught      # frame, exception, traceback, frame: a cycle that the collector finds later

for _ in range(20):
    page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
    callback(page)
    libc.munmap(page, 4096)
gc.collect()
print("alive")
"""


def test_the_collector_does_not_read_handles_in_memory_that_is_gone():
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(package=str(PACKAGE))], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
