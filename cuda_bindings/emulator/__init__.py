# SPDX-License-Identifier: Apache-2.0
"""The emulated device: a CUDA device of compute capability 8.0 that executes PTX on the CPU. Opt-in, never automatic.

Select it with the variable CUDA_BINDINGS_DEVICE=emulated or with `enable()` before the first driver call.
From a shell: `python -m cuda_bindings.emulator run CMD...`, `--coverage`, `--bench`. See docs/emulator.md.
"""

from __future__ import annotations

import ctypes

from cuda_bindings import _native

__all__ = ["coverage", "enable", "is_enabled", "library"]


def enable() -> None:
    """Make all driver and runtime calls of this process go to the emulated device.

    RuntimeError is raised where another driver or runtime library is in use already, or named in CUDA_BINDINGS_LIBCUDA
    or CUDA_BINDINGS_LIBCUDART. Calling it again is harmless.
    """
    _native.select_emulated_device()


def is_enabled() -> bool:
    """Return whether the driver library in use is the emulated device; False before the first driver call."""
    path = _native.loaded_library_path("driver")
    if path is None:
        return False
    return hasattr(ctypes.CDLL(path), "cuda_bindings_emulator_coverage")


def library() -> str:
    """Return the file of the emulated device: it has libcuda's interface."""
    return _native.emulated_library("driver")


def coverage() -> dict[str, bool]:
    """Return every driver function by its exported name, and whether it is implemented.

    The others return CUDA_ERROR_NOT_SUPPORTED.
    """
    visitor = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p)
    functions: dict[str, bool] = {}

    def visit(name: bytes, implemented: int, _: int | None) -> None:
        functions[name.decode()] = bool(implemented)

    ctypes.CDLL(library()).cuda_bindings_emulator_coverage(visitor(visit), None)
    return functions
