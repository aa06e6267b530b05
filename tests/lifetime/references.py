# SPDX-License-Identifier: Apache-2.0
"""Total reference counts are equal before and after: for a debug interpreter, with nothing but the standard library.

    ./dev test --only references
    python3.11-dbg tests/lifetime/references.py [NAME ...]      (a package built for it on PYTHONPATH)

Each scenario runs until whatever is made once has been made, and then a few times more: then the interpreter must
count as many references as before. Functions are called through the fake libraries, each in every way that the tests
of the surface know.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
FAKES = Path(os.environ.get("FAKE_LIBRARIES", ROOT / "build" / "fake"))
LIBRARIES = {"driver": ("CUDA_BINDINGS_LIBCUDA", "libfakecuda.so"),
             "runtime": ("CUDA_BINDINGS_LIBCUDART", "libfakecudart.so"),
             "nvrtc": ("CUDA_BINDINGS_LIBNVRTC", "libfakenvrtc.so")}
for _variable, _name in LIBRARIES.values():
    os.environ[_variable] = str(FAKES / _name)

from cuda_bindings import driver, nvrtc, runtime  # noqa: E402

MODULES = {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}
MOST_RUNS = 12      # until a scenario is at rest
TOGETHER = 60       # scenarios that are counted as one
AT_REST = 2         # runs in a row that change nothing

RECORDERS: dict[str, Any] = {}      # the fake libraries call into them to the end
Scenario = tuple[str, Callable[[], None]]


def total() -> int:
    """All references that the interpreter counts."""
    gc.collect()
    return sys.gettotalrefcount()


def leak(scenario: Callable[[], None]) -> list[int]:
    """What each run adds; empty once enough runs in a row have added nothing."""
    changes = [0] * MOST_RUNS
    before = total()
    for run in range(MOST_RUNS):
        scenario()
        after = total()
        changes[run] = after - before
        before = after
        if run + 1 >= AT_REST and not any(changes[run + 1 - AT_REST:run + 1]):
            return []
    return changes


def leaks_of(scenarios: list[Scenario]) -> list[str]:
    """The names of those that leak; one by one only where all together do."""
    def together() -> None:
        for _, scenario in scenarios:
            scenario()

    if not leak(together):
        return []
    found = {name: leak(scenario) for name, scenario in scenarios}
    for name, changes in found.items():
        if changes:
            print(f"LEAK {name}: {changes}", flush=True)
    return [name for name, changes in found.items() if changes] or [f"some of {[name for name, _ in scenarios]}"]


def planted() -> None:
    """One reference that nobody gives back."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(MODULES))


def refused(call: Callable[..., object], *arguments: object) -> None:
    """A call that must raise; the exception goes at once."""
    try:
        call(*arguments)
    except (TypeError, ValueError, OverflowError, AttributeError, RuntimeError, BufferError, NotImplementedError,
            ZeroDivisionError):
        return
    raise AssertionError(f"{call} took {arguments}")


# ---- every function ------------------------------------------------------------------------------------------------

WRONG = (object(), 2**70, [object()])


def functions() -> Iterator[Scenario]:
    """Every function: with objects, with numbers, failing, and with each argument wrong."""
    from api_table import extra_rows, table
    from expectations import OBJECTS, PLAIN
    from recorder import Recorder
    from special_functions import BARE_RECORDS, BY_HAND, RECORD_RESULTS, STRING_RESULTS
    for module, (_, name) in LIBRARIES.items():
        RECORDERS.setdefault(module, Recorder(str(FAKES / name)))
    apart = {*BARE_RECORDS, *BY_HAND, *STRING_RESULTS, *RECORD_RESULTS}
    for module in MODULES:
        for row in table()["functions"][module] + extra_rows().get(module, []):
            if row["name"] not in apart:
                yield row["name"], lambda m=module, r=row: call(m, r, RECORDERS[m], OBJECTS, PLAIN)


def call(module: str, row: dict, recorder: Any, *variants: str) -> None:
    """One function in all ways."""
    from call_plan import plan_call, run_call
    from special_functions import SPECIALS
    for variant in variants:
        plan = plan_call(MODULES[module], module, row, variant, SPECIALS)
        result = run_call(plan, recorder)
        for value, check in zip(result[1:], plan.returned, strict=True):
            check(value)
    plan = plan_call(MODULES[module], module, row, variants[0], SPECIALS)
    failed = run_call(plan, recorder, status=6 if module == "nvrtc" else 700)
    assert failed[1:] == (None,) * len(row["outputs"])
    for name in list(plan.values):
        for wrong in WRONG:
            values = {**plan.values, name: wrong}
            try:
                getattr(MODULES[module], row["name"])(**values)
            except (TypeError, ValueError, OverflowError, RuntimeError, BufferError):
                pass
    recorder.reset()


