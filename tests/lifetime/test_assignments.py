# SPDX-License-Identifier: Apache-2.0
"""Assignments that the random walk has found wrong: one small test for each."""

from __future__ import annotations

import gc
import weakref

import pytest


class Buffer(bytearray):
    """Memory that tells when it is gone."""


def test_an_array_of_pointers_is_written_whole_or_not_at_all(driver):
    frame = driver.CUeglFrame().frame
    frame.pPitch = [7, 8, 9]
    for position in (1, 2):
        with pytest.raises(TypeError, match=rf"pPitch\[{position}\]"):
            frame.pPitch = [1, 2, 3][:position] + ["text"] + [4] * (2 - position)
        assert frame.pPitch == [7, 8, 9]


def test_an_array_of_pointers_keeps_what_it_points_at_when_an_assignment_is_refused(driver):
    frame = driver.CUeglFrame().frame
    memory = Buffer(8)
    seen = weakref.ref(memory)
    frame.pPitch = [memory, None, None]
    address = frame.pPitch[0]
    del memory
    with pytest.raises(TypeError):
        frame.pPitch = [None, None, "text"]
    gc.collect()
    assert seen() is not None and frame.pPitch == [address, 0, 0]


def test_records_of_an_array_may_be_exchanged_through_aliases(runtime):
    frame = runtime.cudaEglFrame()
    planes = [runtime.cudaEglPlaneDesc() for _ in range(3)]
    for width, plane in enumerate(planes):
        plane.width = width
    frame.planeDesc = planes
    size = runtime.sizeof(runtime.cudaEglPlaneDesc)
    begin = frame.getPtr() + 96
    aliases = [runtime.cudaEglPlaneDesc(_ptr=begin + i * size) for i in range(3)]
    assert [alias.width for alias in aliases] == [0, 1, 2]
    frame.planeDesc = [aliases[1], aliases[0], aliases[0]]
    assert [plane.width for plane in frame.planeDesc] == [1, 0, 0]


def test_what_an_alias_keeps_goes_to_the_record_that_it_is_assigned_to(driver):
    attribute = driver.CUlaunchAttribute()
    alias = driver.CUlaunchAttributeValue(_ptr=attribute.value.getPtr())
    memory = Buffer(8)
    seen = weakref.ref(memory)
    alias.accessPolicyWindow.base_ptr = memory
    attribute.value = alias
    del memory, alias
    gc.collect()
    assert seen() is not None
    attribute.value.accessPolicyWindow.base_ptr = None
    assert seen() is None


def test_what_a_record_keeps_stays_when_an_alias_of_its_bytes_is_assigned(driver):
    attribute = driver.CUlaunchAttribute()
    memory = Buffer(8)
    seen = weakref.ref(memory)
    attribute.value.accessPolicyWindow.base_ptr = memory
    attribute.value = driver.CUlaunchAttributeValue(_ptr=attribute.value.getPtr())
    del memory
    gc.collect()
    assert seen() is not None
