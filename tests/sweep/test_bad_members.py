# SPDX-License-Identifier: Apache-2.0
"""Every settable member of every record, given everything that does not belong there."""

from __future__ import annotations

import pytest
from sweep_kinds import Kind
from sweep_members import Member, bad_values, kind_of_member, members
from sweep_rules import Case, fits
from test_bad_arguments import counted, references, strangers

RECORDS = members()


def valid_value(module: object, view: object, member: Member, kind: Kind) -> object:
    """Something that may be assigned: what is there, or elements for a list."""
    value = getattr(view, member.path[-1])
    if kind.family.startswith("list of"):
        return [getattr(module, kind.cls)() for _ in range(2)]
    return value


def judge(case: Case, owner: str, error: BaseException | None) -> str | None:
    """The error against what the case says."""
    if case.error is None:
        return None if error is None else f"taken, in principle, but {error!r}"
    if error is None:
        return f"no {case.error.__name__}"
    if type(error) is not case.error:
        return f"{error!r} is no {case.error.__name__}"
    if case.words and not fits(case, owner, str(error)):
        return f"{str(error)!r} does not fit {owner + case.words!r}"
    return None


def attempt(view: object, name: str, value: object) -> BaseException | None:
    """The assignment's exception, without the frames that would hold the value."""
    try:
        setattr(view, name, value)
    except BaseException as error:  # noqa: BLE001
        return error.with_traceback(None)
    return None


def sweep(module: object, member: Member, record: object, site, tally) -> list[str]:
    """All bad values for one member."""
    view = record
    for part in member.path[:-1]:
        view = getattr(view, part)
    name = member.path[-1]
    kind = kind_of_member(module, member)
    value = valid_value(module, view, member, kind)
    owner = f"{type(view).__name__}.{name}"
    wrong = []
    for case in bad_values(kind, site, value):
        tally.inputs += 1
        given = case.make()
        objects = counted([given, value])
        held, bytes_before = references(objects), bytes(memoryview(record))
        problem = judge(case, owner, attempt(view, name, given))
        if problem is None and case.error is not None:
            if bytes(memoryview(record)) != bytes_before:
                problem = "refused, but the record has changed"
            elif references(objects) != held:
                problem = f"references {held} became {references(objects)}"
        if problem:
            wrong.append(f"{'.'.join(member.path)} ({kind.family}), {case.label}: {problem}")
    return wrong


@pytest.mark.parametrize(("module_name", "name"), RECORDS, ids=str)
def test_bad_values_are_refused_by_their_own_member(modules, module_name, name, tally):
    module = modules[module_name]
    wrong = []
    tally.records += 1
    for member in RECORDS[module_name, name]:
        tally.members += 1
        record = getattr(module, name)()
        wrong += sweep(module, member, record, strangers(modules, module_name, member.type), tally)
    assert not wrong, "\n".join(wrong)
