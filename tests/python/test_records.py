# SPDX-License-Identifier: Apache-2.0
"""Structs and unions as Python objects: members, views, copies. Nothing here calls a library."""

from __future__ import annotations

import array
import copy
import ctypes
import gc
import pickle
import struct

import pytest
from record_memory import attributes, bytes_at

# --- making ---------------------------------------------------------------------------------------------------------

def test_a_fresh_record_is_zero(driver):
    record = driver.CUDA_MEMCPY2D()
    assert bytes(record) == bytes(128) and record.getPtr() % 8 == 0


def test_a_record_has_the_alignment_of_its_c_type(driver):
    assert all(driver.CUtensorMap().getPtr() % 64 == 0 for _ in range(20))


def test_dim3_starts_at_one_alone_and_in_kernel_node_parameters(runtime):
    assert bytes(runtime.dim3()) == struct.pack("<3I", 1, 1, 1)
    assert bytes(runtime.cudaKernelNodeParams())[8:32] == struct.pack("<6I", 1, 1, 1, 1, 1, 1)
    assert bytes(runtime.cudaKernelNodeParamsV2()) == bytes(runtime.sizeof(runtime.cudaKernelNodeParamsV2))


def test_ptr_aliases_memory(driver):
    memory = (ctypes.c_uint64 * 16)()
    alias = driver.CUDA_MEMCPY2D(_ptr=ctypes.addressof(memory))
    alias.srcXInBytes = 5
    assert memory[0] == 5 and alias.getPtr() == ctypes.addressof(memory)
    assert driver.CUDA_MEMCPY2D(alias.getPtr()).srcXInBytes == 5


@pytest.mark.parametrize("arguments", [
    ((1, 2), {}), ((), {"ptr": 1}), ((1,), {"_ptr": 1}), (("a",), {}), ((-1,), {}), ((None,), {}), ((1.0,), {})])
def test_wrong_arguments_are_refused(driver, arguments):
    with pytest.raises((TypeError, OverflowError)):
        driver.CUDA_MEMCPY2D(*arguments[0], **arguments[1])


# --- numbers --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("cls", "member", "least", "most"), [
    ("CUDA_MEMCPY2D", "srcXInBytes", 0, 2 ** 64 - 1), ("CUDA_KERNEL_NODE_PARAMS", "gridDimX", 0, 2 ** 32 - 1),
    ("CUgraphEdgeData", "from_port", 0, 255), ("CUmemPoolProps", "usage", 0, 2 ** 16 - 1),
    ("CUmemLocation", "id", -2 ** 31, 2 ** 31 - 1)])
def test_a_number_keeps_its_value_or_is_refused(driver, cls, member, least, most):
    record = getattr(driver, cls)()
    for value in (least, most):
        setattr(record, member, value)
        assert getattr(record, member) == value
    for wrong in (least - 1, most + 1, 2 ** 90, -2 ** 90):
        with pytest.raises(OverflowError, match=rf"{cls}\.{member}: "):
            setattr(record, member, wrong)
    assert getattr(record, member) == most


def test_whole_floats_and_indexed_objects_are_numbers(driver):
    record = driver.CUDA_MEMCPY2D()
    record.WidthInBytes = (16 * 80) / 8
    assert record.WidthInBytes == 160
    record.WidthInBytes = 2.0 ** 63
    assert record.WidthInBytes == 2 ** 63
    location = driver.CUmemLocation()
    location.id = driver.CUdevice(3)
    assert location.id == 3


@pytest.mark.parametrize(("wrong", "error"), [
    (1.5, ValueError), (float("inf"), ValueError), (float("nan"), ValueError), (1e30, OverflowError),
    (None, TypeError), ("1", TypeError), (b"1", TypeError), ([1], TypeError), (1j, TypeError)])
def test_what_is_no_number_is_refused_with_class_and_member(driver, wrong, error):
    record = driver.CUDA_MEMCPY2D()
    with pytest.raises(error, match=r"CUDA_MEMCPY2D\.Height: got .*; accepts an integer in 0\.\.18446744073709551615"):
        record.Height = wrong


