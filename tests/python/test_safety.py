# SPDX-License-Identifier: Apache-2.0
"""The incumbent's named weaknesses, list (a) of the API's description: none of them is reproduced here.

Records and enums (11, 12, 16, 17, 24, 26), launches (18) and loading (20, 25, 30) have files of their own.
"""

from __future__ import annotations

import ctypes
import gc
import resource
import struct
import sys
import threading

import pytest
from recorder import read, script, u64, write, write_number

# --- 1: callbacks are not freed after their first run --------------------------------------------------------------

@pytest.mark.parametrize(("name", "link", "place"), [
    ("cuLaunchHostFunc", "cuLaunchHostFunc", 1), ("cuStreamAddCallback", "cuStreamAddCallback", 1)])
def test_a1_a_driver_callback_may_run_many_times(driver, cuda, name, link, place):
    _callback_runs_many_times(driver, cuda, name, link, place)


@pytest.mark.parametrize("name", ["cudaLaunchHostFunc", "cudaStreamAddCallback"])
def test_a1_a_runtime_callback_may_run_many_times(runtime, cudart, name):
    _callback_runs_many_times(runtime, cudart, name, name, 1)


def _callback_runs_many_times(module, recorder, name, link, place) -> None:
    seen = []
    stored = {}
    host = "Host" in name
    kind = (ctypes.CFUNCTYPE(None, ctypes.c_void_p) if host
            else ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p))
    function = kind(lambda *values: seen.append(values[-1]))

    def keep(name: str, words) -> int:
        stored["code"], stored["data"] = words[place], words[place + 1]
        return 0
    recorder.on(link, keep)
    code = ctypes.c_void_p.from_buffer(function).value
    result = getattr(module, name)(None, code, 0x5151, *(() if host else (0,)))
    assert result[0] == 0
    gc.collect()
    for _ in range(5):      # as a graph that captured it does at each replay
        kind(stored["code"])(*((stored["data"],) if host else (0, 0, stored["data"])))
    assert seen == [0x5151] * 5


# --- 2: border colours have four floats ----------------------------------------------------------------------------

def test_a2_border_color_is_four_floats_both_ways(driver, cuda):
    color = struct.pack("<4f", 0.125, 0.25, 0.5, 1.0)
    seen = script(cuda, "cuTexRefSetBorderColor", peeks={1: 16})
    script(cuda, "cuTexRefGetBorderColor", writes={0: color})
    status, found = driver.cuTexRefGetBorderColor(driver.CUtexref(1))
    assert list(found) == [0.125, 0.25, 0.5, 1.0]
    driver.cuTexRefSetBorderColor(driver.CUtexref(1), found)      # what came out goes in
    assert seen.memory[1] == color
    for wrong in ([1.0], [1.0] * 5, "text", None):
        with pytest.raises((TypeError, ValueError)):
            driver.cuTexRefSetBorderColor(driver.CUtexref(1), wrong)


# --- 3: unknown codes are returned, not raised ---------------------------------------------------------------------

def test_a3_an_unknown_status_is_returned_as_a_member(driver, runtime, cuda, cudart):
    script(cuda, "cuMemAlloc_v2", status=12345)
    status, pointer = driver.cuMemAlloc(8)
    assert status == 12345 and isinstance(status, driver.CUresult) and pointer is None
    assert "12345" in repr(status) and "12345" in str(status) and status.value == 12345
    with pytest.raises(ValueError):
        driver.CUresult(12345)
    script(cudart, "cudaFree", status=54321)
    status, = runtime.cudaFree(0)
    assert status == 54321 and isinstance(status, runtime.cudaError_t)


def test_a3_an_unknown_enum_output_is_returned_as_a_member(driver, cuda):
    script(cuda, "cuGraphNodeGetType", writes={1: struct.pack("<i", 7777)})
    kind = driver.cuGraphNodeGetType(1)[1]
    assert kind == 7777 and isinstance(kind, driver.CUgraphNodeType)
    seen = script(cuda, "cuTexRefSetFilterMode")
    script(cuda, "cuTexRefGetFilterMode", writes={0: struct.pack("<i", 99)})
    driver.cuTexRefSetFilterMode(1, driver.cuTexRefGetFilterMode(1)[1])     # and goes back in
    assert seen.words[1] == 99


