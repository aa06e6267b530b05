# SPDX-License-Identifier: Apache-2.0
"""Builds the extension modules and the emulated device from the committed sources: Cython for three, then the compiler.

Needs neither CUDA headers nor libclang. The flags are ours alone, not those that the interpreter was built with.
Variables: CXX (g++), CXXFLAGS and LDFLAGS (appended), CUDA_BINDINGS_JOBS (one per processor), CUDA_BINDINGS_PARTS:
"all", or "modules" for a build without the emulated device whose modules keep their symbols, as sanitizers want them.
"""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CYTHON_MODULES = ("driver", "runtime", "nvrtc")
PLAIN_MODULES = ("cydriver", "cyruntime", "cynvrtc")  # generated C++, no Cython
NOT_COMPILED = {"abi_checks"}  # needs NVIDIA's headers; the tests compile it
INCLUDES = ("bindings", "bindings/generated", "cuda_bindings/include")
COMPILE = ("-std=c++20", "-O2", "-g0", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-ffunction-sections",
           "-fdata-sections", "-Wall", "-pthread")
MODULES_ALONE = os.environ.get("CUDA_BINDINGS_PARTS", "all") == "modules"
STRIP = () if MODULES_ALONE else ("-Wl,-s",)
LINK = ("-shared", "-pthread", *STRIP, "-Wl,--gc-sections", "-Wl,-O1", "-Wl,--as-needed", "-Wl,-z,relro",
        "-Wl,-z,noseparate-code", "-Wl,--hash-style=gnu", "-ldl")
EMULATOR_LAYERS = ("common", "ptx", "memory", "decode", "machine", "driver", "generated")
COLD = ("common", "ptx", "decode", "driver", "generated")  # not run once a kernel runs: small is better than fast
EMULATOR = "libcuda_bindings_emulator.so"
EMULATOR_RUNTIME = "libcuda_bindings_emulator_runtime.so"
DIRECTIVES = {"language_level": 3, "embedsignature": False, "binding": True}


def extensions():
    """The modules of the package with their sources."""
    generated = Path("bindings/generated")
    apart = NOT_COMPILED.union(PLAIN_MODULES, CYTHON_MODULES)
    native = sorted(Path("bindings/native").glob("*.cpp"))
    tables = sorted(path for path in generated.glob("*.cpp") if path.stem not in apart)
    yield Extension("cuda_bindings._native", [str(path) for path in native + tables])
    for names, suffix in ((CYTHON_MODULES, ".pyx"), (PLAIN_MODULES, ".cpp")):
        for name in names:
            yield Extension(f"cuda_bindings.{name}", [str(generated / (name + suffix))])


class Unit(NamedTuple):
    """A source of the emulated device with its own flags and object file."""

    source: Path
    flags: tuple[str, ...]
    output: Path


def emulator_units(objects):
    """The sources of the device's two libraries, by library. Op files are compiled once per instruction set.

    Baseline comes first: where two variants share an inline function, the linker keeps the one that runs everywhere.
    """
    if MODULES_ALONE:
        return {}
    root = Path("emulator")
    flags = json.loads((root / "flags.json").read_text())

    def units(folder, variant, more):
        for source in sorted((root / folder).glob("*.cpp")):
            own = flags["files"].get(f"{folder}/{source.name}", [])
            output = objects / variant / source.relative_to(root).with_suffix(".o")
            yield Unit(source, (*flags["all"], *more, *own, "-Iemulator"), output)

    device = [unit for layer in EMULATOR_LAYERS for unit in units(layer, "", flags["cold"] if layer in COLD else [])]
    device += units("ops", "baseline", [*flags["ops"], "-DEMULATOR_ISA=baseline"])
    if platform.machine().lower() in ("x86_64", "amd64"):
        device += units("ops", "avx2", [*flags["ops"], *flags["avx2"], "-DEMULATOR_ISA=avx2"])
    return {EMULATOR: device, EMULATOR_RUNTIME: list(units("runtime", "", []))}


