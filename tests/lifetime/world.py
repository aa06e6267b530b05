# SPDX-License-Identifier: Apache-2.0
"""Live records beside their shadows: what a step may pick from, and how everything is compared."""

from __future__ import annotations

import ctypes
import gc
import random
import struct
import weakref
from typing import Any, Callable, NamedTuple

from layout import INITIAL, Field, Layout, classes, derives, handle_format, layout
from shadow import Keep, Memory, Node, Object, Region, unpack

MOST = 40       # live references of a kind


class Token(bytearray):
    """A buffer that can be watched and can refer to anything."""


class Buffer(Node):
    """The shadow of a Token: its bytes, and what its attribute refers to."""

    __slots__ = ("content", "address", "seen", "links")

    def __init__(self, token: Token) -> None:
        self.content = bytes(token)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(token))
        self.seen = weakref.ref(token)
        self.links: list[Node] = []

    def kept(self, stale: bool) -> list[Node]:
        return self.links

    def intact(self) -> None:
        assert self.seen() is not None, "a buffer that is pointed at is gone"
        assert ctypes.string_at(self.address, len(self.content)) == self.content, "a buffer's bytes have changed"


class Constant(Node):
    """Bytes that a pointer leads to: of an immutable object, or a packed argument."""

    __slots__ = ("content", "address")

    def __init__(self, address: int, content: bytes) -> None:
        self.address, self.content = address, content

    def intact(self) -> None:
        assert ctypes.string_at(self.address, len(self.content)) == self.content, "memory pointed at has changed"


class Packed(Node):
    """Kernel arguments behind an array of their addresses."""

    __slots__ = ("address", "contents")

    def __init__(self, address: int, contents: list[bytes]) -> None:
        self.address, self.contents = address, contents

    def intact(self) -> None:
        for i, content in enumerate(self.contents):
            at = unpack("Q", ctypes.string_at(self.address + 8 * i, 8))
            assert ctypes.string_at(at, len(content)) == content, f"packed argument {i} has changed"


class Number(Node):
    """The one integer that a handle object of its own holds."""

    __slots__ = ("region",)

    def __init__(self, address: int, content: bytes) -> None:
        self.region = Region(address, content)

    def intact(self) -> None:
        self.region.verify()


class Record(NamedTuple):
    """A Python record and where its shadow lies. `name` is the class in the headers' words."""

    python: Any
    name: str
    module: str
    shape: Layout
    memory: Memory
    offset: int
    object: Object


class Handle(NamedTuple):
    """A Python handle that shows a member, or is one that a member points at."""

    python: Any
    name: str
    memory: Memory | None
    offset: int
    node: Node


class View(NamedTuple):
    """A memoryview of a record."""

    python: memoryview
    memory: Memory
    offset: int
    node: Object


