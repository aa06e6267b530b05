# SPDX-License-Identifier: Apache-2.0
"""What may happen to records: each step does it to a real record and to its shadow, and compares both."""

from __future__ import annotations

import copy
import ctypes
import pickle
import struct
from typing import Any, Callable

from assignments import assign, expect_refusal, pointers_of
from layout import Field, classes, enumeration, handle_format, layout
from shadow import (
    MOST_GRAPHS,
    UNREADABLE,
    Keep,
    Memory,
    Region,
    characters,
    equal,
    graph_count,
    known_list,
    numbers,
    plain,
    speaks,
    text_of,
    unpack,
)
from world import Handle, Record, View, World, check_handle, interesting, is_list, speakable

STEPS: dict[str, tuple[int, Callable[[World], None]]] = {}
INTERESTING = interesting()
ALL = list(classes())


def step(weight: int):
    """Makes a function a step that is drawn with a weight."""
    def enter(function: Callable[[World], None]) -> Callable[[World], None]:
        STEPS[function.__name__] = (weight, function)
        return function
    return enter


# ---- coming and going ----------------------------------------------------------------------------------------------

@step(10)
def create(world: World) -> None:
    """A record of any class; of those that point somewhere, more."""
    module, name = world.draw.choice(INTERESTING if world.draw.random() < 0.5 else ALL)
    world.create(name, module)


@step(10)
def drop(world: World) -> None:
    """The walk lets go of a record, a handle or a buffer."""
    world.drop()


@step(1)
def collect(world: World) -> None:
    """The garbage collector runs."""
    if world.draw.random() < 0.2:
        world.collect()


@step(4)
def alias(world: World) -> None:
    """A record of any class that fits, at an address inside of another's memory."""
    base = world.pick()
    if base is None:
        return
    own = world.draw.random() < 0.4
    names = [(base.module, base.name)] if own else [world.draw.choice(INTERESTING) for _ in range(4)]
    for module, name in names:
        shape = layout(name)
        region = base.memory.region
        if shape.size > len(region.bytes) or not (own or speakable(shape)):
            continue
        if own:
            start = base.memory.start + base.offset
        else:
            start = world.draw.randrange(len(region.bytes) - shape.size + 1)
            start -= start % world.draw.choice((1, 4, 8, 8))
        memory = Memory(region, start, shape.size, False, shape.name)
        cls = world.python_class(name, module)
        world.anchors[memory] = base
        base.memory.users += 1
        world.adopt(cls(memory.address) if world.draw.random() < 0.5 else cls(_ptr=memory.address), name, memory, 0)
        return


@step(5)
def duplicate(world: World) -> None:
    """copy(), copy.copy() and copy.deepcopy(): only the last has lists of its own."""
    record = world.pick()
    if record is None:
        return
    how = world.draw.choice((lambda python: python.copy(), copy.copy, copy.deepcopy))
    duplicate_of(world, record, how)


def duplicate_of(world: World, record: Record, how: Callable[[Any], Any]) -> Record:
    """A copy of a record, checked."""
    made = how(record.python)
    assert type(made) is type(record.python)
    size = record.shape.size
    content = record.memory.read(record.offset, size)
    shadow = Memory(Region(made.getPtr(), content), 0, size, True, record.shape.name)
    shadow.copy(0, record.memory, record.offset, size)
    if how is copy.deepcopy:
        unshare(shadow, {})
    fresh = world.own_memory(made.getPtr(), bytes(shadow.region.bytes), record.shape.align, record.shape.name)
    fresh.keeps = shadow.keeps
    return world.adopt(made, record.name, fresh, 0)


def unshare(memory: Memory, made: dict[Memory, Memory]) -> None:
    """Lists of its own for a shadow that has just been copied: one for each that it shared, where they are now."""
    for offset, keep in list(memory.keeps.items()):
        if keep.kind == "object":
            continue
        assert isinstance(keep.target, Memory)
        address = unpack("Q", ctypes.string_at(memory.address + offset, 8))
        array = made.get(keep.target)
        if array is None:
            assert address not in (0, keep.address), "a deep copy shares its list"
            array = Memory(Region(address, keep.target.read(0, keep.target.size)), 0, keep.target.size, True, "")
            array.copy(0, keep.target, 0, keep.target.size)
            made[keep.target] = array
            unshare(array, made)
            array.region.verify()
        assert address == array.address, "a deep copy has two lists where there was one"
        memory.keeps[offset] = Keep(address, array, keep.kind, keep.type, keep.count)
        memory.write(offset, struct.pack("<Q", address))


