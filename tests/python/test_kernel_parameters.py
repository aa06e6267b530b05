# SPDX-License-Identifier: Apache-2.0
"""Kernel arguments in every form of kernelParams: the bytes behind each address that the launch gets."""

from __future__ import annotations

import ctypes
import enum
import struct

import pytest
from recorder import read

np = pytest.importorskip("numpy")


@pytest.fixture
def launch(driver, cuda):
    """Launches with some kernelParams and gives the memory of the arguments, of the sizes stated."""

    def call(parameters, *sizes):
        seen = []

        def handler(name, words):
            if sizes:
                addresses = struct.unpack(f"<{len(sizes)}Q", read(words[9], 8 * len(sizes)))
                seen.extend(read(address, size) for address, size in zip(addresses, sizes, strict=True))
            else:
                seen.append(words[9])
            return 0

        cuda.on("cuLaunchKernel", handler)
        assert driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0) == (driver.CUresult.CUDA_SUCCESS,)
        return seen

    return call


class Pair(ctypes.Structure):
    """A struct that a kernel takes by value."""

    _fields_ = [("count", ctypes.c_int), ("scale", ctypes.c_double)]


class Color(enum.Enum):
    """An enumeration that is not an int."""

    RED = 3


class Array:
    """What GPU arrays of other packages look like."""

    __cuda_array_interface__ = {"data": (0x9000, False), "shape": (4,), "typestr": "<f4", "version": 3}


@pytest.mark.parametrize("nothing", [None, 0, (), ((), ())])
def test_no_arguments_are_null(launch, nothing):
    assert launch(nothing) == [0]


@pytest.mark.parametrize(
    ("ctype", "value", "code"),
    [
        (ctypes.c_bool, True, "?"),
        (ctypes.c_byte, -128, "b"),
        (ctypes.c_ubyte, 255, "B"),
        (ctypes.c_short, -(2**15), "h"),
        (ctypes.c_ushort, 65535, "H"),
        (ctypes.c_int, -(2**31), "i"),
        (ctypes.c_uint, 2**32 - 1, "I"),
        (ctypes.c_longlong, -(2**63), "q"),
        (ctypes.c_ulonglong, 2**64 - 1, "Q"),
        (ctypes.c_size_t, 5, "Q"),
        (ctypes.c_float, 0.5, "f"),
        (ctypes.c_double, 0.1, "d"),
        (ctypes.c_char, b"x", "c"),
        (ctypes.c_int8, -1, "b"),
        (ctypes.c_uint64, 2**63, "Q"),
        (ctypes.c_float, 3, "f"),
        (ctypes.c_int, 4.0, "i"),
        (ctypes.c_void_p, 0x8000, "Q"),
    ],
)
def test_a_number_is_packed_as_its_ctype(launch, ctype, value, code):
    expected = struct.pack("<" + code, value if code != "i" else int(value))
    assert launch(((value,), (ctype,)), len(expected)) == [expected]
    instance = ctype(int(value) if code == "i" else value)
    assert launch(((instance,), (ctype,)), len(expected)) == [expected]


@pytest.mark.parametrize(
    ("ctype", "value"),
    [
        (ctypes.c_int, 2**40),
        (ctypes.c_byte, 300),
        (ctypes.c_ubyte, -1),
        (ctypes.c_uint, -1),
        (ctypes.c_longlong, 2**63),
        (ctypes.c_ulonglong, 2**64),
        (ctypes.c_short, 2**15),
        (ctypes.c_float, 1e39),
        (ctypes.c_void_p, -1),
    ],
)
def test_nothing_is_cut_to_fit(driver, cuda, ctype, value):
    with pytest.raises(OverflowError, match=r"cuLaunchKernel\(\): parameter 'kernelParams'\[1\]: got "):
        driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, ((1, value), (ctypes.c_int, ctype)), 0)
    assert not cuda.calls


@pytest.mark.parametrize(
    ("value", "ctype"),
    [
        ("x", ctypes.c_int),
        (None, ctypes.c_int),
        (b"xy", ctypes.c_char),
        ("xy", ctypes.c_wchar),
        (1.0, ctypes.c_void_p),
        (True, ctypes.c_void_p),
        ("x", ctypes.c_bool),
        (ctypes.c_long(1), ctypes.c_int),
        (np.zeros(2), ctypes.c_void_p),
        (5, None),
        (0.5, None),
        (np.zeros(2), None),
        ("x", None),
        (1, int),
        (1, Pair),
        (1, ctypes.py_object),
        (1, 5),
    ],
)
def test_what_fits_no_type_is_refused(driver, cuda, value, ctype):
    with pytest.raises(TypeError, match=r"parameter 'kernelParams'\[0\]"):
        driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, ((value,), (ctype,)), 0)
    assert not cuda.calls


