# SPDX-License-Identifier: Apache-2.0
"""Attributes whose value has a type of its own: every enumerator out of the driver, and in."""

from __future__ import annotations

import struct

import pytest
from recorder import read, write

POINTER = [
    ("CONTEXT", "CUcontext"),
    ("MEMORY_TYPE", int),
    ("DEVICE_POINTER", "CUdeviceptr"),
    ("HOST_POINTER", int),
    ("P2P_TOKENS", "CUDA_POINTER_ATTRIBUTE_P2P_TOKENS"),
    ("SYNC_MEMOPS", bool),
    ("BUFFER_ID", int),
    ("IS_MANAGED", bool),
    ("DEVICE_ORDINAL", int),
    ("IS_LEGACY_CUDA_IPC_CAPABLE", bool),
    ("RANGE_START_ADDR", "CUdeviceptr"),
    ("RANGE_SIZE", int),
    ("MAPPED", bool),
    ("ALLOWED_HANDLE_TYPES", int),
    ("IS_GPU_DIRECT_RDMA_CAPABLE", int),
    ("ACCESS_FLAGS", int),
    ("MEMPOOL_HANDLE", "CUmemoryPool"),
    ("MAPPING_SIZE", int),
    ("MAPPING_BASE_ADDR", "CUdeviceptr"),
    ("MEMORY_BLOCK_ID", int),
    ("IS_HW_DECOMPRESS_CAPABLE", bool),
]
ONE = struct.pack("<Q", 1)


def stores(recorder, link, index, data):
    """The function stores data where argument `index` points."""
    recorder.on(link, lambda name, words: write(words[index], data) or 0)


@pytest.mark.parametrize(("name", "kind"), POINTER)
def test_pointer_attributes_have_their_own_types(driver, cuda, name, kind):
    stores(cuda, "cuPointerGetAttribute", 0, ONE)
    attribute = driver.CUpointer_attribute["CU_POINTER_ATTRIBUTE_" + name]
    expected = getattr(driver, kind) if isinstance(kind, str) else kind
    for given in (attribute, int(attribute)):
        status, value = driver.cuPointerGetAttribute(given, 0x1000)
        assert status == driver.CUresult.CUDA_SUCCESS and type(value) is expected
    if kind in (int, bool):
        assert value == 1


def test_every_pointer_attribute_is_in_the_list_above(driver):
    assert {"CU_POINTER_ATTRIBUTE_" + name for name, _ in POINTER} == set(driver.CUpointer_attribute.__members__)


def test_allowed_handle_types_have_eight_bytes(driver, cuda):
    stores(cuda, "cuPointerGetAttribute", 0, struct.pack("<Q", 2**40 + 1))
    attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
    assert driver.cuPointerGetAttribute(attribute, 1)[1] == 2**40 + 1


def test_many_pointer_attributes_at_once(driver, cuda):
    def handler(name, words):
        for index, address in enumerate(struct.unpack("<3Q", read(words[2], 24))):
            write(address, struct.pack("<i", -index))
        return 0

    cuda.on("cuPointerGetAttributes", handler)
    attributes = [driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL] * 3
    assert driver.cuPointerGetAttributes(3, attributes, 0x1000) == (driver.CUresult.CUDA_SUCCESS, [0, -1, -2])
    with pytest.raises(ValueError, match="at least 4"):
        driver.cuPointerGetAttributes(4, attributes, 0x1000)


def test_pool_attributes_go_in_as_objects_and_as_numbers(driver, runtime, cuda, cudart):
    for recorder, link, call, attribute in (
        (
            cuda,
            "cuMemPoolSetAttribute",
            driver.cuMemPoolSetAttribute,
            driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
        ),
        (
            cudart,
            "cudaMemPoolSetAttribute",
            runtime.cudaMemPoolSetAttribute,
            runtime.cudaMemPoolAttr.cudaMemPoolAttrReleaseThreshold,
        ),
    ):
        seen = []
        recorder.on(link, lambda name, words, seen=seen: seen.append(read(words[2], 8)) or 0)
        call(1, attribute, driver.cuuint64_t(2**40))
        call(1, int(attribute), 2**40)
        assert seen == [struct.pack("<Q", 2**40)] * 2


@pytest.mark.parametrize(
    ("value", "error"), [("x", TypeError), (None, TypeError), (2**31, OverflowError), (1.5, ValueError)]
)
def test_wrong_values_are_refused(driver, cuda, value, error):
    attribute = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC
    with pytest.raises(error, match=r"cuMemPoolSetAttribute\(\): parameter 'value'"):
        driver.cuMemPoolSetAttribute(1, attribute, value)
    assert not cuda.calls


def test_an_attribute_of_unknown_type_is_refused_before_the_call(driver, cuda):
    with pytest.raises(TypeError, match=r"cuPointerGetAttribute\(\): parameter 'attribute': got 12345"):
        driver.cuPointerGetAttribute(12345, 1)
    with pytest.raises(TypeError, match="CUcoredumpSettings"):
        driver.cuCoredumpGetAttribute(driver.CUcoredumpSettings.CU_COREDUMP_MAX)
    assert not cuda.calls


def test_coredump_texts_survive_a_driver_that_writes_behind_them(driver, cuda):
    def handler(name, words):
        assert struct.unpack("<Q", read(words[2], 8))[0] == 1024
        write(words[1], b"/tmp/core" + bytes(1016))  # 1025 bytes, as driver 580 does
        return 0

    cuda.on("cuCoredumpGetAttribute", handler)
    assert driver.cuCoredumpGetAttribute(driver.CUcoredumpSettings.CU_COREDUMP_FILE)[1] == b"/tmp/core"


def test_coredump_texts_have_a_greatest_length(driver, cuda):
    file = driver.CUcoredumpSettings.CU_COREDUMP_FILE
    assert driver.cuCoredumpSetAttribute(file, b"x" * 1023)[0] == driver.CUresult.CUDA_SUCCESS
    with pytest.raises(ValueError, match="at most 1023 bytes"):
        driver.cuCoredumpSetAttribute(file, b"x" * 1024)


def test_exported_handles_have_their_own_types(driver, runtime, cuda, cudart):
    stores(cuda, "cuMemExportToShareableHandle", 0, bytes(range(64)))
    kind = driver.CUmemAllocationHandleType
    assert driver.cuMemExportToShareableHandle(1, kind.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)[1] == 0x03020100
    fabric = driver.cuMemExportToShareableHandle(1, kind.CU_MEM_HANDLE_TYPE_FABRIC, 0)[1]
    assert type(fabric) is driver.CUmemFabricHandle and bytes(fabric.data) == bytes(range(64))


def test_range_attributes_are_as_long_as_stated(driver, cuda):
    cuda.on("cuMemRangeGetAttribute", lambda name, words: write(words[0], struct.pack("<3i", 0, 3, -2)) or 0)
    accessed = driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY
    assert driver.cuMemRangeGetAttribute(12, accessed, 0x1000, 64)[1] == [0, 3, -2]
    assert driver.cuMemRangeGetAttribute(0, accessed, 0x1000, 64)[1] == []
    with pytest.raises(MemoryError):
        driver.cuMemRangeGetAttribute(2**62, accessed, 0x1000, 64)
