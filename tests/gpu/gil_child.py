# SPDX-License-Identifier: Apache-2.0
"""The process of the GIL's tests: a kernel runs until the host writes a flag; one thread waits for it inside the
driver, another makes calls without end. Then what argv names is called, many times, and only then the flag is set."""

from __future__ import annotations

import ctypes
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))

from gpu import EMULATED, build, ok  # noqa: E402

from cuda_bindings import _native, driver, nvrtc, runtime  # noqa: E402

KERNEL = b'extern "C" __global__ void wait_for(volatile int *flag) { while (*flag == 0) {} }'
TIMES = 1000
HALVES = driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16
PLAIN = (driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
         driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
         driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
         driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
PLACE = 1 << 32  # no memory of the device: a tensor map names an address, and nothing is read there
MAP = driver.CUtensorMap()
# For textures and for copies by a machine of their own, which the emulated device does not have.
NOT_EMULATED = ["cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide", "cuTensorMapEncodeTiled",
                "cuTensorMapReplaceAddress", "cudaCreateChannelDesc"]
# The functions that keep the GIL: they look something up, or read what belongs to the calling thread.
HELD = {
    "cuCtxGetCurrent": lambda: driver.cuCtxGetCurrent(),
    "cuDeviceGet": lambda: driver.cuDeviceGet(0),
    "cuDriverGetVersion": lambda: driver.cuDriverGetVersion(),
    "cuGetErrorName": lambda: driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_NOT_READY),
    "cuGetErrorString": lambda: driver.cuGetErrorString(driver.CUresult.CUDA_ERROR_NOT_READY),
    "cuTensorMapEncodeIm2col": lambda: driver.cuTensorMapEncodeIm2col(
        HALVES, 4, PLACE, (64, 16, 16, 8), (128, 2048, 32768), (0, 0), (0, 0), 64, 64, (1, 1, 1, 1), *PLAIN),
    "cuTensorMapEncodeIm2colWide": lambda: driver.cuTensorMapEncodeIm2colWide(
        HALVES, 4, PLACE, (64, 16, 16, 8), (128, 2048, 32768), 0, 0, 64, 64, (1, 1, 1, 1), PLAIN[0],
        driver.CUtensorMapIm2ColWideMode.CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B, *PLAIN[2:]),
    "cuTensorMapEncodeTiled": lambda: driver.cuTensorMapEncodeTiled(
        HALVES, 2, PLACE, (64, 32), (128,), (16, 8), (1, 1), *PLAIN),
    "cuTensorMapReplaceAddress": lambda: driver.cuTensorMapReplaceAddress(MAP, PLACE),
    "cudaCreateChannelDesc": lambda: (0, runtime.cudaCreateChannelDesc(
        32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat)),
    "make_cudaExtent": lambda: (0, runtime.make_cudaExtent(1, 2, 3)),
    "make_cudaPitchedPtr": lambda: (0, runtime.make_cudaPitchedPtr(4096, 512, 128, 4)),
    "make_cudaPos": lambda: (0, runtime.make_cudaPos(1, 2, 3)),
    "nvrtcGetErrorString": lambda: nvrtc.nvrtcGetErrorString(nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_INPUT),
    "nvrtcVersion": lambda: nvrtc.nvrtcVersion(),
}


