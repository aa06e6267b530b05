# SPDX-License-Identifier: Apache-2.0
"""Addresses and texts as arguments: numbers, handles and memory; what is held during the call; what is refused."""

from __future__ import annotations

import array
import ctypes

import pytest
from recorder import read

np = pytest.importorskip("numpy")


def source_of(cuda) -> int:
    """The address that cuMemcpyHtoD was given."""
    return cuda.only("cuMemcpyHtoD_v2")[1]


class Foreign:
    """A handle of another package."""

    def __int__(self):
        return 0x5000


@pytest.mark.parametrize(
    ("value", "address"),
    [
        (None, 0),
        (0x5000, 0x5000),
        (2**64 - 1, 2**64 - 1),
        (np.uint64(0x5000), 0x5000),
        (np.array(0x5000, np.uint64), 0x5000),
        (Foreign(), 0x5000),
    ],
)
def test_what_stands_for_a_number_is_the_address(driver, cuda, value, address):
    driver.cuMemcpyHtoD(1, value, 8)
    assert source_of(cuda) == address


def test_handles_are_addresses(driver, cuda):
    driver.cuMemcpyHtoD(1, driver.CUdeviceptr(0x7000), 8)
    assert source_of(cuda) == 0x7000


MEMORY = [
    b"12345678",
    bytearray(b"12345678"),
    memoryview(b"12345678"),
    array.array("d", [1.5]),
    ctypes.c_double(1.5),
    (ctypes.c_char * 8)(*b"12345678"),
    np.array([1.5]),
    np.array(1.5),
    np.array(7, np.int64),
    np.array([5], np.uint64),
    np.char.array(b"12345678"),
]


@pytest.mark.parametrize("memory", MEMORY, ids=lambda value: type(value).__name__)
def test_memory_is_read_where_it_lies(driver, cuda, memory):
    seen = []
    cuda.on("cuMemcpyHtoD_v2", lambda name, words: seen.append(read(words[1], 8)) or 0)
    assert driver.cuMemcpyHtoD(1, memory, 8)[0] == 0
    assert seen == [memoryview(memory).tobytes() if not isinstance(memory, np.ndarray) else memory.tobytes()]


@pytest.mark.parametrize(
    "wrong",
    [
        True,
        False,
        1.5,
        1.0,
        np.float64(1),
        np.float32(1),
        np.bool_(True),
        -1,
        2**64,
        "text",
        [1],
        (),
        {},
        object(),
        int,
    ],
)
def test_everything_else_is_a_type_error(driver, cuda, wrong):
    with pytest.raises(TypeError, match=r"cuMemcpyHtoD\(\): parameter 'srcHost': got .*; accepts an address"):
        driver.cuMemcpyHtoD(1, wrong, 0)
    assert not cuda.calls


def test_memory_with_gaps_is_refused(driver, cuda):
    with pytest.raises(ValueError, match="no contiguous buffer"):
        driver.cuMemcpyHtoD(1, np.arange(16, dtype=np.uint8)[::2], 8)
    with pytest.raises(BufferError, match="no contiguous buffer"):
        driver.cuMemcpyHtoD(1, memoryview(b"0123456789abcdef")[::2], 8)
    assert not cuda.calls


def test_a_number_that_raises_falls_back_to_its_memory(driver, cuda):
    class Loud(bytearray):
        def __int__(self):
            raise ZeroDivisionError

    assert driver.cuMemcpyHtoD(1, Loud(b"12345678"), 8)[0] == 0


def test_an_interrupt_is_not_swallowed(driver, cuda):
    class Stopping:
        def __index__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        driver.cuMemcpyHtoD(1, Stopping(), 8)
    assert not cuda.calls


def test_memory_cannot_be_resized_during_the_call_and_can_afterwards(driver, cuda):
    memory = bytearray(8)
    refused = []

    def resize(name, words):
        try:
            memory.extend(b"more")
        except BufferError:
            refused.append(True)
        return 0

    cuda.on("cuMemcpyHtoD_v2", resize)
    driver.cuMemcpyHtoD(1, memory, 8)
    assert refused == [True]
    memory.extend(b"more")
    with pytest.raises(ValueError, match="12 bytes where 13 are read"):
        driver.cuMemcpyHtoD(1, memory, 13)
    memory.extend(b"and more")


@pytest.mark.parametrize(
    ("text", "arrived"), [(b"saxpy", b"saxpy"), (bytearray(b"saxpy"), b"saxpy"), (b"saxpy\0\0", b"saxpy")]
)
def test_texts_are_bytes(driver, cuda, text, arrived):
    seen = []
    cuda.on("cuModuleGetFunction", lambda name, words: seen.append(read(words[2], len(arrived) + 1)) or 0)
    driver.cuModuleGetFunction(1, text)
    assert seen == [arrived + b"\0"]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("saxpy", TypeError),
        (None, TypeError),
        (memoryview(b"saxpy"), TypeError),
        (5, TypeError),
        (b"sax\0py", ValueError),
        (bytearray(b"\0x"), ValueError),
    ],
)
def test_texts_that_c_cannot_read_are_refused(driver, cuda, wrong, error):
    with pytest.raises(error, match=r"cuModuleGetFunction\(\): parameter 'name'"):
        driver.cuModuleGetFunction(1, wrong)
    assert not cuda.calls
