# SPDX-License-Identifier: Apache-2.0
"""Kernel arguments whose memory is read directly, without asking the object: at every edge the bytes are C's."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

import pytest
from recorder import read
from separate import FAKE_LIBRARY, run_python

np = pytest.importorskip("numpy")

LARGEST_FLOAT = 3.4028234663852886e38


@pytest.fixture
def packed(driver, cuda):
    """Launches with some kernelParams and gives the memory of the arguments, of the sizes stated."""

    def call(parameters, *sizes):
        seen = []

        def handler(name, words):
            addresses = struct.unpack(f"<{len(sizes)}Q", read(words[9], 8 * len(sizes)))
            seen.extend(read(address, size) for address, size in zip(addresses, sizes, strict=True))
            return 0

        cuda.on("cuLaunchKernel", handler)
        assert driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0)[0] == 0
        cuda.check()
        return seen

    return call


@pytest.fixture
def refused(driver, cuda):
    """Launches with kernelParams that no launch may take and gives the exception."""

    def call(parameters, *classes):
        with pytest.raises(classes, match=r"cuLaunchKernel\(\): parameter 'kernelParams'\[") as caught:
            driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0)
        assert not cuda.calls
        return caught.value

    return call


class Number(int):
    """An int of a class of its own."""


class Real(float):
    """A float of a class of its own."""


class OwnInt(ctypes.c_int):
    """A C int of a class of its own: it keeps its type, and its instances stay themselves."""


# --- Python numbers with a type ------------------------------------------------------------------------------------

INTEGERS = [
    (ctypes.c_int, 0, "00000000"),
    (ctypes.c_int, 2**30 - 1, "ffffff3f"),
    (ctypes.c_int, 2**30, "00000040"),
    (ctypes.c_int, 2**31 - 1, "ffffff7f"),
    (ctypes.c_int, -1, "ffffffff"),
    (ctypes.c_int, True, "01000000"),
    (ctypes.c_int, Number(7), "07000000"),
    (OwnInt, 7, "07000000"),
    (ctypes.c_uint, 2**32 - 1, "ffffffff"),
    (ctypes.c_long, 2**30, "0000004000000000"),
    (ctypes.c_long, -(2**63), "0000000000000080"),
    (ctypes.c_ulong, 2**64 - 1, "ffffffffffffffff"),
    (ctypes.c_void_p, 0, "0000000000000000"),
    (ctypes.c_void_p, 2**30, "0000004000000000"),
    (ctypes.c_void_p, 2**63, "0000000000000080"),
    (ctypes.c_void_p, 2**64 - 1, "ffffffffffffffff"),
    (ctypes.c_void_p, Number(7), "0700000000000000"),
    (ctypes.c_void_p, None, "0000000000000000"),
    (ctypes.c_short, 32767, "ff7f"),
    (ctypes.c_ubyte, 255, "ff"),
    (ctypes.c_byte, 127, "7f"),
    (ctypes.c_bool, 256, "01"),
    (ctypes.c_bool, 0, "00"),
    (ctypes.c_char, 65, "41"),
    (ctypes.c_float, 1, "0000803f"),
    (ctypes.c_double, 2**30, "000000000000d041"),
]


@pytest.mark.parametrize(("ctype", "value", "expected"), INTEGERS)
def test_an_int_becomes_its_type(packed, ctype, value, expected):
    assert packed(((value,), (ctype,)), len(expected) // 2)[0].hex() == expected


@pytest.mark.parametrize(("ctype", "value"), [
    (ctypes.c_int, 2**31), (ctypes.c_uint, 2**32), (ctypes.c_uint, -1), (ctypes.c_ulong, 2**64),
    (ctypes.c_void_p, 2**64), (ctypes.c_short, 32768), (ctypes.c_short, 2**29), (ctypes.c_ubyte, 256),
    (ctypes.c_byte, 128), (ctypes.c_char, 256), (OwnInt, 2**31)])
def test_an_int_beyond_its_type_is_refused(refused, ctype, value):
    refused(((value,), (ctype,)), OverflowError)


def test_a_number_is_no_wide_character(refused):
    refused(((65,), (ctypes.c_wchar,)), TypeError)


REALS = [
    (ctypes.c_float, 2.5, "00002040"),
    (ctypes.c_float, -0.0, "00000080"),
    (ctypes.c_float, LARGEST_FLOAT, "ffff7f7f"),
    (ctypes.c_float, -LARGEST_FLOAT, "ffff7fff"),
    (ctypes.c_float, 1e-45, "01000000"),
    (ctypes.c_float, float("inf"), "0000807f"),
    (ctypes.c_float, float("-inf"), "000080ff"),
    (ctypes.c_float, float("nan"), "0000c07f"),
    (ctypes.c_float, Real(2.5), "00002040"),
    (ctypes.c_double, -0.0, "0000000000000080"),
    (ctypes.c_double, 1e308, "a0c8eb85f3cce17f"),
    (ctypes.c_double, float("inf"), "000000000000f07f"),
    (ctypes.c_double, Real(2.5), "0000000000000440"),
    (ctypes.c_int, 4.0, "04000000"),
    (ctypes.c_bool, 0.5, "01"),
]


@pytest.mark.parametrize(("ctype", "value", "expected"), REALS)
def test_a_float_becomes_its_type(packed, ctype, value, expected):
    assert packed(((value,), (ctype,)), len(expected) // 2)[0].hex() == expected


@pytest.mark.parametrize("value", [3.5e38, -3.5e38, 1e308])
def test_a_float_beyond_single_precision_is_refused(refused, value):
    refused(((value,), (ctypes.c_float,)), OverflowError)


# --- handles -------------------------------------------------------------------------------------------------------


def handles_of_every_kind(driver):
    """Handles, where their values lie, and the bytes that a kernel gets."""
    class Derived(driver.CUdeviceptr):  # type: ignore[name-defined]  # a fixture
        """A handle of a class of its own."""

    memory = ctypes.create_string_buffer(struct.pack("<3Q", 1, 0x8000, 3), 24)
    record = driver.CUlaunchConfig()
    record.hStream = driver.CUstream(0x99)
    return [
        (driver.CUdeviceptr(2**64 - 1), b"\xff" * 8),
        (Derived(0x7000), struct.pack("<Q", 0x7000)),
        (driver.CUdeviceptr(_ptr=ctypes.addressof(memory) + 8), struct.pack("<Q", 0x8000)),
        (record.hStream, struct.pack("<Q", 0x99)),
        (driver.CUdevice(-2), b"\xfe\xff\xff\xff"),
        (driver.cuuint32_t(2**32 - 1), b"\xff\xff\xff\xff"),
    ], (memory, record)


def test_handles_of_every_kind_are_passed_by_value(driver, packed):
    handles, _kept = handles_of_every_kind(driver)
    values = tuple(handle for handle, _ in handles)
    expected = [content for _, content in handles]
    sizes = [len(content) for content in expected]
    assert packed(values, *sizes) == expected
    assert packed((values, (None,) * 6), *sizes) == expected
    assert packed((list(values), [None] * 6), *sizes) == expected


def test_a_handle_under_c_void_p_is_where_its_value_lies(driver, packed):
    pointer = driver.CUdeviceptr(0x7000)
    values = packed(((pointer, pointer, pointer), (None, ctypes.c_void_p, None)), 8, 8, 8)
    assert values == [struct.pack("<Q", value) for value in (0x7000, pointer.getPtr(), 0x7000)]


def test_a_handle_under_a_number_type_is_its_number(driver, packed):
    values = packed(((driver.CUdeviceptr(5), driver.CUdeviceptr(6)), (ctypes.c_int, ctypes.c_ulong)), 4, 8)
    assert values == [struct.pack("<i", 5), struct.pack("<Q", 6)]


@pytest.mark.parametrize("count", [1, 16, 63, 64, 65, 200])
def test_any_number_of_arguments_in_each_form(driver, packed, count):
    handles = tuple(driver.CUdeviceptr(4096 + 256 * index) for index in range(count))
    numbers = tuple(4096 + 256 * index for index in range(count))
    expected = [struct.pack("<Q", number) for number in numbers]
    assert packed(handles, *[8] * count) == expected
    assert packed((handles, (None,) * count), *[8] * count) == expected
    assert packed((numbers, (ctypes.c_void_p,) * count), *[8] * count) == expected


def test_forms_alternate_within_one_launch(driver, packed):
    pointer, scalar = driver.CUdeviceptr(0x7000), np.float32(1.5)
    values = (1, pointer, scalar, 2.5, 3, "A", pointer, ctypes.c_short(-5), Number(4))
    types = (ctypes.c_int, None, None, ctypes.c_float, ctypes.c_ubyte, ctypes.c_wchar, None, None, ctypes.c_int)
    sizes = (4, 8, 4, 4, 1, 4, 8, 2, 4)
    assert packed((values, types), *sizes) == [
        b"\1\0\0\0", b"\0\x70\0\0\0\0\0\0", b"\0\0\xc0\x3f", b"\0\0\x20\x40", b"\3", b"A\0\0\0",
        b"\0\x70\0\0\0\0\0\0", b"\xfb\xff", b"\4\0\0\0"]


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_the_refused_argument_is_named_wherever_it_stands(driver, refused, at):
    values = [driver.CUdeviceptr(1), driver.CUdeviceptr(2), 3, 4.5]
    types = [None, None, ctypes.c_void_p, ctypes.c_float]
    values[at], types[at] = object(), None
    assert f"'kernelParams'[{at}]: got object" in str(refused((tuple(values), tuple(types)), TypeError))
    values[at] = 5
    assert f"'kernelParams'[{at}]: got int 5" in str(refused((tuple(values), tuple(types)), TypeError))


def test_an_unknown_type_is_refused_after_known_ones(refused):
    for unknown in (int, "c_int", ctypes.c_char_p, ctypes.POINTER(ctypes.c_int), 5):
        error = refused(((1, 2, 3), (ctypes.c_int, ctypes.c_int, unknown)), TypeError)
        assert "'kernelParams'[2]: unsupported type" in str(error)


def test_a_launch_inside_of_a_conversion_disturbs_nothing(driver, cuda):
    """The inner launch has types of its own, at the same places."""
    seen = []

    class Launching:
        """A number that launches when it is asked for its value."""

        def __index__(self):
            driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, ((1.5, 2.5), (ctypes.c_double, ctypes.c_double)), 0)
            return 7

    def handler(name, words):
        seen.append([read(address, 8).hex() for address in struct.unpack("<2Q", read(words[9], 16))])
        return 0

    cuda.on("cuLaunchKernel", handler)
    driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, ((Launching(), 9), (ctypes.c_long, ctypes.c_long)), 0)
    assert seen == [["000000000000f83f", "0000000000000440"], ["0700000000000000", "0900000000000000"]]


# --- every function that launches ----------------------------------------------------------------------------------

LAUNCHES = [
    ("driver", "cuda", "cuLaunchKernel", 9, lambda m, p: m.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, p, 0)),
    ("driver", "cuda", "cuLaunchCooperativeKernel", 9,
     lambda m, p: m.cuLaunchCooperativeKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, p)),
    ("driver", "cuda", "cuLaunchKernelEx", 2, lambda m, p: m.cuLaunchKernelEx(m.CUlaunchConfig(), 1, p, 0)),
    ("runtime", "cudart", "cudaLaunchKernel", 3,
     lambda m, p: m.cudaLaunchKernel(m.cudaKernel_t(7), m.dim3(), m.dim3(), p, 0, None)),
    ("runtime", "cudart", "cudaLaunchCooperativeKernel", 3,
     lambda m, p: m.cudaLaunchCooperativeKernel(m.cudaKernel_t(7), m.dim3(), m.dim3(), p, 0, None)),
    ("runtime", "cudart", "cudaLaunchKernelExC", 2,
     lambda m, p: m.cudaLaunchKernelExC(m.cudaLaunchConfig_t(), 1, p)),
]


@pytest.mark.parametrize(("module", "recorder", "link", "word", "call"), LAUNCHES, ids=[row[2] for row in LAUNCHES])
def test_every_launch_takes_every_form(request, module, recorder, link, word, call):
    api, fake = request.getfixturevalue(module), request.getfixturevalue(recorder)
    driver = request.getfixturevalue("driver")
    seen = []

    def handler(name, words):
        addresses = struct.unpack("<3Q", read(words[word], 24))
        seen.append([read(address, size).hex() for address, size in zip(addresses, (4, 8, 8), strict=True)])
        return 0

    fake.on(link, handler)
    pointer = driver.CUdeviceptr(0x7000)
    numbers = [np.array(2.5, np.float32), np.array(0x7000, np.uint64), np.array(9, np.uint64)]
    ready = np.array([number.ctypes.data for number in numbers], np.uint64)
    for parameters in (((2.5, pointer, 9), (ctypes.c_float, None, ctypes.c_size_t)),
                       (np.float32(2.5), pointer, ctypes.c_size_t(9)), ready, ready.ctypes.data,
                       ([2.5, 0x7000, 9], [ctypes.c_float, ctypes.c_void_p, ctypes.c_ulong])):
        assert call(api, parameters)[0] == 0
    fake.check()
    assert seen == [["00002040", "0070000000000000", "0900000000000000"]] * 5


# --- NumPy scalars -------------------------------------------------------------------------------------------------


class OwnDouble(np.float64):  # type: ignore[name-defined]  # imported by pytest
    """A double of a class of its own."""


SCALARS = [
    (np.float32(2.5), "00002040"),
    (np.float32("nan"), "0000c07f"),
    (np.float64(-0.0), "0000000000000080"),
    (np.float16(1), "003c"),
    (np.int8(-1), "ff"),
    (np.uint8(255), "ff"),
    (np.int16(-2), "feff"),
    (np.uint16(65535), "ffff"),
    (np.int32(-(2**31)), "00000080"),
    (np.uint32(2**32 - 1), "ffffffff"),
    (np.int64(-(2**63)), "0000000000000080"),
    (np.uint64(2**64 - 1), "ffffffffffffffff"),
    (np.longlong(-2), "feffffffffffffff"),
    (np.ulonglong(2**64 - 1), "ffffffffffffffff"),
    (np.bool_(True), "01"),
    (np.bool_(False), "00"),
    (np.complex64(1 + 2j), "0000803f00000040"),
    (np.complex128(1 + 2j), "000000000000f03f0000000000000040"),
    (np.datetime64(3, "s"), "0300000000000000"),
    (OwnDouble(2.5), "0000000000000440"),
    (np.array([1.5, 2.5], np.float32)[1], "00002040"),
]


@pytest.mark.parametrize(("scalar", "expected"), SCALARS, ids=lambda value: type(value).__name__)
def test_a_numpy_scalar_is_its_memory(packed, scalar, expected):
    size = len(expected) // 2
    assert packed((scalar,), size)[0].hex() == expected
    assert packed(((scalar,), (None,)), size)[0].hex() == expected


@pytest.mark.parametrize("scalar", [np.longdouble(1), np.str_("x"), np.bytes_(b"x")],
                         ids=lambda value: type(value).__name__)
def test_numpy_scalars_without_a_device_type_are_refused(refused, scalar):
    refused((scalar,), TypeError)


@pytest.mark.parametrize(("scalar", "ctype", "expected"), [
    (np.float32(2.5), ctypes.c_float, "00002040"), (np.float64(2.5), ctypes.c_float, "00002040"),
    (np.float32(2.5), ctypes.c_double, "0000000000000440"), (np.int32(-1), ctypes.c_int, "ffffffff"),
    (np.int64(-1), ctypes.c_int, "ffffffff"), (np.uint8(7), ctypes.c_ulong, "0700000000000000"),
    (np.uint64(2**63), ctypes.c_void_p, "0000000000000080")])
def test_a_numpy_scalar_with_a_type_is_converted(packed, scalar, ctype, expected):
    assert packed(((scalar,), (ctype,)), len(expected) // 2)[0].hex() == expected


@pytest.mark.parametrize(("scalar", "ctype"), [
    (np.int64(2**31), ctypes.c_int), (np.int32(-1), ctypes.c_uint), (np.float64(1e39), ctypes.c_float),
    (np.int64(-1), ctypes.c_void_p)])
def test_a_numpy_scalar_beyond_its_type_is_refused(refused, scalar, ctype):
    refused(((scalar,), (ctype,)), OverflowError, TypeError)


# --- ctypes instances ----------------------------------------------------------------------------------------------

INSTANCES = [
    (ctypes.c_void_p(2**63), "0000000000000080"),
    (ctypes.c_void_p(None), "0000000000000000"),
    (ctypes.c_int(-2), "feffffff"),
    (ctypes.c_uint(2**32 - 1), "ffffffff"),
    (ctypes.c_long(-2), "feffffffffffffff"),
    (ctypes.c_ulong(2**64 - 1), "ffffffffffffffff"),
    (ctypes.c_short(-2), "feff"),
    (ctypes.c_ushort(65535), "ffff"),
    (ctypes.c_byte(-2), "fe"),
    (ctypes.c_ubyte(255), "ff"),
    (ctypes.c_bool(True), "01"),
    (ctypes.c_char(b"A"), "41"),
    (ctypes.c_wchar("A"), "41000000"),
    (ctypes.c_float(2.5), "00002040"),
    (ctypes.c_double(2.5), "0000000000000440"),
    (OwnInt(5), "05000000"),
]


@pytest.mark.parametrize(("instance", "expected"), INSTANCES, ids=lambda value: type(value).__name__)
def test_a_ctypes_number_is_its_memory(packed, instance, expected):
    size = len(expected) // 2
    assert packed((instance,), size)[0].hex() == expected
    assert packed(((instance, instance), (None, type(instance))), size, size)[1].hex() == expected


def test_a_ctypes_number_may_lie_in_other_memory(packed):
    memory = bytearray(b"\1\2\3\4\5")
    first, last = ctypes.c_ushort.from_buffer(memory, 1), ctypes.c_ubyte.from_buffer(memory, 4)
    array = (ctypes.c_float * 2)(1.5, 2.5)
    pointee = ctypes.pointer(ctypes.c_int(9)).contents
    second = ctypes.c_float.from_buffer(array, 4)
    assert packed((first, last, second, pointee), 2, 1, 4, 4) == [
        b"\2\3", b"\5", struct.pack("<f", 2.5), struct.pack("<i", 9)]
    memory[1] = 7
    assert packed(((first,), (ctypes.c_ushort,)), 2) == [b"\7\3"]


def test_a_resized_ctypes_number_is_all_of_its_memory(packed):
    resized = ctypes.c_int(7)
    ctypes.resize(resized, 64)
    ctypes.memset(ctypes.addressof(resized) + 4, 3, 60)
    assert packed((resized,), 64)[0] == b"\7\0\0\0" + b"\3" * 60


def test_a_resized_ctypes_number_is_none_of_its_type(refused):
    resized = ctypes.c_int(7)
    ctypes.resize(resized, 64)
    refused(((resized,), (ctypes.c_int,)), TypeError)


def test_a_ctypes_number_of_another_type_is_refused(refused):
    for value, ctype in ((ctypes.c_uint(1), ctypes.c_int), (ctypes.c_int(1), ctypes.c_void_p),
                         (ctypes.c_double(1), ctypes.c_float), (ctypes.c_uint(1), OwnInt)):
        refused(((value,), (ctype,)), TypeError)


def test_the_memory_is_a_copy(driver, cuda):
    """Nothing that happens to the instance later changes what the kernel gets."""
    number = ctypes.c_int(7)
    seen = []

    def handler(name, words):
        address = struct.unpack("<Q", read(words[9], 8))[0]
        number.value = 8
        seen.append(read(address, 4))
        return 0

    cuda.on("cuLaunchKernel", handler)
    driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, (number,), 0)
    assert seen == [b"\7\0\0\0"] and number.value == 8


# --- classes that are imported later -------------------------------------------------------------------------------


def test_ctypes_and_numpy_may_be_imported_after_launches():
    code = """
from cuda_bindings import driver
launch = lambda values: tuple(map(int, driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, values, 0)))
print(launch((driver.CUdeviceptr(1),))[0], launch(((driver.CUdeviceptr(1),), (None,)))[0])
print(attempt(launch, ((1,), (int,)))[0], "ctypes" in sys.modules, "numpy" in sys.modules)
import ctypes
print(launch(((1, 2.5), (ctypes.c_int, ctypes.c_float)))[0], launch((ctypes.c_int(1),))[0], "numpy" in sys.modules)
import numpy
print(launch((numpy.float32(1), numpy.int64(2)))[0], launch(((numpy.float32(1),), (ctypes.c_float,)))[0])
print(attempt(launch, (numpy.zeros(1),))[0])
"""
    assert run_python(code, paths=(Path(np.__file__).parents[1],), **FAKE_LIBRARY).splitlines() == [
        "0 0", "TypeError False False", "0 0 False", "0 0", "TypeError"]
