# SPDX-License-Identifier: Apache-2.0
"""Functions that return arrays own what they return: it stays as it was, whatever the library's memory becomes.

Each case is written down by hand: which parameters the library fills, with which bytes, and what they mean.
"""

from __future__ import annotations

import ctypes
import gc
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from api_table import MODULES, table
from recorder import i32, read, u64, write

EDGES = [(1, 2, 1), (3, 4, 0)]
EDGE_BYTES = b"".join(struct.pack("<BBB5x", *edge) for edge in EDGES)
COUNTS = (u64(2), struct.pack("<I", 2))
RESOURCES = [bytes([number]) * 144 for number in (1, 2)]


class Case(NamedTuple):
    """One function. `filled`: parameter -> bytes that the library writes; `static`: -> bytes that it points at."""

    module: str
    name: str
    link: str
    call: Callable[[Any], tuple]
    filled: dict[int, bytes]
    expected: list
    static: dict[int, bytes] = {}



CASES = [
    Case("driver", "cuGraphGetNodes", "cuGraphGetNodes", lambda m: m.cuGraphGetNodes(1, 2),
         {1: u64(11, 12), 2: u64(2)}, [[11, 12], 2]),
    Case("driver", "cuGraphGetRootNodes", "cuGraphGetRootNodes", lambda m: m.cuGraphGetRootNodes(1, 2),
         {1: u64(13, 14), 2: u64(2)}, [[13, 14], 2]),
    Case("driver", "cuGraphGetEdges", "cuGraphGetEdges_v2", lambda m: m.cuGraphGetEdges(1, 2),
         {1: u64(1, 2), 2: u64(3, 4), 3: EDGE_BYTES, 4: u64(2)}, [[1, 2], [3, 4], EDGES, 2]),
    Case("driver", "cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2",
         lambda m: m.cuGraphNodeGetDependencies(1, 2), {1: u64(5, 6), 2: EDGE_BYTES, 3: u64(2)}, [[5, 6], EDGES, 2]),
    Case("driver", "cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2",
         lambda m: m.cuGraphNodeGetDependentNodes(1, 2), {1: u64(7, 8), 2: EDGE_BYTES, 3: u64(2)}, [[7, 8], EDGES, 2]),
    Case("driver", "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", lambda m: m.cuStreamGetCaptureInfo(1),
         {1: i32(1), 2: u64(9), 3: u64(10), 6: u64(2)}, [1, 9, 10, [21, 22], EDGES, 2],
         {4: u64(21, 22), 5: EDGE_BYTES}),
    Case("driver", "cuStreamGetCaptureInfo_v2", "cuStreamGetCaptureInfo_v2", lambda m: m.cuStreamGetCaptureInfo_v2(1),
         {1: i32(1), 2: u64(9), 3: u64(10), 5: u64(2)}, [1, 9, 10, [23, 24], 2], {4: u64(23, 24)}),
    Case("driver", "cuModuleEnumerateFunctions", "cuModuleEnumerateFunctions",
         lambda m: m.cuModuleEnumerateFunctions(2, 1), {0: u64(31, 32)}, [[31, 32]]),
    Case("driver", "cuLibraryEnumerateKernels", "cuLibraryEnumerateKernels",
         lambda m: m.cuLibraryEnumerateKernels(2, 1), {0: u64(33, 34)}, [[33, 34]]),
    Case("driver", "cuGLGetDevices", "cuGLGetDevices_v2",
         lambda m: m.cuGLGetDevices(2, m.CUGLDeviceList.CU_GL_DEVICE_LIST_ALL), {0: struct.pack("<I", 2), 1: i32(5, 6)},
         [2, [5, 6]]),
    Case("driver", "cuDevSmResourceSplitByCount", "cuDevSmResourceSplitByCount",
         lambda m: m.cuDevSmResourceSplitByCount(2, m.CUdevResource(), 0, 1),
         {0: b"".join(RESOURCES), 1: struct.pack("<I", 2), 3: bytes([9]) * 144}, [RESOURCES, 2, bytes([9]) * 144]),
    Case("driver", "cuDeviceGetHostAtomicCapabilities", "cuDeviceGetHostAtomicCapabilities",
         lambda m: m.cuDeviceGetHostAtomicCapabilities([m.CUatomicOperation(0), m.CUatomicOperation(1)], 2, 0),
         {0: struct.pack("<2I", 41, 42)}, [[41, 42]]),
    Case("driver", "cuDeviceGetP2PAtomicCapabilities", "cuDeviceGetP2PAtomicCapabilities",
         lambda m: m.cuDeviceGetP2PAtomicCapabilities([m.CUatomicOperation(0), m.CUatomicOperation(1)], 2, 0, 1),
         {0: struct.pack("<2I", 43, 44)}, [[43, 44]]),
    Case("driver", "cuMemRangeGetAttribute", "cuMemRangeGetAttribute",
         lambda m: m.cuMemRangeGetAttribute(12, m.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, 1, 1),
         {0: i32(1, 2, -2)}, [[1, 2, -2]]),
    Case("driver", "cuDeviceGetName", "cuDeviceGetName", lambda m: m.cuDeviceGetName(8, 0), {0: b"H200\0"},
         [b"H200\0\0\0\0"]),
    Case("driver", "cuDeviceGetLuid", "cuDeviceGetLuid", lambda m: m.cuDeviceGetLuid(0),
         {0: b"\1\0\2\0\3\0\4\0", 1: i32(3)}, [b"\1\0\2\0\3\0\4\0", 3]),
    Case("driver", "cuKernelGetName", "cuKernelGetName", lambda m: m.cuKernelGetName(1), {}, [b"a kernel"],
         {0: b"a kernel\0"}),
    Case("driver", "cuFuncGetName", "cuFuncGetName", lambda m: m.cuFuncGetName(1), {}, [b"a function"],
         {0: b"a function\0"}),
    Case("driver", "cuGetErrorString", "cuGetErrorString", lambda m: m.cuGetErrorString(m.CUresult(1)), {},
         [b"a reason"], {1: b"a reason\0"}),
    Case("runtime", "cudaGraphGetNodes", "cudaGraphGetNodes", lambda m: m.cudaGraphGetNodes(1, 2),
         {1: u64(11, 12), 2: u64(2)}, [[11, 12], 2]),
    Case("runtime", "cudaGraphGetRootNodes", "cudaGraphGetRootNodes", lambda m: m.cudaGraphGetRootNodes(1, 2),
         {1: u64(13, 14), 2: u64(2)}, [[13, 14], 2]),
    Case("runtime", "cudaGraphGetEdges", "cudaGraphGetEdges", lambda m: m.cudaGraphGetEdges(1, 2),
         {1: u64(1, 2), 2: u64(3, 4), 3: EDGE_BYTES, 4: u64(2)}, [[1, 2], [3, 4], EDGES, 2]),
    Case("runtime", "cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependencies",
         lambda m: m.cudaGraphNodeGetDependencies(1, 2), {1: u64(5, 6), 2: EDGE_BYTES, 3: u64(2)}, [[5, 6], EDGES, 2]),
    Case("runtime", "cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetDependentNodes",
         lambda m: m.cudaGraphNodeGetDependentNodes(1, 2), {1: u64(7, 8), 2: EDGE_BYTES, 3: u64(2)},
         [[7, 8], EDGES, 2]),
    Case("runtime", "cudaStreamGetCaptureInfo", "cudaStreamGetCaptureInfo",
         lambda m: m.cudaStreamGetCaptureInfo(1), {1: i32(1), 2: u64(9), 3: u64(10), 6: u64(2)},
         [1, 9, 10, [21, 22], EDGES, 2], {4: u64(21, 22), 5: EDGE_BYTES}),
    Case("runtime", "cudaLibraryEnumerateKernels", "cudaLibraryEnumerateKernels",
         lambda m: m.cudaLibraryEnumerateKernels(2, 1), {0: u64(33, 34)}, [[33, 34]]),
    Case("runtime", "cudaGLGetDevices", "cudaGLGetDevices",
         lambda m: m.cudaGLGetDevices(2, m.cudaGLDeviceList.cudaGLDeviceListAll),
         {0: struct.pack("<I", 2), 1: i32(5, 6)}, [2, [5, 6]]),
    Case("runtime", "cudaDeviceGetPCIBusId", "cudaDeviceGetPCIBusId", lambda m: m.cudaDeviceGetPCIBusId(6, 0),
         {0: b"00:1\0"}, [b"00:1\0\0"]),
    Case("runtime", "cudaDeviceGetHostAtomicCapabilities", "cudaDeviceGetHostAtomicCapabilities",
         lambda m: m.cudaDeviceGetHostAtomicCapabilities([m.cudaAtomicOperation(0), m.cudaAtomicOperation(1)], 2, 0),
         {0: struct.pack("<2I", 41, 42)}, [[41, 42]]),
    Case("runtime", "cudaDeviceGetP2PAtomicCapabilities", "cudaDeviceGetP2PAtomicCapabilities",
         lambda m: m.cudaDeviceGetP2PAtomicCapabilities([m.cudaAtomicOperation(0), m.cudaAtomicOperation(1)], 2, 0, 1),
         {0: struct.pack("<2I", 43, 44)}, [[43, 44]]),
    Case("runtime", "cudaMemRangeGetAttribute", "cudaMemRangeGetAttribute",
         lambda m: m.cudaMemRangeGetAttribute(12, m.cudaMemRangeAttribute.cudaMemRangeAttributeAccessedBy, 1, 1),
         {0: i32(1, 2, -2)}, [[1, 2, -2]]),
    Case("runtime", "cudaFuncGetName", "cudaFuncGetName", lambda m: m.cudaFuncGetName(1), {}, [b"a function"],
         {0: b"a function\0"}),
    Case("driver", "cuDeviceGetPCIBusId", "cuDeviceGetPCIBusId", lambda m: m.cuDeviceGetPCIBusId(6, 0),
         {0: b"00:1\0"}, [b"00:1\0\0"]),
    Case("driver", "cuCoredumpGetAttribute", "cuCoredumpGetAttribute",
         lambda m: m.cuCoredumpGetAttribute(m.CUcoredumpSettings.CU_COREDUMP_FILE), {1: b"core.1\0"}, [b"core.1"]),
    Case("nvrtc", "nvrtcGetLoweredName", "nvrtcGetLoweredName", lambda m: m.nvrtcGetLoweredName(1, b"k"), {},
         [b"_Z1kv"], {2: b"_Z1kv\0"}),
]

