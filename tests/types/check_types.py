# SPDX-License-Identifier: Apache-2.0
"""What pyright and mypy say of wrong programs, and of the package: `./dev test --only types` brings both checkers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRONG = Path(__file__).with_name("wrong_uses.py")
BIN = Path(sys.executable).parent


def said(*command: str) -> str:
    """The standard output of a checker, which ends with an error here."""
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def expected(column: int) -> dict[int, list[str]]:
    """Line -> what a checker must say of it, from the comments: column 0 is pyright's, 1 is mypy's."""
    found: dict[int, list[str]] = {}
    for number, line in enumerate(WRONG.read_text().splitlines(), 1):
        comment = re.search(r"  #! (\S[^|]*) \| (\S+)$", line)
        if comment:
            words = [word for word in comment.group(column + 1).split() if word != "-"]
            if words:
                found[number] = words
    return found


def test_pyright_reports_each_wrong_use_by_its_rule_and_nothing_else(tmp_path: Path) -> None:
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps({"include": [str(WRONG)], "extraPaths": [str(ROOT)], "typeCheckingMode": "strict",
                                   "reportMissingModuleSource": False}))
    report = json.loads(said(sys.executable, "-m", "basedpyright", "-p", str(project), "--outputjson",
                             "--pythonpath", sys.executable))
    found: dict[int, list[str]] = {}
    for diagnostic in report["generalDiagnostics"]:
        found.setdefault(diagnostic["range"]["start"]["line"] + 1, []).append(diagnostic.get("rule", "no rule"))
    assert found == expected(0)


def test_mypy_reports_each_wrong_use_by_its_code_and_nothing_else() -> None:
    options = ("--strict", "--config-file=", "--cache-dir=build/mypy-wrong")
    report = said(sys.executable, "-m", "mypy", *options, str(WRONG))
    found: dict[int, list[str]] = {}
    for line in report.splitlines():
        error = re.search(r"wrong_uses\.py:(\d+): error: .*\[([a-z-]+)\]$", line)
        if error:
            found.setdefault(int(error[1]), []).append(error[2])
    assert found == expected(1)


def test_there_are_wrong_uses_of_every_sort() -> None:
    rules = {rule for words in expected(0).values() for rule in words}
    assert {"reportUnnecessaryComparison", "reportAssignmentType", "reportArgumentType", "reportCallIssue",
            "reportAttributeAccessIssue", "reportOperatorIssue", "reportUnhashable", "reportGeneralTypeIssues"} == rules
    assert len(expected(0)) >= 55


def test_every_public_name_has_a_type(tmp_path: Path) -> None:
    # As of an installed package: from elsewhere, through the interpreter's path.
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--verifytypes", "cuda_bindings"]
    done = subprocess.run([*command, "--outputjson"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
                          text=True, capture_output=True, check=False)
    report = json.loads(done.stdout)["typeCompleteness"]
    missing = [symbol["name"] for symbol in report["symbols"]
               if symbol["isExported"] and not (symbol["isTypeKnown"] and not symbol["isTypeAmbiguous"])]
    assert not missing
    assert report["exportedSymbolCounts"]["withKnownType"] > 4500
