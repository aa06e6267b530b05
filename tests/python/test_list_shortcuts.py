# SPDX-License-Identifier: Apache-2.0
"""Lists of ordinary elements, the quick way: what else may stand in them, what is refused, what is held meanwhile."""

from __future__ import annotations

import gc
import struct
import sys

import pytest
from recorder import i32, read, u64, write


class Number(int):
    """An int of a class of its own."""


class Indexed:
    """Something that is a number when asked."""

    def __init__(self, number, then=lambda: None):
        self.number, self.then = number, then

    def __index__(self):
        self.then()
        return self.number


class Backwards(list):
    """A list that iterates from its end."""

    def __iter__(self):
        return reversed(list(super().__iter__()))


def batch(driver, cuda, targets, sizes, attributes=None, indices=(0,), count=None):
    """One cuMemcpyBatchAsync: the targets, sizes and numbers of attributes that arrive."""
    seen = []

    def look(name, words):
        count, attributes = words[3], words[6]
        seen.append((list(struct.unpack(f"<{count}Q", read(words[0], 8 * count))),
                     list(struct.unpack(f"<{count}Q", read(words[2], 8 * count))),
                     read(words[4], 24 * attributes)[::24],
                     list(struct.unpack(f"<{attributes}Q", read(words[5], 8 * attributes)))))
        return 0

    cuda.on("cuMemcpyBatchAsync_v2", look)
    attributes = [driver.CUmemcpyAttributes()] if attributes is None else attributes
    size = len(targets) if count is None else count
    sources = [driver.CUdeviceptr(1)] * size
    assert driver.cuMemcpyBatchAsync(targets, sources, sizes, size, attributes, indices, len(attributes), 1)[0] == 0
    cuda.check()
    return seen.pop()


# --- handles --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [1, 2, 17, 300])
def test_handles_arrive_by_their_values(driver, cuda, size):
    class Pointer(driver.CUdeviceptr):  # type: ignore[name-defined]  # a fixture
        pass

    values = [2 ** 64 - 1 - index for index in range(size)]
    for form in (list, tuple, Backwards):
        for cls in (driver.CUdeviceptr, Pointer):
            given = form([cls(value) for value in values])
            wanted = values[::-1] if form is Backwards else values
            assert batch(driver, cuda, given, [1] * size)[0] == wanted
    mixed = [driver.CUdeviceptr(values[0]), *[Pointer(value) for value in values[1:]]]
    assert batch(driver, cuda, mixed, [1] * size)[0] == values


@pytest.mark.parametrize(("wrong", "index"), [(None, 0), (5, 1), ("CUstream", 2), (1.0, 3)])
def test_an_element_of_another_class_is_named(driver, cuda, wrong, index):
    targets = [driver.CUdeviceptr(1)] * 4
    targets[index] = driver.CUstream(1) if wrong == "CUstream" else wrong
    with pytest.raises(TypeError, match=rf"parameter 'dsts'\[{index}\]: got .*; accepts instances of CUdeviceptr"):
        batch(driver, cuda, targets, [1] * 4)
    assert not cuda.calls


def test_what_is_no_list_is_refused_with_the_class_of_its_elements(driver, cuda):
    attributes = [driver.CUmemcpyAttributes()]
    for wrong in (iter([driver.CUdeviceptr(1)]), "a", {1: 2}, driver.CUdeviceptr(1), 5):
        with pytest.raises(TypeError, match="accepts a list or tuple of CUdeviceptr, or None"):
            driver.cuMemcpyBatchAsync(wrong, None, [1], 0, attributes, [0], 1, 1)
        with pytest.raises(TypeError, match="accepts a list or tuple of CUmemcpyAttributes, or None"):
            driver.cuMemcpyBatchAsync(None, None, [1], 0, wrong, [0], 0, 1)
    assert not cuda.calls