# ---- reading -------------------------------------------------------------------------------------------------------

@step(14)
def read(world: World) -> None:
    """A member's value is what its bytes mean; views of it may be kept."""
    record = world.pick(lambda record: record.shape.fields)
    if record is None:
        return
    field = world.draw.choice(record.shape.fields)
    readers = {"record": _read_record, "records": _read_list, "handles": _read_list, "handle": _read_handle,
               "graphs": _read_graphs, "pointee": _read_pointee}
    readers.get(field.kind, _read_values)(world, record, field)


@step(8)
def view(world: World) -> None:
    """A nested record's view, of one that has any."""
    record = world.pick(lambda record: any(f.kind == "record" and not f.count for f in record.shape.fields))
    if record is not None:
        nested = [field for field in record.shape.fields if field.kind == "record" and not field.count]
        _read_record(world, record, world.draw.choice(nested))


@step(6)
def elements(world: World) -> None:
    """Views of a list's elements, where one was assigned."""
    record = world.pick(lambda record: assigned_lists(record))
    if record is not None:
        _read_list(world, record, world.draw.choice(lists_of(record)))


def _read_values(world: World, record: Record, field: Any) -> None:
    found = getattr(record.python, field.name)
    if field.kind in ("bytes", "text"):
        assert found == characters(field, record.memory, record.offset)
        return
    expected = numbers(field, record.memory, record.offset)
    values = found if field.count else [found]
    assert len(values) == len(expected)
    for value, number in zip(values, expected, strict=True):
        assert value == number or (number != number and value != value), (field, value, number)
        if field.kind == "enum":
            assert isinstance(value, world.python_class(field.type, enumeration(field.type).module)), field


def _read_record(world: World, record: Record, field: Any) -> Record:
    found = getattr(record.python, field.name)
    inner, at = layout(field.type), record.offset + field.offset
    if not field.count:
        assert type(found) is world.python_class(field.type, record.module)
        return world.adopt(found, field.type, record.memory, at)
    assert len(found) == field.count
    place = world.draw.randrange(field.count)
    for i, element in enumerate(found):     # copies
        content = record.memory.read(at + i * inner.size, inner.size)
        assert bytes(element) == content
        if i == place:
            memory = world.own_memory(element.getPtr(), content, inner.align, inner.name)
            memory.copy(0, record.memory, at + i * inner.size, inner.size)
            made = world.adopt(element, field.type, memory, 0)
    return made


def _read_list(world: World, record: Record, field: Any) -> None:
    found = getattr(record.python, field.name)
    keep = known_list(field, record.memory, record.offset)
    assert len(found) == (0 if keep is None else keep.count)
    if keep is None:
        return
    size = len(keep.target.region.bytes) // keep.count
    for i, element in enumerate(found):
        assert element.getPtr() == keep.address + i * size
    i = world.draw.randrange(keep.count)
    if field.kind == "records":
        world.adopt(found[i], field.type, keep.target, i * size)
    else:
        _hold(world, Handle(found[i], field.type, keep.target, i * size, keep.target))


def _read_handle(world: World, record: Record, field: Any) -> None:
    if field.count:
        found = getattr(record.python, field.name)
        assert [int(value) for value in found] == numbers(field, record.memory, record.offset)
        assert all(type(value).__name__ == field.type for value in found)
        return
    shown = getattr(record.python, field.name)
    _hold(world, Handle(shown, field.type, record.memory, record.offset + field.offset, record.memory))


def _hold(world: World, handle: Handle) -> None:
    assert type(handle.python).__name__ == handle.name
    if handle.memory is not None:
        handle.memory.users += 1
    world.handles.append(handle)
    check_handle(handle)


def _read_graphs(world: World, record: Record, field: Any) -> None:
    count = graph_count(record.shape, record.memory, record.offset)
    pointer = record.memory.pointer(record.offset + field.offset)
    try:
        found = getattr(record.python, field.name)
    except ValueError:
        assert count > MOST_GRAPHS or (count and pointer), "readable after all"
    else:
        assert len(found) == count <= MOST_GRAPHS and (count == 0 or pointer < UNREADABLE)
        assert pointer or not any(int(graph) for graph in found)


