# SPDX-License-Identifier: Apache-2.0
"""The null driver's part: times every case in this process and writes what it found as JSON."""

import argparse
import json
import os
import sys
import time

import call_cases
import columns
import launch_cases
import measure
import record_cases

DIFFERENT = 3


def all_cases():
    """The lines in the table's order."""
    return [*call_cases.cases(), *launch_cases.cases(), *record_cases.cases()]


def chosen(pattern):
    """The cases whose title has the text in it."""
    return [case for case in all_cases() if pattern is None or pattern.lower() in case.title.lower()]


def main():
    """Measures; DIFFERENT where columns do not agree: their rows say so, and the others are there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--only")
    options = parser.parse_args()
    stay_on_one_core()
    driver = measure.NullDriver(os.environ["CUDA_BINDINGS_LIBCUDA"])
    loaded = columns.load()
    rows, different = [], 0
    said = time.monotonic()
    for case in chosen(options.only):
        try:
            found = measure.time_case(case, loaded, driver, options.rounds)
        except measure.Difference as difference:
            print(f"DIFFERENT: {difference}", file=sys.stderr)
            found = {"different": str(difference)}
            different = DIFFERENT
        rows.append({"title": case.title, "target": case.target} | (found or {"missing": True}))
        if time.monotonic() - said > 10:
            print(f"  ... {case.title}", flush=True)
            said = time.monotonic()
    with open(options.output, "w", encoding="utf-8") as target:
        json.dump({"rows": rows, "python": sys.version.split()[0], "peer": columns.peer_version()}, target)
    return different


def stay_on_one_core():
    """On the core where this process is: moving costs caches."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


if __name__ == "__main__":
    sys.exit(main())
