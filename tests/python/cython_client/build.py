# SPDX-License-Identifier: Apache-2.0
"""Compiles a .pyx against the package's .pxd files and types header: C or C++, with or without NVIDIA's headers."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import cuda_bindings

PACKAGE = Path(cuda_bindings.__file__).resolve().parent


def toolkit_headers() -> list[Path]:
    """Folders with NVIDIA's cuda.h and cuda_runtime_api.h that this machine has."""
    roots = [os.environ.get(name, "") for name in ("CUDA_BINDINGS_TEST_HEADERS", "CUDA_HOME", "CUDA_PATH")]
    folders = [Path(root) / "include" for root in roots if root] + [Path(root) for root in roots if root]
    folders += [Path(entry) / "nvidia" / "cu13" / "include" for entry in sys.path if entry]
    folders += [Path("/usr/local/cuda/include")]
    complete = ("cuda.h", "cuda_runtime_api.h", "nvrtc.h", "crt/host_defines.h")
    return [folder for folder in folders if all((folder / header).is_file() for header in complete)]


def build(source: Path, folder: Path, headers: Path | None = None, cplus: bool = False) -> Path:
    """The folder that holds the extension module; `headers`: take types from NVIDIA's headers there."""
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / (source.stem + (".cpp" if cplus else ".c"))
    flags = ["--cplus"] if cplus else []
    cython = [sys.executable, "-m", "cython", "-3", *flags, "-I", str(PACKAGE.parent), str(source), "-o", str(text)]
    subprocess.run(cython, check=True, cwd=folder)
    compiler = shlex.split(os.environ.get("CXX", "g++") if cplus else os.environ.get("CC", "gcc"))
    includes = [f"-I{PACKAGE / 'include'}", f"-I{sysconfig.get_path('include')}"]
    if headers is not None:
        includes += ["-DCUDA_BINDINGS_USE_CUDA_H", "-isystem", str(headers)]
    target = folder / (source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
    subprocess.run([*compiler, "-O0", "-fPIC", "-shared", *includes, str(text), "-o", str(target)], check=True)
    return folder
