# SPDX-License-Identifier: Apache-2.0
"""A scratch copy of the checkout: prints a changed plan into it, builds the package there, runs the judging tests."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ATTRIBUTES = Path("generator/data/attributes.toml")

# The tests that judge, and where their expectations come from. Goldens, `render --check` and whatever else reads the
# plan, or the sources printed from it, for its expectation is not among them.
JUDGES: dict[str, str] = {
    "tests/python/test_surface.py": "API table, header facts, expectations by family and by hand",
    "tests/python/test_api_table.py": "API table",
    "tests/python/test_types_header.py": "header facts",
    "tests/generator/test_plan_against_api.py": "API table",
    "abi": "NVIDIA's headers, by the compiler",
}
BY_HAND = "by hand"
# Folders whose every test states its expectation itself (or takes it from where JUDGES says).
FOLDERS = ("tests/python", "tests/sweep", "tests/lifetime", "tests/threads", "tests/drivers")
# What builds packages or clients from the tree again, or wants another library than the fakes: slow, and no judge.
LEFT_OUT = ("tests/python/test_packaging.py", "tests/python/test_incumbent_client.py",
            "tests/python/test_capsules.py", "tests/python/test_nvrtc_companion.py")


@dataclass
class Failure:
    """A failed test of a trial."""

    test: str
    text: str


@dataclass
class Trial:
    """What became of one plan: the step that failed, if any, and the failed tests."""

    broken: str | None = None       # "render" or "build", where the sources cannot be made
    message: str = ""
    failures: list[Failure] = field(default_factory=list)
    passed: int = 0


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def source_of(test: str) -> str:
    """Where the expectation of a test comes from."""
    return JUDGES.get(test.partition("::")[0], BY_HAND)


def run(command: list[Any], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command with its output kept."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, env={**os.environ, **variables}, text=True, capture_output=True,
                          errors="replace", check=False)


def current_plan(given: Path | None, folder: Path) -> dict[str, Any]:
    """The plan of this checkout: a file, or what the newest generator built here makes of the snapshot."""
    if given is None:
        variable = os.environ.get("CUDA_BINDGEN")
        built = [Path(variable)] if variable else list(ROOT.glob("build/*/generator/cuda-bindgen"))
        if not built:
            raise SystemExit("no cuda-bindgen under build/: ./dev check builds it (or give --plan, or CUDA_BINDGEN)")
        generator = max(built, key=lambda path: path.stat().st_mtime)
        given = folder / "current-plan.json"
        done = run([generator, "plan", "--release", "13.0", "--output", given, "--check"], ROOT)
        if done.returncode:
            raise SystemExit(done.stderr)
    plan = json.loads(given.read_text(encoding="utf-8"))
    plan["attributes"] = read_toml(ROOT / ATTRIBUTES)
    return plan


def toml_value(value: Any) -> str:
    """A value of attributes.toml as TOML writes it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)


def attributes_text(tables: dict[str, dict[str, Any]]) -> str:
    """attributes.toml with these rows."""
    blocks = [f"[{enum}]\n" + "".join(f"{name} = {toml_value(row)}\n" for name, row in rows.items())
              for enum, rows in tables.items()]
    return "\n".join(blocks)


