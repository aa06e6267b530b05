#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the tests worth anything? Flips decisions of the plan, prints and builds the result, and sees which test fails.

    python tests/mutation/plan_mutations.py                  the fifty of plan_mutations.toml, most in one build
    python tests/mutation/plan_mutations.py --only N1 F2     these, each in a build of its own
    python tests/mutation/plan_mutations.py --random 50      as many drawn by chance (--seed) over the whole plan

All mutations of a batch touch different entries; a failed test counts for the mutation whose names it mentions. What
no failure mentions, or none without mentioning another, is built again among the others of that sort, in the end alone.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutation_trial import FOLDERS, ROOT, Failure, Scratch, Trial, current_plan, read_toml, source_of
from plan_edits import apply
from random_mutations import draw

TABLE = Path(__file__).with_suffix(".toml")
PLAN_TEST = "tests/generator/test_plan_against_api.py"
# Tests of all functions at once, whose message has a line for each that is wrong.
LINE_BY_LINE = ("tests/python/test_introduced.py",)


@dataclass
class Mutation:
    """One wrong decision."""

    id: str
    module: str
    kind: str
    what: str
    names: list[str]
    steps: list[dict[str, Any]]
    caught: list[Failure] = field(default_factory=list)
    certain: bool = False           # a failure can be of no other mutation of its batch
    broken: str = ""                # the step that refused it, where no test could

    def mentioned_by(self, text: str) -> bool:
        """Whether a text has one of the names as a word."""
        return any(re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9_])", text) for name in self.names)


def table() -> list[Mutation]:
    """The mutations that were written by hand."""
    return [Mutation(**row) for row in read_toml(TABLE)["mutation"]]


def mutated(plan: dict[str, Any], mutations: list[Mutation]) -> dict[str, Any]:
    """A copy of the plan with the mutations in it."""
    changed = copy.deepcopy(plan)
    for mutation in mutations:
        apply(changed, mutation.steps)
    return changed


def line_by_line(failure: Failure) -> list[Failure]:
    """A failure for each line of a message that has one for each wrong function."""
    if not failure.test.startswith(LINE_BY_LINE):
        return [failure]
    return [Failure(failure.test, line) for line in failure.text.splitlines() if '": ' in line] or [failure]


def attribute(failures: list[Failure], mutations: list[Mutation]) -> list[Failure]:
    """Gives each failure to the mutation that its test is named after, else to the only one that it mentions."""
    unexplained = []
    for failure in itertools.chain.from_iterable(map(line_by_line, failures)):
        named = [m for m in mutations if m.mentioned_by(failure.test)]
        found = named or [m for m in mutations if m.mentioned_by(failure.text)]
        for mutation in found:
            # A message that mentions several may be another's: that is no proof.
            if len(found) == 1:
                mutation.caught.insert(0, failure)
                mutation.certain = True
            else:
                mutation.caught.append(failure)
        if not found:
            unexplained.append(failure)
    return unexplained


