# SPDX-License-Identifier: Apache-2.0
"""Objects that change while a call reads its arguments: what C is given is what was there, and is still alive."""

from __future__ import annotations

import array
import gc
import mmap
import weakref

import pytest
from api_table import prototypes
from hostile import IndexAnd, OwnError
from recorder import read, script, u64


class Memory(bytearray):
    """A buffer that tells when it is gone."""


# --- lists ---------------------------------------------------------------------------------------------------------

def changes(items: list):
    """What may happen to a list while its elements are read."""
    return {"shrinks": lambda: items.__delitem__(slice(1, None)), "is cleared": items.clear,
            "grows": lambda: items.extend([0] * 1000), "is reversed": items.reverse,
            "is filled anew": lambda: items.__setitem__(slice(None), [object()] * 3)}


@pytest.mark.parametrize("change", ["shrinks", "is cleared", "grows", "is filled anew", "is reversed"])
def test_a_list_of_numbers_that_its_element_changes(driver, cuda, change):
    sizes: list = []
    sizes += [IndexAnd(11, changes(sizes)[change]), 12, 13]
    seen = script(cuda, "cuMemDiscardBatchAsync", peeks={1: 24})
    pointers = [driver.CUdeviceptr(i) for i in range(3)]
    assert driver.cuMemDiscardBatchAsync(pointers, sizes, 3, 0, None)[0] == 0
    assert seen.memory[1] == u64(11, 12, 13)


@pytest.mark.parametrize("change", ["shrinks", "is cleared", "grows", "is filled anew", "is reversed"])
def test_a_list_of_options_that_its_element_changes(driver, cuda, change):
    values: list = []
    values += [IndexAnd(48, changes(values)[change]), 1]
    keys = [driver.CUjit_option.CU_JIT_MAX_REGISTERS, driver.CUjit_option.CU_JIT_LOG_VERBOSE]
    seen = script(cuda, "cuModuleLoadDataEx", peeks={4: 16})
    assert driver.cuModuleLoadDataEx(b"ptx", 2, keys, values)[0] == 0
    assert [word & 0xFFFFFFFF for word in memoryview(seen.memory[4]).cast("Q")] == [48, 1]


@pytest.mark.parametrize("change", ["shrinks", "is cleared", "grows", "is filled anew", "is reversed"])
def test_lists_that_a_later_number_changes(driver, cuda, change):
    """The handles themselves go too: nobody but the list held them."""
    nodes = [driver.CUgraphNode(i + 1) for i in range(3)]
    flags = IndexAnd(3, changes(nodes)[change])
    seen = script(cuda, prototypes()["cuStreamUpdateCaptureDependencies"].link, peeks={1: 24})
    try:
        driver.cuStreamUpdateCaptureDependencies(None, nodes, None, 3, flags)
    except (TypeError, ValueError):     # it changed before it was read
        assert cuda.calls == []
    else:
        assert seen.memory[1] in (u64(1, 2, 3), u64(3, 2, 1))


def test_a_member_that_its_elements_change(driver):
    frame = driver.CUeglFrame()
    values: list = []
    values += [IndexAnd(1, values.clear), 2, 3]
    frame.frame.pPitch = values
    assert frame.frame.pPitch == [1, 2, 3]
    pool = driver.CUtensorMap()
    numbers: list = []
    numbers += [IndexAnd(i, numbers.clear) for i in range(16)]
    pool.opaque = numbers
    assert [int(i) for i in pool.opaque] == list(range(16))


def test_a_generator_that_changes_the_list_it_reads(driver, cuda):
    sizes = [1, 2, 3]

    def reading():
        for size in list(sizes):
            sizes.clear()
            yield size
    seen = script(cuda, "cuMemDiscardBatchAsync", peeks={1: 24})
    driver.cuMemDiscardBatchAsync([driver.CUdeviceptr(i) for i in range(3)], reading(), 3, 0, None)
    assert seen.memory[1] == u64(1, 2, 3) and sizes == []


