# SPDX-License-Identifier: Apache-2.0
"""Streams and events: priorities, order, time, callbacks from C, waiting on memory, capture state."""

from __future__ import annotations

import ctypes
import threading

import pytest
from gpu import copy_out, ints, launch, ok


def test_stream_properties(driver, context, device):
    least, greatest = ok(driver.cuCtxGetStreamPriorityRange())
    assert least >= greatest
    stream = ok(driver.cuStreamCreateWithPriority(driver.CUstream_flags.CU_STREAM_NON_BLOCKING, greatest))
    assert ok(driver.cuStreamGetPriority(stream)) == greatest
    assert ok(driver.cuStreamGetFlags(stream)) == driver.CUstream_flags.CU_STREAM_NON_BLOCKING
    assert ok(driver.cuStreamGetId(stream)) > 0
    assert ok(driver.cuStreamGetCtx(stream)) == context
    both = ok(driver.cuStreamGetCtx_v2(stream))
    assert both[0] == context and int(both[1]) == 0
    assert int(ok(driver.cuStreamGetDevice(stream))) == int(device)
    assert driver.cuStreamQuery(stream) == (driver.CUresult.CUDA_SUCCESS,)
    ok(driver.cuStreamDestroy(stream))


def test_stream_attributes(driver, stream):
    value = driver.CUstreamAttrValue()
    value.syncPolicy = driver.CUsynchronizationPolicy.CU_SYNC_POLICY_YIELD
    attribute = driver.CUstreamAttrID.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
    ok(driver.cuStreamSetAttribute(stream, attribute, value))
    back = ok(driver.cuStreamGetAttribute(stream, attribute))
    assert type(back) is driver.CUstreamAttrValue
    assert back.syncPolicy == driver.CUsynchronizationPolicy.CU_SYNC_POLICY_YIELD


def test_events_measure_time(driver, stream, kernel):
    first, second = (ok(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DEFAULT)) for _ in range(2))
    ok(driver.cuEventRecord(first, stream))
    launch(driver, kernel(b"spin"), ((2_000_000,), (ctypes.c_longlong,)), stream=stream)
    ok(driver.cuEventRecord(second, stream))
    ok(driver.cuEventSynchronize(second))
    assert driver.cuEventQuery(second) == (driver.CUresult.CUDA_SUCCESS,)
    milliseconds = ok(driver.cuEventElapsedTime(first, second))
    assert type(milliseconds) is float and 0.1 < milliseconds < 1000
    for event in (first, second):
        ok(driver.cuEventDestroy(event))


def test_an_unfinished_event_is_not_ready(driver, stream, kernel):
    event = ok(driver.cuEventCreate(0))
    launch(driver, kernel(b"spin"), ((200_000_000,), (ctypes.c_longlong,)), stream=stream)
    ok(driver.cuEventRecord(event, stream))
    assert driver.cuEventQuery(event) == (driver.CUresult.CUDA_ERROR_NOT_READY,)
    assert driver.cuStreamQuery(stream) == (driver.CUresult.CUDA_ERROR_NOT_READY,)
    ok(driver.cuEventSynchronize(event))
    ok(driver.cuEventDestroy(event))


def test_a_stream_waits_for_an_event_of_another(driver, stream, kernel, memory):
    other = ok(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    event = ok(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
    data = memory(4)
    ok(driver.cuMemsetD32(data, 0, 1))
    ok(driver.cuCtxSynchronize())
    launch(driver, kernel(b"spin"), ((5_000_000,), (ctypes.c_longlong,)), stream=stream)
    ok(driver.cuMemsetD32Async(data, 10, 1, stream))
    ok(driver.cuEventRecord(event, stream))
    ok(driver.cuStreamWaitEvent(other, event, 0))
    launch(driver, kernel(b"add"), ((data, 1, 1), (None, ctypes.c_int, ctypes.c_int)), stream=other)
    ok(driver.cuStreamSynchronize(other))
    assert copy_out(driver, data, 1) == [11]
    ok(driver.cuEventDestroy(event))
    ok(driver.cuStreamDestroy(other))


@pytest.mark.parametrize("kind", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE])
def test_host_function_runs_with_its_data(driver, stream, kind):
    seen = []
    function = kind(None, ctypes.c_void_p)(lambda data: seen.append((data, threading.current_thread())))
    data = (ctypes.c_char * 8)()
    for _ in range(3):
        ok(driver.cuLaunchHostFunc(stream, driver.CUhostFn(_ptr=ctypes.addressof(function)), data))
    ok(driver.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0x77))
    ok(driver.cuStreamSynchronize(stream))
    assert [s[0] for s in seen] == [ctypes.addressof(data)] * 3 + [0x77]


