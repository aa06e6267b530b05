# SPDX-License-Identifier: Apache-2.0
"""SAXPY, out = a * x + y, through NVRTC and the driver API: the kernel's time, the whole walk's time, the check."""

import ctypes
import time
from typing import Any, TypeVar, overload

import numpy as np

from cuda_bindings import driver, nvrtc
from cuda_bindings.errors import FunctionNotFoundError

THREADS, BLOCKS, LAUNCHES = 512, 32768, 20
SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
"""


First = TypeVar("First")
Second = TypeVar("Second")


@overload
def check(result: tuple[int]) -> None: ...
@overload
def check(result: tuple[int, First]) -> First: ...
@overload
def check(result: tuple[int, First, Second]) -> tuple[First, Second]: ...
def check(result: tuple[Any, ...]) -> Any:
    """Every function returns (status, values...): the values, or the status as an error."""
    status, *values = result
    if status:  # success is 0 in all three APIs
        raise RuntimeError(f"{status!r}")
    return values[0] if len(values) == 1 else tuple(values)


def compile_ptx(source: bytes, architecture: bytes) -> bytearray:
    """The PTX of a CUDA C++ source, as NVRTC makes it."""
    program = check(nvrtc.nvrtcCreateProgram(source, b"saxpy.cu", 0, None, None))
    options = [b"--gpu-architecture=" + architecture]
    if nvrtc.nvrtcCompileProgram(program, len(options), options)[0]:
        log = bytearray(check(nvrtc.nvrtcGetProgramLogSize(program)))
        check(nvrtc.nvrtcGetProgramLog(program, log))
        raise RuntimeError(log.decode())
    ptx = bytearray(check(nvrtc.nvrtcGetPTXSize(program)))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    check(nvrtc.nvrtcDestroyProgram(program))
    return ptx


def elapsed(started: driver.CUevent, stopped: driver.CUevent) -> float:
    """Milliseconds between two events. Drivers before 12.8 lack today's cuEventElapsedTime and have its first form."""
    try:
        return check(driver.cuEventElapsedTime(started, stopped))
    except FunctionNotFoundError:
        address, _ = check(driver.cuGetProcAddress(b"cuEventElapsedTime", 12000, 0))
        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p)
        milliseconds = ctypes.c_float()
        check((function(address)(milliseconds, int(started), int(stopped)),))
        return milliseconds.value


def main() -> None:
    """The walk: device, compile, load, allocate, copy in, launch, copy out, free; then the check."""
    n = THREADS * BLOCKS
    a, x, y = 2.0, np.random.rand(n).astype(np.float32), np.random.rand(n).astype(np.float32)
    out = np.full(n, -1, dtype=np.float32)
    version, nvrtc_version = check(driver.cuDriverGetVersion()), check(nvrtc.nvrtcVersion())  # loads both libraries

    begin = time.perf_counter()
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    attribute = driver.CUdevice_attribute
    major = check(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = check(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    context = check(driver.cuDevicePrimaryCtxRetain(device))
    check(driver.cuCtxSetCurrent(context))
    ptx = compile_ptx(SOURCE, b"compute_%d%d" % (major, minor))
    module = check(driver.cuModuleLoadData(ptx))
    kernel = check(driver.cuModuleGetFunction(module, b"saxpy"))
    stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    started, stopped = check(driver.cuEventCreate(0)), check(driver.cuEventCreate(0))
    d_x, d_y, d_out = (check(driver.cuMemAlloc(x.nbytes)) for _ in range(3))
    check(driver.cuMemcpyHtoDAsync(d_x, x, x.nbytes, stream))
    check(driver.cuMemcpyHtoDAsync(d_y, y, y.nbytes, stream))
    arguments = ((a, d_x, d_y, d_out, n), (ctypes.c_float, None, None, None, ctypes.c_size_t))
    times: list[float] = []
    for _ in range(LAUNCHES):
        check(driver.cuEventRecord(started, stream))
        check(driver.cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, arguments, 0))
        check(driver.cuEventRecord(stopped, stream))
        check(driver.cuEventSynchronize(stopped))
        times.append(elapsed(started, stopped))
    check(driver.cuMemcpyDtoHAsync(out, d_out, out.nbytes, stream))
    check(driver.cuStreamSynchronize(stream))
    for memory in (d_x, d_y, d_out):
        check(driver.cuMemFree(memory))
    for event in (started, stopped):
        check(driver.cuEventDestroy(event))
    check(driver.cuStreamDestroy(stream))
    check(driver.cuModuleUnload(module))
    name = check(driver.cuDeviceGetName(256, device)).split(b"\0")[0].decode()
    check(driver.cuDevicePrimaryCtxRelease(device))
    application = (time.perf_counter() - begin) * 1e3

    kernel_time = float(np.median(times))
    if not np.allclose(out, a * x + y):
        raise SystemExit("the result is wrong")
    print(f"device       {name}, compute capability {major}.{minor}")
    print(f"libraries    driver {version // 1000}.{version % 1000 // 10}, NVRTC {nvrtc_version[0]}.{nvrtc_version[1]}")
    print(f"elements     {n} in {BLOCKS} blocks of {THREADS} threads")
    print(f"result       correct, all {n} elements compared")
    print(f"kernel time  {kernel_time:.4f} ms, median of {LAUNCHES} launches (CUDA events)")
    print(f"application  {application:.1f} ms, cuInit to the last free, compilation included")
    print(f"saxpy kernel_ms={kernel_time:.5f} application_ms={application:.3f}")


if __name__ == "__main__":
    main()
