# SPDX-License-Identifier: Apache-2.0
"""Kernels and small steps that the GPU tests share."""

from __future__ import annotations

import ctypes
import os

EMULATED = os.environ.get("CUDA_BINDINGS_DEVICE") == "emulated"

KERNELS = b"""
extern "C" {
__constant__ int table[4];
__device__ int counter;
__global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
__global__ void add(int *data, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}
__global__ void from_constant(int *out) { out[threadIdx.x] = table[threadIdx.x]; }
__global__ void count() { atomicAdd(&counter, 1); }
struct Mixed { char c; double d; short s; };
__global__ void mixed(struct Mixed m, bool b, long long l, double *out) {
  out[0] = m.c; out[1] = m.d; out[2] = m.s; out[3] = b; out[4] = (double)l;
}
#ifndef NO_TEXTURES
__global__ void sample(cudaTextureObject_t texture, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, i);
}
__global__ void sample2d(cudaTextureObject_t texture, float *out, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}
__global__ void surface_write(cudaSurfaceObject_t surface, int width) {
  int x = threadIdx.x;
  if (x < width) surf2Dwrite<float>(2.0f * x, surface, x * 4, 0);
}
#endif
__global__ void block_ranks(int *out) {
  unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  if (threadIdx.x == 0) out[blockIdx.x] = rank;
}
__global__ void grid_wide(int *data, int *arrived, int *out) {
  // Every block raises a flag and waits for all others: finishes only if all of them run at the same time.
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {}
    out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
  }
}
__global__ void spin(long long cycles) { long long t = clock64(); while (clock64() - t < cycles) {} }
}
"""

# The body of a WHILE node: a kernel that counts and says whether to go on.
CONDITIONAL = b"""
extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(
    cudaGraphConditionalHandle handle, unsigned int value);
extern "C" __global__ void step(cudaGraphConditionalHandle handle, int *data) {
  data[0] += 1;
  cudaGraphSetConditional(handle, data[0] < 5);
}
"""


def ok(result: tuple):
    """The values of a successful call: None, the one, or a tuple."""
    assert result[0] == 0, repr(result)
    if len(result) == 1:
        return None
    return result[1] if len(result) == 2 else result[1:]


def log_of(nvrtc, program) -> str:
    """The program's log."""
    log = bytearray(ok(nvrtc.nvrtcGetProgramLogSize(program)))
    ok(nvrtc.nvrtcGetProgramLog(program, log))
    return log.decode()


def build(nvrtc, source: bytes, architecture: bytes, cubin: bool) -> bytearray:
    """Compiles a source to a CUBIN or to PTX; for the emulated device without textures, and always to PTX."""
    program = ok(nvrtc.nvrtcCreateProgram(source, b"kernels.cu", 0, None, None))
    options = [architecture, b"--std=c++17"]
    if EMULATED:
        options = [architecture.replace(b"sm_", b"compute_"), b"--std=c++17", b"-DNO_TEXTURES"]
        cubin = False
    status, = nvrtc.nvrtcCompileProgram(program, len(options), options)
    assert status == 0, log_of(nvrtc, program)
    size, get = ((nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN) if cubin
                 else (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
    code = bytearray(ok(size(program)))
    ok(get(program, code))
    ok(nvrtc.nvrtcDestroyProgram(program))
    return code


def ints(*values: int):
    """A C array of ints."""
    return (ctypes.c_int * len(values))(*values)


def floats(*values: float):
    """A C array of floats."""
    return (ctypes.c_float * len(values))(*values)


def copy_out(driver, pointer, count: int, kind=ctypes.c_int) -> list:
    """Values from device memory."""
    out = (kind * count)()
    ok(driver.cuMemcpyDtoH(out, pointer, ctypes.sizeof(out)))
    return list(out)


def launch(driver, function, arguments, grid: int = 1, block: int = 1, stream=None) -> None:
    """A launch in one dimension."""
    ok(driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, arguments, 0))