def test_a_list_shorter_than_the_count_is_refused(driver, cuda):
    pointer = driver.CUdeviceptr(1)
    for targets, sizes in (([pointer] * 2, [1] * 3), ([pointer] * 3, [1] * 2), ([], [1] * 3), ([pointer], [1] * 3)):
        with pytest.raises(ValueError, match="accepts a list of at least 3"):
            batch(driver, cuda, targets, sizes, count=3)
    assert batch(driver, cuda, [pointer] * 9, [7] * 9, count=3)[1] == [7] * 3


def test_one_handle_and_one_record_are_held_and_lie_where_they_were(driver, cuda):
    targets, attributes = [driver.CUdeviceptr(7)], [driver.CUmemcpyAttributes()]
    target_at, attributes_at = targets[0].getPtr(), attributes[0].getPtr()
    seen = []

    def look(name, words):
        targets.clear()
        attributes.clear()
        gc.collect()
        others = [driver.CUdeviceptr(9) for _ in range(50)], [driver.CUmemcpyAttributes() for _ in range(50)]
        seen.append((words[0], words[4], read(words[0], 8), len(others)))
        return 0

    cuda.on("cuMemcpyBatchAsync_v2", look)
    driver.cuMemcpyBatchAsync(targets, [driver.CUdeviceptr(1)], [1], 1, attributes, [0], 1, 1)
    cuda.check()
    assert seen == [(target_at, attributes_at, u64(7), 2)]


def test_handles_that_keep_something_are_held_during_the_call(driver, cuda):
    """Those of a record: the record's memory goes with the last of them."""
    record = driver.CUDA_MEMCPY2D()
    record.srcDevice, record.dstDevice = driver.CUdeviceptr(5), driver.CUdeviceptr(6)
    targets = [record.srcDevice, record.dstDevice]
    del record
    seen = []

    def look(name, words):
        before = sys.getrefcount(targets[0])
        targets.clear()
        gc.collect()
        seen.append((before, struct.unpack("<2Q", read(words[0], 16))))
        return 0

    cuda.on("cuMemcpyBatchAsync_v2", look)
    sources, attributes = [driver.CUdeviceptr(1)] * 2, [driver.CUmemcpyAttributes()]
    driver.cuMemcpyBatchAsync(targets, sources, [1] * 2, 2, attributes, [0], 1, 1)
    cuda.check()
    assert seen[0][0] >= 3 and seen[0][1] == (5, 6)


# --- numbers --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [1, 16, 17, 1024])
def test_numbers_of_every_kind_arrive(driver, cuda, size):
    targets = [driver.CUdeviceptr(1)] * size
    kinds = [0, 1, 2 ** 30 - 1, 2 ** 30, 2 ** 32, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1]
    plain = [kinds[index % len(kinds)] for index in range(size)]
    for form in (list, tuple, iter, lambda values: map(Number, values), lambda values: [Indexed(v) for v in values],
                 lambda values: [*values[:-1], Indexed(values[-1])]):
        assert batch(driver, cuda, targets, form(plain))[1] == plain
    assert batch(driver, cuda, targets, Backwards(plain))[1] == plain[::-1]
    assert batch(driver, cuda, targets, [True] * size)[1] == [1] * size
    assert batch(driver, cuda, targets, [8.0] * size)[1] == [8] * size


@pytest.mark.parametrize(("wrong", "error"), [(-1, OverflowError), (2 ** 64, OverflowError), (1.5, ValueError),
                                              ("1", TypeError), (None, TypeError)])
@pytest.mark.parametrize("size", [1, 16, 1024])
def test_a_number_that_does_not_fit_is_named(driver, cuda, wrong, error, size):
    with pytest.raises(error, match=rf"sizes.*{size - 1}"):
        batch(driver, cuda, [driver.CUdeviceptr(1)] * size, [*[1] * (size - 1), wrong])
    assert not cuda.calls


