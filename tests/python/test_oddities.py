# SPDX-License-Identifier: Apache-2.0
"""Functions chosen for their oddity, with expectations written out in full; "b1" to "b25" name the special cases."""

from __future__ import annotations

import ctypes
import enum
import os
import struct
import subprocess
import sys

import pytest
from recorder import read, script, write_number


def u64(*values: int) -> bytes:
    """Numbers as consecutive 64-bit words."""
    return struct.pack(f"<{len(values)}Q", *values)


def i32(*values: int) -> bytes:
    """Numbers as consecutive C ints."""
    return struct.pack(f"<{len(values)}i", *values)


# --- b1: arity on failure ------------------------------------------------------------------------------------------

def test_b1_one_output_is_none_on_failure(driver, cuda):
    script(cuda, "cuMemAlloc_v2", status=2)
    assert driver.cuMemAlloc(64) == (driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY, None)


def test_b1_no_output_is_a_tuple_of_one(driver, cuda):
    assert driver.cuMemFree(driver.CUdeviceptr(0x1000)) == (driver.CUresult.CUDA_SUCCESS,)
    script(cuda, "cuMemFree_v2", status=1)
    assert driver.cuMemFree(0x1000) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE,)


def test_b1_list_outputs_are_none_on_failure(driver, cuda):
    script(cuda, "cuStreamGetCaptureInfo_v3", status=400)
    assert driver.cuStreamGetCaptureInfo(0) == (
        driver.CUresult.CUDA_ERROR_INVALID_HANDLE, None, None, None, None, None, None)


def test_b1_two_outputs_are_none_on_failure(runtime, cudart):
    script(cudart, "cudaMemGetInfo", status=46)
    assert runtime.cudaMemGetInfo() == (runtime.cudaError_t.cudaErrorDevicesUnavailable, None, None)


# --- b2: which ABI a name means ------------------------------------------------------------------------------------

def test_b2_ctx_create_takes_parameters_flags_and_device(driver, cuda):
    seen = script(cuda, "cuCtxCreate_v4", writes={0: u64(0x77)})
    params = driver.CUctxCreateParams()
    status, context = driver.cuCtxCreate(params, 5, driver.CUdevice(3))
    assert status == driver.CUresult.CUDA_SUCCESS
    assert type(context) is driver.CUcontext and int(context) == 0x77
    assert seen.words[1] == params.getPtr()
    assert [w & 0xFFFFFFFF for w in seen.words[2:4]] == [5, 3]


def test_b2_ctx_create_without_parameters_passes_null(driver, cuda):
    seen = script(cuda, "cuCtxCreate_v4", writes={0: u64(0x78)})
    assert int(driver.cuCtxCreate(None, 0, 0)[1]) == 0x78
    assert seen.words[1] == 0


def test_ctx_create_of_cuda_12_takes_flags_and_device(driver, cuda):
    seen = script(cuda, "cuCtxCreate_v2", writes={0: u64(0x79)})
    status, context = driver.cuCtxCreate(4, driver.CUdevice(1))
    assert (status, int(context)) == (driver.CUresult.CUDA_SUCCESS, 0x79)
    assert [w & 0xFFFFFFFF for w in seen.words[1:3]] == [4, 1]


def test_b2_ctx_get_device_and_its_second_form(driver, cuda):
    script(cuda, "cuCtxGetDevice", writes={0: i32(2)})
    second = script(cuda, "cuCtxGetDevice_v2", writes={0: i32(6)})
    assert int(driver.cuCtxGetDevice()[1]) == 2
    device = driver.cuCtxGetDevice_v2(driver.CUcontext(0x99))[1]
    assert type(device) is driver.CUdevice and int(device) == 6
    assert second.words[1] == 0x99


def test_b2_stream_get_ctx_and_its_second_form(driver, cuda):
    script(cuda, "cuStreamGetCtx", writes={1: u64(0x11)})
    script(cuda, "cuStreamGetCtx_v2", writes={1: u64(0), 2: u64(0x22)})
    status, context = driver.cuStreamGetCtx(driver.CUstream(1))
    assert (status, int(context)) == (0, 0x11)
    status, context, green = driver.cuStreamGetCtx_v2(driver.CUstream(1))
    assert int(context) == 0
    assert type(green) is driver.CUgreenCtx and int(green) == 0x22


def test_b2_graph_instantiate_is_the_form_with_flags(driver, cuda):
    seen = script(cuda, "cuGraphInstantiateWithFlags", writes={0: u64(0x33)})
    status, executable = driver.cuGraphInstantiate(driver.CUgraph(0x44), 2**40)
    assert type(executable) is driver.CUgraphExec and int(executable) == 0x33
    assert seen.words[1:3] == [0x44, 2**40]


# --- b3: graph queries ---------------------------------------------------------------------------------------------

def test_b3_without_room_only_the_count_comes_back(driver, cuda):
    seen = script(cuda, "cuGraphGetNodes", writes={2: u64(9)}, peeks={2: 8})
    assert driver.cuGraphGetNodes(driver.CUgraph(1)) == (driver.CUresult.CUDA_SUCCESS, [], 9)
    assert seen.words[1] == 0
    assert seen.memory[2] == u64(0)


def test_b3_room_for_n_gives_n_entries(driver, cuda):
    script(cuda, "cuGraphGetNodes", writes={1: u64(0xA, 0xB), 2: u64(2)})
    status, nodes, count = driver.cuGraphGetNodes(driver.CUgraph(1), 4)
    assert [int(n) for n in nodes] == [0xA, 0xB, 0, 0]
    assert {type(n) for n in nodes} == {driver.CUgraphNode}
    assert count == 2


def test_b3_edges_are_a_tuple_of_five_and_own_their_data(runtime, cudart):
    edge = struct.pack("<BBB5s", 1, 2, 1, b"\0" * 5)
    script(cudart, "cudaGraphGetEdges", writes={1: u64(0xA), 2: u64(0xB), 3: edge, 4: u64(1)})
    status, sources, targets, edges, count = runtime.cudaGraphGetEdges(runtime.cudaGraph_t(1), 1)
    assert ([int(n) for n in sources], [int(n) for n in targets], count) == ([0xA], [0xB], 1)
    script(cudart, "cudaGraphGetEdges", writes={1: u64(0), 2: u64(0), 3: b"\xff" * 8, 4: u64(1)})
    runtime.cudaGraphGetEdges(runtime.cudaGraph_t(1), 1)    # a second query must not touch the first one's edges
    assert type(edges[0]) is runtime.cudaGraphEdgeData
    assert (edges[0].from_port, edges[0].to_port, edges[0].type) == (1, 2, 1)


def test_b3_dependencies_are_a_tuple_of_four(driver, cuda):
    script(cuda, "cuGraphNodeGetDependencies_v2", writes={1: u64(0xC), 2: b"\x03" + bytes(7), 3: u64(1)})
    script(cuda, "cuGraphNodeGetDependencies", writes={1: u64(0xC), 2: b"\x03" + bytes(7), 3: u64(1)})
    status, nodes, edges, count = driver.cuGraphNodeGetDependencies(driver.CUgraphNode(1), numDependencies=1)
    assert ([int(n) for n in nodes], edges[0].from_port, count) == ([0xC], 3, 1)


# --- b4: raw names -------------------------------------------------------------------------------------------------