def report(mutations: list[Mutation]) -> str:
    """The table: mutation, where, the tests that caught it, where their expectation comes from."""
    lines = ["| id | module | kind | mutation | caught by | expectation |", "|---|---|---|---|---|---|"]
    for mutation in mutations:
        if mutation.caught:
            tests = len(mutation.caught)
            first = mutation.caught[0].test
            caught = first.replace("tests/", "") + (f" (+{tests - 1})" if tests > 1 else "")
            source = "; ".join(dict.fromkeys(source_of(failure.test) for failure in mutation.caught[:20]))
        else:
            caught, source = mutation.broken or "NOTHING", "-"
        cells = [mutation.id, mutation.module, mutation.kind, mutation.what, caught, source]
        lines.append("| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines)


def batch(scratch: Scratch, plan: dict[str, Any], mutations: list[Mutation], tests: list[str]) -> Trial:
    """One build with all of them; prints what failed and is nobody's."""
    begun = time.monotonic()
    trial = scratch.try_plan(mutated(plan, mutations), tests)
    unexplained = attribute(trial.failures, mutations)
    print(f"{len(mutations)} mutations: {trial.broken or 'built'}, {len(trial.failures)} tests failed, {trial.passed} "
          f"passed, {len(unexplained)} failures mention none [{time.monotonic() - begun:.0f} s]", flush=True)
    for failure in unexplained[:20]:
        print("   ", failure.test, failure.text.splitlines()[-1][:200] if failure.text else "")
    if trial.broken:
        print(trial.message[:4000])
    return trial


def caught_in_batches(scratch: Scratch, plan: dict[str, Any], mutations: list[Mutation], tests: list[str]) -> None:
    """One batch after another, each of what the one before left uncertain, as long as they become fewer."""
    pending, before = mutations, len(mutations) + 1
    while pending and len(pending) < before:
        before = len(pending)
        for mutation in pending:
            mutation.caught = []
        batch(scratch, plan, pending, tests)
        pending = [mutation for mutation in pending if not mutation.certain]


def alone(scratch: Scratch, plan: dict[str, Any], mutation: Mutation, tests: list[str]) -> None:
    """One build for one mutation: every failure is its own."""
    trial = scratch.try_plan(mutated(plan, [mutation]), tests)
    mutation.caught = trial.failures
    if trial.broken:
        mutation.broken = f"{trial.broken}: {trial.message.strip().splitlines()[-1] if trial.message else ''}"[:160]
    print(f"{mutation.id} alone: {mutation.broken or len(trial.failures)}", flush=True)


def choose(options: argparse.Namespace, plan: dict[str, Any]) -> list[Mutation]:
    """The mutations that the command line asks for."""
    if options.random:
        chosen = [Mutation(**row) for row in draw(plan, options.random, options.seed)]
    else:
        chosen = table()
    if options.only:
        unknown = set(options.only) - {mutation.id for mutation in chosen}
        if unknown:
            raise SystemExit(f"no mutation {', '.join(sorted(unknown))}")
        chosen = [mutation for mutation in chosen if mutation.id in options.only]
    return chosen


def main() -> int:
    """The command line; 1 where the baseline fails or more than two in fifty survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="ID", help="these, each in a build of its own")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N mutations drawn by chance instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plan", type=Path, help="the plan (default: made by the generator under build/)")
    parser.add_argument("--headers", type=Path, default=ROOT / ".cache/headers/13.0/include",
                        help="NVIDIA's headers for the ABI check; left out where the folder is missing")
    parser.add_argument("--scratch", type=Path, default=ROOT / "build/mutation", help="folder of the copy")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="only these tests judge")
    parser.add_argument("--no-baseline", action="store_true", help="the unchanged plan is known to pass")
    parser.add_argument("--no-alone", action="store_true", help="do not build survivors by themselves")
    parser.add_argument("--table", type=Path, help="write the table into this file")
    options = parser.parse_args()

    options.scratch.mkdir(parents=True, exist_ok=True)
    plan = current_plan(options.plan, options.scratch)
    scratch = Scratch(options.scratch.resolve(), options.headers.resolve() if options.headers.is_dir() else None)
    scratch.prepare()
    tests = options.tests or [*(folder for folder in FOLDERS if (ROOT / folder).is_dir()), PLAN_TEST]
    if not options.no_baseline:
        trial = scratch.try_plan(plan, tests)
        print(f"unchanged: {trial.broken or 'built'}, {trial.passed} tests passed, {len(trial.failures)} failed")
        for failure in trial.failures[:20]:
            print("   ", failure.test, failure.text[-300:])
        if trial.broken or trial.failures:
            print(trial.message[-3000:])
            return 1
    mutations = choose(options, plan)
    if options.only:
        for mutation in mutations:
            alone(scratch, plan, mutation, tests)
    else:
        caught_in_batches(scratch, plan, mutations, tests)
        for mutation in mutations:
            if not mutation.certain and not options.no_alone:
                alone(scratch, plan, mutation, tests)
    text = report(mutations)
    caught = sum(bool(mutation.caught) for mutation in mutations)
    text += f"\n\n{caught} of {len(mutations)} caught by a test whose expectation does not come from the plan.\n"
    print(text)
    if options.table:
        options.table.write_text(text, encoding="utf-8")
    return 0 if caught * 50 >= 48 * len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
