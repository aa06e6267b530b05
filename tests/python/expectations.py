# SPDX-License-Identifier: Apache-2.0
"""What each family of arguments and results must do, by hand: the Python value, what arrives in C, what returns.

Two variants of every argument: "objects" passes what a program passes (instances, members, buffers, lists) and
"plain" passes numbers, addresses and None at the far ends of their ranges.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from api_table import Parameter, Prototype, extra_rows, table
from recorder import read, unsigned, write, write_number

OBJECTS, PLAIN = "objects", "plain"

# Arguments that say how many elements the lists of the same function have.
COUNTS = {"count", "numOptions", "numJitOptions", "numLibraryOptions", "numDependencies", "numExtSems", "numDevices",
          "numOps", "nbResources", "numParams", "numAttributes", "numAttrs", "numHeaders", "numPrefetchLocs"}
LIST_LENGTH = 3     # lists are one longer than the count: more than enough is fine
COUNT = 2

INTEGER_BITS = {"int": 32, "unsigned int": 32, "unsigned short": 16, "unsigned char": 8, "size_t": 64,
                "unsigned long long": 64, "cuuint64_t": 64, "cuuint32_t": 32, "long long": 64, "CUdevice": 32,
                "long": 64, "unsigned long": 64, "char": 8, "EGLint": 32}


@dataclass
class Argument:
    """A Python argument and the check of what arrived for it."""

    value: object
    arrived: Callable[[int], None]
    keep: list = field(default_factory=list)


@dataclass
class Output:
    """What the fake library stores through an output pointer, and the check of what Python got for it."""

    stored: Callable[[int], None]
    returned: Callable[[object], None]


@dataclass(frozen=True)
class Place:
    """Where an argument stands."""

    module: Any             # the Python module under test
    module_name: str
    prototype: Prototype
    parameter: Parameter
    name: str               # its Python name
    index: int              # its place among the C parameters
    variant: str
    has_lists: bool


def equal(expected: int, bits: int) -> Callable[[int], None]:
    """The word's low bits are the number."""
    def check(word: int) -> None:
        assert unsigned(word, bits) == expected & ((1 << bits) - 1), f"got {word:#x}, expected {expected:#x}"
    return check


def is_null(word: int) -> None:
    """The pointer is NULL."""
    assert word == 0, f"got {word:#x}, expected NULL"


def same(expected: object):
    """The result equals the value and has its type."""
    def check(result: object) -> None:
        assert type(result) is type(expected) and result == expected, f"got {result!r}, expected {expected!r}"
    return check


def points_at(data: bytes) -> Callable[[int], None]:
    """The memory behind the pointer holds the bytes."""
    def check(word: int) -> None:
        assert read(word, len(data)) == data
    return check


def pointers(addresses: list[int]) -> bytes:
    """An array of pointers as memory."""
    return struct.pack(f"<{len(addresses)}Q", *addresses)


def class_entry(module_name: str, name: str) -> dict | None:
    """The table's row of a class."""
    more = extra_rows()["classes"].get(module_name, {})
    return table()["classes"][module_name].get(name) or more.get(name)


def is_enum(module_name: str, name: str) -> bool:
    """Whether the table has an enum of that name."""
    return name in table()["enums"][module_name]


# --- numbers -------------------------------------------------------------------------------------------------------

def number(token: str, place: Place) -> Argument:
    """i32 u32 u16 u8 sz u64: small when beside buffers, at the far end of the range when beside plain addresses."""
    bits = {"i32": 32, "u32": 32, "u16": 16, "u8": 8, "sz": 64, "u64": 64}[token]
    if place.has_lists and place.name in COUNTS:
        value = COUNT if place.variant == OBJECTS else 0
    elif place.variant == OBJECTS:
        value = 16 + place.index
    elif token == "i32":
        value = -(2**31) + place.index
    else:
        value = 2**bits - 1 - place.index
    return Argument(value, equal(value, bits))


