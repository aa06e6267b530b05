# SPDX-License-Identifier: Apache-2.0
"""SAXPY as CUDA Python's first users wrote it: two-argument contexts, bytes as buffers, arrays of addresses."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from cuda_bindings import driver, nvrtc

KERNEL = """
extern "C" __global__ void saxpy(float a, float *x, float *y, float *result, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (size_t)blockDim.x)
    result[i] = a * x[i] + y[i];
}
"""
BLOCK, GRID = 512, 32768


def expect_success(status: driver.CUresult | nvrtc.nvrtcResult) -> None:
    """Ends the program where a call of either API has failed."""
    success = driver.CUresult.CUDA_SUCCESS if isinstance(status, driver.CUresult) else nvrtc.nvrtcResult.NVRTC_SUCCESS
    if status != success:
        raise SystemExit(f"failed: {status!r}")


def ptx_of(text: str) -> bytes:
    """PTX in a bytes object that NVRTC fills in place."""
    status, program = nvrtc.nvrtcCreateProgram(str.encode(text), b"saxpy.cu", 0, [], [])
    expect_success(status)
    status, = nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_75"])
    expect_success(status)
    status, size = nvrtc.nvrtcGetPTXSize(program)
    expect_success(status)
    ptx = b" " * size
    status, = nvrtc.nvrtcGetPTX(program, ptx)
    expect_success(status)
    status, = nvrtc.nvrtcDestroyProgram(program)
    expect_success(status)
    return ptx


def main() -> None:
    """Context, module from an array's address, launch by an array of argument addresses, check."""
    status, = driver.cuInit(0)
    expect_success(status)
    status, device = driver.cuDeviceGet(0)
    expect_success(status)
    status, context = driver.cuCtxCreate(0, device)  # told from today's form by its two arguments
    expect_success(status)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer NumPy is about to drop this class
        image: Any = np.char.array(ptx_of(KERNEL))
    status, module = driver.cuModuleLoadData(image.ctypes.data)
    expect_success(status)
    status, function = driver.cuModuleGetFunction(module, b"saxpy")
    expect_success(status)

    count = np.array(BLOCK * GRID, dtype=np.uint64)
    size = np.uint64(count * np.uint64(4))  # sizes may be NumPy scalars
    a = np.array([2.0], dtype=np.float32)
    x, y = (np.random.rand(BLOCK * GRID).astype(np.float32) for _ in range(2))
    result = np.zeros_like(x)
    status, stream = driver.cuStreamCreate(0)
    expect_success(status)
    memory: list[driver.CUdeviceptr] = []
    for source in (x, y, None):
        status, pointer = driver.cuMemAlloc(size)
        expect_success(status)
        memory.append(pointer)
        if source is not None:
            status, = driver.cuMemcpyHtoDAsync(pointer, source.ctypes.data, size, stream)
            expect_success(status)

    # kernelParams: the address of an array that holds the addresses of the arguments.
    values: list[Any] = [a, *(np.array([int(pointer)], dtype=np.uint64) for pointer in memory), count]
    addresses = np.array([value.ctypes.data for value in values], dtype=np.uint64)
    status, = driver.cuLaunchKernel(function, GRID, 1, 1, BLOCK, 1, 1, 0, stream, addresses.ctypes.data, 0)
    expect_success(status)
    status, = driver.cuMemcpyDtoHAsync(result.ctypes.data, memory[2], size, stream)
    expect_success(status)
    status, = driver.cuStreamSynchronize(stream)
    expect_success(status)

    releases: list[tuple[Callable[[Any], tuple[driver.CUresult]], Any]] = [
        *((driver.cuMemFree, pointer) for pointer in memory),
        (driver.cuStreamDestroy, stream), (driver.cuModuleUnload, module), (driver.cuCtxDestroy, context)]
    for release, handle in releases:
        status, = release(handle)
        expect_success(status)
    if not np.allclose(result, a * x + y):
        raise SystemExit("the result is wrong")
    print(f"correct: {int(count)} elements")


if __name__ == "__main__":
    main()
