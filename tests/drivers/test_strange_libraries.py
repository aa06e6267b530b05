# SPDX-License-Identifier: Apache-2.0
"""Files that are no library, libraries that are no driver, versions that are none: errors say so, nothing crashes."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

MODULES = ("driver", "runtime", "nvrtc")
FILES = {"driver": "libcuda.so.1", "runtime": "libcudart.so.13", "nvrtc": "libnvrtc.so.13"}
VARIABLES = {"driver": "CUDA_BINDINGS_LIBCUDA", "runtime": "CUDA_BINDINGS_LIBCUDART", "nvrtc": "CUDA_BINDINGS_LIBNVRTC"}
INSTALL = " To have it, install the CUDA libraries beside this package: pip install 'open-cuda-bindings[cuda13]'."
# Root may open any file; a process that may not override permissions is what users have.
WITHOUT_PRIVILEGE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
held = (ctypes.c_uint32 * 6)()
assert libc.capget(header, held) == 0
for index in (0, 3):
    held[index] &= ~0b110   # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
assert libc.capset(header, held) == 0
"""


def whole(path: Path, library: bytes) -> None:
    """The library as it is."""
    path.write_bytes(library)


def no_file(path: Path, library: bytes) -> None:
    """Nothing there."""


def empty_file(path: Path, library: bytes) -> None:
    """A file without contents."""
    path.write_bytes(b"")


def text_file(path: Path, library: bytes) -> None:
    """A linker script, as development packages have them under such names."""
    path.write_text("INPUT(libcuda.so.2)\n")


def folder(path: Path, library: bytes) -> None:
    """A folder of that name."""
    path.mkdir()


def named_pipe(path: Path, library: bytes) -> None:
    """A pipe, whose reader waits for a writer."""
    os.mkfifo(path)


def link_to_nothing(path: Path, library: bytes) -> None:
    """A dangling link, as an uninstalled driver leaves it."""
    path.symlink_to(path.parent / "gone")


def unreadable_file(path: Path, library: bytes) -> None:
    """A library without read permission."""
    path.write_bytes(library)
    path.chmod(0)


def truncated(part: float) -> Callable[[Path, bytes], object]:
    """A download that broke off: behind the headers, or in the middle of what is mapped."""
    return lambda path, library: path.write_bytes(library[:int(len(library) * part)]) and None


def header_only(path: Path, library: bytes) -> None:
    """The ELF header alone."""
    path.write_bytes(library[:64])


def part_of_header(path: Path, library: bytes) -> None:
    """Less than the ELF header."""
    path.write_bytes(library[:40])


def of_machine(machine: int) -> Callable[[Path, bytes], object]:
    """The same library with another machine in its header."""
    return lambda path, library: path.write_bytes(library[:18] + struct.pack("<H", machine) + library[20:]) and None


def of_32_bits(path: Path, library: bytes) -> None:
    """A 32-bit library's header."""
    path.write_bytes(library[:4] + b"\x01" + library[5:])


def object_file(path: Path, library: bytes) -> None:
    """An object file, not yet linked."""
    path.write_bytes(library[:16] + struct.pack("<H", 1) + library[18:])


STRANGE = [
    (no_file, "no such file"),
    (empty_file, "an empty file"),
    (text_file, "not a library (no ELF file)"),
    (folder, "a folder, not a library"),
    (named_pipe, "not a regular file"),
    (link_to_nothing, "no such file"),
    (unreadable_file, "Permission denied"),
    (truncated(0.05), "cut off: "),
    (truncated(0.25), "cut off: "),
    (header_only, "cut off: 64 bytes of at least "),
    (part_of_header, "cut off: 40 bytes of at least 64"),
    (of_machine(183 if os.uname().machine == "x86_64" else 62), "made for another machine (ELF machine "),
    (of_machine(3), "made for another machine (ELF machine 3, this one is "),
    (of_32_bits, "made for another machine (not 64-bit)"),
    (object_file, "not a shared library"),
]
IDS = ["no file", "empty", "text", "folder", "pipe", "dangling link", "no permission", "cut early", "cut in the middle",
       "header only", "part of a header", "other machine", "i386", "32 bits", "object file"]


def at(path: Path, make: Callable[[Path, bytes], object], library: str) -> str:
    """Puts something in the place of a library."""
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path, Path(library).read_bytes())
    return str(path)


@pytest.mark.parametrize(("make", "outcome"), STRANGE, ids=IDS)
def test_named_file_that_is_no_library_is_an_error_of_every_function(make, outcome, tmp_path, libraries, play):
    chosen = {module: at(tmp_path / FILES[module], make, path) for module, path in
              libraries.all_of_release("13.0").items()}
    places = {module: f"{path} ({VARIABLES[module]})" for module, path in chosen.items()}
    before = WITHOUT_PRIVILEGE if make is unreadable_file else ""
    answer = play(f"without_library({places!r}, {outcome!r})", chosen, before=before)
    assert answer == "{'worked': 0, 'missing': 839, 'older': 0} as expected"