def real(place: Place) -> Argument:
    """f32: a value that a float holds exactly."""
    value = 1.5 + place.index if place.variant == OBJECTS else -0.25
    return Argument(value, equal(struct.unpack("<I", struct.pack("<f", value))[0], 32))


# --- text and addresses --------------------------------------------------------------------------------------------

def text(place: Place) -> Argument:
    """b: bytes or bytearray, handed over with their terminating zero."""
    data = b"name-%d" % place.index
    return Argument(data if place.variant == OBJECTS else bytearray(data), points_at(data + b"\0"))


def address(place: Place) -> Argument:
    """v*: a buffer's start, or a plain number."""
    if place.variant == OBJECTS:
        buffer = (ctypes.c_char * 4096)()
        return Argument(buffer, equal(ctypes.addressof(buffer), 64), [buffer])
    value = 0x7F00_0000_0000 + 0x1000 * place.index
    return Argument(value, equal(value, 64))


# --- handles, enums, records ---------------------------------------------------------------------------------------

HANDLE_BITS = {"pointer": 64, "function": 64, "unsigned64": 64, "signed32": 32, "unsigned32": 32}


def handle_value(kind: str, index: int) -> int:
    """A value that a handle of that kind can hold."""
    return 3 + index if HANDLE_BITS[kind] == 32 else 0x5500_0000_1000 + 0x100 * index


def handle(name: str, kind: str, place: Place) -> Argument:
    """X: the handle's value; plain: an int, where NULL is possible None."""
    value = handle_value(kind, place.index)
    if place.variant == OBJECTS:
        return Argument(getattr(place.module, name)(value), equal(value, HANDLE_BITS[kind]))
    if kind in ("pointer", "function") and place.index % 2:
        return Argument(None, is_null)
    return Argument(value, equal(value, HANDLE_BITS[kind]))


def enumeration(name: str, place: Place) -> Argument:
    """E: a member, or its number."""
    member = list(getattr(place.module, name))[-1]
    return Argument(member if place.variant == OBJECTS else int(member), equal(int(member), 32))


def pattern(size: int, seed: int) -> bytes:
    """Bytes that tell one record from another."""
    return bytes((seed * 17 + i * 7 + 1) & 0xFF for i in range(size))


def filled_record(module: object, name: str, size: int, seed: int) -> tuple[object, bytes]:
    """A record object whose memory is a pattern."""
    record = getattr(module, name)()
    data = pattern(size, seed)
    ctypes.memmove(record.getPtr(), data, size)
    return record, data


def record(name: str, size: int, place: Place, by_value: bool) -> Argument:
    """R? and R!: the record's bytes; None is NULL where C takes a pointer."""
    if place.variant == PLAIN and not by_value:
        return Argument(None, is_null)
    value, data = filled_record(place.module, name, size, place.index)
    if by_value:
        return Argument(value, points_at(data))

    def check(word: int) -> None:
        assert word == value.getPtr(), "C works on the object's own memory"
        assert read(word, size) == data
    return Argument(value, check)


def handle_pointer(name: str, kind: str, place: Place) -> Argument:
    """*X: the object's own slot, an address, or None."""
    if name == "VdpGetProcAddress":     # a pointer to a function type: the address of the function itself
        return handle(name, kind, place)
    value = handle_value(kind, place.index)
    width = HANDLE_BITS[kind] // 8
    expected = value.to_bytes(width, "little")
    if place.variant == OBJECTS:
        instance = getattr(place.module, name)(value)

        def check(word: int) -> None:
            assert word == instance.getPtr()
            assert read(word, width) == expected
        return Argument(instance, check)
    if place.index % 2:
        return Argument(None, is_null)
    slot = (ctypes.c_char * 8)(*expected)
    return Argument(ctypes.addressof(slot), equal(ctypes.addressof(slot), 64), [slot])


# --- lists ---------------------------------------------------------------------------------------------------------

def no_list(place: Place, nullable: bool) -> Argument:
    """plain: no list at all, with a count of 0."""
    return Argument(None if nullable else [], is_null if nullable else lambda word: None)


