# SPDX-License-Identifier: Apache-2.0
"""Python callables that CUDA calls: from streams, graphs, registrations, destructors, occupancy and NVRTC."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref

import pytest
from gpu import ok


class Callback:
    """A callable that remembers its calls and the threads that they came from."""

    def __init__(self, result=None):
        self.calls: list[tuple] = []
        self.threads: set[int] = set()
        self.result = result

    def __call__(self, *arguments):
        self.calls.append(arguments)
        self.threads.add(threading.get_native_id())
        return self.result


def goes(reference) -> bool:
    """Whether an object goes, sooner or later: CUDA's own threads let go of some."""
    for _ in range(500):
        gc.collect()
        if reference() is None:
            return True
        time.sleep(0.02)
    return False


def test_host_functions_run_in_order_on_another_thread_and_are_let_go(driver, stream):
    callback = Callback()
    calls, threads, watched = callback.calls, callback.threads, weakref.ref(callback)
    for number in range(100):
        ok(driver.cuLaunchHostFunc(stream, callback, number))
    del callback
    ok(driver.cuStreamSynchronize(stream))
    assert calls == [(number,) for number in range(100)] and threads != {threading.get_native_id()}
    assert goes(watched)


def test_host_functions_of_the_runtime(runtime, stream):
    callback = Callback()
    ok(runtime.cudaLaunchHostFunc(stream, callback, {"a": 1}))
    ok(runtime.cudaStreamSynchronize(stream))
    assert callback.calls == [({"a": 1},)]