def test_b4_device_name_takes_the_length_first_and_returns_that_many_bytes(driver, cuda):
    seen = script(cuda, "cuDeviceGetName", writes={0: b"NVIDIA H200\0"})
    status, name = driver.cuDeviceGetName(16, driver.CUdevice(2))
    assert name == b"NVIDIA H200\0\0\0\0\0"
    assert [w & 0xFFFFFFFF for w in seen.words[1:3]] == [16, 2]


def test_device_luid_is_eight_raw_bytes(driver, cuda):
    script(cuda, "cuDeviceGetLuid", writes={0: b"\x01\0\x02\0\0\0\0\x03", 1: struct.pack("<I", 5)})
    assert driver.cuDeviceGetLuid(0) == (driver.CUresult.CUDA_SUCCESS, b"\x01\0\x02\0\0\0\0\x03", 5)


def test_device_uuid_is_a_record_with_read_only_bytes(driver, cuda):
    script(cuda, "cuDeviceGetUuid_v2", writes={0: bytes(range(16))})
    uuid = driver.cuDeviceGetUuid(0)[1]
    assert type(uuid) is driver.CUuuid and uuid.bytes == bytes(range(16))


# --- b5, b6: NVRTC buffers and pointers to handles -----------------------------------------------------------------

def test_b5_ptx_is_written_into_the_bytes_that_were_passed(modules, recorders):
    nvrtc = modules["nvrtc"]
    script(recorders["nvrtc"], "nvrtcGetPTXSize", writes={1: u64(6)})
    script(recorders["nvrtc"], "nvrtcGetPTX", writes={1: b".ptx!\0"})
    ptx = b" " * 6
    hash(ptx)
    assert nvrtc.nvrtcGetPTX(nvrtc.nvrtcProgram(1), ptx) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    assert ptx == b".ptx!\0"
    assert {ptx: 1}[b".ptx!\0"] == 1, "the hash of the old content must be gone"


@pytest.mark.parametrize("buffer", [b"", b"x", b" " * 5, "text", None, memoryview(b" " * 6)])
def test_b5_a_buffer_that_is_shared_short_or_read_only_is_refused(modules, recorders, buffer):
    nvrtc = modules["nvrtc"]
    script(recorders["nvrtc"], "nvrtcGetPTXSize", writes={1: u64(6)})
    seen = script(recorders["nvrtc"], "nvrtcGetPTX")
    with pytest.raises((TypeError, ValueError)):
        nvrtc.nvrtcGetPTX(nvrtc.nvrtcProgram(1), buffer)
    assert seen.count == 0


def test_b6_destroy_program_takes_the_object_and_zeroes_it(modules, recorders):
    nvrtc = modules["nvrtc"]
    program = nvrtc.nvrtcProgram(0x55)
    seen = script(recorders["nvrtc"], "nvrtcDestroyProgram", peeks={0: 8}, writes={0: u64(0)})
    assert nvrtc.nvrtcDestroyProgram(program) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    assert (seen.words[0], seen.memory[0]) == (program.getPtr(), u64(0x55))
    assert int(program) == 0


def test_b6_destroy_program_takes_an_int_as_the_address_of_a_handle(modules, recorders):
    slot = ctypes.c_uint64(0x66)
    seen = script(recorders["nvrtc"], "nvrtcDestroyProgram", peeks={0: 8})
    modules["nvrtc"].nvrtcDestroyProgram(ctypes.addressof(slot))
    assert seen.memory[0] == u64(0x66)


def test_supported_archs_reports_a_failing_count(modules, recorders):
    nvrtc = modules["nvrtc"]
    script(recorders["nvrtc"], "nvrtcGetNumSupportedArchs", status=11)
    assert nvrtc.nvrtcGetSupportedArchs() == (nvrtc.nvrtcResult.NVRTC_ERROR_INTERNAL_ERROR, None)


def test_b6_egl_connection_goes_by_its_own_slot(driver, cuda):
    connection = driver.CUeglStreamConnection(0x42)
    seen = script(cuda, "cuEGLStreamConsumerDisconnect", peeks={0: 8})
    driver.cuEGLStreamConsumerDisconnect(connection)
    assert (seen.words[0], seen.memory[0]) == (connection.getPtr(), u64(0x42))


def test_b6_graphics_resources_are_an_array_behind_an_address(driver, cuda):
    array = (ctypes.c_uint64 * 2)(0x1, 0x2)
    seen = script(cuda, "cuGraphicsMapResources", peeks={1: 16})
    driver.cuGraphicsMapResources(2, ctypes.addressof(array), None)
    assert seen.memory[1] == u64(1, 2)
    with pytest.raises(TypeError):
        driver.cuGraphicsMapResources(1, driver.CUstream(1), None)


# --- b7: addresses are ints, device pointers are objects -----------------------------------------------------------

def test_b7_mem_alloc_gives_a_device_pointer(driver, cuda):
    seen = script(cuda, "cuMemAlloc_v2", writes={0: u64(0x7F00_0000_0000)})
    status, pointer = driver.cuMemAlloc(64)
    assert type(pointer) is driver.CUdeviceptr and int(pointer) == 0x7F00_0000_0000
    assert seen.words[1] == 64


def test_b7_cuda_malloc_gives_an_int(runtime, cudart):
    script(cudart, "cudaMalloc", writes={0: u64(0x7F00_0000_0000)})
    status, pointer = runtime.cudaMalloc(64)
    assert type(pointer) is int and pointer == 0x7F00_0000_0000


def test_b7_host_memory_is_an_int(driver, cuda):
    script(cuda, "cuMemAllocHost_v2", writes={0: u64(0x5000)})
    assert driver.cuMemAllocHost(8) == (driver.CUresult.CUDA_SUCCESS, 0x5000)


def test_b7_graph_free_node_differs_between_the_modules(driver, runtime, cuda, cudart):
    script(cuda, "cuGraphMemFreeNodeGetParams", writes={1: u64(0x8000)})
    script(cudart, "cudaGraphMemFreeNodeGetParams", writes={1: u64(0x9000)})
    pointer = driver.cuGraphMemFreeNodeGetParams(driver.CUgraphNode(1))[1]
    assert type(pointer) is driver.CUdeviceptr and int(pointer) == 0x8000
    assert runtime.cudaGraphMemFreeNodeGetParams(runtime.cudaGraphNode_t(1)) == (
        runtime.cudaError_t.cudaSuccess, 0x9000)


# --- b8: in and out ------------------------------------------------------------------------------------------------

def test_b8_capture_mode_is_exchanged(driver, cuda):
    modes = driver.CUstreamCaptureMode
    seen = script(cuda, "cuThreadExchangeStreamCaptureMode", peeks={0: 4}, writes={0: i32(0)})
    assert driver.cuThreadExchangeStreamCaptureMode(modes.CU_STREAM_CAPTURE_MODE_RELAXED) == (
        driver.CUresult.CUDA_SUCCESS, modes.CU_STREAM_CAPTURE_MODE_GLOBAL)
    assert seen.memory[0] == i32(2)


def test_b8_log_iterator_is_the_same_object(driver, cuda):
    iterator = driver.CUlogIterator(3)
    script(cuda, "cuLogsDumpToFile", writes={0: struct.pack("<I", 8)})
    status, after = driver.cuLogsDumpToFile(iterator, b"/dev/null", 0)
    assert after is iterator and int(iterator) == 8
    with pytest.raises(TypeError):
        driver.cuLogsDumpToFile(3, b"/dev/null", 0)


