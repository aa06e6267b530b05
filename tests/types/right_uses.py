# SPDX-License-Identifier: Apache-2.0
"""Programs that are right, with the types that checkers must see. Never run: mypy and pyright read it."""

import ctypes

import numpy as np
from typing_extensions import assert_type

from cuda_bindings import driver, nvrtc, runtime
from cuda_bindings.errors import ListTooShortError
from cuda_bindings.launch import PreparedLaunch
from cuda_bindings.typing import Address, KernelParameters, Number


def results() -> None:
    """A status and what follows it, by unpacking and by index."""
    (status,) = driver.cuInit(0)
    assert_type(status, driver.CUresult)
    error, free, total = driver.cuMemGetInfo()
    assert_type((error, free, total), tuple[driver.CUresult, int, int])
    assert_type(driver.cuMemAlloc(4)[1], driver.CUdeviceptr)
    assert_type(runtime.cudaMalloc(4), tuple[runtime.cudaError_t, int])
    assert_type(nvrtc.nvrtcGetErrorString(nvrtc.nvrtcResult.NVRTC_SUCCESS)[1], bytes)
    assert_type(driver.cuGraphGetNodes(driver.CUgraph(), 4)[1], list[driver.CUgraphNode])
    assert_type(runtime.make_cudaExtent(1, 2, 3), runtime.cudaExtent)
    assert_type(driver.cuTexRefGetBorderColor(driver.CUtexref())[1], tuple[float, float, float, float])
    if error:  # success is 0
        print(error.name, free)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status.name)


def attributes(pointer: driver.CUdeviceptr, which: driver.CUpointer_attribute) -> None:
    """The attribute decides what its value is."""
    kind = driver.CUpointer_attribute
    assert_type(driver.cuPointerGetAttribute(kind.CU_POINTER_ATTRIBUTE_CONTEXT, pointer)[1], driver.CUcontext)
    assert_type(driver.cuPointerGetAttribute(kind.CU_POINTER_ATTRIBUTE_MAPPED, pointer)[1], bool)
    assert_type(driver.cuPointerGetAttribute(kind.CU_POINTER_ATTRIBUTE_RANGE_SIZE, pointer)[1], int)
    driver.cuPointerGetAttribute(which, pointer)[1].anything()
    assert_type(driver.cuCoredumpGetAttribute(driver.CUcoredumpSettings.CU_COREDUMP_FILE)[1], bytes)


def arguments(stream: driver.CUstream, twin: runtime.cudaStream_t, size: np.uint64) -> None:
    """Handles with their twins and casts, numbers of every sort, memory of every sort."""
    driver.cuStreamSynchronize(twin)
    runtime.cudaStreamSynchronize(stream)
    driver.cuStreamSynchronize(0)
    driver.cuStreamSynchronize(None)
    driver.cuStreamSynchronize(np.int64(7))
    driver.cuMemAlloc(size)
    driver.cuMemAlloc((16 * 80) / 8)
    driver.cuMemAlloc(bytesize=4)
    driver.cuLaunchKernel(driver.CUkernel(), 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)
    driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, driver.CUdevice(0))
    driver.cuDeviceGetAttribute(10, 0)
    for memory in (bytearray(4), b"1234", memoryview(b"1234"), ctypes.c_int(1), (ctypes.c_int * 4)(), 4096, None):
        driver.cuMemcpyHtoD(driver.CUdeviceptr(), memory, 4)
    driver.cuMemcpyHtoD(driver.CUdeviceptr(), np.zeros(4, dtype=np.float32), 16)
    driver.cuMemcpyHtoD(driver.CUdeviceptr(), driver.CUDA_MEMCPY2D(), 16)
    driver.cuCtxCreate(None, 0, driver.CUdevice(0))
    driver.cuCtxCreate(0, driver.CUdevice(0))  # the older form


