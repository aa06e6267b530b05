# SPDX-License-Identifier: Apache-2.0
"""What the smaller examples share: the first device's primary context, and a kernel from its source."""

from collections.abc import Generator
from contextlib import contextmanager

from saxpy import check, compile_ptx

from cuda_bindings import driver

__all__ = ["architecture", "check", "compile_ptx", "context", "kernel_module"]


def architecture(device: driver.CUdevice) -> bytes:
    """The device's virtual architecture, as NVRTC names it."""
    attribute = driver.CUdevice_attribute
    major = check(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = check(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    return b"compute_%d%d" % (major, minor)


@contextmanager
def context() -> Generator[driver.CUdevice]:
    """The first device with its primary context current."""
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))))
    try:
        yield device
    finally:
        check(driver.cuDevicePrimaryCtxRelease(device))


@contextmanager
def kernel_module(device: driver.CUdevice, source: bytes) -> Generator[driver.CUmodule]:
    """The module compiled from a CUDA C++ source, loaded and unloaded."""
    module = check(driver.cuModuleLoadData(compile_ptx(source, architecture(device))))
    try:
        yield module
    finally:
        check(driver.cuModuleUnload(module))
