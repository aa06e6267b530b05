# SPDX-License-Identifier: Apache-2.0
"""Python callables as callbacks: what they are told, how long they live, and where their exceptions go."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref

import foreign
import pytest
from recorder import Seen, script, u64, write_number

VOID_P = ctypes.c_void_p


class Callback:
    """A callable that remembers its calls, and that a weak reference can watch."""

    def __init__(self, result=None):
        self.calls: list[tuple] = []
        self.result = result

    def __call__(self, *arguments):
        self.calls.append(arguments)
        return self.result


@pytest.fixture
def unraisable(monkeypatch):
    """What sys.unraisablehook is told."""
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: seen.append((report.exc_type, str(report.exc_value))))
    return seen


def is_alive(reference) -> bool:
    gc.collect()
    return reference() is not None


def captures(cuda, prefix: str, graph: int) -> None:
    """Scripts a stream that is being captured into a graph."""
    script(cuda, f"{prefix}StreamIsCapturing", writes={1: b"\1\0\0\0"})
    info = "cuStreamGetCaptureInfo_v3" if prefix == "cu" else "cudaStreamGetCaptureInfo"
    script(cuda, info, writes={1: b"\1\0\0\0", 2: u64(7), 3: u64(graph)})


# --- host functions of a stream ------------------------------------------------------------------------------------

HOST = [("driver", "cuda", "cuLaunchHostFunc"), ("runtime", "cudart", "cudaLaunchHostFunc")]


def launch(request, module: str, recorder: str, name: str, callback, user_data, status: int = 0) -> Seen:
    seen = script(request.getfixturevalue(recorder), name, status=status)
    result = getattr(request.getfixturevalue(module), name)(0x51, callback, user_data)
    assert result[0] == status
    return seen


@pytest.mark.parametrize("names", HOST)
def test_a_host_function_gets_the_very_object_that_was_given_and_is_let_go_after_its_run(request, names):
    callback, user_data = Callback(), Callback()
    watched, data = weakref.ref(callback), weakref.ref(user_data)
    seen = launch(request, *names, callback, user_data)
    assert seen.words[0] == 0x51
    calls = callback.calls
    del callback, user_data
    assert is_alive(watched) and is_alive(data)
    foreign.call(seen.words[1], seen.words[2])
    assert len(calls) == 1 and calls[0] == (data(),)
    calls.clear()
    assert not is_alive(watched) and not is_alive(data)


@pytest.mark.parametrize("names", HOST)
def test_a_second_run_of_what_may_run_once_calls_nothing(request, names):
    callback = Callback()
    seen = launch(request, *names, callback, None)
    foreign.call(seen.words[1], seen.words[2])
    foreign.call(seen.words[1], seen.words[2])
    assert callback.calls == [(None,)]


@pytest.mark.parametrize("names", HOST)
def test_a_host_function_that_was_not_enqueued_is_let_go(request, names):
    callback = Callback()
    watched = weakref.ref(callback)
    seen = launch(request, *names, callback, 5, status=1)
    del callback
    assert not is_alive(watched)
    foreign.call(seen.words[1], seen.words[2])      # and whoever calls it all the same calls nothing


@pytest.mark.parametrize(("names", "prefix"), [(HOST[0], "cu"), (HOST[1], "cuda")])
def test_a_captured_host_function_lives_as_long_as_the_graph(request, names, prefix):
    recorder = request.getfixturevalue(names[1])
    captures(recorder, prefix, graph=0x6A0)
    create = script(recorder, f"{prefix}UserObjectCreate", writes={0: u64(0x0B1)})
    retain = script(recorder, f"{prefix}GraphRetainUserObject")
    callback = Callback()
    calls = callback.calls
    watched = weakref.ref(callback)
    seen = launch(request, *names, callback, "replayed")
    del callback
    for _ in range(3):
        foreign.call(seen.words[1], seen.words[2])
    assert calls == [("replayed",)] * 3
    assert create.words[3:] == [1, 1], "one reference, destructor without synchronization"
    assert retain.words == [0x6A0, 0x0B1, 1, 1], "the reference moves to the graph that is being captured"
    assert is_alive(watched)
    foreign.call(create.words[2], create.words[1])
    assert not is_alive(watched)


def test_a_captured_host_function_is_kept_for_good_where_the_graph_cannot_keep_it(driver, cuda):
    captures(cuda, "cu", graph=0x6A0)
    script(cuda, "cuUserObjectCreate", status=801)
    seen = script(cuda, "cuLaunchHostFunc")
    callback = Callback()
    calls = callback.calls
    watched = weakref.ref(callback)
    driver.cuLaunchHostFunc(0, callback, 1)
    del callback
    foreign.call(seen.words[1], seen.words[2])
    foreign.call(seen.words[1], seen.words[2])
    assert calls == [(1,), (1,)] and is_alive(watched)


def test_an_older_driver_is_asked_by_the_older_name_for_the_graph(driver, cuda):
    script(cuda, "cuStreamIsCapturing", writes={1: b"\1\0\0\0"})
    script(cuda, "cuStreamGetCaptureInfo_v3", status=500)
    script(cuda, "cuStreamGetCaptureInfo_v2", writes={3: u64(0x6B0)})
    retain = script(cuda, "cuGraphRetainUserObject")
    driver.cuLaunchHostFunc(0x51, Callback(), None)
    assert retain.words[0] == 0x6B0


def test_a_function_pointer_costs_no_further_call(driver, cuda):
    driver.cuLaunchHostFunc(0x51, driver.CUhostFn(0x1234), 0x99)
    assert cuda.calls == [("cuLaunchHostFunc", [0x51, 0x1234, 0x99])]
    assert driver.cuLaunchHostFunc(0x51, None, None)[0] == 0
    assert cuda.calls[1] == ("cuLaunchHostFunc", [0x51, 0, 0])


def test_a_callable_that_is_an_index_too_is_called(driver, cuda):
    class Both(Callback):
        def __index__(self):
            return 1
    callback = Both()
    seen = script(cuda, "cuLaunchHostFunc")
    driver.cuLaunchHostFunc(0, callback, 2)
    foreign.call(seen.words[1], seen.words[2])
    assert callback.calls == [(2,)]


# --- stream callbacks ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("module", "recorder", "name", "stream", "status"), [
    ("driver", "cuda", "cuStreamAddCallback", "CUstream", "CUresult"),
    ("runtime", "cudart", "cudaStreamAddCallback", "cudaStream_t", "cudaError_t")])
def test_a_stream_callback_gets_stream_status_and_object(request, module, recorder, name, stream, status):
    api = request.getfixturevalue(module)
    seen = script(request.getfixturevalue(recorder), name)
    callback = Callback()
    watched = weakref.ref(callback)
    assert getattr(api, name)(0x51, callback, ["data"], 0)[0] == 0
    calls = callback.calls
    del callback
    foreign.function(None, VOID_P, ctypes.c_int, VOID_P)(seen.words[1])(0x51, 700, seen.words[2])
    (got_stream, got_status, data), = calls
    assert type(got_stream) is getattr(api, stream) and int(got_stream) == 0x51
    assert type(got_status) is getattr(api, status) and got_status == 700
    assert data == ["data"] and not is_alive(watched)


# --- user objects --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("module", "recorder", "name"), [
    ("driver", "cuda", "cuUserObjectCreate"), ("runtime", "cudart", "cudaUserObjectCreate")])
def test_the_destructor_of_a_user_object_gets_the_object_and_runs_once(request, module, recorder, name):
    seen = script(request.getfixturevalue(recorder), name, writes={0: u64(0x0B2)})
    resource, destroy = Callback(), Callback()
    held, watched = weakref.ref(resource), weakref.ref(destroy)
    status, made = getattr(request.getfixturevalue(module), name)(resource, destroy, 1, 1)
    assert status == 0 and int(made) == 0x0B2
    calls = destroy.calls
    del resource, destroy
    assert is_alive(held)
    foreign.call(seen.words[2], seen.words[1])
    assert calls == [(held(),)]
    calls.clear()
    assert not is_alive(held) and not is_alive(watched)


# --- registered callbacks ------------------------------------------------------------------------------------------

LOGS = [("driver", "cuda", "cuLogs", "CUlogLevel"), ("runtime", "cudart", "cudaLogs", "cudaLogLevel")]


@pytest.mark.parametrize(("module", "recorder", "prefix", "level"), LOGS)
def test_a_log_callback_gets_every_message_until_it_is_unregistered(request, module, recorder, prefix, level):
    api, fake = request.getfixturevalue(module), request.getfixturevalue(recorder)
    seen = script(fake, prefix + "RegisterCallback", writes={2: u64(0xF00)})
    callback = Callback()
    calls = callback.calls
    watched = weakref.ref(callback)
    status, handle = getattr(api, prefix + "RegisterCallback")(callback, "mine")
    assert status == 0
    del callback
    message = ctypes.create_string_buffer(b"out of memory")
    told = foreign.function(None, VOID_P, ctypes.c_int, VOID_P, ctypes.c_size_t)(seen.words[0])
    told(seen.words[1], 1, ctypes.addressof(message), 14)
    told(seen.words[1], 0, ctypes.addressof(message), 3)
    assert calls == [("mine", 1, b"out of memory", 14), ("mine", 0, b"out", 3)]
    assert type(calls[0][1]) is getattr(api, level)

    script(fake, prefix + "UnregisterCallback", status=1)
    assert getattr(api, prefix + "UnregisterCallback")(handle)[0] == 1
    told(seen.words[1], 0, 0, 0)
    assert calls[2:] == [("mine", 0, b"", 0)], "what could not be unregistered goes on"
    script(fake, prefix + "UnregisterCallback")
    assert getattr(api, prefix + "UnregisterCallback")(handle)[0] == 0
    assert not is_alive(watched)
    told(seen.words[1], 0, 0, 0)
    assert len(calls) == 3


def test_what_the_driver_registered_the_runtime_unregisters(driver, runtime, cuda, cudart):
    script(cuda, "cuDeviceRegisterAsyncNotification", writes={3: u64(0xA51)})
    callback = Callback()
    watched = weakref.ref(callback)
    _, handle = driver.cuDeviceRegisterAsyncNotification(0, callback, None)
    del callback
    assert is_alive(watched)
    runtime.cudaDeviceUnregisterAsyncNotification(0, handle)
    assert not is_alive(watched)


@pytest.mark.parametrize(("module", "recorder", "prefix", "record", "handle_class"), [
    ("driver", "cuda", "cu", "CUasyncNotificationInfo", "CUasyncCallbackHandle"),
    ("runtime", "cudart", "cuda", "cudaAsyncNotificationInfo_t", "cudaAsyncCallbackHandle_t")])
def test_an_async_notification_comes_as_a_record_of_its_own(request, module, recorder, prefix, record, handle_class):
    api, fake = request.getfixturevalue(module), request.getfixturevalue(recorder)
    seen = script(fake, prefix + "DeviceRegisterAsyncNotification", writes={3: u64(0xA52)})
    callback = Callback()
    status, handle = getattr(api, prefix + "DeviceRegisterAsyncNotification")(0, callback, 8)
    info = ctypes.create_string_buffer(api.sizeof(getattr(api, record)))
    ctypes.memmove(info, (1).to_bytes(4, "little") + bytes(4) + u64(4096), 16)
    foreign.function(None, VOID_P, VOID_P, VOID_P)(seen.words[1])(ctypes.addressof(info), seen.words[2], 0xA52)
    ctypes.memset(info, 0, 16)
    (got, data, got_handle), = callback.calls
    assert type(got) is getattr(api, record) and got.info.overBudget.bytesOverBudget == 4096 and data == 8
    assert type(got_handle) is getattr(api, handle_class) and got_handle == handle


def test_one_that_could_not_be_registered_is_let_go(driver, cuda):
    cuda.status("cuLogsRegisterCallback", 1)
    callback = Callback()
    watched = weakref.ref(callback)
    assert driver.cuLogsRegisterCallback(callback, None)[1] is None
    del callback
    assert not is_alive(watched)


# --- during the call: occupancy ------------------------------------------------------------------------------------

OCCUPANCY = ["cuOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSizeWithFlags"]


def asks(cuda, name: str, *block_sizes: int) -> list[int]:
    """Scripts an occupancy function that asks for the block sizes; the answers."""
    answers: list[int] = []

    def handler(link, words):
        ask = foreign.function(ctypes.c_size_t, ctypes.c_int)(words[3])
        answers.extend(ask(size) for size in block_sizes)
        write_number(words[0], 2, 4)
        write_number(words[1], block_sizes[-1], 4)
        return 0
    cuda.on(name, handler)
    return answers


@pytest.mark.parametrize("name", OCCUPANCY)
def test_the_shared_memory_for_a_block_size_is_asked_for_during_the_call(driver, cuda, name):
    answers = asks(cuda, name, 32, 1024)
    callback = Callback()
    watched = weakref.ref(callback)
    flags = (0,) if name.endswith("Flags") else ()
    assert getattr(driver, name)(0x77, lambda size: size * 2**33, 0, 0, *flags) == (0, 2, 1024)
    assert answers == [32 * 2**33, 1024 * 2**33]
    callback.result = 0
    getattr(driver, name)(0x77, callback, 0, 0, *flags)
    assert callback.calls == [(32,), (1024,)]
    del callback
    assert not is_alive(watched)


@pytest.mark.parametrize(("result", "error"), [(None, TypeError), (1.5, TypeError), (-1, OverflowError),
                                               (2**64, OverflowError)])
def test_a_size_that_is_none_is_raised_by_the_call(driver, cuda, result, error):
    answers = asks(cuda, OCCUPANCY[0], 64, 128)
    callback = Callback(result)
    with pytest.raises(error):
        driver.cuOccupancyMaxPotentialBlockSize(0x77, callback, 0, 0)
    assert callback.calls == [(64,)] and answers == [0, 0], "after its failure it is not asked again"


def test_what_the_callable_raises_the_call_raises(driver, cuda, unraisable):
    asks(cuda, OCCUPANCY[0], 64)
    with pytest.raises(ZeroDivisionError):
        driver.cuOccupancyMaxPotentialBlockSize(0x77, lambda size: 1 // 0, 0, 0)
    assert unraisable == []


def test_a_callable_that_asks_about_another_kernel_is_asked_on(driver, cuda):
    asks(cuda, OCCUPANCY[0], 64, 128)
    asks(cuda, OCCUPANCY[1], 7)
    inner, outer = Callback(3), []

    def nested(size):
        outer.append(size)
        assert driver.cuOccupancyMaxPotentialBlockSizeWithFlags(0x78, inner, 0, 0, 0)[0] == 0
        return 1
    assert driver.cuOccupancyMaxPotentialBlockSize(0x77, nested, 0, 0)[0] == 0
    assert outer == [64, 128] and inner.calls == [(7,), (7,)]


# --- NVRTC ---------------------------------------------------------------------------------------------------------

@pytest.fixture
def flow(recorders):
    """The call that nvrtcSetFlowCallback's C function gets: (callback, payload) -> its result."""
    seen = script(recorders["nvrtc"], "nvrtcSetFlowCallback")

    def ask() -> int:
        return foreign.function(ctypes.c_int, VOID_P, VOID_P)(seen.words[1])(seen.words[2], 0)
    return ask