def test_b8_log_memory_is_written_in_place(driver, cuda):
    buffer = b" " * 32
    seen = script(cuda, "cuLogsDumpToMemory", writes={1: b"one line\0", 2: u64(9)}, peeks={2: 8})
    status, iterator, size = driver.cuLogsDumpToMemory(None, buffer, 32, 0)
    assert (iterator, size, buffer[:9]) == (None, 9, b"one line\0")
    assert (seen.words[0], seen.memory[2]) == (0, u64(32))


def test_b8_split_counts_go_in_and_out(driver, cuda):
    resource = driver.CUdevResource()
    group = driver.sizeof(driver.CUdevResource)
    seen = script(cuda, "cuDevSmResourceSplitByCount", peeks={1: 4},
                  writes={0: b"\x01" * group * 2, 1: struct.pack("<I", 2), 3: b"\x02" * group})
    status, groups, count, rest = driver.cuDevSmResourceSplitByCount(2, resource, 0, 8)
    assert seen.memory[1] == struct.pack("<I", 2)
    assert [type(g) for g in groups] == [driver.CUdevResource] * 2
    assert (count, type(rest)) == (2, driver.CUdevResource)


def test_b8_alloc_node_fills_the_pointer_in_the_passed_record(driver, cuda):
    params = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
    params.bytesize = 1 << 20
    offset = _offset_of(params, "dptr", 0x1122_3344_5566_7788)
    params.dptr = 0

    def handler(link: str, words) -> int:
        write_number(words[4] + offset, 0xABC0_0000, 8)
        write_number(words[0], 0x51, 8)
        return 0
    cuda.on("cuGraphAddMemAllocNode", handler)
    status, node = driver.cuGraphAddMemAllocNode(driver.CUgraph(1), None, 0, params)
    assert (int(node), int(params.dptr), params.bytesize) == (0x51, 0xABC0_0000, 1 << 20)


def _offset_of(record: object, member: str, marker: int) -> int:
    """Where a 64-bit member stands, found by writing a mark through it."""
    setattr(record, member, marker)
    return ctypes.string_at(record.getPtr(), 128).index(marker.to_bytes(8, "little"))


def test_b8_conditional_node_gives_its_body_graphs(driver, cuda):
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.handle = driver.CUgraphConditionalHandle(7)
    params.conditional.type = driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_IF
    params.conditional.size = 2
    assert [int(g) for g in params.conditional.phGraph_out] == [0, 0], "room for two before the call"
    bodies = (ctypes.c_uint64 * 2)(0xB1, 0xB2)

    def handler(link: str, words) -> int:
        # CUgraphNodeParams: type, 12 reserved bytes, then the union; handle 8, type 4, size 4, phGraph_out 8.
        assert read(words[5] + 16, 8) == u64(7)
        write_number(words[5] + 32, ctypes.addressof(bodies), 8)
        write_number(words[0], 0x52, 8)
        return 0
    cuda.on("cuGraphAddNode_v2", handler)
    cuda.on("cuGraphAddNode", handler)
    status, node = driver.cuGraphAddNode(driver.CUgraph(1), None, None, 0, params)
    assert int(node) == 0x52
    assert [int(g) for g in params.conditional.phGraph_out] == [0xB1, 0xB2]
    assert type(params.conditional.phGraph_out[0]) is driver.CUgraph
    with pytest.raises(AttributeError):
        params.conditional.phGraph_out = []


def test_b8_instantiate_params_report_their_result(driver, cuda):
    params = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
    params.flags = 3

    def handler(link: str, words) -> int:
        # flags 8, upload stream 8, error node 8, result 4
        assert read(words[2], 8) == u64(3)
        write_number(words[2] + 16, 0xE0, 8)
        write_number(words[2] + 24, 1, 4)
        write_number(words[0], 0x61, 8)
        return 0
    cuda.on("cuGraphInstantiateWithParams", handler)
    driver.cuGraphInstantiateWithParams(driver.CUgraph(1), params)
    assert int(params.hErrNode_out) == 0xE0
    assert params.result_out == driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_ERROR


# --- b9: attributes have types of their own ------------------------------------------------------------------------

def test_b9_pool_sizes_are_objects_in_both_modules(driver, runtime, cuda, cudart):
    script(cuda, "cuMemPoolGetAttribute", writes={2: u64(2**63)})
    script(cudart, "cudaMemPoolGetAttribute", writes={2: u64(2**62)})
    size = driver.cuMemPoolGetAttribute(1, driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_USED_MEM_HIGH)[1]
    assert type(size) is driver.cuuint64_t and int(size) == 2**63
    size = runtime.cudaMemPoolGetAttribute(1, runtime.cudaMemPoolAttr.cudaMemPoolAttrUsedMemHigh)[1]
    assert type(size) is driver.cuuint64_t and int(size) == 2**62


def test_b9_pool_switches_are_ints(driver, cuda):
    script(cuda, "cuMemPoolGetAttribute", writes={2: i32(1)})
    assert driver.cuMemPoolGetAttribute(
        1, driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES) == (0, 1)


@pytest.mark.parametrize(("name", "stored", "expected"), [
    ("CONTEXT", u64(0x71), ("CUcontext", 0x71)),
    ("MEMORY_TYPE", i32(2), 2),
    ("DEVICE_POINTER", u64(0x7000), ("CUdeviceptr", 0x7000)),
    ("HOST_POINTER", u64(0x6000), 0x6000),
    ("SYNC_MEMOPS", b"\x01", True),
    ("BUFFER_ID", u64(2**64 - 1), 2**64 - 1),
    ("IS_MANAGED", b"\x00", False),
    ("DEVICE_ORDINAL", i32(3), 3),
    ("IS_LEGACY_CUDA_IPC_CAPABLE", b"\x01", True),
    ("RANGE_START_ADDR", u64(0x8000), ("CUdeviceptr", 0x8000)),
    ("RANGE_SIZE", u64(4096), 4096),
    ("MAPPED", b"\x01", True),
    ("MEMPOOL_HANDLE", u64(0x91), ("CUmemoryPool", 0x91)),
    ("MAPPING_SIZE", u64(8192), 8192),
    ("MAPPING_BASE_ADDR", u64(0xA000), ("CUdeviceptr", 0xA000)),
    ("MEMORY_BLOCK_ID", u64(77), 77),
    ("IS_HW_DECOMPRESS_CAPABLE", b"\x01", True),
])
def test_b9_pointer_attributes(driver, cuda, name, stored, expected):
    seen = script(cuda, "cuPointerGetAttribute", writes={0: stored})
    attribute = getattr(driver.CUpointer_attribute, "CU_POINTER_ATTRIBUTE_" + name)
    status, value = driver.cuPointerGetAttribute(attribute, 0x1234)
    assert seen.words[1] & 0xFFFFFFFF == int(attribute) and seen.words[2] == 0x1234
    if isinstance(expected, tuple):
        assert (type(value).__name__, int(value)) == expected
    else:
        assert (type(value), value) == (type(expected), expected)


def test_b9_pointer_tokens_are_a_record(driver, cuda):
    script(cuda, "cuPointerGetAttribute", writes={0: struct.pack("<QI4x", 5, 6)})
    tokens = driver.cuPointerGetAttribute(driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_P2P_TOKENS, 1)[1]
    assert type(tokens) is driver.CUDA_POINTER_ATTRIBUTE_P2P_TOKENS
    assert (tokens.p2pToken, tokens.vaSpaceToken) == (5, 6)


def test_b9_accessed_by_is_a_list_as_long_as_the_size_allows(driver, cuda):
    seen = script(cuda, "cuMemRangeGetAttribute", writes={0: i32(0, 1, -2)})
    status, devices = driver.cuMemRangeGetAttribute(
        12, driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, 0x1000, 4096)
    assert devices == [0, 1, -2]
    assert seen.words[1] == 12


