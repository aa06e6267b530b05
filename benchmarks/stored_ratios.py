# SPDX-License-Identifier: Apache-2.0
"""The stored instruction ratios: beside what they depend on, compared only where that agrees."""

import hashlib
import json
import os
import platform
import re
import subprocess
import sysconfig
from pathlib import Path

STORED = Path(__file__).resolve().parent / "instructions.json"
GROWTH = 1.05
AGAIN = "./dev bench --instructions store"
# The extensions by which libraries choose their code and which valgrind's processor has where the machine's has them.
EXTENSIONS = ("abm", "avx", "avx2", "bmi1", "bmi2", "cx16", "f16c", "fma", "pni", "sse4_1", "sse4_2", "ssse3")


def conditions():
    """What the counts depend on besides the code."""
    return {"python": interpreter(), "compiler": first_line([*os.environ.get("CXX", "g++").split(), "--version"]),
            "libc": " ".join(platform.libc_ver()), "valgrind": first_line(["valgrind", "--version"]),
            "cpu": processor(Path("/proc/cpuinfo"))}


def first_line(command):
    """Of a command's output; empty where it does not run."""
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
    return output.partition("\n")[0].strip()


def interpreter():
    """Release, compiler and a hash of the options with which the interpreter was built; folders do not matter."""
    options = " ".join(str(sysconfig.get_config_var(name)) for name in ("OPT", "PY_CORE_CFLAGS", "PY_CORE_LDFLAGS"))
    options = " ".join(part for part in options.split() if "/" not in part)
    built = f"{options} {sysconfig.get_config_var('Py_ENABLE_SHARED')} {sysconfig.get_config_var('SOABI')}"
    return f"{platform.python_version()} {platform.python_compiler()} {hashlib.sha256(built.encode()).hexdigest()[:12]}"


def processor(path):
    """The machine and those of its flags that matter."""
    flags = re.search(r"^flags\s*:\s*(.*)$", path.read_text(), re.MULTILINE) if path.exists() else None
    present = set(flags[1].split()) if flags else set()
    return " ".join([platform.machine(), *(name for name in EXTENSIONS if name in present)])


def grown(stored, measured):
    """Lines about the rows whose ratio has grown by more than 5 %, and about rows that are gone."""
    lines = []
    for title, ratio in stored.items():
        if title not in measured:
            lines.append(f"{title}: stored with a ratio of {ratio:.3f}, and not measured any more")
        elif measured[title]["ratio"] > ratio * GROWTH:
            now = measured[title]
            lines.append(f"{title}: {now['ratio']:.3f} of the floor's instructions ({now['ours']:.0f} / "
                         f"{now['floor']:.0f}), stored {ratio:.3f}")
    return lines


def improved(stored, measured):
    """Lines about the rows whose ratio has shrunk by more than 5 %."""
    return [f"{title}: {measured[title]['ratio']:.3f}, stored {ratio:.3f}" for title, ratio in stored.items()
            if title in measured and measured[title]["ratio"] * GROWTH < ratio]


def stored_for(now, path=STORED):
    """The stored ratios for these conditions, or None; and all entries."""
    entries = json.loads(path.read_text())["entries"] if path.exists() else []
    for entry in entries:
        if entry["conditions"] == now:
            return entry["ratios"], entries
    return None, entries


def differences(now, entries):
    """What keeps the ratios from those of the entry that is nearest."""
    def unlike(entry):
        return [name for name, value in now.items() if entry["conditions"].get(name) != value]

    if not entries:
        return "nothing is stored"
    nearest = min(entries, key=lambda entry: len(unlike(entry)))
    return "; ".join(f"{name} is {now[name]!r}, stored {nearest['conditions'].get(name, '')!r}"
                     for name in unlike(nearest))


def store(now, measured, complete=True, path=STORED):
    """Puts the ratios in place of those for the same conditions, beside the others; of some rows alone among them."""
    ratios, entries = stored_for(now, path)
    kept = [entry for entry in entries if entry["conditions"] != now]
    found = {title: row["ratio"] for title, row in measured.items()}
    if not complete:
        found = (ratios or {}) | found
    path.write_text(json.dumps({"entries": [*kept, {"conditions": now, "ratios": found}]}, indent=1) + "\n")


def check(now, measured, only=None, path=STORED):
    """Prints the verdict; 1 where a row has grown."""
    ratios, entries = stored_for(now, path)
    if ratios is None:
        print(f"instruction counts: {len(measured)} rows measured, not compared: {differences(now, entries)}\n"
              f"to have them compared from now on: {AGAIN}")
        return 0
    if only is not None:
        ratios = {title: ratio for title, ratio in ratios.items() if only.lower() in title.lower()}
    lines, better = grown(ratios, measured), improved(ratios, measured)
    for line in lines:
        print(f"GROWN: {line}")
    for line in better:
        print(f"improved: {line}")
    new = [title for title in measured if title not in ratios]
    if better or new:
        print(f"to hold on to it: {AGAIN}" + (f" (not stored yet: {', '.join(new)})" if new else ""))
    print(f"instruction counts: {len(ratios) - len(lines)} rows passed, {len(lines)} failed, {len(better)} improved by "
          f"more than 5 %, {len(new)} not stored yet")
    return 1 if lines else 0
