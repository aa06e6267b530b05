# SPDX-License-Identifier: Apache-2.0
"""SAXPY through the runtime API: cudaLibraryLoadData, cudaLaunchKernel. Needs libcudart and a driver from 12.8 on."""

import ctypes

import numpy as np
from saxpy import BLOCKS, SOURCE, THREADS, check, compile_ptx

from cuda_bindings import runtime


def main() -> None:
    """Compile, load as a library, allocate, copy in, launch, copy out, free."""
    n = THREADS * BLOCKS
    a, x, y = 2.0, np.random.rand(n).astype(np.float32), np.random.rand(n).astype(np.float32)
    out = np.zeros_like(x)
    check(runtime.cudaSetDevice(0))
    attribute = runtime.cudaDeviceAttr
    major = check(runtime.cudaDeviceGetAttribute(attribute.cudaDevAttrComputeCapabilityMajor, 0))
    minor = check(runtime.cudaDeviceGetAttribute(attribute.cudaDevAttrComputeCapabilityMinor, 0))
    ptx = compile_ptx(SOURCE, b"compute_%d%d" % (major, minor))
    library = check(runtime.cudaLibraryLoadData(ptx, None, None, 0, None, None, 0))
    kernel = check(runtime.cudaLibraryGetKernel(library, b"saxpy"))
    stream = check(runtime.cudaStreamCreate())

    to_device, to_host = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    d_x, d_y, d_out = (check(runtime.cudaMalloc(x.nbytes)) for _ in range(3))
    check(runtime.cudaMemcpyAsync(d_x, x, x.nbytes, to_device, stream))
    check(runtime.cudaMemcpyAsync(d_y, y, y.nbytes, to_device, stream))
    grid, block = runtime.dim3(), runtime.dim3()  # 1, 1, 1 each
    grid.x, block.x = BLOCKS, THREADS
    pointer = ctypes.c_void_p
    arguments = ((a, d_x, d_y, d_out, n), (ctypes.c_float, pointer, pointer, pointer, ctypes.c_size_t))
    check(runtime.cudaLaunchKernel(kernel, grid, block, arguments, 0, stream))
    check(runtime.cudaMemcpyAsync(out, d_out, out.nbytes, to_host, stream))
    check(runtime.cudaStreamSynchronize(stream))

    for memory in (d_x, d_y, d_out):
        check(runtime.cudaFree(memory))
    check(runtime.cudaStreamDestroy(stream))
    check(runtime.cudaLibraryUnload(library))
    if not np.allclose(out, a * x + y):
        raise SystemExit("the result is wrong")
    print(f"correct: {n} elements")


if __name__ == "__main__":
    main()