@pytest.mark.parametrize("name", ["READ_MOSTLY", "PREFERRED_LOCATION", "LAST_PREFETCH_LOCATION",
                                  "PREFERRED_LOCATION_TYPE", "PREFERRED_LOCATION_ID", "LAST_PREFETCH_LOCATION_TYPE",
                                  "LAST_PREFETCH_LOCATION_ID"])
def test_b9_every_other_range_attribute_is_an_int(driver, cuda, name):
    script(cuda, "cuMemRangeGetAttribute", writes={0: i32(-2)})
    attribute = getattr(driver.CUmem_range_attribute, "CU_MEM_RANGE_ATTRIBUTE_" + name)
    assert driver.cuMemRangeGetAttribute(4, attribute, 0x1000, 4096) == (driver.CUresult.CUDA_SUCCESS, -2)


def test_b9_coredump_flags_are_real_bools_and_texts_are_cut(driver, cuda):
    settings = driver.CUcoredumpSettings
    script(cuda, "cuCoredumpGetAttribute", writes={1: b"\x01"})
    assert driver.cuCoredumpGetAttribute(settings.CU_COREDUMP_LIGHTWEIGHT)[1] is True
    script(cuda, "cuCoredumpGetAttribute", writes={1: b"/tmp/x\0garbage"})
    assert driver.cuCoredumpGetAttribute(settings.CU_COREDUMP_FILE)[1] == b"/tmp/x"
    script(cuda, "cuCoredumpGetAttribute", writes={1: i32(4)})
    flags = driver.cuCoredumpGetAttribute(settings.CU_COREDUMP_GENERATION_FLAGS)[1]
    assert flags == 4 and isinstance(flags, int) and not isinstance(flags, bool)


# --- b10: options --------------------------------------------------------------------------------------------------

def test_b10_numbers_are_packed_into_the_pointers(driver, cuda):
    options = driver.CUjit_option
    seen = script(cuda, "cuModuleLoadDataEx", writes={0: u64(0x31)}, peeks={3: 12, 4: 24})
    status, module = driver.cuModuleLoadDataEx(
        b"ptx\0", 3, [options.CU_JIT_MAX_REGISTERS, options.CU_JIT_TARGET, options.CU_JIT_CACHE_MODE],
        [64, driver.CUjit_target.CU_TARGET_COMPUTE_90, driver.CUjit_cacheMode.CU_JIT_CACHE_OPTION_CA])
    assert int(module) == 0x31
    assert seen.memory[3] == i32(int(options.CU_JIT_MAX_REGISTERS), int(options.CU_JIT_TARGET),
                                 int(options.CU_JIT_CACHE_MODE))
    assert [v & 0xFFFFFFFF for v in struct.unpack("<3Q", seen.memory[4])] == [64, 90, 2]


def test_b10_log_buffers_are_filled_in_place(driver, cuda):
    options = driver.CUjit_option
    log = bytearray(64)

    def handler(link: str, words) -> int:
        address, size = struct.unpack("<2Q", read(words[4], 16))
        assert size == 64
        ctypes.memmove(address, b"ptxas info\0", 11)
        return 0
    cuda.on("cuModuleLoadDataEx", handler)
    driver.cuModuleLoadDataEx(b"ptx\0", 2, [options.CU_JIT_INFO_LOG_BUFFER,
                                            options.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES], [log, 64])
    assert log.startswith(b"ptxas info\0")


def test_b10_no_options_with_a_list_of_keys_is_legal(driver, cuda):
    options = driver.CUjit_option
    seen = script(cuda, "cuModuleLoadDataEx")
    driver.cuModuleLoadDataEx(b"ptx\0", 0, [options.CU_JIT_MAX_REGISTERS] * 5, [])
    assert seen.words[2] & 0xFFFFFFFF == 0


def test_b10_more_options_than_the_lists_hold_are_refused(driver, cuda):
    seen = script(cuda, "cuModuleLoadDataEx")
    with pytest.raises(RuntimeError):
        driver.cuModuleLoadDataEx(b"ptx\0", 2, [driver.CUjit_option.CU_JIT_MAX_REGISTERS], [1])
    with pytest.raises(TypeError):
        driver.cuModuleLoadDataEx(b"ptx\0", 1, [driver.CUresult.CUDA_SUCCESS], [1])
    assert seen.count == 0


def test_b10_link_state_keeps_the_options_alive(driver, cuda):
    options = driver.CUjit_option
    log = bytearray(b"-" * 32)
    places = {}

    def create(link: str, words) -> int:
        places["log"] = struct.unpack("<Q", read(words[2], 8))[0]
        write_number(words[3], 0x99, 8)
        return 0

    def complete(link: str, words) -> int:
        ctypes.memmove(places["log"], b"linked\0", 7)
        write_number(words[1], 0xC0DE, 8)
        write_number(words[2], 100, 8)
        return 0
    cuda.on("cuLinkCreate_v2", create)
    cuda.on("cuLinkComplete", complete)
    status, state = driver.cuLinkCreate(2, [options.CU_JIT_ERROR_LOG_BUFFER,
                                            options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], [log, 32])
    assert type(state) is driver.CUlinkState
    assert driver.cuLinkComplete(state) == (driver.CUresult.CUDA_SUCCESS, 0xC0DE, 100)
    assert log.startswith(b"linked\0")


# --- b11: kernel parameters ----------------------------------------------------------------------------------------

LAUNCH = (1, 2, 3, 4, 5, 6, 7)


def _launch(driver, cuda, parameters, sizes: list[int], extra: int = 0) -> list[bytes]:
    """Launches and returns the bytes that each argument's pointer led to."""
    found: list[bytes] = []

    def handler(link: str, words) -> int:
        assert words[0] == 0x10 and [w & 0xFFFFFFFF for w in words[1:8]] == list(LAUNCH) and words[8] == 0x20
        if sizes:
            found.extend(read(pointer, size)
                         for pointer, size in zip(struct.unpack(f"<{len(sizes)}Q", read(words[9], 8 * len(sizes))),
                                                  sizes, strict=True))
        else:
            assert words[9] == 0
        assert words[10] == extra
        return 0
    cuda.on("cuLaunchKernel", handler)
    assert driver.cuLaunchKernel(driver.CUfunction(0x10), *LAUNCH, driver.CUstream(0x20), parameters, extra) == (0,)
    cuda.check()
    return found


def test_b11_no_parameters(driver, cuda):
    for nothing in (None, 0, ((), ())):
        assert _launch(driver, cuda, nothing, []) == []


def test_b11_values_with_their_types(driver, cuda):
    values = (-1, 2**64 - 1, 1.5, 2.5, True, b"c", ctypes.c_int(9))
    types = (ctypes.c_int, ctypes.c_size_t, ctypes.c_float, ctypes.c_double, ctypes.c_bool, ctypes.c_char,
             ctypes.c_int)
    assert _launch(driver, cuda, (values, types), [4, 8, 4, 8, 1, 1, 4]) == [
        i32(-1), u64(2**64 - 1), struct.pack("<f", 1.5), struct.pack("<d", 2.5), b"\x01", b"c", i32(9)]


def test_b11_type_none_passes_the_value_of_a_handle_and_c_void_p_its_address(driver, cuda):
    pointer = driver.CUdeviceptr(0x7F00_0000_1000)
    assert _launch(driver, cuda, ((pointer, pointer), (None, ctypes.c_void_p)), [8, 8]) == [
        u64(0x7F00_0000_1000), u64(pointer.getPtr())]


