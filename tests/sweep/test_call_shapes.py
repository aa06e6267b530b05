# SPDX-License-Identifier: Apache-2.0
"""Too few arguments, too many, unknown keywords, one given twice: a TypeError that names the function."""

from __future__ import annotations

import pytest
from api_table import MODULES, extra_rows, table

ROWS = [(module, row) for module in MODULES for row in table()["functions"][module] + extra_rows().get(module, [])]
# What a call asks of the library before it looks at its arguments: nothing.
NAMES = ("", "self", "None", "not a name", "äöü", "x" * 10_000)


def refusal(function, /, *arguments, **keywords) -> TypeError:
    """The TypeError that a call ends with."""
    with pytest.raises(TypeError) as caught:
        function(*arguments, **keywords)
    return caught.value


@pytest.mark.parametrize("module_name", MODULES)
def test_calls_of_another_shape_are_refused_by_name(modules, recorders, module_name, tally):
    """Every function of the module, with objects that no conversion would take: none is asked."""
    for owner, row in ROWS:
        if owner != module_name:
            continue
        name, arguments = row["name"], row["arguments"]
        function = getattr(modules[module_name], name)
        names = [argument["name"] for argument in arguments]
        given = [object()] * len(names)
        wrong = [lambda: refusal(function, *given, object()), lambda: refusal(function, *[object()] * 1000)]
        wrong += [lambda n=n: refusal(function, *given, **{n: 1}) for n in NAMES]
        required = [n for n, argument in zip(names, arguments, strict=True) if "default" not in argument]
        if name == "cuCtxCreate":       # its last argument may be left out: the older form
            required = required[:-1]
        if required:
            wrong += [lambda: refusal(function), lambda: refusal(function, *given[1:len(required)]),
                      lambda: refusal(function, *given, **{names[0]: 1}),
                      lambda: refusal(function, **dict.fromkeys(required[1:], object()))]
        for attempt in wrong:
            tally.inputs += 1
            assert f"{name}()" in str(attempt()), attempt()
    assert recorders[module_name].calls == []


def test_classes_refuse_other_shapes_by_name(driver):
    for cls in (driver.CUstream, driver.CUdeviceptr, driver.CUDA_MEMCPY2D, driver.CUlaunchConfig):
        for arguments, keywords in (((1, 2, 3), {}), ((), {"value": 1}), ((1,), {"init_value": 1, "x": 2})):
            assert cls.__name__ in str(refusal(cls, *arguments, **keywords))
