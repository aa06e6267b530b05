# SPDX-License-Identifier: Apache-2.0
"""Records, classes, enums, loading, batches and rare families, written out in full ("b16" to "b25")."""

from __future__ import annotations

import ctypes
import enum
import os
import struct
import subprocess
import sys

import pytest
from recorder import i32, read, script, u64

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
