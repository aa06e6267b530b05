# SPDX-License-Identifier: Apache-2.0
"""Calls every function of the modules through fake libraries: what arrives, what returns, what an error gives."""

from __future__ import annotations

import ctypes

import pytest
from api_table import MODULES, extra_rows, prototypes, table
from call_plan import plan_call, run_call
from expectations import OBJECTS, PLAIN, pattern
from recorder import write
from special_functions import BARE_RECORDS, BY_HAND, RECORD_RESULTS, SPECIALS, STRING_RESULTS

SUCCESS = {"driver": ("CUresult", "CUDA_SUCCESS"), "runtime": ("cudaError_t", "cudaSuccess"),
           "nvrtc": ("nvrtcResult", "NVRTC_SUCCESS")}
# A code that every library knows and that no rule treats in a special way.
FAILURE = {"driver": 700, "runtime": 700, "nvrtc": 6}

ROWS = [(module, row) for module in MODULES for row in table()["functions"][module] + extra_rows().get(module, [])]
CALLED = [(m, r) for m, r in ROWS
          if r["name"] not in BARE_RECORDS + BY_HAND + STRING_RESULTS and r["name"] not in RECORD_RESULTS]


def each_function(rows):
    """One test per function, named by it."""
    return pytest.mark.parametrize(("module_name", "row"), [pytest.param(m, r, id=r["name"]) for m, r in rows])


def check_results(plan, result) -> None:
    """The status is the success member itself and every further value passes its check."""
    enum, member = SUCCESS[plan.module_name]
    assert type(result) is tuple
    assert result[0] is getattr(getattr(plan.module, enum), member)
    assert len(result) == 1 + len(plan.returned), result
    for value, check in zip(result[1:], plan.returned, strict=True):
        check(value)
    for check in plan.after:
        check()


@each_function(CALLED)
def test_objects_arrive_and_results_return(module_name, row, modules, recorders):
    plan = plan_call(modules[module_name], module_name, row, OBJECTS, SPECIALS)
    result = run_call(plan, recorders[module_name], by_keyword=True)
    check_results(plan, result)


@each_function(CALLED)
def test_numbers_addresses_and_none_arrive(module_name, row, modules, recorders):
    plan = plan_call(modules[module_name], module_name, row, PLAIN, SPECIALS)
    result = run_call(plan, recorders[module_name])
    check_results(plan, result)


@each_function(CALLED)
def test_an_error_keeps_the_arity_and_gives_none(module_name, row, modules, recorders):
    plan = plan_call(modules[module_name], module_name, row, OBJECTS, SPECIALS)
    result = run_call(plan, recorders[module_name], status=FAILURE[module_name])
    enum = getattr(modules[module_name], SUCCESS[module_name][0])
    assert result[0] is enum(FAILURE[module_name])
    assert result[1:] == (None,) * len(row["outputs"])


@each_function([(m, r) for m, r in ROWS if r["name"] in STRING_RESULTS])
def test_error_texts_always_succeed(module_name, row, modules, recorders):
    text = ctypes.create_string_buffer(b"the text")
    recorder = recorders[module_name]
    recorder.reset()
    recorder.on(row["name"], lambda link, words: ctypes.addressof(text))
    enum, member = SUCCESS[module_name]
    status = list(getattr(modules[module_name], enum))[3]
    assert getattr(modules[module_name], row["name"])(status) == (
        getattr(getattr(modules[module_name], enum), member), b"the text")
    assert [word & 0xFFFFFFFF for word in recorder.only(row["name"])] == [int(status)]


@each_function([(m, r) for m, r in ROWS if r["name"] in RECORD_RESULTS])
def test_a_record_by_value_comes_with_success(module_name, row, modules, recorders):
    name, size = RECORD_RESULTS[row["name"]]
    data = pattern(size, 3)

    def handler(link: str, words) -> int:
        write(words[len(row["arguments"])], data)
        return 0
    recorder = recorders[module_name]
    recorder.reset()
    recorder.on(row["name"], handler)
    status, record = modules[module_name].cudaCreateChannelDesc(
        8, 9, -10, 11, modules[module_name].cudaChannelFormatKind.cudaChannelFormatKindFloat)
    assert status == 0
    assert type(record) is getattr(modules[module_name], name)
    assert ctypes.string_at(record.getPtr(), size) == data
    arrived = [word & 0xFFFFFFFF for word in recorder.only(row["name"])]
    assert arrived == [8, 9, 2**32 - 10, 11, 2]


def test_make_functions_give_bare_records(modules):
    runtime = modules["runtime"]
    pitched = runtime.make_cudaPitchedPtr(0x1000, 2, 3, 4)
    assert type(pitched) is runtime.cudaPitchedPtr
    assert (pitched.ptr, pitched.pitch, pitched.xsize, pitched.ysize) == (0x1000, 2, 3, 4)
    position = runtime.make_cudaPos(5, 6, 2**64 - 1)
    assert type(position) is runtime.cudaPos
    assert (position.x, position.y, position.z) == (5, 6, 2**64 - 1)
    extent = runtime.make_cudaExtent(w=7, h=8, d=9)
    assert type(extent) is runtime.cudaExtent
    assert (extent.width, extent.height, extent.depth) == (7, 8, 9)


def test_sizeof_gives_the_c_size_of_every_class(modules):
    for module_name in MODULES:
        for name, entry in table()["classes"][module_name].items():
            if "size" in entry:
                cls = getattr(modules[module_name], name)
                assert modules[module_name].sizeof(cls) == entry["size"], name
        with pytest.raises(TypeError):
            modules[module_name].sizeof(int)


def test_every_function_of_the_modules_is_called_here(modules):
    tested = {(m, r["name"]) for m, r in ROWS}
    for module_name in MODULES:
        module = modules[module_name]
        functions = {name for name in dir(module) if name in prototypes() and callable(getattr(module, name))}
        names = {name for m, name in tested if m == module_name}
        # Explicit names of the current ABI (cuMemAlloc_v2) are the same function and need no test of their own.
        same = {n for n in functions - names if prototypes()[n].name in names
                and getattr(module, n) is getattr(module, prototypes()[n].name)}
        assert functions - names - same == set()
