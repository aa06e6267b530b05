# SPDX-License-Identifier: Apache-2.0
"""The runtime API: devices, memory, streams, libraries and launches, textures and surfaces, pools, errors."""

from __future__ import annotations

import ctypes

import pytest
from gpu import floats, ok


@pytest.fixture(autouse=True)
def current(runtime, context):
    """Device 0 is current, by the driver's primary context."""
    ok(runtime.cudaSetDevice(0))


@pytest.fixture
def library(runtime, kernels_cubin):
    """The kernels, as a library."""
    made = ok(runtime.cudaLibraryLoadData(kernels_cubin, None, None, 0, None, None, 0))
    yield made
    ok(runtime.cudaLibraryUnload(made))


def test_versions(runtime):
    assert ok(runtime.cudaDriverGetVersion()) >= 12000
    assert ok(runtime.cudaRuntimeGetVersion()) >= 12000
    status, version = runtime.getLocalRuntimeVersion()
    assert status == runtime.cudaError_t.cudaSuccess and version >= 12000


def test_device_properties_agree_with_the_driver_attributes(runtime, driver, device):
    properties = ok(runtime.cudaGetDeviceProperties(0))
    pairs = {"multiProcessorCount": "MULTIPROCESSOR_COUNT", "warpSize": "WARP_SIZE",
             "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK", "major": "COMPUTE_CAPABILITY_MAJOR",
             "minor": "COMPUTE_CAPABILITY_MINOR", "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK",
             "regsPerBlock": "MAX_REGISTERS_PER_BLOCK", "totalConstMem": "TOTAL_CONSTANT_MEMORY",
             "l2CacheSize": "L2_CACHE_SIZE", "memoryBusWidth": "GLOBAL_MEMORY_BUS_WIDTH",
             "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTIPROCESSOR", "pciBusID": "PCI_BUS_ID",
             "cooperativeLaunch": "COOPERATIVE_LAUNCH", "memoryPoolsSupported": "MEMORY_POOLS_SUPPORTED",
             "sharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
             "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
             "reservedSharedMemPerBlock": "RESERVED_SHARED_MEMORY_PER_BLOCK",
             "asyncEngineCount": "ASYNC_ENGINE_COUNT", "unifiedAddressing": "UNIFIED_ADDRESSING"}
    for member, name in pairs.items():
        attribute = getattr(driver.CUdevice_attribute, "CU_DEVICE_ATTRIBUTE_" + name)
        assert getattr(properties, member) == ok(driver.cuDeviceGetAttribute(attribute, device)), member
    assert properties.name.startswith((b"NVIDIA", b"Emulated")) and b"\0" not in properties.name
    assert properties.totalGlobalMem == ok(driver.cuDeviceTotalMem(device))
    assert bytes(properties.uuid.bytes) == ok(driver.cuDeviceGetUuid(device)).bytes
    assert list(properties.maxThreadsDim) == [
        ok(driver.cuDeviceGetAttribute(getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_{d}"),
                                       device)) for d in "XYZ"]
    assert ok(runtime.cudaChooseDevice(properties)) == 0


def test_device_functions(runtime):
    assert ok(runtime.cudaGetDeviceCount()) >= 1
    assert ok(runtime.cudaGetDevice()) == 0
    assert ok(runtime.cudaDeviceGetAttribute(runtime.cudaDeviceAttr.cudaDevAttrWarpSize, 0)) == 32
    bus = ok(runtime.cudaDeviceGetPCIBusId(32, 0))
    assert len(bus) == 32 and ok(runtime.cudaDeviceGetByPCIBusId(bus.split(b"\0", 1)[0])) == 0
    assert ok(runtime.cudaDeviceGetLimit(runtime.cudaLimit.cudaLimitStackSize)) > 0
    ok(runtime.cudaSetValidDevices([0], 1))
    ok(runtime.cudaSetDevice(0))        # the call before leaves no device current


def test_memory(runtime):
    data = ok(runtime.cudaMalloc(4096))
    assert type(data) is int
    kind = runtime.cudaMemcpyKind
    source, back = bytearray(range(256)) * 16, bytearray(4096)
    ok(runtime.cudaMemcpy(data, source, 4096, kind.cudaMemcpyHostToDevice))
    ok(runtime.cudaMemcpy(back, data, 4096, kind.cudaMemcpyDeviceToHost))
    assert back == source
    ok(runtime.cudaMemset(data, 0x11, 4096))
    ok(runtime.cudaMemcpy(back, data, 4096, kind.cudaMemcpyDefault))
    assert back == b"\x11" * 4096
    attributes = ok(runtime.cudaPointerGetAttributes(data))
    assert (attributes.type, attributes.device, attributes.devicePointer) == (
        runtime.cudaMemoryType.cudaMemoryTypeDevice, 0, data)
    ok(runtime.cudaFree(data))
    free, total = ok(runtime.cudaMemGetInfo())
    assert 0 < free <= total


