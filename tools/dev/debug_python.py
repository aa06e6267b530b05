# SPDX-License-Identifier: Apache-2.0
"""The step "references": the package built for a debug interpreter, which counts all references."""

import os
import shutil
import sysconfig
from pathlib import Path

import console
import debian
import package
import places

VERSIONS = [f"3.{minor}" for minor in range(10, 14)]
FOLDER = places.BUILD / "debug"
_FACTS = ("import os, sys, sysconfig; print(hasattr(sys, 'gettotalrefcount') and "
          "os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')), sysconfig.get_config_var('SOABI'))")


def find(main):
    """(interpreter, "") of the release of `main` or another; installed where apt has it. (None, why not) otherwise."""
    wanted = [main.version, *(version for version in VERSIONS if version != main.version)]
    for version in wanted:
        interpreter = shutil.which(f"python{version}-dbg")
        if interpreter and (console.ask([interpreter, "-c", _FACTS]) or "").startswith("True"):
            return interpreter, ""
    if not debian.may_install():
        return None, "no debug interpreter (python3-dbg) is here, and this user may not install one"
    if not any(debian.known(f"python{version}-dbg") for version in wanted):
        debian.refresh()
    for version in wanted:
        if debian.known(f"python{version}-dbg"):
            debian.install([f"python{version}-dbg", f"libpython{version}-dbg", f"libpython{version}-dev"])
            return shutil.which(f"python{version}-dbg"), ""
    return None, "no debug interpreter (python3-dbg) is here, and apt knows none"


def build(main, interpreter):
    """Builds the package for the debug interpreter, apart from the checkout; returns the folder to import it from."""
    package.build(main)
    temporary = FOLDER / "temp"
    soabi = console.ask([interpreter, "-c", _FACTS]).split()[1]
    reuse_cython(main, temporary / soabi / "bindings" / "generated")
    # setuptools and Cython come from the main environment; -O0 compiles in a third of the time.
    sites = [main.folder / "lib" / f"python{main.version}" / "site-packages", *main.facts["site"]]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, sites)), "CUDA_BINDINGS_PARTS": "modules", "CXXFLAGS": "-O0"}
    command = [interpreter, "setup.py", "-q", "build", "--build-lib", FOLDER / "lib", "--build-temp", temporary]
    console.step("building the package for the debug interpreter", command, env=variables)
    return FOLDER / "lib"


def reuse_cython(main, target):
    """Copies the C++ that Cython has made for the main interpreter: it is the same for all."""
    tag = sysconfig.get_platform() + "-cpython-" + main.version.replace(".", "")
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted((places.BUILD / f"temp.{tag}").glob("cpython-*/bindings/generated/*.cpp")):
        copy = target / source.name
        if (places.ROOT / "bindings/generated" / source.with_suffix(".pyx").name).exists() and not (
                copy.exists() and copy.read_bytes() == source.read_bytes()):
            shutil.copyfile(source, copy)


def test(summary, main):
    """Runs tests/lifetime/references.py, or says why it cannot run here."""
    interpreter, reason = find(main)
    if interpreter is None:
        summary.add("references", reason, 0)
        return
    with summary.step("package for the debug interpreter", Path(interpreter).name):
        folder = build(main, interpreter)
    console.step("building the fake libraries", [main.python, "tests/fake/build.py"])
    summary.later("references", "references", [interpreter, "tests/lifetime/references.py"], r"\d+ scenarios",
                env={"PYTHONPATH": str(folder)})