def test_b11_structures_by_value_and_enum_members_as_c_ints(driver, cuda):
    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    assert _launch(driver, cuda, ((Pair(3, 4.5), mode), (None, None)), [16, 4]) == [
        struct.pack("<i4xd", 3, 4.5), i32(2)]


def test_b11_records_of_the_package_by_value(driver, runtime, cuda):
    size = runtime.dim3()
    size.y = 9
    assert _launch(driver, cuda, ((size,), (None,)), [12]) == [struct.pack("<3I", 1, 9, 1)]


def test_b11_a_ready_array_by_address_and_by_buffer(driver, cuda):
    value = ctypes.c_int(41)
    array = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    assert _launch(driver, cuda, ctypes.addressof(array), [4]) == [i32(41)]
    assert _launch(driver, cuda, array, [4]) == [i32(41)]
    numpy = pytest.importorskip("numpy")
    packed = numpy.array([ctypes.addressof(value)], dtype=numpy.uint64)
    assert _launch(driver, cuda, packed, [4]) == [i32(41)]
    assert _launch(driver, cuda, packed.ctypes.data, [4]) == [i32(41)]


def test_b11_lists_and_uneven_tuples_are_refused(driver, cuda):
    arguments = (driver.CUfunction(1), *LAUNCH, 0)
    for wrong in ([1], "text", ((1, 2), (ctypes.c_int,)), ((1,), (int,)), ((object(),), (None,))):
        with pytest.raises((TypeError, ValueError)):
            driver.cuLaunchKernel(*arguments, wrong, 0)
    with pytest.raises(TypeError):
        driver.cuLaunchKernel(*arguments, None, None)
    assert cuda.calls == []


def test_kernel_arguments_as_one_flat_tuple(driver, cuda):
    numpy = pytest.importorskip("numpy")
    pointer = driver.CUdeviceptr(0x7F00_0000_2000)
    found = _launch(driver, cuda, (pointer, numpy.float32(2.5), ctypes.c_int(-3), numpy.int64(2**40)), [8, 4, 4, 8])
    assert found == [u64(0x7F00_0000_2000), struct.pack("<f", 2.5), i32(-3), u64(2**40)]


def test_launch_with_configuration_and_attributes(driver, cuda):
    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    attribute.value.cooperative = 1
    config = driver.CUlaunchConfig()
    config.gridDimX, config.blockDimX, config.attrs, config.numAttrs = 4, 128, [attribute], 1

    def handler(link: str, words) -> int:
        # gridDim 3*4, blockDim 3*4, shared 4, stream 8, attrs 8, numAttrs 4
        attrs, count = struct.unpack("<QI", read(words[0] + 40, 12))
        assert count == 1 and read(attrs, 4) == i32(int(attribute.id)) and read(attrs + 8, 4) == i32(1)
        assert read(words[0], 4) == i32(4)
        return 0
    cuda.on("cuLaunchKernelEx", handler)
    assert driver.cuLaunchKernelEx(config, driver.CUfunction(1), None, 0) == (0,)


def test_runtime_launch_takes_a_kernel_handle(runtime, cudart):
    grid, block = runtime.dim3(), runtime.dim3()
    grid.x, block.x = 7, 256
    seen = script(cudart, "cudaLaunchKernel", peeks={1: 12, 2: 12})
    runtime.cudaLaunchKernel(runtime.cudaKernel_t(0x77), grid, block, ((5,), (ctypes.c_int,)), 64,
                             runtime.cudaStream_t(9))
    assert seen.words[0] == 0x77
    assert (seen.memory[1], seen.memory[2]) == (struct.pack("<3I", 7, 1, 1), struct.pack("<3I", 256, 1, 1))
    assert seen.words[4:6] == [64, 9]


# --- b12: callbacks ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE])
def test_b12_a_callback_aliases_the_ctypes_buffer_and_runs(driver, cuda, kind):
    seen = []
    function = kind(None, ctypes.c_void_p)(seen.append)
    callback = driver.CUhostFn(_ptr=ctypes.addressof(function))
    code = ctypes.c_void_p.from_buffer(function).value
    assert int(callback) == code

    def handler(link: str, words) -> int:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(words[1])(words[2])
        return 0
    cuda.on("cuLaunchHostFunc", handler)
    data = (ctypes.c_char * 4)()
    driver.cuLaunchHostFunc(driver.CUstream(0), callback, data)
    assert seen == [ctypes.addressof(data)]
    driver.cuLaunchHostFunc(driver.CUstream(0), code, ctypes.addressof(data))    # an int is the code's address
    assert len(seen) == 2


def test_b12_a_python_callable_is_refused(driver, cuda):
    with pytest.raises(TypeError):
        driver.cuLaunchHostFunc(driver.CUstream(0), lambda data: None, 0)
    assert cuda.calls == []


# --- b13, b14: numbers and None ------------------------------------------------------------------------------------

def test_b13_integral_floats_and_numpy_numbers_are_sizes(driver, cuda):
    seen = script(cuda, "cuMemAlloc_v2")
    driver.cuMemAlloc((16 * 80) / 8)
    assert seen.words[1] == 160
    numpy = pytest.importorskip("numpy")
    for size in (numpy.int32(160), numpy.uint64(160), numpy.float64(160.0)):
        driver.cuMemAlloc(size)
        assert seen.words[1] == 160


def test_b13_what_has_an_index_is_a_number(driver, cuda):
    class Sized:
        def __index__(self) -> int:
            return 48
    seen = script(cuda, "cuMemAlloc_v2")
    driver.cuMemAlloc(Sized())
    assert seen.words[1] == 48


@pytest.mark.parametrize("wrong", [1.5, float("nan"), float("inf"), "8", None, b"8"])
def test_b13_what_is_no_number_is_refused(driver, cuda, wrong):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        driver.cuMemAlloc(wrong)
    assert cuda.calls == []


@pytest.mark.parametrize("wrong", [-1, 2**64])
def test_b13_what_does_not_fit_overflows(driver, cuda, wrong):
    with pytest.raises(OverflowError):
        driver.cuMemAlloc(wrong)
    with pytest.raises(OverflowError):
        driver.cuInit(wrong)
    assert cuda.calls == []


def test_b14_none_is_a_null_handle_record_and_list(driver, cuda):
    seen = script(cuda, "cuGraphAddKernelNode_v2")
    driver.cuGraphAddKernelNode(None, None, 0, None)
    assert seen.words[1:5] == [0, 0, 0, 0]


def test_b14_none_is_no_enum_no_record_by_value_and_no_device(driver, cuda):
    for call in (lambda: driver.cuDeviceGetAttribute(None, 0), lambda: driver.cuIpcOpenMemHandle(None, 0),
                 lambda: driver.cuMemPrefetchAsync(1, 1, None, 0, None), lambda: driver.cuDeviceGetName(8, None),
                 lambda: driver.cuMemcpyBatchAsync(None, None, None, 0, None, [], 0, None)):
        with pytest.raises(TypeError):
            call()
    assert cuda.calls == []


# --- b15: addresses ------------------------------------------------------------------------------------------------

def test_b15_a_number_is_the_address_itself(driver, cuda):
    seen = script(cuda, "cuMemcpyHtoD_v2")
    driver.cuMemcpyHtoD(0x1000, 0x2000, 64)
    assert seen.words == [0x1000, 0x2000, 64]
    driver.cuMemcpyHtoD(0x1000, driver.CUdeviceptr(0x3000), 64)
    assert seen.words[1] == 0x3000
    driver.cuMemcpyHtoD(0x1000, None, 0)
    assert seen.words[1] == 0


