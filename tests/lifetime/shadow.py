# SPDX-License-Identifier: Apache-2.0
"""What must lie in memory and who must be alive: structs as plain bytes and a graph of who keeps whom."""

from __future__ import annotations

import ctypes
import re
import struct
from typing import Any

from layout import Field, Layout, derives, enumeration, facts, handle_format, layout

MOST_GRAPHS = 1 << 16
CONDITIONAL = 13        # CU_GRAPH_NODE_TYPE_CONDITIONAL, cudaGraphNodeTypeConditional
UNREADABLE = 1 << 63    # no user's address on any machine that runs this


class Region:
    """Bytes at an address, as they must be."""

    __slots__ = ("address", "bytes")

    def __init__(self, address: int, content: bytes) -> None:
        self.address = address
        self.bytes = bytearray(content)

    def verify(self) -> None:
        """Compares with what C code would find there."""
        found = ctypes.string_at(self.address, len(self.bytes))
        if found != self.bytes:
            at = next(i for i, pair in enumerate(zip(found, self.bytes, strict=True)) if pair[0] != pair[1])
            raise AssertionError(f"byte {at} of {len(found)}: found {found[at:at + 16].hex()}, "
                                 f"expected {bytes(self.bytes[at:at + 16]).hex()}")


class Node:
    """Something that may be alive; `kept` lists what it keeps."""

    __slots__ = ()

    def kept(self, stale: bool) -> list[Node]:
        """What lives as long as this. With `stale`, also what may still be held though nothing points at it."""
        return []

    def intact(self) -> None:
        """Fails if it is not what it was."""


class Keep:
    """A pointer that the struct keeps good: it counts as long as nobody wrote another there."""

    __slots__ = ("address", "target", "kind", "type", "count")

    def __init__(self, address: int, target: Any, kind: str = "object", type_name: str = "", count: int = 0) -> None:
        self.address, self.target, self.kind, self.type, self.count = address, target, kind, type_name, count


class Memory(Node):
    """What a record, or the array of a list member, lies in; shared by all views into it."""

    __slots__ = ("region", "start", "size", "own", "keeps", "tag", "users", "dead")

    def __init__(self, region: Region, start: int, size: int, own: bool, tag: str) -> None:
        self.region, self.start, self.size, self.own, self.tag = region, start, size, own, tag
        self.keeps: dict[int, Keep] = {}
        self.users = 0      # counted where it is at somebody else's address
        self.dead = False

    @property
    def address(self) -> int:
        """Where it lies."""
        return self.region.address + self.start

    def read(self, offset: int, size: int) -> bytes:
        """Its bytes."""
        return bytes(self.region.bytes[self.start + offset:self.start + offset + size])

    def write(self, offset: int, content: bytes) -> None:
        """Writes bytes; keeps stay, and count or not."""
        self.region.bytes[self.start + offset:self.start + offset + len(content)] = content

    def pointer(self, offset: int) -> int:
        """The pointer stored at an offset."""
        return struct.unpack("<Q", self.read(offset, 8))[0]

    def point(self, offset: int, address: int, keep: Keep | None = None) -> None:
        """A pointer is assigned: whatever was kept for it is let go."""
        self.drop(offset, offset + 8)
        self.write(offset, struct.pack("<Q", address))
        if keep is not None:
            self.keeps[offset] = keep

    def drop(self, begin: int, end: int) -> None:
        """Forgets what is kept for some bytes."""
        for offset in [offset for offset in self.keeps if begin <= offset < end]:
            del self.keeps[offset]

    def found(self, offset: int) -> Keep | None:
        """What the pointer there leads to, if that is known."""
        keep = self.keeps.get(offset)
        return keep if keep is not None and self.pointer(offset) == keep.address else None

    def kept(self, stale: bool) -> list[Node]:
        return [keep.target for offset, keep in self.keeps.items() if stale or self.found(offset)]

    def copy(self, offset: int, source: Memory, source_offset: int, size: int) -> None:
        """By value: bytes, and what they keep alive."""
        travelling = {}
        for at, keep in source.keeps.items():
            if source_offset <= at and at + 8 <= source_offset + size and source.found(at):
                travelling[at - source_offset + offset] = keep
        if self.address + offset == source.address + source_offset:
            for at, keep in travelling.items():     # the bytes are there already; who keeps what is added
                if self.found(at) is None:
                    self.keeps[at] = keep
            return
        content = source.read(source_offset, size)
        self.drop(offset, offset + size)
        self.keeps.update(travelling)
        self.write(offset, content)

    def abandon(self) -> None:
        """The last wrapper of somebody else's memory goes, and takes its lists with it."""
        for offset, keep in self.keeps.items():
            if keep.kind != "object" and self.found(offset):
                self.write(offset, bytes(8))
        self.keeps = {}
        self.dead = True