def handle_list(name: str, kind: str, place: Place, nullable: bool) -> Argument:
    """[H]: the handles' values, packed."""
    if place.variant == PLAIN:
        return no_list(place, nullable)
    values = [handle_value(kind, place.index) + i for i in range(LIST_LENGTH)]
    width = HANDLE_BITS[kind] // 8
    packed = b"".join(v.to_bytes(width, "little") for v in values[:COUNT])
    items = [getattr(place.module, name)(v) for v in values]
    return Argument(items, points_at(packed))


def record_list(name: str, size: int, place: Place, nullable: bool) -> Argument:
    """[R]: the records' bytes, one after the other."""
    if place.variant == PLAIN:
        return no_list(place, nullable)
    pairs = [filled_record(place.module, name, size, place.index + i) for i in range(LIST_LENGTH)]
    return Argument(tuple(p[0] for p in pairs), points_at(b"".join(p[1] for p in pairs[:COUNT])))


def enumeration_list(name: str, place: Place, nullable: bool) -> Argument:
    """[E]: the members' numbers as C ints."""
    if place.variant == PLAIN:
        return no_list(place, nullable)
    members = (list(getattr(place.module, name)) * LIST_LENGTH)[-LIST_LENGTH:]
    return Argument(members, points_at(struct.pack("<2i", *(int(m) for m in members[:COUNT]))))


def number_list(place: Place, nullable: bool) -> Argument:
    """[int]: packed in the width that the C type has."""
    if place.variant == PLAIN:
        return no_list(place, nullable)
    values = [100 * place.index + i for i in range(LIST_LENGTH)]
    pointee = place.parameter.type.replace("const", "").replace("*", "").strip()
    width = INTEGER_BITS[pointee] // 8
    return Argument(values, points_at(b"".join(v.to_bytes(width, "little") for v in values[:COUNT])))


def text_list(place: Place) -> Argument:
    """[bytes]: an array of pointers to the texts."""
    if place.variant == PLAIN:
        return no_list(place, True)
    items = [b"item-%d-%d" % (place.index, i) for i in range(LIST_LENGTH)]

    def check(word: int) -> None:
        for pointer, item in zip(struct.unpack("<2Q", read(word, 16)), items, strict=False):
            assert read(pointer, len(item) + 1) == item + b"\0"
    return Argument(items, check)


def address_list(place: Place) -> Argument:
    """[Any] as copies' ends: an array of addresses, from buffers, numbers and handles."""
    if place.variant == PLAIN:
        return no_list(place, True)
    buffer = (ctypes.c_char * 64)()
    items = [buffer, 0x7F00_1234_0000, None]
    return Argument(items, points_at(pointers([ctypes.addressof(buffer), 0x7F00_1234_0000])), [buffer])


def kernel_parameters(place: Place) -> Argument:
    """KP: (values, types) packed, an array of argument addresses behind a pointer; plain: the array's address."""
    if place.variant == PLAIN:
        array = (ctypes.c_void_p * 1)(0x1234)
        return Argument(ctypes.addressof(array), equal(ctypes.addressof(array), 64), [array])
    value = ((7, 2.5, 2**40), (ctypes.c_int, ctypes.c_float, ctypes.c_void_p))

    def check(word: int) -> None:
        first, second, third = struct.unpack("<3Q", read(word, 24))
        assert struct.unpack("<i", read(first, 4)) == (7,)
        assert struct.unpack("<f", read(second, 4)) == (2.5,)
        assert struct.unpack("<Q", read(third, 8)) == (2**40,)
    return Argument(value, check)


def extra(place: Place) -> Argument:
    """iptr: a plain address."""
    value = 0 if place.variant == OBJECTS else 0x7F00_0000_2000
    return Argument(value, equal(value, 64))


SIMPLE = {"b": text, "v*": address, "f32": real, "KP": kernel_parameters, "iptr": extra, "[bytes]?": text_list,
          "[Any]?": address_list}