class World:
    """All of it. Every draw comes from `draw`, so that a step is a number."""

    def __init__(self, modules: dict[str, Any]) -> None:
        self.modules = modules
        self.draw = random.Random()
        self.records: list[Record] = []
        self.handles: list[Handle] = []
        self.views: list[View] = []
        self.tokens: list[tuple[Token, Buffer]] = []
        self.pins: list[Record] = []
        self.watched: list[Buffer] = []
        self.anchors: dict[Memory, Record] = {}     # what an alias lies in must outlive it: the caller's word
        self.grave: list[Record] = []               # goes after the alias itself, at the end of the step
        self.counter = 0
        self.meddle: Callable[[], None] = lambda: None      # another step, in the middle of one

    # ---- classes ----------------------------------------------------------------------------------------------

    def python_class(self, name: str, module: str) -> Any:
        """A class by the headers' name. A runtime record may have members of the driver's classes."""
        home = self.modules[module]
        return getattr(home, name, None) or getattr(self.modules["driver"], name)

    def subclass(self, cls: Any) -> Any:
        """A class derived in Python: its instances have attributes."""
        made = _SUBCLASSES.get(cls)
        if made is None:
            made = _SUBCLASSES[cls] = type("Derived", (cls,), {})
        return made

    # ---- making -----------------------------------------------------------------------------------------------

    def adopt(self, python: Any, name: str, memory: Memory, offset: int) -> Record:
        """A record object just obtained, checked against its shadow."""
        shape = layout(name)
        assert python.getPtr() == memory.address + offset, f"{name} lies elsewhere"
        home = next(cls.__module__ for cls in type(python).__mro__ if cls.__module__.startswith("cuda_bindings."))
        record = Record(python, name, home.rpartition(".")[2], shape, memory, offset, Object(memory))
        memory.users += 1
        self.records.append(record)
        return record

    def own_memory(self, address: int, content: bytes, align: int, tag: str) -> Memory:
        """Memory that has just been made: aligned, and nobody else's."""
        assert address and address % align == 0, f"{address:#x} is not aligned to {align}"
        for region in self.regions(stale=False):    # what nothing points at any more may be gone
            apart = address + len(content) <= region.address or region.address + len(region.bytes) <= address
            assert apart, f"{address:#x} is somebody's memory already"
        memory = Memory(Region(address, content), 0, len(content), True, tag)
        memory.region.verify()
        return memory

    def create(self, name: str, module: str) -> Record:
        """A fresh record."""
        cls = self.python_class(name, module)
        if self.draw.random() < 0.1:
            cls = self.subclass(cls)
        python = cls() if self.draw.random() < 0.8 else cls(_ptr=0)
        shape = layout(name)
        content = bytearray(shape.size)
        for offset, value in INITIAL.get(shape.name, {}).items():
            content[offset] = value
        memory = self.own_memory(python.getPtr(), bytes(content), shape.align, shape.name)
        return self.adopt(python, name, memory, 0)

    def token(self, size: int = 0) -> tuple[Token, Buffer]:
        """A buffer with bytes that nobody else has."""
        self.counter += 1
        token = Token((b"%012d" % self.counter) * (size or self.draw.randrange(1, 5)))
        pair = (token, Buffer(token))
        self.watched.append(pair[1])
        self.tokens.append(pair)
        return pair

    # ---- picking ----------------------------------------------------------------------------------------------

    def pick(self, wanted: Any = None) -> Record | None:
        """A live record, held until the step ends."""
        fitting = self.records if wanted is None else [record for record in self.records if wanted(record)]
        if not fitting:
            return None
        return self.pin(self.draw.choice(fitting))

    def pin(self, record: Record) -> Record:
        """Holds a record until the step ends."""
        record.memory.users += 1
        self.pins.append(record)
        return record

    def unpin(self, count: int) -> None:
        """Lets go of what was picked since there were `count` pins."""
        while len(self.pins) > count:
            self.release(self.pins.pop())

    def release(self, held: Record | Handle | View) -> None:
        """One user less; the last of an alias takes its lists with it."""
        memory = held.memory
        if memory is None:
            return
        memory.users -= 1
        if memory.users == 0 and not memory.own:
            memory.abandon()
            anchor = self.anchors.pop(memory, None)
            if anchor is not None:
                self.grave.append(anchor)
                self.release(anchor)

    @staticmethod
    def of_module(record: Record, module: str) -> bool:
        """Whether a record is of a module's classes: those that both modules have are two."""
        return record.shape.module != "shared" or record.module == module

    def source(self, field: Field, module: str) -> Record:
        """A record that a member takes: a live one, or a new one with bytes in it."""
        found = self.pick(lambda record: derives(record.name, field.type) and self.of_module(record, module)
                          and (record.memory.own or self.draw.random() < 0.5))
        if found is not None and self.draw.random() < 0.85:
            return found
        made = self.pin(self.create(field.type, module))
        if self.draw.random() < 0.7 and speakable(made.shape):
            content = self.draw.randbytes(made.shape.size)
            memoryview(made.python)[:] = content = bytes(byte | 0x80 for byte in content)
            made.memory.write(0, content)
        return made

    # ---- comparing --------------------------------------------------------------------------------------------

    def roots(self) -> list[Node]:
        """What the walk itself holds."""
        held = [record.object for record in [*self.records, *self.pins, *self.grave, *self.anchors.values()]]
        shown = [node for handle in [*self.handles, *self.views] for node in (handle.memory, handle.node)
                 if node is not None]
        return held + shown + [buffer for _, buffer in self.tokens]

    def reachable(self, stale: bool) -> set[Node]:
        """What must be alive; with `stale`, what may be."""
        seen: set[Node] = set()
        queue = self.roots()
        while queue:
            node = queue.pop()
            if node not in seen:
                seen.add(node)
                queue += node.kept(stale)
        return seen

    def regions(self, stale: bool = True) -> list[Region]:
        """The memory of all that must be alive; with `stale`, of all that may be."""
        found = [node.region for node in self.reachable(stale)
                 if isinstance(node, Number) or (isinstance(node, Memory) and node.own)]
        return found

    def compare_all(self) -> None:
        """Everything that must be alive is, and is what it must be."""
        for node in self.reachable(stale=False):
            node.intact()
            if isinstance(node, Memory) and not node.dead:
                node.region.verify()
        for record in self.records:
            assert record.python.getPtr() == record.memory.address + record.offset
        for handle in self.handles:
            check_handle(handle)
        for view in self.views:
            assert bytes(view.python) == view.memory.read(view.offset, view.python.nbytes)

    def collect(self) -> None:
        """After the garbage collector, nothing lives that nobody holds."""
        gc.collect()
        alive = self.reachable(stale=True)
        for buffer in self.watched:
            if buffer not in alive:
                assert buffer.seen() is None, "a buffer that nobody points at is still alive"
        self.watched = [buffer for buffer in self.watched if buffer in alive]

    def empty(self) -> None:
        """Drops everything and looks whether it went."""
        while self.records or self.handles or self.views or self.tokens:
            self.drop()
            self.bury()
        self.collect()
        assert not self.watched and not self.anchors

    def drop(self) -> None:
        """Lets go of one thing that the walk holds."""
        lists = [each for each in (self.records, self.handles, self.views, self.tokens) if each]
        if not lists:
            return
        chosen = self.draw.choice(lists)
        held = chosen.pop(self.draw.randrange(len(chosen)))
        if not isinstance(held[0], Token):
            self.release(held)

    def bury(self) -> None:
        """What aliases lay in goes now: each after all that lay in it, which is the order in which it came."""
        while self.grave:
            del self.grave[0]

    def trim(self) -> None:
        """Keeps the walk from growing."""
        while max(map(len, (self.records, self.handles, self.views, self.tokens))) > MOST:
            self.drop()


