# SPDX-License-Identifier: Apache-2.0
"""Assignments to members: good values with what they must leave behind, and values that are refused."""

from __future__ import annotations

import ctypes
import math
import struct
from functools import cache
from typing import Any

from layout import Field, Layout, enumeration, handle_format, layout
from shadow import Keep, Memory, known_list, unpack
from world import Constant, Handle, Number, Packed, Record, World, is_list, keep_list

RANGES = {"i": (-2**31, 2**31 - 1), "I": (0, 2**32 - 1), "q": (-2**63, 2**63 - 1), "Q": (0, 2**64 - 1),
          "H": (0, 2**16 - 1), "B": (0, 255)}


@cache
def pointers_of(shape: Layout) -> tuple[Field, ...]:
    """The members that point at something which Python keeps."""
    return tuple(f for f in shape.fields if f.kind in ("address", "records", "handles", "packed", "pointee"))


class Meddler:
    """An integer that does something to the world while it is read."""

    def __init__(self, world: World, value: int) -> None:
        self.world, self.value = world, value

    def __index__(self) -> int:
        self.world.meddle()
        return self.value


def assign(world: World, record: Record, field: Field, itself: bool = False) -> None:
    """Assigns a good value to a member, and does the same to its shadow."""
    if field.read_only:
        expect_refusal(world, record, field)
        return
    if is_list(field):
        _assign_list(world, record, field, itself)
    elif field.kind == "record":
        _assign_records(world, record, field)
    elif field.kind in ("bytes", "text"):
        _assign_characters(world, record, field)
    elif field.kind in ("address", "raw", "packed", "pointee"):
        _assign_pointer(world, record, field)
    else:
        _assign_numbers(world, record, field)


# ---- numbers -------------------------------------------------------------------------------------------------------

def _number(world: World, form: str) -> Any:
    if form == "f":
        return struct.unpack("<f", struct.pack("<f", world.draw.choice((0.0, -2.25, 1e30, world.draw.random()))))[0]
    least, most = RANGES[form]
    kind = world.draw.randrange(4)
    return (least, most, world.draw.randint(least, most), world.draw.randint(max(least, -9), 9))[kind]


def _value(world: World, field: Field, module: str) -> tuple[Any, Any]:
    """A value that the member takes, and the number that it means."""
    if field.kind == "number":
        number = _number(world, field.type)
        if field.type != "f" and world.draw.random() < 0.03:
            return Meddler(world, number), number
        return number, number
    if field.kind == "enum":
        known = enumeration(field.type)
        if world.draw.random() < 0.8:
            number = world.draw.choice(sorted(known.values))
            return world.python_class(field.type, known.module)(number), number
        number = world.draw.randint(*RANGES[known.format])
        return number, number
    return _handle_value(world, field.type, module)


def _handle_value(world: World, name: str, module: str) -> tuple[Any, int]:
    form = handle_format(name)
    number = _number(world, form)
    kind = world.draw.randrange(5)
    if kind == 0:
        return None, 0
    if kind == 1:
        return world.python_class(name, module)(number), number
    if kind == 2:
        shown = [handle for handle in world.handles if handle.name == name]
        if shown:
            handle = world.draw.choice(shown)
            return handle.python, int(handle.python)
    if kind == 3 and world.draw.random() < 0.2:
        return Meddler(world, number), number
    return number, number


def _format(field: Field) -> str:
    if field.kind == "number":
        return field.type
    return enumeration(field.type).format if field.kind == "enum" else handle_format(field.type)


def _assign_numbers(world: World, record: Record, field: Field) -> None:
    pairs = [_value(world, field, record.module) for _ in range(field.count or 1)]
    given = [value for value, _ in pairs]
    form = _format(field)
    setattr(record.python, field.name, tuple(given) if field.count else given[0])
    record.memory.write(record.offset + field.offset, struct.pack(f"<{len(pairs)}{form}", *[n for _, n in pairs]))


def _assign_characters(world: World, record: Record, field: Field) -> None:
    content = world.draw.choice((bytes(field.count), world.draw.randbytes(field.count),
                                 bytes(byte | 0x80 for byte in world.draw.randbytes(field.count))))
    if field.name.startswith("_") or field.name == "pad":   # bytes of a union: no pointer that may be read
        content = bytes(byte | 0x80 for byte in content)
    given = world.draw.choice((bytes, bytearray, list))(content)
    setattr(record.python, field.name, given)
    record.memory.write(record.offset + field.offset, content)