@pytest.mark.parametrize(("returned", "result"), [(0, 0), (1, 1), (True, 1), (None, 0)])
def test_a_flow_callback_decides_whether_compilation_goes_on(nvrtc, flow, returned, result):
    callback = Callback(returned)
    assert nvrtc.nvrtcSetFlowCallback(0x99, callback, {"file": 1})[0] == 0
    assert flow() == result and callback.calls == [({"file": 1}, 0)]


def test_a_flow_callback_that_fails_cancels_the_compilation(nvrtc, flow, unraisable):
    def fails(payload, reserved):
        raise LookupError("lost")
    nvrtc.nvrtcSetFlowCallback(0x99, fails, None)
    assert flow() == 1 and unraisable == [(LookupError, "lost")]


def test_a_flow_callback_lives_until_another_is_set_or_the_program_is_destroyed(nvrtc, flow, recorders):
    first, second = Callback(), Callback()
    watched = [weakref.ref(first), weakref.ref(second)]
    program = nvrtc.nvrtcProgram(0x98)
    nvrtc.nvrtcSetFlowCallback(program, first, None)
    del first
    assert is_alive(watched[0])
    nvrtc.nvrtcSetFlowCallback(program, second, None)
    del second
    assert not is_alive(watched[0]) and is_alive(watched[1])
    script(recorders["nvrtc"], "nvrtcDestroyProgram", status=3)
    nvrtc.nvrtcDestroyProgram(program)
    assert is_alive(watched[1])
    script(recorders["nvrtc"], "nvrtcDestroyProgram", writes={0: u64(0)})
    nvrtc.nvrtcDestroyProgram(program)
    assert not is_alive(watched[1])


