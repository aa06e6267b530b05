# SPDX-License-Identifier: Apache-2.0
"""The incumbent's named weaknesses, list (a) of the API's description, that test_safety.py does not have.

Each number has tests whose names begin with test_aN_, here or elsewhere; the last test looks for them.

| 1 callbacks freed early | 2 border colours | 3 unknown codes raise | 4 classes that cannot be made
| 5 leftovers of templates | 6 infinite timeout | 7 unsupported attributes | 8 device ordinal | 9 JIT outputs lost
| 10 LUID as a C string | 11 dangling views, lost keep-alives | 12 writes into freed memory | 13 silent misuse
| 14 shared bytes written | 15 unterminated names | 16 CUdeviceptr without equality | 17 enums that are none
| 18 kernel parameters | 19 leaks on error paths | 21 decompression | 22 unchecked count
| 23 a failing count query | 24 uninitialised memory | 25 several libcudarts | 26 anonymous classes | 28 messages
| 30 streams "0", use after free | 31 needs NumPy

20 (speed and size), 27 (textual signatures) and 29 (a page of documentation) are no defects that a test could show.
"""

from __future__ import annotations

import ast
import ctypes
import enum
import gc
import re
import struct
import threading
import weakref
from pathlib import Path

import pytest
from recorder import read, script, u64
from separate import FAKE_LIBRARY, run_python

EXEMPT = {20, 27, 29}


class Buffer(bytearray):
    """Memory that tells when it is gone."""


# --- 4, 5, 26: classes ---------------------------------------------------------------------------------------------

def test_a4_every_class_can_be_made_without_an_address(modules):
    made = 0
    for module in modules.values():
        for name in dir(module):
            cls = getattr(module, name)
            if isinstance(cls, type) and hasattr(cls, "getPtr"):
                instance = cls()
                assert instance.getPtr() != 0, name
                assert ctypes.string_at(instance.getPtr(), module.sizeof(cls)) is not None
                made += 1
    assert made > 450


def test_a5_a_member_has_its_own_name_and_place(driver):
    args = driver.CUcheckpointRestoreArgs()
    assert list(args.to_dict()) == ["gpuPairs", "gpuPairsCount", "reserved", "reserved1"]
    args.reserved = bytes(range(44))
    args.reserved1 = 0x1122334455667788
    assert bytes(args)[12:56] == bytes(range(44)) and bytes(args)[56:] == u64(0x1122334455667788)


def test_a5_no_text_of_a_template_is_left_over(modules):
    texts = [module.__doc__ or "" for module in modules.values()]
    for module in modules.values():
        for name in dir(module):
            value = getattr(module, name)
            texts += [name, getattr(value, "__doc__", None) or ""]
            texts += list(vars(value)) if isinstance(value, type) else []
    assert len(texts) > 5000
    assert [text for text in texts if re.search(r"\{\{|\}\}|\{%|%\}|Undefined|<property|<class", text)] == []


NESTED = [("CUDA_RESOURCE_DESC", "res.linear", "CUDA_RESOURCE_DESC_st_res_linear", 24),
          ("CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS", "params.keyedMutex",
           "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st_params_keyedMutex", 16),
          ("CUmemcpy3DOperand", "op", "CUmemcpy3DOperand_st_op", 32),
          ("CUlaunchAttributeValue", "clusterDim", "CUlaunchAttributeValue_union_clusterDim", 12)]


@pytest.mark.parametrize(("owner", "path", "name", "size"), NESTED)
def test_a26_a_nested_class_is_named_by_its_path_and_made_alone(driver, owner, path, name, size):
    cls = getattr(driver, name)
    assert driver.sizeof(cls) == size
    record = getattr(driver, owner)()
    parent, _, last = path.rpartition(".")
    holder = getattr(record, parent) if parent else record
    alone = cls()
    memoryview(alone)[:] = bytes(range(1, size + 1))
    setattr(holder, last, alone)
    assert type(getattr(holder, last)) is cls and bytes(getattr(holder, last)) == bytes(range(1, size + 1))


# --- 11, 12, 30: lifetime ------------------------------------------------------------------------------------------

def test_a11_a_view_of_a_record_that_is_gone_is_whole(driver):
    view = driver.CUDA_RESOURCE_DESC().res
    gc.collect()
    others = [driver.CUDA_RESOURCE_DESC() for _ in range(64)]
    for other in others:
        memoryview(other)[:] = b"\xff" * 144
    assert bytes(view) == bytes(128)
    view.linear.numChannels = 7
    assert view.linear.numChannels == 7 and all(bytes(other) == b"\xff" * 144 for other in others)


