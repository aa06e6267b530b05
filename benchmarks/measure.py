# SPDX-License-Identifier: Apache-2.0
"""Times statements of several columns by turns in one process, and holds what they give against each other."""

import ctypes
import gc
import itertools
import resource
import statistics
import time

from model import plain

BASE = "base"  # the column of what a case stands over
UNROLL = 10  # statements per turn of the loop, so that the loop itself is a nanosecond or less of each
BLOCK_NS = 400_000
MOST_BLOCKS = 5  # tries to run a block without losing the core meanwhile
NOISY = 0.25  # a row whose ratios spread further, from the tenth to the ninetieth percent, is timed again ...
MOST_RUNS = 5  # ... and the quietest of so many counts


class Difference(Exception):
    """Columns that disagree: the run has failed."""


class NullDriver:
    """What the null driver tells of the calls that arrive."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.null_driver_calls.restype = ctypes.c_uint64
        self.library.null_driver_calls.argtypes = [ctypes.c_char_p]
        self.library.null_driver_all_calls.restype = ctypes.c_uint64

    def calls(self, names):
        """How often each function was called, and how often all of them together."""
        return {name: self.library.null_driver_calls(name.encode()) for name in names} | {
            "all": self.library.null_driver_all_calls()}

    def recorded(self, function, sizes):
        """What the calls are given while `function` runs; `sizes` of a launch's arguments."""
        self.library.null_driver_kernel_arguments(len(sizes), bytes(sizes))
        self.library.null_driver_record(1)
        try:
            function()
        finally:
            self.library.null_driver_record(0)
        values = (ctypes.c_uint64 * 256)()
        count = self.library.null_driver_recorded(values)
        return list(values[:count])


def compile_loop(call, unroll=UNROLL):
    """A function of (turns): runs the statement turns * unroll times and returns the nanoseconds."""
    names = ", ".join(call.names)
    body = "\n".join([f"        {call.text}"] * unroll)
    source = f"def make({names}):\n  def loop(turns):\n    begun = clock()\n    for _ in repeat(None, turns):\n" \
             f"{body}\n    return clock() - begun\n  return loop\n"
    space = {"clock": time.perf_counter_ns, "repeat": itertools.repeat}
    exec(compile(source, f"<{call.text}>", "exec"), space)
    return space["make"](**call.names)


def value_of(call, driver, sizes):
    """What the statement gives, in terms that all columns share, and what the driver was given by it."""
    space = dict(call.names)
    given = []

    def run():
        if call.read is None:
            given.append(eval(call.text, space))
        else:
            exec(call.text, space)

    passed = driver.recorded(run, sizes)
    return plain(eval(call.read, space) if call.read is not None else given[0]), passed


def check_values(case, calls, driver):
    """Raises Difference where columns give or pass on different values; the value."""
    seen = {name: value_of(call, driver, case.argument_sizes) for name, call in calls.items()}
    first, *others = seen
    for other in others:
        if seen[other] != seen[first]:
            raise Difference(f"{case.title}: {first} gives {shorten(seen[first])}, {other} gives "
                             f"{shorten(seen[other])}")
    return seen[first][0]


def shorten(value):
    """A value's text for a message."""
    text = repr(value)
    return text if len(text) < 300 else text[:297] + "..."


def check_calls(case, name, before, after, executed):
    """Raises Difference where the driver saw other calls than the statements make."""
    wanted = {link: times * executed for link, times in case.calls.items()}
    wanted["all"] = sum(wanted.values())
    found = {link: after[link] - before[link] for link in wanted}
    if found != wanted:
        raise Difference(f"{case.title}: {name} made {found} calls in {executed} statements, not {wanted}")


def turns_for(loops):
    """Turns after which the slowest column has run for a block's time."""
    turns = 1
    while max(loop(turns) for loop in loops.values()) < BLOCK_NS and turns < 1 << 20:
        turns *= 2
    return turns


def time_case(case, columns, driver, rounds):
    """What each column takes, and the ratios; None where no column has the case. A noisy row is timed again."""
    calls = {column.name: call for column in columns if (call := case.make(column)) is not None}
    if not calls:
        return None
    value = check_values(case, calls, driver)
    if case.over is not None and "ours" in calls:
        calls |= {BASE: case.over(next(column for column in columns if column.name == "ours"))}
    loops = {name: compile_loop(call) for name, call in calls.items()}
    turns = turns_for(loops)
    runs = []
    while not runs or (noise(runs[-1]) > NOISY and len(runs) < MOST_RUNS):
        runs.append(time_rounds(case, loops, turns, driver, rounds))
    quietest = min(runs, key=noise)
    extra = {}
    if BASE in quietest:
        extra = {"extra_ns": statistics.median(ours - base for ours, base in zip(quietest["ours"], quietest[BASE],
                                                                                 strict=True))}
    return extra | {"value": value, "ns": {name: spread(found) for name, found in quietest.items()},
            "ratios": ratios(quietest), "ratio_spreads": ratio_spreads(quietest), "noise": noise(quietest),
            "runs": len(runs)}


def time_rounds(case, loops, turns, driver, rounds):
    """{column: nanoseconds of a statement in each round}, the columns by turns."""
    order = list(loops)
    times = {name: [] for name in order}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            for name in order[turn % len(order):] + order[:turn % len(order)]:
                before = driver.calls(case.calls)
                taken, blocks = undisturbed(loops[name], turns)
                times[name].append(taken / (turns * UNROLL))
                check_calls(case, name, before, driver.calls(case.calls), blocks * turns * UNROLL)
    finally:
        if collecting:
            gc.enable()
    return times


def undisturbed(loop, turns):
    """Nanoseconds of a block that nothing else ran in the midst of, after a few tries; and how many it took."""
    blocks = 0
    while True:
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        taken = loop(turns)
        blocks += 1
        if blocks == MOST_BLOCKS or resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw == switches:
            return taken, blocks


def spread(values):
    """Median, and the tenth of the values on either side."""
    ordered = sorted(values)
    tenth = len(ordered) // 10
    return {"median": statistics.median(ordered), "low": ordered[tenth], "high": ordered[-1 - tenth]}


def ratio_spreads(times):
    """Of the ratios within a round, so that a slow second of the machine counts for both."""
    pairs = {"ours/floor": ("ours", "floor"), "ours/peer": ("ours", "peer"), "floor/peer": ("floor", "peer")}
    return {title: spread([a / b for a, b in zip(times[over], times[under], strict=True)])
            for title, (over, under) in pairs.items() if over in times and under in times}


def ratios(times):
    """Their medians."""
    return {title: found["median"] for title, found in ratio_spreads(times).items()}


def noise(times):
    """How wide the ratios spread that stand in a verdict, in parts of their medians; 0 where there are none."""
    found = ratio_spreads(times)
    return max(((found[title]["high"] - found[title]["low"]) / found[title]["median"]
                for title in ("ours/floor", "ours/peer") if title in found), default=0.0)
