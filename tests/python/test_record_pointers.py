# SPDX-License-Identifier: Apache-2.0
"""Members of records that point elsewhere: lists, buffers and what keeps them. Nothing here calls a library."""

from __future__ import annotations

import copy
import ctypes
import gc
import weakref

import pytest
from record_memory import attributes, pointer_at, watched

# --- lists behind pointers (list (b) 17) ----------------------------------------------------------------------------

def test_a_list_is_copied_by_value_and_its_count_left_alone(driver):
    config, given = driver.CUlaunchConfig(), attributes(driver, 1, 2)
    config.attrs = given
    given[0].value.priority = 9
    assert [a.value.priority for a in config.attrs] == [1, 2] and config.numAttrs == 0
    assert ctypes.string_at(pointer_at(config, 40) + 72 + 8, 4) == b"\2\0\0\0"


def test_elements_are_views_that_survive_a_new_list(driver):
    config = driver.CUlaunchConfig()
    config.attrs = attributes(driver, 1, 2)
    first = config.attrs[0]
    first.value.priority = 5
    assert config.attrs[0].value.priority == 5
    config.attrs = attributes(driver, 7, 8, 9)
    gc.collect()
    assert first.value.priority == 5 and [a.value.priority for a in config.attrs] == [7, 8, 9]
    del config
    gc.collect()
    first.value.priority = 6
    assert first.value.priority == 6


@pytest.mark.parametrize("empty", [[], (), None])
def test_an_empty_list_is_null(driver, empty):
    config = driver.CUlaunchConfig()
    config.attrs = attributes(driver, 1)
    config.attrs = empty
    assert config.attrs == [] and pointer_at(config, 40) == 0


@pytest.mark.parametrize("wrong", [5, "ab", b"ab", {1: 2}, iter([])])
def test_what_is_no_list_is_refused(driver, wrong):
    config = driver.CUlaunchConfig()
    with pytest.raises(TypeError, match=r"CUlaunchConfig\.attrs: got .*; accepts a list or tuple of CUlaunchAttribute"):
        config.attrs = wrong


def test_elements_are_checked(driver):
    config = driver.CUlaunchConfig()
    config.attrs = attributes(driver, 1)
    for wrong in (None, 5, driver.CUmemLocation(), driver.CUlaunchAttribute):
        with pytest.raises(TypeError, match=r"CUlaunchConfig\.attrs\[1\]: got"):
            config.attrs = [*attributes(driver, 2), wrong]
    assert [a.value.priority for a in config.attrs] == [1]


def test_a_record_may_be_listed_in_its_own_list(driver):
    config = driver.CUlaunchConfig()
    config.attrs = attributes(driver, 1, 2)
    config.attrs = config.attrs[::-1] * 2
    assert [a.value.priority for a in config.attrs] == [2, 1, 2, 1]


def test_handles_in_a_list(driver):
    params = driver.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS()
    params.extSemArray = [driver.CUexternalSemaphore(1), 2, None]
    views = params.extSemArray
    assert [int(s) for s in views] == [1, 2, 0]
    assert [v.getPtr() - pointer_at(params, 0) for v in views] == [0, 8, 16]
    params.extSemArray = []
    assert [int(s) for s in views] == [1, 2, 0]
    with pytest.raises(TypeError, match=r"extSemArray\[0\]"):
        params.extSemArray = [driver.CUevent(1)]


def test_a_list_of_another_union_member_is_not_read_as_one_s_own(driver):
    params = driver.CUgraphNodeParams()
    params.extSemWait.paramsArray = [driver.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS()] * 2
    assert len(params.extSemWait.paramsArray) == 2
    assert params.extSemSignal.paramsArray == []


def test_a_pointer_that_somebody_else_wrote_is_an_empty_list(driver):
    config = driver.CUlaunchConfig()
    config.attrs = attributes(driver, 1)
    ctypes.c_uint64.from_address(config.getPtr() + 40).value = 0x10
    assert config.attrs == []
    config.attrs = []


def test_an_alias_takes_its_list_with_it(driver):
    config = driver.CUlaunchConfig()
    alias = driver.CUlaunchConfig(_ptr=config.getPtr())
    alias.attrs = attributes(driver, 1)
    assert pointer_at(config, 40) != 0
    del alias
    assert pointer_at(config, 40) == 0


def test_graphs_of_a_conditional_node_are_as_many_as_its_size(driver):
    params = driver.CUDA_CONDITIONAL_NODE_PARAMS()
    params.size = 2
    assert params.phGraph_out == [driver.CUgraph(0), driver.CUgraph(0)]
    graphs = (ctypes.c_uint64 * 2)(0x10, 0x20)
    ctypes.c_uint64.from_address(params.getPtr() + 16).value = ctypes.addressof(graphs)
    assert [int(g) for g in params.phGraph_out] == [0x10, 0x20]
    with pytest.raises(AttributeError):
        params.phGraph_out = []
    params.size = 2 ** 32 - 1
    with pytest.raises(ValueError):
        _ = params.phGraph_out