# Of one value after another, or asked for in two calls: test_attributes.py, test_nvrtc.py and test_safety.py have them.
ELSEWHERE = {"cuMemRangeGetAttributes", "cuPointerGetAttributes", "cudaMemRangeGetAttributes", "nvrtcGetSupportedArchs"}
# Texts as cuGetErrorString gives them.
TEXTS = {"cuGetErrorName", "cudaGetErrorName", "cudaGetErrorString", "nvrtcGetErrorString"}


def plain(value: Any) -> Any:
    """A result as numbers and bytes."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if hasattr(value, "from_port"):
        return value.from_port, value.to_port, value.type
    if hasattr(value, "to_dict"):
        return bytes(value)
    return value if isinstance(value, bytes) else int(value)


def places(value: Any) -> list[int]:
    """Where the objects of a list lie."""
    if isinstance(value, list):
        return [place for each in value for place in places(each)]
    return [value.getPtr()] if hasattr(value, "getPtr") else []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_returned_is_the_caller_s_own(case, modules, recorders):
    statics = {index: ctypes.create_string_buffer(content, len(content)) for index, content in case.static.items()}
    scratch: list[range] = []

    def handler(name: str, words) -> int:
        for index, content in case.filled.items():
            write(words[index], content)
            scratch.append(range(words[index], words[index] + len(content)))
        for index, content in statics.items():
            write(words[index], u64(ctypes.addressof(content)))
            scratch.append(range(ctypes.addressof(content), ctypes.addressof(content) + len(content)))
        return 0

    def again(name: str, words) -> int:
        for index, content in case.filled.items():      # other bytes of the same length; counts stay
            write(words[index], content if content in COUNTS else bytes(byte ^ 0x55 for byte in content))
        for index, content in statics.items():
            write(words[index], u64(ctypes.addressof(content)))
        return 0

    module, recorder = modules[case.module], recorders[case.module]
    recorder.on(case.link, handler)
    result = case.call(module)[1:]
    assert plain(list(result)) == case.expected
    lists = [place for value in result if isinstance(value, list) for place in places(value)]
    assert not any(place in memory for place in lists for memory in scratch)
    for buffer in statics.values():
        ctypes.memset(buffer, 0x5A, len(buffer) - 1)
    recorder.on(case.link, again)
    others = [case.call(module) for _ in range(50)]
    gc.collect()
    assert plain(list(result)) == case.expected and len(others) == 50
    assert len(set(lists)) == len(lists), "elements share memory"


def test_no_function_that_returns_an_array_is_left_out():
    returning = {row["name"] for module in MODULES for row in table()["functions"][module]
                 if any(token.startswith(("[", "bytes")) for token in row["outputs"])}
    assert returning - {case.name for case in CASES} == ELSEWHERE | TEXTS


def test_what_is_returned_can_be_changed_without_the_others(driver, cuda):
    def handler(name: str, words) -> int:
        write(words[1], u64(1, 2))
        write(words[2], u64(1, 2))
        write(words[3], EDGE_BYTES)
        write(words[4], u64(2))
        return 0
    cuda.on("cuGraphGetEdges_v2", handler)
    sources, targets, edges, count = driver.cuGraphGetEdges(1, 2)[1:]
    edges[0].from_port = 77
    ctypes.c_uint64.from_address(sources[0].getPtr()).value = 99
    assert [int(node) for node in targets] == [1, 2] and int(sources[1]) == 2 and count == 2
    assert (edges[1].from_port, edges[0].to_port) == (3, 2)
    second = driver.cuGraphGetEdges(1, 2)[3]
    assert second[0].from_port == 1 and read(edges[0].getPtr(), 1) == b"\x4d"
