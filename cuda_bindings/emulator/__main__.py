# SPDX-License-Identifier: Apache-2.0
"""python -m cuda_bindings.emulator: run another program on the emulated device, list what it has, measure it."""

from __future__ import annotations

import argparse
import os
import sys

from cuda_bindings import emulator
from cuda_bindings.emulator import launcher

CODE_OF_BAD_USE = 2


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line of everything but `run`."""
    parser = argparse.ArgumentParser(
        prog="python -m cuda_bindings.emulator",
        usage="%(prog)s run CMD... | --coverage | --bench",
        description="run CMD...: run a program with the emulated device as its libcuda.so.1",
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--coverage", action="store_true", help="list the driver functions and which are implemented")
    action.add_argument("--bench", action="store_true", help="measure kernels and module loading on one core")
    return parser.parse_args(arguments)


def print_coverage() -> int:
    """Print one line a function, then the sums."""
    functions = emulator.coverage()
    for name in sorted(functions):
        print(f"{name:52}{'implemented' if functions[name] else 'CUDA_ERROR_NOT_SUPPORTED'}")
    print(f"{sum(functions.values())} of {len(functions)} driver functions are implemented")
    return 0


def main(arguments: list[str]) -> int:
    """Do what the command line asks for; the exit status."""
    if arguments[:1] == ["run"]:
        if len(arguments) == 1:
            print("python -m cuda_bindings.emulator run: which command?", file=sys.stderr)
            return CODE_OF_BAD_USE
        return launcher.run(arguments[1:])
    options = parse(arguments)
    if options.coverage:
        return print_coverage()
    os.environ.setdefault("CUDA_BINDINGS_EMULATOR_THREADS", "1")  # read at the first driver call
    from cuda_bindings.emulator import bench

    return bench.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
