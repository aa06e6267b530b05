# SPDX-License-Identifier: Apache-2.0
"""What the tests of records share: bytes behind a record, buffers that tell when they are gone, lists of attributes."""

from __future__ import annotations

import ctypes
import struct
import weakref


def bytes_at(record, offset: int, size: int) -> bytes:
    """What C code finds in a record."""
    return ctypes.string_at(record.getPtr() + offset, size)


def pointer_at(record, offset: int) -> int:
    """The pointer that C code finds in a record."""
    return struct.unpack("<Q", bytes_at(record, offset, 8))[0]


class Memory(bytearray):
    """A buffer that tells when it is gone."""


def watched(size: int = 64):
    """A buffer and a weak reference to it."""
    memory = Memory(size)
    return memory, weakref.ref(memory)


def attributes(driver, *priorities):
    """Launch attributes that can be told apart."""
    made = []
    for priority in priorities:
        made.append(driver.CUlaunchAttribute())
        made[-1].value.priority = priority
    return made
