# SPDX-License-Identifier: Apache-2.0
"""The commands of ./dev: one line each, handed to the module that does them."""

import argparse
import sys

import command_bench
import console

STEPS = ["generator", "check", "facts", "abi", "python", "references", "instructions", "emulated", "cpp", "types",
         "sanitize", "style"]


def parse(arguments):
    """The command line: a subcommand with its options."""
    parser = argparse.ArgumentParser(prog="./dev", description="Builds, runs, tests and regenerates cuda_bindings.",
                                     formatter_class=lambda prog: argparse.HelpFormatter(prog, width=120))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    saxpy = commands.add_parser("saxpy", help="build the package and run the SAXPY example beside its C++ twin")
    saxpy.add_argument("--runs", type=int, default=7, metavar="N", help="interleaved runs of each program (default 7)")
    test = commands.add_parser("test", help="build everything and run every test that needs no GPU")
    test.add_argument("--full", action="store_true", help="with each libclang and the oldest and newest Python here")
    test.add_argument("--sanitize", action="store_true", help="only the modules' own tests, under ASan and UBSan")
    test.add_argument("--gpu", action="store_true", help="only the tests that need a GPU (tests/gpu)")
    test.add_argument("--only", choices=STEPS, help="only one step")
    test.add_argument("pytest", nargs="*", metavar="PYTEST", help="arguments for pytest, behind --")
    generate = commands.add_parser("generate", help="regenerate bindings/generated from the headers of a CUDA release")
    generate.add_argument("release", help="the CUDA release, as 13.0")
    generate.add_argument("--headers", metavar="FOLDER", help="read these headers instead of NVIDIA's wheels")
    commands.add_parser("check", help="prove that bindings/generated is what the committed snapshot gives")
    commands.add_parser("build", help="build the package inside the checkout, for .venv/bin/python")
    command_bench.add_options(commands.add_parser("bench", help="time every kind of call beside cuda.bindings and C"))
    return parser.parse_args(arguments)


def main(arguments):
    """Runs one command and returns the exit status."""
    options = parse(arguments)
    try:
        if options.command == "saxpy":
            import command_saxpy

            return command_saxpy.saxpy(options.runs)
        if options.command == "build":
            import command_saxpy

            return command_saxpy.build()
        if options.command == "bench":
            return command_bench.bench(options)
        if options.command == "test":
            import command_test

            return command_test.test(options)
        import command_generate

        return command_generate.check() if options.command == "check" else command_generate.generate(options)
    except console.Failure as failure:
        print(f"./dev: {failure}", file=sys.stderr)
        return failure.status
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