class Waiting:
    """The kernel, the thread that waits for it, and the thread that calls meanwhile."""

    def __init__(self) -> None:
        ok(driver.cuInit(0))
        device = ok(driver.cuDeviceGet(0))
        self.context = ok(driver.cuDevicePrimaryCtxRetain(device))
        ok(driver.cuCtxSetCurrent(self.context))
        attribute = driver.CUdevice_attribute
        major, minor = (ok(driver.cuDeviceGetAttribute(which, device)) for which in (
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))
        architecture = f"--gpu-architecture=sm_{major}{minor}".encode()
        module = ok(driver.cuModuleLoadData(build(nvrtc, KERNEL, architecture, cubin=True)))
        kernel = ok(driver.cuModuleGetFunction(module, b"wait_for"))
        self.stream, other = (ok(driver.cuStreamCreate(1)) for _ in range(2))  # CU_STREAM_NON_BLOCKING
        self.other, self.event = other, ok(driver.cuEventCreate(0))
        memory = ok(driver.cuMemHostAlloc(4, driver.CU_MEMHOSTALLOC_DEVICEMAP))
        self.flag = ctypes.c_int.from_address(int(memory))
        self.flag.value = 0
        pointer = ok(driver.cuMemHostGetDevicePointer(memory, 0))
        ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, self.stream, (pointer,), 0))
        self.calls, self.returned, self.stop = 0, threading.Event(), threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.wait, self.hammer)]

    def wait(self) -> None:
        """Returns once the kernel has."""
        ok(driver.cuCtxSetCurrent(self.context))
        ok(driver.cuStreamSynchronize(self.stream))
        self.returned.set()

    def hammer(self) -> None:
        """Takes the driver's locks, again and again."""
        ok(driver.cuCtxSetCurrent(self.context))
        while not self.stop.is_set():
            assert driver.cuStreamQuery(self.stream)[0] in (0, driver.CUresult.CUDA_ERROR_NOT_READY)
            ok(driver.cuEventRecord(self.event, self.other))
            assert driver.cuEventQuery(self.event)[0] in (0, driver.CUresult.CUDA_ERROR_NOT_READY)
            self.calls += 1

    def until_called(self) -> None:
        """Until the second thread has come round once more: it could not, if this one kept the GIL for ever."""
        seen = self.calls
        while self.calls == seen:
            pass

    def end(self) -> None:
        """Lets the kernel end."""
        assert not self.returned.is_set(), "the kernel ended before the flag was set"
        self.flag.value = 1
        self.returned.wait()
        self.stop.set()
        for thread in self.threads:
            thread.join()


def held_here() -> dict:
    """Those of them that the device has."""
    attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    lacking = "" if EMULATED or ok(driver.cuDeviceGetAttribute(attribute, 0)) >= 9 else "cuTensorMap"
    return {name: call for name, call in HELD.items()
            if not (EMULATED and name in NOT_EMULATED) and not (lacking and name.startswith(lacking))}


def with_gil(name: str) -> ctypes._FuncPointer:
    """A driver's function of one handle, called with the GIL held."""
    address = _native.function_pointer("driver", name)
    assert address is not None
    return ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address)


def audit() -> None:
    """What each function that keeps the GIL asks of the C library in many calls, as lock_audit.cpp has counted it; and
    a function that locks, as a control."""
    counter = ctypes.PyDLL(None)
    counter.audit_end.restype = ctypes.c_long
    ok(driver.cuInit(0))
    context = ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))
    ok(driver.cuCtxSetCurrent(context))
    stream, query = int(ok(driver.cuStreamCreate(0))), with_gil("cuStreamQuery")
    for name, call in {**held_here(), "cuStreamQuery": lambda: (query(stream),)}.items():
        assert call()[0] == 0, name
        counter.audit_begin()
        for _ in range(TIMES):
            call()
        print(name, counter.audit_end(), flush=True)


def main(name: str) -> None:
    """`held`: every function that keeps the GIL. `waiting`: a call that waits and keeps it, which never returns.
    `audit`: what the first ask of the C library."""
    if name == "audit":
        audit()
        return
    waiting = Waiting()
    for thread in waiting.threads:
        thread.start()
    waiting.until_called()
    if name == "waiting":
        print("waiting", flush=True)
        with_gil("cuStreamSynchronize")(int(waiting.stream))
    for held, call in held_here().items():
        for _ in range(TIMES):
            assert call()[0] == 0, held
        waiting.until_called()
        print(held, flush=True)
    waiting.end()


if __name__ == "__main__":
    main(sys.argv[1])