def test_a3_an_unknown_enum_member_of_a_record_is_read(driver):
    copy = driver.CUDA_MEMCPY2D()
    ctypes.memset(copy.getPtr() + 16, 0x7F, 4)
    assert copy.srcMemoryType == 0x7F7F7F7F and isinstance(copy.srcMemoryType, driver.CUmemorytype)
    assert str(0x7F7F7F7F) in repr(copy)


# --- 6, 7, 8: constants and attributes -----------------------------------------------------------------------------

def test_a6_the_infinite_timeout_can_be_passed(driver, cuda):
    seen = script(cuda, "cuEGLStreamConsumerAcquireFrame")
    driver.cuEGLStreamConsumerAcquireFrame(None, None, None, driver.CUDA_EGL_INFINITE_TIMEOUT)
    assert seen.words[3] & 0xFFFFFFFF == 0xFFFFFFFF


def _each(enum, leave_out=()):
    return [m for m in enum.__members__.values() if m.name not in leave_out and not m.name.endswith("_MAX")]


def test_a7_every_pool_attribute_is_readable(driver, cuda):
    script(cuda, "cuMemPoolGetAttribute", writes={2: u64(1)})
    for attribute in _each(driver.CUmemPool_attribute):
        assert int(driver.cuMemPoolGetAttribute(1, attribute)[1]) == 1, attribute


def test_a7_every_range_attribute_is_readable(driver, cuda):
    script(cuda, "cuMemRangeGetAttribute", writes={0: struct.pack("<i", 3)})
    for attribute in _each(driver.CUmem_range_attribute):
        assert driver.cuMemRangeGetAttribute(4, attribute, 1, 1)[1] in (3, [3]), attribute


def test_a7_every_pointer_attribute_is_readable(driver, cuda):
    script(cuda, "cuPointerGetAttribute", writes={0: u64(1)})
    for attribute in _each(driver.CUpointer_attribute):
        status, value = driver.cuPointerGetAttribute(attribute, 1)
        assert status == 0 and value is not None, attribute


def test_a7_every_core_dump_setting_is_readable(driver, cuda):
    script(cuda, "cuCoredumpGetAttribute", writes={1: b"\x01"})
    for attribute in _each(driver.CUcoredumpSettings):
        assert driver.cuCoredumpGetAttribute(attribute)[1] is not None, attribute


@pytest.mark.parametrize("name", ["NEW_SM3X_OPT", "FAST_COMPILE", "POSITION_INDEPENDENT_CODE",
                                  "MAX_THREADS_PER_BLOCK", "OVERRIDE_DIRECTIVE_VALUES", "MIN_CTA_PER_SM",
                                  "SPLIT_COMPILE"])
def test_a7_jit_options_that_were_refused_are_taken(driver, cuda, name):
    seen = script(cuda, "cuModuleLoadDataEx", peeks={3: 4, 4: 8})
    option = getattr(driver.CUjit_option, "CU_JIT_" + name)
    assert driver.cuModuleLoadDataEx(b"ptx\0", 1, [option], [1])[0] == 0
    assert seen.memory[3] == struct.pack("<i", int(option))
    assert struct.unpack("<I4x", seen.memory[4]) == (1,)


def test_a8_the_device_ordinal_is_what_the_driver_wrote(driver, cuda):
    script(cuda, "cuPointerGetAttribute", writes={0: struct.pack("<i", 6)})
    assert driver.cuPointerGetAttribute(driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 1) == (
        driver.CUresult.CUDA_SUCCESS, 6)


# --- 9, 10: what the driver writes comes back ----------------------------------------------------------------------

def test_a9_wall_time_and_filled_sizes_come_back(driver, cuda):
    option = driver.CUjit_option

    def handler(link: str, words) -> int:
        slots = words[4]
        assert struct.unpack("<I", read(slots, 4)) == (256,)
        write_number(slots, 17, 4)                      # the filled size of the log
        write(slots + 8, struct.pack("<f", 1.25))       # the time, as a float in the slot
        return 0
    cuda.on("cuModuleLoadDataEx", handler)
    filled, wall = ctypes.c_uint(256), ctypes.c_float(0)
    driver.cuModuleLoadDataEx(b"ptx\0", 2, [option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, option.CU_JIT_WALL_TIME],
                              [filled, wall])
    assert (filled.value, wall.value) == (17, 1.25)


