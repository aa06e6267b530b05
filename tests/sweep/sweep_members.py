# SPDX-License-Identifier: Apache-2.0
"""Every settable member of every record, from the header facts, and what each kind of member makes of bad input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import hostile
import numpy
from api_table import ROOT, table
from hostile import OwnError, asked
from sweep_kinds import Kind, enumeration_kind, handle_kind, in_range
from sweep_rules import (
    BUFFERS,
    FLAGS,
    FRACTIONS,
    HUGE_FLOATS,
    MILLION,
    NONE,
    NOTHING,
    SEQUENCES,
    WHOLE,
    Case,
    Strangers,
    all_refused,
    elements,
    enumeration,
    float_raises,
    foreign,
    handle,
    index_raises,
    kernel_parameters,
    number,
    out_of_range,
    own,
    refused,
    taken,
)

from cuda_bindings.errors import ArrayLengthError

C_NUMBERS = {"int": (32, True), "unsigned int": (32, False), "size_t": (64, False), "unsigned long long": (64, False),
             "long long": (64, True), "long": (64, True), "unsigned char": (8, False), "unsigned short": (16, False)}
# What C fills in, or nobody may exchange.
READ_ONLY = {("CUuuid_st", "bytes"), ("CUDA_CONDITIONAL_NODE_PARAMS", "phGraph_out"),
             ("cudaConditionalNodeParams", "phGraph_out")}
# No attribute: the name says that it is nobody's.
HIDDEN = {"_internal_padding"}
ADDRESS = "an address as an integer, None or an object with a contiguous buffer"


@dataclass(frozen=True)
class Member:
    """One member: of which record, where in it, and what C has there."""

    module: str
    record: str         # the class that Python makes
    path: tuple[str, ...]
    owner: str          # the C struct that declares it
    type: str
    length: int         # of an array; 0: none


def _facts() -> dict[str, dict]:
    found = {}
    for line in (ROOT / "headers-snapshot" / "13.0" / "facts.jsonl").read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        if fact["kind"] == "record":
            found[fact["name"]] = fact
    return found


def _walk(facts: dict, module: str, record: str, owner: str, path: tuple[str, ...]) -> Iterator[Member]:
    for field in facts[owner]["fields"]:
        inner = field["type"].removeprefix("struct ")
        here = (*path, field["name"]) if field["name"] else path
        if "::" in inner and not field.get("array"):
            if field["name"]:
                yield Member(module, record, here, owner, inner, 0)
            yield from _walk(facts, module, record, inner, here)
        elif field["name"] not in HIDDEN:
            yield Member(module, record, here, owner, field["type"], field.get("array", 0))


def members() -> dict[tuple[str, str], list[Member]]:
    """The members of all records, by module and class."""
    facts = _facts()
    found = {}
    for name, fact in facts.items():
        modules = ("driver", "runtime") if fact["module"] == "shared" else (fact["module"],)
        for module in modules:
            if "::" not in name:
                found[module, name] = list(_walk(facts, module, name, name, ()))
    return found


# --- kinds ---------------------------------------------------------------------------------------------------------

def class_of(module: str, name: str) -> dict | None:
    """The table's row of a class, the driver's for what the runtime borrows."""
    return table()["classes"][module].get(name) or table()["classes"]["driver"].get(name)


def scalar_kind(module: object, member: Member, c_type: str) -> Kind:
    """A member that is one value."""
    name = re.sub(r"^(enum|struct) ", "", c_type)
    if c_type in C_NUMBERS:
        bits, signed = C_NUMBERS[c_type]
        return Kind("number", in_range(bits, signed), bits=bits, signed=signed, extra={"member": True})
    if c_type in ("float", "double"):
        return Kind("real member", "a real number")
    if c_type in ("void *", "const void *"):
        return Kind("address member", ADDRESS, nullable=True)
    if name in table()["enums"][member.module]:
        return enumeration_kind(module, name)
    entry = class_of(member.module, name)
    if "::" in name or entry is None or entry["kind"] in ("record", "nested"):
        return Kind("record member", "", cls=name)
    return handle_kind(name, entry)


def kind_of_member(module: object, member: Member) -> Kind:
    """The kind of a member."""
    if (member.owner, member.path[-1]) in READ_ONLY:
        return Kind("read-only")
    if member.length and member.type in ("char", "unsigned char"):
        return Kind("characters", f"a sequence of {member.length} elements", length=member.length)
    if member.length:
        one = scalar_kind(module, member, member.type)
        return Kind("array", f"a sequence of {member.length} elements", length=member.length, extra={"one": one})
    if member.type == "void **":
        if member.path[-1] == "kernelParams":
            return Kind("kernel parameters", "None, an int address, a buffer of addresses, .*", nullable=True)
        return Kind("pointer member", "an address as an integer")
    pointed = re.sub(r"const |struct |\*| ", "", member.type)
    if member.type.endswith("*") and pointed != "void":
        entry = class_of(member.module, pointed)
        if pointed.startswith("cuuint"):
            return Kind("number behind a pointer", f"{pointed}, None, a writable buffer of 4 bytes or an address as an "
                                                   "integer", cls=pointed)
        words = f"a list or tuple of {pointed}, or None"
        if entry is None or entry["kind"] == "record":
            return Kind("list of records", words, cls=pointed)
        return Kind("list of handles", words, cls=pointed, extra={"one": handle_kind(pointed, entry)})
    return scalar_kind(module, member, member.type)


# --- rules ---------------------------------------------------------------------------------------------------------

def member_number(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """As for an argument, but for __int__ alone, which is not asked."""
    for case in number(kind, site, value, at):
        if "__int__" not in case.label:
            yield case
    yield refused("__int__ alone", lambda: asked("__int__", 5), TypeError, "Asked", kind.accepts, at)


def member_real(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """Whatever float() takes, within the range of a float."""
    rows = [row for row in BUFFERS if row[0] != "an array"]
    yield from all_refused(NOTHING + SEQUENCES + rows + NONE + foreign(site)[:1], TypeError, kind.accepts, at)
    yield from all_refused(HUGE_FLOATS[:2], OverflowError, "a number within the range of float", at)
    for label, make, got in (("10**400", lambda: 10**400, "an int above 64 bits signed"),
                             ("10**400 by __index__", lambda: asked("__index__", 10**400), "Asked")):
        yield refused(label, make, OverflowError, got, "a number within the range of (float|double)", at)
    yield from float_raises(kind.accepts, at)
    yield from index_raises(kind.accepts, at)


def member_address(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """A number, a handle, None or memory, which the record keeps."""
    rows = NOTHING + SEQUENCES + FLAGS + FRACTIONS + WHOLE + HUGE_FLOATS
    yield from all_refused(rows, TypeError, kind.accepts, at)
    yield from out_of_range(64, False, TypeError, kind.accepts, at)
    for method in ("__index__", "__int__"):
        for label, answer in (("raises", OwnError()), ("gives text", "5"), ("gives -1", -1)):
            yield refused(f"{method} that {label}", lambda m=method, a=answer: asked(m, a), TypeError, "Asked",
                          kind.accepts, at)
        yield Case(f"{method} that is interrupted", lambda m=method: asked(m, KeyboardInterrupt()), KeyboardInterrupt)
    for label, make, got in (("not contiguous", hostile.strided, "memoryview"),
                             ("an array with gaps", lambda: numpy.zeros(200, numpy.uint8)[::2], r"numpy\.ndarray"),
                             ("a view that was released", hostile.released, "memoryview")):
        yield refused(label, make, ValueError, got, kind.accepts, at)


def pointer_member(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """A number and nothing else."""
    yield from all_refused(NOTHING + SEQUENCES + BUFFERS + NONE + FLAGS[:2] + FRACTIONS + WHOLE + HUGE_FLOATS
                           + foreign(site)[:1], TypeError, kind.accepts)
    yield from out_of_range(64, False, OverflowError, kind.accepts)
    yield from index_raises(kind.accepts)


def number_behind_a_pointer(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """The object itself, writable memory or an address."""
    yield from all_refused(NOTHING + SEQUENCES + FLAGS[:2] + FRACTIONS[:4] + WHOLE + foreign(site)[1:], TypeError,
                           kind.accepts)
    yield from out_of_range(64, False, OverflowError, kind.accepts)
    for label, make, got in (("short", lambda: bytearray(3), "bytearray"),
                             ("not contiguous", hostile.strided, "memoryview"),
                             ("released", hostile.released, "memoryview")):
        yield refused(label, make, ValueError, got, kind.accepts)
    yield refused("read-only", lambda: b"1234", TypeError, "bytes", kind.accepts)


def record_member(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """An instance of the class, which is copied."""
    rows = NOTHING + SEQUENCES + BUFFERS + NONE + foreign(site) + FRACTIONS + FLAGS
    name = type(value).__name__
    yield from all_refused(rows, TypeError, name, at)
    yield refused("an address", lambda: value.getPtr(), TypeError, r"int \d+", name, at)
    yield refused("its memory", lambda: memoryview(value), TypeError, "memoryview", name, at)
    pretended = type("Pretended", (), {"__class__": type(value)})
    yield refused("what says to be one", pretended, TypeError, "Pretended", name, at)


def read_only(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """Nothing at all."""
    for label, make in (("itself", lambda: value), ("None", lambda: None), ("an object", object),
                        ("zeros", lambda: bytes(16))):
        yield Case(label, make, AttributeError, ": is read-only$")


def wrong_lengths(kind: Kind, make: Callable[[int], object]) -> Iterator[Case]:
    """One too few, one too many, none, a million."""
    for length in sorted({0, kind.length - 1, kind.length + 1, MILLION}):
        yield Case(f"{length} elements", lambda n=length: make(n), ArrayLengthError,
                   f": got {length} elements; accepts exactly {kind.length}$")


def sequences(kind: Kind) -> Iterator[Case]:
    """What does not iterate, or not as it should."""
    iterating = ("a dictionary", "a set", "a generator")
    rows = [row for row in NOTHING if row[0] not in iterating] + NONE + FLAGS[:2] + FRACTIONS[:4] + WHOLE
    yield from all_refused(rows, TypeError, kind.accepts)
    yield refused("a number", lambda: 5, TypeError, "int 5", kind.accepts)
    yield own("an iterable that raises", lambda: asked("__iter__", OwnError()))
    yield own("a sequence that raises", lambda: asked("__getitem__", OwnError()))
    yield own("a list that cannot be iterated", lambda: hostile.RaisingList([1]))
    for label, make in (("a negative length", hostile.NegativeLength), ("a huge length", hostile.HugeLength),
                        ("an empty dictionary", dict), ("an empty generator", lambda: iter(()))):
        yield Case(label, make, ArrayLengthError, f": got 0 elements; accepts exactly {kind.length}$")


def characters(kind: Kind, site: Strangers, value: bytes) -> Iterator[Case]:
    """Bytes of exactly the array's length, or as many small numbers."""
    yield from sequences(kind)
    for make in (bytes, bytearray, hostile.OtherBytes, lambda n: [0] * n, lambda n: hostile.OtherList([0] * n)):
        yield from wrong_lengths(kind, make)
    one = Kind("number", r"an integer in -128\.\.255", bits=8, signed=False)
    for case in elements([0] * kind.length, lambda at: number(one, site, 5, at)):
        # C's char has the range of both, and __int__ alone is not asked.
        if not case.label.endswith("] : -1") and "__int__" not in case.label and "]: -1" not in case.label:
            yield case
    yield from elements([0] * kind.length,
                        lambda at: [refused("-129", lambda: -129, OverflowError, "int -129", one.accepts, at)])
    yield taken("bytes that lie", lambda: hostile.OtherBytes(kind.length))


