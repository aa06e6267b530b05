# SPDX-License-Identifier: Apache-2.0
"""Whether this machine has a GPU with a driver: asked before anything is built, so that the first line can say so."""

import ctypes
import os

# Where a driver lies that the loader does not find by itself: Windows Subsystem for Linux.
PLACES = ("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")


def why_none():
    """None where a GPU answers, else the reason in a few words."""
    named = os.environ.get("CUDA_BINDINGS_LIBCUDA")
    library = first_library([named] if named else PLACES)
    if library is None:
        return f"{named} cannot be opened" if named else "no CUDA driver was found"
    status = library.cuInit(0)
    if status:
        return f"the CUDA driver finds no GPU (cuInit says {status})"
    count = ctypes.c_int()
    status = library.cuDeviceGetCount(ctypes.byref(count))
    return None if not status and count.value else "the CUDA driver has no GPU"


def first_library(paths):
    """The first library of the list that opens."""
    for path in paths:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None