class BuildExtensions(build_ext):
    """Compiles all sources of all modules and of the emulated device side by side, then links each library."""

    one_cython = threading.Lock()  # Cython keeps global state; the compiler runs beside it

    def build_extensions(self):
        objects = Path(self.build_temp) / sysconfig.get_config_var("SOABI")
        libraries = emulator_units(Path(self.build_temp).parent / "emulator")  # the same for every Python
        sources = [source for extension in self.extensions for source in extension.sources]
        work = [(source, lambda source=source: self.compile_source(source, objects)) for source in sources]
        work += [(unit.source, lambda unit=unit: self.compile_unit(unit)) for units in libraries.values()
                 for unit in units]
        # The big files first: what is long must not start last.
        work.sort(key=lambda item: -os.path.getsize(item[0]))
        jobs = int(os.environ.get("CUDA_BINDINGS_JOBS") or default_jobs())
        with ThreadPoolExecutor(jobs) as pool:
            try:
                done = pool.map(lambda item: (item[0], item[1]()), work)
                compiled = dict(done)
            finally:
                pool.shutdown(cancel_futures=True)  # after an error, what has not begun is not worth its minutes
        for extension in self.extensions:
            self.link(Path(self.get_ext_fullpath(extension.name)), [compiled[source] for source in extension.sources])
        if libraries:
            self.link_emulator(libraries, Path(self.get_ext_fullpath("cuda_bindings._native")).parent)

    def link_emulator(self, libraries, package):
        """Links the two libraries of the emulated device."""
        device = package / EMULATOR
        self.link(device, [unit.output for unit in libraries[EMULATOR]], f"-Wl,-soname,{EMULATOR}",
                  "-Wl,--version-script=emulator/driver/exports.map", "-Wl,-z,nodelete")  # its threads stay
        self.link(package / EMULATOR_RUNTIME, [unit.output for unit in libraries[EMULATOR_RUNTIME]],
                  f"-Wl,-soname,{EMULATOR_RUNTIME}", str(device), "-Wl,-rpath,$ORIGIN")

    def copy_extensions_to_source(self):
        """The modules, as setuptools does it for --inplace, and the emulated device beside them."""
        super().copy_extensions_to_source()
        if MODULES_ALONE:
            return
        built = Path(self.build_lib) / "cuda_bindings"
        package = Path(self.get_finalized_command("build_py").get_package_dir("cuda_bindings"))
        for name in (EMULATOR, EMULATOR_RUNTIME):
            new = package / (name + ".new")
            shutil.copy2(built / name, new)
            new.replace(package / name)  # whole, for a process may be using the old one

    def link(self, target, objects, *more):
        """Links one shared library. It is put in place whole: a process may be using the old one."""
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.with_name(target.name + ".new")
        self.call([*compiler(), *map(str, objects), "-o", str(made), *more, *LINK,
                   *shlex.split(os.environ.get("LDFLAGS", ""))])
        made.replace(target)

    def compile_source(self, source, objects):
        """The object file of a module's source."""
        output = objects / Path(source).with_suffix(".o")
        output.parent.mkdir(parents=True, exist_ok=True)
        flags = [f"-I{folder}" for folder in (*INCLUDES, sysconfig.get_path("include"))]
        if source.endswith(".pyx"):
            flags.append("-fno-exceptions")  # nothing there throws; landing pads would be a tenth of the code
            with self.one_cython:
                source = self.cythonize(source, objects)
        return self.compile(source, output, flags)

    def compile_unit(self, unit):
        """The object file of a source of the emulated device."""
        unit.output.parent.mkdir(parents=True, exist_ok=True)
        return self.compile(str(unit.source), unit.output, [*unit.flags, "-Icuda_bindings/include"])

    def compile(self, source, output, flags):
        """Compiles a source; again only where it or a header is newer, or the command another."""
        command = [*compiler(), *COMPILE, *flags, "-MMD", "-c", source, "-o", str(output),
                   *shlex.split(os.environ.get("CXXFLAGS", ""))]
        text = output.with_suffix(".command")
        same = text.exists() and text.read_text() == shlex.join(command)
        if self.force or not same or not newer_than_its_inputs(output):
            self.call(command)
            text.write_text(shlex.join(command))
        return str(output)

    def cythonize(self, source, objects):
        """The C++ file that Cython makes of a .pyx."""
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError

        module = Extension("cuda_bindings." + Path(source).stem, [source], language="c++")
        try:
            built = cythonize([module], build_dir=str(objects), include_path=["bindings/native", "bindings/generated"],
                              compiler_directives=DIRECTIVES, force=self.force, quiet=True)
        except CompileError as error:
            raise SystemExit(f"failed: Cython on {source}") from error
        return built[0].sources[0]

    def call(self, command):
        """Runs the compiler; the command is shown where it fails."""
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stderr and (done.returncode or self.verbose):
            print(done.stderr, flush=True)
        if done.returncode:
            raise SystemExit(f"failed: {shlex.join(command)}")


def default_jobs():
    """One compiler per processor, where each has a gigabyte of memory."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(16, len(os.sched_getaffinity(0)), memory >> 30))


def compiler():
    """The C++ compiler's command."""
    return shlex.split(os.environ.get("CXX", "g++"))


def newer_than_its_inputs(output):
    """Whether an object file is newer than every file that its dependency list names."""
    listed = output.with_suffix(".d")
    if not output.exists() or not listed.exists():
        return False
    names = re.sub(r"\\\n", " ", listed.read_text()).split(":", 1)[1].split()
    made = output.stat().st_mtime
    return all(os.path.exists(name) and os.path.getmtime(name) <= made for name in names)


setup(ext_modules=list(extensions()), cmdclass={"build_ext": BuildExtensions})