# ---- records -------------------------------------------------------------------------------------------------------

def _assign_records(world: World, record: Record, field: Field) -> None:
    module = record.module
    at, size = record.offset + field.offset, layout(field.type).size
    if not field.count:
        source = world.source(field, module)
        setattr(record.python, field.name, source.python)
        record.memory.copy(at, source.memory, source.offset, size)
        return
    sources = [world.source(field, module) for _ in range(field.count)]
    setattr(record.python, field.name, [source.python for source in sources])
    # All at once: a source may lie in the array.
    staged = []
    for source in sources:
        memory = Memory(type(source.memory.region)(0, source.memory.read(source.offset, size)), 0, size, True, "")
        memory.copy(0, source.memory, source.offset, size)
        staged.append(memory)
    for i, memory in enumerate(staged):
        record.memory.copy(at + i * size, memory, 0, size)


def _assign_list(world: World, record: Record, field: Field, itself: bool) -> None:
    at = record.offset + field.offset
    if not itself and world.draw.random() < 0.15:
        setattr(record.python, field.name, world.draw.choice(([], (), None)))
        record.memory.point(at, 0)
        return
    if field.kind == "handles":
        _assign_handles(world, record, field, itself)
        return
    if itself:
        given = getattr(record.python, field.name)
        keep = known_list(field, record.memory, record.offset)
        if keep is None:
            assert given == []
            return
        size = len(keep.target.region.bytes) // keep.count
        order = [world.draw.randrange(keep.count) for _ in range(world.draw.randrange(1, 5))]
        given, sources = [given[i] for i in order], [(keep.target, i * size) for i in order]
    else:
        size = layout(field.type).size
        picked = [world.source(field, record.module) for _ in range(world.draw.randrange(1, 5))]
        given, sources = [source.python for source in picked], [(source.memory, source.offset) for source in picked]
    setattr(record.python, field.name, given if world.draw.random() < 0.7 else tuple(given))
    content = b"".join(memory.read(offset, size) for memory, offset in sources)
    keeps: dict[int, Keep] = {}
    for i, (memory, offset) in enumerate(sources):
        for place, keep in memory.keeps.items():
            if offset <= place and place + 8 <= offset + size and memory.found(place):
                keeps[place - offset + i * size] = keep
    keep_list(world, field, record, content, keeps, len(sources))


def _assign_handles(world: World, record: Record, field: Field, itself: bool) -> None:
    if itself:
        keep = known_list(field, record.memory, record.offset)
        if keep is None:
            return
        values = list(struct.unpack(f"<{keep.count}Q", keep.target.read(0, 8 * keep.count)))
        given: list[Any] = getattr(record.python, field.name)
        order = [world.draw.randrange(len(given)) for _ in range(world.draw.randrange(1, 5))]
        given, values = [given[i] for i in order], [values[i] for i in order]
    else:
        pairs = [_handle_value(world, field.type, record.module)
                 for _ in range(world.draw.randrange(1, 6))]
        given, values = [value for value, _ in pairs], [number for _, number in pairs]
    setattr(record.python, field.name, given)
    keep_list(world, field, record, struct.pack(f"<{len(values)}Q", *values), {}, len(values))


# ---- pointers ------------------------------------------------------------------------------------------------------

def _assign_pointer(world: World, record: Record, field: Field) -> None:
    if field.kind == "packed" and world.draw.random() < 0.6:
        _pack(world, record, field)
        return
    choose = {"address": _target, "raw": _raw, "packed": _number_or_none, "pointee": _pointee}[field.kind]
    pairs = [choose(world, record) for _ in range(field.count or 1)]
    setattr(record.python, field.name, [value for value, _, _ in pairs] if field.count else pairs[0][0])
    for i, (_, address, node) in enumerate(pairs):
        keep = None if node is None else Keep(address, node)
        record.memory.point(record.offset + field.offset + 8 * i, address, keep)


def _raw(world: World, record: Record) -> tuple[Any, int, Any]:
    number = world.draw.getrandbits(62)
    return number, number, None