def test_a_function_pointer_replaces_a_flow_callback(nvrtc, flow):
    callback = Callback()
    watched = weakref.ref(callback)
    nvrtc.nvrtcSetFlowCallback(0x97, callback, None)
    del callback
    nvrtc.nvrtcSetFlowCallback(0x97, 0x1000, 0x2000)
    assert not is_alive(watched)


# --- exceptions ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("error", [ValueError("told"), SystemExit(3), KeyboardInterrupt("told")])
def test_what_a_callback_raises_goes_to_the_unraisable_hook(driver, cuda, unraisable, error):
    def fails(user_data):
        raise error
    seen = script(cuda, "cuLaunchHostFunc")
    driver.cuLaunchHostFunc(0, fails, None)
    foreign.call(seen.words[1], seen.words[2])
    assert unraisable == [(type(error), str(error))]


# --- functions of ctypes -------------------------------------------------------------------------------------------

RIGHT = [
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None, VOID_P)),
    ("cuLaunchHostFunc", ctypes.PYFUNCTYPE(None, ctypes.POINTER(ctypes.c_int))),
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None, ctypes.c_size_t)),
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None, ctypes.c_char_p)),
    ("cuStreamAddCallback", ctypes.CFUNCTYPE(None, VOID_P, ctypes.c_int, VOID_P)),
    ("cuStreamAddCallback", ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint, VOID_P)),
    ("cuLogsRegisterCallback", ctypes.CFUNCTYPE(None, VOID_P, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)),
    ("cuOccupancyMaxPotentialBlockSize", ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)),
]
WRONG = [
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None), "void (*)(void *)"),
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(ctypes.c_int, VOID_P), "void (*)(void *)"),
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None, ctypes.c_int), "void (*)(void *)"),
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None, ctypes.c_double), "void (*)(void *)"),
    ("cuLaunchHostFunc", ctypes.CFUNCTYPE(None, VOID_P, VOID_P), "void (*)(void *)"),
    ("cuStreamAddCallback", ctypes.CFUNCTYPE(None, VOID_P), "void (*)(CUstream, CUresult, void *)"),
    ("cuStreamAddCallback", ctypes.CFUNCTYPE(None, VOID_P, VOID_P, VOID_P), "void (*)(CUstream, CUresult, void *)"),
    ("cuLogsRegisterCallback", ctypes.CFUNCTYPE(None, VOID_P, ctypes.c_int, VOID_P, VOID_P),
     "void (*)(void *, CUlogLevel, char *, size_t)"),
    ("cuOccupancyMaxPotentialBlockSize", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int), "unsigned long (*)(int)"),
    ("cuOccupancyMaxPotentialBlockSize", ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int), "unsigned long (*)(int)"),
]
# Arguments around the callback, and its place among them.
AROUND = {"cuLaunchHostFunc": ((0, None, 0), 1), "cuStreamAddCallback": ((0, None, 0, 0), 1),
          "cuLogsRegisterCallback": ((None, 0), 0), "cuOccupancyMaxPotentialBlockSize": ((0, None, 0, 0), 1)}


