# SPDX-License-Identifier: Apache-2.0
"""Functions chosen for their oddity, written out in full: what they return ("b1" to "b9" name the special cases)."""

from __future__ import annotations

import ctypes
import struct

import pytest
from recorder import i32, read, script, u64, write_number

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
