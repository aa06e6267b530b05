# SPDX-License-Identifier: Apache-2.0
"""SAXPY as the first users of CUDA Python wrote it, in 2021, unchanged but for the import: it runs as it stands."""

import numpy as np

from cuda_bindings import driver as cuda
from cuda_bindings import nvrtc

saxpy = """\
extern "C" __global__
void saxpy(float a, float *x, float *y, float *out, size_t n)
{
 size_t tid = blockIdx.x * blockDim.x + threadIdx.x;
 if (tid < n) {
   out[tid] = a * x[tid] + y[tid];
 }
}
"""


def ASSERT_DRV(err):  # noqa: N802
    """Ends the program on an error of either API."""
    if isinstance(err, cuda.CUresult):
        if err != cuda.CUresult.CUDA_SUCCESS:
            raise RuntimeError(f"Cuda Error: {err}")
    elif isinstance(err, nvrtc.nvrtcResult):
        if err != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise RuntimeError(f"Nvrtc Error: {err}")
    else:
        raise RuntimeError(f"Unknown error type: {err}")


def main():
    """The walk, one call after another."""
    err, = cuda.cuInit(0)
    ASSERT_DRV(err)
    err, dev = cuda.cuDeviceGet(0)
    ASSERT_DRV(err)
    err, context = cuda.cuCtxCreate(0, dev)  # the CUDA 12 form, told from today's by its two arguments
    ASSERT_DRV(err)

    err, prog = nvrtc.nvrtcCreateProgram(str.encode(saxpy), b"saxpy.cu", 0, [], [])
    ASSERT_DRV(err)
    opts = [b"--fmad=false", b"--gpu-architecture=compute_75"]
    err, = nvrtc.nvrtcCompileProgram(prog, 2, opts)
    ASSERT_DRV(err)
    err, ptx_size = nvrtc.nvrtcGetPTXSize(prog)
    ASSERT_DRV(err)
    ptx = b" " * ptx_size
    err, = nvrtc.nvrtcGetPTX(prog, ptx)
    ASSERT_DRV(err)

    ptx = np.char.array(ptx)
    err, module = cuda.cuModuleLoadData(ptx.ctypes.data)
    ASSERT_DRV(err)
    err, kernel = cuda.cuModuleGetFunction(module, b"saxpy")
    ASSERT_DRV(err)

    NUM_THREADS, NUM_BLOCKS = 512, 32768  # noqa: N806
    a = np.array([2.0], dtype=np.float32)
    n = np.array(NUM_THREADS * NUM_BLOCKS, dtype=np.uint64)
    buffer_size = n * np.uint64(a.itemsize)  # a NumPy scalar
    h_x = np.random.rand(int(n)).astype(dtype=np.float32)
    h_y = np.random.rand(int(n)).astype(dtype=np.float32)
    h_out = np.zeros(int(n)).astype(dtype=np.float32)

    err, d_x_class = cuda.cuMemAlloc(buffer_size)
    ASSERT_DRV(err)
    err, d_y_class = cuda.cuMemAlloc(buffer_size)
    ASSERT_DRV(err)
    err, d_out_class = cuda.cuMemAlloc(buffer_size)
    ASSERT_DRV(err)
    err, stream = cuda.cuStreamCreate(0)
    ASSERT_DRV(err)
    err, = cuda.cuMemcpyHtoDAsync(d_x_class, h_x.ctypes.data, buffer_size, stream)
    ASSERT_DRV(err)
    err, = cuda.cuMemcpyHtoDAsync(d_y_class, h_y.ctypes.data, buffer_size, stream)
    ASSERT_DRV(err)

    d_x = np.array([int(d_x_class)], dtype=np.uint64)
    d_y = np.array([int(d_y_class)], dtype=np.uint64)
    d_out = np.array([int(d_out_class)], dtype=np.uint64)
    args = [a, d_x, d_y, d_out, n]
    args = np.array([arg.ctypes.data for arg in args], dtype=np.uint64)
    err, = cuda.cuLaunchKernel(kernel, NUM_BLOCKS, 1, 1, NUM_THREADS, 1, 1, 0, stream, args.ctypes.data, 0)
    ASSERT_DRV(err)
    err, = cuda.cuMemcpyDtoHAsync(h_out.ctypes.data, d_out_class, buffer_size, stream)
    ASSERT_DRV(err)
    err, = cuda.cuStreamSynchronize(stream)
    ASSERT_DRV(err)

    if not np.allclose(h_out, a * h_x + h_y):
        raise ValueError("Error outside tolerance for host-device vectors")
    err, = cuda.cuStreamDestroy(stream)
    err, = cuda.cuMemFree(d_x_class)
    err, = cuda.cuMemFree(d_y_class)
    err, = cuda.cuMemFree(d_out_class)
    err, = cuda.cuModuleUnload(module)
    err, = cuda.cuCtxDestroy(context)
    ASSERT_DRV(err)
    print(f"correct: {int(n)} elements")


if __name__ == "__main__":
    main()
