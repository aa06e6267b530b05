# SPDX-License-Identifier: Apache-2.0
"""Two recorded runs of the kernel tests side by side: `compare_runs.py gpu.json emulated.json` prints Markdown."""

from __future__ import annotations

import base64
import json
import sys
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parents[1])]

from kernel_case import ulp_distance  # noqa: E402


def load(path: str) -> tuple[str, dict]:
    """The device's name, and the entries by case, variant, launch and result."""
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    entries = {(entry["case"], entry["variant"], entry["launch"], entry["result"]): entry for entry in run["results"]}
    return run["device"], entries


def sample_of(entry: dict) -> np.ndarray:
    """The floats that were kept of a result."""
    return np.frombuffer(zlib.decompress(base64.b64decode(entry["sample"])), entry["dtype"])


def ulp(first: dict, second: dict) -> float:
    """The largest distance between the samples of two results in ulp."""
    distance = ulp_distance(sample_of(first), sample_of(second))
    return float(distance.max()) if distance.size else 0.0


def rows(first: dict, second: dict) -> list[list[str]]:
    """One row for each case and variant, in the order of the first run."""
    groups: dict = {}
    for key in [*first, *(key for key in second if key not in first)]:
        groups.setdefault(key[:2], []).append(key)
    table = []
    for (case, variant), keys in groups.items():
        both = [(first[key], second[key]) for key in keys if key in first and key in second]
        equal = sum(a["hash"] == b["hash"] for a, b in both)
        floats = [(a, b) for a, b in both if a["hash"] != b["hash"] and "sample" in a and "sample" in b]
        apart = f"{max(ulp(a, b) for a, b in floats):g}" if floats else "0" if equal == len(keys) else "not floats"
        worst = [max((run[key].get("max_ulp", 0) for key in keys if key in run), default=0) for run in (first, second)]
        rule = next((entry["rule"] for entry, _ in both), "")
        table.append([case, variant, f"{equal} of {len(keys)}", apart, f"{worst[0]:g}", f"{worst[1]:g}", rule])
    return table


def main() -> int:
    """Prints the table: first what is equal as a count, then a row for each case and variant that differs."""
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    (first_name, first), (second_name, second) = load(sys.argv[1]), load(sys.argv[2])
    table = rows(first, second)
    same = [row for row in table if len(set(row[2].split(" of "))) == 1]
    print(f"{first_name} against {second_name}: {len(same)} of {len(table)} pairs of case and variant are equal in "
          "every bit; the others:\n")
    head = ["case", "variant", "equal results", "ulp apart", "ulp, first", "ulp, second", "rule"]
    for row in [head, ["---"] * len(head), *(row for row in table if row not in same)]:
        print("| " + " | ".join(row) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
