# SPDX-License-Identifier: Apache-2.0
"""Handles, callbacks and integer-likes as Python objects: made, compared, shown, kept. Nothing here calls a library."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import sys
import weakref

import pytest

# --- making ---------------------------------------------------------------------------------------------------------


def test_a_fresh_handle_is_null(driver, runtime, nvrtc):
    classes = (driver.CUstream, driver.CUdevice, runtime.cudaArray_t, nvrtc.nvrtcProgram)
    assert [int(cls()) for cls in classes] == [0] * 4


def test_the_value_may_be_named(driver):
    assert int(driver.CUstream(init_value=5)) == 5
    assert int(driver.CUdeviceptr(_ptr=0, init_value=6)) == 6


def test_anything_with_an_index_is_a_value(driver):
    class Indexed:
        def __index__(self):
            return 7

    assert int(driver.CUstream(Indexed())) == 7
    assert int(driver.CUfunction(driver.CUkernel(8))) == 8


def test_integer_likes_take_whole_floats_and_bools(driver):
    assert int(driver.CUdeviceptr(2.0 ** 40)) == 2 ** 40
    assert int(driver.cuuint32_t((16 * 80) / 8)) == 160
    assert int(driver.CUdevice(True)) == 1
    with pytest.raises(ValueError):
        driver.cuuint64_t(1.5)


@pytest.mark.parametrize("wrong", [None, "a", b"1", 1.0, True, [1], object()])
def test_a_pointer_handle_refuses_what_is_no_integer(driver, wrong):
    with pytest.raises(TypeError, match=r"CUstream\(\): parameter 'init_value'"):
        driver.CUstream(wrong)


@pytest.mark.parametrize(("name", "least", "most"), [
    ("CUstream", 0, 2 ** 64 - 1), ("CUhostFn", 0, 2 ** 64 - 1), ("CUdeviceptr", 0, 2 ** 64 - 1),
    ("cuuint64_t", 0, 2 ** 64 - 1), ("cuuint32_t", 0, 2 ** 32 - 1), ("GLuint", 0, 2 ** 32 - 1),
    ("CUdevice", -2 ** 31, 2 ** 31 - 1)])
def test_values_are_those_of_the_c_type(driver, name, least, most):
    cls = getattr(driver, name)
    assert [int(cls(least)), int(cls(most))] == [least, most]
    for wrong in (least - 1, most + 1, 2 ** 80, -2 ** 80):
        with pytest.raises(OverflowError):
            cls(wrong)


def test_wrong_arguments_are_type_errors(driver):
    with pytest.raises(TypeError, match="at most 2"):
        driver.CUstream(1, 2, 3)
    with pytest.raises(TypeError, match="unexpected keyword"):
        driver.CUstream(value=1)
    with pytest.raises(TypeError, match="multiple values"):
        driver.CUstream(1, init_value=1)


def test_an_exception_of_the_value_comes_through(driver):
    class Broken:
        def __index__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        driver.CUstream(Broken())


# --- numbers and texts ----------------------------------------------------------------------------------------------

def test_handles_are_shown_by_kind(driver, runtime):
    assert repr(driver.CUstream(0x7F00)) == str(driver.CUstream(0x7F00)) == "<CUstream 0x7f00>"
    assert repr(runtime.cudaStream_t(1)) == "<cudaStream_t 0x1>"
    assert repr(driver.CUhostFn(12345)) == "<CUhostFn 0x3039>"
    assert repr(driver.CUdeviceptr(2 ** 64 - 1)) == "<CUdeviceptr 18446744073709551615>"
    assert repr(driver.CUdevice(-1)) == "<CUdevice -1>"


def test_handles_are_integers_where_python_wants_one(driver):
    assert hex(driver.CUdeviceptr(255)) == "0xff"
    assert list(range(10))[driver.CUdevice(3)] == 3
    assert ctypes.c_void_p(int(driver.CUevent(9))).value == 9


def test_a_null_handle_is_false(driver):
    assert not driver.CUstream() and not driver.CUdeviceptr(0)
    assert driver.CUstream(1) and driver.CUdevice(-1)


def test_the_stream_protocol_gives_version_and_value(driver, runtime):
    assert driver.CUstream(5).__cuda_stream__() == (0, 5)
    assert runtime.cudaStream_t(6).__cuda_stream__() == (0, 6)
    assert not hasattr(driver.CUevent, "__cuda_stream__")


# --- equality, hash and order (list (a) 16) -------------------------------------------------------------------------

def test_handles_are_equal_by_value_within_their_type(driver):
    assert driver.CUdeviceptr(1) == driver.CUdeviceptr(1)
    assert driver.CUdeviceptr(1) != driver.CUdeviceptr(2)
    assert driver.CUhostFn(3) == driver.CUhostFn(3)
    assert driver.CUstream(1) != driver.CUevent(1)
    assert driver.CUstream(1) != 1 and not driver.CUstream(1) == 1
    assert driver.CUdeviceptr(1) != driver.CUdeviceptr_v2(1)


@pytest.mark.parametrize(("twin", "original"), [
    ("cudaStream_t", "CUstream"), ("cudaEvent_t", "CUevent"), ("cudaGraph_t", "CUgraph"),
    ("cudaGraphNode_t", "CUgraphNode"), ("cudaGraphExec_t", "CUgraphExec"), ("cudaUserObject_t", "CUuserObject"),
    ("cudaFunction_t", "CUfunction"), ("cudaMemPool_t", "CUmemoryPool"),
    ("cudaEglStreamConnection", "CUeglStreamConnection")])
def test_a_runtime_twin_equals_the_driver_s_handle(driver, runtime, twin, original):
    there, here = getattr(runtime, twin), getattr(driver, original)
    assert issubclass(there, here)
    assert there(5) == here(5) and here(5) == there(5) and there(5) != here(6)
    assert {there(5): "x"}[here(5)] == "x"


def test_handles_are_keys(driver):
    names = {driver.CUdeviceptr(address): address for address in range(0, 4096, 16)}
    assert names[driver.CUdeviceptr(4080)] == 4080


def test_only_device_pointers_are_ordered(driver):
    pointers = [driver.CUdeviceptr(3), driver.CUdeviceptr(1), driver.CUdeviceptr(2)]
    assert [int(p) for p in sorted(pointers)] == [1, 2, 3]
    with pytest.raises(TypeError):
        max(driver.CUstream(1), driver.CUstream(2))
    with pytest.raises(TypeError):
        max(driver.CUdeviceptr(1), 2)


# --- arithmetic -----------------------------------------------------------------------------------------------------

def test_device_pointers_move_by_integers(driver):
    pointer = driver.CUdeviceptr(0x1000)
    assert pointer + 16 == 16 + pointer == driver.CUdeviceptr(0x1010)
    assert pointer - 16 == driver.CUdeviceptr(0xFF0)
    assert pointer + -16 == pointer - 16
    assert type(pointer + 1) is driver.CUdeviceptr
    pointer += 4
    assert int(pointer) == 0x1004


def test_the_difference_of_device_pointers_is_an_int(driver):
    low, high = driver.CUdeviceptr(0), driver.CUdeviceptr(2 ** 64 - 1)
    assert high - low == 2 ** 64 - 1 and low - high == -(2 ** 64 - 1)
    assert type(high - low) is int


def test_device_pointers_do_not_leave_the_address_space(driver):
    with pytest.raises(OverflowError):
        driver.CUdeviceptr(2 ** 64 - 1) + 1
    with pytest.raises(OverflowError):
        driver.CUdeviceptr(0) - 1
    with pytest.raises(OverflowError):
        driver.CUdeviceptr(0) + 2 ** 70
    assert int(driver.CUdeviceptr(2 ** 63) + -2 ** 63) == 0


@pytest.mark.parametrize("operation", [
    lambda d: d.CUdeviceptr(1) + 1.0, lambda d: 5 - d.CUdeviceptr(1), lambda d: d.CUdeviceptr(1) + d.CUdeviceptr(1),
    lambda d: d.CUdeviceptr(1) + d.CUstream(1), lambda d: d.CUdeviceptr(1) * 2, lambda d: d.CUstream(1) + 1,
    lambda d: d.CUdevice(1) - 1, lambda d: d.CUdeviceptr(1) - d.CUdeviceptr_v2(1)])
def test_there_is_no_other_arithmetic(driver, operation):
    with pytest.raises(TypeError):
        operation(driver)


# --- storage --------------------------------------------------------------------------------------------------------

def test_get_ptr_is_where_the_value_lies(driver):
    stream, device = driver.CUstream(0x1234), driver.CUdevice(-7)
    assert ctypes.c_uint64.from_address(stream.getPtr()).value == 0x1234
    assert ctypes.c_int32.from_address(device.getPtr()).value == -7
    ctypes.c_uint64.from_address(stream.getPtr()).value = 0x5678
    assert int(stream) == 0x5678


def test_ptr_aliases_memory(driver):
    memory = ctypes.c_uint64(0x10)
    alias = driver.CUfunction(_ptr=ctypes.addressof(memory))
    assert int(alias) == 0x10 and alias.getPtr() == ctypes.addressof(memory)
    memory.value = 0x20
    assert int(alias) == 0x20


def test_integer_likes_write_their_value_through_ptr(driver):
    number, pointer = ctypes.c_uint64(5), ctypes.c_uint64(5)
    driver.cuuint64_t(0, ctypes.addressof(number))
    assert number.value == 5
    driver.cuuint64_t(9, ctypes.addressof(number))
    driver.CUstream(9, ctypes.addressof(pointer))
    assert (number.value, pointer.value) == (9, 5)


def test_a_32_bit_alias_touches_four_bytes(driver):
    memory = (ctypes.c_uint32 * 2)(1, 2)
    assert int(driver.cuuint32_t(7, ctypes.addressof(memory))) == 7
    assert list(memory) == [7, 2]


@pytest.mark.parametrize("wrong", [-1, 2 ** 64, 1.0, True, "1", None])
def test_ptr_is_an_address(driver, wrong):
    with pytest.raises((TypeError, OverflowError)):
        driver.CUstream(0, wrong)


# --- life -----------------------------------------------------------------------------------------------------------

def test_handles_are_neither_pickled_nor_copied(driver):
    for function in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            function(driver.CUstream(1))


def test_handles_take_no_attributes_and_no_weak_references(driver):
    with pytest.raises(AttributeError):
        driver.CUstream(1).note = 1
    with pytest.raises(TypeError):
        weakref.ref(driver.CUstream(1))
    with pytest.raises(TypeError):
        driver.CUstream.note = 1


def test_a_class_derived_in_python_is_a_handle(driver):
    class Stream(driver.CUstream):  # type: ignore[name-defined]  # a fixture
        def __init__(self, init_value=0, _ptr=0):
            self.note = "mine"

    streams = [Stream(i) for i in range(200)]
    assert streams[5] == driver.CUstream(5) and streams[5].note == "mine" and repr(streams[5]) == "<CUstream 0x5>"
    streams[0].myself = streams[0]
    del streams
    gc.collect()
    assert [int(driver.CUstream(i)) for i in range(200)] == list(range(200))


def test_freed_handles_leave_nothing_behind(driver):
    for cls in (driver.CUstream, driver.CUdevice, driver.CUdeviceptr):
        assert [int(h) for h in [cls(i) for i in range(500)]] == list(range(500))
        assert int(cls()) == 0
    before = sys.getrefcount(driver.CUstream)
    for _ in range(1000):
        driver.CUstream(1)
    after = sys.getrefcount(driver.CUstream)
    assert after == before


def test_a_member_s_handle_that_is_part_of_a_cycle_is_collected(driver):
    class Owner(bytearray):
        pass

    record, owner = driver.CUDA_MEMCPY2D(), Owner(8)
    record.srcHost = owner
    owner.view = record.dstArray
    seen = weakref.ref(owner)
    del record, owner
    gc.collect()
    assert seen() is None


def test_sizeof_knows_handles_and_structs(driver, runtime):
    assert driver.sizeof(driver.CUstream) == 8 and driver.sizeof(driver.CUdevice) == 4
    assert driver.sizeof(driver.CUuuid) == 16 and runtime.sizeof(runtime.cudaIpcMemHandle_t) == 64
    for wrong in (driver.CUresult, int, 5, None):
        with pytest.raises(TypeError, match="Unknown type"):
            driver.sizeof(wrong)


def test_classes_are_found_by_name_once(driver):
    assert driver.CUstream is driver.CUstream
    assert driver.CUstream.__module__ == "cuda_bindings.driver" and driver.CUstream.__qualname__ == "CUstream"
    with pytest.raises(AttributeError, match="CUnothing"):
        _ = driver.CUnothing
