# SPDX-License-Identifier: Apache-2.0
"""The other process of the IPC test: argv is the API, a memory handle and an event handle in hexadecimal."""

import ctypes
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))

from gpu import ok  # noqa: E402

from cuda_bindings import driver, runtime  # noqa: E402


def through_the_driver(memory: bytes, event: bytes) -> None:
    """Opens both handles with the driver API."""
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    memory_handle, event_handle = driver.CUipcMemHandle(), driver.CUipcEventHandle()
    memory_handle.reserved, event_handle.reserved = memory, event
    opened = ok(driver.cuIpcOpenEventHandle(event_handle))
    ok(driver.cuEventSynchronize(opened))
    data = ok(driver.cuIpcOpenMemHandle(memory_handle,
                                        driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))
    value = ctypes.c_int()
    ok(driver.cuMemcpyDtoH(value, data, 4))
    assert value.value == 0x1234, hex(value.value)
    ok(driver.cuMemsetD32(data, 0x4321, 1))
    ok(driver.cuCtxSynchronize())
    ok(driver.cuIpcCloseMemHandle(data))
    ok(driver.cuEventDestroy(opened))


def through_the_runtime(memory: bytes, event: bytes) -> None:
    """Opens both handles with the runtime API; their bytes are the same."""
    memory_handle, event_handle = runtime.cudaIpcMemHandle_t(), runtime.cudaIpcEventHandle_t()
    memory_handle.reserved, event_handle.reserved = memory, event
    ok(runtime.cudaSetDevice(0))
    opened = ok(runtime.cudaIpcOpenEventHandle(event_handle))
    ok(runtime.cudaEventSynchronize(opened))
    data = ok(runtime.cudaIpcOpenMemHandle(memory_handle, runtime.cudaIpcMemLazyEnablePeerAccess))
    value = ctypes.c_int()
    ok(runtime.cudaMemcpy(value, data, 4, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
    assert value.value == 0x1234, hex(value.value)
    value.value = 0x4321
    ok(runtime.cudaMemcpy(data, value, 4, runtime.cudaMemcpyKind.cudaMemcpyHostToDevice))
    ok(runtime.cudaDeviceSynchronize())
    ok(runtime.cudaIpcCloseMemHandle(data))
    ok(runtime.cudaEventDestroy(opened))


if __name__ == "__main__":
    api, memory_hex, event_hex = sys.argv[1:]
    run = through_the_driver if api == "driver" else through_the_runtime
    run(bytes.fromhex(memory_hex), bytes.fromhex(event_hex))