def _read_pointee(world: World, record: Record, field: Any) -> None:
    found = getattr(record.python, field.name)
    at = record.offset + field.offset
    pointer, keep = record.memory.pointer(at), record.memory.found(at)
    if pointer == 0:
        assert int(found) == 0
        return
    assert found.getPtr() == pointer
    if keep is not None:
        assert int(found) == unpack("I", ctypes.string_at(pointer, 4))


# ---- writing -------------------------------------------------------------------------------------------------------

@step(30)
def write(world: World) -> None:
    """Any member of any record is assigned."""
    record = world.pick(lambda record: record.shape.fields)
    if record is not None:
        assign(world, record, world.draw.choice(record.shape.fields))


@step(14)
def write_pointer(world: World) -> None:
    """A member that points somewhere is assigned."""
    record = world.pick(lambda record: pointers_of(record.shape))
    if record is not None:
        assign(world, record, world.draw.choice(pointers_of(record.shape)))


@step(10)
def write_record(world: World) -> None:
    """A nested record is assigned by value: from anywhere, from itself too."""
    record = world.pick(lambda record: any(f.kind == "record" for f in record.shape.fields))
    if record is not None:
        nested = [field for field in record.shape.fields if field.kind == "record"]
        assign(world, record, world.draw.choice(nested))


@step(4)
def write_itself(world: World) -> None:
    """s.x = s.x: nothing changes."""
    record = world.pick(lambda record: record.shape.fields)
    if record is None:
        return
    field = world.draw.choice(record.shape.fields)
    if field.read_only or field.kind in ("text", "graphs", "raw", "packed", "address", "pointee"):
        return
    if field.kind in ("records", "handles"):
        assign(world, record, field, itself=True)
        return
    before = record.memory.read(record.offset, record.shape.size)
    setattr(record.python, field.name, getattr(record.python, field.name))
    content = record.memory.read(record.offset, record.shape.size)
    assert content == before == bytes(record.python) or field.type == "f"
    record.memory.write(record.offset, bytes(record.python))


@step(6)
def refuse(world: World) -> None:
    """A value that no member takes changes nothing."""
    record = world.pick(lambda record: record.shape.fields)
    if record is not None:
        expect_refusal(world, record, world.draw.choice(record.shape.fields))


@step(5)
def write_raw(world: World) -> None:
    """C code, or a memoryview, writes bytes: a pointer may lead elsewhere now, or nowhere."""
    record = world.pick()
    if record is None:
        return
    size = record.shape.size
    begin = world.draw.randrange(size)
    length = world.draw.randrange(min(24, size - begin) + 1)
    if world.draw.random() < 0.3:
        begin, length = 0, size
    content = bytes(world.draw.getrandbits(8) | 0x80 for _ in range(length))
    if world.draw.random() < 0.2:
        content = bytes(length)
    if world.draw.random() < 0.5:
        ctypes.memmove(record.python.getPtr() + begin, content, length)
    else:
        memoryview(record.python)[begin:begin + length] = content
    record.memory.write(record.offset + begin, content)


@step(3)
def write_through_handle(world: World) -> None:
    """A handle at the address of another handle's slot writes there."""
    shown = [handle for handle in world.handles if handle.memory is not None and handle_format(handle.name) != "Q"
             or handle.name in ("CUdeviceptr", "cuuint64_t")]
    if not shown:
        return
    handle = world.draw.choice(shown)
    if handle.memory is None:
        return
    value = world.draw.getrandbits(31) or 1
    type(handle.python)(value, _ptr=handle.python.getPtr())
    handle.memory.write(handle.offset, struct.pack("<" + handle_format(handle.name), value))
    assert int(handle.python) == value


# ---- the object itself ---------------------------------------------------------------------------------------------

@step(4)
def compare(world: World) -> None:
    """Records are equal by their members, and only within one C type."""
    left = world.pick()
    if left is None:
        return
    alike = world.pick(lambda record: record.shape is left.shape or record.shape.name == left.shape.name)
    right = alike if alike is not None and world.draw.random() < 0.8 else world.pick()
    assert right is not None
    comparable = left.shape.name == right.shape.name and world.of_module(left, right.module)
    expected = comparable and equal(left.shape, (left.memory, left.offset), (right.memory, right.offset))
    assert (left.python == right.python) is expected and (left.python != right.python) is not expected
    assert left.python == left.python and left.python != 5


