# SPDX-License-Identifier: Apache-2.0
"""./dev saxpy: everything from nothing to the example's run, and its C++ twin beside it."""

import hashlib
import os
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import console
import environment
import hardware
import nvrtc
import package
import places

EXAMPLES = places.ROOT / "examples"
RESULT = re.compile(r"^saxpy kernel_ms=([0-9.]+) application_ms=([0-9.]+)$", re.MULTILINE)


def build():
    """./dev build: the environment and the extension modules, nothing else."""
    ready = environment.prepare(environment.main_environment(), environment.BUILD + environment.RUN)
    package.build(ready)
    console.say(f"ready: {ready.python.relative_to(places.ROOT)} imports cuda_bindings from this checkout")
    return 0


def saxpy(runs):
    """./dev saxpy: prepare, build, run, compare."""
    emulated = choose_device()
    ready = environment.prepare(environment.main_environment(), environment.BUILD + environment.RUN)
    package.build(ready)
    libraries = nvrtc.ensure(ready)
    if not emulated and libraries.no_gpu:
        raise console.Failure(f"a driver answered at first, and not any more: {libraries.no_gpu}")
    if emulated:
        return on_the_emulated_device(ready)
    python = [ready.python, EXAMPLES / "saxpy.py"]
    print(run(python)[0], flush=True)
    cpp = build_cpp(ready, libraries)
    if cpp is None:
        return 0
    compare(python, [cpp], runs)
    return 0


def choose_device():
    """Says where SAXPY will run; True for the emulated device, which is opted into where no GPU answers."""
    if os.environ.get("CUDA_BINDINGS_DEVICE") == "emulated":
        print("SAXPY on the emulated device: CUDA_BINDINGS_DEVICE=emulated asks for it", flush=True)
        return True
    reason = hardware.why_none()
    if reason is None:
        print("SAXPY on the GPU", flush=True)
        return False
    print(f"SAXPY on the emulated device, on this CPU: {reason}", flush=True)
    os.environ["CUDA_BINDINGS_DEVICE"] = "emulated"
    return True


def on_the_emulated_device(ready):
    """The same program, compiled by the real NVRTC, executed by the interpreter."""
    print(run([ready.python, EXAMPLES / "saxpy.py"])[0], flush=True)
    return 0


def run(command):
    """One run of a SAXPY program: its output, its kernel and application milliseconds."""
    done = subprocess.run([os.fspath(part) for part in command], capture_output=True, text=True, check=False,
                          env=places.environment())
    result = RESULT.search(done.stdout)
    if done.returncode or not result:
        raise console.Failure(f"{done.stdout}{done.stderr}{command[-1]}: failed with status {done.returncode}")
    return done.stdout.rstrip(), float(result[1]), float(result[2])


def build_cpp(ready, libraries):
    """The C++ program, linked to the libraries that the package loads; None where headers are missing."""
    source = EXAMPLES / "cpp" / "saxpy.cpp"
    includes = cuda_headers(ready)
    if not includes or len(libraries.loaded) < 2:
        console.say("no C++ column: cuda.h and nvrtc.h were not found (looked in CUDA_HOME, CUDA_PATH, nvcc's "
                    "toolkit, /usr/local/cuda and installed wheels)")
        return None
    files = [libraries.loaded[name] for name in ("libcuda", "libnvrtc")]
    program = places.BUILD / "saxpy-cpp"
    folders = sorted({os.path.dirname(path) for path in files})
    command = ["g++", "-std=c++20", "-O2", *(f"-I{folder}" for folder in includes), source, *files,
               *(f"-Wl,-rpath,{folder}" for folder in folders), "-Wl,--allow-shlib-undefined", "-o", program]
    identity = hashlib.sha256(repr(command).encode() + source.read_bytes()).hexdigest()
    stamp = program.with_suffix(".stamp")
    if not program.exists() or not stamp.exists() or stamp.read_text() != identity:
        status, output = console.step("building the C++ program", command, fatal=False)
        if status:
            console.say("no C++ column: examples/cpp/saxpy.cpp does not build here\n" + output.rstrip())
            return None
        stamp.write_text(identity)
    return program


def cuda_headers(ready):
    """The include folders that have cuda.h and nvrtc.h: a toolkit's, or those of installed wheels."""
    nvcc = shutil.which("nvcc")
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda",
             nvcc and os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))]
    sites = [*ready.facts["site"], *map(str, ready.folder.glob("lib/*/site-packages"))]
    groups = [[Path(root) / "include"] for root in roots if root]
    groups += [[Path(site) / "nvidia" / "cu13" / "include"] for site in sites]
    groups += [[Path(site) / "nvidia" / part / "include" for part in ("cuda_runtime", "cuda_nvrtc")] for site in sites]
    for group in groups:
        if all(any((folder / name).exists() for folder in group) for name in ("cuda.h", "nvrtc.h")):
            return group
    return []


def compare(python, cpp, runs):
    """Runs both programs by turns and prints medians and ratios."""
    console.say(f"running each program {runs} times, by turns")
    figures = {"python": [], "cpp": []}
    shown = time.monotonic()
    for turn in range(runs):
        for name, command in (("python", python), ("cpp", cpp)):
            figures[name].append(run(command)[1:])
        if time.monotonic() - shown > console.SIGN_OF_LIFE:
            console.say(f"  ... {turn + 1} of {runs}")
            shown = time.monotonic()
    print(f"{'':18}{'Python':>12}{'C++':>12}{'Python/C++':>12}")
    for column, title in enumerate(("kernel time", "application time")):
        ours, theirs = (statistics.median(row[column] for row in figures[name]) for name in ("python", "cpp"))
        print(f"{title:18}{ours:>9.4f} ms{theirs:>9.4f} ms{ours / theirs:>12.3f}", flush=True)
    print(f"medians of {runs} runs of each program; application: cuInit to the last free, NVRTC included")
