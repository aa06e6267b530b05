# SPDX-License-Identifier: Apache-2.0
"""./dev test: everything that needs no GPU, from nothing; ends with the runners' own summary lines."""

import re
import shutil
import time

import command_generate
import console
import debian
import environment
import generator
import headers
import package
import places

RELEASE = "13.0"


class Summary:
    """The last word of each runner, in the order in which they ran, and how long it took."""

    def __init__(self):
        self.lines = []
        self.failed = False

    def run(self, title, command, pattern, env=None):
        """Runs a test runner with its output shown; its summary is the last line that fits the pattern."""
        begun = time.monotonic()
        status, output = console.step(title, command, show=True, fatal=False, env=env)
        found = [line.strip("= ") for line in output.splitlines() if re.search(pattern, line)]
        self.add(title, found[-1] if found else "no summary line", time.monotonic() - begun, status)

    def add(self, title, line, seconds, status=0):
        """One line of the summary."""
        self.failed = self.failed or bool(status)
        self.lines.append(f"{'FAILED' if status else 'ok':7}{title}: {line} [{seconds:.0f} s]")

    def close(self):
        """Prints all lines; the exit status."""
        print("\n" + "\n".join(self.lines), flush=True)
        return 1 if self.failed else 0


def test(options):
    """The whole test, or with --gpu the tests that need one."""
    if options.gpu:
        return test_gpu(options)
    begun = time.monotonic()
    llvm, llvm_packages = generator.choose_llvm(options.full)
    # The package index's libraries serve the tests, whatever else the machine has: 13.0 everywhere.
    wanted = environment.BUILD + environment.RUN + environment.TEST + environment.CUDA
    chosen = environment.oldest_and_newest() if options.full else [environment.main_environment()]
    main = environment.main_environment()
    missing = [name for each in [main, *chosen] for name in each.system_packages(wanted)]
    debian.install([*missing, *generator.packages(llvm_packages)])
    main = environment.prepare(main, wanted)
    chosen = [main if each.folder == main.folder else environment.prepare(each, wanted) for each in chosen]
    summary = Summary()
    summary.add("set-up", "environment and system packages", time.monotonic() - begun)

    test_generator(summary, main, llvm, options.full)
    for python in chosen:
        begun = time.monotonic()
        package.build(python)
        summary.add(f"package for Python {python.version}", package.size(python), time.monotonic() - begun)
        command = [python.python, "-m", "pytest", "-m", "not gpu", *options.pytest]
        summary.run(f"pytest with Python {python.version}", command, r"\d+ (passed|failed|error)")
    test_style(summary, main)
    return summary.close()


def test_generator(summary, main, llvm, full):
    """Builds the generator with each LLVM release, runs its tests, and proves the committed sources."""
    folders = []
    for version in llvm:
        begun = time.monotonic()
        folders.append(generator.build(version))
        summary.add(f"generator with LLVM {version}", "built", time.monotonic() - begun)
        command = ["ctest", "--test-dir", folders[-1], "--output-on-failure", "-j", generator.JOBS, "--progress"]
        summary.run(f"ctest with LLVM {version}", command, r"tests passed")
    begun = time.monotonic()
    command_generate.check_tree(main, folders[0])
    summary.add("check", "bindings/generated is what the committed snapshot gives", time.monotonic() - begun)
    begun = time.monotonic()
    found = headers.fetch(main, RELEASE)
    for version, folder in zip(llvm, folders, strict=True):
        command_generate.check_facts(folder, version, found)
    names = " and ".join(str(version) for version in llvm)
    summary.add("facts", f"libclang {names} reads the committed facts from the wheels' headers", time.monotonic() - begun)
    begun = time.monotonic()
    headers.check_abi(found)
    summary.add("abi", "every record, field and enumerator as in the real headers", time.monotonic() - begun)


def test_style(summary, main):
    """ruff and clang-format, where this machine has them."""
    ruff = shutil.which("ruff") or shutil.which("ruff", path=str(main.folder / "bin"))
    if ruff:
        summary.run("ruff", [ruff, "check", "--output-format=concise", "."], r"passed|Found")
    formatter = shutil.which("clang-format")
    if formatter and (places.ROOT / ".clang-format").exists():
        sources = [path for folder in ("generator", "bindings/native", "tests", "examples")
                   for path in sorted((places.ROOT / folder).rglob("*.[ch]pp")) if "golden" not in str(path)]
        status, _ = console.step("clang-format", [formatter, "--dry-run", "--Werror", *sources], fatal=False, show=True)
        summary.add("clang-format", f"{len(sources)} files", 0, status)


def test_gpu(options):
    """tests/gpu, on a machine that has one; nothing but the package is built."""
    wanted = environment.BUILD + environment.RUN + environment.TEST[:1]
    main = environment.prepare(environment.main_environment(), wanted)
    package.build(main)
    summary = Summary()
    command = [main.python, "-m", "pytest", "-m", "gpu", "tests/gpu", *options.pytest]
    summary.run("pytest on the GPU", command, r"\d+ (passed|failed|error|skipped|deselected)")
    return summary.close()
