# SPDX-License-Identifier: Apache-2.0
"""Helpers beside the three APIs: native handles, PTX versions, NVVM's options, a check of CUDA's major version."""

from __future__ import annotations

import glob
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from cuda_bindings.errors import LibraryNotFoundError

__all__ = [
    "check_nvvm_compiler_options",
    "get_cuda_native_handle",
    "get_minimal_required_cuda_ver_from_ptx_ver",
    "get_ptx_ver",
    "warn_if_cuda_major_version_mismatch",
]

# The CUDA release (as cuDriverGetVersion counts) that was the first to take each version of PTX.
_CUDA_OF_PTX = {
    "1.0": 1000, "1.1": 1010, "1.2": 2000, "1.3": 2010, "1.4": 2020, "1.5": 2030,
    "2.0": 3000, "2.1": 3010, "2.2": 3020, "2.3": 4000,
    "3.0": 4010, "3.1": 5000, "3.2": 5050,
    "4.0": 6000, "4.1": 6050, "4.2": 7000, "4.3": 7050,
    "5.0": 8000,
    "6.0": 9000, "6.1": 9010, "6.2": 9020, "6.3": 10000, "6.4": 10010, "6.5": 10020,
    "7.0": 11000, "7.1": 11010, "7.2": 11020, "7.3": 11030, "7.4": 11040, "7.5": 11050, "7.6": 11060, "7.7": 11070,
    "7.8": 11080,
    "8.0": 12000, "8.1": 12010, "8.2": 12020, "8.3": 12030, "8.4": 12040, "8.5": 12050, "8.6": 12070, "8.7": 12080,
    "8.8": 12090,
    "9.0": 13000, "9.1": 13010,
}  # fmt: skip

_VERSION_DIRECTIVE = re.compile(r"^\s*\.version\s+(\d+\.\d+)", re.MULTILINE)

# A program of one empty function, without pointers: every libNVVM takes its text.
_EMPTY_IR = """target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-\
v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
define void @f() {{ ret void }}
!nvvmir.version = !{{!0}}
!0 = !{{i32 {}, i32 {}, i32 {}, i32 {}}}
"""

_mismatch_checked = False


def get_cuda_native_handle(obj: Any) -> int:
    """Return the pointer that a handle of the driver or runtime module stands for.

    The exact classes of pointer handles are taken; integer-likes and nvrtcProgram raise TypeError.
    """
    from cuda_bindings import _native

    return _native.native_handle(obj)


def get_ptx_ver(ptx: str) -> str:
    """Return the version that PTX text states, such as "8.8"."""
    found = _VERSION_DIRECTIVE.search(ptx)
    if found is None:
        raise ValueError("the PTX text has no .version directive")
    return found.group(1)


def get_minimal_required_cuda_ver_from_ptx_ver(ptx_version: str) -> int:
    """Return the first CUDA release whose driver takes a version of PTX: 12090 for "8.8"."""
    try:
        return _CUDA_OF_PTX[ptx_version]
    except KeyError:
        known = f"{next(iter(_CUDA_OF_PTX))} to {list(_CUDA_OF_PTX)[-1]}"
        raise ValueError(f"PTX version {ptx_version!r} is not known; known are {known}") from None


def _libnvvm_candidates() -> Iterator[str]:
    """Where libNVVM may lie: the wheels beside us, the toolkit, the system."""
    yield "libnvvm.so.4"
    for folder in sys.path:
        yield from sorted(glob.glob(os.path.join(glob.escape(folder or "."), "nvidia/*/nvvm/lib64/libnvvm.so*")))
        yield from sorted(glob.glob(os.path.join(glob.escape(folder or "."), "nvidia/*/lib/libnvvm.so*")))
    for root in (os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if root:
            yield os.path.join(root, "nvvm/lib64/libnvvm.so")


def _load_libnvvm() -> Any:
    import ctypes

    tried: list[tuple[str, str]] = []
    for path in _libnvvm_candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append((path, str(error)))
    places = "".join(f"\n  {path}: {outcome}" for path, outcome in tried)
    message = f"libnvvm was not found; tried{places}"
    raise LibraryNotFoundError(message, "libnvvm", "check_nvvm_compiler_options", tuple(tried))


def check_nvvm_compiler_options(options: Sequence[str | bytes]) -> bool:
    """Return whether the installed libNVVM compiles with these options, such as ["-arch=compute_90", "-opt=3"].

    An empty program is compiled. LibraryNotFoundError (a RuntimeError) is raised where there is no libNVVM.
    """
    import ctypes

    if isinstance(options, (str, bytes)):
        raise TypeError(f"options must be a list of str, not {type(options).__name__}")
    texts = [option.encode() if isinstance(option, str) else bytes(option) for option in options]
    library = _load_libnvvm()
    numbers = [ctypes.c_int() for _ in range(4)]
    if library.nvvmIRVersion(*map(ctypes.byref, numbers)) != 0:
        raise RuntimeError("libNVVM does not say which version of its input language it takes")
    source = _EMPTY_IR.format(*(number.value for number in numbers)).encode()
    program = ctypes.c_void_p()
    if library.nvvmCreateProgram(ctypes.byref(program)) != 0:
        raise RuntimeError("libNVVM cannot create a program")
    try:
        if library.nvvmAddModuleToProgram(program, source, ctypes.c_size_t(len(source)), b"empty") != 0:
            raise RuntimeError("libNVVM does not take the empty program")
        array = (ctypes.c_char_p * len(texts))(*texts)
        return bool(library.nvvmCompileProgram(program, len(texts), array) == 0)
    finally:
        library.nvvmDestroyProgram(ctypes.byref(program))


def warn_if_cuda_major_version_mismatch() -> None:
    """Warn, once, if the driver is of an older CUDA major than these bindings.

    The variable CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING, set to anything but "" and "0", silences it.
    """
    global _mismatch_checked
    if _mismatch_checked or os.environ.get("CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING", "") not in ("", "0"):
        return
    from cuda_bindings import driver

    status, version = driver.cuDriverGetVersion()
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"cuDriverGetVersion failed: {status!r}")
    _mismatch_checked = True
    ours = driver.CUDA_VERSION // 1000
    if version // 1000 < ours:
        warnings.warn(
            f"cuda_bindings was made from the headers of CUDA {ours}, but the driver is of CUDA {version // 1000}: "
            "functions that it lacks raise FunctionNotFoundError",
            UserWarning,
            stacklevel=2,
        )
