# SPDX-License-Identifier: Apache-2.0
"""Instruction counts of all cases that have a floor, ours and the floor's in one run under valgrind.

Counts are differences between N and 2N turns of a loop that has run before: what a loop costs to begin cancels out.
Hash seed, addresses and variables are the same in every run, so that counts are, too.
"""

import gc
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 20
LARGE = 100  # items of a call from which a turn is enough
# What the counted process sees of this one's variables: names and values lie on its stack, and move what is below.
KEPT = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "PYTHONPATH", "BENCH_FLOOR", "CUDA_BINDINGS_LIBCUDA",
        "CUDA_BINDINGS_LIBCUDART", "CUDA_BINDINGS_LIBNVRTC")


def count(folder, only=None):
    """In a process under callgrind: runs the floor's and our statement of every case that has both."""
    import columns
    import null_run
    from model import FLOOR, OURS

    loaded = columns.load((FLOOR, OURS))
    import benchmark_counter  # beside the floor

    calls = []
    for case in null_run.chosen(only):
        made = {column.name: case.make(column) for column in loaded}
        if None not in made.values():
            calls += [(case.title, name, call, case.items) for name, call in made.items()]
    count_calls(folder, benchmark_counter, calls)


def count_calls(folder, counter, calls):
    """Counts (title, column, call, items) one after the other."""
    import measure

    gc.disable()
    counter.start()
    index = []
    for title, column, call, items in calls:
        loop = measure.compile_loop(call)
        least = TURNS if items < LARGE else 1
        loop(least)  # the interpreter rewrites its instructions in the first rounds
        for turns in (least, 2 * least):
            number = f"{len(index)}"
            counter.zero()
            loop(turns)
            counter.dump(number)
            index.append({"title": title, "column": column, "turns": turns})
    counter.stop()
    (Path(folder) / "index.json").write_text(json.dumps(index))


def measure_all(environment, only=None, program=__file__, python=sys.executable):
    """{title: {floor, ours, ratio}}: instructions of one statement. None where valgrind or its headers are missing."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [*fixed_addresses(), valgrind, "--tool=callgrind", "--instr-atstart=no", "--dump-line=no",
                   "--log-file=/dev/null", f"--callgrind-out-file={folder}/counts", python, program, folder]
        done = subprocess.run(command + ([only] if only else []), env=fixed_variables(environment),
                              capture_output=True, text=True, check=False)
        index = Path(folder) / "index.json"
        if done.returncode or not index.exists():
            raise RuntimeError(f"valgrind: {done.stdout}{done.stderr}")
        return tabulate(json.loads(index.read_text()), totals(Path(folder)))


def fixed_addresses():
    """What goes before a command so that its memory lies where it did the last time; nothing where that is refused."""
    command = ["setarch", "-R"]
    try:
        works = subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        works = False
    return command if works else []


def fixed_variables(environment):
    """The variables that the counted process needs, and the hash seed."""
    return {name: environment[name] for name in KEPT if name in environment} | {
        "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}


def totals(folder):
    """{dump's name: instructions} of callgrind's files."""
    found = {}
    for path in folder.glob("counts*"):
        text = path.read_text(errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (\d+)$", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if name and total:
            found[int(name[1])] = int(total[1])
    return found


def tabulate(index, found):
    """Instructions of one statement, from pairs of dumps."""
    from measure import UNROLL

    rows = {}
    for at in range(0, len(index), 2):
        entry = index[at]
        cost = (found[at + 1] - found[at]) / (entry["turns"] * UNROLL)
        rows.setdefault(entry["title"], {})[entry["column"]] = round(cost, 1)
    for row in rows.values():
        if {"floor", "ours"} <= row.keys():
            row["ratio"] = round(row["ours"] / row["floor"], 4)
    return rows


def run(environment, mode, only=None):
    """Measures, prints, and stores the ratios or holds them against the stored ones; 1 where a row has grown."""
    import stored_ratios

    measured = measure_all(environment, only)
    if measured is None:
        print("instruction counts: not measured, valgrind is not installed")
        return 1
    print(f"{'instructions of one statement':50}{'ratio':>8}{'ours':>9}{'floor':>9}")
    for title, row in measured.items():
        print(f"{title:50}{row['ratio']:8.3f}{row['ours']:9.0f}{row['floor']:9.0f}")
    now = stored_ratios.conditions()
    if mode == "store":
        stored_ratios.store(now, measured, complete=only is None)
        print(f"instruction counts: {len(measured)} rows stored in {stored_ratios.STORED.name}")
        return 0
    return stored_ratios.check(now, measured, only)


if __name__ == "__main__":
    count(*sys.argv[1:])