def functions_of_their_own_shape() -> Iterator[Scenario]:
    """Functions that return a record by value, a text, or no status; and calls that do not fit any signature."""
    def bare() -> None:
        assert runtime.make_cudaPos(5, 6, 7).z == 7 and runtime.make_cudaExtent(w=7, h=8, d=9).width == 7
        assert runtime.make_cudaPitchedPtr(0x1000, 2, 3, 4).pitch == 2
        refused(runtime.make_cudaPos, 1, 2)
        refused(driver.cuMemAlloc)
        refused(driver.cuMemAlloc, 1, 2)
        refused(lambda: driver.cuMemAlloc(size=1))

    def texts() -> None:
        for _ in range(3):
            driver.cuGetErrorString(driver.CUresult(700))
            runtime.cudaGetErrorName(runtime.cudaError_t(700))
            runtime.cudaCreateChannelDesc(8, 0, 0, 0, runtime.cudaChannelFormatKind(0))
        for recorder in RECORDERS.values():
            recorder.reset()
    yield "bare results", bare
    yield "texts and channel descriptions", texts


# ---- records -------------------------------------------------------------------------------------------------------

def records() -> Iterator[Scenario]:
    """Random sequences over all records, some steps in the middle of others, and every member of every record."""
    from layout import classes
    from walk import episode, run
    for number in range(6):
        sequence = episode(77, number)
        yield f"random sequence {number}", lambda sequence=sequence: run(sequence)
    for module, name in classes():
        cls = getattr(MODULES[module], name, None)
        if cls is not None:
            yield f"members of {name}", lambda cls=cls: members(cls)


def members(cls: type) -> None:
    """Reads and refuses every member, and does what a record can do."""
    record = cls()
    names = [name for name in dir(cls) if not name.startswith("__") and name not in ("getPtr", "copy", "to_dict")]
    for name in names:
        value = getattr(record, name)
        try:
            setattr(record, name, value)
        except (AttributeError, ValueError):
            assert name in ("bytes", "phGraph_out", "name")
        refused(setattr, record, name, object())
        refused(delattr, record, name)
    assert copy.deepcopy(record).copy() == record and record != 5 and repr(record) is not None
    assert memoryview(record).nbytes and record.to_dict() and cls(_ptr=record.getPtr()) == record
    for wrong in (hash, pickle.dumps, lambda each: each < each, cls):
        refused(wrong, record)
    refused(setattr, record, "no such member", 1)


def rings() -> Iterator[Scenario]:
    """Cycles through pointers, through attributes of derived classes, and through views."""
    class Derived(driver.CUDA_MEMCPY2D):
        pass

    class Buffer(bytearray):
        pass

    def ring() -> None:
        record, buffer = Derived(), Buffer(8)
        record.srcHost, record.dstHost, record.note = buffer, record, record
        buffer.link = record.srcArray
        record.copy().dstHost = record

    def list_ring() -> None:
        attribute, config = driver.CUlaunchAttribute(), driver.CUlaunchConfig()
        attribute.value.accessPolicyWindow.base_ptr = config
        config.attrs = [attribute, attribute]
        element = config.attrs[1]
        element.value.accessPolicyWindow.base_ptr = element
    yield "ring of pointers", ring
    yield "ring through a list", list_ring


# ---- handles and enumerations --------------------------------------------------------------------------------------

def handles() -> Iterator[Scenario]:
    """Every handle class: made, read, compared, refused."""
    for module, home in MODULES.items():
        for name in dir(home):
            cls = getattr(home, name)
            if isinstance(cls, type) and hasattr(cls, "getPtr") and not hasattr(cls, "to_dict"):
                yield f"handle {module}.{name}", lambda cls=cls: handle(cls)


def handle(cls: type) -> None:
    """What a handle can do."""
    one, derived = cls(3), type("Derived", (cls,), {})(3)
    alias = cls(_ptr=one.getPtr())
    assert int(alias) == one.__index__() == 3 and bool(one) and one == alias == derived and hash(one) == hash(alias)
    assert repr(one) and one != 3 and one != object()
    for wrong in ((), "a", None, 2**70, -2**70, 1.5):
        refused(cls, wrong)
    refused(lambda: cls(1, 2, 3))
    refused(lambda: cls(value=1))
    for action in (pickle.dumps, copy.copy, lambda each: each < object(), lambda each: setattr(each, "x", 1)):
        refused(action, one)
    derived.link = derived
    if "CUdeviceptr" in cls.__name__:
        assert int(one + 5) == 8 and one - cls(1) == 2 and one < one + 1
        refused(lambda: one - 4)
        refused(lambda: one + one)