def argument(token: str, place: Place) -> Argument:
    """The expectation of one argument, by its token (section 2 of the API description)."""
    if token in ("i32", "u32", "u16", "u8", "sz", "u64"):
        return number(token, place)
    if token in SIMPLE:
        return SIMPLE[token](place)
    if token in ("[int]", "[int]?"):
        return number_list(place, token.endswith("?"))
    name = token.strip("[]?!*")
    nullable = token.endswith("?")
    if is_enum(place.module_name, name):
        return (enumeration_list(name, place, nullable) if token.startswith("[") else enumeration(name, place))
    entry = class_entry(place.module_name, name)
    assert entry is not None, f"no family for {token!r}"
    if entry["kind"] == "record":
        if token.startswith("["):
            return record_list(name, entry["size"], place, nullable)
        return record(name, entry["size"], place, by_value=token.endswith("!"))
    if token.startswith("*"):
        return handle_pointer(name, entry["kind"], place)
    if token.startswith("["):
        return handle_list(name, entry["kind"], place, nullable)
    return handle(name, entry["kind"], place)


# --- results -------------------------------------------------------------------------------------------------------

def stores(value: int, size: int) -> Callable[[int], None]:
    """The fake library writes a number through the pointer."""
    return lambda word: write_number(word, value, size)


def number_output(parameter: Parameter, index: int) -> Output:
    """int: read in the width and the sign that the C type has; void ** gives a number, never a device pointer."""
    pointee = parameter.type.removesuffix("*").strip()
    if pointee in ("void *", "const void *") or pointee == "void":
        value, size = 0x7FFF_1234_5000 + index, 8
    else:
        bits = INTEGER_BITS[pointee]
        size = bits // 8
        value = -(5 + index) if pointee in ("int", "CUdevice") else 2**bits - 2 - index

    def check(result: object) -> None:
        assert type(result) is int and result == value
    return Output(stores(value, size), check)


def real_output(index: int) -> Output:
    """float."""
    def check(result: object) -> None:
        assert type(result) is float and result == 0.5 + index
    return Output(lambda word: write(word, struct.pack("<f", 0.5 + index)), check)


def text_output(parameter: Parameter) -> Output:
    """bytes: a text of the library's own, up to its end."""
    assert parameter.type == "const char **", parameter
    static = ctypes.create_string_buffer(b"a text of the library")

    def check(result: object) -> None:
        assert result == b"a text of the library"
    return Output(lambda word: write_number(word, ctypes.addressof(static), 8), check)


def is_handle(module: object, name: str, value: int) -> Callable[[object], None]:
    """The result is exactly that class and holds the value."""
    def check(result: object) -> None:
        assert type(result) is getattr(module, name), f"got {type(result)}"
        assert int(result) == value
    return check


def is_record(module: object, name: str, data: bytes) -> Callable[[object], None]:
    """The result is exactly that class, with the bytes that the library wrote."""
    def check(result: object) -> None:
        assert type(result) is getattr(module, name), f"got {type(result)}"
        assert ctypes.string_at(result.getPtr(), len(data)) == data
    return check


def output(token: str, module: object, module_name: str, parameter: Parameter, index: int) -> Output:
    """The expectation of one result, by its token."""
    if token == "int":
        return number_output(parameter, index)
    if token == "float":
        return real_output(index)
    if token == "bytes":
        return text_output(parameter)
    if is_enum(module_name, token):
        member = list(getattr(module, token))[-1]

        def check(result: object) -> None:
            assert result is member
        return Output(stores(int(member), 4), check)
    entry = class_entry(module_name, token)
    assert entry is not None, f"no family for the result {token!r}"
    if entry["kind"] == "record":
        data = pattern(entry["size"], 40 + index)
        return Output(lambda word: write(word, data), is_record(module, token, data))
    value = handle_value(entry["kind"], 20 + index)
    return Output(stores(value, HANDLE_BITS[entry["kind"]] // 8), is_handle(module, token, value))
