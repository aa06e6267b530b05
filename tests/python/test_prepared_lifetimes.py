# SPDX-License-Identifier: Apache-2.0
"""What a PreparedLaunch holds and lets go of, what Python code may do to it meanwhile, and what threads may."""

from __future__ import annotations

import ctypes
import gc
import struct
import sys
import threading
import weakref

import pytest
from recorder import read

from cuda_bindings.launch import PreparedLaunch


class Kept(ctypes.c_void_p):
    """A pointer that can be watched and refers to anything."""


@pytest.fixture
def launches(cuda):
    """The first argument of every launch, a number of 8 bytes."""
    seen = []

    def handler(name, words):
        seen.append(struct.unpack("<Q", read(struct.unpack("<Q", read(words[9], 8))[0], 8))[0])
        return 0

    cuda.on("cuLaunchKernel", handler)
    return seen


def prepare(parameters, stream=0):
    """A launch with these arguments."""
    return PreparedLaunch(1, 1, 1, 1, 1, 1, 1, 0, stream, parameters)


# --- what is held --------------------------------------------------------------------------------------------------


def test_it_holds_what_it_points_at(launches):
    value = Kept(0x7000)
    watched = weakref.ref(value)
    prepared = prepare((value, ctypes.c_int(5)))
    del value
    gc.collect()
    assert watched() is not None
    prepared[0] = ctypes.c_void_p(0x8000)
    gc.collect()
    assert watched() is None
    prepared()
    assert launches == [0x8000]


def test_everything_is_let_go_of(driver):
    class Large(ctypes.Structure):
        """More than 8 bytes."""

        _fields_ = [("values", ctypes.c_long * 3)]

    objects = [driver.CUfunction(1), driver.CUstream(2), driver.CUlaunchConfig(), Large(), Kept(3), Kept(4)]
    function, stream, record, large, first, second = objects
    before = [sys.getrefcount(thing) for thing in objects]
    values, types = (record, large, first), (None, None, None)
    prepared = PreparedLaunch(function, 1, 1, 1, 1, 1, 1, 0, stream, (values, types))
    during = [sys.getrefcount(thing) for thing in objects]
    assert all(now > then for now, then in zip(during[:5], before, strict=False))
    prepared[2] = second
    prepared[0] = record
    prepared()
    with pytest.raises(TypeError):
        prepared[1] = object()
    with pytest.raises(TypeError):
        PreparedLaunch(function, 1, 1, 1, 1, 1, 1, 0, stream, ((*values, "x"), (*types, None)))
    del prepared, values
    assert [sys.getrefcount(thing) for thing in objects] == before


def test_a_record_is_passed_by_its_own_memory(driver, launches):
    record = driver.CUDA_MEMCPY2D()
    record.srcXInBytes = 5
    prepared = prepare((record,))
    prepared()
    record.srcXInBytes = 6
    prepared()
    del record
    gc.collect()
    prepared()
    prepared[0].srcXInBytes = 7
    prepared()
    assert launches == [5, 6, 6, 7]


def cycles(driver):
    """Objects that can be watched, each in a cycle through another part of a PreparedLaunch."""
    class Stream(driver.CUstream):  # type: ignore[name-defined]  # a fixture
        """A handle that refers to anything."""

    class OwnType(ctypes.c_long):
        """A C type that refers to anything."""

    value, stream, set_later = Kept(1), Stream(2), Kept(3)
    value.launch = prepare((value,))
    stream.launch = prepare(None, stream)
    set_later.launch = prepare((ctypes.c_void_p(0),))
    set_later.launch[0] = set_later
    OwnType.launch = prepare(((1,), (OwnType,)))
    return [value, stream, set_later, OwnType]


@pytest.mark.parametrize("which", range(4), ids=["value", "stream", "value set later", "type"])
def test_a_cycle_is_collected(driver, which):
    watched = weakref.ref(cycles(driver)[which])
    gc.collect()
    assert watched() is None


# --- what Python code does meanwhile -------------------------------------------------------------------------------


def test_a_conversion_may_launch_and_set(launches):
    class Busy:
        """A number that uses the launch which asks for it."""

        def __index__(self):
            prepared()
            prepared[0] = 11
            prepared()
            return 12

    prepared = prepare(((10,), (ctypes.c_long,)))
    prepared[0] = Busy()
    prepared()
    assert launches == [10, 11, 12]


