# SPDX-License-Identifier: Apache-2.0
"""Members read and written the quick way: values at the edges of it, names that miss it, and views given again."""

from __future__ import annotations

import copy
import ctypes
import enum
import functools
import gc
import math
import sys
import types
import weakref

import pytest

# --- numbers --------------------------------------------------------------------------------------------------------

WIDTHS = [("CUgraphEdgeData", "from_port", 0, 255), ("CUmemPoolProps", "usage", 0, 65535),
          ("CUmemLocation", "id", -2147483648, 2147483647), ("CUlaunchConfig", "gridDimX", 0, 4294967295),
          ("CUgraphNodeParams", "reserved2", -2 ** 63, 2 ** 63 - 1),
          ("CUDA_MEMCPY2D", "Height", 0, 2 ** 64 - 1), ("CUDA_MEMCPY2D", "srcHost", 0, 2 ** 64 - 1)]
EDGES = sorted({sign * (2 ** power + more) for power in (7, 8, 15, 16, 29, 30, 31, 32, 59, 60, 62, 63, 64)
                for more in (-1, 0, 1) for sign in (-1, 1)} | {0, 1, -1})


@pytest.mark.parametrize(("cls", "member", "least", "most"), WIDTHS)
def test_a_number_at_every_edge_is_kept_or_refused(driver, cls, member, least, most):
    record = getattr(driver, cls)()
    for value in EDGES:
        setattr(record, member, 5)
        if least <= value <= most:
            setattr(record, member, value)
            assert getattr(record, member) == value and type(getattr(record, member)) is int
        else:
            with pytest.raises((OverflowError, TypeError)):
                setattr(record, member, value)
            assert getattr(record, member) == 5


class Number(int):
    """An int of a class of its own."""


class Code(enum.IntEnum):
    """An enumeration of the program's own."""

    FIVE = 5


class Indexed:
    """Something that is a number when asked."""

    def __index__(self):
        return 5


@pytest.mark.parametrize("five", [5, Number(5), Code.FIVE, Indexed(), 5.0])
def test_numbers_of_other_classes_go_the_general_way(driver, five):
    location, edge, copy_of = driver.CUmemLocation(), driver.CUgraphEdgeData(), driver.CUDA_MEMCPY2D()
    location.id = edge.to_port = copy_of.Height = five
    assert (location.id, edge.to_port, copy_of.Height) == (5, 5, 5)


def test_a_number_is_written_into_its_own_bytes_alone(driver):
    edge = driver.CUgraphEdgeData()
    memoryview(edge)[:] = b"\xaa" * 8
    edge.to_port = 1
    assert bytes(edge) == b"\xaa\x01" + b"\xaa" * 6
    properties = driver.CUmemPoolProps()
    memoryview(properties)[:] = b"\xaa" * memoryview(properties).nbytes
    properties.usage = 1
    assert bytes(properties)[30:38] == b"\xaa\xaa\x01\x00" + b"\xaa" * 4


def test_a_real_number_keeps_sign_infinity_and_nan_or_is_refused(driver):
    texture = driver.CUDA_TEXTURE_DESC()
    for value in (0.5, -0.0, 3.4028234663852886e38, -3.4028234663852886e38, math.inf, -math.inf, 7, True):
        texture.mipmapLevelBias = value
        assert texture.mipmapLevelBias == value
        assert math.copysign(1, texture.mipmapLevelBias) == math.copysign(1, value)
    texture.mipmapLevelBias = math.nan
    assert math.isnan(texture.mipmapLevelBias)
    texture.mipmapLevelBias = 1.5
    for wrong in (3.5e38, -3.5e38, 1e300, 2 ** 2000):
        with pytest.raises(OverflowError):
            texture.mipmapLevelBias = wrong
    with pytest.raises(TypeError):
        texture.mipmapLevelBias = "1"
    assert texture.mipmapLevelBias == 1.5


def test_an_address_is_no_bool_no_float_and_lets_go_of_what_was_there(driver):
    record, memory = driver.CUDA_MEMCPY2D(), bytearray(8)
    record.srcHost = memory
    assert record.srcHost != 4096
    record.srcHost = 4096
    memory.append(1)  # nobody holds it any more
    assert record.srcHost == 4096
    for wrong in (True, 1.0, "a"):
        with pytest.raises(TypeError):
            record.srcHost = wrong
    assert record.srcHost == 4096


# --- enumerations, handles, nested records --------------------------------------------------------------------------