def test_real_numbers(driver):
    record = driver.CUaccessPolicyWindow()
    record.hitRatio = 0.25
    assert record.hitRatio == 0.25
    record.hitRatio = 1
    assert record.hitRatio == 1.0
    with pytest.raises(OverflowError):
        record.hitRatio = 1e300
    with pytest.raises(TypeError, match="hitRatio: got str; accepts a real number"):
        record.hitRatio = "1"


def test_an_exception_of_the_value_comes_through_and_nothing_is_written(driver):
    class Broken:
        def __index__(self):
            raise ZeroDivisionError

    record = driver.CUDA_MEMCPY2D()
    record.Height = 4
    with pytest.raises(ZeroDivisionError):
        record.Height = Broken()
    assert record.Height == 4


# --- enumerations and handles ---------------------------------------------------------------------------------------

def test_an_enumeration_member(driver):
    record = driver.CUDA_MEMCPY2D()
    record.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    assert record.srcMemoryType is driver.CUmemorytype(2) and bytes_at(record, 16, 4) == b"\2\0\0\0"
    with pytest.raises(TypeError):
        record.srcMemoryType = None


def test_a_handle_member_is_a_live_view(driver, runtime):
    record = driver.CUDA_MEMCPY2D()
    view = record.srcArray
    record.srcArray = driver.CUarray(0x10)
    assert int(view) == 0x10 and view.getPtr() == record.getPtr() + 40
    record.srcArray = runtime.cudaArray_t(0x20)
    record.srcDevice = driver.CUdeviceptr(0x30)
    assert (int(view), record.srcDevice) == (0x20, driver.CUdeviceptr(0x30))
    record.srcArray = None
    assert int(view) == 0
    ctypes.c_uint64.from_address(view.getPtr()).value = 0x40
    assert int(record.srcArray) == 0x40


@pytest.mark.parametrize("wrong", ["a", 1.5, True, -1, 2 ** 64])
def test_a_handle_member_refuses_what_it_is_not(driver, wrong):
    with pytest.raises((TypeError, OverflowError), match=r"CUDA_MEMCPY2D\.srcArray: got"):
        driver.CUDA_MEMCPY2D().srcArray = wrong
    with pytest.raises(TypeError, match="got cuda_bindings.driver.CUstream; accepts CUarray"):
        driver.CUDA_MEMCPY2D().srcArray = driver.CUstream(1)


def test_a_handle_view_outlives_its_record(driver):
    record = driver.CUDA_MEMCPY2D()
    record.srcArray = 0x10
    view = record.srcArray
    del record
    gc.collect()
    _ = [driver.CUDA_MEMCPY2D() for _ in range(100)]
    assert int(view) == 0x10


# --- nested records (list (a) 11) -----------------------------------------------------------------------------------

def test_nested_access_writes_through(driver):
    record = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()
    record.params.fence.value = 7
    assert bytes_at(record, 0, 8) == struct.pack("<Q", 7)
    assert record.params.getPtr() == record.getPtr()


def test_a_view_keeps_its_parent_s_memory(driver):
    fence = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS().params.fence
    gc.collect()
    _ = [bytes(driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()) for _ in range(100)]
    fence.value = 11
    assert fence.value == 11


def test_a_nested_record_is_assigned_by_value(driver):
    source, target = driver.CUlaunchAttribute(), driver.CUlaunchAttribute()
    source.value.clusterDim.x = 3
    target.value = source.value
    source.value.clusterDim.x = 4
    assert target.value.clusterDim.x == 3
    target.value.clusterDim = source.value.clusterDim
    assert target.value.clusterDim.x == 4
    target.value = target.value
    assert target.value.clusterDim.x == 4


def test_a_nested_record_of_another_class_is_refused(driver):
    attribute = driver.CUlaunchAttribute()
    with pytest.raises(TypeError, match=r"CUlaunchAttribute\.value: got .*; accepts CUlaunchAttributeValue"):
        attribute.value = driver.CUmemLocation()
    with pytest.raises(TypeError):
        attribute.value.clusterDim = attribute.value.programmaticEvent
    with pytest.raises(TypeError):
        attribute.value = None


