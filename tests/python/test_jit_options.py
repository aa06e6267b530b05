# SPDX-License-Identifier: Apache-2.0
"""JIT and library options: the slots that the driver gets, what it writes into them, and who holds them how long."""

from __future__ import annotations

import ctypes
import struct

import pytest
from recorder import read, write


@pytest.fixture
def load(driver, cuda):
    """Loads a module with options; gives the slots as they arrived. The driver may write(index, bytes) into them."""

    def call(options, driver_writes=()):
        seen = []

        def handler(name, words):
            keys, values = words[3], words[4]
            count = words[2] & 0xFFFFFFFF
            seen.append(
                (
                    struct.unpack(f"<{count}i", read(keys, 4 * count)),
                    struct.unpack(f"<{count}Q", read(values, 8 * count)),
                )
            )
            for index, data in driver_writes:
                write(values + 8 * index, data)
            return 0

        cuda.on("cuModuleLoadDataEx", handler)
        keys, values = [key for key, _ in options], [value for _, value in options]
        status, module = driver.cuModuleLoadDataEx(b"image", len(options), keys, values)
        assert status == driver.CUresult.CUDA_SUCCESS
        return seen[0]

    return call


def options_of(enum) -> list:
    """Every option of an enumeration but its sentinel."""
    return [option for option in enum if "NUM_OPTIONS" not in option.name]


def test_every_option_is_taken(load, driver):
    values = {
        "INFO_LOG_BUFFER": bytearray(8),
        "ERROR_LOG_BUFFER": bytearray(8),
        "GLOBAL_SYMBOL_NAMES": [b"a"],
        "GLOBAL_SYMBOL_ADDRESSES": [0x1000],
        "REFERENCED_KERNEL_NAMES": [b"k"],
        "REFERENCED_VARIABLE_NAMES": [b"v"],
    }
    for option in options_of(driver.CUjit_option):
        keys, slots = load([(option, values.get(option.name.removeprefix("CU_JIT_"), 1))])
        assert keys == (int(option),)
        assert slots[0] != 0 or option.name in ("CU_JIT_TARGET", "CU_JIT_TARGET_FROM_CUCONTEXT")


def test_runtime_takes_every_option_of_its_own(runtime, cudart):
    for option in options_of(runtime.cudaJitOption):
        value = bytearray(8) if option.name.endswith("LogBuffer") else 1
        status, library = runtime.cudaLibraryLoadData(b"code", [option], [value], 1, None, None, 0)
        assert status == runtime.cudaError_t.cudaSuccess


def test_numbers_travel_inside_the_slots(load, driver):
    option = driver.CUjit_option
    _, slots = load(
        [
            (option.CU_JIT_MAX_REGISTERS, 32),
            (option.CU_JIT_FMA, 0),
            (option.CU_JIT_LOG_VERBOSE, True),
            (option.CU_JIT_TARGET, driver.CUjit_target.CU_TARGET_COMPUTE_90),
            (option.CU_JIT_TARGET_FROM_CUCONTEXT, None),
            (34, 2),
        ]
    )
    assert slots == (32, 0, 1, int(driver.CUjit_target.CU_TARGET_COMPUTE_90), 0, 2)


def test_answers_come_back_in_the_objects_that_were_passed(load, driver):
    option = driver.CUjit_option
    size, time, threads = ctypes.c_uint(4096), ctypes.c_float(), ctypes.c_uint(128)
    _, slots = load(
        [
            (option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, size),
            (option.CU_JIT_WALL_TIME, time),
            (option.CU_JIT_THREADS_PER_BLOCK, threads),
        ],
        [(0, struct.pack("<I", 17)), (1, struct.pack("<f", 1.25))],
    )
    assert slots[0] == 4096 and slots[2] == 128
    assert (size.value, time.value, threads.value) == (17, 1.25, 128)


def test_a_failing_call_tells_the_length_of_its_log(driver, cuda):
    size = ctypes.c_uint(4096)
    key = driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
    failed = (driver.CUresult.CUDA_ERROR_INVALID_IMAGE, None)
    cuda.status("cuModuleLoadDataEx", 200)
    assert driver.cuModuleLoadDataEx(b"image", 1, [key], [size]) == failed
    assert size.value == 4096, "the driver wrote nothing"
    cuda.on("cuModuleLoadDataEx", lambda name, words: write(words[4], struct.pack("<I", 17)) or 200)
    assert driver.cuModuleLoadDataEx(b"image", 1, [key], [size]) == failed
    assert size.value == 17