def test_parameters_of_another_node_are_not_read_as_graphs(driver, runtime):
    params = driver.CUgraphNodeParams()
    params.memcpy.copyCtx = 0x0007_0000_0000_0000
    params.memcpy.copyParams.srcXInBytes = 5
    assert params.conditional.size and params.conditional.phGraph_out == []
    assert "phGraph_out : []" in repr(params)
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.size = 2
    with pytest.raises(ValueError, match=r"CUDA_CONDITIONAL_NODE_PARAMS\.phGraph_out: points to no memory"):
        _ = params.conditional.phGraph_out
    assert "phGraph_out : <ValueError>" in repr(params)
    params.memcpy.copyParams.srcXInBytes = 0
    assert params.conditional.phGraph_out == [driver.CUgraph(0)] * 2
    empty = runtime.cudaGraphNodeParams()
    empty.type = runtime.cudaGraphNodeType.cudaGraphNodeTypeConditional
    empty.conditional.size = 1
    assert empty.conditional.phGraph_out == [runtime.cudaGraph_t(0)]


# --- pointers and what they keep (list (b) 18) ----------------------------------------------------------------------

def test_an_address_is_a_number_none_or_a_buffer(driver):
    record = driver.CUDA_MEMCPY2D()
    for value, expected in ((0x1234, 0x1234), (driver.CUdeviceptr(5), 5), (None, 0), (2 ** 64 - 1, 2 ** 64 - 1)):
        record.srcHost = value
        assert record.srcHost == expected
    memory = (ctypes.c_char * 8)()
    record.srcHost = memory
    assert record.srcHost == ctypes.addressof(memory)
    record.srcHost = b"12345678"
    assert ctypes.string_at(record.srcHost, 8) == b"12345678"


@pytest.mark.parametrize("wrong", ["text", True, -1, 2 ** 64, [1], object(), memoryview(bytes(8))[::2], 1.0])
def test_what_is_no_address_is_refused(driver, wrong):
    record = driver.CUDA_MEMCPY2D()
    with pytest.raises((TypeError, ValueError, OverflowError), match=r"CUDA_MEMCPY2D\.srcHost: got"):
        record.srcHost = wrong
    assert record.srcHost == 0


def test_a_buffer_lives_and_keeps_its_size_as_long_as_the_record(driver):
    memory, seen = watched()
    record = driver.CUDA_MEMCPY2D()
    record.srcHost = memory
    with pytest.raises(BufferError):
        memory.extend(b"more")
    del memory
    assert seen() is not None
    record.srcHost = 0
    assert seen() is None


def test_a_buffer_lives_as_long_as_a_view(driver):
    memory, seen = watched()
    window = driver.CUlaunchAttributeValue().accessPolicyWindow
    window.base_ptr = memory
    del memory
    gc.collect()
    assert seen() is not None
    del window
    assert seen() is None


def copied_by_assignment(driver, value):
    attribute = driver.CUlaunchAttribute()
    attribute.value = value
    return attribute


def copied_into_a_list(driver, value):
    config = driver.CUlaunchConfig()
    config.attrs = [copied_by_assignment(driver, value)]
    return config


def copied_twice(driver, value):
    return copied_into_a_list(driver, value.copy()).copy()


@pytest.mark.parametrize("copied", [
    copied_by_assignment, copied_into_a_list, copied_twice, lambda d, v: v.copy(), lambda d, v: copy.copy(v),
    lambda d, v: copy.deepcopy(v)])
def test_a_buffer_lives_as_long_as_any_copy_by_value(driver, copied):
    memory, seen = watched()
    value = driver.CUlaunchAttributeValue()
    value.accessPolicyWindow.base_ptr = memory
    target = copied(driver, value)
    del memory, value
    gc.collect()
    assert seen() is not None
    del target
    gc.collect()
    assert seen() is None


def test_overwriting_by_value_releases_what_was_kept(driver):
    memory, seen = watched()
    attribute = driver.CUlaunchAttribute()
    attribute.value.accessPolicyWindow.base_ptr = memory
    del memory
    attribute.value = driver.CUlaunchAttributeValue()
    assert seen() is None


def test_a_cycle_through_a_pointer_is_collected(driver):
    class Owner(bytearray):
        pass

    record, owner = driver.CUDA_MEMCPY2D(), Owner(8)
    record.srcHost, owner.record = owner, record
    record.dstHost = record
    seen = weakref.ref(owner)
    del record, owner
    gc.collect()
    assert seen() is None