def test_an_enumeration_takes_its_class_its_numbers_and_no_other_class(driver):
    location = driver.CUmemLocation()
    device = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    for value in (device, 1, Number(1), True):
        location.type = 0
        location.type = value
        assert location.type is device
    for value in (2147483647, 0, 77):
        location.type = value
        assert location.type == value
    with pytest.raises(TypeError):
        location.type = driver.CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(OverflowError):
        location.type = 2 ** 40
    assert location.type == 77
    invalid = driver.CUmemLocationType(2 ** 31 - 1)
    location.type = invalid
    assert location.type is invalid


def test_a_handle_takes_its_class_derived_ones_none_and_numbers(driver):
    class Stream(driver.CUstream):  # type: ignore[name-defined]  # a fixture
        pass

    config = driver.CUlaunchConfig()
    for value, number in ((driver.CUstream(2 ** 64 - 1), 2 ** 64 - 1), (Stream(9), 9), (None, 0), (7, 7)):
        config.hStream = value
        assert int(config.hStream) == number and type(config.hStream) is driver.CUstream
    with pytest.raises(TypeError):
        config.hStream = driver.CUevent(1)
    config.hStream = config.hStream
    assert int(config.hStream) == 7


def test_a_handle_of_four_bytes_is_written_into_four(driver):
    operation = driver.CUstreamBatchMemOpParams().writeValue
    memoryview(operation)[:] = b"\xaa" * memoryview(operation).nbytes
    operation.value = driver.cuuint32_t(1)
    assert bytes(operation)[16:24] == b"\x01\0\0\0" + b"\xaa" * 4


def test_a_nested_record_takes_itself_and_overlapping_parts_of_its_own(driver):
    record = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()
    record.params.fence.value = 5
    record.params = record.params
    assert record.params.fence.value == 5


def test_a_nested_record_brings_what_it_keeps(driver):
    inner, memory = driver.CUlaunchAttributeValue(), bytearray(8)
    inner.accessPolicyWindow.base_ptr = memory
    attribute = driver.CUlaunchAttribute()
    attribute.value = inner
    del inner
    gc.collect()
    with pytest.raises(BufferError):
        memory.append(1)
    attribute.value = driver.CUlaunchAttributeValue()
    memory.append(1)


# --- arrays ---------------------------------------------------------------------------------------------------------

ARRAYS = [("CUdevprop", "maxThreadsDim", 3, -2147483648, 2147483647),
          ("CUDA_RESOURCE_VIEW_DESC", "reserved", 16, 0, 4294967295),
          ("CUgraphNodeParams", "reserved1", 29, -2 ** 63, 2 ** 63 - 1),
          ("CUipcMemHandle", "reserved", 64, -128, 255)]


@pytest.mark.parametrize(("cls", "member", "count", "least", "most"), ARRAYS)
def test_numbers_are_written_all_or_none(driver, cls, member, count, least, most):
    record = getattr(driver, cls)()
    start = list(range(1, count + 1))
    for form in (list, tuple, iter, lambda values: map(Number, values), lambda values: [float(v) for v in values]):
        setattr(record, member, [0] * count)
        setattr(record, member, form(start))
        assert list(getattr(record, member)) == start
    for value in EDGES:
        given = [*start[:-1], value]
        if least <= value <= most:
            setattr(record, member, given)
            assert list(getattr(record, member))[-1] in (value, value + 256)
            setattr(record, member, start)
        else:
            with pytest.raises(OverflowError, match=rf"{member}\[{count - 1}\]"):
                setattr(record, member, given)
            assert list(getattr(record, member)) == start
    for wrong in (start[:-1], [*start, 1], [], ()):
        with pytest.raises(ValueError):
            setattr(record, member, wrong)
    for wrong in ([*start[:-1], "1"], [*start[:-1], None], [None] * count, 5, None, "1" * count):
        with pytest.raises(TypeError):
            setattr(record, member, wrong)
    assert list(getattr(record, member)) == start


def test_real_numbers_in_an_array(driver):
    texture = driver.CUDA_TEXTURE_DESC()
    texture.borderColor = [0.5, -0.0, math.inf, 3.4028234663852886e38]
    assert texture.borderColor == [0.5, 0.0, math.inf, 3.4028234663852886e38]
    assert math.copysign(1, texture.borderColor[1]) == -1
    texture.borderColor = (1, 2.5, True, -1)
    assert texture.borderColor == [1.0, 2.5, 1.0, -1.0]
    with pytest.raises(OverflowError, match=r"borderColor\[3\]"):
        texture.borderColor = [0.0, 0.0, 0.0, 1e39]
    assert texture.borderColor == [1.0, 2.5, 1.0, -1.0]


def test_a_list_that_changes_while_it_is_read_is_taken_as_it_was(driver):
    properties, values = driver.CUdevprop(), [1, 2, 3]

    class Emptying:
        def __index__(self):
            values.clear()
            gc.collect()
            return 8

    values[0] = Emptying()
    properties.maxThreadsDim = values
    assert properties.maxThreadsDim == [8, 2, 3] and values == []


