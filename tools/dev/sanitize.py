# SPDX-License-Identifier: Apache-2.0
"""The package under AddressSanitizer and UndefinedBehaviorSanitizer: a copy of the checkout, built and tested apart."""

import os
import shutil
import subprocess
from pathlib import Path

import console
import debian
import places

FOLDER = places.BUILD / "sanitize"
COPIED = ("bindings", "cuda_bindings", "headers-snapshot", "tests", "tools", "setup.py", "pyproject.toml")
LEFT_OUT = {"__pycache__"}
BUILT = {".so", ".pyc", ".new"}
# Not optimised: what Cython makes is compiled four times as fast, and the tests spend their time in Python.
FLAGS = "-O0 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
LIBRARIES = ("libasan.so", "libubsan.so", "libstdc++.so.6")
# What is made for it, and what else there is, but for what builds or installs the package.
TESTS = ("tests/sweep", "tests/lifetime", "tests/threads")
MORE_TESTS = ("tests/python",)
NOT_HERE = ("test_packaging.py", "test_incumbent_client.py", "test_types_header.py", "test_capsules.py")


def debug_interpreter(main):
    """Debian's interpreter with all its assertions, where it has the same version; else the environment's."""
    name = f"python{main.version}-dbg"
    if shutil.which(name) is None and main.facts["real"].startswith("/usr/bin/") and debian.known(name):
        debian.install([name])
    return shutil.which(name) or main.python


def copy(source, target):
    """Brings a copy up to date, file by file: what has not changed keeps its time, so that little is compiled again."""
    if source.is_file():
        same = target.exists() and target.stat().st_mtime == source.stat().st_mtime
        if not same or target.stat().st_size != source.stat().st_size:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        return
    names = {path.name for path in source.iterdir() if path.name not in LEFT_OUT and path.suffix not in BUILT}
    for name in sorted(names):
        copy(source / name, target / name)
    for old in target.iterdir() if target.is_dir() else ():
        if old.name not in names and old.name not in LEFT_OUT and old.suffix not in BUILT:
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def environment_of(main):
    """What both building and testing in the copy need: it, and the packages of the environment."""
    site = main.folder / "lib" / f"python{main.version}" / "site-packages"
    return {"PYTHONPATH": os.pathsep.join([str(FOLDER), str(site), *main.facts["site"]])}


def build(main, python):
    """Compiles the modules in the copy."""
    for name in COPIED:
        copy(places.ROOT / name, FOLDER / name)
    extra = {"CXXFLAGS": FLAGS, "LDFLAGS": "-fsanitize=address,undefined", "CUDA_BINDINGS_PARTS": "modules"}
    command = [python, "setup.py", "-q", "build_ext", "--inplace"]
    console.step("building the package with sanitizers (two minutes)", command, cwd=FOLDER,
                 env={**environment_of(main), **extra})
    # Before the tests, in which no compiler can run: the sanitizers' libraries would be in it too.
    console.step("building the fake libraries", [python, "tests/fake/build.py"], cwd=FOLDER)


def runtime_libraries():
    """The files of the sanitizers' libraries, first of all in every process; the C++ library beside them."""
    compiler = os.environ.get("CXX", "g++").split()
    return [subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
            .stdout.strip() for name in LIBRARIES]


def test_environment(main):
    """The variables under which the tests run.

    Leaks are not asked for at the end: the interpreter leaves too much of its own. The sweep counts them without these.
    """
    return {
        **environment_of(main),
        "LD_PRELOAD": " ".join(runtime_libraries()),
        "PYTHONMALLOC": "malloc",
        "FAKE_LIBRARIES": str(FOLDER / "build" / "fake"),
        # Sizes that no machine has are refused by malloc, as the tests expect of it.
        "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:detect_odr_violation=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


def run(summary, main, whole, more=()):
    """Builds, then one run of pytest over the folders that are there; the whole: more, on the debug interpreter."""
    python = debug_interpreter(main) if whole else main.python
    with summary.step("package with sanitizers", f"for {Path(python).name}"):
        build(main, python)
    folders = [name for name in (*TESTS, *(MORE_TESTS if whole else ())) if (FOLDER / name).is_dir()]
    # What counts blocks and bytes sees none of those that the sanitizers hand out.
    ignored = ["--ignore=tests/sweep/test_leaks.py", *(f"--ignore=tests/python/{name}" for name in NOT_HERE)]
    command = [python, "-m", "pytest", *ignored, *(more or folders)]
    summary.run("pytest with sanitizers", command, r"\d+ (passed|failed|error)", env=test_environment(main), cwd=FOLDER)
    summary.run("slots and loader with ThreadSanitizer", ["bash", str(places.ROOT / "tests" / "threads" / "tsan.sh")],
                r"PASSED|FAILED")