def test_a10_luid_keeps_its_zero_bytes(driver, cuda):
    script(cuda, "cuDeviceGetLuid", writes={0: bytes(8), 1: bytes(4)})
    assert driver.cuDeviceGetLuid(0)[1] == bytes(8)


# --- 13: no silent misuse of arguments -----------------------------------------------------------------------------

@pytest.mark.parametrize("call", [
    lambda d: d.cuMemAlloc(1.5),
    lambda d: d.cuStreamSynchronize(d.CUdeviceptr(1)),
    lambda d: d.cuStreamSynchronize(1.0),
    lambda d: d.cuStreamSynchronize(True),
    lambda d: d.cuMemFree(d.CUstream(1)),
    lambda d: d.cuMemFree(True),
    lambda d: d.cuModuleGetFunctionCount(d.CUlibrary(1)),
    lambda d: d.cuDeviceGetAttribute(d.CUlimit(0), 0),
    lambda d: d.cuDeviceGetAttribute("5", 0),
    lambda d: d.cuDeviceGetAttribute(1.5, 0),
    lambda d: d.cuDeviceGetName(8, None),
    lambda d: d.cuDevicePrimaryCtxRetain(None),
    lambda d: d.cuMemcpy2D(d.CUDA_MEMCPY3D()),
    lambda d: d.cuMemcpy2D(1),
    lambda d: d.cuModuleGetFunction(1, "name"),
    lambda d: d.cuMemcpyHtoD(1, True, 1),
], ids=lambda call: None)
def test_a13_a_wrong_argument_is_refused_before_the_call(driver, cuda, call):
    with pytest.raises((TypeError, ValueError)):
        call(driver)
    assert cuda.calls == []


def test_a13_a_signed_numpy_scalar_array_is_no_address(driver, cuda):
    numpy = pytest.importorskip("numpy")
    seen = script(cuda, "cuMemcpyHtoD_v2", peeks={1: 4})
    value = numpy.array(5, dtype=numpy.int32)
    driver.cuMemcpyHtoD(1, value, 4)        # its memory, then: never address 5
    assert seen.memory[1] == struct.pack("<i", 5) and seen.words[1] == value.ctypes.data


def test_a13_the_error_names_function_and_parameter(driver):
    for call, words in ((lambda: driver.cuMemAlloc("8"), ("cuMemAlloc", "bytesize")),
                        (lambda: driver.cuStreamSynchronize("s"), ("cuStreamSynchronize", "hStream")),
                        (lambda: driver.cuMemcpy2D(5), ("cuMemcpy2D", "pCopy"))):
        with pytest.raises(TypeError) as caught:
            call()
        for word in words:
            assert word in str(caught.value)


# --- 14: shared bytes are not written into -------------------------------------------------------------------------

def test_a14_shared_bytes_are_refused_as_buffers(modules, recorders):
    nvrtc = modules["nvrtc"]
    for size, shared in ((1, b""), (1, b"x")):
        script(recorders["nvrtc"], "nvrtcGetProgramLogSize", writes={1: u64(size)})
        seen = script(recorders["nvrtc"], "nvrtcGetProgramLog")
        with pytest.raises(ValueError):
            nvrtc.nvrtcGetProgramLog(nvrtc.nvrtcProgram(1), shared)
        assert seen.count == 0


def test_a14_log_memory_that_is_too_short_is_refused(driver, cuda):
    with pytest.raises(ValueError):
        driver.cuLogsDumpToMemory(None, b" " * 8, 9, 0)
    with pytest.raises((TypeError, ValueError)):
        driver.cuLogsDumpToMemory(None, "text of nine", 9, 0)
    assert cuda.calls == []