def test_lists_and_tuples_of_other_classes_give_what_they_iterate(driver):
    class Reversed(list):
        def __iter__(self):
            return reversed(list(super().__iter__()))

    class Twice(tuple):
        def __iter__(self):
            return (2 * value for value in super().__iter__())

    properties = driver.CUdevprop()
    properties.maxThreadsDim = Reversed([1, 2, 3])
    assert properties.maxThreadsDim == [3, 2, 1]
    properties.maxThreadsDim = Twice([1, 2, 3])
    assert properties.maxThreadsDim == [2, 4, 6]


# --- names ----------------------------------------------------------------------------------------------------------

def test_a_name_need_not_be_the_interned_string(driver):
    class Name(str):
        pass

    location = driver.CUmemLocation()
    for name in ("".join(["i", "d"]), Name("id"), "".join(reversed("di"))):
        setattr(location, name, 0)
        setattr(location, name, 7)
        assert getattr(location, name) == 7 == object.__getattribute__(location, "id")
    type(location).id.__set__(location, 8)
    assert type(location).id.__get__(location) == 8 == location.id
    type(location).__setattr__(location, "id", 9)
    assert type(location).__getattribute__(location, "id") == 9


def test_what_is_no_member_is_an_attribute_as_ever(driver):
    location = driver.CUmemLocation()
    assert location.__class__ is driver.CUmemLocation and location.getPtr() == location.getPtr()
    for name in ("Id", "", "id ", "getptr", "\ud800"):
        with pytest.raises(AttributeError):
            getattr(location, name)
        with pytest.raises(AttributeError):
            setattr(location, name, 1)
    with pytest.raises(AttributeError):
        location.getPtr = 1
    with pytest.raises(NotImplementedError):
        del location.id
    with pytest.raises(TypeError):
        getattr(location, 1)
    assert not hasattr(location, "nothing") and getattr(location, "nothing", 5) == 5


def test_the_address_is_asked_by_a_method_like_any_other(driver):
    record, other = driver.CUDA_MEMCPY2D(), driver.CUDA_MEMCPY2D()
    method = record.getPtr
    assert method() == record.getPtr() == ctypes.addressof(ctypes.c_char.from_buffer(record)) != other.getPtr()
    assert isinstance(method, types.BuiltinMethodType) and callable(method) and method.__self__ is record
    assert (method.__name__, method.__doc__) == ("getPtr", driver.CUDA_MEMCPY2D.getPtr.__doc__)
    assert repr(method).startswith("<built-in method getPtr of cuda_bindings.driver.CUDA_MEMCPY2D object at 0x")
    assert method == record.getPtr != other.getPtr and hash(method) == hash(record.getPtr)
    assert method == driver.CUDA_MEMCPY2D.getPtr.__get__(record) and method != 5 and len({method, record.getPtr}) == 1
    assert method.__call__() == driver.CUDA_MEMCPY2D.getPtr(record) == functools.partial(method)()
    for address in (2 ** 63 - 8, 2 ** 63, 2 ** 64 - 8):
        alias = driver.CUDA_MEMCPY2D(address)
        assert alias.getPtr() == driver.CUDA_MEMCPY2D.getPtr(alias) == address
    for wrong in ((1,), (1, 2)):
        with pytest.raises(TypeError, match=r"getPtr\(\) takes no arguments"):
            record.getPtr(*wrong)
    with pytest.raises(TypeError):
        record.getPtr(at=1)
    with pytest.raises(AttributeError):
        method.nothing  # noqa: B018
    with pytest.raises(AttributeError):
        record.getPtr = method
    with pytest.raises(AttributeError):
        del record.getPtr


def test_the_method_keeps_its_record_and_goes_with_it(driver):
    method = driver.CUDA_MEMCPY2D().getPtr
    gc.collect()
    ctypes.memset(method(), 5, 128)
    assert bytes(method.__self__) == b"\5" * 128
    methods = [driver.CUmemLocation().getPtr for _ in range(100)]
    assert len({method() for method in methods}) == 100

    class Memory(bytearray):
        pass

    record, memory = driver.CUDA_MEMCPY2D(), Memory(8)
    record.srcHost, memory.method = memory, record.getPtr
    gone = weakref.ref(memory)
    del record, memory
    gc.collect()
    assert gone() is None


