# SPDX-License-Identifier: Apache-2.0
"""./dev test: everything that needs no GPU, from nothing; ends with the runners' own summary lines."""

import shutil
import time

import command_bench
import command_generate
import compiler_cache
import console
import debian
import debug_python
import environment
import generator
import headers
import nvrtc
import package
import places
import sanitize
from summary import Summary

RELEASE = "13.0"
# What the steps' tests run besides: all of it asked for at once, before anything is built.
SYSTEM_PACKAGES = {
    "python": lambda: debian.packages_of("apt-test.txt"),
    "instructions": lambda: [] if command_bench.has_valgrind() else ["valgrind"],
    "cpp": lambda: debian.packages_of("apt-cpp.txt"),
}


def test(options):
    """The whole test, one step of it with --only, or with --gpu the tests that need one."""
    if options.gpu:
        return test_gpu(options)
    summary = Summary()
    begun = time.monotonic()
    steps = [options.only] if options.only else [
        "generator", "check", "facts", "abi", "python", "references", "instructions", "emulated", "cpp", "types",
        "style"]
    if options.sanitize:
        steps = ["sanitize"]
    build_generator = bool({"generator", "check", "facts"}.intersection(steps))
    llvm, llvm_packages = generator.choose_llvm(options.full) if build_generator else ([], [])
    wanted = environment.BUILD + environment.RUN + environment.TEST + ([] if options.sanitize else environment.CUDA)
    if options.full:
        wanted = wanted + environment.STYLE
    main = environment.main_environment()
    pythons = environment.oldest_and_newest() if options.full and "python" in steps else [main]
    missing = [name for each in [main, *pythons] for name in each.system_packages(wanted)]
    for step, names in SYSTEM_PACKAGES.items():
        missing += debian.missing(names()) if step in steps else []
    debian.install(missing + (generator.packages(llvm_packages) if build_generator else []))
    debian.offer(compiler_cache.NAME)
    main = environment.prepare(main, wanted)
    pythons = [main if each.folder == main.folder else environment.prepare(each, wanted) for each in pythons]
    summary.add("set-up", "environment and system packages", time.monotonic() - begun)
    try:
        run_steps(summary, steps, options, main, pythons, llvm, wanted)
    except console.Failure as failure:  # what waits runs all the same
        summary.add("the steps", f"stopped: {failure}", time.monotonic() - begun, 1)
    return summary.close()


def run_steps(summary, steps, options, main, pythons, llvm, wanted):
    """Builds and checks, and lets wait what summary.gather() runs side by side."""
    builds = {version: build_with(summary, version, "generator" in steps, version == llvm[0]) for version in llvm}
    if "check" in steps:
        with summary.step("check", "bindings/generated is what the committed snapshot gives"):
            command_generate.check_tree(main, builds[llvm[0]])
    if "facts" in steps:
        names = " and ".join(str(version) for version in llvm)
        with summary.step("facts", f"libclang {names} reads the committed facts from the wheels' headers"):
            for version, folder in builds.items():
                command_generate.check_facts(folder, version, headers.fetch(main, RELEASE))
        test_header_mutations(summary, main, builds[llvm[0]], options.full)
    if "abi" in steps:
        with summary.step("abi", "every record, field and enumerator as in the real headers"):
            headers.check_abi(headers.fetch(main, RELEASE))
    if "python" in steps or "instructions" in steps:
        build_for_tests(main, pythons)
    for python in pythons if "python" in steps else []:
        test_python(summary, python, options.pytest)
    if "references" in steps:
        debug_python.test(summary, main)
    if "instructions" in steps:
        test_instructions(summary, main)
    if "emulated" in steps:
        test_emulated(summary, main)
    if "cpp" in steps:
        test_cpp(summary, main)
    if "types" in steps:
        test_types(summary, main, wanted)
    if "sanitize" in steps:
        sanitize.run(summary, main, options.sanitize, options.pytest if options.sanitize else [])
    if "style" in steps:
        test_style(summary, main)


def build_with(summary, llvm, test_too, emulator):
    """Builds the generator with one LLVM release and runs the C++ tests, the emulator's in one of them; the folder."""
    begun = time.monotonic()
    folder = generator.build(llvm, emulator)
    summary.add(f"generator with LLVM {llvm}", "built", time.monotonic() - begun)
    if test_too:
        command = ["ctest", "--test-dir", folder, "--output-on-failure", "-j", str(places.JOBS), "--progress"]
        summary.run(f"ctest with LLVM {llvm}", command, r"tests passed")
    return folder


def test_header_mutations(summary, python, folder, full):
    """Changed headers, each with the error codes that the generator must give; all of them with --full."""
    script = places.ROOT / "tests/mutation/headers/run.py"
    command = [python.python, script, "--generator", generator.binary(folder),
               "--headers", headers.fetch(python, RELEASE).folder, "--every", "1" if full else "3"]
    summary.run("header mutations", command, r"\d+ header mutations")


