# SPDX-License-Identifier: Apache-2.0
"""Enumerations as Python classes: real IntEnum classes, made when first touched."""

from __future__ import annotations

import enum
import json
import pickle
import sys

import pytest


def test_enums_are_int_enums(driver, runtime, nvrtc):
    for cls in (driver.CUresult, runtime.cudaError_t, nvrtc.nvrtcResult):
        assert issubclass(cls, enum.IntEnum) and isinstance(cls, enum.EnumMeta)
        assert cls(0) == 0 and isinstance(cls(0), int)


def test_a_member_is_found_by_value_name_and_attribute(driver):
    member = driver.CUresult.CUDA_ERROR_INVALID_VALUE
    assert driver.CUresult(1) is driver.CUresult["CUDA_ERROR_INVALID_VALUE"] is driver.CUresult(1.0) is member
    assert driver.CUresult(member) is member
    assert (member.name, member.value, int(member)) == ("CUDA_ERROR_INVALID_VALUE", 1, 1)


def test_a_member_is_shown_as_enum_shows_it(driver):
    plain = enum.IntEnum("CUresult", {"CUDA_SUCCESS": 0})
    member = driver.CUresult.CUDA_SUCCESS
    assert repr(member) == "<CUresult.CUDA_SUCCESS: 0>"
    assert (str(member), f"{member}", "%d" % member) == (str(plain(0)), f"{plain(0)}", "0")
    assert repr(driver.CUresult) == "<enum 'CUresult'>"


@pytest.mark.parametrize("wrong", [12345, -1, 2 ** 40, 2 ** 80, "CUDA_SUCCESS", None, 0.5])
def test_a_value_without_a_member_is_a_value_error(driver, wrong):
    with pytest.raises(ValueError):
        driver.CUresult(wrong)


def test_wrong_calls_are_type_errors(driver):
    with pytest.raises(TypeError):
        driver.CUresult()
    with pytest.raises(TypeError):
        driver.CUresult(0, nothing=1)


def test_iteration_hides_aliases_and_members_shows_them(driver):
    location = driver.CUmemLocationType
    assert location.CU_MEM_LOCATION_TYPE_NONE is location.CU_MEM_LOCATION_TYPE_INVALID
    assert len(list(location)) == len({m.value for m in location}) < len(location.__members__)
    assert "CU_MEM_LOCATION_TYPE_NONE" in location.__members__


def test_every_member_is_what_its_class_gives_for_the_value(driver, runtime, nvrtc):
    for module in (driver, runtime, nvrtc):
        for name in dir(module):
            cls = getattr(module, name)
            if isinstance(cls, enum.EnumMeta):
                assert [cls(m.value) for m in cls] == list(cls), name
                assert all(cls(m.value) is m for m in cls.__members__.values()), name


def test_members_are_ints_to_python(driver):
    member = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE
    assert member == 10 and hash(member) == hash(10) and {10: "x"}[member] == "x"
    assert type(member | 4) is int
    assert json.dumps([member]) == "[10]"


def test_members_may_be_matched(driver):
    if sys.version_info < (3, 10):
        pytest.skip("no match statement")
    names = {"driver": driver, "status": driver.CUresult(1)}
    exec("match status:\n    case driver.CUresult.CUDA_ERROR_INVALID_VALUE: found = True\n", names)
    assert names["found"]


def test_members_are_pickled_by_value(driver, runtime):
    for member in (driver.CUresult.CUDA_ERROR_INVALID_VALUE, runtime.cudaMemcpyKind(1)):
        assert pickle.loads(pickle.dumps(member)) is member


def test_membership(driver):
    assert driver.CUresult.CUDA_SUCCESS in driver.CUresult
    assert driver.CUresult.__module__ == "cuda_bindings.driver"
    assert driver.CUresult.__doc__


def test_a_class_of_members_cannot_be_derived_from(driver):
    with pytest.raises(TypeError):
        class Mine(driver.CUresult):  # type: ignore[name-defined]  # a fixture
            MORE = 77777


# --- values that the enumeration does not know (list (a) 3) --------------------------------------------------------

def read_unknown(driver, value):
    """A member of a record is an enum output like any other."""
    record = driver.CUmemAccessDesc()
    record.flags = value
    return record.flags


def test_an_unknown_value_is_a_member_beside_the_class(driver):
    unknown = read_unknown(driver, 12345)
    assert isinstance(unknown, driver.CUmemAccess_flags) and unknown == 12345 and int(unknown) == 12345
    assert (unknown.name, unknown.value) == ("CUmemAccess_flags(12345)", 12345)
    assert repr(unknown) == "<CUmemAccess_flags(12345)>" and "12345" in str(unknown)
    assert driver.CUmemAccess_flags(unknown) is unknown


def test_a_name_that_is_no_text_can_be_shown(driver):
    unknown = read_unknown(driver, 12346)
    unknown._name_ = 5
    assert repr(unknown) == "<5>"
    member = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READ
    name = member._name_
    try:
        for given, shown in ((5, "<CUmemAccess_flags.5: 1>"), ("\ud800", "<CUmemAccess_flags.\ud800: 1>")):
            member._name_ = given
            assert repr(member) == shown
    finally:
        member._name_ = name
    assert repr(member) == "<CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READ: 1>"


def test_an_unknown_value_is_not_registered(driver):
    read_unknown(driver, 12345)
    assert 12345 not in [m.value for m in driver.CUmemAccess_flags]
    with pytest.raises(ValueError):
        driver.CUmemAccess_flags(12345)


def test_an_unknown_value_is_pickled_as_an_int(driver):
    restored = pickle.loads(pickle.dumps(read_unknown(driver, 12345)))
    assert restored == 12345 and type(restored) is int


def test_an_unsigned_enumeration_keeps_its_high_bit(driver):
    assert read_unknown(driver, 2 ** 32 - 1) == 2 ** 32 - 1
    with pytest.raises(OverflowError):
        read_unknown(driver, 2 ** 32)
    with pytest.raises(OverflowError):
        read_unknown(driver, -1)


# --- what stands for an enumeration ---------------------------------------------------------------------------------

def test_classes_of_one_c_type_go_for_each_other(driver):
    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUstreamAttrID(2)
    assert attribute.id is driver.CUlaunchAttributeID(2)
    assert driver.CUstreamAttrID is not driver.CUlaunchAttributeID


@pytest.mark.parametrize("make", [
    lambda d, r: d.CUresult(1), lambda d, r: r.cudaError_t(1), lambda d, r: None, lambda d, r: "5",
    lambda d, r: d.CUdevice(1), lambda d, r: [1]])
def test_another_type_is_refused(driver, runtime, make):
    record = driver.CUmemAccessDesc()
    with pytest.raises(TypeError, match=r"CUmemAccessDesc\.flags: got .*; accepts CUmemAccess_flags"):
        record.flags = make(driver, runtime)
    assert record.flags == 0


def test_integers_are_taken(driver):
    class Indexed:
        def __index__(self):
            return 3

    record = driver.CUmemAccessDesc()
    for value, expected in ((1, 1), (True, 1), (3.0, 3), (Indexed(), 3)):
        record.flags = value
        assert record.flags == expected
    with pytest.raises(ValueError):
        record.flags = 1.5