def test_a_list_that_changes_while_it_is_read_is_taken_as_it_was(driver, cuda):
    sizes: list = [1, 2, 3]
    sizes[0] = Indexed(8, sizes.clear)
    assert batch(driver, cuda, [driver.CUdeviceptr(1)] * 3, sizes)[1] == [8, 2, 3] and sizes == []


def encode(driver, dimensions, strides, boxes):
    """cuTensorMapEncodeTiled of rank two."""
    return driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, driver.CUdeviceptr(4096), dimensions, strides,
        boxes, [1, 1], driver.CUtensorMapInterleave(0), driver.CUtensorMapSwizzle(0), driver.CUtensorMapL2promotion(0),
        driver.CUtensorMapFloatOOBfill(0))[0]


def test_integer_likes_of_the_width_and_of_another_arrive(driver, cuda):
    seen = []
    cuda.on("cuTensorMapEncodeTiled", lambda name, words: seen.append(
        (struct.unpack("<5Q", read(words[4], 40)), struct.unpack("<5Q", read(words[5], 40)),
         struct.unpack("<5I", read(words[6], 20)))) or 0)
    large, small = driver.cuuint64_t, driver.cuuint32_t
    for dimensions, boxes in (([large(2 ** 40), large(2)], [small(2 ** 32 - 1), small(4)]),
                              ((2 ** 40, 2), (2 ** 32 - 1, 4)),
                              ([large(2 ** 40), 2], [2 ** 32 - 1, small(4)]),
                              ([large(2 ** 40), small(2)], [small(2 ** 32 - 1), large(4)]),
                              ([2.0 ** 40, Number(2)], iter([2.0 ** 32 - 1, 4]))):
        assert encode(driver, dimensions, [large(64)], boxes) == 0
        cuda.check()
        assert seen.pop() == ((2 ** 40, 2, 0, 0, 0), (64, 0, 0, 0, 0), (2 ** 32 - 1, 4, 0, 0, 0))
    cuda.calls.clear()
    for dimensions, boxes, error in (([large(1)] * 6, [1, 1], ValueError), ([1, 1], [large(2 ** 32), 1], OverflowError),
                                     ([1], [1, 1], ValueError), ([1, "2"], [1, 1], TypeError)):
        with pytest.raises(error):
            encode(driver, dimensions, [64], boxes)
    assert not cuda.calls


# --- records --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [1, 2, 9, 300])
def test_records_arrive_side_by_side(driver, cuda, size):
    class Attributes(driver.CUmemcpyAttributes):  # type: ignore[name-defined]  # a fixture
        pass

    for cls in (driver.CUmemcpyAttributes, Attributes):
        attributes = [cls() for _ in range(size)]
        for index, record in enumerate(attributes):
            record.srcAccessOrder = index % 4
        found = batch(driver, cuda, [driver.CUdeviceptr(1)] * 2, [1] * 2, attributes, list(range(size)))
        assert list(found[2]) == [index % 4 for index in range(size)] and found[3] == list(range(size))


def test_a_record_of_another_class_is_named(driver, cuda):
    attributes = [driver.CUmemcpyAttributes(), driver.CUmemLocation()]
    with pytest.raises(TypeError, match=r"attrs.*1"):
        batch(driver, cuda, [driver.CUdeviceptr(1)], [1], attributes, [0, 1])
    assert not cuda.calls


def test_records_that_keep_memory_are_held_and_their_lists_looked_at(driver, cuda):
    operation, seen = driver.CUstreamBatchMemOpParams(), []
    cuda.on("cuStreamBatchMemOp_v2", lambda name, words: seen.append(read(words[2], 96)) or 0)
    operations = [operation, driver.CUstreamBatchMemOpParams()]
    operation.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
    assert driver.cuStreamBatchMemOp(1, 2, operations, 0)[0] == 0
    assert seen[0][0] == 2 and seen[0][48] == 0


# --- enumerations and addresses -------------------------------------------------------------------------------------

