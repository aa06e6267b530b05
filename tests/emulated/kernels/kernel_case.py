# SPDX-License-Identifier: Apache-2.0
"""What a kernel test is: a kernel, its launches, its inputs, a NumPy reference, a rule of comparison, a broken twin.

A source says `TWIN(right, wrong)` at one place of each kernel: the twin is the same kernel with the wrong text there.
Files that end in .ptx are written by hand and say `{{right|wrong}}`; their target may be `@TARGET@`.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import functools
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from device import compile_cuda

HERE = Path(__file__).resolve().parent
SEED = 20240229
POISON = 0xA5
SAMPLE = 512

EXACT, DEFAULT, FAST = "exact", "default", "fast"
OPTIONS = ("--std=c++17", "--device-int128")
MODES = {EXACT: ("-fmad=false",), DEFAULT: (), FAST: ("--use_fast_math",)}
ARCHITECTURES = ("compute_75", "compute_80")


@dataclass(frozen=True)
class Variant:
    """One way to compile: an architecture and a floating-point mode."""

    arch: str
    mode: str

    def __str__(self) -> str:
        return f"{self.arch.removeprefix('compute_')}-{self.mode}"


VARIANTS = tuple(Variant(arch, mode) for arch in ARCHITECTURES for mode in MODES)


@dataclass(frozen=True)
class Bits:
    """Equal bit by bit; `any_nan` lets every NaN stand for every other."""

    any_nan: bool = False

    def __str__(self) -> str:
        return "bits, any NaN" if self.any_nan else "bits"


@dataclass(frozen=True)
class Within:
    """At most so many units in the last place apart, or so far apart in absolute terms; NaN only with NaN."""

    ulp: float
    absolute: float = 0.0

    def __str__(self) -> str:
        return f"{self.ulp:g} ulp" + (f" or {self.absolute:g}" if self.absolute else "")


INTEGER = {EXACT: Bits(), DEFAULT: Bits(), FAST: Bits()}


def floating(default: Bits | Within, fast: Bits | Within, exact: Bits | Within = Bits()) -> dict:  # noqa: B008
    """Rules of a kernel that computes with floats: bit by bit without contraction unless said otherwise."""
    return {EXACT: exact, DEFAULT: default, FAST: fast}


@dataclass(frozen=True)
class In:
    """An array that the kernel reads."""

    array: np.ndarray


@dataclass(frozen=True)
class InOut:
    """An array that the kernel reads and writes."""

    array: np.ndarray


@dataclass(frozen=True)
class Out:
    """An array that the kernel writes; it is poisoned before."""

    dtype: type
    shape: object

    @property
    def array(self) -> np.ndarray:
        """The poisoned array."""
        filled = np.empty(self.shape, self.dtype)
        filled.reshape(-1).view(np.uint8)[:] = POISON
        return filled


def cover(n: int, block: int) -> int:
    """How many blocks cover n."""
    return -(-n // block)


@dataclass(frozen=True)
class Launch:
    """A problem's size and how it is launched; without a grid, blocks cover n."""

    n: int
    block: int | tuple = 128
    grid: int | tuple | None = None
    shared: int = 0
    cooperative: bool = False

    @property
    def blocks(self) -> int | tuple:
        """The grid."""
        return cover(self.n, self.block) if self.grid is None else self.grid

    def __str__(self) -> str:
        return f"n={self.n} grid={self.blocks} block={self.block}"


def _launch_once(run: Run) -> None:
    run.launch()


@dataclass(frozen=True, eq=False)
class Case:
    """A row: `inputs(rng, launch)` gives the kernel's arguments; `reference(launch, *arguments)` fills the outputs.

    The reference gets the arguments by value in the kernel's order and writes into the arrays of `Out` and `InOut`;
    it may return a dict of further results (what `drive` leaves in `run.extra`, `stdout`, `error`).
    Where the kernel's name is not the case's, `kernel` is that.
    """

    name: str
    source: str
    inputs: Callable
    reference: Callable
    launches: tuple[Launch, ...]
    rules: dict = field(default_factory=lambda: INTEGER)
    archs: tuple[str, ...] = ARCHITECTURES
    drive: Callable[[Run], None] = _launch_once
    prints: bool = False
    faults: bool = False
    modes: tuple[str, ...] = (EXACT, DEFAULT, FAST)
    kernel: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def independent(self) -> bool:
        """Whether launches of this case may be mixed with others'."""
        ordinary = self.drive is _launch_once and not self.prints and not self.faults
        return ordinary and not any(launch.cooperative for launch in self.launches)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """How this kernel is compiled; PTX by hand has one way."""
        if self.source.endswith(".ptx"):
            return (Variant(self.archs[0], EXACT),)
        return tuple(each for each in VARIANTS if each.arch in self.archs and each.mode in self.modes)

    def rule(self, variant: Variant, result: str) -> Bits | Within:
        """How a result is compared; a mode has one rule for all of them or a dict of rules by name."""
        rule = self.rules[variant.mode]
        return rule[result] if isinstance(rule, dict) else rule

    @functools.lru_cache(None)  # noqa: B019
    def problem(self, launch: Launch) -> tuple:
        """The arguments of a launch; the same ones at each call."""
        return tuple(self.inputs(np.random.default_rng(SEED), launch))

    @functools.lru_cache(None)  # noqa: B019
    def expected(self, launch: Launch) -> dict:
        """The results by name, as the reference has them."""
        arguments = self.problem(launch)
        values = [each.array.copy() if isinstance(each, (In, InOut, Out)) else each for each in arguments]
        with np.errstate(all="ignore"):
            extra = self.reference(launch, *values) or {}
        return {**{name: values[index] for index, name in self.output_names(arguments)}, **extra}

    def output_names(self, arguments) -> list[tuple[int, str]]:
        """Position and name of the arguments that the kernel writes; the names are those of the reference."""
        names = list(inspect.signature(self.reference).parameters)[1:]
        if len(names) != len(arguments):
            raise TypeError(f"{self.name}: the reference takes {len(names)} arguments, the inputs are {len(arguments)}")
        return [(i, name) for i, name in enumerate(names) if isinstance(arguments[i], (InOut, Out))]


