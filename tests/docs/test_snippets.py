# SPDX-License-Identifier: Apache-2.0
"""Every snippet of the README, the docs and CONTRIBUTING is executed, or is an excerpt that stands so in its file.

python: run in order in one process per page, over the fake driver and the real NVRTC; emulator.md's on its own device.
bash: ./dev lines are parsed by ./dev itself (the tests of ./dev run them); pip lines stand for test_packaging; lines
that run files of tests/ name files that are there.
LANGUAGE from=FILE: each line of the snippet stands in that file, in that order.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAKE = Path(os.environ.get("FAKE_LIBRARIES", ROOT / "build" / "fake")) / "libfakecuda.so"
ELSEWHERE = ("pip install .",)  # run by test_packaging
TEXT = ""  # a drawing or a listing: nothing to run


def snippets():
    """(page, number, information string, text) of each fenced block."""
    for page in PAGES:
        for number, (information, text) in enumerate(FENCE.findall(page.read_text()), 1):
            yield page, number, information.strip(), text


def named(kind):
    """Parameters for pytest: the snippets whose information string starts so."""
    return [pytest.param(page, information, text, id=f"{page.stem}-{number}")
            for page, number, information, text in snippets() if information.startswith(kind)]


def test_every_snippet_is_of_a_kind_that_is_checked():
    kinds = {(page.name, information) for page, _, information, _ in snippets()}
    for page, information in kinds:
        known = information in (TEXT, "python", "bash") or " from=" in information
        assert known, f"{page}: a snippet '{information}' would not be checked"


@pytest.mark.parametrize(("page", "information", "text"), named("bash"))
def test_shell_snippet(page, information, text):
    for line in text.splitlines():
        command = line.split("#")[0].strip().removeprefix("$ ")
        if not command or command.startswith(ELSEWHERE):
            continue
        first, *arguments = re.sub(r"^(\w+=\S+ )+", "", command).split()
        if first == "python" or first.startswith("tests/"):
            assert names_of_tests([first, *arguments]), f"{page.name}: '{command}' runs nothing of tests/"
            continue
        assert first == "./dev", f"{page.name}: no test runs '{command}'"
        assert front_door().parse(arguments).command == arguments[0]


def names_of_tests(words):
    """The files and folders of tests/ that a command names: all of them are there."""
    named_there = [word for word in words if word.startswith("tests/")]
    return named_there and all((ROOT / word).exists() for word in named_there)


def front_door():
    """The command line of ./dev."""
    folder = ROOT / "tools" / "dev"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("front_door", folder / "__main__.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="session", autouse=True)
def fake_driver():
    """The fake driver, built where it is missing or old."""
    if "FAKE_LIBRARIES" not in os.environ:
        subprocess.run([sys.executable, ROOT / "tests" / "fake" / "build.py"], check=True)


@pytest.mark.parametrize("page", sorted({page for page, _, information, _ in snippets() if information == "python"}),
                         ids=lambda page: page.stem)
def test_python_snippets(page):
    program = "\n".join(text for of, _, information, text in snippets() if of == page and information == "python")
    variables = {**os.environ, "CUDA_BINDINGS_LIBCUDA": str(FAKE), "PYTHONPATH": str(ROOT)}
    if page.stem == "emulator":
        del variables["CUDA_BINDINGS_LIBCUDA"]
    done = subprocess.run([sys.executable, "-c", program], env=variables, text=True, capture_output=True, check=False)
    assert done.returncode == 0, f"{page.name}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize(("page", "information", "text"),
                         [row for row in named("") if " from=" in row.values[1]])
def test_excerpt_stands_in_its_file(page, information, text):
    path = ROOT / re.search(r"from=(\S+)", information)[1]
    remaining = iter([line.strip() for line in path.read_text().splitlines()])
    for line in filter(None, map(str.strip, text.splitlines())):
        assert line in remaining, f"{page.name}: '{line}' is not (or not there) in {path.relative_to(ROOT)}"
