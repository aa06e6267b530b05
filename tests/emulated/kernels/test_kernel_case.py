# SPDX-License-Identifier: Apache-2.0
"""The comparison that kernel tests rest on, and the references that NumPy does not have; no device is needed."""

from fractions import Fraction

import numpy as np
import pytest
from all_cases import CASES
from compare_runs import rows
from kernel_case import DEFAULT, Bits, Out, Variant, Within, difference, marked, ptx_of, ulp_distance
from references import from_bfloat16, root, round_to_odd, rounded, to_bfloat16

f32 = np.float32
ONE_UP = np.nextafter(f32(1), f32(2))


def array(*values, dtype=f32):
    return np.array(values, dtype)


def test_bits_tell_zeros_and_nans_apart():
    assert difference(array(0.0), array(0.0), Bits()) is None
    assert "1 of 1 differ" in difference(array(-0.0), array(0.0), Bits())
    other_nan = np.array([0x7FFFFFFF], np.uint32).view(f32)
    assert difference(other_nan, array(np.nan), Bits()) is not None
    assert difference(other_nan, array(np.nan), Bits(any_nan=True)) is None


def test_ulp_are_counted_across_zero_and_in_doubles():
    assert ulp_distance(array(ONE_UP), array(1.0)) == 1
    tiny = np.array([1, 0x80000001], np.uint32).view(f32)
    assert ulp_distance(tiny[:1], tiny[1:]) == 2
    assert ulp_distance(np.array([1.0]), np.nextafter([1.0], 2)) == 1
    assert ulp_distance(array(np.nan), array(1.0)) == np.inf


def test_a_rule_takes_what_is_near_and_nothing_else():
    assert difference(array(ONE_UP), array(1.0), Within(1)) is None
    assert difference(array(ONE_UP), array(1.0), Within(0)) is not None
    assert difference(array(1e-9), array(0.0), Within(0, 1e-8)) is None
    assert difference(array(1e-7), array(0.0), Within(0, 1e-8)) is not None
    assert difference(array(np.nan), array(1.0), Within(2.0**40, 1.0)) is not None


def test_integers_are_compared_bit_by_bit_under_every_rule():
    assert difference(array(5, dtype=np.int32), array(6, dtype=np.int32), Within(10, 10)) is not None


def test_shapes_types_and_texts_must_agree():
    assert difference(array(1.0), array(1.0, 2.0), Bits()) is not None
    assert difference(array(1.0), array(1.0, dtype=np.float64), Bits()) is not None
    assert difference(["a"], ["b"], Bits()) == "['a'] instead of ['b']"


def test_outputs_are_poisoned():
    assert Out(np.uint32, 3).array.tolist() == [0xA5A5A5A5] * 3


def test_marks_in_ptx_choose_the_twin():
    assert marked("{{add|sub}}.s32 {a, b}, {{1|2}};", False) == "add.s32 {a, b}, 1;"
    assert marked("{{add|sub}}.s32 {a, b}, {{1|2}};", True) == "sub.s32 {a, b}, 2;"


@pytest.mark.parametrize(("direction", "bits"), [("rn", 0x3EAAAAAB), ("rz", 0x3EAAAAAA), ("ru", 0x3EAAAAAB),
                                                 ("rd", 0x3EAAAAAA)])
def test_a_third_is_rounded_in_every_direction(direction, bits):
    assert rounded(Fraction(1, 3), f32, direction).view(np.uint32) == bits
    negative = {"ru": "rd", "rd": "ru"}.get(direction, direction)
    assert rounded(Fraction(-1, 3), f32, negative).view(np.uint32) == bits | 0x80000000


def test_halfway_goes_to_even():
    assert rounded(1 + Fraction(1, 2**24), f32, "rn") == 1
    assert rounded(1 + Fraction(3, 2**24), f32, "rn") == 1 + 2.0**-22


def test_roots_are_exact_or_rounded():
    assert root(2.25, np.float64, "ru") == 1.5
    assert root(2.0, f32, "ru").view(np.uint32) == 0x3FB504F4
    assert root(2.0, f32, "rd").view(np.uint32) == 0x3FB504F3


def test_bfloat16_rounds_to_nearest_even():
    assert to_bfloat16(array(1.0, 1.00390625, 1.01171875, -2.5)).tolist() == [0x3F80, 0x3F80, 0x3F82, 0xC020]
    assert from_bfloat16(np.array([0x3F82], np.uint16)) == f32(1.015625)


def test_rounding_to_odd_keeps_what_was_cut_visible():
    assert round_to_odd(np.array([1 + 2.0**-40]), 20) == 1 + 2.0**-20
    assert round_to_odd(np.array([1.5]), 20) == 1.5


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_twin_differs_from_its_kernel_in_the_ptx(case):
    assert ptx_of(case.source, case.variants[0]) != ptx_of(case.source, case.variants[0], broken=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_references_give_the_same_results_each_time(case):
    launch = case.launches[0]
    first = case.expected(launch)
    case.__class__.expected.cache_clear()
    second = case.expected(launch)
    assert {name: difference(first[name], second[name], Bits()) for name in second} == dict.fromkeys(second)


def entry(**changes) -> dict:
    """A result as it is recorded."""
    usual = {"case": "saxpy", "variant": "75-default", "launch": "n=1", "result": "out", "rule": "2 ulp", "hash": "a"}
    return {**usual, **changes}


def test_runs_are_compared_by_case_and_variant():
    def run(*entries):
        return {(each["case"], each["variant"], each["launch"], each["result"]): each for each in entries}

    same = [entry(), entry(result="sum")]
    other = [entry(), entry(result="sum", hash="b")]
    assert rows(run(*same), run(*same)) == [["saxpy", "75-default", "2 of 2", "0", "0", "0", "2 ulp"]]
    assert rows(run(*same), run(*other))[0][2] == "1 of 2"


def test_variants_are_named_by_architecture_and_mode():
    assert str(Variant("compute_80", DEFAULT)) == "80-default"