def test_memory_in_three_dimensions(runtime):
    extent = runtime.make_cudaExtent(64, 4, 2)
    pitched = ok(runtime.cudaMalloc3D(extent))
    assert pitched.ptr and pitched.pitch >= 64
    ok(runtime.cudaMemset3D(pitched, 7, extent))
    host = bytearray(64 * 4 * 2)
    params = runtime.cudaMemcpy3DParms()
    params.srcPtr = pitched
    params.dstPtr = runtime.make_cudaPitchedPtr(host, 64, 64, 4)
    params.extent = extent
    params.kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    ok(runtime.cudaMemcpy3D(params))
    assert host == b"\x07" * len(host)
    ok(runtime.cudaFree(pitched.ptr))


def test_page_locked_memory(runtime):
    address = ok(runtime.cudaHostAlloc(4096, runtime.cudaHostAllocMapped))
    assert ok(runtime.cudaHostGetDevicePointer(address, 0))
    assert ok(runtime.cudaHostGetFlags(address)) & runtime.cudaHostAllocMapped
    ok(runtime.cudaFreeHost(address))


def test_streams_and_events(runtime):
    stream = ok(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    first, second = ok(runtime.cudaEventCreate()), ok(runtime.cudaEventCreate())
    ok(runtime.cudaEventRecord(first, stream))
    data = ok(runtime.cudaMallocAsync(1 << 20, stream))
    ok(runtime.cudaMemsetAsync(data, 0, 1 << 20, stream))
    ok(runtime.cudaFreeAsync(data, stream))
    ok(runtime.cudaEventRecord(second, stream))
    ok(runtime.cudaEventSynchronize(second))
    assert ok(runtime.cudaEventElapsedTime(first, second)) >= 0
    assert runtime.cudaStreamQuery(stream) == (runtime.cudaError_t.cudaSuccess,)
    assert ok(runtime.cudaStreamGetFlags(stream)) == runtime.cudaStreamNonBlocking
    for event in (first, second):
        ok(runtime.cudaEventDestroy(event))
    ok(runtime.cudaStreamDestroy(stream))


def test_pools(runtime, driver):
    properties = runtime.cudaMemPoolProps()
    properties.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
    properties.location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    properties.location.id = 0
    pool = ok(runtime.cudaMemPoolCreate(properties))
    assert isinstance(pool, driver.CUmemoryPool)
    attribute = runtime.cudaMemPoolAttr
    ok(runtime.cudaMemPoolSetAttribute(pool, attribute.cudaMemPoolAttrReleaseThreshold, driver.cuuint64_t(1 << 20)))
    threshold = ok(runtime.cudaMemPoolGetAttribute(pool, attribute.cudaMemPoolAttrReleaseThreshold))
    assert type(threshold) is driver.cuuint64_t and int(threshold) == 1 << 20
    data = ok(runtime.cudaMallocFromPoolAsync(4096, pool, None))
    ok(runtime.cudaFreeAsync(data, None))
    ok(runtime.cudaDeviceSynchronize())
    ok(runtime.cudaMemPoolDestroy(pool))


def test_kernel_launch_from_a_library(runtime, library):
    n = 1024
    saxpy = ok(runtime.cudaLibraryGetKernel(library, b"saxpy"))
    assert type(saxpy) is runtime.cudaKernel_t
    x, y, out = floats(*range(n)), floats(*([1.0] * n)), (ctypes.c_float * n)()
    pointers = [ok(runtime.cudaMalloc(4 * n)) for _ in range(3)]
    kind = runtime.cudaMemcpyKind
    for pointer, values in zip(pointers, (x, y), strict=False):
        ok(runtime.cudaMemcpy(pointer, values, 4 * n, kind.cudaMemcpyHostToDevice))
    grid, block = runtime.dim3(), runtime.dim3()
    grid.x, block.x = n // 256, 256
    arguments = ((3.0, *pointers, n), (ctypes.c_float, *[ctypes.c_void_p] * 3, ctypes.c_size_t))
    ok(runtime.cudaLaunchKernel(saxpy, grid, block, arguments, 0, None))
    ok(runtime.cudaMemcpy(out, pointers[2], 4 * n, kind.cudaMemcpyDeviceToHost))
    assert list(out) == [3.0 * i + 1.0 for i in range(n)]
    assert ok(runtime.cudaFuncGetAttributes(saxpy)).maxThreadsPerBlock >= 256
    assert ok(runtime.cudaFuncGetName(saxpy)) == b"saxpy"
    assert ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(saxpy, 256, 0)) > 0
    assert ok(runtime.cudaLibraryGetKernelCount(library)) > 5
    address, size = ok(runtime.cudaLibraryGetGlobal(library, b"counter"))
    assert type(address) is int and size == 4
    for pointer in pointers:
        ok(runtime.cudaFree(pointer))