def test_b15_a_buffer_is_its_start(driver, cuda):
    seen = script(cuda, "cuMemcpyHtoD_v2", peeks={1: 4})
    for buffer in (b"abcd", bytearray(b"abcd"), memoryview(b"abcd"), (ctypes.c_char * 4)(*b"abcd")):
        driver.cuMemcpyHtoD(0x1000, buffer, 4)
        assert seen.memory[1] == b"abcd"


def test_b15_numpy_arrays_and_one_element_byte_arrays_are_buffers(driver, cuda):
    numpy = pytest.importorskip("numpy")
    seen = script(cuda, "cuModuleLoadData", peeks={1: 9})
    text = numpy.char.array(b"ptx image")
    for image in (text, text.ctypes.data, numpy.frombuffer(b"ptx image", dtype=numpy.uint8)):
        driver.cuModuleLoadData(image)
        assert seen.memory[1] == b"ptx image"


def test_b15_a_numpy_scalar_array_is_an_address_only_if_unsigned(driver, cuda):
    numpy = pytest.importorskip("numpy")
    seen = script(cuda, "cuMemcpyHtoD_v2")
    driver.cuMemcpyHtoD(0x1000, numpy.array(0x7000, dtype=numpy.uint64), 0)
    assert seen.words[1] == 0x7000


@pytest.mark.parametrize("wrong", ["text", -1, 2**64, object(), [1], 1.5])
def test_b15_what_is_no_address_is_refused(driver, cuda, wrong):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        driver.cuMemcpyHtoD(0x1000, wrong, 4)
    assert cuda.calls == []


def test_b15_a_short_or_read_only_destination_is_refused(driver, cuda):
    with pytest.raises((TypeError, ValueError)):
        driver.cuMemcpyDtoH(bytearray(3), 0x1000, 4)
    with pytest.raises((TypeError, ValueError, BufferError)):
        driver.cuMemcpyDtoH(b"abcd", 0x1000, 4)
    numpy = pytest.importorskip("numpy")
    with pytest.raises((TypeError, ValueError, BufferError)):
        driver.cuMemcpyDtoH(numpy.zeros((4, 4), dtype=numpy.uint8)[:, 0], 0x1000, 4)
    assert cuda.calls == []


# --- b16 to b18, b21, b22: records ---------------------------------------------------------------------------------

def test_b16_char_arrays_take_signed_and_unsigned_and_give_bytes(driver):
    handle = driver.CUipcMemHandle()
    handle.reserved = [-1, 255, -128, *range(61)]
    assert handle.reserved == b"\xff\xff\x80" + bytes(range(61))
    handle.reserved = bytes(range(64))
    assert handle.reserved == bytes(range(64))
    with pytest.raises(ValueError):
        handle.reserved = [0]
    with pytest.raises((OverflowError, ValueError)):
        handle.reserved = [256] * 64


def test_b16_device_name_is_cut_on_reading_and_whole_on_writing(runtime):
    properties = runtime.cudaDeviceProp()
    properties.name = b"a name" + b"\0" * 250
    assert properties.name == b"a name"
    with pytest.raises((ValueError, IndexError)):
        properties.name = b"a name"


def test_ipc_handle_is_passed_by_value(driver, cuda):
    handle = driver.CUipcMemHandle()
    handle.reserved = bytes(range(64))
    seen = script(cuda, "cuIpcOpenMemHandle_v2", peeks={1: 64}, writes={0: u64(0x4000)})
    status, pointer = driver.cuIpcOpenMemHandle(handle, 1)
    assert (seen.memory[1], int(pointer)) == (bytes(range(64)), 0x4000)


def test_location_is_passed_by_value(driver, cuda):
    location = driver.CUmemLocation()
    location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    location.id = driver.CUdevice(2)
    seen = script(cuda, "cuMemPrefetchAsync_v2", peeks={2: 8})
    driver.cuMemPrefetchAsync(0x1000, 64, location, 0, None)
    assert seen.memory[2] == i32(1, 2)


def test_extents_and_pitched_pointers_are_passed_by_value(runtime, cudart):
    extent = runtime.make_cudaExtent(4, 5, 6)
    seen = script(cudart, "cudaMemset3D", peeks={0: 32, 2: 24})
    runtime.cudaMemset3D(runtime.make_cudaPitchedPtr(0x9000, 64, 4, 5), 1, extent)
    assert (seen.memory[0], seen.memory[2]) == (u64(0x9000, 64, 4, 5), u64(4, 5, 6))
    script(cudart, "cudaMalloc3D", writes={0: u64(0x9000, 128, 4, 5)})
    pointer = runtime.cudaMalloc3D(extent)[1]
    assert (pointer.ptr, pointer.pitch) == (0x9000, 128)


def test_b17_list_members_copy_by_value_and_leave_the_count_alone(driver):
    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PRIORITY
    attribute.value.priority = -3
    config = driver.CUlaunchConfig()
    config.attrs = [attribute, attribute]
    attribute.value.priority = 5
    assert [a.value.priority for a in config.attrs] == [-3, -3]
    assert config.numAttrs == 0
    config.attrs = []
    assert config.attrs == []
    assert ctypes.string_at(config.getPtr() + 40, 8) == bytes(8)


def test_b17_an_aliased_record_gets_its_pointer_cleared_with_the_wrapper(driver):
    config = driver.CUlaunchConfig()
    alias = driver.CUlaunchConfig(_ptr=config.getPtr())
    alias.attrs = [driver.CUlaunchAttribute()]
    assert ctypes.string_at(config.getPtr() + 40, 8) != bytes(8)
    del alias
    assert ctypes.string_at(config.getPtr() + 40, 8) == bytes(8)


def test_b18_an_address_member_keeps_its_buffer(driver):
    copy = driver.CUDA_MEMCPY2D()
    source = bytearray(b"kept alive")
    references = sys.getrefcount(source)
    copy.srcHost = source
    assert sys.getrefcount(source) > references
    assert ctypes.string_at(copy.srcHost, 10) == b"kept alive"
    copy.srcHost = None
    assert copy.srcHost == 0


def test_b21_dim3_starts_at_one(runtime):
    assert (runtime.dim3().x, runtime.dim3().y, runtime.dim3().z) == (1, 1, 1)
    params = runtime.cudaKernelNodeParams()
    assert (params.gridDim.x, params.blockDim.z, params.sharedMemBytes) == (1, 1, 0)


def test_b22_anonymous_unions_are_flattened_and_named_ones_are_views(driver):
    location = driver.CUmemLocation()
    location.id = 7
    assert ctypes.string_at(location.getPtr() + 4, 4) == i32(7)
    frame = driver.CUeglFrame()
    frame.frame.pPitch = [0x10, 0x20, 0x30]
    assert [int(a) for a in frame.frame.pArray] == [0x10, 0x20, 0x30]
    params = driver.CUgraphNodeParams()
    params.memset.value = 9
    assert params.memset.value == 9


# --- b19, b20: classes ---------------------------------------------------------------------------------------------

def test_b19_outputs_have_the_unversioned_class(driver, cuda):
    script(cuda, "cuGraphKernelNodeGetParams_v2", writes={1: u64(0x10)})
    params = driver.cuGraphKernelNodeGetParams(driver.CUgraphNode(1))[1]
    assert type(params) is driver.CUDA_KERNEL_NODE_PARAMS
    assert isinstance(params, driver.CUDA_KERNEL_NODE_PARAMS_v2)
    assert isinstance(params, driver.CUDA_KERNEL_NODE_PARAMS_v2_st)
    assert int(params.func) == 0x10


