# SPDX-License-Identifier: Apache-2.0
"""Writes the null driver's names from a release's facts: every export, and what cuGetProcAddress answers."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACTS = ROOT / "headers-snapshot" / "13.0" / "facts.jsonl"
LIBRARIES = ("driver", "runtime", "nvrtc")


def functions(facts=FACTS):
    """The functions of a snapshot."""
    with open(facts, encoding="utf-8") as lines:
        entities = [json.loads(line) for line in lines]
    return [entity for entity in entities if entity["kind"] == "function"]


def link_names(found, library):
    """What a library exports: every link name, those of per-thread default streams included."""
    own = [function for function in found if function["module"] == library and not function.get("inline")]
    names = {function["link"] for function in own} | {function["ptds"] for function in own if "ptds" in function}
    return sorted(names)


def entry_points(found):
    """(public name, release as 1000 * major + 10 * minor, link name): newest release last."""
    rows = set()
    for function in found:
        if function["module"] == "driver" and function.get("since"):
            major, minor = function["since"]
            rows.add((re.sub(r"_v\d+$", "", function["name"]), 1000 * major + 10 * minor, function["link"]))
    return sorted(rows)


def write(folder, facts=FACTS):
    """names_driver.inc and its siblings, and entry_points.inc, where they would differ."""
    found = functions(facts)
    texts = {f"names_{library}.inc": "".join(f"NULL_FUNCTION({name})\n" for name in link_names(found, library))
             for library in LIBRARIES}
    texts["entry_points.inc"] = "".join(f'{{"{name}", {since}, "{link}"}},\n'
                                        for name, since, link in entry_points(found))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
