# SPDX-License-Identifier: Apache-2.0
"""A module's constant memory: the host fills a polynomial's coefficients, the kernel reads them."""

import ctypes

import numpy as np
from common import check, context, kernel_module

from cuda_bindings import driver

SOURCE = b"""
__constant__ float coefficients[4];
extern "C" __global__ void polynomial(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = values[i];
  values[i] = ((coefficients[3] * x + coefficients[2]) * x + coefficients[1]) * x + coefficients[0];
}
"""


def main() -> None:
    """Finds the variable by its name, copies into it, launches, compares."""
    with context() as device, kernel_module(device, SOURCE) as module:
        kernel = check(driver.cuModuleGetFunction(module, b"polynomial"))
        address, size = check(driver.cuModuleGetGlobal(module, b"coefficients"))
        coefficients = np.array([1, -2, 0.5, 3], dtype=np.float32)
        print(f"coefficients: {size} bytes at {int(address):#x}")
        check(driver.cuMemcpyHtoD(address, coefficients, size))

        x = np.linspace(-1, 1, 1000, dtype=np.float32)
        values = check(driver.cuMemAlloc(x.nbytes))
        check(driver.cuMemcpyHtoD(values, x, x.nbytes))
        arguments = ((values, x.size), (None, ctypes.c_int))
        check(driver.cuLaunchKernel(kernel, 4, 1, 1, 256, 1, 1, 0, 0, arguments, 0))
        result = np.zeros_like(x)
        check(driver.cuMemcpyDtoH(result, values, result.nbytes))
        check(driver.cuMemFree(values))
    if not np.allclose(result, np.polynomial.polynomial.polyval(x, coefficients), atol=1e-5):
        raise SystemExit("the result is wrong")
    print("correct: 1000 values")


if __name__ == "__main__":
    main()
