# SPDX-License-Identifier: Apache-2.0
"""Refused input leaves nothing behind: no blocks of Python's, no memory of the C library's.

No file of the plain pytest run: test_leaks.py starts it, in a process whose C library hands freed memory straight back.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys

from api_table import MODULES
from call_plan import plan_call
from expectations import OBJECTS
from sweep_kinds import kind_of
from sweep_members import bad_values, kind_of_member, members
from sweep_rules import bad_input
from test_bad_arguments import MARKED, PLANNED, ROWS, strangers
from test_bad_members import attempt, valid_value

ROUNDS = 8
WINDOWS = 4


class Mallinfo(ctypes.Structure):
    """What mallinfo2() answers; the eighth number is how much is in use."""

    _fields_ = [(f"number_{index}", ctypes.c_size_t) for index in range(10)]


def in_use() -> dict[str, int]:
    """Python's blocks and the C library's bytes, but what caches of Python's hold: those give names up by chance."""
    gc.collect()
    (getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache)()
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = Mallinfo
    return {"bytes": ask().number_7, "blocks": sys.getallocatedblocks()}


def stays(more: dict[str, int]) -> bool:
    """Whether each round kept a block or a byte; the measure itself keeps a few blocks."""
    return more["blocks"] >= ROUNDS or more["bytes"] >= ROUNDS


def growth(attempts: list) -> dict[str, int]:
    """What is more after a number of rounds; what stays once (a cache, a table that grows) is not there again."""
    def play(rounds: int) -> None:
        for _ in range(rounds):
            for each in attempts:
                each()
    play(2)
    for _ in range(WINDOWS):
        before = in_use()
        play(ROUNDS)
        after = in_use()
        more = {name: after[name] - before[name] for name in before}
        if not stays(more):
            break
    return more


def assert_nothing_stays(by_place: dict[str, list]) -> None:
    """A leak in one input of one place shows in every round."""
    found = growth([each for attempts in by_place.values() for each in attempts])
    if stays(found):
        worst = {place: growth(attempts) for place, attempts in by_place.items()}
        raise AssertionError(f"{found}: {[(place, more) for place, more in worst.items() if stays(more)]}")


def calling(function, values: list, index: int, make):
    """One refused call."""
    def call() -> None:
        given = values.copy()
        given[index] = make()
        try:
            function(*given)
        except BaseException:  # noqa: BLE001
            pass
    return call


def test_refused_arguments_leave_nothing_behind(modules, recorders):
    """One parameter of each kind and class, with everything that is refused there but lists of a million elements."""
    seen, by_place = set(), {}
    for module_name, row in ROWS:
        for argument in row["arguments"]:
            name = argument["name"]
            plan = plan_call(modules[module_name], module_name, row, OBJECTS, PLANNED)
            kind = kind_of(plan.module, module_name, row, name, plan.values)
            key = (kind.family, kind.cls if kind.family != "enumeration" else kind.signed, kind.bits, bool(kind.count))
            if key in seen:
                continue
            seen.add(key)
            for link, answer in plan.answers.items():
                recorders[module_name].on(link, answer)
            site = strangers(modules, module_name, kind.cls)
            by_place[f"{row['name']}.{name}"] = [
                calling(getattr(plan.module, row["name"]), list(plan.values.values()), list(plan.values).index(name),
                        case.make)
                for case in bad_input(kind, site, plan.values[name])
                if "million" not in case.label and (row["name"], name, case.label) not in MARKED]
    silent = [recorder.calls for recorder in recorders.values()]
    by_place["the recorders"] = [lambda: [calls.clear() for calls in silent]]
    assert len(seen) > 100 and {kind[0] for kind in seen} >= {"number", "handle", "record list", "filled"}
    assert_nothing_stays(by_place)


def test_refused_members_leave_nothing_behind(modules):
    """One member of each kind and class."""
    seen, by_place = set(), {}
    for (module_name, record_name), found in members().items():
        for member in found:
            module = modules[module_name]
            kind = kind_of_member(module, member)
            one = kind.extra.get("one")
            key = (kind.family, kind.cls, kind.bits, kind.signed, one and one.family)
            if key in seen or (kind.length or 0) > 64:
                continue
            seen.add(key)
            view = record = getattr(module, record_name)()
            for part in member.path[:-1]:
                view = getattr(view, part)
            value = valid_value(module, view, member, kind)
            site = strangers(modules, module_name, member.type)
            by_place[f"{record_name}.{'.'.join(member.path)}"] = [
                lambda v=view, n=member.path[-1], m=case.make, r=record: attempt(v, n, m())
                for case in bad_values(kind, site, value) if "million" not in case.label]
    assert len(seen) > 60 and {module for module, _ in members()} < {*MODULES}
    assert_nothing_stays(by_place)


def test_what_stays_is_seen():
    """The measure itself: one small object or one small piece of memory kept in each round, and one kept once."""
    kept = []
    assert stays(growth([lambda: kept.append(object())]))
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    assert growth([lambda: kept.append(library.malloc(16))])["bytes"] >= ROUNDS * 16
    rounds = itertools.count()
    assert not stays(growth([lambda: kept.extend(object() for _ in range(100 * (next(rounds) == 4)))]))