def test_a_finalizer_may_launch_and_set(launches):
    class Last(Kept):
        """A pointer that uses the launch which lets go of it."""

        def __del__(self):
            prepared()
            prepared[0] = ctypes.c_void_p(12)

    prepared = prepare((Last(10),))
    prepared[0] = ctypes.c_void_p(11)
    prepared()
    assert launches == [11, 12]


def test_the_launch_itself_may_set(cuda):
    """What the call reads stays as it was when it began."""
    seen = []

    def handler(name, words):
        address = struct.unpack("<Q", read(words[9], 8))[0]
        prepared[0] = 20 + len(seen)
        seen.append(struct.unpack("<Q", read(address, 8))[0])
        return 0

    cuda.on("cuLaunchKernel", handler)
    prepared = prepare(((10,), (ctypes.c_long,)))
    prepared()
    prepared()
    assert seen == [10, 20] and prepared[0] == 21


def test_the_last_reference_may_go_during_the_launch(cuda):
    value = Kept(10)
    watched = weakref.ref(value)
    holder = [prepare((value,))]
    del value
    seen = []

    def handler(name, words):
        holder.clear()
        gc.collect()
        seen.append((watched() is not None, read(struct.unpack("<Q", read(words[9], 8))[0], 1)))
        return 0

    cuda.on("cuLaunchKernel", handler)
    holder[0]()
    gc.collect()
    assert seen == [(True, b"\x0a")] and watched() is None


def test_one_that_is_not_made_yet_refuses(driver, cuda):
    found = []

    class Finding:
        """A number that looks for the object it is asked for."""

        def __index__(self):
            found.extend(thing for thing in gc.get_objects() if type(thing) is PreparedLaunch)
            for use in (lambda: found[-1](), lambda: found[-1].__setitem__(0, 1), lambda: found[-1][0]):
                with pytest.raises((RuntimeError, IndexError)):
                    use()
            assert len(found[-1]) == 0
            return 1

    gc.collect()
    prepared = PreparedLaunch(1, Finding(), 1, 1, 1, 1, 1, 0, 0, (driver.CUdeviceptr(1),))
    assert prepared in found and len(prepared) == 1 and not cuda.calls


# --- threads -------------------------------------------------------------------------------------------------------


def test_an_argument_set_while_another_thread_launches_does_not_disturb_it(cuda):
    """Values in slots, a value of its own memory and a large one: the launch keeps each as long as it runs."""
    class Large(ctypes.Structure):
        """More than 8 bytes."""

        _fields_ = [("values", ctypes.c_long * 3)]

    inside, go_on, seen = threading.Event(), threading.Event(), []

    def handler(name, words):
        inside.set()
        assert go_on.wait(20)
        addresses = struct.unpack("<3Q", read(words[9], 24))
        seen.append([read(address, size) for address, size in zip(addresses, (8, 24, 4), strict=True)])
        return 0

    cuda.on("cuLaunchKernel", handler)
    prepared = prepare((Kept(7), Large((1, 2, 3)), ctypes.c_int(5)))
    watched = weakref.ref(prepared[0])
    thread = threading.Thread(target=prepared)
    thread.start()
    assert inside.wait(20)
    for number in range(100):
        prepared[0], prepared[1] = Kept(number), Large((number, 0, 0))
        prepared[2] = ctypes.c_int(number)
    gc.collect()
    assert watched() is not None, "the launch that runs holds what it began with"
    go_on.set()
    thread.join()
    gc.collect()
    assert watched() is None
    prepared()
    cuda.check()
    assert seen == [[struct.pack("<q", 7), struct.pack("<3q", 1, 2, 3), struct.pack("<i", 5)],
                    [struct.pack("<q", 99), struct.pack("<3q", 99, 0, 0), struct.pack("<i", 99)]]


def test_threads_launch_and_set_the_same_one(cuda):
    """Each launch sees one of the numbers that were set, whole."""
    seen = []

    def handler(name, words):
        seen.append(struct.unpack("<Q", read(struct.unpack("<Q", read(words[9], 8))[0], 8))[0])
        return 0

    cuda.on("cuLaunchKernel", handler)
    prepared = prepare(((0,), (ctypes.c_ulong,)))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    start = threading.Barrier(6)

    def launch():
        start.wait()
        for _ in range(300):
            prepared()

    def change(half):
        start.wait()
        for number in range(1000):
            prepared[0] = (half + number) << 32 | half + number

    threads = [*(threading.Thread(target=launch) for _ in range(4)),
               *(threading.Thread(target=change, args=(half,)) for half in (0, 5000))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    cuda.check()
    assert len(seen) == 1200 and all(number >> 32 == number & 0xFFFFFFFF for number in seen)
