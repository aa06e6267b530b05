# SPDX-License-Identifier: Apache-2.0
"""What importing opens: traced from outside, with libraries lying in every place where they are looked for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import cuda_bindings

PACKAGE = Path(cuda_bindings.__file__).resolve().parents[1]
MODULES = "cuda_bindings, cuda_bindings.driver, cuda_bindings.runtime, cuda_bindings.nvrtc, cuda_bindings.cydriver"
# CUDA's libraries by any name, the emulated device, and the folders of toolkits and wheels.
OF_CUDA = re.compile(r"libcuda|libcudart|libnvrtc|/usr/local/cuda|/nvidia/|/a_toolkit/|/dev/nvidia|/proc/driver")


def traced(code: str, tmp_path: Path, **variables: str) -> list[str]:
    """Every file name that a Python process hands to the kernel."""
    trace = tmp_path / "trace"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "CONDA_", "LD_"))}
    environment.update(variables, PYTHONPATH=f"{PACKAGE}:{tmp_path / 'site'}")
    command = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=file", "-o", str(trace), sys.executable, "-c", code]
    subprocess.run(command, env=environment, check=True)
    return [name for line in trace.read_text(errors="replace").splitlines() for name in re.findall(r'"([^"]*)"', line)]


def test_import_looks_at_no_library_and_no_folder_of_cuda(tmp_path, libraries):
    paths = libraries.all_of_release("13.0")
    wheel = tmp_path / "site" / "nvidia" / "cu13" / "lib"
    wheel.mkdir(parents=True)
    for name, module in (("libcudart.so.13", "runtime"), ("libnvrtc.so.13", "nvrtc")):
        (wheel / name).symlink_to(paths[module])
    variables = {"CUDA_BINDINGS_LIBCUDA": str(tmp_path / "a_toolkit" / "libcuda.so.1"),
                 "CUDA_HOME": str(tmp_path / "a_toolkit"), "CUDA_PATH": str(tmp_path / "a_toolkit"),
                 "CONDA_PREFIX": str(tmp_path / "a_toolkit")}
    names = traced(f"import {MODULES}", tmp_path, **variables)
    assert any("_native" in name for name in names), "the trace shows the package itself"
    assert [name for name in names if OF_CUDA.search(name)] == []


def test_the_trace_shows_a_library_once_a_function_is_called(tmp_path, libraries):
    named = libraries.of_release("driver", "13.0")
    names = traced("from cuda_bindings import driver\ndriver.cuInit(0)", tmp_path, CUDA_BINDINGS_LIBCUDA=named)
    assert named in names