def test_many_threads_enqueue_host_functions(driver, primary, stream):
    callback = Callback()

    def work(number: int) -> None:
        ok(driver.cuCtxSetCurrent(primary))
        for step in range(200):
            ok(driver.cuLaunchHostFunc(stream, callback, (number, step)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ok(driver.cuStreamSynchronize(stream))
    assert sorted(callback.calls) == [((number, step),) for number in range(8) for step in range(200)]


def test_stream_callbacks_are_told_stream_and_status(driver, runtime, stream):
    callback, of_runtime = Callback(), Callback()
    ok(driver.cuStreamAddCallback(stream, callback, "data", 0))
    ok(runtime.cudaStreamAddCallback(stream, of_runtime, "data", 0))
    ok(driver.cuStreamSynchronize(stream))
    assert callback.calls == [(stream, driver.CUresult.CUDA_SUCCESS, "data")]
    assert of_runtime.calls == [(runtime.cudaStream_t(int(stream)), runtime.cudaError_t.cudaSuccess, "data")]


def test_what_a_host_function_raises_is_reported(driver, stream, monkeypatch):
    reports = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reports.append(str(report.exc_value)))

    def fails(data):
        raise ValueError(data)
    ok(driver.cuLaunchHostFunc(stream, fails, "first"))
    ok(driver.cuLaunchHostFunc(stream, fails, "second"))
    ok(driver.cuStreamSynchronize(stream))
    assert reports == ["first", "second"]


def test_the_callable_of_a_destructor_runs_when_the_object_goes(driver, context):
    callback = Callback()
    calls, watched = callback.calls, weakref.ref(callback)
    flags = driver.CUuserObject_flags.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
    made = ok(driver.cuUserObjectCreate("resource", callback, 1, flags))
    del callback
    assert watched() is not None
    ok(driver.cuUserObjectRelease(made, 1))
    assert goes(watched) and calls == [("resource",)]


def captured(driver, stream, *callbacks):
    """A graph of host functions."""
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    for number, callback in enumerate(callbacks):
        ok(driver.cuLaunchHostFunc(stream, callback, number))
    return ok(driver.cuStreamEndCapture(stream))


def test_captured_host_functions_live_as_long_as_the_graph_and_what_was_made_of_it(driver, stream):
    first, second = Callback(), Callback()
    calls, watched = (first.calls, second.calls), (weakref.ref(first), weakref.ref(second))
    graph = captured(driver, stream, first, second)
    del first, second
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    ok(driver.cuGraphDestroy(graph))
    gc.collect()
    for _ in range(3):
        ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert calls == ([(0,)] * 3, [(1,)] * 3)
    assert all(each() is not None for each in watched)
    ok(driver.cuGraphExecDestroy(executable))
    assert all(goes(each) for each in watched)


def test_a_capture_through_the_runtime_keeps_its_host_function_too(runtime, stream):
    callback = Callback()
    calls, watched = callback.calls, weakref.ref(callback)
    ok(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal))
    ok(runtime.cudaLaunchHostFunc(stream, callback, None))
    graph = ok(runtime.cudaStreamEndCapture(stream))
    del callback
    executable = ok(runtime.cudaGraphInstantiate(graph, 0))
    for _ in range(2):
        ok(runtime.cudaGraphLaunch(executable, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert calls == [(None,)] * 2 and watched() is not None
    ok(runtime.cudaGraphExecDestroy(executable))
    ok(runtime.cudaGraphDestroy(graph))
    assert goes(watched)


@pytest.mark.parametrize("general", [False, True])
def test_host_nodes_keep_their_callable_with_the_graph(driver, stream, general):
    graph = ok(driver.cuGraphCreate(0))
    callback = Callback()
    calls, watched = callback.calls, weakref.ref(callback)
    if general:
        parameters = driver.CUgraphNodeParams()
        parameters.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_HOST
        parameters.host.fn, parameters.host.userData = callback, ("a",)
        ok(driver.cuGraphAddNode(graph, None, None, 0, parameters))
    else:
        parameters = driver.CUDA_HOST_NODE_PARAMS()
        parameters.fn, parameters.userData = callback, ("a",)
        node = ok(driver.cuGraphAddHostNode(graph, None, 0, parameters))
        assert ok(driver.cuGraphHostNodeGetParams(node)).userData == ("a",)
    del callback, parameters
    clone = ok(driver.cuGraphClone(graph))
    ok(driver.cuGraphDestroy(graph))
    executable = ok(driver.cuGraphInstantiate(clone, 0))
    for _ in range(2):
        ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert calls == [(("a",),)] * 2
    ok(driver.cuGraphExecDestroy(executable))
    assert watched() is not None
    ok(driver.cuGraphDestroy(clone))
    assert goes(watched)


def test_new_parameters_of_an_executable_node_are_called(driver, stream):
    graph = ok(driver.cuGraphCreate(0))
    before, after = Callback(), Callback()
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    parameters.fn = before
    node = ok(driver.cuGraphAddHostNode(graph, None, 0, parameters))
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    parameters.fn = after
    ok(driver.cuGraphExecHostNodeSetParams(executable, node, parameters))
    del parameters
    gc.collect()
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert (len(before.calls), len(after.calls)) == (0, 1)
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(graph))


def test_registered_callbacks_go_when_they_are_unregistered(driver, runtime, context, device):
    callback = Callback()
    watched = weakref.ref(callback)
    log = ok(driver.cuLogsRegisterCallback(callback, "log"))
    notification = ok(driver.cuDeviceRegisterAsyncNotification(device, callback, "async"))
    of_runtime = ok(runtime.cudaDeviceRegisterAsyncNotification(0, callback, "async"))
    assert driver.cuMemFree(0x10)[0] != 0       # something for the log to tell
    for data, level, message, length in callback.calls:
        assert data == "log" and type(level) is driver.CUlogLevel and len(message) <= length
    del callback
    ok(driver.cuLogsUnregisterCallback(log))
    ok(driver.cuDeviceUnregisterAsyncNotification(device, notification))
    gc.collect()
    assert watched() is not None
    ok(runtime.cudaDeviceUnregisterAsyncNotification(0, of_runtime))
    assert goes(watched)


def test_occupancy_asks_a_callable(driver, kernel):
    callback = Callback(0)
    grid, block = ok(driver.cuOccupancyMaxPotentialBlockSize(kernel(b"saxpy"), callback, 0, 0))
    assert grid > 0 and block > 0 and all(0 < size <= 1024 for size, in callback.calls) and callback.calls
    assert callback.threads == {threading.get_native_id()}
    with pytest.raises(ZeroDivisionError):
        driver.cuOccupancyMaxPotentialBlockSize(kernel(b"saxpy"), lambda size: 1 // 0, 0, 0)


def test_a_flow_callback_cancels_a_compilation(nvrtc):
    program = ok(nvrtc.nvrtcCreateProgram(b"__global__ void k() {}", b"k.cu", 0, None, None))
    callback = Callback(1)
    ok(nvrtc.nvrtcSetFlowCallback(program, callback, "mine"))
    status, = nvrtc.nvrtcCompileProgram(program, 0, [])
    assert status == nvrtc.nvrtcResult.NVRTC_ERROR_CANCELLED and callback.calls[0][0] == "mine"
    watched = weakref.ref(callback)
    del callback
    ok(nvrtc.nvrtcDestroyProgram(program))
    assert goes(watched)
