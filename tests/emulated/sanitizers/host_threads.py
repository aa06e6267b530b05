# SPDX-License-Identifier: Apache-2.0
"""Host threads that use one context at once, for run.sh: streams, events, pools, modules, printf and the device's heap.

The functions are called by ctypes, which holds no lock of Python's meanwhile. Argument: the device's library.
"""

from __future__ import annotations

import ctypes
import sys
import threading

THREADS = 6
ROUNDS = 12
WORDS = 4096
BLOCKS = 16

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 values);
.extern .func (.param .b64 address) malloc (.param .b64 bytes);
.extern .func free (.param .b64 address);
.global .align 1 .b8 text[4] = {111, 107, 10, 0};
.visible .entry add(.param .u64 words, .param .u32 value) {
  .reg .b32 %r<6>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [words];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d1, %d1, %d2;
  ld.global.u32 %r5, [%d1];
  add.u32 %r5, %r5, %r1;
  st.global.u32 [%d1], %r5;
  ret;
}
.visible .entry speak() {
  .reg .b32 %r<3>; .reg .b64 %d<6>; .reg .pred %p;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p ret;
  mov.u64 %d1, text;
  cvta.global.u64 %d1, %d1;
  mov.u64 %d2, 0;
  { .param .b64 format; .param .b64 values; .param .b32 status;
    st.param.b64 [format], %d1;
    st.param.b64 [values], %d2;
    call.uni (status), vprintf, (format, values); }
  mov.u64 %d3, 64;
  { .param .b64 bytes; .param .b64 address;
    st.param.b64 [bytes], %d3;
    call.uni (address), malloc, (bytes);
    ld.param.b64 %d4, [address]; }
  st.b32 [%d4], %r1;
  { .param .b64 address;
    st.param.b64 [address], %d4;
    call.uni free, (address); }
  ret;
}
"""

driver = ctypes.CDLL(sys.argv[1])
host_function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
failures: list[str] = []
calls = [0] * THREADS


def call(name: str, *arguments) -> None:
    """Calls a driver function that must succeed."""
    status = getattr(driver, name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{name}: {status}")


def made(name: str, kind, *arguments):
    """What a driver function writes to its first argument."""
    value = kind()
    call(name, ctypes.byref(value), *arguments)
    return value


def launch(function, stream, *arguments) -> None:
    """A kernel of BLOCKS blocks that cover WORDS threads."""
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.cast(ctypes.pointer(each), ctypes.c_void_p)
                                                     for each in arguments])
    call("cuLaunchKernel", function, BLOCKS, 1, 1, WORDS // BLOCKS, 1, 1, 0, stream, pointers, None)


def work(index: int, context, function, common) -> None:
    """One round after the other: allocate, fill, add in two streams that an event orders, read, free."""
    call("cuCtxSetCurrent", context)
    first, second = (made("cuStreamCreate", ctypes.c_void_p, 1) for _ in range(2))
    size = ctypes.c_size_t(4 * WORDS)
    count_call = host_function(lambda _: calls.__setitem__(index, calls[index] + 1))
    for turn in range(ROUNDS):
        module = made("cuModuleLoadData", ctypes.c_void_p, PTX)
        own = made("cuModuleGetFunction", ctypes.c_void_p, module, b"add")
        speak = made("cuModuleGetFunction", ctypes.c_void_p, module, b"speak")
        event = made("cuEventCreate", ctypes.c_void_p, 0)
        words = made("cuMemAllocAsync", ctypes.c_uint64, size, first)
        call("cuMemsetD32Async", words, turn, ctypes.c_size_t(WORDS), first)
        launch(function, first, words, ctypes.c_uint32(index))
        call("cuEventRecord", event, first)
        call("cuStreamWaitEvent", second, event, 0)
        launch(own, second, words, ctypes.c_uint32(1000))
        launch(speak, second)
        call("cuLaunchHostFunc", second, count_call, None)
        call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(common.value + 4 * WORDS * index), words, size, second)
        result = (ctypes.c_uint32 * WORDS)()
        call("cuMemcpyDtoHAsync_v2", result, words, size, second)
        call("cuMemFreeAsync", words, second)
        driver.cuEventQuery(event)
        call("cuStreamSynchronize", second)
        if set(result) != {1000 + index + turn}:
            failures.append(f"thread {index}, round {turn}: {sorted(set(result))[:4]}")
        call("cuEventDestroy_v2", event)
        call("cuModuleUnload", module)
    call("cuStreamDestroy_v2", first)
    call("cuStreamDestroy_v2", second)


def main() -> None:
    """All threads at once; exits with their failures."""
    call("cuInit", 0)
    context = made("cuDevicePrimaryCtxRetain", ctypes.c_void_p, 0)
    call("cuCtxSetCurrent", context)
    module = made("cuModuleLoadData", ctypes.c_void_p, PTX)
    function = made("cuModuleGetFunction", ctypes.c_void_p, module, b"add")
    common = made("cuMemAlloc_v2", ctypes.c_uint64, ctypes.c_size_t(4 * WORDS * THREADS))

    def guarded(index: int) -> None:
        try:
            work(index, context, function, common)
        except RuntimeError as error:
            failures.append(f"thread {index}: {error}")

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    call("cuCtxSynchronize")
    if calls != [ROUNDS] * THREADS:
        failures.append(f"host functions ran {calls} times")
    call("cuMemFree_v2", common)
    call("cuDevicePrimaryCtxRelease_v2", 0)
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
