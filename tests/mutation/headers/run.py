#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes copies of the real headers, one change each, and holds the generator's errors against the table.

    python tests/mutation/headers/run.py --generator build/cmake-llvm14/generator/cuda-bindgen \
        --headers .cache/headers/13.0/include            prints a row per mutation; fails where one is not as typed

Headers are read where ./dev has fetched them; nothing of them is written outside a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import table  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
SNAPSHOTS = ROOT / "headers-snapshot"
RELEASE = "13.0"
BEFORE = "13.-1"    # stands for the release before, of the same major: the committed snapshot under another name
CODE = re.compile(r"\bE\d{3}\b(?=: )")


@dataclass
class Outcome:
    """The codes of each stage, and all that was printed."""

    extract: str
    snapshot: str
    plan: str
    output: str


def codes(text: str) -> str:
    """The error codes of an output, each once, in order."""
    return " ".join(sorted(set(CODE.findall(text))))


class Generator:
    """cuda-bindgen on changed headers."""

    def __init__(self, program: Path, headers: Path) -> None:
        self.program = program
        self.headers = headers

    def _run(self, *arguments: object) -> tuple[int, str]:
        command = [str(self.program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode > 1:
            return done.returncode, f"crash: E999: {done.stderr}"
        return done.returncode, done.stderr

    def answer(self, mutation: table.Mutation) -> Outcome:
        """What the generator says of one mutation."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            shutil.copytree(self.headers, folder / "include", copy_function=_link)
            shutil.copytree(ROOT / "generator" / "data", folder / "data")
            target = folder / ("data" if mutation.header.endswith(".toml") else "include") / mutation.header
            original = target.read_text(encoding="latin-1")
            changed = mutation.change(original)
            if changed == original:
                return Outcome("", "", "", "the mutation changes nothing")
            target.unlink()
            target.write_text(changed, encoding="latin-1")
            return self._stages(folder)

    def unchanged(self) -> Outcome:
        """What it says of the headers as they are: nothing."""
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copytree(self.headers, Path(scratch) / "include", copy_function=_link)
            shutil.copytree(ROOT / "generator" / "data", Path(scratch) / "data")
            return self._stages(Path(scratch))

    def _stages(self, folder: Path) -> Outcome:
        new = folder / "snapshots" / RELEASE
        read = ["extract", "--headers", folder / "include", "--release", RELEASE, "--output", new,
                "--data", folder / "data"]
        status, against = self._run(*read, "--check")
        if not new.exists():
            return Outcome(codes(against), "", "", against)
        shutil.copy(SNAPSHOTS / RELEASE / "directions.lock", new)
        shutil.copytree(SNAPSHOTS / RELEASE, folder / "snapshots" / BEFORE)
        plan = folder / "plan.json"
        status, planned = self._run("plan", "--release", RELEASE, "--snapshots", folder / "snapshots", "--check",
                                    "--output", plan, "--data", folder / "data")
        if not status:
            _, accounted = self._run("account", "--release", RELEASE, "--snapshots", folder / "snapshots",
                                     "--plan", plan, "--data", folder / "data")
            planned += accounted
        return Outcome("", codes(against), codes(planned), against + planned)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def judge(mutation: table.Mutation, outcome: Outcome) -> str:
    """Empty where the outcome is as typed."""
    found = (outcome.extract, outcome.snapshot, outcome.plan)
    if not any(found):
        return "SILENT"
    if found != (mutation.extract, mutation.snapshot, mutation.plan):
        return "OTHER CODES"
    shown = re.escape(mutation.shown).replace(r":\*:", r":\d+:", 1)
    return "" if shown and re.search(rf"(?m)^{shown}", outcome.output) else "NOT SHOWN"


def main() -> int:
    """Runs all mutations, two at a time."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--generator", type=Path, required=True)
    parser.add_argument("--headers", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th mutation only")
    parser.add_argument("--only", default="", help="mutations whose name holds this text, with all they print")
    options = parser.parse_args()
    generator = Generator(options.generator, options.headers)
    chosen = [mutation for mutation in table.MUTATIONS[::options.every] if options.only in mutation.name]
    wrong = 0
    with ThreadPoolExecutor(2) as pool:
        base = pool.submit(generator.unchanged)
        for mutation, outcome in zip(chosen, pool.map(generator.answer, chosen), strict=True):
            verdict = judge(mutation, outcome)
            if os.environ.get("SHOW"):
                for line in outcome.output.splitlines():
                    if CODE.search(line):
                        print("      | " + line[:230])
            wrong += bool(verdict)
            print(f"{mutation.header:20} {mutation.name:62} {outcome.extract or '-':10} {outcome.snapshot or '-':15} "
                  f"{outcome.plan or '-':25} {verdict}", flush=True)
            if options.only or verdict == "NOT SHOWN":
                print(outcome.output)
        if base.result().output:
            wrong += 1
            print("headers without a change are not silent:\n" + base.result().output)
    print(f"{len(chosen)} header mutations: {len(chosen) - wrong} as typed in the table, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