def test_a_long_chain_of_records_is_released(driver):
    record = driver.CUDA_MEMCPY2D()
    for _ in range(200_000):
        following = driver.CUDA_MEMCPY2D()
        following.srcHost = record
        record = following
    del record, following


def test_an_object_may_touch_its_record_while_it_is_released(driver):
    record = driver.CUDA_MEMCPY2D()
    log = []

    class Owner(bytearray):
        def __del__(self):
            log.append(record.srcHost)
            record.srcHost = 7

    record.srcHost = Owner(8)
    record.srcHost = None
    assert log == [0] and record.srcHost == 7


def test_extra_is_an_address_only(driver):
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.extra = 0x10
    assert params.extra == 0x10
    for wrong in (None, b"12345678", "a", 1.0):
        with pytest.raises(TypeError, match=r"CUDA_KERNEL_NODE_PARAMS\.extra"):
            params.extra = wrong


def test_kernel_parameters_are_packed_and_kept(driver):
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.kernelParams = ((5, 2.5), (ctypes.c_int, ctypes.c_float))
    array_of_pointers = (ctypes.c_void_p * 2).from_address(params.kernelParams)
    assert ctypes.c_int.from_address(array_of_pointers[0]).value == 5
    assert ctypes.c_float.from_address(array_of_pointers[1]).value == 2.5
    packed = params.copy()
    del params
    gc.collect()
    assert ctypes.c_int.from_address((ctypes.c_void_p * 2).from_address(packed.kernelParams)[0]).value == 5
    packed.kernelParams = 0
    assert packed.kernelParams == 0
    with pytest.raises(TypeError, match="CUDA_KERNEL_NODE_PARAMS.*kernelParams"):
        packed.kernelParams = "a"


def test_the_count_of_a_decompression_is_written_where_it_can_be_read(driver):
    params = driver.CUmemDecompressParams()
    assert type(params.dstActBytes) is driver.cuuint32_t and int(params.dstActBytes) == 0
    count = driver.cuuint32_t(3)
    params.dstActBytes = count
    ctypes.c_uint32.from_address(pointer_at(params, 16)).value = 77
    assert int(count) == 77 and params.dstActBytes == count
    del count
    gc.collect()
    assert int(params.copy().dstActBytes) == 77
    memory = ctypes.c_uint32(5)
    params.dstActBytes = memory
    assert int(params.dstActBytes) == 5
    for wrong in (b"1234", bytearray(3), driver.CUdevice(1), "a", True):
        with pytest.raises((TypeError, ValueError), match=r"CUmemDecompressParams\.dstActBytes"):
            params.dstActBytes = wrong


def test_a_number_in_device_memory_is_shown_by_its_address(driver):
    """Nothing of the host's lies at the address: neither the text nor the dictionary may read there."""
    params = driver.CUmemDecompressParams()
    params.dstActBytes = 0x10
    assert "dstActBytes : 0x10\n" in repr(params)
    assert params.to_dict()["dstActBytes"].getPtr() == 0x10


# --- objects that lie -----------------------------------------------------------------------------------------------

def test_a_list_that_changes_while_it_is_read(driver):
    texture = driver.CUDA_TEXTURE_DESC()
    colors = [0.0, 0.0, 0.0, 0.0]

    class Shrinking:
        def __float__(self):
            colors.clear()
            gc.collect()
            return 1.0

    colors[0] = Shrinking()
    texture.borderColor = colors
    assert texture.borderColor == [1.0, 0.0, 0.0, 0.0]


def test_a_handle_list_whose_element_replaces_the_list(driver):
    params = driver.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS()

    class Replacing:
        def __index__(self):
            params.extSemArray = [9] * 1000
            return 5

    params.extSemArray = [Replacing(), 6]
    assert [int(s) for s in params.extSemArray] == [5, 6]


def test_sequences_that_lie_about_their_length(driver):
    class Long:
        def __len__(self):
            return 4

        def __iter__(self):
            return iter(range(1000))

    class Endless:
        def __getitem__(self, index):
            if index > 1000:
                raise RuntimeError("too far")
            return 1.0

    texture = driver.CUDA_TEXTURE_DESC()
    with pytest.raises(ValueError):
        texture.borderColor = Long()
    with pytest.raises(RuntimeError):
        texture.borderColor = Endless()


def test_a_setter_that_frees_the_view_s_parent(driver):
    holder = [driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()]

    class Freeing:
        def __index__(self):
            holder.clear()
            gc.collect()
            return 3

    fence = holder[0].params.fence
    fence.value = Freeing()
    assert fence.value == 3


def test_descriptors_refuse_objects_of_other_classes(driver):
    descriptor = driver.CUDA_MEMCPY2D_st.__dict__["srcXInBytes"]
    with pytest.raises(TypeError):
        descriptor.__get__(driver.CUmemLocation())
    with pytest.raises(TypeError):
        descriptor.__set__(5, 5)
