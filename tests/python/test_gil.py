# SPDX-License-Identifier: Apache-2.0
"""Every function lets other threads run while it is in the library, but for a few that only look something up."""

from __future__ import annotations

import ctypes

import pytest
from api_table import MODULES, extra_rows, table
from call_plan import plan_call
from expectations import OBJECTS
from special_functions import BARE_RECORDS, BY_HAND, RECORD_RESULTS, SPECIALS, STRING_RESULTS

# They read a constant, a table or what belongs to the calling thread, and neither wait, allocate nor lock.
KEEP_THE_GIL = {"cuCtxGetCurrent", "cuDeviceGet", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString",
                "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide", "cuTensorMapEncodeTiled",
                "cuTensorMapReplaceAddress", "nvrtcVersion"}
# Their result is no status, so the library below cannot answer with what it found.
NO_STATUS = {*BARE_RECORDS, *BY_HAND, *RECORD_RESULTS, *STRING_RESULTS}
ROWS = [pytest.param(module, row, id=row["name"]) for module in MODULES
        for row in table()["functions"][module] + extra_rows().get(module, []) if row["name"] not in NO_STATUS]


@pytest.fixture
def telling(recorders):
    """The fake libraries answer with 1 where the calling thread holds the GIL, else with 0."""
    held = ctypes.cast(ctypes.pythonapi.PyGILState_Check, ctypes.c_void_p).value
    libraries = [recorder.library for recorder in recorders.values()]
    for library in libraries:
        library.fake_set_hook.argtypes = [ctypes.c_void_p]
        library.fake_set_hook(held)
    yield
    for recorder in recorders.values():
        recorder.library.fake_set_hook(ctypes.cast(recorder._hook, ctypes.c_void_p))


@pytest.mark.parametrize(("module_name", "row"), ROWS)
def test_the_gil_is_released_around_the_call(module_name, row, modules, telling):
    plan = plan_call(modules[module_name], module_name, row, OBJECTS, SPECIALS)
    status = getattr(plan.module, row["name"])(**plan.values)[0]
    assert int(status) == (1 if row["name"] in KEEP_THE_GIL else 0)


def test_the_functions_that_keep_it_are_functions_of_the_table():
    assert {row.values[1]["name"] for row in ROWS} >= KEEP_THE_GIL