def enumerations() -> Iterator[Scenario]:
    """Every enumeration class: look-ups, codes that it does not know, pickles."""
    import enum
    for module, home in MODULES.items():
        for name in dir(home):
            cls = getattr(home, name)
            if isinstance(cls, type) and issubclass(cls, enum.IntEnum):
                yield f"enumeration {module}.{name}", lambda cls=cls: enumeration(cls)


def enumeration(cls: type) -> None:
    """What an enumeration can do."""
    for member in cls:
        assert cls(int(member)) is member and cls[member.name] is member and cls(float(member)) is member
        assert repr(member) and f"{member}" and hash(member) == hash(int(member))
    assert pickle.loads(pickle.dumps(next(iter(cls)))) is next(iter(cls)) and len(cls) and 2**40 not in list(cls)
    for wrong in (987654321, "x", None, 2**70):
        refused(cls, wrong)
    refused(lambda: cls.no_such_member)
    try:
        cls["x"]
    except KeyError:
        pass


def unknown_codes() -> Iterator[Scenario]:
    """Members made beside their class."""
    def read() -> None:
        record = driver.CUDA_MEMCPY2D()
        ctypes.memset(record.getPtr() + 16, 0x7F, 4)
        member = record.srcMemoryType
        assert repr(member) and str(member) and member.name and member == 0x7F7F7F7F
        assert pickle.loads(pickle.dumps(member)) == member
        record.dstMemoryType = member
    yield "unknown enumerator", read


# ---- modules and exceptions ----------------------------------------------------------------------------------------

def modules() -> Iterator[Scenario]:
    """Names of the modules, those that there are and those that there are not."""
    for module, home in MODULES.items():
        yield f"names of {module}", lambda home=home: names_of(home)


def names_of(home: object) -> None:
    """Every attribute, by name."""
    for name in dir(home):
        assert getattr(home, name) is not None or name.startswith("__")
    for wrong in ("no_such_name", "", "cu\0Init", "\ud800"):
        refused(getattr, home, wrong)
    for wrong in (int, None, 5):
        refused(home.sizeof, wrong)


def conversions() -> Iterator[Scenario]:
    """Objects that raise while they are read, buffers that are let go, lists that change."""
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError

    def raising() -> None:
        record, attribute = driver.CUDA_MEMCPY2D(), driver.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS()
        refused(driver.cuMemAlloc, Broken())
        refused(driver.cuStreamSynchronize, Broken())
        refused(setattr, record, "Height", Broken())
        refused(setattr, record, "srcHost", Broken())
        refused(setattr, attribute, "extSemArray", [1, Broken()])
        refused(setattr, driver.CUtensorMap(), "opaque", [Broken()] * 16)

    def buffers() -> None:
        record, buffer = driver.CUDA_MEMCPY2D(), bytearray(64)
        for value in (buffer, memoryview(buffer), b"12345678", record, 5, None, driver.CUdeviceptr(3)):
            record.srcHost = value
        record.srcHost = None
        buffer.extend(b"free again")
        params = driver.CUDA_KERNEL_NODE_PARAMS()
        params.kernelParams = (1, 2.5), (ctypes.c_int, ctypes.c_float)
        refused(setattr, params, "kernelParams", ((object(),), (ctypes.c_int,)))
        params.copy().kernelParams = 0
        number = driver.CUmemDecompressParams()
        number.dstActBytes = driver.cuuint32_t(4)
        assert int(number.copy().dstActBytes) == 4 and struct.pack("<I", int(number.dstActBytes))
    yield "objects that raise", raising
    yield "buffers", buffers


ALL = (functions, functions_of_their_own_shape, records, rings, handles, enumerations, unknown_codes, modules,
       conversions)


def main(wanted: list[str]) -> int:
    """Runs the scenarios (those that are named, if any are); the exit status."""
    if not hasattr(sys, "gettotalrefcount"):
        print("this interpreter does not count references; a debug interpreter does (Debian: python3-dbg)")
        return 2
    for home in (driver.cuDriverGetVersion, runtime.cudaRuntimeGetVersion, nvrtc.nvrtcVersion):
        assert home()[0] == 0
    assert leak(planted), "a leak is not noticed"
    counted: dict[str, int] = {}
    leaks = []
    gc.freeze()
    for group in ALL:
        scenarios = [(name, scenario) for name, scenario in group()
                     if not wanted or any(each in name for each in wanted)]
        counted[group.__name__] = len(scenarios)
        for begin in range(0, len(scenarios), TOGETHER):
            leaks += leaks_of(scenarios[begin:begin + TOGETHER])
    print(", ".join(f"{name} {count}" for name, count in counted.items()))
    print(f"{sum(counted.values())} scenarios, {len(leaks)} leak references")
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