@pytest.mark.parametrize(
    "wrong",
    [
        [(1,), (ctypes.c_int,)],
        ((1,), (ctypes.c_int, ctypes.c_int)),
        "x",
        1.5,
        True,
        object(),
        (1,),
        (0.5,),
        (True,),
        (None,),
        ([1], {ctypes.c_int}),
        (iter([1]), [ctypes.c_int]),
    ],
)
def test_other_forms_are_refused(driver, cuda, wrong):
    with pytest.raises(TypeError, match=r"cuLaunchKernel\(\): parameter 'kernelParams'"):
        driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, wrong, 0)
    assert not cuda.calls


def test_type_none_passes_values_and_c_void_p_addresses(launch, driver, runtime):
    pointer, surface = driver.CUdeviceptr(0x7000), runtime.cudaSurfaceObject_t(9)
    values = launch(
        (
            (pointer, pointer, surface, Pair(3, 4.5), Color.RED, driver.CUresult(2), runtime.dim3()),
            (ctypes.c_void_p, None, None, None, None, None, None),
        ),
        8,
        8,
        8,
        16,
        4,
        4,
        12,
    )
    assert values == [
        struct.pack("<Q", pointer.getPtr()),
        struct.pack("<Q", 0x7000),
        struct.pack("<Q", 9),
        bytes(Pair(3, 4.5)),
        struct.pack("<i", 3),
        struct.pack("<i", 2),
        struct.pack("<3I", 1, 1, 1),
    ]


def test_one_flat_tuple_of_values_that_know_their_type(launch, driver):
    record = np.array([(7, 0.25)], dtype=[("a", np.int32), ("b", np.float64)])[0]
    values = launch(
        (
            driver.CUdeviceptr(0x7000),
            Array(),
            np.float32(1.5),
            np.int64(-1),
            np.float64(0.1),
            np.float16(1),
            np.complex128(1 + 2j),
            ctypes.c_short(-5),
            Pair(1, 2.5),
            record,
            driver.CUdevice(3),
        ),
        8,
        8,
        4,
        8,
        8,
        2,
        16,
        2,
        16,
        12,
        4,
    )
    assert values == [
        struct.pack("<Q", 0x7000),
        struct.pack("<Q", 0x9000),
        struct.pack("<f", 1.5),
        struct.pack("<q", -1),
        struct.pack("<d", 0.1),
        b"\x00\x3c",
        struct.pack("<dd", 1, 2),
        struct.pack("<h", -5),
        bytes(Pair(1, 2.5)),
        struct.pack("<id", 7, 0.25),
        struct.pack("<i", 3),
    ]


def test_many_arguments_leave_the_stack(launch):
    values = launch((tuple(range(100)), (ctypes.c_int,) * 100), *[4] * 100)
    assert [int.from_bytes(value, "little") for value in values] == list(range(100))


def test_plain_numbers_in_a_flat_tuple_say_what_to_do(driver, cuda):
    with pytest.raises(TypeError, match=r"kernelParams'\[1\]: got int 5; accepts a value that knows its C type"):
        driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, (driver.CUdeviceptr(1), 5), 0)
    assert not cuda.calls


class NoValue:
    """An argument by its address, which it does not have."""

    def getPtr(self):
        """None yet."""
        return 0


@pytest.mark.parametrize("given", [(NoValue(),), ((NoValue(),), (None,))])
def test_an_argument_that_lies_nowhere_is_refused(driver, cuda, given):
    with pytest.raises(ValueError, match=r"kernelParams'(\[0\])+: its getPtr\(\) gave 0: got .*NoValue"):
        driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, given, 0)
    assert not cuda.calls


def test_a_ready_array_is_passed_by_its_address(launch):
    ready = (ctypes.c_void_p * 2)(16, 32)
    assert launch(ready) == [ctypes.addressof(ready)]
    assert launch(ctypes.addressof(ready)) == [ctypes.addressof(ready)]
    packed = np.array([16, 32], np.uint64)
    assert launch(packed) == [packed.ctypes.data] == launch(packed.ctypes.data)


@pytest.mark.parametrize("wrong", [None, 0.0, True, ()])
def test_extra_is_an_int(driver, cuda, wrong):
    with pytest.raises(TypeError, match=r"cuLaunchKernel\(\): parameter 'extra'"):
        driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, None, wrong)
    assert not cuda.calls


def test_node_parameters_hold_what_they_point_at(driver):
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    node.kernelParams = ((7, 0.5), (ctypes.c_int, ctypes.c_double))
    first, second = struct.unpack("<2Q", read(node.kernelParams, 16))
    assert read(first, 4) == struct.pack("<i", 7) and read(second, 8) == struct.pack("<d", 0.5)
    with pytest.raises(TypeError, match=r"kernelParams"):
        node.kernelParams = [1]
    assert read(first, 4) == struct.pack("<i", 7), "a refused value changes nothing"
    node.kernelParams = None
    assert node.kernelParams == 0
