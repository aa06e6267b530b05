# SPDX-License-Identifier: Apache-2.0
"""PreparedLaunch: what each call hands to cuLaunchKernel, how arguments change, and what is refused."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import struct

import pytest
from recorder import read
from separate import FAKE_LIBRARY, NO_LIBRARY, run_python

from cuda_bindings.launch import PreparedLaunch

np = pytest.importorskip("numpy")


@pytest.fixture
def launches(cuda):
    """What every launch hands over: its first nine words, the memory of two arguments of 8 and 4 bytes, and extra."""
    seen = []

    def handler(name, words):
        memory = None
        if words[9]:
            first, second = struct.unpack("<2Q", read(words[9], 16))
            memory = (read(first, 8), read(second, 4))
        seen.append((list(words[:9]), memory, words[10]))
        return 0

    cuda.on("cuLaunchKernel", handler)
    return seen


def prepare(driver, parameters=((0x7000, 5), (ctypes.c_void_p, ctypes.c_int))):
    """A launch of the function 0x1234 on stream 0x77."""
    return PreparedLaunch(driver.CUfunction(0x1234), 2, 3, 4, 32, 8, 1, 96, driver.CUstream(0x77), parameters)


def test_a_call_hands_over_what_was_prepared(driver, launches):
    assert prepare(driver)() == (driver.CUresult.CUDA_SUCCESS,)
    assert launches == [([0x1234, 2, 3, 4, 32, 8, 1, 96, 0x77], (struct.pack("<Q", 0x7000), struct.pack("<i", 5)), 0)]


def test_a_launch_is_true_whatever_it_has(driver, launches):
    for parameters in (None, 0, ((), ()), ((1,), (ctypes.c_int,))):
        assert PreparedLaunch(driver.CUfunction(1), 1, 1, 1, 1, 1, 1, 0, None, parameters)


def test_parameters_have_the_names_of_the_c_function(driver, launches):
    prepared = PreparedLaunch(f=1, gridDimX=2, gridDimY=3, gridDimZ=4, blockDimX=5, blockDimY=6, blockDimZ=7,
                              sharedMemBytes=8, hStream=None, kernelParams=None)
    prepared()
    assert launches == [([1, 2, 3, 4, 5, 6, 7, 8, 0], None, 0)]


@pytest.mark.parametrize("pass_stream", [lambda prepared, stream: prepared(stream),
                                         lambda prepared, stream: prepared(hStream=stream)])
def test_another_stream_may_be_given(driver, launches, pass_stream):
    prepared = prepare(driver)
    pass_stream(prepared, driver.CUstream(0x99))
    pass_stream(prepared, None)
    prepared()
    assert [words[8] for words, _, _ in launches] == [0x99, 0, 0x77]


def test_an_argument_can_be_read_and_set(driver, launches):
    prepared = prepare(driver)
    assert len(prepared) == 2 and (prepared[0], prepared[1], prepared[-1]) == (0x7000, 5, 5)
    prepared[1] = 6
    prepared()
    prepared[-2] = 0x8000
    prepared()
    assert [memory for _, memory, _ in launches] == [
        (struct.pack("<Q", 0x7000), struct.pack("<i", 6)), (struct.pack("<Q", 0x8000), struct.pack("<i", 6))]


def test_a_flat_tuple_keeps_its_form(driver, launches):
    prepared = prepare(driver, (driver.CUdeviceptr(0x7000), ctypes.c_int(5)))
    prepared[1] = ctypes.c_int(9)
    prepared()
    assert launches[0][1] == (struct.pack("<Q", 0x7000), struct.pack("<i", 9))


def test_a_refused_value_leaves_the_arguments_as_they_were(driver, launches):
    prepared = prepare(driver)
    with pytest.raises(OverflowError, match=r"kernelParams'\[1\]"):
        prepared[1] = 2**31
    with pytest.raises(TypeError, match=r"kernelParams'\[0\]"):
        prepared[0] = "text"
    with pytest.raises(TypeError, match="cannot be deleted"):
        del prepared[0]
    for index in (2, -3):
        with pytest.raises(IndexError, match="2 arguments"):
            prepared[index] = 1
        with pytest.raises(IndexError, match="2 arguments"):
            prepared[index]
    prepared()
    assert launches[0][1] == (struct.pack("<Q", 0x7000), struct.pack("<i", 5))


@pytest.mark.parametrize(("change", "error", "text"), [
    ({"f": "kernel"}, TypeError, "f"), ({"gridDimX": -1}, OverflowError, "gridDimX"),
    ({"gridDimY": 2**32}, OverflowError, "gridDimY"),
    ({"blockDimZ": 1.5}, ValueError, "blockDimZ"), ({"sharedMemBytes": None}, TypeError, "sharedMemBytes"),
    ({"hStream": 1.5}, TypeError, "hStream"), ({"kernelParams": [1]}, TypeError, "kernelParams"),
    ({"kernelParams": ((1, 2), (ctypes.c_int,))}, TypeError, "kernelParams")])
def test_bad_input_is_named(change, error, text):
    good = {"f": 1, "gridDimX": 1, "gridDimY": 1, "gridDimZ": 1, "blockDimX": 1, "blockDimY": 1, "blockDimZ": 1,
            "sharedMemBytes": 0, "hStream": 0, "kernelParams": None}
    with pytest.raises(error, match=rf"PreparedLaunch\(\).*{text}"):
        PreparedLaunch(**{**good, **change})


def test_calls_take_nothing_but_a_stream(driver, launches):
    prepared = prepare(driver)
    for wrong in (lambda: prepared(1, 2), lambda: prepared(stream=1), lambda: prepared(1, hStream=2),
                  lambda: prepared("text")):
        with pytest.raises(TypeError, match="PreparedLaunch"):
            wrong()
    assert launches == []


def test_a_failing_launch_returns_the_code(driver, cuda):
    cuda.status("cuLaunchKernel", 700)
    assert prepare(driver)() == (driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,)


def test_no_arguments_have_no_items(driver, launches):
    for parameters in (None, (), 0):
        prepared = prepare(driver, parameters)
        assert len(prepared) == 0
        with pytest.raises(IndexError):
            prepared[0] = 1
        prepared()
    assert [memory for _, memory, _ in launches] == [None] * 3


@pytest.mark.parametrize("count", [1, 16, 64, 65, 300])
def test_any_number_of_arguments(driver, cuda, count):
    seen = []

    def handler(name, words):
        addresses = struct.unpack(f"<{count}Q", read(words[9], 8 * count))
        seen.append([struct.unpack("<Q", read(address, 8))[0] for address in addresses])
        return 0

    cuda.on("cuLaunchKernel", handler)
    handles = tuple(driver.CUdeviceptr(256 * index) for index in range(count))
    prepared = prepare(driver, handles)
    prepared()
    prepared[count - 1] = driver.CUdeviceptr(7)
    prepared()
    prepare(driver, (tuple(range(count)), (ctypes.c_void_p,) * count))()
    numbers = [256 * index for index in range(count)]
    assert seen == [numbers, [*numbers[:-1], 7], list(range(count))]
    assert list(prepared) == [*handles[:-1], driver.CUdeviceptr(7)]


def test_every_kind_of_argument_can_be_set(driver, cuda):
    class Four(ctypes.Structure):
        """A struct that a kernel takes by value."""

        _fields_ = [("values", ctypes.c_double * 4)]

    seen = []

    def handler(name, words):
        addresses = struct.unpack("<5Q", read(words[9], 40))
        seen.append([read(address, size) for address, size in zip(addresses, (32, 12, 4, 8, 8), strict=True)])
        return 0

    cuda.on("cuLaunchKernel", handler)
    size = driver.CUlaunchConfig()
    size.hStream = 5
    pointer = driver.CUdeviceptr(1)
    memory = np.zeros(2)

    class OnDevice:
        """An array of another package."""

        __cuda_array_interface__ = {"data": (0x9000, False), "shape": (4,), "typestr": "<f4", "version": 3}

    values = (Four((1, 2, 3, 4)), size, np.float32(1.5), pointer, OnDevice())
    prepared = prepare(driver, (values, (None, None, None, ctypes.c_void_p, None)))
    size.gridDimY = 77
    prepared()
    prepared[0], prepared[2], prepared[3], prepared[4] = Four((5, 6, 7, 8)), np.int32(-1), memory.ctypes.data, pointer
    prepared[1] = driver.CUlaunchConfig()
    prepared()
    assert seen == [
        [struct.pack("<4d", 1, 2, 3, 4), struct.pack("<3I", 0, 77, 0), struct.pack("<f", 1.5),
         struct.pack("<Q", pointer.getPtr()), struct.pack("<Q", 0x9000)],
        [struct.pack("<4d", 5, 6, 7, 8), bytes(12), b"\xff" * 4, struct.pack("<Q", memory.ctypes.data),
         struct.pack("<Q", 1)]]


def test_lists_are_read_once(driver, launches):
    values, types = [0x7000, 5], [ctypes.c_void_p, ctypes.c_int]
    prepared = prepare(driver, (values, types))
    values[1], types[1] = 6, ctypes.c_double
    prepared()
    prepared[1] = 7
    prepared()
    assert [memory[1] for _, memory, _ in launches] == [struct.pack("<i", 5), struct.pack("<i", 7)]


def test_a_ready_array_is_handed_over_and_held(driver, cuda):
    seen = []
    cuda.on("cuLaunchKernel", lambda name, words: seen.append(words[9]) or 0)
    ready = bytearray(16)
    address = ctypes.addressof(ctypes.c_char.from_buffer(ready))
    gc.collect()
    prepared = prepare(driver, ready)
    prepared()
    prepare(driver, address)()
    with pytest.raises(BufferError):
        ready.extend(b"more")
    with pytest.raises(IndexError, match="0 arguments"):
        prepared[0] = 1
    del prepared
    gc.collect()
    ready.extend(b"more")
    assert seen == [address, address]


def test_handles_of_the_runtime_are_taken_as_by_the_function(driver, runtime, launches):
    prepared = PreparedLaunch(driver.CUkernel(0x55), 1, 1, 1, 1, 1, 1, 0, runtime.cudaStream_t(0x66), None)
    prepared()
    prepared(runtime.cudaStream_t(0x67))
    prepared(0x68)
    assert [(words[0], words[8]) for words, _, _ in launches] == [(0x55, 0x66), (0x55, 0x67), (0x55, 0x68)]


def test_errors_name_the_argument_as_the_function_does(driver):
    with pytest.raises(TypeError) as error:
        prepare(driver, ((1, "x"), (ctypes.c_int, ctypes.c_int)))
    assert str(error.value).startswith("PreparedLaunch(): parameter 'kernelParams'[1]: got str; accepts an integer")
    prepared = prepare(driver, (driver.CUdeviceptr(1), ctypes.c_int(1)))
    with pytest.raises(TypeError) as error:
        prepared[1] = 5
    assert str(error.value).startswith("PreparedLaunch(): parameter 'kernelParams'[1]: got int 5; accepts a value that")
    with pytest.raises(TypeError) as error:
        prepared(1.5)
    assert str(error.value).startswith("PreparedLaunch(): parameter 'hStream': got float")


def test_nothing_else_can_be_done_with_it(driver, launches):
    prepared = prepare(driver)
    for wrong in (lambda: prepared[0:1], lambda: prepared["x"], lambda: copy.copy(prepared),
                  lambda: pickle.dumps(prepared), lambda: type("Derived", (PreparedLaunch,), {}),
                  lambda: PreparedLaunch(1, 1, 1, 1, 1, 1, 1, 0, 0), lambda: PreparedLaunch(),
                  lambda: PreparedLaunch(1, 1, 1, 1, 1, 1, 1, 0, 0, None, 0)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(AttributeError):
        prepared.hStream = 1
    assert launches == []


def test_the_library_is_asked_for_at_the_first_launch():
    code = """
from cuda_bindings.launch import PreparedLaunch
prepared = PreparedLaunch(1, 1, 1, 1, 1, 1, 1, 0, 0, None)
status = attempt(prepared)[0]
print(status if isinstance(status, str) else int(status))
"""
    assert run_python(code, **NO_LIBRARY) == "LibraryNotFoundError"
    assert run_python(code, **FAKE_LIBRARY) == "0"
