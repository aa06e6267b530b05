# SPDX-License-Identifier: Apache-2.0
"""The runtime API on the device under test: devices, memory, copies, streams, events, kernels of libraries, errors."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from device import compile_cuda

from cuda_bindings import driver, runtime
from cuda_bindings.errors import FunctionNotFoundError

SOURCE = """
extern "C" __global__ void add(int *data, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}
extern "C" __global__ void reverse(int *data) {
  extern __shared__ int held[];
  held[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void block_sizes(int *out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
    out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] =
        blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
}
extern "C" __global__ void store(int *where) { *where = 1; }
__device__ int counter = 17;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
"""
ERROR = runtime.cudaError_t
KIND = runtime.cudaMemcpyKind
INT, POINTER = ctypes.c_int, ctypes.c_void_p


def ok(result):
    """The value of a successful call."""
    status, *values = result
    assert status == ERROR.cudaSuccess, repr(status)
    return None if not values else values[0] if len(values) == 1 else tuple(values)


def three(x, y=1, z=1):
    """The sizes as the runtime's dim3."""
    sizes = runtime.dim3()
    sizes.x, sizes.y, sizes.z = x, y, z
    return sizes


@pytest.fixture(autouse=True)
def _current(device):
    ok(runtime.cudaSetDevice(0))
    runtime.cudaGetLastError()


@pytest.fixture
def library(device):
    """The kernels above, as a library."""
    ptx = compile_cuda(SOURCE, f"compute_{min(device.compute_capability[0], 8)}0")
    loaded = ok(runtime.cudaLibraryLoadData(ptx, None, None, 0, None, None, 0))
    yield loaded
    runtime.cudaLibraryUnload(loaded)


@pytest.fixture
def kernel(library):
    """A kernel of that library by name."""
    return lambda name: ok(runtime.cudaLibraryGetKernel(library, name))


@pytest.fixture
def memory():
    """Device memory by size in bytes, freed at the end."""
    pointers = []

    def allocate(size):
        pointers.append(ok(runtime.cudaMalloc(size)))
        return pointers[-1]
    yield allocate
    for pointer in pointers:
        ok(runtime.cudaFree(pointer))


@pytest.fixture
def stream():
    """A stream of its own."""
    made = ok(runtime.cudaStreamCreate())
    yield made
    ok(runtime.cudaStreamDestroy(made))


def upload(pointer, values):
    """Copies an array there."""
    ok(runtime.cudaMemcpy(pointer, values.ctypes.data, values.nbytes, KIND.cudaMemcpyHostToDevice))


def download(pointer, n, dtype=np.int32):
    """The n elements there."""
    values = np.empty(n, dtype)
    ok(runtime.cudaMemcpy(values.ctypes.data, pointer, values.nbytes, KIND.cudaMemcpyDeviceToHost))
    return values


def add(kernel, pointer, value, n, stream=None):
    """Launches the kernel that adds a value to n numbers (at most 32)."""
    arguments = ((pointer, value, n), (POINTER, INT, INT))
    ok(runtime.cudaLaunchKernel(kernel(b"add"), three(1), three(32), arguments, 0, stream))


def test_device_count_and_current_device():
    assert ok(runtime.cudaGetDeviceCount()) >= 1
    assert ok(runtime.cudaGetDevice()) == 0


def test_a_device_that_is_not_there_is_invalid_and_changes_nothing():
    assert runtime.cudaSetDevice(99) == (ERROR.cudaErrorInvalidDevice,)
    assert runtime.cudaGetDeviceProperties(99)[0] == ERROR.cudaErrorInvalidDevice
    assert ok(runtime.cudaGetDevice()) == 0


def test_properties_say_what_the_driver_says(device):
    properties = ok(runtime.cudaGetDeviceProperties(0))
    assert properties.name.split(b"\0")[0].decode() == device.name
    assert (properties.major, properties.minor) == device.compute_capability
    assert properties.warpSize == 32
    assert properties.maxThreadsPerBlock == 1024
    assert list(properties.maxThreadsDim) == [1024, 1024, 64]
    assert list(properties.maxGridSize) == [2147483647, 65535, 65535]
    assert properties.sharedMemPerBlock == 49152
    assert properties.totalConstMem == 65536
    assert properties.unifiedAddressing == 1
    assert properties.totalGlobalMem == driver.cuDeviceTotalMem(0)[1]
    assert bytes(properties.uuid.bytes) == bytes(driver.cuDeviceGetUuid(0)[1].bytes)


def test_attributes_are_those_of_the_properties():
    properties = ok(runtime.cudaGetDeviceProperties(0))
    names = {"cudaDevAttrMultiProcessorCount": "multiProcessorCount", "cudaDevAttrL2CacheSize": "l2CacheSize",
             "cudaDevAttrMaxSharedMemoryPerBlockOptin": "sharedMemPerBlockOptin",
             "cudaDevAttrCooperativeLaunch": "cooperativeLaunch", "cudaDevAttrManagedMemory": "managedMemory"}
    for attribute, member in names.items():
        value = ok(runtime.cudaDeviceGetAttribute(getattr(runtime.cudaDeviceAttr, attribute), 0))
        assert value == getattr(properties, member), attribute


def test_versions():
    assert ok(runtime.cudaRuntimeGetVersion()) // 1000 in (12, 13)
    assert ok(runtime.cudaDriverGetVersion()) == driver.cuDriverGetVersion()[1]


def test_bus_id_names_the_device():
    text = ok(runtime.cudaDeviceGetPCIBusId(32, 0)).split(b"\0")[0]
    assert ok(runtime.cudaDeviceGetByPCIBusId(text)) == 0


def test_limits_can_be_read_and_set():
    before = ok(runtime.cudaDeviceGetLimit(runtime.cudaLimit.cudaLimitStackSize))
    ok(runtime.cudaDeviceSetLimit(runtime.cudaLimit.cudaLimitStackSize, 8192))
    assert ok(runtime.cudaDeviceGetLimit(runtime.cudaLimit.cudaLimitStackSize)) == 8192
    ok(runtime.cudaDeviceSetLimit(runtime.cudaLimit.cudaLimitStackSize, before))


def test_free_memory_shrinks_by_what_is_allocated(memory):
    free, total = ok(runtime.cudaMemGetInfo())
    memory(64 << 20)
    assert ok(runtime.cudaMemGetInfo())[0] <= free - (64 << 20) < total


def test_no_bytes_are_a_null_pointer_that_can_be_freed():
    assert ok(runtime.cudaMalloc(0)) == 0
    ok(runtime.cudaFree(0))


def test_more_memory_than_there_is_cannot_be_had():
    assert runtime.cudaMalloc(1 << 46)[0] == ERROR.cudaErrorMemoryAllocation


def test_memory_is_freed_once():
    pointer = ok(runtime.cudaMalloc(256))
    ok(runtime.cudaFree(pointer))
    assert runtime.cudaFree(pointer) == (ERROR.cudaErrorInvalidValue,)


@pytest.mark.parametrize("kind", [KIND.cudaMemcpyHostToDevice, KIND.cudaMemcpyDefault])
def test_copy_there_within_and_back(memory, kind):
    source, back = np.arange(1000, dtype=np.int32), np.zeros(1000, np.int32)
    first, second = memory(4000), memory(4000)
    ok(runtime.cudaMemcpy(first, source.ctypes.data, 4000, kind))
    ok(runtime.cudaMemcpy(second, first, 4000, KIND.cudaMemcpyDeviceToDevice))
    ok(runtime.cudaMemcpy(back.ctypes.data, second, 4000, KIND.cudaMemcpyDeviceToHost))
    np.testing.assert_array_equal(back, source)


def test_copy_from_host_to_host():
    source, back = np.arange(10, dtype=np.int32), np.zeros(10, np.int32)
    ok(runtime.cudaMemcpy(back.ctypes.data, source.ctypes.data, 40, KIND.cudaMemcpyHostToHost))
    np.testing.assert_array_equal(back, source)


def test_copy_between_devices_that_are_one(memory):
    first, second = memory(40), memory(40)
    upload(first, np.arange(10, dtype=np.int32))
    ok(runtime.cudaMemcpyPeer(second, 0, first, 0, 40))
    assert list(download(second, 10)) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_fill_takes_the_low_byte_of_the_value(memory):
    pointer = memory(8)
    ok(runtime.cudaMemset(pointer, 0, 8))
    ok(runtime.cudaMemset(pointer + 2, 0x1AB, 3))
    assert list(download(pointer, 8, np.uint8)) == [0, 0, 0xAB, 0xAB, 0xAB, 0, 0, 0]


def test_pitched_memory_keeps_rows_apart():
    pointer, pitch = ok(runtime.cudaMallocPitch(20, 3))
    assert pitch >= 20 and pitch % 4 == 0
    rows, back = np.arange(15, dtype=np.int32).reshape(3, 5), np.zeros((3, 7), np.int32)
    ok(runtime.cudaMemset2D(pointer, pitch, 0xFF, 20, 3))
    ok(runtime.cudaMemcpy2D(pointer, pitch, rows.ctypes.data, 20, 20, 2, KIND.cudaMemcpyHostToDevice))
    ok(runtime.cudaMemcpy2D(back.ctypes.data, 28, pointer, pitch, 20, 3, KIND.cudaMemcpyDeviceToHost))
    ok(runtime.cudaFree(pointer))
    assert back.tolist() == [[0, 1, 2, 3, 4, 0, 0], [5, 6, 7, 8, 9, 0, 0], [-1, -1, -1, -1, -1, 0, 0]]


def test_rows_wider_than_their_pitch_cannot_be_copied(memory):
    pointer, host = memory(64), np.zeros(64, np.uint8)
    assert runtime.cudaMemcpy2D(pointer, 8, host.ctypes.data, 16, 16, 2, KIND.cudaMemcpyHostToDevice) == (
        ERROR.cudaErrorInvalidPitchValue,)


def test_a_box_is_copied_out_of_a_volume():
    volume = ok(runtime.cudaMalloc3D(runtime.make_cudaExtent(4, 3, 2)))
    source, back = np.arange(24, dtype=np.uint8).reshape(2, 3, 4), np.zeros((1, 2, 2), np.uint8)
    parameters = runtime.cudaMemcpy3DParms()
    parameters.srcPtr = runtime.make_cudaPitchedPtr(source.ctypes.data, 4, 4, 3)
    parameters.dstPtr, parameters.extent = volume, runtime.make_cudaExtent(4, 3, 2)
    parameters.kind = KIND.cudaMemcpyHostToDevice
    ok(runtime.cudaMemcpy3D(parameters))
    parameters = runtime.cudaMemcpy3DParms()
    parameters.srcPtr, parameters.srcPos = volume, runtime.make_cudaPos(1, 1, 1)
    parameters.dstPtr = runtime.make_cudaPitchedPtr(back.ctypes.data, 2, 2, 2)
    parameters.extent, parameters.kind = runtime.make_cudaExtent(2, 2, 1), KIND.cudaMemcpyDeviceToHost
    ok(runtime.cudaMemcpy3D(parameters))
    ok(runtime.cudaFree(volume.ptr))
    assert back.tolist() == [[[17, 18], [21, 22]]]


def test_a_volume_is_filled():
    volume = ok(runtime.cudaMalloc3D(runtime.make_cudaExtent(4, 3, 2)))
    ok(runtime.cudaMemset3D(volume, 9, runtime.make_cudaExtent(4, 3, 2)))
    assert list(download(volume.ptr + 5 * volume.pitch, 4, np.uint8)) == [9, 9, 9, 9]
    ok(runtime.cudaFree(volume.ptr))


def test_host_memory_of_the_runtime_is_read_by_kernels(kernel):
    address = ok(runtime.cudaHostAlloc(40, runtime.cudaHostAllocMapped))
    values = np.frombuffer((ctypes.c_char * 40).from_address(address), np.int32)
    values[:] = range(10)
    on_device = ok(runtime.cudaHostGetDevicePointer(address, 0))
    add(kernel, on_device, 5, 10)
    ok(runtime.cudaDeviceSynchronize())
    assert list(values) == [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    assert ok(runtime.cudaHostGetFlags(address)) & runtime.cudaHostAllocMapped
    ok(runtime.cudaFreeHost(address))


def test_memory_of_ours_can_be_registered_once():
    values = np.zeros(4096, np.int32)
    ok(runtime.cudaHostRegister(values.ctypes.data, values.nbytes, runtime.cudaHostRegisterMapped))
    assert runtime.cudaHostRegister(values.ctypes.data, values.nbytes, 0) == (
        ERROR.cudaErrorHostMemoryAlreadyRegistered,)
    assert ok(runtime.cudaPointerGetAttributes(values.ctypes.data)).type == runtime.cudaMemoryType.cudaMemoryTypeHost
    ok(runtime.cudaHostUnregister(values.ctypes.data))
    assert runtime.cudaHostUnregister(values.ctypes.data) == (ERROR.cudaErrorHostMemoryNotRegistered,)


def test_managed_memory_is_read_and_written_on_both_sides(kernel):
    address = ok(runtime.cudaMallocManaged(40, runtime.cudaMemAttachGlobal))
    values = np.frombuffer((ctypes.c_char * 40).from_address(address), np.int32)
    values[:] = range(10)
    add(kernel, address, -1, 10)
    ok(runtime.cudaDeviceSynchronize())
    assert list(values) == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    ok(runtime.cudaFree(address))


def test_a_managed_variable_is_read_and_written_on_both_sides(device):
    source = '__managed__ int counter = 5; extern "C" __global__ void count() { atomicAdd(&counter, 1); }'
    ptx = compile_cuda(source, f"compute_{min(device.compute_capability[0], 8)}0")
    library = ok(driver.cuLibraryLoadData(ptx, None, None, 0, None, None, 0))
    address, size = ok(driver.cuLibraryGetManaged(library, b"counter"))
    counter = ctypes.c_int.from_address(int(address))
    assert (size, counter.value) == (4, 5)
    counter.value = 37
    kernel = ok(driver.cuLibraryGetKernel(library, b"count"))
    ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 5, 1, 1, 0, 0, None, 0))
    ok(driver.cuCtxSynchronize())
    assert counter.value == 42
    ok(driver.cuLibraryUnload(library))


