# SPDX-License-Identifier: Apache-2.0
"""Every parameter of every function, given everything that does not belong there: the error is the parameter's own."""

from __future__ import annotations

import sys

import pytest
from api_table import MODULES, extra_rows, table
from call_plan import plan_call
from expectations import OBJECTS
from special_functions import BARE_RECORDS, RECORD_RESULTS, SPECIALS, STRING_RESULTS
from sweep_kinds import Kind, kind_of
from sweep_rules import Case, Strangers, bad_input, fits

NOT_SWEPT = ("sizeof", "getLocalRuntimeVersion")     # no C prototype behind them
ROWS = [(module, row) for module in MODULES for row in table()["functions"][module] + extra_rows().get(module, [])
        if row["name"] not in NOT_SWEPT]

# Their results are no status with outputs: nothing to plan there.
PLANNED = {**SPECIALS, **dict.fromkeys((*BARE_RECORDS, *RECORD_RESULTS, *STRING_RESULTS), lambda plan: True)}
# An ellipsis stands there for the older form of the function, which has one parameter less.
MARKED = {("cuCtxCreate", "dev", "an ellipsis")}

# Two of each: one is of another class than the parameter.
HANDLES = {"driver": ("CUtexref", "CUlinkState"), "runtime": ("cudaExternalMemory_t", "cudaExternalSemaphore_t"),
           "nvrtc": ("CUtexref", "CUlinkState")}
RECORDS = {"driver": ("CUuuid", "CUipcEventHandle"), "runtime": ("cudaIpcEventHandle_t", "cudaFuncAttributes"),
           "nvrtc": ("CUuuid", "CUipcEventHandle")}
ENUMS = {"driver": ("CUjit_target", "CUshared_carveout"), "runtime": ("cudaComputeMode", "cudaSharedCarveout"),
         "nvrtc": ("CUjit_target", "CUshared_carveout")}


def strangers(modules: dict, module_name: str, cls: str) -> Strangers:
    """Objects of classes that the parameter's class has nothing to do with."""
    module = modules["driver" if module_name == "nvrtc" else module_name]

    def other(names) -> type:
        return getattr(module, names[1] if names[0].rstrip("_st") in cls else names[0])
    return Strangers(other(HANDLES[module_name])(0x5000), other(RECORDS[module_name])(),
                     next(iter(other(ENUMS[module_name]))))


def is_a(value: object, *classes: type) -> bool:
    """isinstance(), for objects that say what they are not."""
    return issubclass(type(value), classes)


def items(value: object) -> list:
    """The elements of a short list or tuple, whatever it says of itself."""
    if is_a(value, list) and list.__len__(value) < 100:
        return list(list.__iter__(value))
    return list(tuple.__iter__(value)) if is_a(value, tuple) and tuple.__len__(value) < 100 else []


def state(value: object) -> object:
    """What a value is, to see whether a call has changed it."""
    if is_a(value, list, tuple):
        return [(id(item), state(item)) for item in items(value)]
    if is_a(value, int, float, type(None)):
        return value
    if hasattr(value, "getPtr") and not hasattr(value, "to_dict"):
        return int(value)
    try:
        return bytes(memoryview(value).cast("B"))
    except (TypeError, ValueError, BufferError):
        return repr(value)


def counted(values: list) -> list:
    """The objects whose references are counted: not those that the interpreter shares."""
    found = []
    for value in values:
        found += [value, *items(value)]
    return [value for value in found if not is_a(value, int, float, str, type(None), type)]


def references(objects: list) -> list[int]:
    """How many references each has."""
    return [sys.getrefcount(each) for each in objects]


class Sweep:
    """One parameter of one function: each bad input in its place, all else valid."""

    def __init__(self, plan, recorder, name: str, kind: Kind) -> None:
        self.plan, self.recorder, self.name, self.kind = plan, recorder, name, kind
        self.function = getattr(plan.module, plan.row["name"])
        self.owner = f"{plan.row['name']}(): parameter '{name}'"
        self.values = list(plan.values.values())
        self.index = list(plan.values).index(name)
        # A size query comes before the buffer that it is about.
        self.queries = [link for link in plan.answers] if kind.extra.get("query") else []

    def attempt(self, value: object) -> BaseException | None:
        """The call's exception, without the frames that would hold the arguments."""
        values = self.values.copy()
        values[self.index] = value
        try:
            self.function(*values)
        except BaseException as error:  # noqa: BLE001
            return error.with_traceback(None)
        return None

    def check(self, case: Case) -> str | None:
        """What is wrong with the answer to one input; None if nothing is."""
        value = case.make()
        objects = counted([*self.values, value])
        before = references(objects)
        self.recorder.calls.clear()
        error = self.attempt(value)
        calls = [link for link, _ in self.recorder.calls]
        wrong = self.judge(case, error, calls)
        error = None
        after = references(objects)
        if wrong is None and after != before:
            wrong = f"references {before} became {after}"
        return wrong

    def judge(self, case: Case, error: BaseException | None, calls: list[str]) -> str | None:
        """The error and the calls against what the case says."""
        if case.error is None:
            if error is not None:
                return f"taken, in principle, but {error!r}"
            expected = 0 if self.plan.row["name"] in BARE_RECORDS else 1
            return None if calls.count(self.plan.prototype.link) == expected else f"called {calls}"
        if error is None:
            return f"no {case.error.__name__}; called {calls}"
        if type(error) is not case.error:
            return f"{error!r} is no {case.error.__name__}"
        if case.words and not fits(case, self.owner, str(error)):
            return f"{str(error)!r} does not fit {self.owner + case.words!r}"
        return None if calls == self.queries else f"refused, but called {calls}"


@pytest.mark.parametrize(("module_name", "row"), [pytest.param(m, r, id=r["name"]) for m, r in ROWS])
def test_bad_input_is_refused_by_its_own_parameter(module_name, row, modules, recorders, tally):
    recorder = recorders[module_name]
    wrong = []
    tally.functions += 1
    for argument in row["arguments"]:
        plan = plan_call(modules[module_name], module_name, row, OBJECTS, PLANNED)
        for link, answer in plan.answers.items():
            recorder.on(link, answer)
        name = argument["name"]
        kind = kind_of(plan.module, module_name, row, name, plan.values)
        sweep = Sweep(plan, recorder, name, kind)
        before = state(sweep.values)
        tally.parameters += 1
        for case in bad_input(kind, strangers(modules, module_name, kind.cls), plan.values[name]):
            if (row["name"], name, case.label) in MARKED:
                continue
            tally.inputs += 1
            problem = sweep.check(case)
            if problem:
                wrong.append(f"{name} ({kind.family}), {case.label}: {problem}")
        if state(sweep.values) != before:
            wrong.append(f"{name}: the objects are not as they were")
        _resize([*sweep.values])
    assert not wrong, "\n".join(wrong)


def _resize(values: list) -> None:
    """Fails where a refused call still holds a buffer."""
    for value in values:
        if is_a(value, bytearray):
            value.append(0)
            value.pop()