def test_b19_inputs_want_the_unversioned_class(driver, cuda):
    with pytest.raises(TypeError):
        driver.cuGraphAddKernelNode(driver.CUgraph(1), None, 0, driver.CUDA_KERNEL_NODE_PARAMS_v2_st())
    assert cuda.calls == []


def test_b20_runtime_handles_are_driver_handles(driver, runtime, cuda, cudart):
    assert issubclass(runtime.cudaStream_t, driver.CUstream)
    assert runtime.cudaStream_t(5) == driver.CUstream(5) and driver.CUstream(5) == runtime.cudaStream_t(5)
    assert hash(runtime.cudaStream_t(5)) == hash(driver.CUstream(5))
    assert runtime.cudaStream_t(5) != runtime.cudaEvent_t(5)
    assert runtime.CUuuid is not driver.CUuuid
    seen = script(cuda, "cuStreamSynchronize")
    driver.cuStreamSynchronize(runtime.cudaStream_t(6))
    assert seen.words == [6]
    seen = script(cudart, "cudaStreamSynchronize")
    runtime.cudaStreamSynchronize(driver.CUstream(7))
    assert seen.words == [7]


def test_a_foreign_handle_is_refused(driver, cuda):
    with pytest.raises(TypeError):
        driver.cuStreamSynchronize(driver.CUdeviceptr(1))
    with pytest.raises(TypeError):
        driver.cuStreamSynchronize(driver.CUevent(1))
    assert cuda.calls == []


def test_a_kernel_may_stand_for_a_function(driver, cuda):
    seen = script(cuda, "cuLaunchKernel")
    driver.cuLaunchKernel(driver.CUkernel(0x88), 1, 1, 1, 1, 1, 1, 0, None, None, 0)
    assert seen.words[0] == 0x88


# --- b23: enums ----------------------------------------------------------------------------------------------------

def test_b23_enums_are_int_enums_with_gaps(driver):
    assert issubclass(driver.CUresult, enum.IntEnum)
    assert max(driver.CUresult) >= 999
    known = []
    for code in range(int(max(driver.CUresult)) + 2):
        try:
            known.append(driver.CUresult(code))
        except ValueError:
            continue
    assert known == sorted(driver.CUresult)
    assert driver.CUresult["CUDA_SUCCESS"] is driver.CUresult(0) is driver.CUresult.CUDA_SUCCESS


def test_b23_aliases_are_one_member(driver):
    attribute = driver.CUdevice_attribute
    assert attribute.CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK is attribute(8)
    assert attribute(8).name == "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK"
    assert "CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK" in attribute.__members__


def test_b23_attribute_ids_are_separate_classes_that_go_for_each_other(driver, cuda):
    assert driver.CUstreamAttrID is not driver.CUlaunchAttributeID
    assert driver.CUstreamAttrID(2) == driver.CUlaunchAttributeID(2)
    seen = script(cuda, "cuStreamGetAttribute")
    driver.cuStreamGetAttribute(1, driver.CUlaunchAttributeID(2))
    assert seen.words[1] & 0xFFFFFFFF == 2


def test_an_enum_of_another_type_is_refused(driver, cuda):
    with pytest.raises(TypeError):
        driver.cuDeviceGetAttribute(driver.CUresult.CUDA_ERROR_INVALID_VALUE, 0)
    with pytest.raises(TypeError):
        driver.cuDeviceGetAttribute("5", 0)
    assert cuda.calls == []


def test_an_integer_in_range_is_taken_for_an_enum(driver, cuda):
    seen = script(cuda, "cuDeviceGetAttribute", writes={0: i32(9)})
    assert driver.cuDeviceGetAttribute(attrib=9999, dev=0)[1] == 9
    assert seen.words[1] & 0xFFFFFFFF == 9999


# --- b24: loading --------------------------------------------------------------------------------------------------

def test_b24_importing_loads_no_cuda_library():
    code = ("import cuda_bindings.driver, cuda_bindings.runtime, cuda_bindings.nvrtc\n"
            "text = open('/proc/self/maps').read()\n"
            "assert not any(name in text for name in ('libcuda.so', 'libcudart', 'libnvrtc', 'libfake')), text\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd="/")


@pytest.mark.parametrize(("module", "call"), [("driver", "cuInit(0)"), ("runtime", "cudaFree(0)"),
                                              ("nvrtc", "nvrtcVersion()")])
def test_b24_a_missing_library_names_where_it_was_looked_for(module, call):
    variable = {"driver": "LIBCUDA", "runtime": "LIBCUDART", "nvrtc": "LIBNVRTC"}[module]
    code = ("import cuda_bindings\n"
            f"from cuda_bindings import {module}\n"
            "from cuda_bindings.errors import LibraryNotFoundError\n"
            "for attempt in range(2):\n"
            f"    try: {module}.{call}\n"
            "    except LibraryNotFoundError as error:\n"
            "        assert isinstance(error, RuntimeError) and '/nowhere/lib.so' in str(error), error\n"
            "    else: raise SystemExit('no error')\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    environment["CUDA_BINDINGS_" + variable] = "/nowhere/lib.so"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd="/")


# --- b25: the runtime ----------------------------------------------------------------------------------------------

def test_b25_error_names_always_succeed(runtime, cudart):
    text = ctypes.create_string_buffer(b"cudaErrorInvalidValue")
    script(cudart, "cudaGetErrorName", result=ctypes.addressof(text))
    assert runtime.cudaGetErrorName(runtime.cudaError_t.cudaErrorInvalidValue) == (
        runtime.cudaError_t.cudaSuccess, b"cudaErrorInvalidValue")


def test_error_name_that_the_driver_does_not_know(driver, cuda):
    script(cuda, "cuGetErrorName", status=1)
    assert driver.cuGetErrorName(12345) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)


def test_kernel_name_of_no_kernel(driver, cuda):
    script(cuda, "cuKernelGetName", status=1)
    script(cuda, "cuFuncGetName", status=1)
    assert driver.cuKernelGetName(0) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)
    assert driver.cuFuncGetName(0) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)


def test_a_text_that_is_null_is_none(driver, cuda):
    script(cuda, "cuKernelGetName", writes={0: u64(0)})
    assert driver.cuKernelGetName(1) == (driver.CUresult.CUDA_SUCCESS, None)


def test_b25_interop_is_the_library_s_own(runtime, cudart):
    script(cudart, "cudaVDPAUSetVDPAUDevice", status=801)
    assert runtime.cudaVDPAUSetVDPAUDevice(0, 1, None) == (runtime.cudaError_t.cudaErrorNotSupported,)


# --- more lists, batches and rare families -------------------------------------------------------------------------

def test_batch_copy_packs_objects_and_sizes(driver, cuda):
    attributes = driver.CUmemcpyAttributes()
    attributes.srcAccessOrder = driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
    seen = script(cuda, "cuMemcpyBatchAsync_v2", peeks={0: 16, 1: 16, 2: 16, 4: 4, 5: 8})
    driver.cuMemcpyBatchAsync([driver.CUdeviceptr(1), driver.CUdeviceptr(2)],
                              (driver.CUdeviceptr(3), driver.CUdeviceptr(4)), [10, 20], 2, [attributes], [0], 1, None)
    assert [seen.memory[i] for i in (0, 1, 2, 4, 5)] == [u64(1, 2), u64(3, 4), u64(10, 20), i32(1), u64(0)]
    assert (seen.words[3], seen.words[6]) == (2, 1)