def test_a_derived_class_of_the_typedef_chain_is_taken(driver):
    attribute = driver.CUlaunchAttribute()
    value = driver.CUkernelNodeAttrValue()
    value.priority = 9
    attribute.value = value
    assert attribute.value.priority == 9
    assert isinstance(driver.CUDA_MEMCPY2D(), driver.CUDA_MEMCPY2D_st)


def test_views_of_a_union_share_their_bytes(driver):
    value = driver.CUlaunchAttributeValue()
    value.clusterDim.x, value.clusterDim.y = 1, 2
    assert value.pad[:8] == struct.pack("<2I", 1, 2)
    value.pad = bytes(range(64))
    assert value.clusterDim.z == int.from_bytes(bytes([8, 9, 10, 11]), "little")


def test_anonymous_members_are_flattened(driver):
    params = driver.CUgraphNodeParams()
    params.kernel.gridDimX = 5
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL
    assert params.kernel.getPtr() == params.memcpy.getPtr() == params.getPtr() + 16
    assert params.kernel.gridDimX == 5


# --- arrays ---------------------------------------------------------------------------------------------------------

def test_characters_are_bytes(driver):
    handle = driver.CUipcMemHandle()
    handle.reserved = bytes(range(64))
    assert handle.reserved == bytes(range(64)) == bytes(handle)
    handle.reserved = [-128, 255, *[0] * 62]
    assert handle.reserved[:2] == b"\x80\xff"
    handle.reserved = bytearray(64)
    handle.reserved = array.array("B", range(64))
    assert handle.reserved == bytes(range(64))


@pytest.mark.parametrize(("wrong", "error"), [
    (b"", ValueError), (bytes(65), ValueError), ([0] * 63, ValueError), ("a" * 64, TypeError), (5, TypeError),
    ([256] * 64, OverflowError), ([-129] * 64, OverflowError), (["a"] * 64, TypeError), (None, TypeError)])
def test_characters_of_another_length_or_kind_are_refused_whole(driver, wrong, error):
    handle = driver.CUipcMemHandle()
    handle.reserved = b"x" * 64
    with pytest.raises(error, match=r"CUipcMemHandle\.reserved"):
        handle.reserved = wrong
    assert handle.reserved == b"x" * 64


def test_a_name_is_read_to_its_end_and_written_whole(runtime):
    properties = runtime.cudaDeviceProp()
    properties.name = b"H200".ljust(256, b" ")
    assert properties.name == b"H200".ljust(256, b" ")
    properties.name = b"H200".ljust(256, b"\0")
    assert properties.name == b"H200"
    properties.luid = b"\0\1\2\3\4\5\6\7"
    assert properties.luid == b"\0\1\2\3\4\5\6\7"


def test_read_only_bytes(driver):
    uuid = driver.CUuuid()
    assert uuid.bytes == bytes(16)
    with pytest.raises(AttributeError, match=r"CUuuid\.bytes: is read-only"):
        uuid.bytes = bytes(16)


def test_numbers_in_an_array_are_a_list_of_exact_length(driver):
    texture = driver.CUDA_TEXTURE_DESC()
    texture.borderColor = (0.5, 1, 2.0, 4)
    assert texture.borderColor == [0.5, 1.0, 2.0, 4.0]
    for wrong in ([1.0] * 3, [1.0] * 5, []):
        with pytest.raises(IndexError, match=r"borderColor: got \d elements; accepts exactly 4"):
            texture.borderColor = wrong
        with pytest.raises(ValueError):
            texture.borderColor = wrong
    with pytest.raises(TypeError, match=r"borderColor\[2\]: got str"):
        texture.borderColor = [9.0, 9.0, "x", 9.0]
    assert texture.borderColor == [0.5, 1.0, 2.0, 4.0]


