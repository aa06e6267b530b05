# SPDX-License-Identifier: Apache-2.0
"""./dev bench: the package beside a hand-written floor and the newest cuda.bindings, in one table."""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

import console
import debian
import environment
import hardware
import nvrtc
import package
import places

BENCHMARKS = places.ROOT / "benchmarks"
WORK = places.BUILD / "bench"
PEER = "cuda-bindings"
FRESH = 24 * 3600  # seconds after which pip is asked for a newer cuda.bindings

_FIND = """
import importlib.util, pathlib, sys
found = importlib.util.find_spec("cuda.bindings") if importlib.util.find_spec("cuda") else None
print(pathlib.Path(next(iter(found.submodule_search_locations))).parents[1] if found else "")
"""


def add_options(parser):
    """The command line."""
    parser.add_argument("--gpu", action="store_true", help="also the part that needs a GPU")
    parser.add_argument("--only", metavar="TEXT", help="only the calls whose title has the text in it")
    parser.add_argument("--rounds", type=int, default=60, metavar="N", help="rounds of each call (default 60)")
    parser.add_argument("--no-install", action="store_true", help="take the cuda.bindings that is there")
    parser.add_argument("--build", action=argparse.BooleanOptionalAction, default=True,
                        help="the package's build from nothing, which takes minutes (left out with --only)")
    parser.add_argument("--strict", action="store_true", help="missed targets fail too, not only differing values")
    parser.add_argument("--instructions", choices=("check", "store"),
                        help="only count instructions, and hold them against the stored ratios or store them")


def bench(options):
    """The benchmark, or with --instructions its counting alone; the exit status."""
    main = environment.main_environment()
    wanted = environment.BUILD + environment.RUN + ([environment.TOML] if main.facts["version"] < [3, 11] else [])
    ready = environment.prepare(main, wanted)
    package.build(ready)
    if options.instructions:
        debian.install([] if has_valgrind() else ["valgrind"])
        command = count_command(ready, options.instructions) + (["--only", options.only] if options.only else [])
        return console.step("counting instructions", command, show=True, fatal=False)[0]
    if not has_valgrind():
        console.say("no instruction counts: valgrind and its headers are not installed")
    if options.gpu and (reason := hardware.why_none()):
        raise console.Failure(reason)
    command = [ready.python, BENCHMARKS / "run.py", "--work", WORK, "--rounds", str(options.rounds), "--json",
               WORK / "bench.json", "--nvrtc", nvrtc.Libraries(ready).loaded.get("libnvrtc", ""), "--peer",
               peer_folder(ready, not options.no_install)]
    command += ["--only", options.only] if options.only else []
    command += [f"--{name}" for name in ("gpu", "build", "strict") if getattr(options, name)]
    command += [] if has_valgrind() else ["--no-instructions"]
    status, _ = console.step("benchmark", command, show=True, fatal=False)
    return status


def build_command(ready):
    """What builds the null driver and the hand-written floor, no more."""
    return [ready.python, BENCHMARKS / "run.py", "--work", WORK, "--build-only"]


def count_command(ready, mode):
    """What counts in one run under valgrind, then checks or stores."""
    return [ready.python, BENCHMARKS / "run.py", "--work", WORK, "--instructions", mode]


def has_valgrind():
    """Whether valgrind and the header that talks to it are here."""
    return console.ask(["valgrind", "--version"]) is not None and any(
        (Path(folder) / "valgrind" / "callgrind.h").exists() for folder in ("/usr/include", "/usr/local/include"))


def peer_folder(ready, may_install):
    """Where cuda.bindings lies: a folder of its own in the user's cache, else what the interpreter has; "" for none."""
    folder = cache() / f"{PEER}-{ready.facts['real'].strip('/').replace('/', '-')}"
    stamp = folder / "installed.json"
    if may_install and (not stamp.exists() or json.loads(stamp.read_text())["at"] < time.time() - FRESH):
        install(ready, folder, stamp)
    if stamp.exists():
        return folder
    found = console.ask([ready.python, "-c", _FIND])
    if found and found.strip():
        console.say(f"cuda.bindings of the interpreter: {found.strip()}")
        return found.strip()
    console.say("no cuda.bindings column: pip cannot install it, and the interpreter has none")
    return ""


def install(ready, folder, stamp):
    """Asks pip for the newest one; keeps what is there where pip cannot."""
    try:
        ready.ensure_pip()
    except console.Failure:
        console.say("no pip to install cuda.bindings with")
        return
    folder.mkdir(parents=True, exist_ok=True)
    command = [ready.python, "-m", "pip", "install", "-q", "--upgrade", "--only-binary=:all:", "--no-input",
               "--target", folder, PEER]
    console.say(f"installing the newest {PEER} into {folder}")
    done = subprocess.run([os.fspath(part) for part in command], capture_output=True, text=True, check=False,
                          env=places.environment({"PIP_RETRIES": "1", "PIP_TIMEOUT": "10"}))
    if done.returncode == 0:
        stamp.write_text(json.dumps({"at": time.time()}))
    else:
        console.say("pip: " + (done.stderr.strip().splitlines() or ["failed"])[-1])


def cache():
    """The user's cache folder for benchmarks."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "open-cuda-bindings" / "bench"