def build_for_tests(main, pythons):
    """What tests of several lanes use and would build themselves at their first need of it."""
    console.step("building the fake libraries", [main.python, "tests/fake/build.py"])
    for python in {each.folder: each for each in [main, *pythons]}.values():
        console.step(f"building the benchmark's own parts for Python {python.version}",
                     command_bench.build_command(python))


def test_python(summary, python, more):
    """Builds the package for one Python and runs pytest with it."""
    begun = time.monotonic()
    package.build(python)
    summary.add(f"package for Python {python.version}", package.size(python), time.monotonic() - begun)
    title = f"pytest with Python {python.version}"
    command = [python.python, "-m", "pytest", "-m", "not gpu", "-o", f"cache_dir=build/pytest-{python.version}", *more]
    summary.later(title, title, command, r"\d+ (passed|failed|error)",
                  env=headers_for_tests(python))


def headers_for_tests(python):
    """Where the tests find NVIDIA's headers; nothing where they cannot be had: those that want them are skipped."""
    try:
        return {"CUDA_BINDINGS_TEST_HEADERS": str(headers.fetch(python, RELEASE).folder)}
    except console.Failure as failure:
        console.say(f"tests beside NVIDIA's headers will be skipped: {failure}")
        return {}


def test_instructions(summary, python):
    """Calls against the hand-written floor by instruction counts, or why not; then that a slowed call is noticed."""
    if not command_bench.has_valgrind():
        summary.add("instructions", "not counted: valgrind and its headers are not here, and no apt-get either", 0)
        return
    package.build(python)
    command = command_bench.count_command(python, "check")
    summary.later("instructions", "instructions", command, r"^instruction counts: ")
    command = [python.python, "-m", "pytest", "tests/benchmarks/check_counting.py"]
    summary.later("instructions", "a slowed call is noticed", command, r"\d+ (passed|failed|error)")


def test_emulated(summary, python):
    """The emulated device: its own suite, then the GPU's tests on it, each in a process that has chosen it."""
    package.build(python)
    nvrtc.ensure(python)
    for title, folder in (("pytest on the emulated device", "tests/emulated"), ("GPU tests on it", "tests/gpu")):
        command = [python.python, "-m", "pytest", folder]
        summary.later("emulated", title, command, r"\d+ (passed|failed|error)",
                      env={"CUDA_BINDINGS_DEVICE": "emulated"})


def test_cpp(summary, main):
    """cuda_bindings.hpp: both compilers, all orders of headers, the installed package, the example, a call's cost."""
    package.build(main)
    env = {"CUDA_BINDINGS_LIBNVRTC": nvrtc.ensure(main).loaded["libnvrtc"],
           "CUDA_BINDINGS_TEST_HEADERS": str(headers.fetch(main, RELEASE).folder)}
    command = [main.python, "-m", "pytest", "tests/cpp/check_header.py"]
    summary.later("cpp", "cuda_bindings.hpp", command, r"\d+ (passed|failed|error)", env=env)


def test_types(summary, main, wanted):
    """mypy and pyright over stubs, examples and tests, stubtest, and what both checkers say of wrong programs."""
    main = environment.prepare(main, wanted + environment.TYPES)
    package.build(main)
    summary.later("types", "mypy", [main.python, "-m", "mypy"], r"^(Success|Found)")
    pyright = [main.python, "-m", "basedpyright", "--pythonpath", main.python]
    summary.later("types", "pyright", pyright, r"^\d+ errors?, ")
    over_tests = [main.python, "tests/types/over_tests.py"]
    summary.later("types", "mypy and pyright over all tests", over_tests, r"^mypy: .*pyright: ")
    allowed = "tests/types/stubtest_allowlist.txt"
    stubtest = [main.python, "-m", "mypy.stubtest", "cuda_bindings", "--allowlist", allowed]
    summary.later("types", "stubtest", stubtest, r"^(Success|Found|error)")
    command = [main.python, "-m", "pytest", "tests/types/check_types.py"]
    summary.later("types", "pytest on wrong programs", command, r"\d+ (passed|failed|error)")


def test_style(summary, main):
    """ruff and clang-format, where this machine has them."""
    ruff = shutil.which("ruff") or shutil.which("ruff", path=str(main.folder / "bin"))
    if ruff:
        summary.later("style", "ruff", [ruff, "check", "--output-format=concise", "."], r"passed|Found")
    formatter = shutil.which("clang-format")
    if formatter and (places.ROOT / ".clang-format").exists():
        by_hand = ("generator", "bindings/native", "emulator", "tests", "examples", "benchmarks")
        found = [path for folder in by_hand for path in sorted((places.ROOT / folder).rglob("*.[ch]pp"))]
        sources = [path for path in found if not {"golden", "generated"}.intersection(path.parts)]
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