def test_enumerations_in_an_array(driver):
    texture = driver.CUDA_TEXTURE_DESC()
    clamp, wrap = driver.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP, driver.CUaddress_mode.CU_TR_ADDRESS_MODE_WRAP
    texture.addressMode = [clamp, wrap, 1]
    assert texture.addressMode == [clamp, wrap, clamp] and texture.addressMode[2] is clamp
    with pytest.raises(TypeError, match=r"addressMode\[0\]"):
        texture.addressMode = [driver.CUresult(0), wrap, wrap]


def test_integer_likes_in_an_array_are_copies(driver):
    tensor = driver.CUtensorMap()
    tensor.opaque = [driver.cuuint64_t(2 ** 64 - 1), *range(15)]
    first = tensor.opaque[0]
    tensor.opaque = [0] * 16
    assert type(first) is driver.cuuint64_t and int(first) == 2 ** 64 - 1


def test_handles_and_addresses_in_a_union_of_arrays(driver):
    frame = driver.CUeglFrame()
    frame.frame.pArray = [driver.CUarray(1), 2, None]
    assert [int(a) for a in frame.frame.pArray] == frame.frame.pPitch == [1, 2, 0]


def test_records_in_an_array_are_copies(runtime):
    frame = runtime.cudaEglFrame()
    planes = [runtime.cudaEglPlaneDesc() for _ in range(3)]
    planes[1].width = 640
    frame.planeDesc = planes
    got = frame.planeDesc
    got[1].width = 1
    assert [p.width for p in frame.planeDesc] == [0, 640, 0]
    for wrong in (planes[:2], [*planes, planes[0]]):
        with pytest.raises(ValueError):
            frame.planeDesc = wrong
    with pytest.raises(TypeError, match=r"planeDesc\[2\]"):
        frame.planeDesc = [planes[1], planes[1], runtime.dim3()]
    assert [p.width for p in frame.planeDesc] == [0, 640, 0]


# --- text, comparison, copies ---------------------------------------------------------------------------------------

def test_repr_has_one_line_per_member(driver):
    assert repr(driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()) == (
        "params :\n    fence :\n        value : 0\n    nvSciSync :\n        fence : 0x0\n    keyedMutex :\n"
        "        key : 0\nflags : 0")
    assert repr(driver.CUDA_KERNEL_NODE_PARAMS_st()).split() == (
        "func : <CUfunction 0x0> gridDimX : 0 gridDimY : 0 gridDimZ : 0 blockDimX : 0 blockDimY : 0 blockDimZ : 0 "
        "sharedMemBytes : 0 kernelParams : 0 extra : 0").split()


def test_repr_of_enumerations_arrays_and_unknown_values(driver):
    access = driver.CUmemAccessDesc()
    access.flags = 77
    assert "flags : <CUmemAccess_flags(77)>" in repr(access)
    texture = driver.CUDA_TEXTURE_DESC()
    assert "borderColor : [0.0, 0.0, 0.0, 0.0]" in repr(texture)
    assert str(driver.CUlaunchAttributeValue())


def test_repr_leaves_reserved_members_out(driver, runtime):
    assert repr(driver.CUipcMemHandle()) == ""
    assert "reservedSharedMemPerBlock : 0" in repr(runtime.cudaDeviceProp())
    assert "reserved :" not in repr(runtime.cudaDeviceProp())


def test_to_dict_is_a_snapshot(driver):
    record = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()
    record.params.fence.value = 4
    taken = record.to_dict()
    record.params.fence.value = 5
    assert taken["params"]["fence"] == {"value": 4} and taken["flags"] == 0
    config = driver.CUlaunchConfig()
    config.hStream = 6
    config.attrs = attributes(driver, 3)
    taken = config.to_dict()
    config.hStream = 7
    assert taken["hStream"] == driver.CUstream(6) and taken["attrs"][0]["value"]["priority"] == 3
    assert driver.CUipcMemHandle().to_dict() == {"reserved": bytes(64)}


def test_records_are_equal_by_members_not_by_padding(driver):
    left, right = driver.CUDA_MEMCPY2D(), driver.CUDA_MEMCPY2D()
    assert left == right and not left != right
    ctypes.c_uint32.from_address(left.getPtr() + 20).value = 5
    assert left == right
    left.Height = 1
    assert left != right and left != 1 and left != driver.CUDA_MEMCPY3D()
    assert driver.CUDA_MEMCPY2D_st() == driver.CUDA_MEMCPY2D()


