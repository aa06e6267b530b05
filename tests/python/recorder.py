# SPDX-License-Identifier: Apache-2.0
"""Watches calls into the fake libraries: a Python function sees each call's argument words while they are alive."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

HOOK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64), ctypes.c_int)

Handler = Callable[[str, list[int]], int]


class Recorder:
    """Routes every call of one fake library to a handler and remembers it; the handler's result is the C result."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.fake_set_hook.argtypes = [HOOK]
        self.library.fake_set_hook.restype = None
        self.handlers: dict[str, Handler] = {}
        self.calls: list[tuple[str, list[int]]] = []
        self.failure: BaseException | None = None
        self.default = 0
        self._hook = HOOK(self._called)
        self.library.fake_set_hook(self._hook)

    def _called(self, name: bytes, words, count: int) -> int:
        # An exception cannot pass through C: keep it for check().
        try:
            link = name.decode()
            # One word more than there are parameters: the address of a record result, where there is one.
            values = [words[i] for i in range(count)]
            self.calls.append((link, values))
            handler = self.handlers.get(link)
            if handler is None:
                return self.default
            return handler(link, words[:count + 1]) or 0
        except BaseException as error:  # noqa: BLE001
            self.failure = self.failure or error
            return 0

    def reset(self) -> None:
        """Forgets calls, handlers and failures."""
        self.handlers.clear()
        self.calls.clear()
        self.failure = None
        self.default = 0

    def on(self, link: str, handler: Handler) -> None:
        """Answers calls of one link name with a handler."""
        self.handlers[link] = handler

    def status(self, link: str, code: int) -> None:
        """Answers calls of one link name with a status and no outputs."""
        self.handlers[link] = lambda name, words: code

    def check(self) -> None:
        """Raises what a handler raised."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def only(self, link: str) -> list[int]:
        """The argument words of the single call of a link name."""
        self.check()
        found = [words for name, words in self.calls if name == link]
        assert len(found) == 1, f"{link}: {len(found)} calls; seen {[name for name, _ in self.calls]}"
        return found[0]


def read(address: int, size: int) -> bytes:
    """Memory at an address."""
    assert address, "NULL where memory was expected"
    return ctypes.string_at(address, size)


def write(address: int, data: bytes) -> None:
    """Writes bytes to an address."""
    assert address, "NULL where an output was expected"
    ctypes.memmove(address, data, len(data))


def write_number(address: int, value: int, size: int) -> None:
    """Writes an integer of a given width to an address."""
    write(address, (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little"))


def u64(*values: int) -> bytes:
    """Numbers as consecutive 64-bit words."""
    return struct.pack(f"<{len(values)}Q", *values)


def i32(*values: int) -> bytes:
    """Numbers as consecutive C ints."""
    return struct.pack(f"<{len(values)}i", *values)


def signed(word: int, bits: int = 32) -> int:
    """The low bits of an argument word as a signed number."""
    word &= (1 << bits) - 1
    return word - (1 << bits) if word >> (bits - 1) else word


def unsigned(word: int, bits: int = 32) -> int:
    """The low bits of an argument word."""
    return word & ((1 << bits) - 1)


@dataclass
class Seen:
    """What one scripted function was called with: its argument words, and the memory that the script asked for."""

    words: list[int] = field(default_factory=list)
    memory: dict[int, bytes] = field(default_factory=dict)
    count: int = 0


def script(recorder: Recorder, link: str, *, status: int = 0, writes: dict[int, bytes] | None = None,
           peeks: dict[int, int] | None = None, result: int | None = None) -> Seen:
    """Scripts a function: stores bytes through output pointers (unless it fails), keeps copies of input memory."""
    seen = Seen()

    def handler(name: str, words) -> int:
        seen.count += 1
        seen.words = list(words)[:-1]
        for index, size in (peeks or {}).items():
            seen.memory[index] = read(words[index], size)
        if status == 0:
            for index, data in (writes or {}).items():
                write(words[index], data)
        return status if result is None else result
    recorder.on(link, handler)
    return seen
