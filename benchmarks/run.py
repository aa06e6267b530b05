# SPDX-License-Identifier: Apache-2.0
"""The benchmark's front: builds null driver and floor, runs each part in processes of its own, judges and prints."""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import budget
import columns
import fresh_processes
import instructions
import null_run
import report
import stored_ratios
from floor import build as build_floor
from null_driver import build as build_null

ENVIRONMENT = dict(os.environ)  # as it was found
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


class PartFailed(Exception):
    """A part of the benchmark has failed; the others' rows are shown all the same."""


def part(script, environment, *arguments, capture=False, allowed=(0,)):
    """Runs a script of this folder; its output where captured."""
    done = subprocess.run([sys.executable, HERE / script, *map(str, arguments)], env=environment, check=False,
                          stdout=subprocess.PIPE if capture else None, text=True)
    if done.returncode not in allowed:
        raise PartFailed(f"{script} failed with status {done.returncode}")
    return done.stdout


class Parts:
    """Runs what may fail, and remembers what did."""

    def __init__(self):
        self.failures = []

    def attempt(self, make, *arguments):
        """What the part gives, or an empty list where it fails."""
        try:
            return make(*arguments)
        except (PartFailed, OSError, RuntimeError, subprocess.CalledProcessError) as failure:
            self.failures.append(str(failure))
            return []


def environment_of(null, floor, peer):
    """What the processes on the null driver see."""
    found = dict(os.environ)
    found.update(columns.variables(null, floor, peer))
    found.pop("CUDA_BINDINGS_DEVICE", None)
    found["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(HERE)])
    return found


def null_part(options, environment):
    """The rows of calls, with instruction counts where valgrind is."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "rows.json"
        arguments = ["--rounds", options.rounds] + (["--only", options.only] if options.only else [])
        part("null_run.py", environment, output, *arguments, allowed=(0, null_run.DIFFERENT))
        found = json.loads(output.read_text())
    counts = None if options.no_instructions else instructions.measure_all(environment, options.only)
    for row in found["rows"]:
        if counts and row["title"] in counts:
            row["instructions"] = counts[row["title"]]
    return found


def budget_part(options, environment):
    """What the parts of a call cost."""
    timed = json.loads(part("budget.py", environment, capture=True))
    return budget.rows(environment, timed | {"count": not options.no_instructions})


def process_parts(options, environment, parts):
    """The rows about processes, libraries and NVRTC."""
    peer = environment["BENCH_PEER"]
    os.environ.update({name: environment[name] for name in columns.variables(Path("."))})
    os.environ.pop("CUDA_BINDINGS_DEVICE", None)
    rows = parts.attempt(fresh_processes.starts, peer, options.starts) + parts.attempt(fresh_processes.resident, peer)
    rows += parts.attempt(fresh_processes.sizes, peer)
    if options.nvrtc:
        rows += parts.attempt(compile_rows, options)
    return rows


def compile_rows(options):
    """NVRTC's rows."""
    return json.loads(part("compile_run.py", real_environment(options), capture=True))


def floor_folder(options):
    """Where the floor for this interpreter is built."""
    return options.work / f"floor-{sys.version[:4]}"


def parse():
    """What ./dev bench hands over."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder for what is built")
    parser.add_argument("--build-only", action="store_true", help="bring what lies in --work up to date, no more")
    parser.add_argument("--peer", default="", help="site-packages of cuda.bindings")
    parser.add_argument("--nvrtc", default="", help="the NVRTC library for the compile rows")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--only")
    parser.add_argument("--no-instructions", action="store_true")
    parser.add_argument("--build", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--strict", action="store_true", help="a missed target is a failure")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--instructions", choices=("check", "store"))
    return parser.parse_args()


def main():
    """Everything; 1 where columns differ or the floor is too slow."""
    options = parse()
    targets = report.load_targets()
    options.work = options.work.resolve()
    null, floor = build_null.build(options.work / "null"), build_floor.build(floor_folder(options))
    if options.build_only:
        return 0
    environment = environment_of(null, floor, options.peer)
    if options.instructions:
        return instructions.run(environment, options.instructions, options.only)
    parts, machine = Parts(), describe_machine()
    found = null_part(options, environment)
    print(f"Python {found['python']}, cuda.bindings {found['peer']}; " + ", ".join(map(str, machine.values())))
    print("the null driver: every function returns at once", flush=True)
    rows = report.judge_all(found["rows"], targets)
    floor_limits = report.judge_floor(rows, targets)
    report.print_calls(rows, floor_limits)
    others = [] if options.only else report.judge_all(process_parts(options, environment, parts), targets)
    report.print_others(others)
    sys.stdout.flush()
    costs = [] if options.only else parts.attempt(budget_part, options, environment)
    budget.show(costs)
    on_gpu = report.judge_all(parts.attempt(gpu_part, options), targets) if options.gpu else []
    if on_gpu:
        print("\non the GPU")
        report.print_others(on_gpu)
    about = {"python": found["python"], "peer": found["peer"], "machine": machine, "rounds": options.rounds,
             "targets": targets, "floor": floor_limits, "budget": costs, "failures": parts.failures}
    if options.json:  # what is measured is not lost where the build is given up
        report.write(options.json, about | {"rows": rows + others + on_gpu})
    wanted = options.build and not options.only
    built = report.judge_all(parts.attempt(fresh_processes.build), targets) if wanted else []
    report.print_others(built)
    everything = rows + others + on_gpu + built
    print(report.summary(everything))
    if options.json:
        report.write(options.json, about | {"rows": everything})
        if report.plot(options.json.with_suffix(".png"), everything):
            print(f"plot: {options.json.with_suffix('.png')}")
    for failure in parts.failures:
        print(f"FAILED: {failure}")
    return report.status(floor_limits, everything, options.strict) or (1 if parts.failures else 0)


def describe_machine():
    """What the figures depend on besides the code, and how busy the machine is."""
    processor = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    compiler = stored_ratios.first_line([*os.environ.get("CXX", "g++").split(), "--version"])
    return {"processor": processor[1] if processor else platform.machine(), "cores": f"{os.cpu_count()} cores",
            "system": f"Linux {platform.release()}", "libc": " ".join(platform.libc_ver()), "compiler": compiler,
            "load": f"load {os.getloadavg()[0]:.1f}"}


def real_environment(options):
    """What the processes see that use the machine's own libraries: NVRTC calls the driver, and a GPU is no null one."""
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "CUDA_BINDINGS_DEVICE"}
    environment |= {"BENCH_PEER": options.peer, "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE)]),
                    "BENCH_WORK": str(options.work)}
    if options.nvrtc:
        folders = filter(None, [str(Path(options.nvrtc).parent), environment.get("LD_LIBRARY_PATH")])
        environment |= {"CUDA_BINDINGS_LIBNVRTC": options.nvrtc, "LD_LIBRARY_PATH": os.pathsep.join(folders)}
    return environment


def gpu_part(options):
    """The rows of the GPU's part, in a process that sees the real driver."""
    environment = real_environment(options) | {"BENCH_FLOOR": str(floor_folder(options))}
    return json.loads(part("gpu_run.py", environment, capture=True))


if __name__ == "__main__":
    sys.exit(main())
