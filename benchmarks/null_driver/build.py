# SPDX-License-Identifier: Apache-2.0
"""Builds the null driver: libcuda.so.1, libcudart.so.13 and libnvrtc.so.13 of one folder."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from null_driver import generate  # noqa: E402

FILES = {"driver": "libcuda.so.1", "runtime": "libcudart.so.13", "nvrtc": "libnvrtc.so.13"}
COMPILE = ("-std=c++20", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition", "-Wall",
           "-Wextra", "-Werror", "-shared", "-Wl,-s", "-Wl,-Bsymbolic", "-ldl")


def build(folder):
    """Brings the three libraries up to date; returns their folder."""
    generate.write(folder)
    inputs = [*HERE.glob("*.[ch]pp"), *folder.glob("*.inc"), Path(__file__)]
    newest = max(path.stat().st_mtime for path in inputs)
    for library, name in FILES.items():
        target = folder / name
        if target.exists() and target.stat().st_mtime >= newest:
            continue
        command = [*shlex.split(os.environ.get("CXX", "g++")), HERE / "null.cpp", HERE / f"answers_{library}.cpp",
                   f"-I{folder}", f'-DNULL_NAMES="names_{library}.inc"', *COMPILE, f"-Wl,-soname,{name}", "-o",
                   target.with_suffix(".new")]
        subprocess.run([os.fspath(part) for part in command], check=True)
        target.with_suffix(".new").replace(target)
    return folder
