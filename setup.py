# SPDX-License-Identifier: Apache-2.0
"""Builds the extension modules from the committed sources: Cython for three of them, then the compiler for all.

Needs neither CUDA headers nor libclang. The flags are ours alone, not those that the interpreter was built with.
Variables: CXX (g++), CXXFLAGS and LDFLAGS (appended), CUDA_BINDINGS_JOBS (2).
"""

import os
import re
import shlex
import subprocess
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CYTHON_MODULES = ("driver", "runtime", "nvrtc")
PLAIN_MODULES = ("cydriver", "cyruntime", "cynvrtc")  # generated C++, no Cython
NOT_COMPILED = {"abi_checks"}  # needs NVIDIA's headers; the tests compile it
INCLUDES = ("bindings", "bindings/generated", "cuda_bindings/include")
COMPILE = ("-std=c++20", "-O2", "-g0", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-ffunction-sections",
           "-fdata-sections", "-Wall", "-pthread")
LINK = ("-shared", "-pthread", "-Wl,-s", "-Wl,--gc-sections", "-Wl,-O1", "-Wl,--as-needed", "-Wl,-z,relro", "-ldl")
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


class BuildExtensions(build_ext):
    """Compiles all sources of all modules side by side, then links each module."""

    one_cython = threading.Lock()  # Cython keeps global state; the compiler runs beside it

    def build_extensions(self):
        objects = Path(self.build_temp) / sysconfig.get_config_var("SOABI")
        sources = {source: None for extension in self.extensions for source in extension.sources}
        # The big files first: what is long must not start last.
        ordered = sorted(sources, key=lambda source: -os.path.getsize(source))
        jobs = int(os.environ.get("CUDA_BINDINGS_JOBS", "2"))
        with ThreadPoolExecutor(jobs) as pool:
            try:
                outputs = pool.map(lambda source: self.compile_source(source, objects), ordered)
                compiled = dict(zip(ordered, outputs, strict=True))
            finally:
                pool.shutdown(cancel_futures=True)  # after an error, what has not begun is not worth its minutes
        for extension in self.extensions:
            target = Path(self.get_ext_fullpath(extension.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            self.call([*compiler(), *(compiled[source] for source in extension.sources), "-o", str(target), *LINK,
                       *shlex.split(os.environ.get("LDFLAGS", ""))])

    def compile_source(self, source, objects):
        """The object file of a source; compiled again only where the source or a header is newer."""
        output = objects / Path(source).with_suffix(".o")
        output.parent.mkdir(parents=True, exist_ok=True)
        if source.endswith(".pyx"):
            with self.one_cython:
                source = self.cythonize(source, objects)
        includes = [*INCLUDES, sysconfig.get_path("include")]
        command = [*compiler(), *COMPILE, *(f"-I{folder}" for folder in includes), "-MMD", "-c", source, "-o",
                   str(output), *shlex.split(os.environ.get("CXXFLAGS", ""))]
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