def test_a14_a_jit_log_in_read_only_memory_is_refused(driver, cuda):
    option = driver.CUjit_option
    keys = [option.CU_JIT_INFO_LOG_BUFFER, option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES]
    for wrong in (memoryview(b" " * 64), b"", b"x", "text"):
        with pytest.raises((TypeError, ValueError, BufferError)):
            driver.cuModuleLoadDataEx(b"ptx\0", 2, keys, [wrong, 64])
    with pytest.raises(ValueError):
        driver.cuModuleLoadDataEx(b"ptx\0", 2, keys, [bytearray(32), 64])
    assert cuda.calls == []


# --- 15: names end in zeros ----------------------------------------------------------------------------------------

def test_a15_a_name_is_zero_filled(driver, cuda):
    script(cuda, "cuDeviceGetPCIBusId", writes={0: b"0000:01:00.0\0"})
    name = driver.cuDeviceGetPCIBusId(20, 0)[1]
    assert len(name) == 20 and name.rstrip(b"\0") == b"0000:01:00.0"


def test_a15_a_length_that_is_no_length_gets_no_memory(driver, cuda):
    with pytest.raises(OverflowError):
        driver.cuDeviceGetName(2**31, 0)
    assert cuda.calls == []
    seen = script(cuda, "cuDeviceGetName", status=1)        # the driver refuses a negative length itself
    assert driver.cuDeviceGetName(-1, 0) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)
    assert seen.words[0] == 0


# --- 19: nothing leaks when a later argument fails -----------------------------------------------------------------

def test_a19_buffers_and_lists_are_released_when_a_later_argument_fails(driver, cuda):
    buffer = bytearray(64)
    nodes = [driver.CUgraphNode(i) for i in range(4)]
    held = sys.getrefcount(nodes[0])
    for _ in range(10):
        with pytest.raises(TypeError):
            driver.cuMemcpyHtoDAsync(1, buffer, 64, "stream")
        with pytest.raises(TypeError):
            driver.cuGraphAddKernelNode(1, nodes, 4, "params")
        with pytest.raises(RuntimeError):
            driver.cuGraphAddKernelNode(1, nodes, 5, None)
    buffer.extend(b"resizable again")       # BufferError while a view is held
    gc.collect()
    now = sys.getrefcount(nodes[0])
    assert now == held


def test_a19_memory_does_not_grow_over_failing_and_succeeding_calls(driver, cuda):
    nodes = [driver.CUgraphNode(i) for i in range(64)]
    option = driver.CUjit_option
    script(cuda, "cuCoredumpGetAttribute", writes={1: b"/tmp/x\0"})

    def once() -> None:
        with pytest.raises(RuntimeError):
            driver.cuGraphAddEmptyNode(1, nodes, 65)
        driver.cuGraphAddEmptyNode(1, nodes, 64)
        driver.cuGraphGetNodes(1, 512)
        driver.cuCoredumpGetAttribute(driver.CUcoredumpSettings.CU_COREDUMP_FILE)
        with pytest.raises(TypeError):
            driver.cuModuleLoadDataEx(b"ptx\0", 1, [option.CU_JIT_MAX_REGISTERS], ["x"])
        cuda.calls.clear()
    for _ in range(300):
        once()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3000):
        once()
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096, "KiB"


# --- 21, 22, 23: lists are as long as they must be -----------------------------------------------------------------

def test_a21_decompression_of_one_record_must_not_count_two(driver, cuda):
    one = driver.CUmemDecompressParams()
    script(cuda, "cuMemBatchDecompressAsync", writes={3: u64(0)})
    assert driver.cuMemBatchDecompressAsync(one, 1, 0, None)[0] == 0
    for wrong in (one, [one]):
        with pytest.raises(ValueError):
            driver.cuMemBatchDecompressAsync(wrong, 2, 0, None)


def test_a21_the_number_of_bytes_that_came_out_can_be_set_and_read(driver):
    params = driver.CUmemDecompressParams()
    actual = driver.cuuint32_t(0)
    params.dstActBytes = actual
    assert ctypes.string_at(params.getPtr() + 16, 8) == u64(actual.getPtr())
    ctypes.c_uint32.from_address(actual.getPtr()).value = 77
    assert int(params.dstActBytes) == 77


def test_a22_add_node_checks_its_count(driver, cuda):
    node, params = driver.CUgraphNode(1), driver.CUgraphNodeParams()
    for dependencies, edges in (([node], None), (None, None), ([node, node], [driver.CUgraphEdgeData()])):
        with pytest.raises(RuntimeError):
            driver.cuGraphAddNode(1, dependencies, edges, 2, params)
    assert cuda.calls == []


