# SPDX-License-Identifier: Apache-2.0
"""A graph captured from a stream: three kernels recorded once, replayed ten times with one call each."""

import ctypes

import numpy as np
from common import check, context, kernel_module

from cuda_bindings import driver

COUNT, REPLAYS = 1 << 20, 10
SOURCE = b"""
extern "C" __global__ void add(float *values, float amount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += amount;
}
"""


def main() -> None:
    """Captures, looks at the graph, instantiates, replays, compares."""
    with context() as device, kernel_module(device, SOURCE) as module:
        kernel = check(driver.cuModuleGetFunction(module, b"add"))
        stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
        memory = check(driver.cuMemAlloc(COUNT * 4))
        check(driver.cuMemsetD32Async(memory, 0, COUNT, stream))

        check(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
        for amount in (1.0, 2.0, 3.0):
            arguments = ((memory, amount, COUNT), (None, ctypes.c_float, ctypes.c_int))
            check(driver.cuLaunchKernel(kernel, COUNT // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
        graph = check(driver.cuStreamEndCapture(stream))
        _, nodes = check(driver.cuGraphGetNodes(graph))  # asked with no room, it counts
        print(f"captured {nodes} nodes")

        replayed = check(driver.cuGraphInstantiate(graph, 0))
        for _ in range(REPLAYS):
            check(driver.cuGraphLaunch(replayed, stream))
        result = np.zeros(COUNT, dtype=np.float32)
        check(driver.cuMemcpyDtoHAsync(result, memory, result.nbytes, stream))
        check(driver.cuStreamSynchronize(stream))

        check(driver.cuGraphExecDestroy(replayed))
        check(driver.cuGraphDestroy(graph))
        check(driver.cuMemFree(memory))
        check(driver.cuStreamDestroy(stream))
    if not (result == 6.0 * REPLAYS).all():
        raise SystemExit("the result is wrong")
    print(f"correct: {COUNT} elements after {REPLAYS} replays")


if __name__ == "__main__":
    main()