def call_with(driver, name: str, callback):
    arguments, place = AROUND[name]
    return getattr(driver, name)(*arguments[:place], callback, *arguments[place + 1:])


@pytest.mark.parametrize(("name", "prototype"), RIGHT)
def test_a_ctypes_function_of_the_right_prototype_is_taken(driver, cuda, name, prototype):
    assert call_with(driver, name, prototype(lambda *arguments: 0))[0] == 0
    assert any(link == name for link, _ in cuda.calls)


@pytest.mark.parametrize(("name", "prototype", "expected"), WRONG)
def test_a_ctypes_function_of_another_prototype_is_refused(driver, cuda, name, prototype, expected):
    with pytest.raises(TypeError) as error:
        call_with(driver, name, prototype(lambda *arguments: 0))
    assert f"{name}(): parameter '" in str(error.value) and expected in str(error.value)
    assert cuda.calls == []


def test_a_foreign_function_without_prototype_is_refused(driver, cuda):
    with pytest.raises(TypeError, match=r"void \(\*\)\(void \*\)"):
        driver.cuLaunchHostFunc(0, foreign.libc.free, 0)
    assert cuda.calls == []


def test_a_ctypes_function_gets_the_address_and_lives_until_it_has_run(driver, cuda):
    seen = script(cuda, "cuLaunchHostFunc")
    told = []
    function = ctypes.CFUNCTYPE(None, VOID_P)(told.append)
    watched = weakref.ref(function)
    memory = (ctypes.c_char * 4)()
    driver.cuLaunchHostFunc(0, function, memory)
    del function
    assert is_alive(watched)
    foreign.call(seen.words[1], seen.words[2])
    assert told == [ctypes.addressof(memory)] and not is_alive(watched)