def test_pointers_know_what_they_point_to(memory):
    kind = runtime.cudaMemoryType
    pointer, pinned = memory(256), ok(runtime.cudaMallocHost(256))
    managed, ours = ok(runtime.cudaMallocManaged(256, runtime.cudaMemAttachGlobal)), np.zeros(8)
    types = [ok(runtime.cudaPointerGetAttributes(each)).type for each in (pointer, pinned, managed, ours.ctypes.data)]
    assert types == [kind.cudaMemoryTypeDevice, kind.cudaMemoryTypeHost, kind.cudaMemoryTypeManaged,
                     kind.cudaMemoryTypeUnregistered]
    attributes = ok(runtime.cudaPointerGetAttributes(pointer + 8))
    assert (attributes.device, attributes.devicePointer, attributes.hostPointer) == (0, pointer + 8, 0)
    ok(runtime.cudaFreeHost(pinned))
    ok(runtime.cudaFree(managed))


def test_memory_of_the_default_pool_comes_and_goes_in_stream_order(stream, kernel):
    pointer = ok(runtime.cudaMallocAsync(40, stream))
    ok(runtime.cudaMemsetAsync(pointer, 0, 40, stream))
    add(kernel, pointer, 3, 10, stream)
    back = np.zeros(10, np.int32)
    ok(runtime.cudaMemcpyAsync(back.ctypes.data, pointer, 40, KIND.cudaMemcpyDeviceToHost, stream))
    ok(runtime.cudaFreeAsync(pointer, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert list(back) == [3] * 10


def test_the_default_pool_says_how_much_is_in_use(stream):
    pool = ok(runtime.cudaDeviceGetDefaultMemPool(0))
    used = runtime.cudaMemPoolAttr.cudaMemPoolAttrUsedMemCurrent
    before = int(ok(runtime.cudaMemPoolGetAttribute(pool, used)))
    pointer = ok(runtime.cudaMallocAsync(1 << 20, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert int(ok(runtime.cudaMemPoolGetAttribute(pool, used))) == before + (1 << 20)
    ok(runtime.cudaFreeAsync(pointer, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert int(ok(runtime.cudaMemPoolGetAttribute(pool, used))) == before


def test_streams_have_flags_and_priorities():
    least, greatest = ok(runtime.cudaDeviceGetStreamPriorityRange())
    made = ok(runtime.cudaStreamCreateWithPriority(runtime.cudaStreamNonBlocking, greatest))
    assert greatest <= least
    assert ok(runtime.cudaStreamGetFlags(made)) == runtime.cudaStreamNonBlocking
    assert ok(runtime.cudaStreamGetPriority(made)) == greatest
    assert runtime.cudaStreamQuery(made) == (ERROR.cudaSuccess,)
    ok(runtime.cudaStreamDestroy(made))


def test_time_between_events_is_that_of_the_work_between_them(stream, memory):
    begin, end = ok(runtime.cudaEventCreate()), ok(runtime.cudaEventCreate())
    pointer = memory(32 << 20)
    ok(runtime.cudaEventRecord(begin, stream))
    ok(runtime.cudaMemsetAsync(pointer, 1, 32 << 20, stream))
    ok(runtime.cudaEventRecord(end, stream))
    ok(runtime.cudaEventSynchronize(end))
    assert runtime.cudaEventQuery(end) == (ERROR.cudaSuccess,)
    assert 0 < ok(runtime.cudaEventElapsedTime(begin, end)) < 60_000
    for event in (begin, end):
        ok(runtime.cudaEventDestroy(event))


def test_an_event_that_was_not_recorded_has_no_time():
    begin, end = ok(runtime.cudaEventCreate()), ok(runtime.cudaEventCreate())
    assert runtime.cudaEventElapsedTime(begin, end)[0] == ERROR.cudaErrorInvalidResourceHandle
    for event in (begin, end):
        ok(runtime.cudaEventDestroy(event))


def test_a_stream_waits_for_an_event_of_another(stream, memory, kernel):
    other, event = ok(runtime.cudaStreamCreate()), ok(runtime.cudaEventCreate())
    pointer = memory(40)
    ok(runtime.cudaMemsetAsync(pointer, 0, 40, stream))
    ok(runtime.cudaEventRecord(event, stream))
    ok(runtime.cudaStreamWaitEvent(other, event, 0))
    add(kernel, pointer, 2, 10, other)
    ok(runtime.cudaStreamSynchronize(other))
    assert list(download(pointer, 10)) == [2] * 10
    ok(runtime.cudaEventDestroy(event))
    ok(runtime.cudaStreamDestroy(other))


def test_a_host_function_runs_after_the_work_before_it(stream, memory, kernel):
    pointer, back, seen = memory(4), np.zeros(1, np.int32), []
    function = ctypes.CFUNCTYPE(None, POINTER)(lambda data: seen.append((data, int(back[0]))))
    ok(runtime.cudaMemsetAsync(pointer, 0, 4, stream))
    add(kernel, pointer, 4, 1, stream)
    ok(runtime.cudaMemcpyAsync(back.ctypes.data, pointer, 4, KIND.cudaMemcpyDeviceToHost, stream))
    ok(runtime.cudaLaunchHostFunc(stream, ctypes.cast(function, POINTER).value, 0x123))
    ok(runtime.cudaStreamSynchronize(stream))
    assert seen == [(0x123, 4)]


def test_a_stream_callback_gets_stream_status_and_data(stream):
    seen = []
    function = ctypes.CFUNCTYPE(None, POINTER, INT, POINTER)(lambda *values: seen.append(values))
    ok(runtime.cudaStreamAddCallback(stream, ctypes.cast(function, POINTER).value, 0x77, 0))
    ok(runtime.cudaStreamSynchronize(stream))
    assert seen == [(int(stream), 0, 0x77)]


def test_a_kernel_of_a_library_runs_in_every_block(kernel, memory):
    out = memory(4 * 24)
    ok(runtime.cudaLaunchKernel(kernel(b"block_sizes"), three(4, 3, 2), three(5, 3, 2), ((out,), (POINTER,)), 0, None))
    assert list(download(out, 24)) == [532] * 24


def test_a_launch_gets_its_dynamic_shared_memory(kernel, memory):
    data = memory(40)
    upload(data, np.arange(10, dtype=np.int32))
    ok(runtime.cudaLaunchKernel(kernel(b"reverse"), three(1), three(10), ((data,), (POINTER,)), 40, None))
    assert list(download(data, 10)) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_a_configured_launch(kernel, memory, stream):
    data = memory(40)
    upload(data, np.arange(10, dtype=np.int32))
    config = runtime.cudaLaunchConfig_t()
    config.gridDim, config.blockDim, config.dynamicSmemBytes, config.stream = three(1), three(10), 40, stream
    ok(runtime.cudaLaunchKernelExC(config, kernel(b"reverse"), ((data,), (POINTER,))))
    ok(runtime.cudaStreamSynchronize(stream))
    assert list(download(data, 10)) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_a_cooperative_launch_has_all_blocks_at_once_or_none(kernel, memory):
    block_sizes = kernel(b"block_sizes")
    processors = ok(runtime.cudaGetDeviceProperties(0)).multiProcessorCount
    blocks = processors * ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(block_sizes, 32, 0))
    out = memory(4 * blocks)
    arguments = ((out,), (POINTER,))
    ok(runtime.cudaLaunchCooperativeKernel(block_sizes, three(blocks), three(32), arguments, 0, None))
    assert list(download(out, blocks)) == [3211] * blocks
    assert runtime.cudaLaunchCooperativeKernel(block_sizes, three(2**31 - 1), three(32), arguments, 0, None) == (
        ERROR.cudaErrorCooperativeLaunchTooLarge,)


def test_a_library_lists_its_kernels_and_variables(library, kernel):
    assert ok(runtime.cudaLibraryGetKernelCount(library)) == 5
    address, size = ok(runtime.cudaLibraryGetGlobal(library, b"counter"))
    ok(runtime.cudaLaunchKernel(kernel(b"count"), three(3), three(64), 0, 0, None))
    assert (size, list(download(address, 1))) == (4, [17 + 3 * 64])
    assert runtime.cudaLibraryGetKernel(library, b"nothing")[0] == ERROR.cudaErrorSymbolNotFound


def test_text_that_is_no_kernel_is_refused():
    assert runtime.cudaLibraryLoadData(b"no kernel\0", None, None, 0, None, None, 0)[0] in (
        ERROR.cudaErrorInvalidKernelImage, ERROR.cudaErrorInvalidPtx, ERROR.cudaErrorNoKernelImageForDevice)


def test_attributes_of_a_kernel(kernel):
    attributes = ok(runtime.cudaFuncGetAttributes(kernel(b"reverse")))
    assert attributes.maxThreadsPerBlock == 1024
    assert (attributes.sharedSizeBytes, attributes.localSizeBytes) == (0, 0)
    assert attributes.ptxVersion in (75, 80) and attributes.numRegs > 0
    assert attributes.maxDynamicSharedSizeBytes == 49152
    assert ok(runtime.cudaFuncGetName(kernel(b"reverse"))) == b"reverse"


def test_a_kernel_may_have_more_shared_memory_where_it_asks(kernel, memory):
    reverse, data = kernel(b"reverse"), memory(40)
    upload(data, np.arange(10, dtype=np.int32))
    arguments = ((data,), (POINTER,))
    assert runtime.cudaLaunchKernel(reverse, three(1), three(10), arguments, 60_000, None) == (
        ERROR.cudaErrorInvalidValue,)
    ok(runtime.cudaFuncSetAttribute(
        reverse, runtime.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, 60_000))
    ok(runtime.cudaLaunchKernel(reverse, three(1), three(10), arguments, 60_000, None))
    assert list(download(data, 10)) == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_occupancy_falls_with_shared_memory(kernel):
    reverse = kernel(b"reverse")
    assert ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(reverse, 1024, 0)) in (1, 2)
    without = ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(reverse, 64, 0))
    assert 1 <= ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(reverse, 64, 40_000)) < without
    assert ok(runtime.cudaOccupancyAvailableDynamicSMemPerBlock(reverse, 1, 64)) >= 48 * 1024 - 1024


def test_entry_points_of_the_driver_have_the_asked_version():
    result = runtime.cudaDriverEntryPointQueryResult
    address, status = ok(runtime.cudaGetDriverEntryPointByVersion(b"cuDriverGetVersion", 12000, 0))
    assert status == result.cudaDriverEntryPointSuccess
    version = INT(0)
    assert ctypes.CFUNCTYPE(INT, ctypes.POINTER(INT))(address)(ctypes.byref(version)) == 0
    assert version.value == ok(runtime.cudaDriverGetVersion())
    old = ok(runtime.cudaGetDriverEntryPointByVersion(b"cuCtxCreate", 11000, 0))[0]
    new = ok(runtime.cudaGetDriverEntryPointByVersion(b"cuCtxCreate", 12050, 0))[0]
    assert old and new and old != new
    assert ok(runtime.cudaGetDriverEntryPointByVersion(b"cuLibraryLoadData", 11000, 0)) == (
        0, result.cudaDriverEntryPointVersionNotSufficent)
    assert ok(runtime.cudaGetDriverEntryPointByVersion(b"cuNothing", 12000, 0)) == (
        0, result.cudaDriverEntryPointSymbolNotFound)


def test_the_last_error_stays_until_it_is_fetched():
    assert runtime.cudaPeekAtLastError() == (ERROR.cudaSuccess,)
    assert runtime.cudaMemcpy(0x10, 0x20, 4, 77) == (ERROR.cudaErrorInvalidMemcpyDirection,)
    ok(runtime.cudaDeviceSynchronize())
    assert runtime.cudaPeekAtLastError() == (ERROR.cudaErrorInvalidMemcpyDirection,)
    assert runtime.cudaGetLastError() == (ERROR.cudaErrorInvalidMemcpyDirection,)
    assert runtime.cudaGetLastError() == (ERROR.cudaSuccess,)


@pytest.mark.parametrize(("grid", "block"), [
    ((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (1025, 1, 1)), ((1, 65536, 1), (1, 1, 1)), ((1, 1, 1), (1, 1, 65))])
def test_sizes_that_no_device_takes_are_an_invalid_value(kernel, memory, grid, block):
    assert runtime.cudaLaunchKernel(kernel(b"block_sizes"), three(*grid), three(*block), ((memory(4),), (POINTER,)), 0,
                                    None) == (ERROR.cudaErrorInvalidValue,)


def test_errors_have_names_and_texts():
    assert ok(runtime.cudaGetErrorName(ERROR.cudaErrorIllegalAddress)) == b"cudaErrorIllegalAddress"
    assert ok(runtime.cudaGetErrorName(ERROR.cudaSuccess)) == b"cudaSuccess"
    texts = {ok(runtime.cudaGetErrorString(each)) for each in (ERROR.cudaErrorInvalidValue, ERROR.cudaErrorAssert,
                                                             ERROR.cudaErrorNotReady, ERROR.cudaErrorIllegalAddress)}
    assert len(texts) == 4 and b"" not in texts
    assert ok(runtime.cudaGetErrorString(99999)) == b"unrecognized error code"


def test_a_bad_access_sticks_until_the_device_is_reset(device, kernel):
    try:
        ok(runtime.cudaLaunchKernel(kernel(b"store"), three(1), three(1), ((0x10000,), (POINTER,)), 0, None))
        assert runtime.cudaDeviceSynchronize() == (ERROR.cudaErrorIllegalAddress,)
        assert runtime.cudaMalloc(16)[0] == ERROR.cudaErrorIllegalAddress
        assert runtime.cudaGetLastError() == (ERROR.cudaErrorIllegalAddress,)
        assert runtime.cudaGetLastError() == (ERROR.cudaSuccess,)  # forgotten; the next call answers it again
        assert runtime.cudaMalloc(16)[0] == ERROR.cudaErrorIllegalAddress
        runtime.cudaDeviceReset()
        runtime.cudaGetLastError()
        pointer = ok(runtime.cudaMalloc(16))
        ok(runtime.cudaMemset(pointer, 1, 16))
        assert list(download(pointer, 4)) == [0x01010101] * 4
    finally:
        device.reset()


def test_a_function_that_the_runtime_lacks_says_so(device):
    if not device.emulated:
        assert ok(runtime.cudaGraphCreate(0))
        return
    with pytest.raises(FunctionNotFoundError) as error:
        runtime.cudaGraphCreate(0)
    assert str(error.value).startswith("cudaGraphCreate() is not available: the emulated device's CUDA runtime (")
    assert "does not have it" in str(error.value) and "pip install" not in str(error.value)