def test_a_derived_class_may_put_its_own_before_a_member(driver):
    class Location(driver.CUmemLocation):  # type: ignore[name-defined]  # a fixture
        @property
        def id(self):
            return super().id + 100

        @id.setter
        def id(self, value):
            driver.CUmemLocation.id.__set__(self, value + 1)

        def __getattr__(self, name):
            return name.upper()

    location = Location()
    location.id = 5
    location.note = "kept"
    assert (location.id, location.note, location.other) == (106, "kept", "OTHER")
    assert driver.CUmemLocation.id.__get__(location) == 6

    class Loud(driver.CUmemLocation):  # type: ignore[name-defined]  # a fixture
        def __getattribute__(self, name):
            return "own" if name == "id" else super().__getattribute__(name)

        def __setattr__(self, name, value):
            super().__setattr__(name, value * 2)

    loud = Loud()
    loud.id = 4
    assert loud.id == "own" and driver.CUmemLocation.id.__get__(loud) == 8
    try:
        object.__setattr__(loud, "id", 5)
    except TypeError:   # interpreters before 3.13, where a class has a setter of its own
        assert sys.version_info < (3, 13) and driver.CUmemLocation.id.__get__(loud) == 8
    else:
        assert driver.CUmemLocation.id.__get__(loud) == 5


def test_a_typedef_s_class_has_the_members_of_its_tag(driver):
    record = driver.CUDA_MEMCPY2D()
    assert isinstance(record, driver.CUDA_MEMCPY2D_st)
    record.Height = 4
    assert driver.CUDA_MEMCPY2D_st.Height.__get__(record) == 4
    tag = driver.CUDA_MEMCPY2D_st()
    tag.Height = 5
    assert tag.Height == 5
    with pytest.raises(TypeError):
        driver.CUDA_MEMCPY2D_st.Height.__get__(driver.CUmemLocation())


# --- views ----------------------------------------------------------------------------------------------------------

def test_a_record_gives_the_same_views_as_long_as_it_lives(driver):
    record, other = driver.CUmemPoolProps(), driver.CUmemPoolProps()
    assert record.location is record.location and record.location is not other.location
    config = driver.CUlaunchConfig()
    assert config.hStream is config.hStream
    config.hStream = driver.CUstream(5)
    assert int(config.hStream) == 5
    signal = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()
    assert signal.params.fence is signal.params.fence and signal.params.fence is not signal.params.keyedMutex
    for made in (copy.copy(record), copy.deepcopy(record), record.copy()):
        made.location.id = 9
        assert made.location is not record.location and record.location.id == 0


def test_a_view_outlives_its_record_and_sees_what_others_write(driver):
    record = driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS()
    params, fence, alias = record.params, record.params.fence, driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS(
        record.getPtr())
    alias.params.fence.value = 7
    assert alias.params is not params and params.fence is fence and fence.value == 7
    del record, alias
    gc.collect()
    others = [driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS() for _ in range(300)]
    del params
    gc.collect()
    assert fence.value == 7 and all(bytes(other) == bytes(144) for other in others)


def test_a_handle_s_view_outlives_its_record(driver):
    config = driver.CUlaunchConfig()
    config.hStream = driver.CUstream(5)
    stream = config.hStream
    del config
    gc.collect()
    assert [driver.CUlaunchConfig() for _ in range(300)] and int(stream) == 5


def test_views_go_with_their_record(driver):
    gc.collect()
    before = sys.getrefcount(driver.CUmemLocation), sys.getrefcount(driver.CUstream)
    for _ in range(100):
        record, config = driver.CUmemPoolProps(), driver.CUlaunchConfig()
        assert record.location.id == int(config.hStream) == 0
    del record, config
    assert (sys.getrefcount(driver.CUmemLocation), sys.getrefcount(driver.CUstream)) == before


def test_a_cycle_through_a_view_is_collected(driver):
    class Memory(bytearray):
        pass

    record, memory = driver.CUDA_MEMCPY2D(), Memory(8)
    record.srcHost = memory
    memory.views = (record, record.srcArray)
    gone = weakref.ref(memory)
    del record, memory
    gc.collect()
    assert gone() is None


def test_a_derived_class_s_instance_gives_its_views_too(driver):
    class Properties(driver.CUmemPoolProps):  # type: ignore[name-defined]  # a fixture
        pass

    properties = Properties()
    properties.note = properties.location
    assert properties.location is properties.note
    gone = weakref.ref(properties)
    del properties
    gc.collect()
    assert gone() is None


# --- start values ---------------------------------------------------------------------------------------------------

def test_a_record_made_where_another_was_starts_as_ever(runtime, driver):
    for _ in range(300):
        for cls, start in ((runtime.dim3, b"\1\0\0\0" * 3), (driver.CUmemLocation, bytes(8)),
                           (driver.CUDA_MEMCPY3D, bytes(200))):
            record = cls()
            assert bytes(record) == start
            memoryview(record)[:] = b"\xff" * len(start)
