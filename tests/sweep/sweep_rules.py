# SPDX-License-Identifier: Apache-2.0
"""What every kind of parameter makes of bad input, by hand: the input, the exception's type and what it must say."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import hostile
import numpy
from hostile import OwnError, asked
from sweep_kinds import Kind, limits

from cuda_bindings.errors import ListTooShortError

MILLION = 1_000_000


@dataclass(frozen=True)
class Case:
    """One input: refused with an error of a type whose text fits, raising what the object raises, or taken."""

    label: str
    make: Callable[[], object]
    error: type[BaseException] | None = None        # None: taken
    words: str = ""         # what follows "function(): parameter 'name'"; "": the object's own error


@dataclass(frozen=True)
class Strangers:
    """Objects that belong to the API but not here: of another class, for one kind."""

    handle: object
    record: object
    member: object


def refused(label: str, make, error: type, got: str, accepts: str, at: str = "", problem: str = "") -> Case:
    """A case of ours: '[at]: problem: got X; accepts Y'."""
    return Case(label, make, error, rf"{at}: {problem}got {got}; accepts {accepts}$")


def own(label: str, make) -> Case:
    """A case in which the object's own exception comes out."""
    return Case(label, make, OwnError)


def taken(label: str, make) -> Case:
    """A case that is no bad input, though it looks like one."""
    return Case(label, make)


def generator():
    """A generator of nothing."""
    yield from ()


# What nobody takes for a number, a handle, memory or text: how it is made, what errors call it.
NOTHING = [
    ("text", lambda: "5", "str"), ("an object", object, "object"), ("a dictionary", dict, "dict"),
    ("a set", lambda: {1}, "set"), ("a complex number", lambda: 1j, "complex"), ("a class", lambda: int, "type"),
    ("a function", lambda: len, "builtin_function_or_method"), ("a generator", generator, "generator"),
    ("an ellipsis", lambda: ..., "ellipsis"), ("a pretended int", hostile.PretendedInt, "PretendedInt"),
    ("a pretended list", hostile.PretendedList, "PretendedList"),
    ("pretended bytes", hostile.PretendedBytes, "PretendedBytes"),
]
CALLABLES = ("a class", "a function")    # callbacks may be any: tests/python/test_callbacks.py
SEQUENCES = [("a list", lambda: [1], "list"), ("a tuple", lambda: (1,), "tuple")]
BUFFERS = [("bytes", lambda: b"5", "bytes"), ("a bytearray", lambda: bytearray(b"5"), "bytearray"),
           ("a memoryview", lambda: memoryview(b"5"), "memoryview"),
           ("a ctypes number", lambda: ctypes.c_int(5), "c_int"),
           ("a ctypes structure", hostile.structure, "Pair"),
           ("an array", lambda: numpy.array([1, 2]), r"numpy\.ndarray")]
NONE = [("None", lambda: None, "None")]
FLAGS = [("True", lambda: True, "True"), ("False", lambda: False, "False"),
         ("NumPy's True", lambda: numpy.bool_(True), r"numpy\.bool_?")]
FRACTIONS = [("a fraction", lambda: 1.5, r"float 1\.5"), ("not a number", lambda: float("nan"), "float nan"),
             ("infinity", lambda: float("inf"), "float inf"), ("minus infinity", lambda: float("-inf"), "float -inf"),
             ("NumPy's fraction", lambda: numpy.float64(2.5), r"numpy\.float64"),
             ("NumPy's short fraction", lambda: numpy.float32(2.5), r"numpy\.float32"),
             ("a fraction by __float__", lambda: asked("__float__", 0.5), "Asked")]
WHOLE = [("a whole float", lambda: 16.0, "float 16")]
HUGE_FLOATS = [("1e300", lambda: 1e300, r"float 1e\+300"), ("-1e300", lambda: -1e300, r"float -1e\+300"),
               ("2**64 as a float", lambda: 2.0**64, r"float 1\.8446744073709552e\+19")]


def foreign(site: Strangers) -> list:
    """The API's own objects of other classes."""
    name = type(site.record).__name__
    handle = type(site.handle).__name__
    return [("another record", lambda: site.record, rf"(\w+\.)*{name}"),
            ("another handle", lambda: site.handle, rf"(\w+\.)*{handle}")]


def all_refused(rows, error: type, accepts: str, at: str = "") -> Iterator[Case]:
    """The rows, each refused in the same words."""
    for label, make, got in rows:
        yield refused(label, make, error, got, accepts, at)


