# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays and bytes as memory, the quick way: what is refused stays refused, and what is held is let go."""

from __future__ import annotations

import sys

import pytest
from recorder import read

np = pytest.importorskip("numpy")


class Matrix(np.ndarray):  # type: ignore[name-defined]  # imported by pytest
    """An array of a class of its own."""


class Text(bytes):
    """Bytes of a class of its own."""


def arrays():
    """Arrays of 8 bytes at least, and their names."""
    yield "one dimension", np.arange(8, dtype=np.uint8)
    yield "C order", np.arange(4, dtype=np.float32).reshape(2, 2)
    yield "Fortran order", np.asfortranarray(np.arange(4, dtype=np.float32).reshape(2, 2))
    yield "read-only", np.frombuffer(b"12345678", np.uint8)
    yield "a part", np.arange(8, dtype=np.int64)[3:5]
    yield "dates", np.array([5], "datetime64[s]")
    yield "records", np.zeros(1, [("a", np.int32), ("b", np.float64)])
    yield "big-endian", np.arange(2, dtype=">i8")
    yield "a class of its own", np.arange(2, dtype=np.int64).view(Matrix)
    yield "no dimensions", np.array(1.5)
    yield "one address", np.array([0x5000], np.uint64)


@pytest.mark.parametrize("array", [array for _, array in arrays()], ids=[name for name, _ in arrays()])
def test_an_array_is_passed_by_where_it_lies(driver, cuda, array):
    before = sys.getrefcount(array)
    assert driver.cuMemcpyHtoD(1, array, 8)[0] == 0
    assert cuda.only("cuMemcpyHtoD_v2")[1] == array.__array_interface__["data"][0]
    assert sys.getrefcount(array) == before


def test_an_unsigned_number_without_dimensions_is_an_address(driver, cuda):
    driver.cuMemcpyHtoD(1, np.array(0x5000, np.uint64), 8)
    assert cuda.only("cuMemcpyHtoD_v2")[1] == 0x5000


def test_an_empty_array_is_memory_of_no_bytes(driver, cuda):
    assert driver.cuMemcpyHtoD(1, np.zeros(0, np.uint64), 0)[0] == 0
    assert driver.cuMemcpyHtoD(1, np.zeros((0, 3), np.uint64), 0)[0] == 0
    with pytest.raises(ValueError, match=r"parameter 'srcHost': 0 bytes where 8 are read"):
        driver.cuMemcpyHtoD(1, np.zeros(0, np.uint64), 8)


REFUSED = [
    ("short", np.zeros(7, np.uint8), ValueError, "7 bytes where 8 are read"),
    ("with gaps", np.zeros(16, np.uint8)[::2], ValueError, "no contiguous buffer"),
    ("backwards", np.zeros(8, np.uint8)[::-1], ValueError, "no contiguous buffer"),
    ("of objects", np.array([None] * 2, object)[::2][:0:2], ValueError, "0 bytes where 8 are read"),
    ("a scalar", np.float64(1), TypeError, "accepts an address"),
    ("short bytes", bytes(bytearray(b"1234567")), ValueError, "7 bytes where 8 are read"),
    ("short bytes of a class of its own", Text(b"1234567"), ValueError, "7 bytes where 8 are read"),
]


@pytest.mark.parametrize(("memory", "error", "text"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_too_short_or_scattered_is_refused(driver, cuda, memory, error, text):
    before = sys.getrefcount(memory)
    with pytest.raises(error, match=rf"cuMemcpyHtoD\(\): parameter 'srcHost'.*{text}"):
        driver.cuMemcpyHtoD(1, memory, 8)
    assert not cuda.calls and sys.getrefcount(memory) == before


@pytest.mark.parametrize("memory", [np.frombuffer(b"12345678", np.uint8), Text(b"12345678"),
                                    bytes(bytearray(b"12345678"))], ids=["array", "derived", "bytes"])
def test_what_is_read_only_is_no_target(driver, cuda, memory):
    before = sys.getrefcount(memory)
    with pytest.raises(TypeError, match=r"cuMemcpyDtoH\(\): parameter 'dstHost': read-only but written to"):
        driver.cuMemcpyDtoH(memory, 1, 8)
    assert not cuda.calls and sys.getrefcount(memory) == before


def test_a_target_is_long_enough(driver, cuda):
    with pytest.raises(ValueError, match=r"cuMemcpyDtoH\(\): parameter 'dstHost': 4 bytes where 8 are written"):
        driver.cuMemcpyDtoH(np.zeros(1, np.float32), 1, 8)
    target = np.zeros(2, np.float32)
    assert driver.cuMemcpyDtoH(target, 1, 8)[0] == 0
    assert cuda.only("cuMemcpyDtoH_v2")[0] == target.ctypes.data


@pytest.mark.parametrize("memory", [bytes(bytearray(b"12345678")), Text(b"12345678"), bytes(bytearray(b"123456789"))],
                         ids=["bytes", "derived", "longer"])
def test_bytes_are_read_where_they_lie(driver, cuda, memory):
    seen = []
    cuda.on("cuMemcpyHtoD_v2", lambda name, words: seen.append(read(words[1], 8)) or 0)
    before = sys.getrefcount(memory)
    assert driver.cuMemcpyHtoD(1, memory, 8)[0] == 0
    assert seen == [b"12345678"] and sys.getrefcount(memory) == before


def test_the_array_is_held_during_the_call(driver, cuda):
    """What the call reads cannot be resized away meanwhile."""
    array = np.arange(8, dtype=np.uint8)
    counts = []
    cuda.on("cuMemcpyHtoD_v2", lambda name, words: counts.append(sys.getrefcount(array)) or 0)
    before = sys.getrefcount(array)
    driver.cuMemcpyHtoD(1, array, 8)
    assert counts[0] > before and sys.getrefcount(array) == before


def test_a_list_of_addresses_holds_arrays_and_bytes(runtime, cudart):
    """Of unknown length: nothing but the address is asked of each."""
    array, text = np.arange(2), bytes(bytearray(b"12345678"))
    before = sys.getrefcount(array), sys.getrefcount(text)
    seen = []
    cudart.on("cudaMemcpyBatchAsync", lambda name, words: seen.append(read(words[0], 32)) or 0)
    runtime.cudaMemcpyBatchAsync([array, text, None, 0x5000], [1] * 4, [8] * 4, 4, [runtime.cudaMemcpyAttributes()],
                                 [0], 1, None)
    first, second, third, fourth = memoryview(seen[0]).cast("Q")
    assert first == array.ctypes.data and bytes(read(second, 8)) == text and (third, fourth) == (0, 0x5000)
    assert (sys.getrefcount(array), sys.getrefcount(text)) == before