def _target(world: World, record: Record) -> tuple[Any, int, Any]:
    """A value for a void pointer, the address that it means, and what must live from now on."""
    kind = world.draw.randrange(6)
    if kind == 0:
        return None, 0, None
    if kind == 1:
        number = world.draw.getrandbits(62)
        return (number if world.draw.random() < 0.5 else world.modules["driver"].CUdeviceptr(number)), number, None
    if kind == 2:
        content = b"constant %d" % world.draw.getrandbits(20)
        address = ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p).value
        assert address is not None
        return content, address, Constant(address, content)
    if kind == 3:
        own = world.pick(lambda other: other.memory.own)
        other = record if record.memory.own and world.draw.random() < 0.2 else own
        if other is not None:
            return other.python, other.python.getPtr(), other.object
    token, buffer = world.draw.choice(world.tokens) if world.tokens and world.draw.random() < 0.6 else world.token()
    given = memoryview(token) if world.draw.random() < 0.3 else token
    return given, buffer.address, buffer


def _number_or_none(world: World, record: Record) -> tuple[Any, int, Any]:
    number = world.draw.getrandbits(62)
    return world.draw.choice(((number, number, None), (None, 0, None), (0, 0, None)))


def _pack(world: World, record: Record, field: Field) -> None:
    """Kernel arguments: packed where the member then points."""
    kinds = world.draw.choices((ctypes.c_int, ctypes.c_double, ctypes.c_uint64), k=world.draw.randrange(1, 5))
    values = [world.draw.getrandbits(20) for _ in kinds]
    setattr(record.python, field.name, (tuple(values), tuple(kinds)))
    at = record.offset + field.offset
    address = unpack("Q", ctypes.string_at(record.memory.address + at, 8))
    node = Packed(address, [bytes(kind(value)) for kind, value in zip(kinds, values, strict=True)])
    node.intact()
    record.memory.point(at, address, Keep(address, node))


def _pointee(world: World, record: Record) -> tuple[Any, int, Any]:
    if not record.memory.own or world.draw.random() < 0.2:
        return None, 0, None
    if world.draw.random() < 0.5:
        number = world.draw.getrandbits(32)
        handle = world.modules["driver"].cuuint32_t(number)
        node = Number(handle.getPtr(), struct.pack("<I", number))
        if world.draw.random() < 0.5:
            world.handles.append(Handle(handle, "cuuint32_t", None, 0, node))
        return handle, handle.getPtr(), node
    token, buffer = world.token()
    return token, buffer.address, buffer


# ---- refusals ------------------------------------------------------------------------------------------------------

class Broken:
    """No number, no buffer and no sequence."""

    def __index__(self) -> int:
        raise ZeroDivisionError


ERRORS = (TypeError, ValueError, OverflowError, AttributeError, ZeroDivisionError)


def bad_values(world: World, record: Record, field: Field) -> list[Any]:
    """Values that a member must refuse; of arrays and lists also such that begin well."""
    if field.read_only:
        return [None, b"", []]
    if is_list(field):
        good = [world.source(field, record.module).python] if field.kind == "records" else [1]
        return [5, "text", {1: 2}, [*good, "x"], [*good, object()], (*good, 1.5), [*good, Broken()]]
    if field.kind == "record":
        other = world.modules["driver"].CUmemLocation() if layout(field.type).name != "CUmemLocation_st" else 1
        one = world.python_class(field.type, record.module)()
        wrong = [None, 5, other, type(one)]
        return [[*[one] * (field.count - 1), each] for each in wrong] if field.count else wrong
    if field.kind in ("bytes", "text"):
        return [b"", bytes(field.count + 1), [0] * (field.count - 1), [0] * (field.count - 1) + [256], 5, "text"]
    if field.kind in ("address", "raw", "packed", "pointee"):
        wrong = ["text", True, -1, 2**64, 1.5, object(), Broken()]
        return [[*range(1, field.count), each] for each in wrong] if field.count else wrong
    wrong = ["text", object(), Broken(), 2**64, -2**63 - 1, math.nan if field.type != "f" else "nan"]
    if field.type == "f":
        wrong = ["text", None, 1e300]
    good_one = 0
    return [[*[good_one] * (field.count - 1), each] for each in wrong] if field.count else wrong


def expect_refusal(world: World, record: Record, field: Field) -> None:
    """A bad value raises; bytes and what they keep stay as they are."""
    value = world.draw.choice(bad_values(world, record, field))
    try:
        setattr(record.python, field.name, value)
    except ERRORS:
        record.memory.region.verify()
        return
    raise AssertionError(f"{record.name}.{field.name} took {value!r}")