def lists(graph: driver.CUgraph, nodes: list[driver.CUgraphNode], twins: list[runtime.cudaGraphNode_t]) -> None:
    """Lists and tuples, of runtime twins too."""
    driver.cuGraphAddEmptyNode(graph, nodes, len(nodes))
    driver.cuGraphAddEmptyNode(graph, twins, len(twins))
    driver.cuGraphAddEmptyNode(graph, (driver.CUgraphNode(), *nodes), 1)
    driver.cuGraphAddEmptyNode(graph, None, 0)
    options = [b"--gpu-architecture=compute_80"]
    nvrtc.nvrtcCompileProgram(nvrtc.nvrtcProgram(), len(options), options)
    jit = driver.CUjit_option
    driver.cuModuleLoadDataEx(b"", 2, [jit.CU_JIT_MAX_REGISTERS, jit.CU_JIT_INFO_LOG_BUFFER], [32, bytearray(64)])


def kernel_parameters(kernel: driver.CUfunction, memory: driver.CUdeviceptr) -> None:
    """Every form of kernelParams."""
    forms: list[KernelParameters] = [
        None, 4096, ((memory, 1), (None, ctypes.c_int)), (memory, np.float32(1)), (ctypes.c_void_p * 1)(),
    ]
    for form in forms:
        driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, form, 0)
    driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, np.zeros(4, dtype=np.uint64), 0)


def prepared_launches(kernel: driver.CUfunction, memory: driver.CUdeviceptr, stream: driver.CUstream) -> None:
    """Prepared once, launched in any stream, with other values."""
    prepared = PreparedLaunch(kernel, 1, 1, 1, 32, 1, 1, 0, stream, ((memory, 1), (None, ctypes.c_int)))
    assert_type(prepared(), tuple[driver.CUresult])
    (status,) = prepared(hStream=runtime.cudaStream_t(7))
    assert_type(status, driver.CUresult)
    prepared[0] = memory + 4
    assert_type(len(prepared), int)
    PreparedLaunch(driver.CUkernel(), 1, 1, 1, 32, 1, 1, 0, None, (memory, np.float32(1)))(0)


def handles(memory: driver.CUdeviceptr, stream: driver.CUstream) -> None:
    """What handles can do."""
    assert_type(memory + 4, driver.CUdeviceptr)
    assert_type(4 + memory, driver.CUdeviceptr)
    assert_type(memory - 4, driver.CUdeviceptr)
    assert_type(memory - memory, int)
    assert_type(memory < memory + 1, bool)
    assert_type(int(stream), int)
    assert_type(hex(stream), str)
    assert_type(stream.getPtr(), int)
    assert_type(stream.__cuda_stream__(), tuple[int, int])
    twin: driver.CUstream = runtime.cudaStream_t(7)
    print({twin: stream == twin}, driver.sizeof(driver.CUstream), runtime.sizeof(runtime.dim3))


def members(copy: driver.CUDA_MEMCPY2D) -> None:
    """What members give, and take."""
    copy.srcXInBytes = np.uint64(64)
    assert_type(copy.srcXInBytes, int)
    copy.srcHost = bytearray(64)
    copy.srcHost = None
    assert_type(copy.srcHost, int)
    copy.srcDevice = 4096
    assert_type(copy.srcDevice, driver.CUdeviceptr)
    copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST
    assert_type(copy.srcMemoryType, driver.CUmemorytype)
    assert_type(copy.copy(), driver.CUDA_MEMCPY2D)
    config = driver.CUlaunchConfig()
    config.attrs = [driver.CUlaunchAttribute()]
    assert_type(config.attrs, list[driver.CUlaunchAttribute])
    assert_type(driver.CUuuid().bytes, bytes)
    handle = driver.CUipcMemHandle()
    handle.reserved = bytes(64)
    older: driver.CUDA_MEMCPY2D_st = copy
    print(memoryview(older).nbytes)


def named_types(size: Number, memory: Address) -> tuple[driver.CUresult]:
    """A wrapper's own parameters."""
    try:
        return driver.cuMemcpyHtoD(driver.CUdeviceptr(), memory, size)
    except ListTooShortError as error:
        raise SystemExit(str(error)) from error