@pytest.mark.parametrize("kind", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE])
def test_stream_callback_gets_stream_status_and_data(driver, stream, kind):
    seen = []
    function = kind(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda *values: seen.append(values))
    ok(driver.cuStreamAddCallback(stream, driver.CUstreamCallback(_ptr=ctypes.addressof(function)), 0x99, 0))
    ok(driver.cuStreamSynchronize(stream))
    assert seen == [(int(stream), 0, 0x99)]


def test_runtime_host_function_and_callback(driver, runtime, stream):
    seen = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    ok(runtime.cudaLaunchHostFunc(stream, runtime.cudaHostFn_t(_ptr=ctypes.addressof(function)), 5))
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
        lambda *values: seen.append(values))
    ok(runtime.cudaStreamAddCallback(stream, runtime.cudaStreamCallback_t(_ptr=ctypes.addressof(callback)), 6, 0))
    ok(driver.cuStreamSynchronize(stream))
    assert seen == [5, (int(stream), 0, 6)]


def test_waiting_and_writing_values(driver, stream, memory):
    flag, data = memory(8), memory(4)
    ok(driver.cuMemsetD32(flag, 0, 2))
    ok(driver.cuMemsetD32(data, 0, 1))
    ok(driver.cuCtxSynchronize())
    other = ok(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    ok(driver.cuStreamWaitValue32(stream, flag, 3, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ))
    ok(driver.cuMemsetD32Async(data, 8, 1, stream))
    ok(driver.cuStreamWriteValue32(other, flag, 3, 0))
    ok(driver.cuStreamSynchronize(stream))
    assert copy_out(driver, data, 1) == [8]
    operation = driver.CUstreamBatchMemOpParams()
    operation.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
    operation.writeValue.address = flag + 4
    operation.writeValue.value = 21
    ok(driver.cuStreamBatchMemOp(other, 1, [operation], 0))
    ok(driver.cuStreamSynchronize(other))
    assert copy_out(driver, flag, 2) == [3, 21]
    ok(driver.cuStreamDestroy(other))


def test_two_streams_at_once(driver, context, kernel, memory):
    streams = [ok(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)) for _ in range(2)]
    pointers = [memory(4096) for _ in streams]
    for number, (one, data) in enumerate(zip(streams, pointers, strict=True)):
        ok(driver.cuMemcpyHtoDAsync(data, ints(*[number] * 1024), 4096, one))
        launch(driver, kernel(b"add"), ((data, 100, 1024), (None, ctypes.c_int, ctypes.c_int)), 4, 256, one)
    for number, (one, data) in enumerate(zip(streams, pointers, strict=True)):
        ok(driver.cuStreamSynchronize(one))
        assert copy_out(driver, data, 1024) == [number + 100] * 1024
        ok(driver.cuStreamDestroy(one))


def test_the_gil_is_free_while_a_call_waits(driver, primary, stream, kernel):
    turns = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            turns.append(1)
    launch(driver, kernel(b"spin"), ((300_000_000,), (ctypes.c_longlong,)), stream=stream)
    thread = threading.Thread(target=count)
    thread.start()
    ok(driver.cuStreamSynchronize(stream))
    turns_while_waiting = len(turns)
    stop.set()
    thread.join()
    assert turns_while_waiting > 1000


def test_capture_mode_is_exchanged(driver, context):
    modes = driver.CUstreamCaptureMode
    before = ok(driver.cuThreadExchangeStreamCaptureMode(modes.CU_STREAM_CAPTURE_MODE_RELAXED))
    assert ok(driver.cuThreadExchangeStreamCaptureMode(before)) is modes.CU_STREAM_CAPTURE_MODE_RELAXED
