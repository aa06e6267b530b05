# SPDX-License-Identifier: Apache-2.0
"""Calls every function of the three modules in a process whose libraries a test has chosen; run by test_*.py beside it.

What a function that is there must do is what tests/python expects of it; what one that is not there must raise is here.
"""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import json
import re
from collections.abc import Callable, Iterator

from api_table import MODULES, ROOT, extra_rows, prototypes, table
from call_plan import CallPlan, plan_call, run_call
from expectations import OBJECTS, is_enum, pattern
from link_names import link_names
from recorder import Recorder, write, write_number
from special_functions import BARE_RECORDS, BY_HAND, RECORD_RESULTS, SPECIALS, STRING_RESULTS

from cuda_bindings import _native, driver, nvrtc, runtime
from cuda_bindings.errors import FunctionNotFoundError, LibraryNotFoundError

API = {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}
LIBRARY = {"driver": "libcuda", "runtime": "libcudart", "nvrtc": "libnvrtc"}
WHAT = {"driver": "the CUDA driver", "runtime": "the CUDA runtime", "nvrtc": "NVRTC"}
# The code with which each library says itself that something is not there: never taken for a missing function.
NOT_FOUND = {"driver": 500, "runtime": 36, "nvrtc": 11}
SUCCESS = {"driver": driver.CUresult.CUDA_SUCCESS, "runtime": runtime.cudaError_t.cudaSuccess,
           "nvrtc": nvrtc.nvrtcResult.NVRTC_SUCCESS}
# Functions that ask another one how long their result is, which then is the one that is missing.
ASKED_FIRST = {"nvrtcGetPTX": "nvrtcGetPTXSize", "nvrtcGetCUBIN": "nvrtcGetCUBINSize",
               "nvrtcGetLTOIR": "nvrtcGetLTOIRSize", "nvrtcGetOptiXIR": "nvrtcGetOptiXIRSize",
               "nvrtcGetProgramLog": "nvrtcGetProgramLogSize", "nvrtcGetSupportedArchs": "nvrtcGetNumSupportedArchs"}
# Functions of the runtime whose parameters, or the records behind them, are other ones before 13.0.
OTHER_BEFORE_13 = {
    "cudaChooseDevice", "cudaGetDeviceProperties", "cudaGraphAddDependencies", "cudaGraphAddNode", "cudaGraphGetEdges",
    "cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependentNodes", "cudaGraphRemoveDependencies", "cudaMemAdvise",
    "cudaMemPrefetchAsync", "cudaMemcpy3DBatchAsync", "cudaMemcpyBatchAsync", "cudaSignalExternalSemaphoresAsync",
    "cudaStreamGetCaptureInfo", "cudaStreamUpdateCaptureDependencies", "cudaWaitExternalSemaphoresAsync",
}


# Forms that an imaginary 14.0 adds; the lone newest one is not what today's binding means.
IMAGINED_FORMS = ("cuMemAlloc_v3", "cuCtxCreate_v5", "cuDeviceGetAttribute_v2", "cuStreamGetCaptureInfo_v4")
# Releases of link names, as NVIDIA's documentation of cuGetProcAddress and the driver's typedefs have them.
KNOWN_SINCE = {"cuMemAlloc_v2": 3020, "cuCtxCreate_v4": 12050, "cuDeviceGetAttribute": 2000, "cuLaunchKernel": 4000,
               "cuGraphInstantiateWithFlags": 11040, "cuStreamGetCaptureInfo_v3": 12030, "cuLaunchKernelEx": 11060,
               "cuCtxDestroy_v2": 4000, "cuMemcpyHtoD_v2": 3020, "cuModuleLoadData": 2000}


