# SPDX-License-Identifier: Apache-2.0
"""Timing by turns, and what ends a run: values that differ, calls that did not arrive."""

import pytest

import measure
from model import Call, Case, plain


class Driver:
    """Counts what the statements of these tests call."""

    def __init__(self):
        self.count = 0
        self.passed = []

    def call(self, value):
        """A driver's function."""
        self.count += 1
        self.passed.append(value)
        return (0, value)

    def calls(self, names):
        """As the null driver tells it."""
        return {name: self.count for name in names} | {"all": self.count}

    def recorded(self, function, _sizes):
        """What calls are given meanwhile."""
        self.passed = []
        function()
        return self.passed


class Named:
    """A column."""

    def __init__(self, name, **more):
        self.name = name
        self.__dict__.update(more)


def case(make):
    return Case("one call", make, calls={"function": 1})


def test_columns_that_give_the_same_are_timed_with_ratios():
    driver = Driver()
    found = measure.time_case(case(lambda column: Call("f(1)", {"f": driver.call})),
                              [Named("floor"), Named("peer"), Named("ours")], driver, rounds=5)
    assert found["value"] == [0, 1]
    assert set(found["ns"]) == {"floor", "peer", "ours"}
    assert set(found["ratios"]) == {"ours/floor", "ours/peer", "floor/peer"}
    assert found["ns"]["ours"]["low"] <= found["ns"]["ours"]["median"] <= found["ns"]["ours"]["high"]


def test_a_column_that_gives_another_value_ends_the_run():
    driver = Driver()
    with pytest.raises(measure.Difference, match="one call: peer gives .*, ours_too gives"):
        measure.time_case(case(lambda column: Call("f(x)", {"f": driver.call, "x": len(column.name)})),
                          [Named("peer"), Named("ours_too")], driver, rounds=1)


def test_a_column_that_passes_on_another_value_ends_the_run():
    driver = Driver()
    made = Case("one call", lambda column: Call("f(x)", {"f": driver.call, "x": len(column.name)}, read="1"))
    with pytest.raises(measure.Difference):
        measure.check_values(made, {name: made.make(Named(name)) for name in ("peer", "floor")}, driver)


def test_a_call_that_does_not_arrive_ends_the_run():
    driver = Driver()
    with pytest.raises(measure.Difference, match="ours made .* calls in .* statements"):
        measure.time_case(case(lambda column: Call("f(1)", {"f": lambda value: (0, value)})), [Named("ours")], driver,
                          rounds=1)


def test_a_call_that_nobody_asked_for_ends_the_run():
    driver = Driver()
    twice = Case("one call", lambda column: Call("f(1)", {"f": driver.call}))
    with pytest.raises(measure.Difference):
        measure.time_case(twice, [Named("ours")], driver, rounds=1)


def test_a_case_that_no_column_has_is_no_row():
    assert measure.time_case(case(lambda column: None), [Named("ours")], Driver(), rounds=1) is None


def test_ratios_are_those_of_rounds():
    times = {"ours": [2.0, 20.0, 200.0], "peer": [1.0, 10.0, 400.0]}
    assert measure.ratios(times) == {"ours/peer": 2.0}


def test_a_noisy_row_is_timed_again_until_it_is_quiet(monkeypatch):
    runs = [{"floor": [1.0] * 10, "ours": [1.0] * 5 + [2.0] * 5}, {"floor": [1.0] * 10, "ours": [3.0] * 10}]
    monkeypatch.setattr(measure, "time_rounds", lambda *_: runs.pop(0))
    driver = Driver()
    found = measure.time_case(case(lambda column: Call("f(1)", {"f": driver.call})),
                              [Named("floor"), Named("ours")], driver, rounds=10)
    assert found["runs"] == 2 and found["noise"] == 0.0 and found["ratios"] == {"ours/floor": 3.0}


def test_the_quietest_of_five_runs_counts_where_none_is_quiet(monkeypatch):
    runs = [{"floor": [1.0] * 10, "ours": [1.0] * 5 + [high] * 5} for high in (3.0, 2.0, 4.0, 5.0, 6.0)]
    monkeypatch.setattr(measure, "time_rounds", lambda *_: runs.pop(0))
    driver = Driver()
    found = measure.time_case(case(lambda column: Call("f(1)", {"f": driver.call})),
                              [Named("floor"), Named("ours")], driver, rounds=10)
    assert found["runs"] == 5 and found["ns"]["ours"] == {"median": 1.5, "low": 1.0, "high": 2.0}


def test_what_a_case_stands_over_is_timed_in_the_same_rounds(monkeypatch):
    seen = []

    def rounds(_case, loops, *_):
        seen.append(list(loops))
        return {"floor": [90.0] * 3, "ours": [105.0, 215.0, 101.0], "base": [100.0, 200.0, 100.0]}
    monkeypatch.setattr(measure, "time_rounds", rounds)
    driver = Driver()
    call = Call("f(1)", {"f": driver.call})
    made = Case("one call", lambda column: call, "prepared", {"function": 1}, (), lambda column: call)
    found = measure.time_case(made, [Named("floor"), Named("ours")], driver, rounds=3)
    assert seen[0] == ["floor", "ours", "base"] and found["extra_ns"] == 5.0


def test_a_block_during_which_the_core_was_lost_is_run_again(monkeypatch):
    switches = iter([0, 1, 1, 1])  # before and after each block
    usage = lambda _: type("Usage", (), {"ru_nivcsw": next(switches)})  # noqa: E731
    monkeypatch.setattr(measure.resource, "getrusage", usage)
    taken = iter([900, 100])
    assert measure.undisturbed(lambda turns: next(taken), 1) == (100, 2)


def test_spreads_are_those_from_the_tenth_to_the_ninetieth_percent():
    assert measure.spread([float(value) for value in range(100)]) == {"median": 49.5, "low": 10.0, "high": 89.0}


def test_plain_values_compare_across_columns():
    class Handle:
        def __int__(self):
            return 5

    assert plain((0, Handle(), [Handle(), None], b"x", 2.5)) == [0, 5, [5, None], b"x", 2.5]