def test_a_list_that_is_too_short_is_refused(driver, cuda):
    nodes = [driver.CUgraphNode(1)]
    with pytest.raises(RuntimeError) as caught:
        driver.cuGraphAddEmptyNode(driver.CUgraph(1), nodes, 2)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(TypeError):
        driver.cuGraphAddEmptyNode(driver.CUgraph(1), [1], 1)
    assert cuda.calls == []


def test_batch_of_memory_operations(driver, cuda):
    operation = driver.CUstreamBatchMemOpParams()
    operation.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
    operation.writeValue.address = driver.CUdeviceptr(0x1000)
    operation.writeValue.value = 42
    seen = script(cuda, "cuStreamBatchMemOp_v2", peeks={2: 96})
    driver.cuStreamBatchMemOp(driver.CUstream(1), 2, [operation, operation], 0)
    one = seen.memory[2][:48]
    assert seen.memory[2] == one * 2
    assert (one[:4], one[8:16], one[16:20]) == (i32(int(operation.operation)), u64(0x1000), i32(42))


def test_tensor_map_takes_objects_and_plain_numbers(driver, cuda):
    def handler(link: str, words) -> int:
        assert read(words[4], 16) == u64(64, 32)
        assert read(words[5], 8) == u64(128)
        assert read(words[6], 8) == struct.pack("<2I", 16, 8)
        assert read(words[7], 8) == struct.pack("<2I", 1, 1)
        ctypes.memset(words[0], 0xAB, 128)
        return 0
    cuda.on("cuTensorMapEncodeTiled", handler)
    u64s, u32s = driver.cuuint64_t, driver.cuuint32_t
    fixed = (driver.CUtensorMapInterleave(0), driver.CUtensorMapSwizzle(0), driver.CUtensorMapL2promotion(0),
             driver.CUtensorMapFloatOOBfill(0))
    kind = driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16
    status, tensor = driver.cuTensorMapEncodeTiled(kind, 2, driver.CUdeviceptr(0x1000), [u64s(64), u64s(32)],
                                                   [u64s(128)], [u32s(16), u32s(8)], [u32s(1), u32s(1)], *fixed)
    assert type(tensor) is driver.CUtensorMap
    assert [int(v) for v in tensor.opaque] == [0xABABABABABABABAB] * 16
    assert tensor.getPtr() % 64 == 0, "the kernel wants the map aligned"
    status, tensor = driver.cuTensorMapEncodeTiled(kind, u32s(2), 0x1000, [64, 32], [128], [16, 8], [1, 1], *fixed)
    assert status == 0
    cuda.check()
    with pytest.raises(ValueError):
        driver.cuTensorMapEncodeTiled(kind, 2, 0x1000, [u64s(1)] * 6, None, None, None, *fixed)


def test_proc_address_of_an_unknown_symbol(driver, cuda):
    seen = script(cuda, "cuGetProcAddress_v2", writes={1: u64(0), 4: i32(1)}, peeks={0: 7})
    assert driver.cuGetProcAddress(b"cuNone", 13000, 0) == (
        driver.CUresult.CUDA_SUCCESS, 0, driver.CUdriverProcAddressQueryResult.CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
    assert seen.memory[0] == b"cuNone\0"


def test_border_color_has_four_floats(driver, cuda):
    seen = script(cuda, "cuTexRefSetBorderColor", peeks={1: 16})
    driver.cuTexRefSetBorderColor(driver.CUtexref(1), [0.0, 0.25, 0.5, 1.0])
    assert seen.memory[1] == struct.pack("<4f", 0.0, 0.25, 0.5, 1.0)
    driver.cuTexRefSetBorderColor(driver.CUtexref(1), 0.5)
    assert seen.memory[1] == struct.pack("<4f", 0.5, 0.5, 0.5, 0.5)


def test_decompression_takes_a_list(driver, cuda):
    first, second = driver.CUmemDecompressParams(), driver.CUmemDecompressParams()
    first.srcNumBytes, second.srcNumBytes = 10, 20
    size = driver.sizeof(driver.CUmemDecompressParams)
    seen = script(cuda, "cuMemBatchDecompressAsync", peeks={0: 2 * size}, writes={3: u64(0)})
    status, index = driver.cuMemBatchDecompressAsync([first, second], 2, 0, driver.CUstream(1))
    assert (status, index) == (0, 0)
    assert (seen.memory[0][:8], seen.memory[0][size:size + 8]) == (u64(10), u64(20))


def test_access_descriptions_are_a_list(driver, cuda):
    access = driver.CUmemAccessDesc()
    access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    access.location.id = 1
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    seen = script(cuda, "cuMemSetAccess", peeks={2: 12})
    driver.cuMemSetAccess(driver.CUdeviceptr(0x1000), 4096, [access], 1)
    assert (seen.memory[2], seen.words[3]) == (i32(1, 1, 3), 1)


def test_checkpoint_pairs_are_a_list_member(driver, cuda):
    pair = driver.CUcheckpointGpuPair()
    arguments = driver.CUcheckpointRestoreArgs()
    arguments.gpuPairs = [pair, pair]
    arguments.gpuPairsCount = 2
    seen = script(cuda, "cuCheckpointProcessRestore", peeks={1: 12})
    driver.cuCheckpointProcessRestore(77, arguments)
    assert seen.words[0] & 0xFFFFFFFF == 77
    assert struct.unpack("<I", seen.memory[1][8:])[0] == 2


def test_keyword_calls_with_renamed_parameters(driver, cuda):
    seen = script(cuda, "cuDeviceGetTexture1DLinearMaxWidth", writes={0: u64(99)})
    status, width = driver.cuDeviceGetTexture1DLinearMaxWidth(
        pformat=driver.CUarray_format.CU_AD_FORMAT_FLOAT, numChannels=4, dev=driver.CUdevice(1))
    assert width == 99 and [w & 0xFFFFFFFF for w in seen.words[1:]] == [0x20, 4, 1]
    with pytest.raises(TypeError):
        driver.cuDeviceGetTexture1DLinearMaxWidth(format=1, numChannels=4, dev=0)


def test_wrong_arity_is_a_type_error(driver, cuda):
    for wrong in ((), (1, 2)):
        with pytest.raises(TypeError):
            driver.cuInit(*wrong)
    assert cuda.calls == []


@pytest.mark.parametrize("name", ["cuGraphAddDependencies", "cuGraphRemoveDependencies"])
def test_edge_data_is_optional_whatever_the_count(driver, cuda, name):
    seen = script(cuda, name + "_v2")
    getattr(driver, name)(driver.CUgraph(1), [driver.CUgraphNode(2)], [driver.CUgraphNode(3)], None, 1)
    assert seen.words[3:] == [0, 1]


def test_edge_data_is_optional_when_a_node_is_added(driver, runtime, cuda, cudart):
    seen = script(cuda, "cuGraphAddNode_v2")
    driver.cuGraphAddNode(driver.CUgraph(1), [driver.CUgraphNode(2)], None, 1, driver.CUgraphNodeParams())
    assert seen.words[3:5] == [0, 1]
    seen = script(cudart, "cudaStreamUpdateCaptureDependencies")
    runtime.cudaStreamUpdateCaptureDependencies(1, [runtime.cudaGraphNode_t(2)], None, 1, 0)
    assert seen.words[2:4] == [0, 1]