def test_a_failing_linker_tells_the_length_of_its_log(driver, cuda):
    slots, filled = [], ctypes.c_uint(64)
    cuda.on("cuLinkCreate_v2", lambda name, words: slots.append(words[2]) or 0)
    key = driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
    _, state = driver.cuLinkCreate(1, [key], [filled])
    cuda.on("cuLinkComplete", lambda name, words: write(slots[0], struct.pack("<I", 10)) or 218)
    assert driver.cuLinkComplete(state) == (driver.CUresult.CUDA_ERROR_INVALID_PTX, None, None)
    assert filled.value == 10


@pytest.mark.parametrize("make", [lambda: b" " * 64, lambda: bytearray(64)])
def test_logs_are_written_where_the_caller_can_read_them(driver, cuda, make):
    log = make()
    hashed = hash(log) if isinstance(log, bytes) else None
    option = driver.CUjit_option

    def handler(name, words):
        write(struct.unpack("<Q", read(words[4], 8))[0], b"ptxas info\0")
        return 0

    cuda.on("cuModuleLoadDataEx", handler)
    driver.cuModuleLoadDataEx(
        b"image", 2, [option.CU_JIT_INFO_LOG_BUFFER, option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES], [log, 64]
    )
    assert bytes(log).startswith(b"ptxas info\0")
    assert hashed is None or hash(log) == hash(bytes(bytearray(log))) != hashed


@pytest.mark.parametrize(
    ("log", "size", "error"),
    [
        (b" " * 63, 64, ValueError),
        (bytearray(63), 64, ValueError),
        (bytearray(63), ctypes.c_uint(64), ValueError),
        (b" ", 1, ValueError),
        (b"", 0, ValueError),
        (memoryview(b" " * 64), 64, TypeError),
        ("log", 64, TypeError),
    ],
)
def test_logs_that_are_short_or_shared_are_refused(driver, cuda, log, size, error):
    option = driver.CUjit_option
    with pytest.raises(error, match=r"cuModuleLoadDataEx\(\): parameter 'optionValues'\[0\]"):
        driver.cuModuleLoadDataEx(
            b"image", 2, [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], [log, size]
        )
    assert not cuda.calls


def test_names_and_addresses_are_as_many_as_their_count(driver, cuda):
    option = driver.CUjit_option
    with pytest.raises(ValueError, match="got 1 element; accepts a list of at least 2"):
        driver.cuModuleLoadDataEx(
            b"image", 2, [option.CU_JIT_GLOBAL_SYMBOL_NAMES, option.CU_JIT_GLOBAL_SYMBOL_COUNT], [[b"a"], 2]
        )
    assert not cuda.calls


@pytest.mark.parametrize(
    ("keys", "values", "error"),
    [
        (["CU_JIT_FMA"], [1], TypeError),
        ([None], [1], TypeError),
        ([0], ["x"], TypeError),
        ([0], [-1], OverflowError),
        ([0], [2**32], OverflowError),
        ([0], [1.5], ValueError),
        ([17], [["name"]], TypeError),
        (5, [1], TypeError),
    ],
)
def test_wrong_keys_and_values_are_refused(driver, cuda, keys, values, error):
    with pytest.raises(error, match=r"cuModuleLoadDataEx\(\): parameter 'option"):
        driver.cuModuleLoadDataEx(b"image", 1, keys, values)
    assert not cuda.calls


def test_the_linker_keeps_writing_into_the_same_slots(driver, cuda):
    option = driver.CUjit_option
    slots = []
    cuda.on(
        "cuLinkCreate_v2", lambda name, words: slots.append(words[2]) or write(words[3], struct.pack("<Q", 0x11)) or 0
    )
    log, filled = bytearray(64), ctypes.c_uint(64)
    status, state = driver.cuLinkCreate(
        2, [option.CU_JIT_INFO_LOG_BUFFER, option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES], [log, filled]
    )
    assert int(state) == 0x11
    with pytest.raises(BufferError):
        log.extend(b"held")
    cuda.on("cuLinkComplete", lambda name, words: write(slots[0] + 8, struct.pack("<Q", 10)) or 0)
    driver.cuLinkComplete(state)
    assert filled.value == 10
    del state
    log.extend(b"let go")


def test_the_library_takes_its_table_by_address(driver, cuda):
    table = driver.CUlibraryHostUniversalFunctionAndDataTable()
    seen = []

    def handler(name, words):
        seen.append(struct.unpack("<Q", read(words[6], 8))[0])
        return 0

    cuda.on("cuLibraryLoadData", handler)
    key = driver.CUlibraryOption.CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE
    driver.cuLibraryLoadData(b"code", [], [], 0, [key], [table], 1)
    assert seen == [table.getPtr()]
