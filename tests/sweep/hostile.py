# SPDX-License-Identifier: Apache-2.0
"""Objects that raise, lie or change when they are asked for their value: what a conversion may meet."""

from __future__ import annotations

import ctypes
import enum


class OwnError(Exception):
    """What an object raises of its own: only its author knows what it means, so it comes out as it is."""


def asked(method: str, answer: object) -> object:
    """An object whose method gives an answer, or raises such an exception where that is one."""
    def give(self, *arguments):
        if isinstance(answer, BaseException):
            raise type(answer)(*answer.args)    # its own would keep this frame, and with it the object
        return answer
    return type("Asked", (), {method: give})()


class IndexAnd:
    """A number that does something else when it is asked for its value."""

    def __init__(self, value: int, action) -> None:
        self.value, self.action = value, action

    def __index__(self) -> int:
        self.action()
        return self.value


class PretendedInt:
    """Says that its class is int."""

    __class__ = int


class PretendedList:
    """Says that its class is list."""

    __class__ = list


class PretendedBytes:
    """Says that its class is bytes."""

    __class__ = bytes


class OtherInt(int):
    """An int whose methods say something else."""

    def __index__(self) -> int:
        return 99

    def __int__(self) -> int:
        raise OwnError("int")

    def __eq__(self, other: object) -> bool:
        raise OwnError("eq")

    def __hash__(self) -> int:
        raise OwnError("hash")

    def __bool__(self) -> bool:
        raise OwnError("bool")


class OtherList(list):
    """A list whose length is a lie, and which raises when it is indexed."""

    def __len__(self) -> int:
        return 1000

    def __getitem__(self, index):
        raise OwnError("getitem")


class OtherTuple(tuple):
    """A tuple whose length is a lie, and which raises when it is indexed."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index):
        raise OwnError("getitem")


class OtherBytes(bytes):
    """Bytes whose length and buffer methods are lies."""

    def __len__(self) -> int:
        return 1 << 40

    def __getitem__(self, index):
        raise OwnError("getitem")

    def __bytes__(self) -> bytes:
        raise OwnError("bytes")


class OtherBytearray(bytearray):
    """A bytearray whose length is a lie."""

    def __len__(self) -> int:
        return -1


class RaisingList(list):
    """A list that cannot be iterated."""

    def __iter__(self):
        raise OwnError("iter")


class Number(enum.IntEnum):
    """An enumeration that is none of CUDA's."""

    ONE = 1


class NegativeLength:
    """An iterable that claims to have less than no elements."""

    def __len__(self) -> int:
        return -1

    def __iter__(self):
        return iter(())


class HugeLength:
    """An iterable without elements that claims to have very many."""

    def __len__(self) -> int:
        return (1 << 62) - 1

    def __iter__(self):
        return iter(())


def strided(size: int = 64) -> memoryview:
    """Memory that is not contiguous."""
    return memoryview(bytearray(2 * size))[::2]


def released() -> memoryview:
    """A view that is no more."""
    view = memoryview(bytearray(64))
    view.release()
    return view


def structure() -> ctypes.Structure:
    """A ctypes structure."""
    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_int)]
    return Pair(1, 2)


class RaisingAttributes:
    """An object of which no attribute can be read."""

    def __getattr__(self, name: str):
        raise OwnError(name)
