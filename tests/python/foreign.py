# SPDX-License-Identifier: Apache-2.0
"""Calls function pointers as CUDA does: from a thread that Python has not made."""

from __future__ import annotations

import ctypes

libc = ctypes.CDLL(None)
libc.pthread_create.argtypes = [ctypes.POINTER(ctypes.c_ulong), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]


def start(code: int, user_data: int) -> int:
    """Starts a thread of the C library that calls `void code(void *)`; what pthread_join wants."""
    thread = ctypes.c_ulong()
    assert libc.pthread_create(ctypes.byref(thread), None, code, user_data) == 0
    return thread.value


def join(thread: int) -> None:
    """Waits for such a thread, without the GIL."""
    assert libc.pthread_join(thread, None) == 0


def call(code: int, user_data: int) -> None:
    """Calls `void code(void *)` on a thread of its own, and waits."""
    join(start(code, user_data))


def function(result, *arguments):
    """The ctypes prototype by which a test calls a function pointer itself."""
    return ctypes.CFUNCTYPE(result, *arguments)