def test_linear_texture(runtime, driver, kernel):
    n = 16
    data, out = ok(runtime.cudaMalloc(4 * n)), ok(runtime.cudaMalloc(4 * n))
    kind = runtime.cudaMemcpyKind
    ok(runtime.cudaMemcpy(data, floats(*range(n)), 4 * n, kind.cudaMemcpyHostToDevice))
    resource = runtime.cudaResourceDesc()
    resource.resType = runtime.cudaResourceType.cudaResourceTypeLinear
    resource.res.linear.devPtr = data
    resource.res.linear.desc = ok(runtime.cudaCreateChannelDesc(
        32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
    resource.res.linear.sizeInBytes = 4 * n
    texture = ok(runtime.cudaCreateTextureObject(resource, runtime.cudaTextureDesc(), None))
    assert type(texture) is runtime.cudaTextureObject_t
    back = ok(runtime.cudaGetTextureObjectResourceDesc(texture))
    assert back.res.linear.devPtr == data and back.res.linear.sizeInBytes == 4 * n
    ok(driver.cuLaunchKernel(kernel(b"sample"), 1, 1, 1, n, 1, 1, 0, None,
                             ((texture, out, n), (None, ctypes.c_void_p, ctypes.c_int)), 0))
    host = (ctypes.c_float * n)()
    ok(runtime.cudaMemcpy(host, out, 4 * n, kind.cudaMemcpyDeviceToHost))
    assert list(host) == [float(i) for i in range(n)]
    ok(runtime.cudaDestroyTextureObject(texture))
    for pointer in (data, out):
        ok(runtime.cudaFree(pointer))


def test_array_texture_and_surface(runtime, driver, kernel):
    width, height = 8, 2
    description = ok(runtime.cudaCreateChannelDesc(32, 0, 0, 0,
                                                   runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
    array = ok(runtime.cudaMallocArray(description, width, height, runtime.cudaArraySurfaceLoadStore))
    kind = runtime.cudaMemcpyKind
    ok(runtime.cudaMemcpy2DToArray(array, 0, 0, floats(*range(16)), 32, 32, height, kind.cudaMemcpyHostToDevice))
    resource = runtime.cudaResourceDesc()
    resource.resType = runtime.cudaResourceType.cudaResourceTypeArray
    resource.res.array.array = array
    surface = ok(runtime.cudaCreateSurfaceObject(resource))
    ok(driver.cuLaunchKernel(kernel(b"surface_write"), 1, 1, 1, width, 1, 1, 0, None,
                             ((surface, width), (None, ctypes.c_int)), 0))
    texture_description = runtime.cudaTextureDesc()
    texture_description.addressMode = [runtime.cudaTextureAddressMode.cudaAddressModeClamp] * 3
    texture_description.filterMode = runtime.cudaTextureFilterMode.cudaFilterModePoint
    texture = ok(runtime.cudaCreateTextureObject(resource, texture_description, None))
    out = ok(runtime.cudaMalloc(4 * width * height))
    ok(driver.cuLaunchKernel(kernel(b"sample2d"), 1, 1, 1, width, height, 1, 0, None,
                             ((texture, out, width, height), (None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)), 0))
    host = (ctypes.c_float * 16)()
    ok(runtime.cudaMemcpy(host, out, 64, kind.cudaMemcpyDeviceToHost))
    assert list(host) == [2.0 * i for i in range(8)] + [float(i) for i in range(8, 16)]
    found, extent, flags = ok(runtime.cudaArrayGetInfo(array))
    assert (found.x, extent.width, extent.height) == (32, width, height)
    assert flags == runtime.cudaArraySurfaceLoadStore
    ok(runtime.cudaDestroyTextureObject(texture))
    ok(runtime.cudaDestroySurfaceObject(surface))
    ok(runtime.cudaFreeArray(array))
    ok(runtime.cudaFree(out))


def test_driver_entry_points(runtime):
    address, result = ok(runtime.cudaGetDriverEntryPointByVersion(b"cuMemAlloc", 12000, 0))
    assert address and result is runtime.cudaDriverEntryPointQueryResult.cudaDriverEntryPointSuccess
    address, result = ok(runtime.cudaGetDriverEntryPointByVersion(b"cuNoSuchFunction", 12000, 0))
    assert result is runtime.cudaDriverEntryPointQueryResult.cudaDriverEntryPointSymbolNotFound


def test_error_texts(runtime):
    assert ok(runtime.cudaGetErrorName(runtime.cudaError_t.cudaErrorInvalidValue)) == b"cudaErrorInvalidValue"
    assert ok(runtime.cudaGetErrorString(0)) == b"no error"


@pytest.mark.provokes_errors
def test_errors_are_codes_and_are_cleared(runtime):
    assert runtime.cudaMemcpy(0x10, 0x20, 4, 77)[0] == runtime.cudaError_t.cudaErrorInvalidMemcpyDirection
    assert runtime.cudaPeekAtLastError()[0] == runtime.cudaError_t.cudaErrorInvalidMemcpyDirection
    assert runtime.cudaGetLastError()[0] == runtime.cudaError_t.cudaErrorInvalidMemcpyDirection
    assert runtime.cudaGetLastError() == (runtime.cudaError_t.cudaSuccess,)
    assert runtime.cudaSetDevice(9999)[0] == runtime.cudaError_t.cudaErrorInvalidDevice
    runtime.cudaGetLastError()