class Scratch:
    """The copy, with all that is built already, so that only what a mutation changes is built again."""

    def __init__(self, folder: Path, headers: Path | None) -> None:
        self.folder = folder
        self.headers = headers
        self.plan_file = folder / "build" / "mutated-plan.json"

    def prepare(self) -> None:
        """Copies the files that git knows, and what the build left here."""
        listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).stdout
        wanted = {Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
        wanted |= {path.relative_to(ROOT) for path in (ROOT / "cuda_bindings").glob("*.so")}
        for part in ("build/fake", "build/emulator"):
            wanted |= {path.relative_to(ROOT) for path in (ROOT / part).rglob("*") if path.is_file()}
        for part in (ROOT / "build").glob("*-cpython-*"):
            wanted |= {path.relative_to(ROOT) for path in part.rglob("*") if path.is_file()}
        for name in sorted(wanted):
            target = self.folder / name
            source = ROOT / name
            if target.exists() and target.stat().st_mtime == source.stat().st_mtime:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)

    def try_plan(self, plan: dict[str, Any], tests: list[str]) -> Trial:
        """Prints, builds and tests a plan."""
        tables = plan["attributes"]
        self.plan_file.parent.mkdir(parents=True, exist_ok=True)
        self.plan_file.write_text(json.dumps({k: v for k, v in plan.items() if k != "attributes"}), encoding="utf-8")
        text = attributes_text(tables)
        data = self.folder / ATTRIBUTES
        if read_toml(data) != tables:
            data.write_text(text, encoding="utf-8")
        done = run([sys.executable, "generator/render/render.py", "--plan", self.plan_file], self.folder)
        if done.returncode:
            return Trial("render", done.stderr)
        done = run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], self.folder)
        if done.returncode:
            return Trial("build", compiler_words(done.stdout + done.stderr))
        trial = self.run_tests(tests)
        trial.failures += self.check_abi()
        return trial

    def check_abi(self) -> list[Failure]:
        """The assertions of abi_checks.cpp that NVIDIA's headers do not bear out, one failure each."""
        if self.headers is None:
            return []
        command = [*shlex.split(os.environ.get("CXX", "g++")), "-std=c++20", "-c", "-o", "build/abi_checks.o", "-w",
                   "-fmax-errors=0", "-Ibindings", "-Ibindings/generated", "-isystem", self.headers, "-isystem",
                   "generator/shims", "bindings/generated/abi_checks.cpp"]
        done = run(command, self.folder)
        lines = [line for line in done.stderr.splitlines() if "error:" in line]
        if done.returncode and not lines:
            lines = [done.stderr[-500:]]
        return [Failure("abi::" + line.partition("error:")[2].strip()[:160], line) for line in lines]

    def run_tests(self, tests: list[str]) -> Trial:
        """Runs the judging tests; where one ends the process, that is its failure, and the others go on."""
        log, finished = self.folder / "build" / "outcomes.jsonl", self.folder / "build" / "done.txt"
        log.unlink(missing_ok=True)
        finished.write_text("", encoding="utf-8")
        bindgen = self.stand_in()
        trial = Trial()
        variables = {"MUTATION_LOG": str(log), "PYTHONPATH": str(HERE), "CUDA_BINDGEN": str(bindgen),
                     "MUTATION_DONE": str(finished)}
        left_out = [f"--ignore={name}" for name in LEFT_OUT]
        for _ in range(40):
            with contextlib.suppress(subprocess.TimeoutExpired):
                done = subprocess.run(
                    [sys.executable, "-m", "pytest", "-q", "-p", "outcome_log", "-p", "no:cacheprovider",
                     "--tb=short", "-m", "not gpu", *left_out, *tests], cwd=self.folder,
                    env={**os.environ, **variables}, capture_output=True, text=True, errors="replace", timeout=1200,
                    check=False)
            rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
            ended = {row["test"] for row in rows if row["outcome"] != "started"}
            unfinished = [row["test"] for row in rows if row["outcome"] == "started" and row["test"] not in ended]
            if not unfinished:
                break
            for test in unfinished:
                with log.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({"test": test, "outcome": "failed", "text": "ended the process"}) + "\n")
            finished.write_text("\n".join(ended | set(unfinished)), encoding="utf-8")
        rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        failed = {row["test"]: row["text"] for row in rows if row["outcome"] == "failed"}
        trial.failures = [Failure(test, text) for test, text in failed.items()]
        trial.passed = len({row["test"] for row in rows if row["outcome"] == "passed"} - set(failed))
        if not rows:
            trial.broken, trial.message = "tests", done.stdout[-3000:] + done.stderr[-3000:]
        return trial

    def stand_in(self) -> Path:
        """What tests take for the generator: it gives the mutated plan."""
        script = self.folder / "build" / "stand-in-bindgen"
        script.write_text("#!/bin/sh\n# cuda-bindgen plan --release R --output FILE --check\n"
                          f"cp {shlex.quote(str(self.plan_file))} \"$5\"\n", encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return script


def compiler_words(output: str) -> str:
    """The errors in a compiler's output."""
    lines = [line for line in output.splitlines() if "error" in line.lower() or "^" in line or ".pyx:" in line]
    return "\n".join(lines[:40]) or output[-2000:]
