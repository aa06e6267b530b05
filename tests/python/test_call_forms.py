# SPDX-License-Identifier: Apache-2.0
"""How functions are called: positions, keywords, defaults, and what is refused before anything happens."""

from __future__ import annotations

import pytest
from recorder import unsigned


def test_keywords_in_any_order_arrive_in_their_places(driver, cuda):
    driver.cuMemsetD32(N=3, ui=2, dstDevice=1)
    assert [unsigned(word) for word in cuda.only("cuMemsetD32_v2")[:3]] == [1, 2, 3]


def test_positions_first_and_then_keywords(driver, cuda):
    driver.cuMemsetD32(1, N=3, ui=2)
    assert [unsigned(word) for word in cuda.only("cuMemsetD32_v2")[:3]] == [1, 2, 3]


def test_arguments_may_come_unpacked(driver, cuda):
    driver.cuMemsetD32(*(1, 2), **{"N": 3})
    assert [unsigned(word) for word in cuda.only("cuMemsetD32_v2")[:3]] == [1, 2, 3]


@pytest.mark.parametrize(("positions", "keywords", "said"), [
    ((), {}, "misses 'dstDevice', 'ui', 'N'"),
    ((1, 2), {}, "misses 'N'"),
    ((1, 2, 3, 4), {}, "takes at most 3 (4 given)"),
    ((1, 2, 3), {"N": 3}, "got multiple values for argument 'N'"),
    ((1, 2), {"n": 3}, "got an unexpected keyword argument 'n'"),
    ((1, 2), {"": 3}, "got an unexpected keyword argument ''"),
    ((1, 2), {"N=": 3}, "got an unexpected keyword argument 'N='"),
    ((1, 2), {"\udc80": 3}, "got an unexpected keyword argument '\\udc80'"),
])
def test_wrong_forms_name_what_is_wrong_and_what_is_accepted(driver, cuda, positions, keywords, said):
    with pytest.raises(TypeError) as error:
        driver.cuMemsetD32(*positions, **keywords)
    assert str(error.value) == f"cuMemsetD32() {said}; accepts (dstDevice, ui, N)"
    assert not cuda.calls


def test_a_function_without_parameters_takes_none(driver, cuda):
    for positions, keywords, said in (((1,), {}, "takes no arguments (1 given)"),
                                      ((), {"a": 1}, "got an unexpected keyword argument 'a'")):
        with pytest.raises(TypeError) as error:
            driver.cuCtxSynchronize(*positions, **keywords)
        assert str(error.value) == f"cuCtxSynchronize() {said}; accepts ()"
    assert not cuda.calls


def test_defaults_stand_in_for_what_is_left_out(runtime, recorders):
    runtime.cudaEventRecordWithFlags(event=1, stream=2, flags=0)
    by_keyword = recorders["runtime"].only("cudaEventRecordWithFlags")
    assert [unsigned(word) for word in by_keyword[:3]] == [1, 2, 0]


def test_the_older_form_with_fewer_arguments_and_the_newer_one_by_keywords(driver, cuda):
    driver.cuCtxCreate(0, 5)
    assert [unsigned(word) for word in cuda.only("cuCtxCreate_v2")[1:3]] == [0, 5]
    cuda.reset()
    driver.cuCtxCreate(dev=5, flags=0, ctxCreateParams=None)
    assert unsigned(cuda.only("cuCtxCreate_v4")[3]) == 5