def test_a11_a_copy_by_value_keeps_what_its_pointers_lead_to(driver):
    memory = Buffer(b"the bytes")
    seen = weakref.ref(memory)
    window = driver.CUaccessPolicyWindow()
    window.base_ptr = memory
    attribute = driver.CUlaunchAttribute()
    attribute.value.accessPolicyWindow = window
    config = driver.CUlaunchConfig()
    config.attrs = [attribute]
    del memory, window, attribute
    gc.collect()
    address = config.attrs[0].value.accessPolicyWindow.base_ptr
    assert seen() is not None and ctypes.string_at(address, 9) == b"the bytes"
    config.attrs = []
    gc.collect()
    assert seen() is None


def test_a11_elements_of_a_list_are_checked_and_live_on(driver):
    config = driver.CUlaunchConfig()
    config.attrs = [driver.CUlaunchAttribute() for _ in range(3)]
    elements = config.attrs
    for wrong in (driver.CUmemLocation(), 5, None, b"x" * 72):
        with pytest.raises(TypeError, match=r"CUlaunchConfig\.attrs\[1\]"):
            config.attrs = [elements[0], wrong]
    config.attrs = []
    gc.collect()
    others = [driver.CUlaunchConfig() for _ in range(64)]
    for index, element in enumerate(elements):
        element.value.priority = index
    assert [element.value.priority for element in elements] == [0, 1, 2] and others[63].attrs == []


def test_a12_destroying_a_device_resource_leaves_other_memory_alone(driver):
    kept = [driver.CUdevResource() for _ in range(50)]
    for record in kept:
        memoryview(record)[:] = b"\x5a" * 144
    for _ in range(200):
        resource = driver.CUdevResource()
        view = resource.sm
        del resource
        view.smCount = 5
        assert view.smCount == 5
        del view
    assert all(bytes(record) == b"\x5a" * 144 for record in kept)


@pytest.mark.parametrize(("value", "suffix"), [("0", ""), ("1", "_ptsz")])
def test_a30_zero_does_not_choose_per_thread_default_streams(value, suffix):
    code = f"""
import ctypes
from cuda_bindings import driver
driver.cuStreamSynchronize(0)
count = ctypes.CDLL({FAKE_LIBRARY['CUDA_BINDINGS_LIBCUDA']!r}).fake_call_count
print([name for name in ("cuStreamSynchronize", "cuStreamSynchronize_ptsz") if count(name.encode())])
"""
    answer = run_python(code, CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM=value, **FAKE_LIBRARY)
    assert answer == f"['cuStreamSynchronize{suffix}']"


def test_a30_edges_are_not_freed_with_the_call(driver, cuda):
    edge = struct.pack("<BBB5x", 1, 2, 1)
    script(cuda, "cuGraphGetEdges_v2", writes={1: u64(1, 2), 2: u64(3, 4), 3: edge * 2, 4: u64(2)})
    script(cuda, "cuGraphGetEdges", writes={1: u64(1, 2), 2: u64(3, 4), 3: edge * 2, 4: u64(2)})
    edges = driver.cuGraphGetEdges(1, 2)[3]
    gc.collect()
    filler = [bytearray(b"\xff" * 16) for _ in range(200)]
    assert [(each.from_port, each.to_port, each.type) for each in edges] == [(1, 2, 1)] * 2 and len(filler) == 200


def test_a30_a_buffer_behind_a_pointer_is_not_freed(driver):
    copy = driver.CUDA_MEMCPY2D()
    copy.srcHost = bytearray(b"only the struct knows me")
    gc.collect()
    filler = [bytearray(24) for _ in range(200)]
    assert ctypes.string_at(copy.srcHost, 24) == b"only the struct knows me" and len(filler) == 200


def test_a30_a_list_is_freed_once(driver):
    for _ in range(200):
        config = driver.CUlaunchConfig()
        config.attrs = [driver.CUlaunchAttribute()] * 3
        config.attrs = config.attrs
        config.attrs = []
        config.attrs = None
        other = config.copy()
        config.attrs = [driver.CUlaunchAttribute()]
        again = config.copy()
        del config
        assert other.attrs == [] and len(again.attrs) == 1


# --- 16, 17: values ------------------------------------------------------------------------------------------------