def test_unions_are_equal_by_bytes(driver):
    left, right = driver.CUlaunchAttributeValue(), driver.CUlaunchAttributeValue()
    left.pad = bytes(63) + b"x"
    assert left != right
    right.pad = left.pad
    assert left == right


def test_lists_are_equal_by_elements(driver):
    left, right = driver.CUlaunchConfig(), driver.CUlaunchConfig()
    left.attrs, right.attrs = attributes(driver, 1, 2), attributes(driver, 1, 2)
    assert left == right
    right.attrs = attributes(driver, 1, 3)
    assert left != right
    right.attrs = attributes(driver, 1)
    assert left != right


def test_records_have_no_hash_no_order_and_no_pickle(driver):
    record = driver.CUDA_MEMCPY2D()
    with pytest.raises(TypeError):
        hash(record)
    with pytest.raises(TypeError):
        max(record, driver.CUDA_MEMCPY2D())
    with pytest.raises(TypeError):
        pickle.dumps(record)


def test_a_copy_is_independent(driver):
    record = driver.CUDA_MEMCPY2D()
    record.Height = 1
    for duplicate in (record.copy(), copy.copy(record), copy.deepcopy(record)):
        duplicate.Height = 2
        assert record.Height == 1 and type(duplicate) is driver.CUDA_MEMCPY2D
    assert driver.CUlaunchAttribute().value.copy().getPtr() % 8 == 0


def test_a_deep_copy_has_lists_of_its_own(driver):
    config = driver.CUlaunchConfig()
    config.attrs = attributes(driver, 1, 2)
    shallow, deep = copy.copy(config), copy.deepcopy(config)
    config.attrs[0].value.priority = 9
    assert [a.value.priority for a in shallow.attrs] == [9, 2]
    assert [a.value.priority for a in deep.attrs] == [1, 2]


def test_a_record_is_a_buffer(driver):
    handle = driver.CUipcMemHandle()
    view = memoryview(handle)
    view[:4] = b"abcd"
    assert (view.nbytes, view.readonly) == (64, False) and handle.reserved[:4] == b"abcd"
    nested = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS().params.fence
    assert len(memoryview(nested)) == 8
    del handle
    gc.collect()
    assert bytes(view[:4]) == b"abcd"


def test_members_cannot_be_deleted_and_none_be_added(driver):
    record = driver.CUDA_MEMCPY2D()
    with pytest.raises(NotImplementedError):
        del record.Height
    with pytest.raises(AttributeError):
        record.height = 1
    with pytest.raises(TypeError):
        driver.CUDA_MEMCPY2D.note = 1


def test_a_class_derived_in_python_is_a_record(driver):
    class Copy(driver.CUDA_MEMCPY2D):  # type: ignore[name-defined]  # a fixture
        def __init__(self, height=0):
            self.Height = height

        def __new__(cls, height=0):
            return super().__new__(cls)

    record = Copy(4)
    record.note = record
    assert record.Height == 4 and record == record.copy() and type(record.copy()) is Copy
    del record
    gc.collect()


def test_destroying_a_record_twice_over_does_no_harm(driver):
    """Its own heap storage was freed, then written into (list (a) 12)."""
    for _ in range(100):
        resource = driver.CUdevResource()
        view = resource.sm
        del resource
        view.smCount = 5
        assert view.smCount == 5


def test_every_member_of_every_record_can_be_read_and_given_back(driver, runtime):
    for module in (driver, runtime):
        for name in dir(module):
            cls = getattr(module, name)
            if not hasattr(cls, "to_dict"):
                continue
            record = cls()
            repr(record)
            record.to_dict()
            before = record.copy()
            for member in [m for m in dir(cls) if not m.startswith("__") and not callable(getattr(cls, m))]:
                value = getattr(record, member)
                if member in ("bytes", "phGraph_out", "dstActBytes") or (name, member) == ("cudaDeviceProp", "name"):
                    continue
                setattr(record, member, value)
            assert record == before, name