# --- memory --------------------------------------------------------------------------------------------------------

def owners():
    """Memory by its owner, and how the owner would take it away."""
    numbers = array.array("B", range(64))
    mapped = mmap.mmap(-1, 64)
    mapped.write(bytes(range(64)))
    buffer = bytearray(range(64))
    view = memoryview(bytearray(range(64)))
    return [(buffer, lambda: buffer.extend(bytes(1 << 20))), (buffer, buffer.clear), (view, view.release),
            (numbers, lambda: numbers.extend(range(100))), (mapped, mapped.close)]


@pytest.mark.parametrize("number", range(5))
def test_memory_that_a_later_argument_takes_away(driver, cuda, number):
    """cuMemcpyHtoD reads its length first, cuModuleLoadDataEx its memory: the owner cannot take what is held."""
    memory, take = owners()[number]
    refusals = []

    def attempt() -> None:
        try:
            take()
        except BufferError as error:
            refusals.append(error)
    seen = script(cuda, "cuModuleLoadDataEx", peeks={1: 64})
    driver.cuModuleLoadDataEx(memory, 1, [driver.CUjit_option.CU_JIT_MAX_REGISTERS], [IndexAnd(3, attempt)])
    assert len(refusals) == 1 and seen.memory[1] == bytes(range(64))
    cuda.calls.clear()
    script(cuda, "cuMemcpyHtoD_v2", peeks={1: 64})
    try:
        driver.cuMemcpyHtoD(0x1000, memory, IndexAnd(64, attempt))
    except ValueError:      # taken before it was read
        assert cuda.calls == []
    else:
        assert len(cuda.calls) == 1


def test_a_name_that_a_later_argument_changes(driver, cuda):
    name = bytearray(b"kernel")

    def change() -> None:
        name[:] = b"KERNEL"             # of the same length: the caller's word
        with pytest.raises(BufferError):
            name.extend(b"x" * 100_000)
    seen = script(cuda, "cuGetProcAddress_v2", peeks={0: 7})
    driver.cuGetProcAddress(name, IndexAnd(13000, change), 0)
    assert seen.memory[0] in (b"kernel\0", b"KERNEL\0")


def test_addresses_in_a_list_that_its_elements_take_away(runtime, cudart):
    buffer = bytearray(range(8))

    def change() -> None:
        with pytest.raises(BufferError):
            buffer.clear()

    def handler(name: str, words) -> int:
        first, = memoryview(read(words[0], 8)).cast("Q")
        assert read(first, 8) == bytes(range(8))
        return 0
    cudart.on("cudaMemcpyBatchAsync", handler)
    runtime.cudaMemcpyBatchAsync([buffer, IndexAnd(1, change)], [1, 2], [8, 8], 2, [runtime.cudaMemcpyAttributes()],
                                 [0], 1, None)
    assert len(cudart.calls) == 1


# --- records -------------------------------------------------------------------------------------------------------

def test_memory_behind_records_in_a_list_outlives_what_a_later_argument_does(driver, cuda):
    """Two records are copied side by side; a later argument dropped the memory that the first one points at."""
    memory = Memory(range(64))
    gone = weakref.ref(memory)
    records = [driver.CUmemDecompressParams() for _ in range(2)]
    records[0].src = memory
    del memory

    def drop() -> None:
        records[0].src = None
        records.clear()
        gc.collect()
        alive.append(gone() is not None)

    def handler(name: str, words) -> int:
        alive.append(gone() is not None)
        source, = memoryview(read(words[0] + 24, 8)).cast("Q")
        assert read(source, 64) == bytes(range(64))
        return 0
    alive: list[bool] = []
    cuda.on("cuMemBatchDecompressAsync", handler)
    try:
        driver.cuMemBatchDecompressAsync(records, 2, IndexAnd(0, drop), None)
    except ValueError:                  # dropped before the records were read
        assert cuda.calls == []
    else:
        assert alive == [True, True]
    cuda.check()
    gc.collect()
    assert gone() is None