def test_a_ctypes_function_that_is_asked_during_the_call_is_called_by_c_itself(driver, cuda):
    answers = asks(cuda, OCCUPANCY[0], 64)
    function = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda size: size + 1)
    driver.cuOccupancyMaxPotentialBlockSize(0, function, 0, 0)
    assert answers == [65]


# --- what is refused -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("value", [1.5, "text", b"bytes", [], True, object()])
def test_what_is_neither_callable_nor_pointer_is_refused(driver, cuda, value):
    with pytest.raises(TypeError, match=r"cuLaunchHostFunc\(\): parameter 'fn': got .*; accepts a callable, CUhostFn"):
        driver.cuLaunchHostFunc(0, value, 0)
    assert cuda.calls == []


def test_user_data_of_a_function_pointer_must_be_an_address(driver, cuda):
    with pytest.raises(TypeError, match=r"cuLaunchHostFunc\(\): parameter 'userData'"):
        driver.cuLaunchHostFunc(0, 0x1234, "text")
    assert cuda.calls == []


# Every parameter that is a callback, with an argument list around it; the API's table must know no other.
PARAMETERS: dict[str, dict[str, tuple]] = {
    "driver": {
        "cuLaunchHostFunc": (0, "fn", 0), "cuStreamAddCallback": (0, "callback", 0, 0),
        "cuUserObjectCreate": (0, "destroy", 1, 1), "cuDeviceRegisterAsyncNotification": (0, "callbackFunc", 0),
        "cuLogsRegisterCallback": ("callbackFunc", 0),
        "cuOccupancyMaxPotentialBlockSize": (0, "blockSizeToDynamicSMemSize", 0, 0),
        "cuOccupancyMaxPotentialBlockSizeWithFlags": (0, "blockSizeToDynamicSMemSize", 0, 0, 0),
    },
    "runtime": {
        "cudaLaunchHostFunc": (0, "fn", 0), "cudaStreamAddCallback": (0, "callback", 0, 0),
        "cudaUserObjectCreate": (0, "destroy", 1, 1), "cudaDeviceRegisterAsyncNotification": (0, "callbackFunc", 0),
        "cudaLogsRegisterCallback": ("callbackFunc", 0),
    },
    "nvrtc": {"nvrtcSetFlowCallback": (0, "callback", 0)},
}


@pytest.mark.parametrize(("module", "name"), [(m, n) for m, names in PARAMETERS.items() for n in names])
def test_every_callback_parameter_takes_a_callable(modules, recorders, module, name):
    arguments = [a if not isinstance(a, str) else Callback(0) for a in PARAMETERS[module][name]]
    assert getattr(modules[module], name)(*arguments)[0] == 0
    recorders[module].check()
    assert [link for link, _ in recorders[module].calls if link == name] == [name]


def test_no_other_parameter_of_the_api_is_a_callback():
    from api_table import table
    kinds = {m: {n for n, c in table()["classes"][m].items() if c["kind"] == "function"} for m in ("driver", "runtime")}
    rows = table()["functions"]["driver"] + table()["functions"]["runtime"]
    found = {(row["name"], argument["name"]) for row in rows for argument in row["arguments"]
             if argument["token"] in kinds["driver"] | kinds["runtime"]}
    stated = {(name, next(a for a in arguments if isinstance(a, str)))
              for module in ("driver", "runtime") for name, arguments in PARAMETERS[module].items()}
    assert found == stated