def test_a16_integer_likes_are_values(driver):
    pointer = driver.CUdeviceptr(0x1000)
    assert pointer == driver.CUdeviceptr(0x1000) and pointer != driver.CUdeviceptr(0x1001)
    assert {pointer: "found"}[driver.CUdeviceptr(0x1000)] == "found"
    assert hex(pointer) == "0x1000" and list(range(10))[driver.CUdeviceptr(3)] == 3
    assert type(pointer + 16) is driver.CUdeviceptr and int(16 + pointer) == 0x1010 and int(pointer - 16) == 0xFF0
    assert (pointer + 16) - pointer == 16 and pointer < pointer + 1 and bool(pointer)
    for name in ("CUdevice", "cuuint32_t", "cuuint64_t", "CUtexObject", "CUmemGenericAllocationHandle"):
        cls = getattr(driver, name)
        assert cls(1) == cls(1) and cls(1) != cls(2) and hash(cls(1)) == hash(cls(1)) and cls(1).__index__() == 1


def test_a17_enumerations_are_real_ones(driver, runtime, nvrtc):
    for cls in (driver.CUresult, runtime.cudaError_t, nvrtc.nvrtcResult):
        assert issubclass(cls, enum.IntEnum) and isinstance(cls, enum.EnumMeta)
    assert driver.CUresult["CUDA_ERROR_NOT_FOUND"] is driver.CUresult.CUDA_ERROR_NOT_FOUND is driver.CUresult(500)
    attribute = driver.CUdevice_attribute
    first = attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
    assert attribute(8) is first is attribute.CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK
    assert first.name == "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK"
    assert "CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK" in attribute.__members__
    assert len({id(member) for member in attribute}) == len(attribute) == len({int(member) for member in attribute})


# --- 18: kernel parameters -----------------------------------------------------------------------------------------

def test_a18_kernel_parameters_may_be_lists_and_are_never_cut(driver, cuda):
    def launch(values, types):
        return driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, (values, types), 0)

    seen = []

    def handler(name, words):
        first, second = struct.unpack("<2Q", read(words[9], 16))
        seen.append((read(first, 4), read(second, 8)))
        return 0
    cuda.on("cuLaunchKernel", handler)
    assert launch([7, 2.5], [ctypes.c_int, ctypes.c_double])[0] == 0
    assert seen == [(struct.pack("<i", 7), struct.pack("<d", 2.5))]
    for value, kind in ((2**31, ctypes.c_int), (-1, ctypes.c_uint8), (256, ctypes.c_uint8), (1.5, ctypes.c_int),
                        (1e300, ctypes.c_float), (2**64, ctypes.c_void_p)):
        with pytest.raises((OverflowError, TypeError, ValueError), match=r"cuLaunchKernel.*kernelParams"):
            launch((value,), (kind,))
    with pytest.raises((TypeError, ValueError), match="kernelParams"):
        launch((1, 2), (ctypes.c_int,))
    assert len(seen) == 1


def test_a18_threads_pack_their_own_kernel_parameters(driver, cuda):
    seen = []

    def handler(name, words):
        address, = struct.unpack("<Q", read(words[9], 8))
        seen.append((words[1] & 0xFFFFFFFF, *struct.unpack("<i", read(address, 4))))
        return 0
    cuda.on("cuLaunchKernel", handler)

    def work(number: int) -> None:
        for _ in range(200):
            driver.cuLaunchKernel(1, number, 1, 1, 1, 1, 1, 0, 0, ((number,), (ctypes.c_int,)), 0)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [(number, number) for number in range(1, 9) for _ in range(200)]


# --- 25, 28, 31: the package ---------------------------------------------------------------------------------------

def test_a25_there_is_one_libcudart_and_it_is_the_program_s():
    path = FAKE_LIBRARY["CUDA_BINDINGS_LIBCUDART"]
    code = f"""
import ctypes
program = ctypes.CDLL({path!r}, mode=ctypes.RTLD_GLOBAL)
from cuda_bindings import runtime, _native
runtime.cudaDeviceSynchronize(), runtime.cudaVDPAUSetVDPAUDevice(0, 1, None)
print(program.fake_call_count(b"cudaDeviceSynchronize"), program.fake_call_count(b"cudaVDPAUSetVDPAUDevice"))
print(sorted({{line.split()[-1] for line in open("/proc/self/maps") if "cudart" in line}}))
"""
    assert run_python(code, **FAKE_LIBRARY).splitlines() == ["1 1", str([path])]


