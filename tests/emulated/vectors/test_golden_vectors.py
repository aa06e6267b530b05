# SPDX-License-Identifier: Apache-2.0
"""Every opcode against what a real GPU gave for the same operands: bit by bit, or within the documented error."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import golden  # noqa: E402
import probes  # noqa: E402
from forms import FAMILIES, Vector  # noqa: E402
from inputs import operands  # noqa: E402
from tolerances import outside  # noqa: E402

from run import results, target_of  # noqa: E402

SHOWN = 6
BY_NAME = {family.__name__: family for family in FAMILIES}


@pytest.fixture(scope="module")
def recorded() -> dict:
    """The recorded answers."""
    return golden.load()


def difference(vector: Vector, ours: np.ndarray, recorded: str) -> str | None:
    """What differs, with operands; None where nothing does."""
    theirs = golden.unpack(recorded, vector.result)
    inputs = np.array(operands(vector.sources), np.uint64)
    assert len(ours) == len(theirs) == len(inputs), f"{vector.name}: other operands than were recorded; record anew"
    wrong = np.flatnonzero(outside(vector.name, vector.result, inputs, ours, theirs))
    if not len(wrong):
        return None
    rows = [f"    ({', '.join(f'{value:#x}' for value in inputs[at])}): {ours[at]:#x}, on the GPU {theirs[at]:#x}"
            for at in wrong[:SHOWN]]
    return "\n".join([f"{vector.name}: {len(wrong)} of {len(theirs)} differ", *rows])


@pytest.mark.parametrize("name", BY_NAME)
def test_opcodes_give_what_the_gpu_gave(device, recorded, name):
    vectors = list(BY_NAME[name]())
    ours = results(device, vectors, target_of(device, name))
    found = [difference(vector, ours[vector.name], recorded["vectors"][vector.name]) for vector in vectors]
    wrong = [text for text in found if text]
    assert not wrong, f"{len(wrong)} of {len(vectors)} opcodes\n" + "\n".join(wrong)


def test_a_wrong_result_is_found():
    vector = next(iter(BY_NAME["integers"]()))
    right = golden.unpack(golden.load()["vectors"][vector.name], vector.result)
    wrong = right.copy()
    wrong[3] ^= np.uint64(1)
    assert difference(vector, right, golden.pack(right, vector.result)) is None
    assert "1 of" in difference(vector, wrong, golden.pack(right, vector.result))


def test_a_result_within_the_documented_error_is_taken_and_one_beyond_is_not():
    one = np.float32(1).view(np.uint32)
    inputs, theirs = np.array([[one]], np.uint64), np.array([one], np.uint64)
    assert not outside("sqrt.approx.f32", "f32", inputs, theirs + np.uint64(2), theirs).any()
    assert outside("sqrt.approx.f32", "f32", inputs, theirs + np.uint64(5), theirs).all()


RECOVERS = "a test suite can go on after a fault: a primary context that was reset or released is a new one"
STRICTER = "the emulated device finds what hardware lets pass"
RICHER = "kernels may print what C's printf can; hardware prints such a conversion as it stands, or wrongly"
# Where the emulated device answers otherwise on purpose: its answer, and why.
DIFFERENT: dict[str, tuple[object, str]] = {
    "fault: store to constant": (700, STRICTER),
    "recovery_by_release: retain": (0, RECOVERS),
    "recovery_by_release: cuMemAlloc": (0, RECOVERS),
    "recovery_by_reset: retain": (0, RECOVERS),
    "recovery_by_reset: cuMemAlloc after retain": (0, RECOVERS),
    "recovery_of_a_created_context: cuMemAlloc in primary": (0, "a fault belongs to its context"),
    "recovery_of_a_created_context: create again": (0, RECOVERS),
    "recovery_of_a_created_context: cuMemAlloc": (0, RECOVERS),
    "sticky: cuMemAlloc after retain": (0, RECOVERS),
    "load_errors: ELF": (209, "a header alone tells a cubin: its contents are not looked at"),
    "load_errors: bf16 add below sm_90": (0, "every opcode is taken on every target that is taken"),
    "load_errors: unresolved variable": (218, STRICTER),
    "load_errors: too much shared, used": (218, "found when the module is loaded, not when the function is asked for"),
    "printf_formats: [%.*f]": ({"returns": 2, "text": "[3.14]"}, RICHER),
    "printf_formats: [%zu %jd %td]": ({"returns": 3, "text": "[8589934592 2 3]"}, RICHER),
    "printf_formats: [%hd %hhd]": ({"returns": 2, "text": "[9029 -127]"}, RICHER),
}


@pytest.mark.parametrize("name", probes.PROBES)
def test_behaviour_is_that_of_the_gpu(recorded, name):
    recorded = recorded["probes"][name]
    answer = probes.in_a_process_of_its_own(name)
    if not isinstance(recorded, dict):
        assert answer == DIFFERENT.get(name, (recorded,))[0]
        return
    assert isinstance(answer, dict), answer
    assert answer == {key: DIFFERENT.get(f"{name}: {key}", (value,))[0] for key, value in recorded.items()}


def test_every_difference_is_one(recorded):
    def of(name: str) -> object:
        probe = next(probe for probe in recorded["probes"] if name == probe or name.startswith(probe + ": "))
        answer = recorded["probes"][probe]
        return answer if name == probe else answer[name.removeprefix(probe + ": ")]

    assert [name for name, (answer, _) in DIFFERENT.items() if of(name) == answer] == []
