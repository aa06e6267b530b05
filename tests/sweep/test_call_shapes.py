# SPDX-License-Identifier: Apache-2.0
"""Too few arguments, too many, unknown keywords, one given twice: a TypeError that names the function."""

from __future__ import annotations

import pytest
from api_table import MODULES, extra_rows, table

ROWS = [(module, row) for module in MODULES for row in table()["functions"][module] + extra_rows().get(module, [])]
NAMES = ("", "self", "None", "not a name", "äöü", "x" * 10_000)


def refusal(function, /, *arguments, **keywords) -> TypeError:
    """The TypeError that a call ends with."""
    with pytest.raises(TypeError) as caught:
        function(*arguments, **keywords)
    return caught.value


def other_shapes(names: list[str], required: list[str]) -> list[tuple[list, dict]]:
    """Arguments and keywords that do not fit a function's parameters."""
    given = [object()] * len(names)
    found = [([*given, object()], {}), ([object()] * 1000, {})] + [(given, {unknown: 1}) for unknown in NAMES]
    if required:
        found += [([], {}), (given[1:len(required)], {}), (given, {names[0]: 1}),
                  ([], dict.fromkeys(required[1:], object()))]
    return found


@pytest.mark.parametrize("module_name", MODULES)
def test_calls_of_another_shape_are_refused_by_name(modules, recorders, module_name, tally):
    """Every function of the module, with objects that no conversion would take: none is asked."""
    for owner, row in ROWS:
        if owner != module_name:
            continue
        name = row["name"]
        names = [argument["name"] for argument in row["arguments"]]
        required = [argument["name"] for argument in row["arguments"] if "default" not in argument]
        if name == "cuCtxCreate":       # its last argument may be left out: the older form
            required = required[:-1]
        for arguments, keywords in other_shapes(names, required):
            tally.inputs += 1
            error = refusal(getattr(modules[module_name], name), *arguments, **keywords)
            assert f"{name}()" in str(error), error
    assert recorders[module_name].calls == []


def test_classes_refuse_other_shapes_by_name(driver):
    for cls in (driver.CUstream, driver.CUdeviceptr, driver.CUDA_MEMCPY2D, driver.CUlaunchConfig):
        for arguments, keywords in (((1, 2, 3), {}), ((), {"value": 1}), ((1,), {"init_value": 1, "x": 2})):
            assert cls.__name__ in str(refusal(cls, *arguments, **keywords))