def test_lists_in_records_in_a_list_outlive_what_a_later_argument_does(driver, cuda):
    operations = [driver.CUDA_LAUNCH_PARAMS() for _ in range(2)]
    values = Memory(range(16))
    gone = weakref.ref(values)
    operations[0].kernelParams = values
    del values

    def handler(name: str, words) -> int:
        pointer, = memoryview(read(words[0] + 40, 8)).cast("Q")
        assert gone() is not None and read(pointer, 16) == bytes(range(16))
        return 0

    def drop() -> None:
        operations[0].kernelParams = None
        del operations[:]
    cuda.on("cuLaunchCooperativeKernelMultiDevice", handler)
    try:
        driver.cuLaunchCooperativeKernelMultiDevice(operations, 2, IndexAnd(0, drop))
    except ValueError:                  # dropped before it was read
        assert cuda.calls == []
    cuda.check()
    gc.collect()
    assert gone() is None


def test_one_record_shows_what_a_later_argument_did(driver, cuda):
    """C works on the record itself: a list that was replaced is the new one, and the old one is not seen."""
    config = driver.CUlaunchConfig()
    config.attrs = [driver.CUlaunchAttribute() for _ in range(2)]
    config.numAttrs = 2

    def replace() -> None:
        config.attrs = [driver.CUlaunchAttribute()]
        config.numAttrs = 1
        gc.collect()

    class Function:
        def __index__(self) -> int:
            replace()
            return 5

    def handler(name: str, words) -> int:
        attributes, = memoryview(read(words[0] + 40, 8)).cast("Q")
        assert attributes == config.attrs[0].getPtr()
        return 0
    cuda.on("cuLaunchKernelEx", handler)
    assert driver.cuLaunchKernelEx(config, Function(), None, 0)[0] == 0
    cuda.check()


def test_a_record_that_changes_while_a_member_is_set(driver):
    copy = driver.CUDA_MEMCPY2D()
    memory = Memory(64)
    gone = weakref.ref(memory)
    copy.srcHost = memory
    del memory
    copy.Height = IndexAnd(7, lambda: setattr(copy, "srcHost", None))
    gc.collect()
    assert copy.Height == 7 and copy.srcHost == 0 and gone() is None
    node = driver.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS()

    def again() -> None:
        node.extSemArray = [1, 2]
    node.extSemArray = [IndexAnd(5, again), 6, 7]
    assert [int(each) for each in node.extSemArray] == [5, 6, 7]


# --- what raises half-way ------------------------------------------------------------------------------------------

def test_what_was_held_is_let_go_when_a_later_argument_raises(driver, cuda):
    def fail() -> None:
        raise OwnError
    buffer, name = bytearray(64), bytearray(b"name")
    records = [driver.CUmemDecompressParams() for _ in range(2)]
    memory = Memory(8)
    gone = weakref.ref(memory)
    records[1].dst = memory
    del memory
    keys = [driver.CUjit_option.CU_JIT_INFO_LOG_BUFFER, driver.CUjit_option.CU_JIT_MAX_REGISTERS]
    for call in (lambda: driver.cuModuleLoadDataEx(buffer, 2, keys, [bytearray(8), IndexAnd(1, fail)]),
                 lambda: driver.cuGetProcAddress(name, IndexAnd(1, fail), 0),
                 lambda: driver.cuMemcpyHtoDAsync(1, buffer, 64, IndexAnd(1, fail)),
                 lambda: driver.cuMemBatchDecompressAsync(records, 2, IndexAnd(0, fail), None)):
        with pytest.raises(OwnError):
            call()
    buffer.append(1)
    name.append(1)
    records.clear()
    gc.collect()
    assert gone() is None and cuda.calls == []
