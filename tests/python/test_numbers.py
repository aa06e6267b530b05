# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments of calls: what reaches C, and what is refused before anything is called."""

from __future__ import annotations

import decimal
import fractions

import pytest
from recorder import read, unsigned

np = pytest.importorskip("numpy")


class Index:
    """A number by __index__ alone."""

    def __index__(self):
        return 48


class Int:
    """A number by __int__ alone, as handles of other packages are."""

    def __int__(self):
        return 48


SIZES = [
    48,
    48.0,
    (16 * 24) / 8,
    np.int8(48),
    np.uint64(48),
    np.float32(48),
    np.float64(48),
    np.array(48),
    Index(),
    Int(),
    decimal.Decimal(48),
    fractions.Fraction(96, 2),
]


@pytest.mark.parametrize("size", SIZES, ids=lambda value: type(value).__name__)
def test_a_size_arrives_from_every_kind_of_number(driver, cuda, size):
    assert driver.cuMemAlloc(size)[0] == 0
    assert cuda.only("cuMemAlloc_v2")[1] == 48


@pytest.mark.parametrize("size", [driver_class for driver_class in ("cuuint64_t", "CUdeviceptr")])
def test_our_own_integer_likes_are_numbers(driver, cuda, size):
    driver.cuMemAlloc(getattr(driver, size)(48))
    assert cuda.only("cuMemAlloc_v2")[1] == 48


@pytest.mark.parametrize("wrong", [48.5, float("nan"), float("inf"), np.float32(0.5)])
def test_a_fraction_is_a_value_error(driver, cuda, wrong):
    with pytest.raises(ValueError, match=r"cuMemAlloc\(\): parameter 'bytesize'"):
        driver.cuMemAlloc(wrong)
    assert not cuda.calls


@pytest.mark.parametrize("wrong", ["48", b"48", None, [48], (48,), object(), 48j, np.array([1, 2])])
def test_another_type_is_a_type_error(driver, cuda, wrong):
    with pytest.raises(TypeError, match=r"cuMemAlloc\(\): parameter 'bytesize'.*got .*; accepts"):
        driver.cuMemAlloc(wrong)
    assert not cuda.calls


@pytest.mark.parametrize(("value", "arrived"), [(0, 0), (2**32 - 1, 2**32 - 1), (True, 1), (3.0, 3)])
def test_unsigned_ints_have_32_bits(driver, cuda, value, arrived):
    driver.cuInit(value)
    assert unsigned(cuda.only("cuInit")[0]) == arrived


@pytest.mark.parametrize("wrong", [-1, 2**32, -2.0, 1e30, pytest.param(10**5000, id="10**5000")])
def test_what_has_more_bits_overflows(driver, cuda, wrong):
    with pytest.raises(OverflowError, match=r"cuInit\(\): parameter 'Flags'.*accepts an integer in 0\.\.4294967295"):
        driver.cuInit(wrong)
    assert not cuda.calls


@pytest.mark.parametrize("value", [2**15, 2**30 - 1, 2**30, 2**31, 2**60 - 1, 2**60, 2**63, 2**64 - 1])
def test_sizes_around_the_digits_of_an_int_arrive_whole(driver, cuda, value):
    driver.cuMemAlloc(value)
    assert unsigned(cuda.only("cuMemAlloc_v2")[1], 64) == value


def test_an_int_with_a_class_of_its_own_is_asked_by_its_methods(driver, cuda):
    class Derived(int):
        def __index__(self):
            return 77

    driver.cuMemAlloc(Derived(48))
    assert cuda.only("cuMemAlloc_v2")[1] == 48  # as C's conversions of an int do: the value that it is


@pytest.mark.parametrize("value", [0, 2**30 - 1, 2**30, 2**31 - 1])
def test_enumerations_take_ints_around_the_digits(driver, cuda, value):
    driver.cuCtxSetLimit(value, 1)
    assert unsigned(cuda.only("cuCtxSetLimit")[0]) == value


@pytest.mark.parametrize("wrong", [2**32, -(2**31) - 1, 2**62])
def test_an_enumeration_of_more_bits_overflows(driver, cuda, wrong):
    with pytest.raises(OverflowError, match=r"cuCtxSetLimit\(\): parameter 'limit'"):
        driver.cuCtxSetLimit(wrong, 1)
    assert not cuda.calls


def test_small_widths_are_checked(driver, cuda):
    driver.cuMemsetD8(1, 255, 1)
    assert unsigned(cuda.only("cuMemsetD8_v2")[1], 8) == 255
    for wrong in (256, -1):
        with pytest.raises(OverflowError):
            driver.cuMemsetD8(1, wrong, 1)


def test_the_objects_own_exception_comes_through(driver, cuda):
    class Angry:
        def __index__(self):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        driver.cuMemAlloc(Angry())
    assert not cuda.calls


def test_a_list_of_numbers_may_change_while_it_is_read(driver, cuda):
    sizes = []

    class Evil:
        def __index__(self):
            sizes.clear()
            return 7

    sizes += [Evil(), Evil(), Evil()]
    pointers = [driver.CUdeviceptr(i) for i in range(3)]
    seen = []
    cuda.on("cuMemcpyBatchAsync_v2", lambda name, words: seen.append(read(words[2], 24)) or 0)
    attributes = [driver.CUmemcpyAttributes()]
    assert driver.cuMemcpyBatchAsync(pointers, pointers, sizes, 3, attributes, [0], 1, 1)[0] == 0
    assert seen == [(7).to_bytes(8, "little") * 3]
