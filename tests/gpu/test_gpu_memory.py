# SPDX-License-Identifier: Apache-2.0
"""Memory: copies, host memory, pitches, arrays, virtual memory, pools and their attributes, pointers, IPC."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
from gpu import copy_out, ints, ok


def test_copies_between_host_and_device(driver, memory):
    source = bytearray(range(256)) * 16
    first, second = memory(4096), memory(4096)
    ok(driver.cuMemcpyHtoD(first, source, 4096))
    ok(driver.cuMemcpyDtoD(second, first, 4096))
    back = bytearray(4096)
    ok(driver.cuMemcpyDtoH(back, second, 4096))
    assert back == source


def test_device_pointer_arithmetic(driver, memory):
    data = memory(16)
    ok(driver.cuMemsetD32(data, 1, 4))
    ok(driver.cuMemsetD32(data + 8, 9, 1))
    assert copy_out(driver, data, 4) == [1, 1, 9, 1]
    assert (data + 8) - data == 8 and data < data + 1


@pytest.mark.parametrize(("function", "size", "value"), [("cuMemsetD8", 1, 0xAB), ("cuMemsetD16", 2, 0xABCD),
                                                         ("cuMemsetD32", 4, 0xABCD1234)])
def test_setting_memory(driver, memory, function, size, value):
    data = memory(64)
    ok(getattr(driver, function)(data, value, 64 // size))
    back = bytearray(64)
    ok(driver.cuMemcpyDtoH(back, data, 64))
    assert back == value.to_bytes(size, "little") * (64 // size)


def test_pitched_memory_and_a_copy_in_two_dimensions(driver, context):
    pointer, pitch = ok(driver.cuMemAllocPitch(100, 8, 4))
    assert pitch >= 100
    source, back = bytearray(i & 0xFF for i in range(800)), bytearray(800)
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcHost, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, source, 100
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, pointer, pitch
    copy.WidthInBytes, copy.Height = 100, 8
    ok(driver.cuMemcpy2D(copy))
    copy.srcMemoryType, copy.srcDevice, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, pointer, pitch
    copy.dstMemoryType, copy.dstHost, copy.dstPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, back, 100
    ok(driver.cuMemcpy2D(copy))
    assert back == source
    ok(driver.cuMemFree(pointer))


def test_page_locked_memory(driver, memory):
    address = ok(driver.cuMemHostAlloc(4096, driver.CU_MEMHOSTALLOC_DEVICEMAP))
    assert type(address) is int
    assert int(ok(driver.cuMemHostGetDevicePointer(address, 0))) != 0
    assert ok(driver.cuMemHostGetFlags(address)) & driver.CU_MEMHOSTALLOC_DEVICEMAP
    ctypes.memset(address, 0x5A, 4096)
    data = memory(4096)
    ok(driver.cuMemcpyHtoD(data, address, 4096))
    assert copy_out(driver, data, 1) == [0x5A5A5A5A]
    ok(driver.cuMemFreeHost(address))


def test_registered_memory(driver, context):
    buffer = (ctypes.c_char * 8192)()
    ok(driver.cuMemHostRegister(buffer, 8192, 0))
    ok(driver.cuMemHostUnregister(buffer))


def test_memory_information(driver, memory):
    free, total = ok(driver.cuMemGetInfo())
    assert 0 < free <= total
    data = memory(1 << 20)
    base, size = ok(driver.cuMemGetAddressRange(data + 100))
    assert base == data and size == 1 << 20


def test_pointer_attributes(driver, context, memory, device):
    data = memory(4096)
    attribute = driver.CUpointer_attribute
    assert int(ok(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_CONTEXT, data))) == int(context)
    assert ok(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data)) == (
        driver.CUmemorytype.CU_MEMORYTYPE_DEVICE)
    assert ok(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, data)) == int(device)
    assert ok(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, data)) is False
    values = ok(driver.cuPointerGetAttributes(3, [attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                                  attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                                  attribute.CU_POINTER_ATTRIBUTE_MAPPED], data))
    assert int(values[0]) == int(data) and values[1] == 4096 and isinstance(values[2], bool)
    ok(driver.cuPointerSetAttribute(True, attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, data))
    assert ok(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, data)) is True


def test_small_managed_memory_and_its_range_attributes(driver, device, context):
    attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
    if not ok(driver.cuDeviceGetAttribute(attribute, device)):
        pytest.skip("no concurrent managed access")
    data = ok(driver.cuMemAllocManaged(1 << 16, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL))
    location = driver.CUmemLocation()
    location.type, location.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, device
    ok(driver.cuMemAdvise(data, 1 << 16, driver.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY, location))
    ok(driver.cuMemAdvise(data, 1 << 16, driver.CUmem_advise.CU_MEM_ADVISE_SET_ACCESSED_BY, location))
    ranges = driver.CUmem_range_attribute
    assert ok(driver.cuMemRangeGetAttribute(4, ranges.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, data, 1 << 16)) == 1
    accessed = ok(driver.cuMemRangeGetAttribute(8, ranges.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, data, 1 << 16))
    assert accessed == [int(device), -2]
    both = ok(driver.cuMemRangeGetAttributes([4, 8], [ranges.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                                      ranges.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY], 2, data, 1 << 16))
    assert both == [1, accessed]
    ok(driver.cuMemPrefetchAsync(data, 1 << 16, location, 0, None))
    ok(driver.cuCtxSynchronize())
    ok(driver.cuMemFree(data))


def test_arrays(driver, context):
    description = driver.CUDA_ARRAY_DESCRIPTOR()
    description.Width, description.Height = 16, 4
    description.Format, description.NumChannels = driver.CUarray_format.CU_AD_FORMAT_SIGNED_INT32, 1
    array = ok(driver.cuArrayCreate(description))
    back = ok(driver.cuArrayGetDescriptor(array))
    assert (back.Width, back.Height, back.Format, back.NumChannels) == (
        16, 4, driver.CUarray_format.CU_AD_FORMAT_SIGNED_INT32, 1)
    source = ints(*range(64))
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcHost, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, source, 64
    copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
    copy.WidthInBytes, copy.Height = 64, 4
    ok(driver.cuMemcpy2D(copy))
    row = (ctypes.c_int * 16)()
    ok(driver.cuMemcpyAtoH(row, array, 0, 64))
    assert list(row) == list(range(16))
    ok(driver.cuArrayDestroy(array))


def test_arrays_in_three_dimensions_and_mipmaps(driver, context):
    description = driver.CUDA_ARRAY3D_DESCRIPTOR()
    description.Width, description.Height, description.Depth = 8, 8, 8
    description.Format, description.NumChannels = driver.CUarray_format.CU_AD_FORMAT_FLOAT, 4
    array = ok(driver.cuArray3DCreate(description))
    assert ok(driver.cuArray3DGetDescriptor(array)).Depth == 8
    ok(driver.cuArrayDestroy(array))
    mipmap = ok(driver.cuMipmappedArrayCreate(description, 3))
    level = ok(driver.cuMipmappedArrayGetLevel(mipmap, 1))
    assert ok(driver.cuArray3DGetDescriptor(level)).Width == 4
    ok(driver.cuMipmappedArrayDestroy(mipmap))


def _device_allocation(driver, device):
    properties = driver.CUmemAllocationProp()
    properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    properties.location.id = device
    properties.requestedHandleTypes = (
        driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return properties


def test_virtual_memory(driver, device, context):
    properties = _device_allocation(driver, device)
    step = ok(driver.cuMemGetAllocationGranularity(
        properties, driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM))
    handle = ok(driver.cuMemCreate(step, properties, 0))
    assert type(handle) is driver.CUmemGenericAllocationHandle
    address = ok(driver.cuMemAddressReserve(2 * step, 0, 0, 0))
    ok(driver.cuMemMap(address, step, 0, handle, 0))
    ok(driver.cuMemMap(address + step, step, 0, handle, 0))     # the same memory twice, side by side
    access = driver.CUmemAccessDesc()
    access.location = properties.location
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    ok(driver.cuMemSetAccess(address, 2 * step, [access], 1))
    ok(driver.cuMemsetD32(address, 77, 4))
    assert copy_out(driver, address + step, 4) == [77] * 4
    assert ok(driver.cuMemGetAccess(properties.location, address)) == 3
    retained = ok(driver.cuMemRetainAllocationHandle(address))
    back = ok(driver.cuMemGetAllocationPropertiesFromHandle(retained))
    assert back.location.id == int(device)
    assert back.type == driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    ok(driver.cuMemRelease(retained))
    ok(driver.cuCtxSynchronize())
    ok(driver.cuMemUnmap(address, 2 * step))
    ok(driver.cuMemAddressFree(address, 2 * step))
    ok(driver.cuMemRelease(handle))


def test_an_allocation_goes_through_a_file_descriptor(driver, device, context):
    import os
    properties = _device_allocation(driver, device)
    step = ok(driver.cuMemGetAllocationGranularity(
        properties, driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM))
    kind = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    handle = ok(driver.cuMemCreate(step, properties, 0))
    descriptor = ok(driver.cuMemExportToShareableHandle(handle, kind, 0))
    assert type(descriptor) is int and os.fstat(descriptor)
    imported = ok(driver.cuMemImportFromShareableHandle(descriptor, kind))
    os.close(descriptor)
    ok(driver.cuMemRelease(imported))
    ok(driver.cuMemRelease(handle))


def test_stream_ordered_allocation(driver, stream):
    data = ok(driver.cuMemAllocAsync(1 << 20, stream))
    ok(driver.cuMemsetD32Async(data, 5, 1 << 18, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert copy_out(driver, data, 2) == [5, 5]
    ok(driver.cuMemFreeAsync(data, stream))


def test_pools_and_their_attributes(driver, device, stream):
    properties = driver.CUmemPoolProps()
    properties.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    properties.location.id = device
    pool = ok(driver.cuMemPoolCreate(properties))
    attribute = driver.CUmemPool_attribute
    ok(driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, driver.cuuint64_t(2**63)))
    threshold = ok(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD))
    assert type(threshold) is driver.cuuint64_t and int(threshold) == 2**63
    ok(driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4096))
    assert int(ok(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD))) == 4096
    ok(driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0))
    assert ok(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC)) == 0
    data = ok(driver.cuMemAllocFromPoolAsync(1 << 16, pool, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert int(ok(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT))) >= 1 << 16
    assert int(ok(driver.cuPointerGetAttribute(
        driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, data))) == int(pool)
    assert ok(driver.cuMemPoolGetAccess(pool, properties.location)) == 3
    ok(driver.cuMemFreeAsync(data, stream))
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuMemPoolTrimTo(pool, 0))
    ok(driver.cuMemPoolDestroy(pool))


def test_default_pool_of_the_device(driver, device, context):
    pool = ok(driver.cuDeviceGetDefaultMemPool(device))
    assert type(pool) is driver.CUmemoryPool and pool == ok(driver.cuDeviceGetMemPool(device))


def test_batch_of_copies(driver, stream, memory):
    source = [memory(16), memory(16)]
    target = [memory(16), memory(16)]
    for number, data in enumerate(source):
        ok(driver.cuMemsetD32(data, number + 1, 4))
    ok(driver.cuCtxSynchronize())
    attributes = driver.CUmemcpyAttributes()
    attributes.srcAccessOrder = driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
    ok(driver.cuMemcpyBatchAsync(target, source, [16, 16], 2, [attributes], [0], 1, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert [copy_out(driver, data, 1) for data in target] == [[1], [2]]


@pytest.mark.provokes_errors
def test_too_much_memory_is_an_error_code(driver, context):
    assert driver.cuMemAlloc(1 << 60) == (driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY, None)


@pytest.mark.parametrize("api", ["driver", "runtime"])
def test_memory_and_events_go_to_another_process(driver, context, api):
    """The child opens both handles, waits for the event, checks the memory and writes its answer there."""
    data = ok(driver.cuMemAlloc(1 << 16))
    ok(driver.cuMemsetD32(data, 0x1234, 1 << 14))
    flags = (driver.CUevent_flags.CU_EVENT_INTERPROCESS | driver.CUevent_flags.CU_EVENT_DISABLE_TIMING)
    event = ok(driver.cuEventCreate(flags))
    ok(driver.cuEventRecord(event, None))
    ok(driver.cuCtxSynchronize())
    memory_handle = ok(driver.cuIpcGetMemHandle(data))
    event_handle = ok(driver.cuIpcGetEventHandle(event))
    assert type(memory_handle) is driver.CUipcMemHandle
    assert len(memory_handle.reserved) == 64 == len(event_handle.reserved)
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("ipc_child.py")), api,
                           memory_handle.reserved.hex(), event_handle.reserved.hex()],
                          capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert copy_out(driver, data, 2) == [0x4321, 0x1234]
    ok(driver.cuEventDestroy(event))
    ok(driver.cuMemFree(data))
