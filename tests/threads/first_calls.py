# SPDX-License-Identifier: Apache-2.0
"""The program of test_first_calls.py: 64 threads make the first call of every function at once."""

from __future__ import annotations

import json
import sys
import threading

from api_table import MODULES, extra_rows, prototypes, table
from call_plan import plan_call
from expectations import OBJECTS
from special_functions import BARE_RECORDS, BY_HAND, RECORD_RESULTS, SPECIALS, STRING_RESULTS

THREADS = 64
STATUS = {"cuGetExportTable": 500}     # the fake library refuses it; every other call succeeds
PLANNED = {**SPECIALS, **dict.fromkeys((*BARE_RECORDS, *RECORD_RESULTS, *STRING_RESULTS), lambda plan: True)}


def rows() -> list[tuple[str, dict]]:
    """Every function that has a prototype."""
    return [(module, row) for module in MODULES for row in table()["functions"][module] + extra_rows().get(module, [])
            if row["name"] not in BY_HAND]


def main() -> None:
    """Prints what went wrong, and how often each link name was called."""
    from cuda_bindings import driver, nvrtc, runtime
    modules = {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}
    barrier = threading.Barrier(THREADS)
    wrong: list[str] = []

    def work() -> None:
        for module, row in rows():
            try:
                barrier.wait()      # classes are touched for the first time at once, too
                plan = plan_call(modules[module], module, row, OBJECTS, PLANNED)
                function = getattr(modules[module], row["name"])
                barrier.wait()
                result = function(*plan.values.values())
                if row["name"] not in BARE_RECORDS and result[0] != STATUS.get(row["name"], 0):
                    wrong.append(f"{row['name']}: {result!r}")
            except Exception as error:  # noqa: BLE001
                wrong.append(f"{row['name']}: {error!r}")

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    from cuda_bindings import _native
    states = {link: state for module in MODULES
              for link, state in _native.function_states(module).items()}  # type: ignore[arg-type]  # any str
    links = {prototypes()[row["name"]].link for _, row in rows() if row["name"] not in BARE_RECORDS}
    json.dump({"wrong": sorted(set(wrong)), "functions": len(rows()),
               "unresolved": sorted(link for link in links if states[link] != "resolved")}, sys.stdout)


if __name__ == "__main__":
    main()