def test_a23_supported_archs_keep_the_error_of_the_count(modules, recorders):
    nvrtc = modules["nvrtc"]
    script(recorders["nvrtc"], "nvrtcGetNumSupportedArchs", status=5)
    seen = script(recorders["nvrtc"], "nvrtcGetSupportedArchs")
    assert nvrtc.nvrtcGetSupportedArchs() == (nvrtc.nvrtcResult(5), None)
    assert seen.count == 0


# --- 24 and what no list names: memory that the library left alone ------------------------------------------------

def test_a24_a_record_that_the_library_fills_in_part_is_zero_elsewhere(runtime, cudart):
    script(cudart, "cudaPointerGetAttributes", writes={0: struct.pack("<i", 2)})
    attributes = runtime.cudaPointerGetAttributes(1)[1]
    size = runtime.sizeof(runtime.cudaPointerAttributes)
    assert ctypes.string_at(attributes.getPtr(), size) == struct.pack("<i", 2) + bytes(size - 4)


def test_outputs_that_the_library_leaves_alone_are_zero(driver, cuda):
    script(cuda, "cuStreamGetCaptureInfo_v3")
    result = driver.cuStreamGetCaptureInfo(1)
    assert [int(v) for v in result[1:4]] == [0, 0, 0] and list(result[4:]) == [[], [], 0]
    assert driver.cuMemGetInfo()[1:] == (0, 0)


def test_a_count_without_an_array_gives_empty_elements(driver, cuda):
    """The driver counts dependencies, and leaves the pointers to them and to their edge data NULL."""
    script(cuda, "cuStreamGetCaptureInfo_v3", writes={6: struct.pack("<Q", 2)})
    dependencies, edges, count = driver.cuStreamGetCaptureInfo(1)[4:]
    assert [int(node) for node in dependencies] == [0, 0]
    assert edges == [driver.CUgraphEdgeData()] * 2 and count == 2


def test_a_list_that_changes_while_it_is_read_does_no_harm(driver, cuda):
    class Shrinking(list):
        """A list that loses its elements at the first look."""
    nodes = Shrinking(driver.CUgraphNode(i) for i in range(8))

    class Count:
        def __index__(self) -> int:
            nodes.clear()
            return 8
    try:
        driver.cuGraphAddEmptyNode(1, nodes, Count())
    except (RuntimeError, ValueError):
        assert cuda.calls == []
    else:
        assert len(cuda.calls) == 1


def test_no_object_crashes_any_function(modules, recorders):
    """Every function, with every argument in turn replaced by objects that fit nowhere."""
    from api_table import MODULES, table
    from call_plan import plan_call, run_call
    from expectations import OBJECTS
    from special_functions import BARE_RECORDS, BY_HAND, RECORD_RESULTS, SPECIALS, STRING_RESULTS
    odd = ["text", object(), 3.7, -(2**70), [object()], (1, "x"), {}, type, lambda: None, b"", memoryview(b"")]
    for module_name in MODULES:
        for row in table()["functions"][module_name]:
            if row["name"] in BY_HAND + BARE_RECORDS + STRING_RESULTS or row["name"] in RECORD_RESULTS:
                continue
            for argument in row["arguments"]:
                for value in odd:
                    plan = plan_call(modules[module_name], module_name, row, OBJECTS, SPECIALS)
                    plan.values[argument["name"]] = value
                    plan.arrived.clear()
                    plan.stored.clear()
                    try:
                        run_call(plan, recorders[module_name])
                    except (TypeError, ValueError, OverflowError, RuntimeError, BufferError):
                        pass
                    except AssertionError:
                        pass    # the call was made more than once or not at all: no matter here
                    recorders[module_name].failure = None


def test_calls_from_many_threads(driver, cuda):
    script(cuda, "cuMemAlloc_v2", writes={0: u64(0x1000)})
    failures = []

    def work() -> None:
        for size in range(200):
            if driver.cuMemAlloc(size)[0] != 0:
                failures.append(size)
    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and len(cuda.calls) == 16 * 200
