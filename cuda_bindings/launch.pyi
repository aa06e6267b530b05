# SPDX-License-Identifier: Apache-2.0
# Kernels that are launched many times.
from typing import Any, SupportsIndex, final

from cuda_bindings import driver, runtime
from cuda_bindings.typing import Integer, KernelParameters, Number

__all__ = ["PreparedLaunch"]

@final
class PreparedLaunch:
    """A kernel launch whose arguments are converted and packed once. The parameters are those of cuLaunchKernel."""

    def __new__(
        cls,
        f: driver.CUfunction | driver.CUkernel | runtime.cudaKernel_t | Integer | None,
        gridDimX: Number,
        gridDimY: Number,
        gridDimZ: Number,
        blockDimX: Number,
        blockDimY: Number,
        blockDimZ: Number,
        sharedMemBytes: Number,
        hStream: driver.CUstream | Integer | None,
        kernelParams: KernelParameters,
    ) -> PreparedLaunch: ...
    def __call__(self, hStream: driver.CUstream | Integer | None = ...) -> tuple[driver.CUresult]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> Any: ...
    def __setitem__(self, index: SupportsIndex, value: Any, /) -> None: ...