@step(3)
def compare_lists(world: World) -> None:
    """A deep copy is equal, until its list has other elements or fewer."""
    record = world.pick(lambda record: assigned_lists(record))
    if record is None:
        return
    field = world.draw.choice(assigned_lists(record))
    made = world.pin(duplicate_of(world, record, copy.deepcopy))
    for _ in range(2):
        alike = equal(record.shape, (record.memory, record.offset), (made.memory, made.offset))
        assert (record.python == made.python) is (made.python == record.python) is alike
        assign(world, made, field, itself=True)


@step(2)
def read_as_another(world: World) -> None:
    """A list that was assigned to one member of a union is none to another, but for one of the same type."""
    module, name = world.draw.choice((("driver", "CUgraphNodeParams"), ("runtime", "cudaGraphNodeParams")))
    params = world.pin(world.create(name, module))
    nested = [field for field in params.shape.fields
              if field.kind == "record" and any(is_list(each) for each in layout(field.type).fields)]
    for _ in range(4):
        part = world.pin(_read_record(world, params, world.draw.choice(nested)))
        assign(world, part, world.draw.choice(lists_of(part)))
        for other in nested:
            shown = world.pin(_read_record(world, params, other))
            for field in lists_of(shown):
                _read_list(world, shown, field)


def lists_of(record: Record) -> list[Field]:
    """The members that are lists and may be assigned."""
    return [field for field in record.shape.fields if is_list(field)]


def assigned_lists(record: Record) -> list[Field]:
    """Those that were."""
    return [field for field in lists_of(record) if known_list(field, record.memory, record.offset)]


@step(4)
def show(world: World) -> None:
    """repr and to_dict say what the bytes mean."""
    record = world.pick()
    if record is None or not speaks(record.shape, record.memory, record.offset):
        return
    assert repr(record.python) == text_of(record.shape, record.memory, record.offset)
    try:
        expected = plain(record.shape, record.memory, record.offset)
    except ValueError:
        try:
            record.python.to_dict()
        except ValueError:
            return
        raise AssertionError("to_dict reads what cannot be read") from None
    found = record.python.to_dict()
    assert list(found) == list(expected)
    assert _alike(found, expected), (found, expected)


def _alike(found: Any, expected: Any) -> bool:
    if expected is None:
        return found.getPtr() >= UNREADABLE
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(_alike(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(_alike, found, expected))
    if isinstance(expected, bytes):
        return found == expected
    return found != found if expected != expected else (found if isinstance(found, float) else int(found)) == expected


@step(2)
def refuse_object_protocols(world: World) -> None:
    """No hash, no pickle, no order, no new attribute, no deletion."""
    record = world.pick(lambda record: record.shape.fields)
    if record is None:
        return
    name = record.shape.fields[0].name
    for action, error in ((lambda: hash(record.python), TypeError), (lambda: pickle.dumps(record.python), TypeError),
                          (lambda: record.python < record.python, TypeError),
                          (lambda: delattr(record.python, name), NotImplementedError)):
        try:
            action()
        except error:
            continue
        raise AssertionError("not refused")


@step(2)
def link(world: World) -> None:
    """A buffer, or a record of a class derived in Python, refers to a record: cycles come to be."""
    record = world.pick(lambda record: record.memory.own)
    if record is None:
        return
    if world.tokens and world.draw.random() < 0.6:
        token, buffer = world.draw.choice(world.tokens)
        token.link = record.python
        buffer.links = [record.object]
        return
    derived = world.pick(lambda each: type(each.python).__name__ == "Derived" and each.memory.own)
    if derived is not None:
        derived.python.link = record.python
        derived.object.links[:] = [record.object]


@step(2)
def take_buffer(world: World) -> None:
    """A memoryview of a record, which may outlive what the walk holds of it."""
    record = world.pick()
    if record is not None:
        held = memoryview(record.python)
        assert held.nbytes == record.shape.size and not held.readonly
        record.memory.users += 1
        world.views.append(View(held, record.memory, record.offset, record.object))
