# SPDX-License-Identifier: Apache-2.0
"""The generated Cython, read as text: every call into a library stands under `with nogil:`, but for a reasoned list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GENERATED = Path(__file__).resolve().parents[2] / "bindings" / "generated"
CALL = re.compile(r"\b(?:driver|runtime|nvrtc)_table\.(\w+)\(")

# Functions that neither wait, allocate nor lock, by link name, and why.
HELD = {
    "driver": {
        "cuCtxGetCurrent": "reads the calling thread's own context stack",
        "cuDeviceGet": "compares an ordinal with a number that cuInit has fixed",
        "cuDriverGetVersion": "a constant of the library",
        "cuGetErrorName": "a look-up in a constant table",
        "cuGetErrorString": "a look-up in a constant table",
        "cuTensorMapEncodeIm2col": "packs its arguments into a struct",
        "cuTensorMapEncodeIm2colWide": "packs its arguments into a struct",
        "cuTensorMapEncodeTiled": "packs its arguments into a struct",
        "cuTensorMapReplaceAddress": "puts an address into a struct",
    },
    "runtime": {
        "cudaCreateChannelDesc": "puts its arguments into a struct",
    },
    "nvrtc": {
        "nvrtcGetErrorString": "a look-up in a constant table",
        "nvrtcVersion": "constants of the library",
    },
}
# Calls that the file of that module makes at least: a pattern that finds nothing must not pass.
LEAST = {"driver": 450, "runtime": 280, "nvrtc": 24}


def calls(text: str):
    """(link name, whether the GIL is released there) for every call of a table's function."""
    released_at = None      # how far the statement `with nogil:` that is open is indented
    for line in text.splitlines():
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if released_at is not None and indent <= released_at:
            released_at = None
        if line.strip() == "with nogil:":
            released_at = indent
        for name in CALL.findall(line):
            yield name, released_at is not None


@pytest.mark.parametrize("module", ["driver", "runtime", "nvrtc"])
def test_the_gil_is_released_around_every_call_but_the_reasoned_ones(module):
    found = list(calls((GENERATED / f"{module}.pyx").read_text(encoding="utf-8")))
    assert len(found) >= LEAST[module]
    assert {name for name, released in found if not released} == set(HELD[module])


def test_the_reader_sees_a_call_that_holds_the_gil():
    text = ("def f():\n    with nogil:\n        status = driver_table.cuA(1,\n                2)\n"
            "    x = driver_table.cuB()\n")
    assert list(calls(text)) == [("cuA", True), ("cuB", False)]