class Object(Node):
    """A record's Python object: what a buffer of it keeps."""

    __slots__ = ("memory", "links")

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.links: list[Node] = []

    def kept(self, stale: bool) -> list[Node]:
        return [self.memory, *self.links]


# ---- reading members -----------------------------------------------------------------------------------------------

def unpack(form: str, content: bytes) -> Any:
    """One number."""
    return struct.unpack("<" + form, content)[0]


def numbers(field: Field, memory: Memory, offset: int) -> list:
    """The elements of a member of numbers, enumerators, handles or pointers (one where it is no array)."""
    form = {"number": field.type, "enum": "", "handle": ""}.get(field.kind, "Q")
    if field.kind == "enum":
        form = enumeration(field.type).format
    if field.kind == "handle":
        form = handle_format(field.type)
    count = field.count or 1
    return list(struct.unpack(f"<{count}{form}", memory.read(offset + field.offset, count * field.size)))


def known_list(field: Field, memory: Memory, offset: int) -> Keep | None:
    """The list that was assigned to a member and is still there."""
    keep = memory.found(offset + field.offset)
    if keep is None or keep.kind != field.kind:
        return None
    same = layout(keep.type).name == layout(field.type).name if field.kind == "records" else keep.type == field.type
    return keep if same else None


def graph_count(shape: Layout, memory: Memory, offset: int) -> int:
    """How many graphs the library's list of them has; 0 where the bytes are not a conditional node's."""
    if memory.tag in ("CUgraphNodeParams_st", "cudaGraphNodeParams") and unpack("i", memory.read(0, 4)) != CONDITIONAL:
        return 0
    size = next(field for field in shape.fields if field.name == "size")
    return unpack("I", memory.read(offset + size.offset, 4))


# ---- comparing -----------------------------------------------------------------------------------------------------

def equal(shape: Layout, left: tuple[Memory, int], right: tuple[Memory, int]) -> bool:
    """Whether two structs are equal: by members, padding aside; unions by bytes."""
    if shape.is_union:
        return left[0].read(left[1], shape.size) == right[0].read(right[1], shape.size)
    return all(_equal_member(field, left, right) for field in shape.fields)


def _equal_member(field: Field, left: tuple[Memory, int], right: tuple[Memory, int]) -> bool:
    (a, x), (b, y) = left, right
    if field.kind == "record":
        inner = layout(field.type)
        return all(equal(inner, (a, x + field.offset + i * inner.size), (b, y + field.offset + i * inner.size))
                   for i in range(field.count or 1))
    same = a.read(x + field.offset, field.size * (field.count or 1)) == b.read(y + field.offset,
                                                                              field.size * (field.count or 1))
    if same or field.kind not in ("records", "handles"):
        return same
    # Lists that were assigned, be it to another member of a union.
    first, second = a.found(x + field.offset), b.found(y + field.offset)
    if first is None or second is None or "object" in (first.kind, second.kind):
        return False
    if (first.kind, _element(first), first.count) != (second.kind, _element(second), second.count):
        return False
    if first.kind == "handles":
        return first.target.read(0, first.target.size) == second.target.read(0, second.target.size)
    inner = layout(first.type)
    return all(equal(inner, (first.target, i * inner.size), (second.target, i * inner.size))
               for i in range(first.count))


def _element(keep: Keep) -> str:
    """The C type of a list's elements."""
    return layout(keep.type).name if keep.kind == "records" else keep.type


# ---- text and dictionaries -----------------------------------------------------------------------------------------

HIDDEN = re.compile(r"reserved\d*|padding|pad")


def handle_text(name: str, value: int) -> str:
    """How a handle shows itself."""
    numeric = name in ("CUdeviceptr", "CUmemGenericAllocationHandle", "CUgraphConditionalHandle", "cuuint32_t",
                       "cudaGraphConditionalHandle", "cuuint64_t")
    return f"<{name} {value}>" if numeric else f"<{name} {value:#x}>"


def enum_text(name: str, value: int) -> str:
    """How an enumerator shows itself: by its first name, or as a code that nobody knows."""
    for text, number in facts()["enum"][name]["values"]:
        if number == value:
            return f"<{name}.{text}: {value}>"
    return f"<{name}({value})>"


def _element_text(field: Field, value: Any) -> str:
    if field.kind == "handle":
        return handle_text(field.type, value)
    return enum_text(field.type, value) if field.kind == "enum" else repr(value)


def _list_text(items: list[str]) -> str:
    return "[" + ", ".join(items) + "]"


def _member_text(field: Field, memory: Memory, offset: int) -> str:
    if field.kind in ("bytes", "text"):
        return repr(characters(field, memory, offset))
    if field.kind == "record":
        inner = layout(field.type)
        return _list_text([text_of(inner, memory, offset + field.offset + i * inner.size)
                           for i in range(field.count)])
    if field.kind in ("records", "handles"):
        keep = known_list(field, memory, offset)
        if keep is None:
            return "[]"
        if field.kind == "handles":
            values = struct.unpack(f"<{keep.count}Q", keep.target.read(0, 8 * keep.count))
            return _list_text([handle_text(field.type, value) for value in values])
        inner = layout(field.type)
        return _list_text([text_of(inner, keep.target, i * inner.size) for i in range(keep.count)])
    values = numbers(field, memory, offset)
    if field.count:
        return _list_text([_element_text(field, value) for value in values])
    return f"{values[0]:#x}" if field.kind == "address" else _element_text(field, values[0])


