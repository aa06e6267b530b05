# SPDX-License-Identifier: Apache-2.0
"""What a call's time goes to: each part is the difference of two statements that have all else in common.

Run as a program it writes the parts in nanoseconds; under valgrind it counts the same statements' instructions.
"""

import ctypes
import json
import os
import statistics
import sys

import numpy

import columns
import instructions
import measure
import null_run
from model import OURS, Call

ROUNDS = 60
TURNS = 400  # of 10 statements: a millisecond or less
# part: what it is, the statement that has it, the statement that has not, how often the first has it
PARTS = {
    "interpreter": ("a C function without arguments that does nothing", "empty", None, 1),
    "GIL": ("given up and taken again, no other thread wants it", "released", "empty", 1),
    "dispatch": ("all else of ours: the function's frame and table, the status, the tuple that success shares",
                 "synchronize", "released", 1),
    "handle": ("one argument more, its load included", "record", "query", 1),
    "integer": ("one argument more, its load included", "wait", "record", 1),
    "enumerator": ("one argument more, its load included", "set limit", "set flags", 1),
    "number back": ("a tuple and an int", "get flags", "synchronize", 1),
    "handle back": ("a tuple and a handle", "pop context", "synchronize", 1),
    "NumPy array": ("its address, writability and length, over a plain address", "copy array", "copy address", 1),
    "kernel argument, handle": ("in a flat tuple", "64 handles", "16 handles", 48),
    "kernel argument, int": ("with c_void_p as its type", "64 ints", "16 ints", 48),
    "error": ("a tuple with the status's member", "query busy", "query", 1),
}


def statements(driver, counter):
    """The statements by their names in PARTS."""
    stream, event = driver.CUstream(16), driver.CUevent(32)
    limit = driver.CUlimit.CU_LIMIT_STACK_SIZE
    array = numpy.zeros(1024, numpy.float32)
    copy = {"f": driver.cuMemcpyHtoDAsync, "d": driver.CUdeviceptr(512), "n": array.nbytes, "s": stream}
    found = {
        "empty": Call("f()", {"f": counter.empty}),
        "released": Call("f()", {"f": counter.released}),
        "synchronize": Call("f()", {"f": driver.cuCtxSynchronize}),
        "query": Call("f(s)", {"f": driver.cuStreamQuery, "s": stream}),
        "query busy": Call("f(s)", {"f": driver.cuStreamQuery, "s": driver.CUstream(0xBAD0)}),
        "record": Call("f(e, s)", {"f": driver.cuEventRecord, "e": event, "s": stream}),
        "wait": Call("f(s, e, n)", {"f": driver.cuStreamWaitEvent, "e": event, "s": stream, "n": 0}),
        "set flags": Call("f(n)", {"f": driver.cuCtxSetFlags, "n": 4096}),
        "set limit": Call("f(e, n)", {"f": driver.cuCtxSetLimit, "e": limit, "n": 4096}),
        "get flags": Call("f()", {"f": driver.cuCtxGetFlags}),
        "pop context": Call("f()", {"f": driver.cuCtxPopCurrent}),
        "copy array": Call("f(d, h, n, s)", copy | {"h": array}),
        "copy address": Call("f(d, h, n, s)", copy | {"h": array.ctypes.data}),
    }
    for size in (16, 64):
        for name, arguments in (("handles", tuple(driver.CUdeviceptr(4096 + i) for i in range(size))),
                                ("ints", (tuple(range(4096, 4096 + size)), (ctypes.c_void_p,) * size))):
            found[f"{size} {name}"] = Call("f(k, 1, 1, 1, 64, 1, 1, 0, s, p, 0)", {
                "f": driver.cuLaunchKernel, "k": driver.CUfunction(64), "s": stream, "p": arguments})
    return found


def load():
    """Our driver and the counter's module."""
    ours, = columns.load((OURS,))
    import benchmark_counter  # beside the floor

    return ours.driver, benchmark_counter


def parts(costs):
    """{part: cost} from the statements' costs, which are numbers or lists of as many."""
    found = {}
    for part, (_, whole, rest, times) in PARTS.items():
        pairs = zip(costs[whole], costs[rest] if rest else [0] * len(costs[whole]), strict=True)
        found[part] = statistics.median((a - b) / times for a, b in pairs)
    return found


def time_all(driver, counter):
    """{statement: nanoseconds in each round}, by turns."""
    loops = {name: measure.compile_loop(call) for name, call in statements(driver, counter).items()}
    times = {name: [] for name in loops}
    for turn in range(ROUNDS):
        for name in [*loops][turn % len(loops):] + [*loops][:turn % len(loops)]:
            taken, _ = measure.undisturbed(loops[name], TURNS)
            times[name].append(taken / (TURNS * measure.UNROLL))
    return times


def count(folder):
    """Under callgrind: every statement."""
    driver, counter = load()
    instructions.count_calls(folder, counter, [(name, OURS, call, 1)
                                               for name, call in statements(driver, counter).items()])


def rows(environment, timed):
    """Rows for the table: nanoseconds and, where valgrind is, instructions of each part."""
    counted = instructions.measure_all(environment, program=__file__) if timed["count"] else None
    counts = parts({name: [row[OURS]] for name, row in counted.items()}) if counted else {}
    found = [{"part": part, "what": PARTS[part][0], "ns": cost, "instructions": counts.get(part)}
             for part, cost in parts(timed["times"]).items()]
    c_call = {"part": "C call", "what": "the null driver's function, from C", "ns": timed["c_call_ns"],
              "instructions": None}
    return [*found[:2], c_call, *found[2:]]


def show(found):
    """Prints the rows."""
    if not found:
        return
    print(f"\n{'what a call costs':28}{'ns':>8}{'instr.':>8}")
    for row in found:
        counted = f"{row['instructions']:8.0f}" if row["instructions"] is not None else f"{'-':>8}"
        print(f"{row['part']:28}{row['ns']:8.1f}{counted}  {row['what']}")


def main():
    """The statements' times as JSON."""
    null_run.stay_on_one_core()
    driver, counter = load()
    library = ctypes.CDLL(os.environ["CUDA_BINDINGS_LIBCUDA"])
    address = ctypes.cast(library.cuStreamQuery, ctypes.c_void_p).value
    json.dump({"times": time_all(driver, counter), "c_call_ns": counter.call(address, 1_000_000) / 1e6}, sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        count(sys.argv[1])
    else:
        main()