def marked(text: str, broken: bool) -> str:
    """PTX by hand with its marks resolved."""
    return re.sub(r"\{\{(.*?)\|(.*?)\}\}", lambda found: found[2 if broken else 1], text)


def ptx_of(source: str, variant: Variant, broken: bool = False, target: str = "sm_80") -> bytes:
    """The PTX of a source file, or of its twin; `target` counts for hand-written files that leave it open."""
    text = (HERE / source).read_text(encoding="utf-8")
    if source.endswith(".ptx"):
        return marked(text, broken).replace("@TARGET@", target).encode()
    twin = "-DTWIN(right,wrong)=" + ("wrong" if broken else "right")
    return compile_cuda(text, variant.arch, (*OPTIONS, *MODES[variant.mode], twin))


_modules: dict = {}


def module_of(device, source: str, variant: Variant, broken: bool = False):
    """The loaded module of a source; loaded once in the life of a context."""
    key = (device.generation, source, variant, broken)
    if key not in _modules:
        target = "sm_80" if device.emulated else "sm_{}{}".format(*device.compute_capability)
        _modules[key] = device.load(ptx_of(source, variant, broken, target))
    return _modules[key]


class Run:
    """One launch of a case: its device memory, and the results it leaves."""

    def __init__(self, device, case: Case, launch: Launch, variant: Variant, broken: bool = False) -> None:
        self.device, self.case, self.at = device, case, launch
        self.module = module_of(device, case.source, variant, broken)
        self.problem = case.problem(launch)
        self.extra: dict = {}
        self.pointers = {}
        self.arguments = []
        for index, each in enumerate(self.problem):
            if isinstance(each, (In, InOut, Out)):
                self.pointers[index] = device.upload(each.array)
                self.arguments.append(self.pointers[index])
            else:
                self.arguments.append(each)

    def launch(self, kernel: str | None = None, **changes) -> None:
        """Launches a kernel (the case's own by default) with the case's arguments and launch, or changed ones."""
        at = self.at
        grid, block = changes.get("grid", at.blocks), changes.get("block", at.block)
        self.device.launch(self.module.function(kernel or self.case.kernel or self.case.name), grid, block,
                           changes.get("arguments", self.arguments), shared=changes.get("shared", at.shared),
                           cooperative=at.cooperative)

    def write_global(self, name: str, array: np.ndarray) -> None:
        """Fills a variable of the module; its size must be the array's."""
        pointer, size = self.module.global_(name)
        assert size == array.nbytes, f"{name} has {size} bytes, the array {array.nbytes}"
        self.device.write(pointer, array)

    def read_global(self, name: str, dtype, shape) -> np.ndarray:
        """A variable of the module."""
        pointer, size = self.module.global_(name)
        assert size == np.dtype(dtype).itemsize * int(np.prod(shape)), f"{name} has {size} bytes"
        return self.device.download(pointer, dtype, shape)

    def start(self) -> None:
        """Launches; the results come with finish()."""
        self.case.drive(self)

    def finish(self) -> dict:
        """Results by name, once the device is done."""
        self.device.synchronize()
        results = {name: self.device.download(self.pointers[index], self.problem[index].array.dtype,
                                              self.problem[index].array.shape)
                   for index, name in self.case.output_names(self.problem)}
        return {**results, **self.extra}

    def free(self) -> None:
        """Gives the memory back."""
        for pointer in self.pointers.values():
            self.device.free(pointer)
        self.pointers.clear()


@contextlib.contextmanager
def standard_output():
    """Yields a list that holds, after the block, the lines written to file descriptor 1."""
    flush = ctypes.CDLL(None).fflush
    lines: list[str] = []
    flush(None)
    saved = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield lines
        finally:
            flush(None)
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()


def outcome(device, case: Case, launch: Launch, variant: Variant, broken: bool = False) -> dict:
    """Runs a case once: results by name, with `stdout` for one that prints."""
    if case.faults:
        return outcome_elsewhere(case, launch, variant, broken)
    run = Run(device, case, launch, variant, broken)
    lines: list[str] = []
    with standard_output() if case.prints else contextlib.nullcontext(lines) as lines:
        run.start()
        results = run.finish()
    run.free()
    if case.prints:
        results["stdout"] = sorted(lines)
    return results


