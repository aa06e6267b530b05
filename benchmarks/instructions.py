# SPDX-License-Identifier: Apache-2.0
"""Instruction counts of the counted cases, ours and the floor's in one run under valgrind, and the stored ratios.

Counts are differences between N and 2N statements: what a loop costs to begin cancels out.
"""

import gc
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

TURNS = 20
STORED = Path(__file__).resolve().parent / "instructions.json"
GROWTH = 1.05


def count(folder):
    """In a process under callgrind: runs every counted case of the floor and of ours."""
    import columns
    import measure
    import null_run
    from model import FLOOR, OURS

    loaded = columns.load((FLOOR, OURS))
    import benchmark_counter  # beside the floor

    cases = [case for case in null_run.all_cases() if case.counted]
    gc.disable()
    benchmark_counter.start()
    index = []
    for case in cases:
        for column in loaded:
            call = case.make(column)
            if call is None:
                continue
            loop = measure.compile_loop(call)
            loop(TURNS)  # the interpreter rewrites its instructions in the first rounds
            for turns in (TURNS, 2 * TURNS):
                name = f"{len(index)}"
                benchmark_counter.zero()
                loop(turns)
                benchmark_counter.dump(name)
                index.append({"title": case.title, "column": column.name, "turns": turns})
    benchmark_counter.stop()
    (Path(folder) / "index.json").write_text(json.dumps(index))


def measure_all(environment, python=sys.executable):
    """{title: {floor, ours, ratio}}: instructions of one statement. None where valgrind or its headers are missing."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [valgrind, "--tool=callgrind", "--instr-atstart=no", "--dump-line=no", "--log-file=/dev/null",
                   f"--callgrind-out-file={folder}/counts", python, __file__, folder]
        done = subprocess.run(command, env=environment | {"PYTHONHASHSEED": "0"}, capture_output=True, text=True,
                              check=False)
        index = Path(folder) / "index.json"
        if done.returncode or not index.exists():
            raise RuntimeError(f"valgrind: {done.stdout}{done.stderr}")
        return tabulate(json.loads(index.read_text()), totals(Path(folder)))


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
        if "floor" in row and "ours" in row:
            row["ratio"] = round(row["ours"] / row["floor"], 4)
    return rows


# ---- the stored ratios -------------------------------------------------------------------------------------------


def conditions():
    """What the counts depend on besides the code: they are compared only where all of it agrees."""
    compiler = subprocess.run([*os.environ.get("CXX", "g++").split(), "--version"], capture_output=True, text=True,
                              check=False).stdout.splitlines()
    flags = re.search(r"^flags\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return {
        "python": f"{platform.python_version()} {interpreter_hash()}",
        "compiler": compiler[0] if compiler else "",
        "libc": " ".join(platform.libc_ver()),
        "valgrind": valgrind,
        "cpu": hashlib.sha256(" ".join(sorted(flags[1].split())).encode()).hexdigest()[:16] if flags else "",
    }


def interpreter_hash():
    """The interpreter's own build: its counts change with its compiler and options."""
    shared = sysconfig.get_config_var("Py_ENABLE_SHARED")
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    path = Path(folder) / name if shared and folder and name else Path(os.path.realpath(sys.executable))
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def grown(stored, measured):
    """Lines about the rows whose ratio has grown by more than 5 %, and about rows that are gone."""
    lines = []
    for title, ratio in stored.items():
        if title not in measured or "ratio" not in measured[title]:
            lines.append(f"{title}: stored with a ratio of {ratio:.3f}, and not measured any more")
        elif measured[title]["ratio"] > ratio * GROWTH:
            now = measured[title]
            lines.append(f"{title}: {now['ratio']:.3f} of the floor's instructions ({now['ours']:.0f} / "
                         f"{now['floor']:.0f}), stored {ratio:.3f}")
    return lines


def stored_for(now, path=STORED):
    """The stored ratios for these conditions, or None; and all entries."""
    entries = json.loads(path.read_text())["entries"] if path.exists() else []
    for entry in entries:
        if entry["conditions"] == now:
            return entry["ratios"], entries
    return None, entries


def store(now, measured, path=STORED):
    """Puts the ratios in place of those for the same conditions, beside the others."""
    _, entries = stored_for(now, path)
    kept = [entry for entry in entries if entry["conditions"] != now]
    ratios = {title: row["ratio"] for title, row in measured.items() if "ratio" in row}
    text = json.dumps({"entries": [*kept, {"conditions": now, "ratios": ratios}]}, indent=1)
    path.write_text(text + "\n")


def run(environment, mode):
    """Measures, prints, and stores the ratios or holds them against the stored ones; 1 where a row has grown."""
    measured = measure_all(environment)
    if measured is None:
        print("instruction counts: not measured, valgrind is not installed")
        return 1
    print(f"{'instructions of one statement':50}{'ratio':>8}{'ours':>8}{'floor':>8}")
    for title, row in measured.items():
        print(f"{title:50}{row.get('ratio', 0):8.3f}{row.get('ours', 0):8.0f}{row.get('floor', 0):8.0f}")
    now = conditions()
    if mode == "store":
        store(now, measured)
        return 0
    return check(now, measured)


def check(now, measured):
    """Prints the verdict; 1 where a row has grown."""
    ratios, entries = stored_for(now)
    if ratios is None:
        print(f"instruction counts: {len(measured)} rows measured, not compared: nothing is stored for {now}"
              f" ({len(entries)} other conditions are)")
        return 0
    lines = grown(ratios, measured)
    for line in lines:
        print(f"GROWN: {line}")
    print(f"instruction counts: {len(ratios) - len(lines)} rows passed, {len(lines)} failed")
    return 1 if lines else 0


if __name__ == "__main__":
    count(sys.argv[1])