def text_of(shape: Layout, memory: Memory, offset: int) -> str:
    """repr of a struct that can be read (see `speaks`)."""
    return "\n".join(_lines(shape, memory, offset))


def _lines(shape: Layout, memory: Memory, offset: int) -> list[str]:
    """One entry a member; the text of a list may have more lines, which stay where they are."""
    lines = []
    for field in shape.fields:
        if HIDDEN.fullmatch(field.name):
            continue
        if field.kind == "record" and not field.count:
            lines.append(f"{field.name} :")
            lines += ["    " + line for line in _lines(layout(field.type), memory, offset + field.offset)]
        elif field.kind == "graphs":
            lines.append(f"{field.name} : {_graphs_text(shape, field, memory, offset)}")
        elif field.kind == "pointee":
            lines.append(f"{field.name} : {_pointee_text(field, memory, offset)}")
        else:
            lines.append(f"{field.name} : {_member_text(field, memory, offset)}")
    return lines


def _graphs_text(shape: Layout, field: Field, memory: Memory, offset: int) -> str:
    count = graph_count(shape, memory, offset)
    pointer = memory.pointer(offset + field.offset)
    if count > MOST_GRAPHS or (count and pointer >= UNREADABLE):
        return "<ValueError>"
    return _list_text([handle_text(field.type, 0)] * count)


def _pointee_text(field: Field, memory: Memory, offset: int) -> str:
    pointer = memory.pointer(offset + field.offset)
    if pointer >= UNREADABLE:
        return f"{pointer:#x}"
    value = unpack("I", ctypes.string_at(pointer, 4)) if pointer else 0
    return handle_text(field.type, value)


def characters(field: Field, memory: Memory, offset: int) -> bytes:
    """A member of characters."""
    content = memory.read(offset + field.offset, field.count)
    return content.split(b"\0")[0] if field.kind == "text" else content


def speaks(shape: Layout, memory: Memory, offset: int) -> bool:
    """Whether all members can be read: none leads to memory of which nobody can say whether it is there."""
    return all(_speaks(shape, field, memory, offset) for field in shape.fields)


def _speaks(shape: Layout, field: Field, memory: Memory, offset: int) -> bool:
    at = offset + field.offset
    if field.kind == "record":
        return all(speaks(layout(field.type), memory, at + i * field.size) for i in range(field.count or 1))
    if field.kind not in ("graphs", "pointee"):
        return True
    pointer = memory.pointer(at)
    if pointer == 0 or pointer >= UNREADABLE:
        return True
    if field.kind == "pointee":
        return memory.found(at) is not None
    count = graph_count(shape, memory, offset)
    return count == 0 or count > MOST_GRAPHS


def plain(shape: Layout, memory: Memory, offset: int) -> dict:
    """to_dict of a struct; handles and enumerators as numbers."""
    made: dict[str, Any] = {}
    for field in shape.fields:
        at = offset + field.offset
        if field.kind in ("bytes", "text"):
            made[field.name] = characters(field, memory, offset)
        elif field.kind == "record":
            inner = layout(field.type)
            each = [plain(inner, memory, at + i * inner.size) for i in range(field.count or 1)]
            made[field.name] = each if field.count else each[0]
        elif field.kind in ("records", "handles"):
            keep = known_list(field, memory, offset)
            made[field.name] = [] if keep is None else _plain_list(field, keep)
        elif field.kind == "graphs":
            count = graph_count(shape, memory, offset)
            if count > MOST_GRAPHS or (count and memory.pointer(at) >= UNREADABLE):
                raise ValueError(field.name)
            made[field.name] = [0] * count
        elif field.kind == "pointee":
            pointer = memory.pointer(at)
            unknown = pointer >= UNREADABLE     # to_dict does not read there either
            made[field.name] = None if unknown else unpack("I", ctypes.string_at(pointer, 4)) if pointer else 0
        else:
            values = numbers(field, memory, offset)
            made[field.name] = values if field.count else values[0]
    return made


def _plain_list(field: Field, keep: Keep) -> list:
    if field.kind == "handles":
        return list(struct.unpack(f"<{keep.count}Q", keep.target.read(0, 8 * keep.count)))
    inner = layout(field.type)
    return [plain(inner, keep.target, i * inner.size) for i in range(keep.count)]


def accepts(field: Field, class_name: str) -> bool:
    """Whether a member that is a record, or a list of them, takes instances of a class."""
    return derives(class_name, field.type)