def described(number: int) -> str:
    """What errors say of an int."""
    if number > (1 << 63) - 1:
        return "an int above 64 bits signed"
    return "an int below 64 bits signed" if number < -(1 << 63) else f"int {number}"


def out_of_range(bits: int, signed: bool, error: type, accepts: str, at: str = "") -> Iterator[Case]:
    """One past each end, and far beyond."""
    low, high = limits(bits, signed)
    for number in (low - 1, high + 1, 1 << 64, -(1 << 63) - 1, 10**1000, -(10**1000)):
        short = str(number) if abs(number) < 1 << 70 else "10**1000 or minus that"
        yield refused(short, lambda n=number: n, error, described(number), accepts, at)
    yield refused("one past the end by __index__", lambda: asked("__index__", high + 1), error, "Asked", accepts, at)
    yield refused("a huge number by __index__", lambda: asked("__index__", 10**1000), error, "Asked", accepts, at)


def index_raises(accepts: str, at: str = "") -> Iterator[Case]:
    """__index__ that raises or gives no int."""
    yield own("__index__ that raises", lambda: asked("__index__", OwnError()))
    yield refused("__index__ that raises TypeError", lambda: asked("__index__", TypeError("no")), TypeError, "Asked",
                  accepts, at)
    yield refused("__index__ that gives text", lambda: asked("__index__", "5"), TypeError, "Asked", accepts, at)
    yield refused("__index__ that gives a float", lambda: asked("__index__", 1.0), TypeError, "Asked", accepts, at)


def float_raises(accepts: str, at: str = "") -> Iterator[Case]:
    """__float__ that raises or gives no float."""
    yield own("__float__ that raises", lambda: asked("__float__", OwnError()))
    yield refused("__float__ that gives text", lambda: asked("__float__", "5"), TypeError, "Asked", accepts, at)