def driver_facts() -> list[dict]:
    """The driver's functions of the committed snapshot."""
    lines = (ROOT / "headers-snapshot" / "13.0" / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    facts = [json.loads(line) for line in lines]
    return [{**fact, "link": fact.get("link", fact["name"])} for fact in facts
            if fact["kind"] == "function" and fact["module"] == "driver" and "since" in fact]


def rows(module: str) -> Iterator[dict]:
    """Every function of a module, as the API table has it."""
    for row in table()["functions"][module] + extra_rows().get(module, []):
        if row["name"] not in BY_HAND:
            yield row


def attempt(call: Callable[[], object]) -> Exception | None:
    """The exception that the call raises."""
    try:
        call()
    except Exception as error:  # noqa: BLE001
        return error
    return None


class Play:
    """One process with its libraries: counts what worked and what was missing, and keeps what was not as it must be."""

    def __init__(self, libraries: dict[str, str], per_thread: bool = False, recorded=MODULES) -> None:
        self.libraries = libraries
        self.per_thread = per_thread
        # Libraries are chosen, and asked for their release, by the first call; from then on the recorders answer.
        for call in (driver.cuDriverGetVersion, runtime.cudaRuntimeGetVersion, nvrtc.nvrtcVersion):
            attempt(call)
        self.recorders = {module: Recorder(libraries[module]) for module in recorded}
        self.counts = {"worked": 0, "missing": 0, "older": 0}
        self.wrong: list[str] = []

    def each(self, check: Callable[[str, dict], str], modules=MODULES) -> None:
        """Checks every function; `check` says what it did, or raises AssertionError."""
        for module in modules:
            for row in rows(module):
                try:
                    self.counts[check(module, row)] += 1
                except Exception as error:  # noqa: BLE001
                    self.wrong.append(f"{row['name']}: {type(error).__name__}: {error}")

    def report(self) -> None:
        """Prints the counts and the first few functions that did otherwise."""
        print(self.counts, self.wrong[:5] if self.wrong else "as expected")

    # --- a function that is there ---

    def plan(self, module: str, row: dict) -> CallPlan:
        """The call with objects, to the per-thread twin where there is one and it was asked for."""
        plan = plan_call(API[module], module, row, OBJECTS, SPECIALS)
        plan.prototype = dataclasses.replace(plan.prototype, link=self.twin(module, plan.prototype.link))
        return plan

    def twin(self, module: str, link: str) -> str:
        """The link name that is called: with per-thread default streams the twin's, where there is one."""
        twins = {link + "_ptds", link + "_ptsz"} & link_names("13.0")[module] - {"cuGetProcAddress_v2_ptsz"}
        return twins.pop() if self.per_thread and twins else link

    def works(self, module: str, row: dict, status: int = 0) -> None:
        """The function passes its arguments on and gives back what the library answers."""
        name, recorder = row["name"], self.recorders[module]
        if name in BARE_RECORDS:
            self.makes_record(row)
        elif name in STRING_RESULTS:
            self.gives_text(module, name)
        elif name in RECORD_RESULTS:
            self.gives_record(module, name)
        else:
            plan = self.plan(module, row)
            result = run_call(plan, recorder, status=status)
            seen = {link for link, _ in recorder.calls}
            assert seen == {plan.prototype.link, *plan.answers}, f"called {sorted(seen)}"
            self.check_result(plan, result, status)

    def check_result(self, plan: CallPlan, result: object, status: int) -> None:
        """Success with its values; otherwise the status as a member, and None for each value."""
        assert type(result) is tuple and isinstance(result[0], enum.IntEnum) and result[0] == status, result
        if status:
            assert result[1:] == (None,) * len(plan.row["outputs"]), result
            assert result[0].name and str(status) in repr(result[0])
            return
        assert result[0] is SUCCESS[plan.module_name]
        for value, check in zip(result[1:], plan.returned, strict=True):
            check(value)
        for check in plan.after:
            check()

    def makes_record(self, row: dict) -> None:
        """make_cudaExtent and its like: no library has them."""
        made = getattr(runtime, row["name"])(*range(len(row["arguments"])))
        assert type(made).__name__ == row["name"].removeprefix("make_")

    def gives_text(self, module: str, name: str) -> None:
        """cudaGetErrorName and its like."""
        text = ctypes.create_string_buffer(b"the text")
        recorder = self.recorders[module]
        recorder.reset()
        recorder.on(name, lambda link, words: ctypes.addressof(text))
        assert getattr(API[module], name)(type(SUCCESS[module])(3))[1] == b"the text"
        recorder.only(name)

    def gives_record(self, module: str, name: str) -> None:
        """cudaCreateChannelDesc."""
        recorder = self.recorders[module]
        recorder.reset()
        recorder.on(name, lambda link, words: write(words[5], pattern(20, 3)) or 0)
        status, record = API[module].cudaCreateChannelDesc(8, 9, 10, 11, runtime.cudaChannelFormatKind(2))
        assert status == 0 and ctypes.string_at(record.getPtr(), 20) == pattern(20, 3)
        recorder.only(name)

    # --- a function that is not there ---

    def call(self, module: str, row: dict) -> Callable[[], object]:
        """The call with arguments that convert."""
        name, function = row["name"], getattr(API[module], row["name"])
        if name in STRING_RESULTS:
            return lambda: function(SUCCESS[module])
        if name in RECORD_RESULTS:
            return lambda: function(8, 9, 10, 11, runtime.cudaChannelFormatKind(2))
        values = plan_call(API[module], module, row, OBJECTS, SPECIALS).values
        return lambda: function(**values)

    def is_missing(self, module: str, row: dict, reason: Callable[[FunctionNotFoundError], str], remedy: str,
                   version: str) -> None:
        """FunctionNotFoundError with the expected facts and text, twice, and the library is not called."""
        recorder = self.recorders.get(module)
        if recorder is not None:
            recorder.reset()
        for _ in range(2):
            error = attempt(self.call(module, row))
            assert type(error) is FunctionNotFoundError and isinstance(error, RuntimeError), repr(error)
            found = (error.function, error.library, error.path, error.version)
            name = ASKED_FIRST.get(row["name"], row["name"])
            assert found == (name, LIBRARY[module], self.libraries[module], version), found
            expected = f"{name}() is not available: {reason(error)}.{remedy}"
            assert str(error) == expected, f"{error}, expected {expected}"
        assert recorder is None or recorder.calls == [], "the library was called"

    def is_without_library(self, module: str, row: dict, place: str, outcome: str) -> None:
        """LibraryNotFoundError that names the function, the one place tried and what was there."""
        if row["name"] in BARE_RECORDS:
            return self.makes_record(row)
        error = attempt(self.call(module, row))
        assert type(error) is LibraryNotFoundError and isinstance(error, RuntimeError), repr(error)
        name = ASKED_FIRST.get(row["name"], row["name"])
        assert (error.function, error.library) == (name, LIBRARY[module]), (error.function, error.library)
        (where, seen), = error.tried
        assert where == place and seen.startswith(outcome), error.tried
        lines = str(error).splitlines()
        assert lines[0] == f"{name}(): {LIBRARY[module]} ({WHAT[module]}) was not found. Tried, in order:", lines
        assert lines[1].startswith(f"  {place}: {outcome}"), lines
        return None


def release_of_introduction(link: str, module: str) -> tuple[str, str]:
    """(after, at the latest): between which of the releases with a table a link name came."""
    if link in link_names("12.0")[module]:
        return "0.0", "12.0"
    return ("12.0", "12.4") if link in link_names("12.4")[module] else ("12.4", "13.0")


def number(release: str) -> tuple[int, int]:
    """12.10 is newer than 12.9."""
    major, minor = release.split(".")
    return int(major), int(minor)


def release(name: str, libraries: dict[str, str], remedy: str, per_thread: bool = False) -> None:
    """Libraries of a release: what it has works, what it has not is missing with the release that introduced it."""
    play = Play(libraries, per_thread)

    twins: set[str] = set()

    def introduced(module: str, link: str, error: FunctionNotFoundError) -> str:
        after, at_latest = release_of_introduction(link, module)
        assert number(after) < number(error.introduced) <= number(at_latest), (
            f"introduced in {error.introduced}, expected after {after}, at the latest {at_latest}")
        symbol = "" if play.twin(module, link) == error.function else f" (symbol {play.twin(module, link)})"
        symbol += " (today's parameters: CUDA 13.0)" if module == "runtime" and link in OTHER_BEFORE_13 else ""
        return (f"CUDA {error.introduced} introduced it{symbol}, and {WHAT[module]} found is {name} "
                f"({libraries[module]})")

    def check(module: str, row: dict) -> str:
        link = prototypes()[row["name"]].link
        install = "" if module == "driver" else remedy
        if module == "runtime" and name.startswith("12.") and link in OTHER_BEFORE_13 & link_names(name)[module]:
            text = f"its parameters changed in CUDA 13.0, and the CUDA runtime found is {name} ({libraries[module]})"
            play.is_missing(module, row, lambda error: text, install, name)
            return "older"
        if row["name"] in BARE_RECORDS or link in link_names(min(name, "13.0"))[module]:
            play.works(module, row)
            twins.update(link for link, _ in play.recorders[module].calls if link.endswith(("_ptds", "_ptsz")))
            return "worked"
        play.is_missing(module, row, lambda error: introduced(module, link, error), install, name)
        return "missing"

    play.each(check)
    print(len(twins), "twins", end=" ")
    play.report()


def proc_address(libraries: dict[str, str], whole: str, per_thread: bool) -> None:
    """A driver that exports cuGetProcAddress and its version only, and has all functions, and newer forms of them: each
    is asked for with the release of the very form that the binding knows."""
    since = {row["link"]: tuple(row["since"]) for row in driver_facts()}
    forms: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for link in [*since, *IMAGINED_FORMS]:
        forms.setdefault(re.sub(r"_v\d+$", "", link), []).append((since.get(link, (14, 0)), link))
    play = Play({"driver": whole, **{module: libraries[module] for module in ("runtime", "nvrtc")}}, per_thread)
    store, asked = ctypes.CDLL(whole), {}

    def answer(link: str, words) -> int:
        base, version = ctypes.string_at(words[0]).decode(), words[2] & 0xFFFF_FFFF
        known = [form for form in forms.get(base, []) if form[0] <= (version // 1000, version % 1000 // 10)]
        if not known:
            return 500
        chosen = max(known)[1]
        asked[chosen] = version
        assert words[3] == (2 if per_thread and play.twin("driver", chosen) != chosen else 1), words[3]
        address = ctypes.cast(getattr(store, play.twin("driver", chosen)), ctypes.c_void_p).value
        write_number(words[1], address, 8)
        return 0

    asking = Recorder(libraries["driver"])

    def check(module: str, row: dict) -> str:
        asking.reset()
        asking.on("cuGetProcAddress_v2", answer)
        if row["name"] in ("cuGetProcAddress", "cuDriverGetVersion"):    # exported: the library's own
            assert attempt(play.call(module, row)) is None
        else:
            play.works(module, row)
        asking.check()
        return "worked"

    play.each(check, ["driver"])
    after = {link: version for link, version in asked.items() if link in KNOWN_SINCE}
    assert after == KNOWN_SINCE, after
    print(len(asked), "asked", end=" ")
    play.report()


def failing(libraries: dict[str, str], statuses: list[int]) -> None:
    """Every function fails with each status: it comes back as a member, known or not, and nothing raises."""
    play = Play(libraries)
    for status in statuses:
        play.each(lambda module, row, code=status: play.works(module, row, code) or "worked")
    for module, code in NOT_FOUND.items():
        play.each(lambda module, row, code=code: play.works(module, row, code) or "worked", [module])
    play.report()


def unknown_enumerators(libraries: dict[str, str]) -> None:
    """A newer library answers with enumerators that no header here has: they come back as numbers of their class."""
    play = Play(libraries)
    seen = []

    def check(module: str, row: dict) -> str:
        named = [token for token in row["outputs"] if is_enum(module, token)]
        if not named or row["name"] in SPECIALS or row["name"] in RECORD_RESULTS:
            return "worked"
        plan = play.plan(module, row)
        rest = [index for index in range(len(plan.prototype.parameters)) if index in plan.stored]
        for position, index in enumerate(rest):
            if row["outputs"][position] in named:
                plan.stored[index] = lambda word: write_number(word, 7_654_321, 4)
                plan.returned[position] = lambda value: None
        result = run_call(plan, play.recorders[module])
        for token, value in zip(row["outputs"], result[1:], strict=True):
            if token in named:
                assert isinstance(value, getattr(API[module], token)) and value == 7_654_321, repr(value)
                assert "7654321" in repr(value) and "7654321" in value.name
                seen.append(row["name"])
        return "worked"

    play.each(check)
    print(len(seen), end=" ")
    play.report()


def empty(libraries: dict[str, str], remedy: str) -> None:
    """Libraries that export nothing at all: every function is missing, of a library of an unknown release."""
    play = Play(libraries, recorded=())

    def check(module: str, row: dict) -> str:
        if row["name"] in BARE_RECORDS:
            play.makes_record(row)
            return "worked"
        link = ASKED_FIRST.get(row["name"], prototypes()[row["name"]].link)
        text = f"{WHAT[module]} found is of an unknown release ({libraries[module]}) and does not export {link}"

        def reason(error: FunctionNotFoundError) -> str:
            return text + (f", which CUDA {error.introduced} introduced" if error.introduced else "")
        play.is_missing(module, row, reason, "" if module == "driver" else remedy, "")
        return "missing"

    play.each(check)
    play.report()


def others_work(libraries: dict[str, str]) -> None:
    """The runtime and NVRTC do not need the driver's functions."""
    play = Play(libraries, recorded=("runtime", "nvrtc"))
    play.each(lambda module, row: play.works(module, row) or "worked", ["runtime", "nvrtc"])
    play.report()


def driver_of_version(libraries: dict[str, str]) -> None:
    """A driver of a strange version: what the binding takes it for, and that its functions work."""
    print(_native.library_version("driver"), end=" ")
    play = Play(libraries)
    play.each(lambda module, row: play.works(module, row) or "worked", ["driver"])
    play.report()


def chosen(module: str) -> None:
    """The file that a library is taken from."""
    _native.library_report(module)
    print(_native.loaded_library_path(module))


def found(expected: dict[str, str]) -> None:
    """What a search took, and what it says about each place."""
    reports = {module: _native.library_report(module) for module in MODULES}
    for call in (driver.cuInit, runtime.cudaGetDevice, nvrtc.nvrtcVersion):
        answer = call(0) if call is driver.cuInit else call()
        assert answer[0] == 0, answer
    print([("found", {module: _native.loaded_library_path(module) for module in MODULES}), *reports.items()])


def one_missing(name: str = "cuCheckpointProcessLock", *values: object) -> None:
    """The text about one function of the driver."""
    error = attempt(lambda: getattr(driver, name)(*(values or (1, None))))
    assert type(error) is FunctionNotFoundError, repr(error)
    assert driver.cuInit(0)[0] == 0
    print(error)


def without_library(places: dict[str, str], outcome: str) -> None:
    """No library can be had: every function says where it was looked for; what needs none works."""
    play = Play({}, recorded=())

    def check(module: str, row: dict) -> str:
        play.is_without_library(module, row, places[module], outcome)
        return "missing"

    play.each(check, places)
    play.report()