def outcome_elsewhere(case: Case, launch: Launch, variant: Variant, broken: bool) -> dict:
    """Runs a case that ends in a fault: a real GPU's context is of no use afterwards, so in a process of its own."""
    request = [case.name, str(case.launches.index(launch)), str(VARIANTS.index(variant)), str(int(broken))]
    done = subprocess.run([sys.executable, HERE / "separate.py", *request], capture_output=True, text=True, check=False,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path)))
    if done.returncode:
        raise RuntimeError(f"{' '.join(request)} ended with status {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def ordered(array: np.ndarray) -> np.ndarray:
    """Floats as integers that count representable values; both zeros are 0."""
    bits = array.view(f"i{array.itemsize}").astype(np.int64)
    return np.where(bits < 0, np.int64(-(2 ** (8 * array.itemsize - 1))) - bits, bits)


def ulp_distance(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Distance in ulp, element by element; infinite where only one is NaN."""
    a, b = ordered(found), ordered(wanted)
    # The difference of two int64 fits in 64 bits without a sign.
    distance = (np.maximum(a, b).view(np.uint64) - np.minimum(a, b).view(np.uint64)).astype(np.float64)
    only_one, both = np.isnan(found) != np.isnan(wanted), np.isnan(found) & np.isnan(wanted)
    return np.where(both, 0.0, np.where(only_one, np.inf, distance))


def difference(found, wanted, rule: Bits | Within) -> str | None:
    """What is wrong with a result, or None."""
    if not isinstance(wanted, np.ndarray):
        return None if found == wanted else f"{found!r} instead of {wanted!r}"
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return f"{found.dtype}{found.shape} instead of {wanted.dtype}{wanted.shape}"
    if wanted.dtype.kind != "f" or isinstance(rule, Bits):
        unsigned = np.dtype(f"u{wanted.itemsize}")
        bad = np.ascontiguousarray(found).view(unsigned) != np.ascontiguousarray(wanted).view(unsigned)
        if wanted.dtype.kind == "f" and rule.any_nan:
            bad &= ~(np.isnan(found) & np.isnan(wanted))
    else:
        with np.errstate(all="ignore"):
            near = np.abs(found.astype(np.float64) - wanted.astype(np.float64)) <= rule.absolute
        bad = (ulp_distance(found, wanted) > rule.ulp) & ~near
    if not bad.any():
        return None
    first = tuple(int(each) for each in np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size} differ, first at {first}: {found[first]!r} instead of {wanted[first]!r}"


def differences(case: Case, launch: Launch, variant: Variant, results: dict) -> list[str]:
    """Where results differ from the reference."""
    wanted = case.expected(launch)
    if set(results) != set(wanted):
        return [f"results {sorted(results)} instead of {sorted(wanted)}: {results.get('error', '')}"]
    found = {name: difference(results[name], wanted[name], case.rule(variant, name)) for name in wanted}
    return [f"{case.name} {variant} {launch}: {name}: {text}" for name, text in found.items() if text]


RECORDS: list[dict] = []


def record(case: Case, launch: Launch, variant: Variant, results: dict) -> None:
    """Keeps what a later comparison of two devices needs."""
    if not os.environ.get("CUDA_BINDINGS_RECORD"):
        return
    wanted = case.expected(launch)
    for name, value in results.items():
        array = value if isinstance(value, np.ndarray) else None
        entry = {"case": case.name, "variant": str(variant), "options": list(MODES[variant.mode]),
                 "launch": str(launch), "result": name, "rule": str(case.rule(variant, name)),
                 "hash": hashlib.sha256(array.tobytes() if array is not None else repr(value).encode()).hexdigest()}
        if array is not None and array.dtype.kind == "f" and name in wanted:
            distance = ulp_distance(array, wanted[name])
            entry["max_ulp"] = float(distance.max()) if distance.size else 0.0
            step = max(1, array.size // SAMPLE)
            sample = np.ascontiguousarray(array.reshape(-1)[::step])
            entry["dtype"] = array.dtype.str
            entry["sample"] = base64.b64encode(zlib.compress(sample.tobytes())).decode()
        RECORDS.append(entry)


def verify(device, case: Case, variant: Variant) -> None:
    """Runs all launches of a case and compares each with the reference."""
    found = []
    for launch in case.launches:
        results = outcome(device, case, launch, variant)
        record(case, launch, variant, results)
        found += differences(case, launch, variant, results)
    assert not found, "\n".join(found)


def verify_twin(device, case: Case) -> None:
    """The comparison must fail for the broken twin in at least one launch."""
    variant = case.variants[0]
    for launch in case.launches:
        if differences(case, launch, variant, outcome(device, case, launch, variant, broken=True)):
            return
    raise AssertionError(f"the broken twin of {case.name} was not caught")


def each_variant(cases) -> list:
    """Every case in every variant, for pytest.mark.parametrize("case, variant", ...)."""
    return [(case, variant) for case in cases for variant in case.variants]
