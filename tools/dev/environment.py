# SPDX-License-Identifier: Apache-2.0
"""The Python environment: .venv in the checkout, over what the interpreter already has."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import console
import debian
import places

# (distribution, oldest version that will do, what to install where it is missing)
BUILD = [("cython", "3.1", "cython>=3.1"), ("setuptools", "61", "setuptools>=61")]
RUN = [("numpy", "1.22", "numpy")]
TEST = [("pytest", "7", "pytest"), ("hypothesis", "6", "hypothesis"), ("jinja2", "3", "jinja2"),
        ("setuptools", "70.1", "setuptools>=77")]  # makes wheels by itself
# Python 3.10 has no tomllib; renderer and tests read tables.
TOML = ("tomli", "1", "tomli")
# What checks the type stubs; basedpyright brings pyright with it, as pip can install it.
TYPES = [("mypy", "2.4", "mypy==2.4.1"), ("basedpyright", "1.40", "basedpyright==1.40.2"),
         ("typing_extensions", "4.15", "typing_extensions>=4.15")]
STYLE = [("ruff", "0.4", "ruff")]
# The libraries that the tests load; the pins are those of the extra [cuda13].
CUDA = [("nvidia-cuda-nvrtc", "13", "nvidia-cuda-nvrtc==13.0.88"),
        ("nvidia-cuda-runtime", "13", "nvidia-cuda-runtime==13.0.96")]

_INTERPRETER = """
import json, os, sys, sysconfig
try:
    import ensurepip
except ImportError:
    ensurepip = None
print(json.dumps({
    "version": list(sys.version_info[:3]),
    "headers": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
    "ensurepip": ensurepip is not None,
    "real": os.path.realpath(sys.executable),
    "site": [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))],
}))
"""

_UNMET = """
import importlib.metadata, json, re, sys
def number(text):
    return [int(part) for part in re.findall(r"[0-9]+", text)[:3]]
def met(name, oldest):
    try:
        return number(importlib.metadata.version(name)) >= number(oldest)
    except importlib.metadata.PackageNotFoundError:
        return False
print(json.dumps([name for name, oldest, _ in json.loads(sys.argv[1]) if not met(name, oldest)]))
"""


class Environment:
    """One virtual environment and the interpreter it stands on."""

    def __init__(self, interpreter, folder):
        self.interpreter = Path(interpreter)
        self.folder = folder
        self.python = folder / "bin" / "python"
        answer = console.ask([interpreter, "-c", _INTERPRETER])
        if answer is None:
            raise console.Failure(f"{interpreter} does not run")
        self.facts = json.loads(answer)
        self.version = "{}.{}".format(*self.facts["version"])

    def system_packages(self, wanted):
        """The system packages without which this interpreter builds nothing: compiler, headers, ensurepip."""
        names = [] if shutil.which("g++") else ["g++"]
        own = self.facts["real"].startswith("/usr/bin/")
        if not self.facts["headers"]:
            if not own:
                raise console.Failure(f"{self.interpreter} comes without Python.h, which the build needs")
            names.append(f"python{self.version}-dev")
        if own and not self.facts["ensurepip"] and self.unmet(wanted) and not self._pip():
            names.append(f"python{self.version}-venv")
        return names

    def make(self, wanted):
        """Creates the environment where it is missing or stands on another interpreter, and fills it."""
        if not self._current():
            console.say(f"making {self.folder.name} with Python {self.version}")
            shutil.rmtree(self.folder, ignore_errors=True)
            subprocess.run([self.interpreter, "-m", "venv", "--without-pip", self.folder], check=True,
                           env=places.environment())
            # What the interpreter has serves here too, and the package is imported from the checkout.
            site = self.folder / "lib" / f"python{self.version}" / "site-packages"
            (site / "inherited.pth").write_text(self._inherited())
            (site / "checkout.pth").write_text(f"{places.ROOT}\n")
            self._stamp().write_text(json.dumps(self._identity()))
        unmet = self.unmet(wanted)
        self.install([spec for name, _, spec in wanted if name in unmet])

    def install(self, specs):
        """pip install into the environment."""
        if specs:
            self.pip("installing " + " ".join(specs), ["install", *specs])

    def pip(self, title, arguments):
        """One pip command in the environment."""
        self.ensure_pip()
        command, *rest = arguments
        console.step(title, [self.python, "-m", "pip", command, "--progress-bar", "off", *rest])

    def ensure_pip(self):
        """Adds pip where neither the environment nor the interpreter below has it."""
        if not self._pip():
            console.step("adding pip to " + self.folder.name, [self.python, "-m", "ensurepip"])

    def unmet(self, wanted):
        """Names of the distributions that are missing or too old."""
        answer = console.ask([self._running(), "-c", _UNMET, json.dumps(wanted)])
        return {name for name, _, _ in wanted} if answer is None else set(json.loads(answer))

    def _pip(self):
        return console.ask([self._running(), "-m", "pip", "--version"]) is not None

    def _running(self):
        """The environment's Python or, before there is one, the interpreter whose packages it will inherit."""
        return self.python if self._current() else self.interpreter

    def _inherited(self):
        return f"import site; list(map(site.addsitedir, {self.facts['site']!r}))\n"

    def _stamp(self):
        return self.folder / "dev.json"

    def _identity(self):
        return {"root": str(places.ROOT), "interpreter": str(self.interpreter), "facts": self.facts,
                "inherited": self._inherited()}

    def _current(self):
        try:
            return json.loads(self._stamp().read_text()) == self._identity() and self.python.exists()
        except (OSError, ValueError):
            return False


def main_environment():
    """The environment .venv over the interpreter that runs ./dev (its base, where that is .venv itself)."""
    folder = places.ROOT / ".venv"
    interpreter = sys.executable
    if Path(sys.prefix) == folder:
        interpreter = json.loads((folder / "dev.json").read_text())["interpreter"]
    return Environment(interpreter, folder)


def oldest_and_newest():
    """Environments over the oldest and the newest supported Python of this machine."""
    found = {}
    for minor in range(10, 14):
        for candidate in _candidates(minor):
            check = f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
            if console.ask([candidate, "-c", check]) is not None:
                found[minor] = candidate
                break
    main = main_environment()
    found.setdefault(main.facts["version"][1], main.interpreter)
    chosen = sorted({min(found), max(found)})
    return [
        main if minor == main.facts["version"][1] else Environment(found[minor], places.ROOT / f".venv-3.{minor}")
        for minor in chosen
    ]


def _candidates(minor):
    """Where a Python 3.minor may be: on the PATH, or among pyenv's."""
    on_path = shutil.which(f"python3.{minor}")
    versions = sorted((Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python3"))
    return ([on_path] if on_path else []) + versions


def prepare(environment, wanted, more_packages=()):
    """System packages, then the environment with the distributions wanted; returns the environment."""
    if environment.facts["version"] < [3, 11] and any(name == "jinja2" for name, _, _ in wanted):
        wanted = [*wanted, TOML]
    names = [*environment.system_packages(wanted), *more_packages]
    if names:
        debian.install(names)
        environment = Environment(environment.interpreter, environment.folder)  # it may have headers and pip now
    environment.make(wanted)
    return environment
