# SPDX-License-Identifier: Apache-2.0
"""Two streams overlap copies with each other's kernels: the same work in one stream and in two, timed."""

import ctypes
import time

import numpy as np
import numpy.typing as npt
from common import check, context, kernel_module

from cuda_bindings import driver

COUNT, PIECES = 1 << 24, 8
SOURCE = b"""
extern "C" __global__ void work(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = values[i];
  for (int step = 0; step < 200; ++step) x = x * 0.999f + 0.001f;
  values[i] = x;
}
"""


def run(
    kernel: driver.CUfunction, host: int, device_memory: driver.CUdeviceptr, streams: list[driver.CUstream]
) -> float:
    """Copies in, computes and copies out piece by piece, in the streams by turns; returns milliseconds."""
    size = COUNT // PIECES * 4
    begin = time.perf_counter()
    for piece in range(PIECES):
        stream, offset = streams[piece % len(streams)], piece * size
        part = int(device_memory) + offset
        check(driver.cuMemcpyHtoDAsync(part, host + offset, size, stream))
        arguments = ((part, size // 4), (ctypes.c_void_p, ctypes.c_int))
        check(driver.cuLaunchKernel(kernel, size // 4 // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
        check(driver.cuMemcpyDtoHAsync(host + offset, part, size, stream))
    for stream in streams:
        check(driver.cuStreamSynchronize(stream))
    return (time.perf_counter() - begin) * 1e3


def main() -> None:
    """Page-locked memory, two streams, both orders, the result compared."""
    with context() as device, kernel_module(device, SOURCE) as module:
        kernel = check(driver.cuModuleGetFunction(module, b"work"))
        streams = [check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)) for _ in range(2)]
        host = check(driver.cuMemHostAlloc(COUNT * 4, 0))  # only page-locked memory is copied asynchronously
        floats = ctypes.cast(host, ctypes.POINTER(ctypes.c_float))
        values: npt.NDArray[np.float32] = np.ctypeslib.as_array(floats, (COUNT,))
        memory = check(driver.cuMemAlloc(COUNT * 4))
        values[:] = 0.5
        run(kernel, host, memory, streams)  # warm-up
        values[:] = 0.5
        one = run(kernel, host, memory, streams[:1])
        first: npt.NDArray[np.float32] = np.array(values)
        values[:] = 0.5
        two = run(kernel, host, memory, streams)
        same = np.array_equal(first, values) and np.allclose(values, 1 - 0.5 * 0.999**200, atol=1e-4)
        check(driver.cuMemFree(memory))
        check(driver.cuMemFreeHost(host))
        for stream in streams:
            check(driver.cuStreamDestroy(stream))
    if not same:
        raise SystemExit("the result is wrong")
    print(f"correct: {COUNT} elements; one stream {one:.2f} ms, two streams {two:.2f} ms")


if __name__ == "__main__":
    main()