def number(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """int, whatever has __index__, whole floats, __int__ alone."""
    yield from all_refused(NOTHING + SEQUENCES + BUFFERS + NONE + foreign(site)[:1], TypeError, kind.accepts, at)
    yield from all_refused(FRACTIONS, ValueError, kind.accepts, at)
    yield from all_refused(HUGE_FLOATS, OverflowError, kind.accepts, at)
    yield from out_of_range(kind.bits, kind.signed, OverflowError, kind.accepts, at)
    yield from index_raises(kind.accepts, at)
    yield from float_raises(kind.accepts, at)
    yield own("__int__ that raises", lambda: asked("__int__", OwnError()))
    yield refused("__int__ that gives text", lambda: asked("__int__", "5"), TypeError, "Asked", kind.accepts, at)
    yield taken("an int that lies", lambda: hostile.OtherInt(value))
    yield taken("the same by __index__", lambda: asked("__index__", int(value)))
    yield taken("the same by __int__", lambda: asked("__int__", int(value)))
    yield taken("the same as a float", lambda: float(value))


def flag(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """A number whose truth counts."""
    yield from number(kind, site, 1)


def real(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """Whatever float() takes, but for text."""
    rows = [row for row in BUFFERS if row[0] != "an array"]     # NumPy has float() for arrays of one element
    yield from all_refused(NOTHING + SEQUENCES + rows + NONE + foreign(site)[:1], TypeError, "a number", at)
    yield from all_refused(HUGE_FLOATS[:2], OverflowError, "a number that a C float can hold", at)
    for label, make, got in (("10**400", lambda: 10**400, "an int above 64 bits signed"),
                             ("10**400 by __index__", lambda: asked("__index__", 10**400), "Asked")):
        yield refused(label, make, OverflowError, got, "a number that a C double can hold", at)
    yield from float_raises("a number", at)
    yield from index_raises("a number", at)
    for value in (float("nan"), float("inf"), True, numpy.float32(2.5)):
        yield taken(repr(value), lambda v=value: v)


def color(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """One number or four."""
    rows = [row for row in NOTHING if row[0] not in ("a dictionary", "a set", "a generator")]   # those iterate
    yield from all_refused(rows + NONE + foreign(site), TypeError, kind.accepts)
    four = "four numbers, or one number for all four"
    for length in (0, 3, 5):
        yield refused(f"{length} numbers", lambda n=length: [1.0] * n, ValueError, "list", four,
                      problem="wrong length: ")
    for case in real(kind, site, 1.0, r"\[3\]"):
        yield Case("the last: " + case.label, lambda c=case: [1.0] * 3 + [c.make()], case.error, case.words)
    yield from all_refused(HUGE_FLOATS[:2], OverflowError, "a number that a C float can hold")


def nothing_for(kind: Kind) -> list:
    """What nobody takes, less what a callback takes."""
    return [row for row in NOTHING if not (kind.extra.get("callback") and row[0] in CALLABLES)]


def handle(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """An instance, an integer; None where that is NULL; a whole float where a device address may have been computed."""
    yield from all_refused(nothing_for(kind) + SEQUENCES + BUFFERS + foreign(site), TypeError, kind.accepts, at)
    if not kind.nullable:
        yield from all_refused(NONE, TypeError, kind.accepts, at)
    if kind.address:
        yield from all_refused(FLAGS[:2], TypeError, kind.accepts, at)
    pointer = kind.extra["pointer"]
    yield from all_refused(FRACTIONS, TypeError if pointer else ValueError, kind.accepts, at)
    yield from all_refused(HUGE_FLOATS, TypeError if pointer else OverflowError, kind.accepts, at)
    if pointer:
        yield from all_refused(WHOLE, TypeError, kind.accepts, at)
    else:
        yield from float_raises(kind.accepts, at)
    yield from out_of_range(kind.bits, kind.signed, OverflowError, kind.accepts, at)
    yield from index_raises(kind.accepts, at)
    yield refused("__int__ alone", lambda: asked("__int__", 5), TypeError, "Asked", kind.accepts, at)
    yield taken("an int that lies", lambda: hostile.OtherInt(int(value)))
    yield taken("the same by __index__", lambda: asked("__index__", int(value)))


def handle_pointer(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """An instance, None, or the address of one."""
    rows = NOTHING + BUFFERS + foreign(site) + FRACTIONS + WHOLE + HUGE_FLOATS + FLAGS[:2]
    yield from all_refused(rows if kind.extra["counted"] else rows + SEQUENCES, TypeError, kind.accepts)
    yield from out_of_range(64, False, OverflowError, kind.accepts)
    yield from index_raises(kind.accepts)
    yield refused("__int__ alone", lambda: asked("__int__", 5), TypeError, "Asked", kind.accepts)
    if kind.extra["counted"]:
        instances = f"instances of {kind.cls}"
        yield refused("no elements", list, ListTooShortError, "0 elements", "a list of at least 1")
        yield refused("a number in a list", lambda: [value, 5], TypeError, "int 5", instances, r"\[1\]")
        yield refused("another handle in a list", lambda: (site.handle,), TypeError, r".*", instances, r"\[0\]")


def handle_in_place(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """An instance, which C changes, or None."""
    rows = NOTHING + SEQUENCES + BUFFERS + foreign(site) + FRACTIONS + WHOLE + HUGE_FLOATS + FLAGS
    yield from all_refused(rows, TypeError, kind.accepts)
    yield refused("a number", lambda: 5, TypeError, "int 5", kind.accepts)
    yield refused("a number by __index__", lambda: asked("__index__", OwnError()), TypeError, "Asked", kind.accepts)


def enumeration(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """A member of the C type, or any integer in its range."""
    other = type(site.member).__name__
    yield from all_refused(NOTHING + SEQUENCES + BUFFERS + NONE + foreign(site), TypeError, kind.accepts, at)
    yield refused("another enum's member", lambda: site.member, TypeError, other, kind.accepts, at)
    yield from all_refused(FRACTIONS, ValueError, kind.accepts, at)
    yield from all_refused(HUGE_FLOATS, OverflowError, kind.accepts, at)
    yield from out_of_range(kind.bits, kind.signed, OverflowError, kind.accepts, at)
    yield from index_raises(kind.accepts, at)
    yield from float_raises(kind.accepts, at)
    yield refused("__int__ alone", lambda: asked("__int__", 5), TypeError, "Asked", kind.accepts, at)
    yield taken("an int that lies", lambda: hostile.OtherInt(int(value)))
    yield taken("the same by __index__", lambda: asked("__index__", int(value)))


def record(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """An instance; None where C takes a pointer."""
    rows = NOTHING + SEQUENCES + BUFFERS + foreign(site) + FRACTIONS + WHOLE + FLAGS
    yield from all_refused(rows if kind.nullable else rows + NONE, TypeError, kind.accepts)
    yield refused("a number", lambda: 5, TypeError, "int 5", kind.accepts)
    yield refused("an address", lambda: value.getPtr(), TypeError, r"int \d+", kind.accepts)
    yield refused("its bytes", lambda: bytes(value), TypeError, "bytes", kind.accepts)
    yield refused("its memory", lambda: memoryview(value), TypeError, "memoryview", kind.accepts)
    yield refused("getPtr() alone", lambda: asked("getPtr", value.getPtr()), TypeError, "Asked", kind.accepts)
    pretended = type("Pretended", (), {"__class__": type(value)})
    yield refused("what says to be one", pretended, TypeError, "Pretended", kind.accepts)
    base = type(value).__mro__[1]
    if base is not object:
        yield refused("the class that it derives from", base, TypeError, rf"(\w+\.)*{base.__name__}", kind.accepts)
    derived = type("Derived", (type(value),), {"getPtr": None, "__len__": lambda self: -1})
    yield taken("a derived class", derived)


def text(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """bytes or bytearray, to whose end C can read."""
    rows = [row for row in BUFFERS if row[0] not in ("bytes", "a bytearray")]
    rows += NOTHING + SEQUENCES + NONE + foreign(site) + FRACTIONS + FLAGS
    yield from all_refused(rows, TypeError, "bytes or bytearray")
    yield refused("a number", lambda: 5, TypeError, "int 5", "bytes or bytearray")
    for make, got in ((lambda: b"a\0b", "bytes"), (lambda: bytearray(b"a\0b"), "bytearray"),
                      (lambda: hostile.OtherBytes(b"\0\0x"), "OtherBytes")):
        yield refused(f"a NUL inside {got}", make, ValueError, got, "text that C can read to its end",
                      problem="a NUL with text behind it: ")
    yield taken("bytes that lie", lambda: hostile.OtherBytes(b"name"))
    yield taken("a bytearray that lies", lambda: hostile.OtherBytearray(b"name"))
    yield taken("NULs at the end", lambda: b"name\0\0")


def setting(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """A text of the driver's settings: 1023 bytes at most."""
    yield from text(kind, site, value)
    yield refused("too long", lambda: b"x" * 1024, ValueError, "bytes", "at most 1023 bytes", problem="too long: ")
    yield refused("a million", lambda: b"x" * MILLION, ValueError, "bytes", "at most 1023 bytes", problem="too long: ")


def extra(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """An address as a number, nothing else."""
    words = rf"({kind.accepts}|an integer in 0\.\.18446744073709551615)"
    rows = NOTHING + SEQUENCES + BUFFERS + NONE + foreign(site)[:1] + FLAGS[:2] + FRACTIONS[:4] + WHOLE
    yield from all_refused(rows, TypeError, words)
    yield from out_of_range(64, False, OverflowError, words)
    yield from index_raises(words)


def memory(kind: Kind) -> Iterator[Case]:
    """Buffers that are short, read-only or not contiguous, where the prototype says what C does with them."""
    short = f"{kind.length - 1} bytes where {kind.length} are {'written' if kind.way == 'write' else 'read'}: "
    long_enough = "a buffer that is long enough" if kind.family == "address" else "memory that is long enough"
    for make, got in ((lambda: bytearray(kind.length - 1), "bytearray"),
                      (lambda: memoryview(bytearray(kind.length))[1:], "memoryview"),
                      (lambda: numpy.zeros(kind.length - 1, numpy.uint8), r"numpy\.ndarray"),
                      (lambda: hostile.OtherBytearray(kind.length - 1), "OtherBytearray")):
        yield refused(f"a short {got}", make, ValueError, got, long_enough, problem=short)
    yield refused("no memory", lambda: bytearray(), ValueError, "bytearray", long_enough, problem="0 bytes .*")


def address(kind: Kind, site: Strangers, value: object, at: str = "") -> Iterator[Case]:
    """A number, a handle, None, or an object with contiguous memory. What int() raises is not the error."""
    rows = nothing_for(kind) + SEQUENCES + FLAGS + FRACTIONS + WHOLE + HUGE_FLOATS
    yield from all_refused(rows, TypeError, kind.accepts, at)
    yield from out_of_range(64, False, TypeError, kind.accepts, at)
    for method in ("__index__", "__int__"):
        for label, answer in (("raises", OwnError()), ("gives text", "5"), ("gives a float", 1.0), ("gives -1", -1)):
            yield refused(f"{method} that {label}", lambda m=method, a=answer: asked(m, a), TypeError, "Asked",
                          kind.accepts, at)
        yield Case(f"{method} that is interrupted", lambda m=method: asked(m, KeyboardInterrupt()), KeyboardInterrupt)
    unknown = "no contiguous buffer: "
    yield refused("not contiguous", hostile.strided, BufferError, "memoryview", kind.accepts, at, unknown)
    yield refused("an array with gaps", lambda: numpy.zeros(200, numpy.uint8)[::2], ValueError, r"numpy\.ndarray",
                  kind.accepts, at, unknown)
    yield refused("a view that was released", hostile.released, ValueError, "memoryview", kind.accepts, at, unknown)
    if kind.way:
        yield from memory(kind)
        for make, got in ((lambda: bytes(kind.length), "bytes"), (lambda: memoryview(bytes(99)), "memoryview")):
            if kind.way == "write":
                yield refused(f"read-only {got}", make, TypeError, got, "a writable buffer",
                              problem="read-only but written to: ")
    else:
        yield taken("one byte", lambda: bytearray(1))
    if kind.way != "write":
        yield taken("memory that is read-only", lambda: memoryview(bytes(kind.length or 1)))


def filled(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """bytes of the caller's own, or a writable buffer, long enough for what C writes."""
    rows = NOTHING + SEQUENCES + NONE + FLAGS[:2] + FRACTIONS[:4] + WHOLE + foreign(site)[1:]
    yield from all_refused(rows, TypeError, kind.accepts)
    for label, make, got in (("a number", lambda: 5, "int 5"),
                             ("read-only", lambda: memoryview(bytes(99)), "memoryview"),
                             ("not contiguous", hostile.strided, "memoryview"),
                             ("released", hostile.released, "memoryview"),
                             ("a read-only array", lambda: numpy.frombuffer(bytes(99), numpy.uint8), r"numpy\.ndarray"),
                             ("NumPy's number", lambda: numpy.float64(1), r"numpy\.float64")):
        yield refused(label, make, TypeError, got, kind.accepts)
    yield from memory(kind)
    short = f"{kind.length - 1} bytes where {kind.length} are written: "
    for make, got in ((lambda: bytes(kind.length - 1), "bytes"),
                      (lambda: hostile.OtherBytes(kind.length - 1), "OtherBytes")):
        yield refused(f"short {got}", make, ValueError, got, "memory that is long enough", problem=short)


# --- lists ---------------------------------------------------------------------------------------------------------

def too_short(length: int, least: int) -> str:
    """The words of a ListTooShortError."""
    return rf": got {length} elements?; accepts a list of at least {least}$"


def lengths(kind: Kind, value: list) -> Iterator[Case]:
    """Lists that are shorter than their count."""
    if kind.least == 0:
        return
    for length in range(kind.least):
        yield Case(f"{length} elements", lambda n=length: list(value)[:n], ListTooShortError,
                   too_short(length, kind.least))
    yield Case("a short tuple that lies", lambda: hostile.OtherTuple(list(value)[:kind.least - 1]), ListTooShortError,
               too_short(kind.least - 1, kind.least))
    yield Case("a short list that lies", lambda: hostile.OtherList(list(value)[:kind.least - 1]), ListTooShortError,
               too_short(kind.least - 1, kind.least))
    missing = kind.extra.get("optional") or kind.extra.get("ranked")
    if kind.nullable:
        yield taken("None", lambda: None) if missing else Case("None", lambda: None, ListTooShortError,
                                                               too_short(0, kind.least))


def containers(kind: Kind, site: Strangers, value: list, iterable: bool) -> Iterator[Case]:
    """What is no list; lists that lie or raise."""
    iterating = ("a dictionary", "a set", "a generator")
    rows = [row for row in NOTHING if not (iterable and row[0] in iterating)]
    rows += foreign(site) + FRACTIONS + WHOLE + FLAGS[:2] + ([] if iterable else BUFFERS)
    if kind.extra.get("single"):
        yield from all_refused(rows, TypeError, f"instances of {kind.cls}", r"\[0\]")
    else:
        yield from all_refused(rows if kind.nullable else rows + NONE, TypeError, kind.accepts)
        yield refused("a number", lambda: 5, TypeError, "int 5", kind.accepts)
        if not iterable:
            yield refused("an iterable", lambda: asked("__iter__", OwnError()), TypeError, "Asked", kind.accepts)
    if iterable:
        yield own("an iterable that raises", lambda: asked("__iter__", OwnError()))
        yield own("a sequence that raises", lambda: asked("__getitem__", OwnError()))
        yield refused("__iter__ that gives no iterator", lambda: asked("__iter__", 5), TypeError, "Asked", kind.accepts)
        if kind.least:
            yield Case("a negative length", hostile.NegativeLength, ListTooShortError, too_short(0, kind.least))
            yield Case("a huge length", hostile.HugeLength, ListTooShortError, too_short(0, kind.least))
    yield own("a list that cannot be iterated", lambda: hostile.RaisingList(value))
    yield taken("a list that lies", lambda: hostile.OtherList(value))
    yield taken("a tuple that lies", lambda: hostile.OtherTuple(value))


def elements(value: list, cases) -> Iterator[Case]:
    """A bad element at the start and at the end. `cases` is asked with the words for the place."""
    last = len(value) - 1
    for index in (0, last):
        for case in cases(rf"\[{index}\]"):
            yield Case(f"[{index}]: {case.label}",
                       lambda i=index, c=case: [*value[:i], c.make(), *value[i + 1:]], case.error, case.words)


def million(value: list, bad: object, error: type, got: str, accepts: str) -> Iterator[Case]:
    """A million elements, of which the last is bad."""
    yield refused("a million", lambda: [value[0]] * (MILLION - 1) + [bad], error, got, accepts, rf"\[{MILLION - 1}\]")


def instance_list(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """Handles or records: instances only."""
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    accepts = f"instances of {kind.cls}"
    rows = NOTHING + SEQUENCES + BUFFERS + NONE + foreign(site) + FRACTIONS + FLAGS + [("a number", lambda: 5, "int 5")]
    yield from containers(kind, site, value, False)
    yield from lengths(kind, value)
    yield from elements(value, lambda at: all_refused(rows, TypeError, accepts, at))
    yield from million(value, None, TypeError, "None", accepts)


def enumeration_list(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """Members of one enumeration, or numbers."""
    words = rf"{kind.cls} or an integer in {limits(kind.bits, kind.signed)[0]}\.\.{limits(kind.bits, kind.signed)[1]}"
    one = Kind("enumeration", words, cls=kind.cls, bits=kind.bits, signed=kind.signed)
    yield from containers(kind, site, value, True)
    yield from lengths(kind, value)
    yield from elements(value, lambda at: enumeration(one, site, value[0], at))
    yield from million(value, None, TypeError, "None", words)


def number_list(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """Numbers of the C type."""
    low, high = limits(kind.bits, kind.signed)
    words = rf"an integer in {low}\.\.{high}"
    one = Kind("number", words, bits=kind.bits, signed=kind.signed)
    yield from containers(kind, site, value, True)
    yield from lengths(kind, value)
    yield from elements(value, lambda at: number(one, site, int(value[0]), at))
    if kind.extra["ranked"]:
        yield Case("six elements", lambda: [1] * 6, ValueError, ": got 6 elements; accepts at most 5$")
        yield Case("a million", lambda: [1] * MILLION, ValueError, f": got {MILLION} elements; accepts at most 5$")
    else:
        yield from million(value, None, TypeError, "None", words)


def text_list(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """bytes."""
    yield from containers(kind, site, value, False)
    yield from lengths(kind, value)
    rows = NOTHING + SEQUENCES + [row for row in BUFFERS if row[0] != "bytes"] + NONE + FLAGS
    yield from elements(value, lambda at: all_refused(rows, TypeError, "bytes", at))
    yield from elements(value, lambda at: [refused("a NUL inside", lambda: b"a\0b", ValueError, "bytes",
                                                   "text that C can read to its end", at,
                                                   "a NUL with text behind it: ")])
    yield from million(value, "text", TypeError, "str", "bytes")


def address_list(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """Addresses and memory."""
    words = r"an address \(int or handle\), None, or an object with a contiguous buffer"
    yield from containers(kind, site, value, False)
    yield from lengths(kind, value)
    yield from elements(value, lambda at: address(Kind("address", words), site, None, at))
    yield from million([0], "text", TypeError, "str", words)


def option_values(kind: Kind, site: Strangers, value: list) -> Iterator[Case]:
    """Values of options, each in its own type: here the first is an unsigned int."""
    yield from containers(kind, site, value, False)
    yield from lengths(kind, value)
    one = Kind("number", r"an integer in 0\.\.4294967295", bits=32)
    skipped = ("a ctypes number", "not what")    # a number in memory: the driver's answer is written there
    for case in number(one, site, 1, r"\[0\]"):
        if case.label not in skipped:
            yield Case("[0]: " + case.label, lambda c=case: [c.make(), *value[1:]], case.error, case.words)


def kernel_parameters(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """None, an address, memory, (values, types), or a tuple of values that know their type."""
    int32 = (ctypes.c_int,)
    rows = [row for row in NOTHING if row[0] != "a tuple"] + SEQUENCES[:1] + FLAGS[:2] + FRACTIONS[:4] + WHOLE
    yield from all_refused(rows + foreign(site), TypeError, kind.accepts)
    for number_, got in ((-1, "int -1"), (1 << 64, "an int above 64 bits signed")):
        yield refused(str(number_), lambda n=number_: n, OverflowError, got, r"an integer in 0\.\.18446744073709551615")
    yield refused("not contiguous", hostile.strided, BufferError, "memoryview", ".*", problem="no contiguous buffer: ")
    yield refused("released", hostile.released, ValueError, "memoryview", ".*", problem="no contiguous buffer: ")
    yield refused("fewer types", lambda: ((1, 2), int32), TypeError, "tuple", "as many types as values",
                  problem="tuples of different length: ")
    yield refused("a class that is no type", lambda: ((1,), (int,)), TypeError, "type",
                  "a ctypes number class, c_void_p or None", r"\[0\]", "unsupported type: ")
    knows = r"a value that knows its C type .*"
    for label, make, got in (("a number alone", lambda: (5,), "int 5"),
                             ("a float alone", lambda: (1.5,), r"float 1\.5"),
                             ("None alone", lambda: (None,), "None"), ("text alone", lambda: ("x",), "str"),
                             ("a list in it", lambda: ([1], 2, 3), "list"),
                             ("an untyped number", lambda: ((5,), (None,)), "int 5")):
        yield refused(label, make, TypeError, got, knows, r"\[0\]")
    in32 = r"an integer in -2147483648\.\.2147483647"
    for label, bad, error, got in (("text", "x", TypeError, "str"), ("None", None, TypeError, "None"),
                                   ("too large", 1 << 31, OverflowError, "int 2147483648"),
                                   ("a fraction", 1.5, ValueError, r"float 1\.5")):
        yield refused(f"{label} for c_int", lambda b=bad: ((0, b), int32 * 2), error, got, in32, r"\[1\]")
    for label, make in (("__index__", lambda: ((asked("__index__", OwnError()),), int32)),
                        ("getPtr", lambda: ((asked("getPtr", OwnError()),), (ctypes.c_void_p,))),
                        ("__bool__", lambda: ((asked("__bool__", OwnError()),), (ctypes.c_bool,))),
                        ("an attribute", lambda: ((hostile.RaisingAttributes(),), (ctypes.c_void_p,)))):
        yield own(f"{label} that raises", make)
    yield refused("getPtr that gives text", lambda: (asked("getPtr", lambda: "x"),), TypeError, ".*", ".*", r"\[0\]")
    yield refused("a million", lambda: ((1,) * (MILLION - 1) + ("x",), int32 * MILLION), TypeError, "str", in32,
                  rf"\[{MILLION - 1}\]")


RULES = {"number": number, "flag": flag, "real": real, "color": color, "handle": handle,
         "handle pointer": handle_pointer, "handle in place": handle_in_place, "enumeration": enumeration,
         "record": record, "text": text, "setting": setting, "extra": extra, "address": address, "filled": filled,
         "handle list": instance_list, "record list": instance_list, "enumeration list": enumeration_list,
         "number list": number_list, "text list": text_list, "address list": address_list,
         "option values": option_values, "kernel parameters": kernel_parameters}


def bad_input(kind: Kind, site: Strangers, value: object) -> Iterator[Case]:
    """Every input that is tried in place of a valid value."""
    return RULES[kind.family](kind, site, value)


def fits(case: Case, owner: str, message: str) -> bool:
    """Whether an error's text names the place, says what was given and what is accepted."""
    return re.match(re.escape(owner) + case.words, message) is not None
