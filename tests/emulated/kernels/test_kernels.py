# SPDX-License-Identifier: Apache-2.0
"""Every kernel, in every way it is compiled, gives what its NumPy reference gives; its broken twin does not."""

import numpy as np
import pytest
from all_cases import CASES
from kernel_case import Run, differences, each_variant, verify, verify_twin


@pytest.mark.parametrize(("case", "variant"), each_variant(CASES), ids=str)
def test_kernel_matches_its_reference(device, case, variant):
    verify(device, case, variant)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_broken_twin_is_caught(device, case):
    verify_twin(device, case)


@pytest.mark.parametrize("order", range(3))
def test_independent_launches_may_come_in_any_order(device, order):
    cases = [case for case in CASES if case.independent]
    runs = [Run(device, case, case.launches[-1], case.variants[0]) for case in cases]
    for index in np.random.default_rng(order).permutation(len(runs)):
        runs[index].start()
    found = [text for run in runs for text in differences(run.case, run.at, run.case.variants[0], run.finish())]
    for run in runs:
        run.free()
    assert not found, "\n".join(found)


def test_there_are_sixty_kernels():
    assert len({case.name for case in CASES}) == len(CASES) >= 60
