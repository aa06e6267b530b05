# SPDX-License-Identifier: Apache-2.0
"""The kernels together reach the PTX spellings of tiers 1 and 2: in their PTX and, on the emulated device, when run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from spelling_coverage import REPORTED, compiled, executed, report, spellings_of

HERE = Path(__file__).resolve().parent
SHARE = 0.95


def test_opcodes_are_found_with_their_modifiers_and_directives_are_not():
    ptx = """.version 8.0  // add.s32 in a comment
    .visible .entry k(.param .u64 p) { .reg .b32 %r<3>; // mov.u32
    $top: @!%p1 bra.uni $top; {mul.f16x2 h,r,t;
    } atom.global.add.u32 %r1, [%rd1], 1; ret; }"""
    assert spellings_of(ptx) == {"bra.uni", "mul.f16x2", "atom.global.add.u32", "ret"}


def test_the_report_names_what_is_missing():
    share, text = report({"ret", "add.s32"})
    assert 0 < share < 0.01
    assert "2 of 565" in text and "mov.b64" in text


def test_compiled_kernels_have_the_spellings():
    share, text = report(compiled())
    REPORTED.append(f"in the PTX of the kernels: {text}")
    assert share >= SHARE, text


if os.environ.get("CUDA_BINDINGS_TEST_DEVICE", "emulated") == "emulated":

    def test_executed_kernels_have_the_spellings(device, tmp_path):
        file = tmp_path / "spellings"
        environment = dict(os.environ, CUDA_BINDINGS_EMULATOR_COVERAGE=str(file),
                           PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
        subprocess.run([sys.executable, HERE / "execute.py"], env=environment, check=True, capture_output=True)
        share, text = report(executed(file))
        REPORTED.append(f"executed on the emulated device: {text}")
        assert share >= SHARE, text