def array(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """As many elements as the C array has, each of its kind."""
    one = kind.extra["one"]
    yield from sequences(kind)
    first = value[0]
    yield from wrong_lengths(kind, lambda n: [first] * n)
    yield from wrong_lengths(kind, lambda n: hostile.OtherTuple([first] * n))
    valid = list(value)
    if one.family == "address member":
        valid = [0x1000 + i for i in range(kind.length)]
    yield from elements(valid, lambda at: MEMBER_RULES[one.family](one, site, first, at))
    yield taken("a list that lies", lambda: hostile.OtherList(valid))


def list_of_records(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """A list of instances, which are copied; None for no list."""
    rows = NOTHING + BUFFERS + foreign(site) + FRACTIONS[:4] + WHOLE + FLAGS[:2]
    yield from all_refused(rows, TypeError, kind.accepts)
    yield own("a list that cannot be iterated", lambda: hostile.RaisingList(value))
    rows = NOTHING + SEQUENCES + BUFFERS + NONE + foreign(site) + FRACTIONS + FLAGS
    yield from elements(value, lambda at: all_refused(rows, TypeError, kind.cls, at))
    yield taken("a list that lies", lambda: hostile.OtherList(value))
    yield taken("a tuple that lies", lambda: hostile.OtherTuple(value))


def list_of_handles(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """A list of instances or numbers; None for no list."""
    rows = NOTHING + BUFFERS + foreign(site) + FRACTIONS[:4] + WHOLE + FLAGS[:2]
    yield from all_refused(rows, TypeError, kind.accepts)
    yield own("a list that cannot be iterated", lambda: hostile.RaisingList(value))
    yield from elements(value, lambda at: handle(kind.extra["one"], site, value[0], at))
    yield refused("a million", lambda: [value[0]] * (MILLION - 1) + ["x"], TypeError, "str",
                  kind.extra["one"].accepts, rf"\[{MILLION - 1}\]")
    yield taken("a list that lies", lambda: hostile.OtherList(value))


MEMBER_RULES = {"number": member_number, "real member": member_real, "address member": member_address,
                "pointer member": pointer_member, "number behind a pointer": number_behind_a_pointer,
                "record member": record_member, "read-only": read_only, "characters": characters, "array": array,
                "list of records": list_of_records, "list of handles": list_of_handles, "enumeration": enumeration,
                "handle": handle, "kernel parameters": kernel_parameters}


def bad_values(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """Every input that is tried in place of a valid value of a member."""
    return MEMBER_RULES[kind.family](kind, site, value)


__all__ = ["Member", "bad_values", "kind_of_member", "members"]