_SUBCLASSES: dict[Any, Any] = {}


def check_handle(handle: Handle) -> None:
    """A handle shows what lies in its slot."""
    form = handle_format(handle.name)
    if handle.memory is not None:
        expected = unpack(form, handle.memory.read(handle.offset, struct.calcsize(form)))
        assert handle.python.getPtr() == handle.memory.address + handle.offset
    else:
        assert isinstance(handle.node, Number)
        expected = unpack(form, bytes(handle.node.region.bytes))
    assert int(handle.python) == expected, f"{handle.name} shows {int(handle.python)}, expected {expected}"


def speakable(shape: Layout) -> bool:
    """Whether any bytes may stand in a struct: no member's text follows its pointer."""
    return all(field.kind not in ("graphs", "pointee")
               and (field.kind != "record" or speakable(layout(field.type))) for field in shape.fields)


def is_list(field: Field) -> bool:
    """Whether a member is a list that may be assigned."""
    return field.kind in ("records", "handles")


def interesting() -> list[tuple[str, str]]:
    """Classes that point at something, themselves or in a member."""
    return [(module, name) for module, name in classes() if _points(layout(name))]


def _points(shape: Layout) -> bool:
    return any(field.kind in ("address", "records", "handles", "packed", "pointee")
               or (field.kind == "record" and _points(layout(field.type))) for field in shape.fields)


def keep_list(world: World, field: Field, record: Record, content: bytes, keeps: dict[int, Keep], count: int) -> Memory:
    """The array that a list member has just been given, adopted from where the pointer in the struct leads."""
    at = record.offset + field.offset
    address = unpack("Q", ctypes.string_at(record.memory.address + at, 8))
    align = layout(field.type).align if field.kind == "records" else struct.calcsize(handle_format(field.type))
    array = world.own_memory(address, content, align, "")
    array.keeps = dict(keeps)
    record.memory.point(at, address, Keep(address, array, field.kind, field.type, count))
    return array
