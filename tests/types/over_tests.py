# SPDX-License-Identifier: Apache-2.0
"""mypy and pyright, side by side, over the tests and the benchmarks: a step of `./dev test --only types`.

The package, the examples and tests/types are held to both checkers' strict modes, in pyproject.toml. Most functions of
the tests are not annotated; their bodies are checked all the same, by mypy's --check-untyped-defs and in pyright's
basic mode. Each folder is read with the search path that pytest, or a conftest.py, gives it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Folder -> the folders on its search path besides its own and the checkout.
FOLDERS: dict[str, list[str]] = {
    "tests/python": [], "tests/sweep": ["tests/python"], "tests/drivers": ["tests/python"],
    "tests/threads": ["tests/python"], "tests/lifetime": ["tests/python"], "tests/mutation": ["generator/render"],
    "tests/mutation/headers": [],
    "tests/generator": [], "tests/generator/render": ["generator/render"], "tests/dev": ["tools/dev"],
    "tests/docs": [], "tests/cpp": [], "tests/fake": [], "tests/gpu": [], "tests/emulated": [],
    "tests/emulated/clients": [], "tests/emulated/kernels": ["tests/emulated"],
    "tests/emulated/vectors": ["tests/emulated"], "tests/benchmarks": ["benchmarks"], "benchmarks": [],
}

# What a folder is not asked, and why: the rest of the checker's findings count there. Everywhere: mypy's
# func-returns-value (`f() or x` does two things in a lambda) and var-annotated (an empty list in a plain function).
CALLS = ["arg-type", "call-arg", "call-overload"]
NOT_ASKED: dict[str, list[str]] = {
    # Wrong arguments are what these hand over, and what a row of a table holds is typed `object`; a base class may be
    # what a fixture or pytest.importorskip has given.
    "tests/python": [*CALLS, "attr-defined", "index", "misc", "assignment", "operator", "name-defined"],
    "tests/sweep": [*CALLS, "attr-defined", "index", "misc", "assignment", "operator", "union-attr"],
    "tests/drivers": [*CALLS, "assignment", "misc", "index"],
    # Arguments spread from a tuple of unknown length; records and handles by one attribute name.
    "tests/emulated": CALLS, "tests/emulated/kernels": [*CALLS, "union-attr", "operator"],
    "tests/emulated/vectors": ["arg-type", "index", "operator"],
    "tests/lifetime": [*CALLS, "assignment", "attr-defined", "index", "misc"],
    # A plan is nested dicts and lists.
    "tests/mutation": ["assignment", "attr-defined", "index", "misc"],
    # None fails the test as well as an assert would.
    "tests/docs": ["index"], "tests/generator/render": ["union-attr"],
    "tests/benchmarks": ["arg-type", "index", "union-attr"], "benchmarks": ["attr-defined", "operator"],
    "tests/gpu": ["attr-defined"],
}

# The same for pyright, whose rules are named report...
VALUES = ["ArgumentType", "AttributeAccessIssue", "CallIssue", "IndexIssue", "OperatorIssue"]
# What a call gives is None where it failed: used without a question, it fails the test as an assert would.
NONE = ["OptionalMemberAccess", "OptionalSubscript", "OptionalIterable"]
NOT_ASKED_PYRIGHT: dict[str, list[str]] = {
    "tests/python": [*VALUES, *NONE, "GeneralTypeIssues", "UnusedExpression"],  # an attribute that raises is read
    "tests/sweep": [*VALUES, *NONE, "AssignmentType"],  # __class__ is a lie there
    "tests/drivers": VALUES, "tests/lifetime": [*VALUES, "OptionalMemberAccess", "ReturnType",
                                                                           "GeneralTypeIssues"],
    # Launches spread their dimensions from tuples; results are unpacked.
    "tests/gpu": [*VALUES, *NONE, "GeneralTypeIssues"], "tests/emulated": [*VALUES, *NONE, "GeneralTypeIssues",
                                                                          "ReturnType"],
    "tests/emulated/kernels": VALUES, "tests/emulated/vectors": ["OperatorIssue"],
    "tests/docs": [*VALUES, *NONE], "tests/generator/render": NONE, "tests/benchmarks": [*NONE, "ArgumentType"],
    "benchmarks": VALUES,
}
# They import packages that are not everywhere.
ABSENT = ["tests/python", "tests/mutation", "tests/emulated/clients", "benchmarks"]

# What one run of mypy reads: two files of one name are one module to it. conftest.py, one in each folder, has its own.
TOGETHER = [
    [folder for folder in FOLDERS if not folder.startswith(("tests/emulated", "tests/benchmarks", "benchmarks"))],
    [folder for folder in FOLDERS if folder.startswith("tests/emulated")],
    ["tests/benchmarks", "benchmarks"],
]
MYPY = ["--check-untyped-defs", "--explicit-package-bases", "--follow-imports=silent", "--python-version=3.10",
        "--cache-dir=build/mypy-tests", "--config-file=tests/types/over_tests.ini"]


def sources(folder: str) -> list[str]:
    """The Python files of a folder and of those below it that are not in the table themselves."""
    found: list[str] = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        inner = next(str(up) for up in path.relative_to(ROOT).parents if str(up) in FOLDERS)
        if inner == folder and "build" not in path.parts[len(ROOT.parts):-1]:
            found.append(str(path.relative_to(ROOT)))
    return found


def mypy(paths: list[str], search: list[str], *more: str) -> tuple[str, int]:
    """What one run of mypy says of some files, and of how many."""
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(str(ROOT / folder) for folder in search)}
    done = subprocess.run([sys.executable, "-m", "mypy", *MYPY, "--no-error-summary", *more, *paths], cwd=ROOT,
                          env=environment, text=True, capture_output=True, check=False)
    assert done.returncode in (0, 1) or done.stdout, done.stderr
    return done.stdout, len(paths)


def run_mypy() -> tuple[list[str], str]:
    """All runs of mypy: what counts of what they say, and a word on it."""
    said: list[tuple[str, int]] = []
    for folders in TOGETHER:
        paths = [path for folder in folders for path in sources(folder) if not path.endswith("/conftest.py")]
        search = {folder: None for own in folders for folder in (own, *FOLDERS[own])}
        said.append(mypy(paths, [*search, "."]))
    conftests = [path for folder in FOLDERS for path in sources(folder) if path.endswith("/conftest.py")]
    said.append(mypy(conftests, ["."], "--disable-error-code=import-not-found"))
    report = [line for text, _ in said for line in text.splitlines() if asked(line)]
    count = sum(number for _, number in said)
    return report, f"{len(report)} errors in {count} files"


def asked(line: str) -> bool:
    """Whether a line of mypy's is an error, of a code that counts in the file's folder."""
    error = re.match(r"(\S+?):(?:\d+: )?error: .*?(?:\[([a-z-]+)\])?$", line)
    if not error:
        return ": note: " not in line
    folder = next((str(up) for up in Path(error[1]).parents if str(up) in FOLDERS), "")
    return error[2] not in NOT_ASKED.get(folder, [])


def start_pyright() -> subprocess.Popen[str]:
    """One run of pyright, each folder an environment of its own."""
    # The deepest folder first: pyright takes the first environment whose root holds the file.
    environments = [{"root": str(ROOT / folder), "extraPaths": [str(ROOT / each) for each in ("", folder, *more)],
                     **{f"report{rule}": False for rule in NOT_ASKED_PYRIGHT.get(folder, [])},
                     "reportMissingImports": folder not in ABSENT}
                    for folder, more in sorted(FOLDERS.items(), key=lambda item: -item[0].count("/"))]
    project = ROOT / "build" / "pyright-tests.json"
    project.parent.mkdir(exist_ok=True)
    include = [str(ROOT / path) for folder in FOLDERS for path in sources(folder)]
    project.write_text(json.dumps({"typeCheckingMode": "basic", "pythonVersion": "3.10",
                                   "reportMissingModuleSource": False, "include": include,
                                   "executionEnvironments": environments}))
    command = [sys.executable, "-m", "basedpyright", "-p", str(project), "--pythonpath", sys.executable]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def left_out() -> list[str]:
    """The Python files of the tests that no folder of the table holds; tests/types is checked strictly."""
    known = {path for folder in FOLDERS for path in sources(folder)}
    return [str(path) for path in (each.relative_to(ROOT) for each in sorted((ROOT / "tests").rglob("*.py")))
            if str(path) not in known and path.parts[1] != "types" and "build" not in path.parts]


def main() -> int:
    """Both checkers over all files; the exit status."""
    report = [f"{path}: no folder of the table holds it" for path in left_out()]
    pyright = start_pyright()
    found, word = run_mypy()
    said = pyright.communicate()[0].rstrip().splitlines()
    report += [*found, *said[:-1]]
    print("\n".join([*report, f"mypy: {word}; pyright: {said[-1]}"]))
    return 1 if report or pyright.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
