# SPDX-License-Identifier: Apache-2.0
"""How fast is the emulated device on one core? SAXPY, a tiled matrix product and module loading, as a table."""

from __future__ import annotations

import ctypes
import os
import statistics
import time
from typing import Any

from cuda_bindings import driver, emulator, nvrtc

SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float left[16][16], right[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n / 16; ++tile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + tile * 16 + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile * 16 + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
"""
REPEATS = 7
SAXPY_ELEMENTS = 1 << 20
MATRIX = 512
BIG_MODULE_BYTES = 100_000


def check(result: tuple[Any, ...]) -> Any:
    """Return what follows the status, or raise it."""
    if result[0]:
        raise RuntimeError(repr(result[0]))
    return result[1] if len(result) == 2 else result[1:]


def compile_ptx(source: bytes, architecture: bytes = b"compute_80") -> bytes:
    """Return NVRTC's PTX, without the final NUL."""
    program = check(nvrtc.nvrtcCreateProgram(source, b"bench.cu", 0, None, None))
    check(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=" + architecture]))
    ptx = bytearray(check(nvrtc.nvrtcGetPTXSize(program)))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    check(nvrtc.nvrtcDestroyProgram(program))
    return bytes(ptx).rstrip(b"\0")


def big_module() -> bytes:
    """Return PTX of about 100 kB: the two kernels under many names."""
    copies = 1
    while True:
        text = SOURCE + b"".join(
            SOURCE.replace(b"saxpy", b"saxpy%d" % copy).replace(b"matmul", b"matmul%d" % copy)
            for copy in range(1, copies)
        )
        ptx = compile_ptx(text)
        if len(ptx) >= BIG_MODULE_BYTES:
            return ptx
        copies = copies * BIG_MODULE_BYTES // len(ptx) + 1


def milliseconds(action: Any) -> float:
    """Return the median time of several calls; the first one warms up and is not counted."""
    action()
    times: list[float] = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        action()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


class Bench:
    """The device with the two kernels loaded."""

    def __init__(self) -> None:
        emulator.enable()
        check(driver.cuInit(0))
        device = check(driver.cuDeviceGet(0))
        self.name: str = check(driver.cuDeviceGetName(256, device)).split(b"\0")[0].decode()
        check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))))
        self.module: driver.CUmodule = check(driver.cuModuleLoadData(compile_ptx(SOURCE)))
        self.count: Any = ctypes.CDLL(emulator.library()).cuda_bindings_emulator_thread_instructions
        self.count.restype = ctypes.c_uint64

    def launch(self, name: bytes, grid: tuple[int, int], block: tuple[int, int], values: Any, types: Any) -> Any:
        """Return an action that runs the kernel to its end."""
        kernel = check(driver.cuModuleGetFunction(self.module, name))

        def action() -> None:
            check(driver.cuLaunchKernel(kernel, *grid, 1, *block, 1, 0, 0, (values, types), 0))
            check(driver.cuCtxSynchronize())

        return action

    def saxpy(self) -> Any:
        """SAXPY of 2**20 elements."""
        x, y, out = (check(driver.cuMemAlloc(4 * SAXPY_ELEMENTS)) for _ in range(3))
        for memory in (x, y):
            check(driver.cuMemsetD32(memory, 0x3F800000, SAXPY_ELEMENTS))
        types = (ctypes.c_float, None, None, None, ctypes.c_size_t)
        return self.launch(b"saxpy", (SAXPY_ELEMENTS // 256, 1), (256, 1), (2.0, x, y, out, SAXPY_ELEMENTS), types)

    def matmul(self) -> Any:
        """The product of two 512 x 512 matrices, in tiles of 16 x 16."""
        a, b, c = (check(driver.cuMemAlloc(4 * MATRIX * MATRIX)) for _ in range(3))
        for memory in (a, b):
            check(driver.cuMemsetD32(memory, 0x3F800000, MATRIX * MATRIX))
        tiles = MATRIX // 16
        return self.launch(b"matmul", (tiles, tiles), (16, 16), (a, b, c, MATRIX), (None, None, None, ctypes.c_int))

    def instructions(self, action: Any) -> int:
        """Return how many thread-instructions one run executes."""
        before = self.count()
        action()
        return int(self.count() - before)

    def load(self, ptx: bytes) -> Any:
        """Return an action that loads the module and unloads it."""
        return lambda: check(driver.cuModuleUnload(check(driver.cuModuleLoadData(ptx))))


def main() -> int:
    """Print the table."""
    bench = Bench()
    print(f"{bench.name}, CUDA_BINDINGS_EMULATOR_THREADS={os.environ.get('CUDA_BINDINGS_EMULATOR_THREADS', 'all')}")
    print(f"{'what':34}{'median':>12}{'thread-instructions/s':>24}")
    for title, action in (("SAXPY, 2**20 elements", bench.saxpy()), ("matmul, 512 x 512 x 512, tiled", bench.matmul())):
        time_taken, instructions = milliseconds(action), bench.instructions(action)
        print(f"{title:34}{time_taken:>9.2f} ms{instructions / time_taken / 1e6:>20.2f} G/s")
    ptx = big_module()
    print(f"{f'loading {len(ptx) / 1e3:.0f} kB of PTX':34}{milliseconds(bench.load(ptx + bytes(1))):>9.2f} ms")
    print(f"library: {os.path.getsize(emulator.library()) / 1e6:.2f} MB; median of {REPEATS} runs")
    return 0
