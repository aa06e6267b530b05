#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the fake libraries with one compiler call each, and variants that lack functions or claim another release.

    python tests/fake/build.py        build/fake/libfakecuda.so, libfakecudart.so, libfakenvrtc.so, where out of date
    FAKE_LIBRARIES=DIR python ...     the same into DIR
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUTPUT = Path(os.environ.get("FAKE_LIBRARIES", ROOT / "build" / "fake"))
# module: library file, and the name under which the real one is known to the dynamic linker
LIBRARIES = {
    "driver": ("libfakecuda.so", "libcuda.so.1"),
    "runtime": ("libfakecudart.so", "libcudart.so.13"),
    "nvrtc": ("libfakenvrtc.so", "libnvrtc.so.13"),
}
INCLUDES = [f"-I{HERE}", f"-I{ROOT / 'cuda_bindings' / 'include'}"]
COMPILE = ["-std=c++20", "-O0", "-g1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]


def compiler() -> list[str]:
    """The C++ compiler's command."""
    return shlex.split(os.environ.get("CXX", "g++"))


def _sources(module: str) -> list[Path]:
    return [HERE / "fake.cpp", HERE / "generated" / f"fake_{module}.cpp"]


def _is_new(target: Path, inputs: Iterable[Path]) -> bool:
    return target.exists() and all(path.stat().st_mtime <= target.stat().st_mtime for path in inputs)


def compile_objects(folder: Path = OUTPUT) -> None:
    """Compiles what is out of date, two files at a time."""
    headers = [HERE / "fake.hpp", ROOT / "cuda_bindings" / "include" / "cuda_bindings" / "cuda_types.h"]
    sources = {source for module in LIBRARIES for source in _sources(module)}
    folder.mkdir(parents=True, exist_ok=True)
    pending = []
    for source in sorted(sources, key=lambda path: -path.stat().st_size):
        target = folder / (source.stem + ".o")
        if not _is_new(target, [source, *headers]):
            pending.append([*compiler(), *COMPILE, *INCLUDES, "-c", str(source), "-o", str(target)])
    running: list[subprocess.Popen[bytes]] = []
    failed = False
    for command in pending:
        if len(running) == 2:
            failed |= running.pop(0).wait() != 0
        running.append(subprocess.Popen(command))
    failed |= any([process.wait() != 0 for process in running])
    if failed:
        raise SystemExit("the fake libraries cannot be compiled")


def link(module: str, target: Path, missing: Iterable[str] = (), soname: str | None = None,
         more: Iterable[str] = ()) -> Path:
    """Links one library; `missing` are link names that it is not to export ("*": all), `more` are functions without
    parameters that it has besides. compile_objects() comes first."""
    objects = [str(OUTPUT / (source.stem + ".o")) for source in _sources(module)]
    target.parent.mkdir(parents=True, exist_ok=True)
    added = target.with_suffix(".more.cpp")
    added.write_text('#include "fake.hpp"\nextern "C" {\n' + "".join(
        f'FAKE_EXPORT int {name}() {{\n  std::uint64_t none = 0;\n'
        f'  return static_cast<int>(fake_call("{name}", &none, 0));\n}}\n'
        for name in sorted(more)) + "}\n")
    hidden = "".join(f"{name};" for name in missing)
    script = target.with_suffix(".map")
    kept = "" if "*" in missing else "global: *; "
    script.write_text("{ " + kept + (f"local: {hidden} " if hidden else "") + "};\n")
    arguments = ["-shared", f"-Wl,-soname,{soname or LIBRARIES[module][1]}", f"-Wl,--version-script={script}"]
    sources = [*COMPILE, *INCLUDES, str(added)] if more else []
    subprocess.run([*compiler(), *sources, *arguments, *objects, "-o", str(target), "-pthread"], check=True)
    script.unlink()
    added.unlink()
    return target


def build() -> None:
    """Brings the three libraries up to date."""
    compile_objects()
    for module, (name, _) in LIBRARIES.items():
        target = OUTPUT / name
        objects = [OUTPUT / (source.stem + ".o") for source in _sources(module)]
        if not _is_new(target, [*objects, HERE / "build.py"]):
            link(module, target)


if __name__ == "__main__":
    sys.exit(build())