def test_a25_an_egl_frame_that_is_returned_is_the_caller_s_own(driver, runtime, cuda, cudart):
    for module, recorder, name, cls in ((driver, cuda, "cuEGLStreamProducerReturnFrame", "CUeglFrame"),
                                        (runtime, cudart, "cudaEGLStreamProducerReturnFrame", "cudaEglFrame")):
        frame = getattr(module, cls)()
        data = bytes(i & 0xFF for i in range(module.sizeof(getattr(module, cls))))
        seen = script(recorder, name, peeks={1: len(data)}, writes={1: data})
        assert getattr(module, name)(None, frame, None)[0] == 0
        assert seen.memory[1] == bytes(len(data)) and seen.words[1] == frame.getPtr() and bytes(frame) == data


def messages(driver, runtime, nvrtc):
    """What the errors of many kinds say."""
    record = driver.CUDA_MEMCPY2D()
    for call in (lambda: driver.cuMemAlloc("8"), lambda: driver.cuMemAlloc(1.5), lambda: driver.cuMemAlloc(-1),
                 lambda: driver.cuMemcpyHtoD(1, "text", 4), lambda: driver.cuMemcpyHtoD(1, object(), 4),
                 lambda: driver.cuStreamSynchronize(driver.CUevent(1)), lambda: driver.cuMemcpy2D(5),
                 lambda: driver.cuDeviceGetAttribute(int, 0), lambda: driver.cuDeviceGetAttribute(int(1), None),
                 lambda: driver.cuGraphAddEmptyNode(1, [1], 2), lambda: driver.cuModuleGetFunction(1, "name"),
                 lambda: driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, 5.5, 0), lambda: driver.sizeof(int),
                 lambda: driver.CUresult(12345), lambda: driver.CUstream("a"), lambda: driver.CUdeviceptr(1, 2, 3),
                 lambda: setattr(record, "srcHost", 1.5), lambda: setattr(record, "Height", "x"),
                 lambda: setattr(driver.CUuuid(), "bytes", b""), lambda: driver.CUDA_MEMCPY2D("a"),
                 lambda: runtime.cudaMemcpy(0, 0, 4, 5.5), lambda: runtime.cudaSetDevice(None),
                 lambda: runtime.cudaMallocArray(None, None, 1, 0), lambda: nvrtc.nvrtcCreateProgram(1, b"", 0, [], []),
                 lambda: nvrtc.nvrtcGetPTX(1, "text"), lambda: runtime.no_such_name):
        with pytest.raises((TypeError, ValueError, OverflowError, RuntimeError, AttributeError)) as caught:
            call()
        yield str(caught.value)


def test_a28_messages_are_whole_and_speak_of_what_the_user_wrote(driver, runtime, nvrtc):
    texts = list(messages(driver, runtime, nvrtc))
    assert len(texts) == 26
    for text in texts:
        assert text and text.count("(") == text.count(")") and text.count("'") != 1, text
        assert not re.search(r"cydriver|cyruntime|cynvrtc|_native|__cinit__|implimenting|<class 'type'>", text), text


def test_a31_nothing_needs_numpy():
    code = """
import sys
sys.modules["numpy"] = None         # importing it fails from here on
import ctypes
from cuda_bindings import driver, runtime, nvrtc, utils
for module in (driver, runtime, nvrtc):
    for name in dir(module):
        getattr(module, name)
print(nvrtc.nvrtcCreateProgram(b"", b"x.cu", 0, [], [])[0] == 0, runtime.cudaMemcpy(bytearray(8), 4096, 8, 2)[0] == 0,
      driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, ((1, 2.5), (ctypes.c_int, ctypes.c_float)), 0)[0] == 0)
"""
    assert run_python(code, **FAKE_LIBRARY) == "True True True"


# --- all of them ---------------------------------------------------------------------------------------------------

def checks(function: ast.FunctionDef, helpers: set[str]) -> bool:
    """Whether a test can fail: it asserts, expects an exception, or calls a helper of its file that asserts."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"pytest.raises", *helpers}:
            return True
    return False


def test_every_weakness_has_a_test_of_its_own_name():
    found: dict[int, list[str]] = {}
    for file in Path(__file__).parent.glob("test_*.py"):
        functions = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
        helpers = {each.name for each in functions if any(isinstance(node, ast.Assert) for node in ast.walk(each))}
        for function in functions:
            number = re.match(r"test_a(\d+)_", function.name)
            decorators = "".join(map(ast.unparse, function.decorator_list))
            if number and "skip" not in decorators and checks(function, helpers):
                found.setdefault(int(number[1]), []).append(function.name)
    assert set(found) == set(range(1, 32)) - EXEMPT