def test_enumerations_are_members_or_numbers(driver, cuda):
    seen = []
    cuda.on("cuDeviceGetHostAtomicCapabilities", lambda name, words: seen.append(read(words[1], 8)) or 0)
    operations = driver.CUatomicOperation
    first, second = operations(0), operations(1)
    for given in ([first, second], (0, 1), [Number(0), second], iter([first, second]), [False, True], [0.0, 1]):
        assert driver.cuDeviceGetHostAtomicCapabilities(given, 2, 0)[0] == 0
        assert seen.pop() == i32(0, 1)
    driver.cuDeviceGetHostAtomicCapabilities([2 ** 31 - 1, 77], 2, 0)
    assert seen.pop() == i32(2 ** 31 - 1, 77)
    for wrong, error in (([first, driver.CUresult(1)], TypeError), ([0, None], TypeError),
                         ([0, 2 ** 40], OverflowError), ([first], ValueError)):
        with pytest.raises(error):
            driver.cuDeviceGetHostAtomicCapabilities(wrong, 2, 0)


def test_addresses_are_numbers_handles_none_or_memory(runtime, driver, cudart):
    seen = []
    cudart.on("cudaMemcpyBatchAsync", lambda name, words: seen.append(struct.unpack("<2Q", read(words[0], 16))) or 0)

    def arrive(*targets):
        runtime.cudaMemcpyBatchAsync(list(targets), [1] * 2, [8] * 2, 2, [runtime.cudaMemcpyAttributes()], [0], 1, None)
        cudart.check()
        return seen.pop()

    memory = bytearray(8)
    assert arrive(1, 2 ** 64 - 1) == (1, 2 ** 64 - 1)
    assert arrive(driver.CUdeviceptr(5), 6) == (5, 6)
    assert arrive(driver.CUdevice(-1), None) == (2 ** 64 - 1, 0)
    assert arrive(memory, 6)[1] == 6
    memory.append(1)  # nobody holds it any more
    for wrong, error in ((-1, TypeError), (2 ** 64, TypeError), (True, TypeError), (1.0, TypeError)):
        with pytest.raises(error):
            arrive(1, wrong)


# --- lists that come back -------------------------------------------------------------------------------------------

def edges(driver, cuda, size):
    """The lists that cuGraphGetEdges gives for a graph of so many."""
    def answer(name, words):
        write(words[1], u64(*range(size)))
        write(words[2], u64(*range(size)))
        write(words[3], b"".join(struct.pack("<BBB5x", index % 256, 1, 0) for index in range(size)))
        write(words[4], u64(size))
        return 0

    cuda.on("cuGraphGetEdges_v2", answer)
    found = driver.cuGraphGetEdges(1, size)
    cuda.check()
    return found


@pytest.mark.parametrize("size", [1, 2, 1000, 3000])
def test_lists_of_any_length_come_back_whole_and_again(driver, cuda, size):
    for _ in range(3):
        status, froms, tos, data, count = edges(driver, cuda, size)
        assert status == 0 and count == size
        assert list(map(int, froms)) == list(range(size)) == list(map(int, tos))
        assert [record.from_port for record in data] == [index % 256 for index in range(size)]
        assert len({record.getPtr() for record in data}) == size == len({id(handle) for handle in froms})


def test_records_of_a_list_are_each_its_own(driver, cuda):
    data = edges(driver, cuda, 100)[3]
    data[3].from_port, data[3].reserved = 200, b"abcde"
    assert [record.from_port for record in data[2:5]] == [2, 200, 4] and data[4].reserved == bytes(5)
    third = data[3]
    del data
    gc.collect()
    others = edges(driver, cuda, 100)[3]
    assert (third.from_port, third.reserved) == (200, b"abcde") and others[3].from_port == 3
    third.to_port = 9
    assert third.copy().to_port == 9 and others[3].to_port == 1 and type(third) is driver.CUgraphEdgeData
