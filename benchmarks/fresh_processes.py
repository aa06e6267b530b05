# SPDX-License-Identifier: Apache-2.0
"""What fresh processes cost: an import with the first call, resident memory; sizes of libraries; a build."""

import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure

ROOT = Path(__file__).resolve().parents[1]
FIRST_CALLS = {"driver": "cuDriverGetVersion()", "runtime": "cudaRuntimeGetVersion()", "nvrtc": "nvrtcVersion()"}
RESIDENT = """
def resident():
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * 4
"""


def program(package, module, peer):
    """A script that imports a module and makes its first call; only the import path differs between the columns."""
    path = f"import sys; sys.path.append({peer!r})\n" if package == "cuda.bindings" else ""
    return f"{path}from {package} import {module}\nassert {module}.{FIRST_CALLS[module]}[0] == 0\n"


def run(script):
    """Seconds from the start of a process to its end."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT, stdin=subprocess.DEVNULL)
    return time.perf_counter() - begun


def starts(peer, runs):
    """Import and first call of each module over bare Python, by turns; rows."""
    rows = []
    for module in FIRST_CALLS:
        scripts = {"bare": "pass\n", "ours": program("cuda_bindings", module, peer)}
        if peer:
            scripts["peer"] = program("cuda.bindings", module, peer)
        for script in scripts.values():  # files into the page cache, byte code onto the disk
            run(script)
        times = {name: [] for name in scripts}
        for turn in range(runs):
            for name in [*scripts][turn % len(scripts):] + [*scripts][:turn % len(scripts)]:
                times[name].append(1000 * run(scripts[name]))
        rows.append(start_row(module, times))
    return rows


def start_row(module, times):
    """One of them: what is over the bare interpreter, round by round."""
    over = {name: [taken - bare for taken, bare in zip(found, times["bare"], strict=True)]
            for name, found in times.items() if name != "bare"}
    spreads = {name: measure.spread(found) for name, found in over.items()}
    ratios = {"ours/peer": spreads["ours"]["median"] / spreads["peer"]["median"]} if "peer" in over else {}
    bare = measure.spread(times["bare"])
    figures = f"over bare Python's {bare['median']:.1f} ms: " + ", ".join(
        f"{name} {found['median']:.2f} ms ({found['low']:.1f}-{found['high']:.1f})" for name, found in spreads.items())
    return {"title": f"import {module} and first call", "target": "start", "ratios": ratios, "figures": figures,
            "ms_over_bare": spreads, "ms_bare": bare}


def resident(peer):
    """Resident memory after import and first call, over bare Python: the median of three processes; rows."""
    rows = []
    for module in FIRST_CALLS:
        found = {}
        for name, package in ({"ours": "cuda_bindings"} | ({"peer": "cuda.bindings"} if peer else {})).items():
            script = RESIDENT + "before = resident()\n" + program(package, module, peer) + \
                "print(resident() - before)\n"
            found[name] = statistics.median(int(subprocess.run(
                [sys.executable, "-c", script], check=True, cwd=ROOT, capture_output=True, text=True).stdout)
                for _ in range(3)) / 1024
        ratios = {"ours/peer": found["ours"] / found["peer"]} if "peer" in found else {}
        rows.append({"title": f"memory after import {module}", "target": None, "ratios": ratios, "megabytes": found,
                     "figures": ", ".join(f"{name} {value:.1f} MB" for name, value in found.items())})
    return rows


def sizes(peer):
    """All shared objects of each package; rows."""
    suffix = "." + sys.implementation.cache_tag + "-"
    modules = [path for path in (ROOT / "cuda_bindings").glob("*.so") if suffix in path.name]
    emulator = list((ROOT / "cuda_bindings").glob("libcuda_bindings_emulator*.so"))
    ours = megabytes(modules)
    figures = f"ours {ours:.2f} MB in {len(modules)}, the emulated device {megabytes(emulator):.2f} MB"
    row = {"title": "shared objects", "target": "size", "value": ours}
    if peer:
        theirs = list((Path(peer) / "cuda" / "bindings").rglob("*.so"))
        figures += f"; cuda.bindings {megabytes(theirs):.1f} MB in {len(theirs)}"
        row["ratios"] = {"ours/peer": ours / megabytes(theirs)}
    return [row | {"figures": figures}]


def megabytes(paths):
    """Their sizes together, in millions of bytes."""
    return sum(path.stat().st_size for path in paths) / 1e6


def build():
    """Builds from nothing, without a compiler cache: CPU minutes and the largest process; rows."""
    return [one_build("build of the seven modules", "build", "modules"),
            one_build("build with the emulated device", None, "all")]


def one_build(title, target, parts):
    """The row of a build of these parts, as setup.py calls them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "CXXFLAGS"} | {
            "CXX": os.environ.get("BENCH_CXX", "g++"), "CCACHE_DISABLE": "1", "CUDA_BINDINGS_PARTS": parts}
        command = [sys.executable, "setup.py", "-q", "build_ext", "--force", "--build-temp", f"{folder}/temp",
                   "--build-lib", f"{folder}/lib"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    minutes = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 60
    figures = f"{minutes:.2f} CPU minutes, {wall:.0f} s, largest process {after.ru_maxrss / 1024:.0f} MB"
    return {"title": title, "target": target, "value": minutes, "figures": figures, "wall_seconds": wall,
            "largest_process_megabytes": after.ru_maxrss / 1024}
