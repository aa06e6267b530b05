# SPDX-License-Identifier: Apache-2.0
"""NVRTC's functions that no family describes, written out by hand (see special_functions.py)."""

from __future__ import annotations

import struct

from call_plan import CallPlan
from expectations import Argument, Output, equal, same
from recorder import write, write_number

# --- NVRTC ---------------------------------------------------------------------------------------------------------

def nvrtc_buffer(size_function: str):
    """nvrtcGetPTX and its like: written into the caller's buffer; the size is asked first."""
    def special(plan: CallPlan) -> bool:
        def answer_size(link: str, words) -> int:
            write_number(words[1], 11, 8)
            return 0
        plan.answers[size_function] = answer_size
        name = plan.row["arguments"][1]["name"]
        buffer = bytearray(11) if plan.objects else b" " * 11
        plan.values[name] = buffer
        plan.arrived[1] = lambda word: write(word, b"ten bytes.\0")
        plan.after.append(lambda: same(b"ten bytes.\0")(bytes(buffer)))
        return True
    return special


def supported_archs(plan: CallPlan) -> bool:
    """nvrtcGetSupportedArchs: asks the count itself."""
    def answer_count(link: str, words) -> int:
        write_number(words[0], 3, 4)
        return 0
    plan.answers["nvrtcGetNumSupportedArchs"] = answer_count
    plan.output(plan.prototype.parameters[0].name,
                Output(lambda word: write(word, struct.pack("<3i", 75, 90, 120)), same([75, 90, 120])))
    return True


def plain_callback(plan: CallPlan) -> None:
    """nvrtcSetFlowCallback: a C function's address."""
    plan.set("callback", Argument(0x7F00_0000_9000, equal(0x7F00_0000_9000, 64)))