# A pipe on the dynamic linker's own path is for the dynamic linker, which waits for its writer.
SEARCHED = [(row, name) for row, name in zip(STRANGE, IDS, strict=True) if row[0] not in (no_file, named_pipe)]


@pytest.mark.parametrize(("make", "outcome"), [row for row, _ in SEARCHED], ids=[name for _, name in SEARCHED])
def test_search_passes_over_what_is_no_library(make, outcome, tmp_path, libraries, play):
    # Wheels for NVRTC, a toolkit for libcudart, the dynamic linker's path for libcuda: strange in front, whole behind.
    good = libraries.all_of_release("13.0")
    first = {"driver": tmp_path / "first", "runtime": tmp_path / "home" / "lib64",
             "nvrtc": tmp_path / "site" / "nvidia" / "cu13" / "lib"}
    second = {"driver": tmp_path / "second", "runtime": tmp_path / "path" / "lib64",
              "nvrtc": tmp_path / "path" / "lib64"}
    found = {}
    for module in MODULES:
        at(first[module] / FILES[module], make, good[module])
        found[module] = at(second[module] / FILES[module], whole, good[module])
    answer = play(f"found({found!r})", {}, (tmp_path / "site",),
                  before=WITHOUT_PRIVILEGE if make is unreadable_file else "",
                  CUDA_HOME=str(tmp_path / "home"), CUDA_PATH=str(tmp_path / "path"),
                  LD_LIBRARY_PATH=f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    report = dict(eval(answer))
    assert report.pop("found") == found
    # What is no file at all is not looked at closer where folders are searched: "not there".
    for module, outcomes in report.items():
        place = str(first[module] / FILES[module])
        seen = [text for where, text in outcomes if where.startswith(place)]
        assert all(text.startswith(outcome) for text in seen), (module, seen)
        assert seen or make in (folder, link_to_nothing), module


def test_libraries_without_any_symbol_say_what_they_lack(tmp_path, libraries, play):
    chosen = {module: libraries.lacking(module, {"*"}) for module in MODULES}
    answer = play(f"empty({chosen!r}, {INSTALL!r})", chosen)
    assert answer == "{'worked': 3, 'missing': 836, 'older': 0} as expected"


def test_driver_without_any_symbol_leaves_the_runtime_and_nvrtc_alone(libraries, play):
    chosen = {**libraries.all_of_release("13.0"), "driver": libraries.lacking("driver", {"*"})}
    answer = play(f"others_work({chosen!r})", chosen)
    assert answer == "{'worked': 354, 'missing': 0, 'older': 0} as expected"


def test_library_that_answers_as_a_stub_is_refused_by_its_path(libraries, play):
    chosen = libraries.all_of_release("13.0")
    places = {"driver": f"{chosen['driver']} (CUDA_BINDINGS_LIBCUDA)"}
    refusal = "refused: a stub, not a driver (CUDA_ERROR_STUB_LIBRARY)"
    answer = play(f"without_library({places!r}, {refusal!r})", chosen, FAKE_STATUS="34")
    assert answer == "{'worked': 0, 'missing': 485, 'older': 0} as expected"


@pytest.mark.parametrize(("claimed", "version"), [
    ("0", None), ("-1", None), ("-2147483648", None), ("1", 1), ("13000", 13000), ("2147483647", 2147483647)])
def test_functions_work_whatever_version_the_driver_claims(claimed, version, libraries, play):
    chosen = libraries.all_of_release("13.0")
    answer = play(f"driver_of_version({chosen!r})", chosen, FAKE_VERSION=claimed)
    assert answer == f"{version} {{'worked': 485, 'missing': 0, 'older': 0}} as expected"


@pytest.mark.parametrize(("claimed", "text"), [
    ("0", "of an unknown release"), ("-1", "of an unknown release"), ("12040", "12.4"), ("14000", "14.0"),
    ("2147483647", "2147483.64")])
def test_missing_function_tells_the_release_found_as_far_as_it_is_known(claimed, text, libraries, play):
    # In none of the releases is the symbol missing for its age alone, but in 12.4.
    named = libraries.lacking("driver", {"cuCheckpointProcessLock"})
    answer = play("one_missing()", {"driver": named}, FAKE_VERSION=claimed)
    expected = (f"CUDA 12.8 introduced it, and the CUDA driver found is 12.4 ({named})" if claimed == "12040" else
                f"the CUDA driver found is {text} ({named}) and does not export cuCheckpointProcessLock, "
                "which CUDA 12.8 introduced")
    assert answer == f"cuCheckpointProcessLock() is not available: {expected}."


def test_missing_twin_is_named_as_such(libraries, play):
    named = libraries.lacking("driver", {"cuStreamSynchronize_ptsz"})
    answer = play("one_missing('cuStreamSynchronize', 0)", {"driver": named},
                  CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM="1")
    assert answer == (f"cuStreamSynchronize() is not available: the CUDA driver found is 13.0 ({named}) and does not "
                      "export cuStreamSynchronize_ptsz, which CUDA 2.0 introduced.")
