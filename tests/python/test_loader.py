# SPDX-License-Identifier: Apache-2.0
"""Finding and opening libraries: the order of the search, what is refused, what errors say, streams, first calls."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from separate import FAKE_LIBRARY, FAKES, run_python

STUB = Path("/usr/local/cuda/lib64/stubs/libcuda.so")


def library(path: Path, **functions: str) -> Path:
    """A library with a few functions of our own, bodies in C; `soname` as the real one has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"int {name}(int *a, int *b) {{ (void)a; (void)b; {body} }}\n" for name, body in functions.items())
    subprocess.run(["gcc", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-x", "c", "-", "-o", str(path)],
                   input=text, text=True, check=True)
    return path


def driver_of(path: Path, version: int) -> Path:
    """A libcuda that only tells its version."""
    return library(path, cuInit="return 0;", cuDriverGetVersion=f"*a = {version}; return 0;")


def nvrtc_of(path: Path, major: int, minor: int) -> Path:
    """An NVRTC that only tells its version."""
    return library(path, nvrtcVersion=f"*a = {major}; *b = {minor}; return 0;")


def variant(tmp_path: Path, module: str, *missing: str) -> str:
    """A fake library that lacks functions."""
    where = importlib.util.spec_from_file_location("fake_build", Path(__file__).parents[1] / "fake" / "build.py")
    assert where and where.loader
    fake_build = importlib.util.module_from_spec(where)
    where.loader.exec_module(fake_build)
    return str(fake_build.link(module, tmp_path / f"lib{module}.so", missing))


# ---- import ------------------------------------------------------------------------------------------------


def test_import_opens_no_cuda_library():
    code = """
import cuda_bindings, cuda_bindings.driver, cuda_bindings.runtime, cuda_bindings.nvrtc, cuda_bindings.cydriver
mapped = open("/proc/self/maps").read()
print([name for name in ("libcuda.", "libcudart", "libnvrtc", "libfake") if name in mapped])
"""
    assert run_python(code, **FAKE_LIBRARY) == "[]"


# ---- libcuda -----------------------------------------------------------------------------------------------

LOADED = "from cuda_bindings import _native\nprint(_native.library_version('{0}'), _native.loaded_library_path('{0}'))"


def test_variable_comes_before_a_library_that_is_loaded(tmp_path):
    named = driver_of(tmp_path / "named.so", 12040)
    loaded = driver_of(tmp_path / "libcuda.so.1", 12020)
    code = f"import ctypes; ctypes.CDLL({str(loaded)!r})\n" + LOADED.format("driver")
    assert run_python(code, CUDA_BINDINGS_LIBCUDA=str(named)) == f"12040 {named}"


def test_loaded_library_comes_before_the_systems(tmp_path):
    loaded = driver_of(tmp_path / "a" / "libcuda.so.1", 12020)
    driver_of(tmp_path / "b" / "libcuda.so.1", 12060)
    code = f"import ctypes; ctypes.CDLL({str(loaded)!r})\n" + LOADED.format("driver")
    assert run_python(code, LD_LIBRARY_PATH=str(tmp_path / "b")) == f"12020 {loaded}"


def test_systems_library_is_found_by_name(tmp_path):
    found = driver_of(tmp_path / "libcuda.so.1", 12060)
    assert run_python(LOADED.format("driver"), LD_LIBRARY_PATH=str(tmp_path)) == f"12060 {found}"


def test_file_that_the_variable_names_is_not_replaced_by_another(tmp_path):
    driver_of(tmp_path / "libcuda.so.1", 12060)
    code = """
from cuda_bindings import _native, driver
print(attempt(driver.cuInit, 0)[0], _native.library_report("driver"))
"""
    answer = run_python(code, LD_LIBRARY_PATH=str(tmp_path), CUDA_BINDINGS_LIBCUDA="/nowhere/libcuda.so.1")
    assert answer == "LibraryNotFoundError (('/nowhere/libcuda.so.1 (CUDA_BINDINGS_LIBCUDA)', 'no such file'),)"


def test_library_in_a_stubs_folder_is_refused(tmp_path):
    stub = driver_of(tmp_path / "stubs" / "libcuda.so.1", 13000)
    code = "from cuda_bindings import _native\nprint(_native.library_report('driver')[1])"
    assert run_python(code, LD_LIBRARY_PATH=str(stub.parent)) == str(
        (f"{stub} (system)", "refused: a toolkit's stub, not a driver"))


def test_library_that_says_it_is_a_stub_is_refused_by_its_path(tmp_path):
    stub = library(tmp_path / "libcuda.so.1", cuDriverGetVersion="return 34;")
    code = "from cuda_bindings import driver\nprint(attempt(driver.cuInit, 0)[1])"
    text = run_python(code, CUDA_BINDINGS_LIBCUDA=str(stub))
    assert f"{stub} (CUDA_BINDINGS_LIBCUDA): refused: a stub, not a driver (CUDA_ERROR_STUB_LIBRARY)" in text


@pytest.mark.skipif(not STUB.is_file(), reason="no toolkit with a stub on this machine")
def test_a_real_toolkits_stub_is_refused(tmp_path):
    copy = shutil.copy(STUB, tmp_path / "libcuda.so.1")
    code = "from cuda_bindings import _native\nprint(_native.library_report('driver')[0][1])"
    assert "CUDA_ERROR_STUB_LIBRARY" in run_python(code, CUDA_BINDINGS_LIBCUDA=str(copy))
    assert "a toolkit's stub" in run_python(code, CUDA_BINDINGS_LIBCUDA=str(STUB))


def test_emulated_device_beside_a_named_driver_is_a_clear_error():
    code = "from cuda_bindings import driver\nprint(attempt(driver.cuInit, 0))"
    kind, text = eval(run_python(code, CUDA_BINDINGS_DEVICE="emulated", **FAKE_LIBRARY))
    assert kind == "LibraryNotFoundError"
    assert "not taken: the emulated device was asked for, and both cannot be had" in text


def test_unknown_device_is_not_taken_for_the_gpu():
    code = "from cuda_bindings import driver\nprint(attempt(driver.cuInit, 0))"
    assert "CUDA_BINDINGS_DEVICE=gpu7: unknown device" in run_python(code, CUDA_BINDINGS_DEVICE="gpu7", **FAKE_LIBRARY)


# ---- NVRTC and libcudart -----------------------------------------------------------------------------------


def chosen_nvrtc(tmp_path: Path, driver: int | None, **variables: str) -> str:
    """Version and path of the NVRTC chosen beside a driver of a version, or without one; wheels lie in site."""
    named = str(driver_of(tmp_path / "driver.so", driver)) if driver else "/nowhere/libcuda.so.1"
    return run_python(LOADED.format("nvrtc"), (tmp_path / "site",), CUDA_BINDINGS_LIBCUDA=named, **variables)


def test_nvrtc_is_the_newest_that_the_driver_takes(tmp_path):
    old = nvrtc_of(tmp_path / "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12, 2)
    nvrtc_of(tmp_path / "site/nvidia/cu13/lib/libnvrtc.so.13", 13, 9)
    newer = nvrtc_of(tmp_path / "toolkit/lib64/libnvrtc.so.12", 12, 6)
    toolkit = str(tmp_path / "toolkit")
    assert chosen_nvrtc(tmp_path, 12040, CUDA_HOME=toolkit) == f"12020 {old}"
    assert chosen_nvrtc(tmp_path, 12060, CUDA_HOME=toolkit) == f"12060 {newer}"


def test_nvrtc_is_the_newest_of_all_without_a_driver(tmp_path):
    nvrtc_of(tmp_path / "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12, 2)
    newest = nvrtc_of(tmp_path / "site/nvidia/cu13/lib/libnvrtc.so.13", 13, 9)
    assert chosen_nvrtc(tmp_path, None) == f"13090 {newest}"


def test_nvrtc_nearest_to_the_driver_serves_where_none_is_old_enough(tmp_path):
    nearest = nvrtc_of(tmp_path / "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12, 2)
    nvrtc_of(tmp_path / "site/nvidia/cu13/lib/libnvrtc.so.13", 13, 9)
    assert chosen_nvrtc(tmp_path, 12000) == f"12020 {nearest}"


def test_wheel_comes_before_a_toolkit_of_the_same_version(tmp_path):
    wheel = nvrtc_of(tmp_path / "site/nvidia/cu13/lib/libnvrtc.so.13", 13, 9)
    nvrtc_of(tmp_path / "toolkit/lib64/libnvrtc.so.13", 13, 9)
    assert chosen_nvrtc(tmp_path, 13090, CUDA_HOME=str(tmp_path / "toolkit")) == f"13090 {wheel}"


def test_version_in_the_file_names_saves_opening_what_is_not_taken(tmp_path):
    taken = nvrtc_of(tmp_path / "site/nvidia/cu13/lib/libnvrtc.so.13", 13, 0)
    (taken.parent / "libnvrtc-builtins.so.13.0").touch()
    other = tmp_path / "toolkit/lib64/libnvrtc.so.13"
    other.parent.mkdir(parents=True)
    other.write_text("not even a library")
    (other.parent / "libnvrtc-builtins.so.13.9").touch()
    code = LOADED.format("nvrtc") + "\nprint(dict(_native.library_report('nvrtc')))"
    named = str(driver_of(tmp_path / "driver.so", 13000))
    text = run_python(code, (tmp_path / "site",), CUDA_BINDINGS_LIBCUDA=named, CUDA_HOME=str(tmp_path / "toolkit"))
    assert text.startswith(f"13000 {taken}")
    assert f"'{other} (CUDA_HOME)': 'passed over: another fits the driver better'" in text


def test_loaded_nvrtc_serves_unless_the_driver_refuses_its_output(tmp_path):
    wheel = nvrtc_of(tmp_path / "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12, 4)
    loaded = nvrtc_of(tmp_path / "elsewhere/libnvrtc.so.12", 12, 2)
    too_new = nvrtc_of(tmp_path / "new/libnvrtc.so.13", 13, 9)
    named = str(driver_of(tmp_path / "driver.so", 12040))
    for first, expected in ((loaded, f"12020 {loaded}"), (too_new, f"12040 {wheel}")):
        code = f"import ctypes; ctypes.CDLL({str(first)!r})\n" + LOADED.format("nvrtc")
        assert run_python(code, (tmp_path / "site",), CUDA_BINDINGS_LIBCUDA=named) == expected


def test_libcudart_of_the_drivers_major_is_preferred(tmp_path):
    def cudart(path: str, version: int) -> Path:
        return library(tmp_path / path, cudaRuntimeGetVersion=f"*a = {version}; return 0;")

    new = cudart("site/nvidia/cu13/lib/libcudart.so.13", 13000)
    old = cudart("site/nvidia/cuda_runtime/lib/libcudart.so.12", 12080)
    for version, expected in ((12020, f"12080 {old}"), (13010, f"13000 {new}")):
        named = str(driver_of(tmp_path / f"driver{version}.so", version))
        assert run_python(LOADED.format("runtime"), (tmp_path / "site",), CUDA_BINDINGS_LIBCUDA=named) == expected


def test_real_nvrtc_is_found_without_help():
    code = "from cuda_bindings import _native, nvrtc\nprint(_native.library_report('nvrtc')[-1], nvrtc.nvrtcVersion())"
    toolkits = {name: os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ}
    assert "nvrtcResult.NVRTC_SUCCESS" in run_python(code, **toolkits)


# ---- errors ------------------------------------------------------------------------------------------------


def test_missing_driver_names_function_places_and_remedy():
    code = """
from cuda_bindings import driver
from cuda_bindings.errors import LibraryNotFoundError
try:
    driver.cuMemAlloc(16)
except LibraryNotFoundError as error:
    print(error.library, error.function, error.tried, isinstance(error, RuntimeError))
    print(error)
"""
    assert run_python(code, CUDA_BINDINGS_LIBCUDA="/nowhere/libcuda.so.1").splitlines() == [
        "libcuda cuMemAlloc (('/nowhere/libcuda.so.1 (CUDA_BINDINGS_LIBCUDA)', 'no such file'),) True",
        "cuMemAlloc(): libcuda (the CUDA driver) was not found. Tried, in order:",
        "  /nowhere/libcuda.so.1 (CUDA_BINDINGS_LIBCUDA): no such file",
        "It comes with NVIDIA's display driver; another file can be named in CUDA_BINDINGS_LIBCUDA.",
        "Without a GPU: CUDA_BINDINGS_DEVICE=emulated runs kernels on the CPU, slowly (docs/emulator.md).",
    ]


@pytest.mark.parametrize(("version", "extra"), [(12040, "cuda12"), (13010, "cuda13"), (None, "cuda13")])
def test_missing_nvrtc_names_the_extra_that_fits_the_driver(tmp_path, version, extra):
    named = str(driver_of(tmp_path / "driver.so", version)) if version else "/nowhere/libcuda.so.1"
    code = "from cuda_bindings import nvrtc\nprint(attempt(nvrtc.nvrtcVersion)[1].splitlines()[-1])"
    text = run_python(code, CUDA_BINDINGS_LIBCUDA=named, CUDA_BINDINGS_LIBNVRTC="/nowhere/libnvrtc.so.13")
    assert text == (f"Install the CUDA libraries beside this package: pip install 'open-cuda-bindings[{extra}]', "
                    "or name the file in CUDA_BINDINGS_LIBNVRTC.")


def test_library_installed_after_a_failure_is_found_at_the_next_call(tmp_path):
    code = f"""
import os, shutil
from cuda_bindings import driver
first = attempt(driver.cuInit, 0)[0]
shutil.copy({str(FAKES / 'libfakecuda.so')!r}, {str(tmp_path / 'libcuda.so')!r})
print(first, driver.cuInit(0))
"""
    assert run_python(code, CUDA_BINDINGS_LIBCUDA=str(tmp_path / "libcuda.so")) == (
        "LibraryNotFoundError (<CUresult.CUDA_SUCCESS: 0>,)")


def test_missing_function_names_its_release_and_the_driver_and_stops_nothing_else(tmp_path):
    named = variant(tmp_path, "driver", "cuCtxCreate_v4", "cuCheckpointProcessLock")
    code = """
from cuda_bindings import driver
from cuda_bindings.errors import FunctionNotFoundError
try:
    driver.cuCheckpointProcessLock(1, None)
except FunctionNotFoundError as error:
    print(error)
    print(error.function, error.library, error.version, error.introduced, isinstance(error, RuntimeError))
print(attempt(driver.cuCtxCreate, None, 0, driver.CUdevice(0))[1])
print(driver.cuInit(0))
"""
    found = f"the CUDA driver found is 12.2 ({named})"
    assert run_python(code, CUDA_BINDINGS_LIBCUDA=named, FAKE_VERSION="12020").splitlines() == [
        f"cuCheckpointProcessLock() is not available: CUDA 12.8 introduced it, and {found}.",
        "cuCheckpointProcessLock libcuda 12.2 12.8 True",
        f"cuCtxCreate() is not available: CUDA 12.5 introduced it (symbol cuCtxCreate_v4), and {found}.",
        "(<CUresult.CUDA_SUCCESS: 0>,)",
    ]


def test_functions_own_not_found_is_returned_not_raised():
    code = f"""
import ctypes
fake = ctypes.CDLL({FAKE_LIBRARY['CUDA_BINDINGS_LIBCUDA']!r})
hook = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int)(lambda *a: 500)
fake.fake_set_hook(hook)
from cuda_bindings import driver
print(driver.cuMemAlloc(16))
"""
    assert run_python(code, **FAKE_LIBRARY) == "(<CUresult.CUDA_ERROR_NOT_FOUND: 500>, None)"


def test_function_of_an_older_libcudart_with_other_parameters_is_not_called(tmp_path):
    code = """
from cuda_bindings import runtime
print(attempt(runtime.cudaMemPrefetchAsync, 0, 16, runtime.cudaMemLocation(), 0, 0))
print(runtime.cudaGetDeviceCount()[0].name)
"""
    named = FAKE_LIBRARY["CUDA_BINDINGS_LIBCUDART"]
    lines = run_python(code, FAKE_VERSION="12080", **FAKE_LIBRARY).splitlines()
    assert eval(lines[0]) == ("FunctionNotFoundError", (
        "cudaMemPrefetchAsync() is not available: its parameters changed in CUDA 13.0, and the CUDA runtime found is "
        f"12.8 ({named}). To have it, install the CUDA libraries beside this package: "
        "pip install 'open-cuda-bindings[cuda12]'."))
    assert lines[1] == "cudaSuccess"


def test_cu_get_proc_address_is_asked_for_what_is_not_exported(tmp_path):
    # By base name, with the release of the very link name: 3.2 means cuMemAlloc_v2, whatever the driver's own release.
    named = variant(tmp_path, "driver", "cuMemAlloc_v2", "cuCtxCreate_v4", "cuMemFree_v2")
    code = f"""
import ctypes
fake = ctypes.CDLL({named!r})
asked = []
def called(name, words, count):
    if name == b"cuDriverGetVersion":
        ctypes.c_int.from_address(words[0]).value = 12040
    if name == b"cuGetProcAddress_v2":
        asked.append((ctypes.string_at(words[0]).decode(), words[2], words[3]))
        if asked[-1][0] == "cuMemAlloc":
            ctypes.c_void_p.from_address(words[1]).value = ctypes.cast(fake.cuMemFree_found, ctypes.c_void_p).value
    return 0
"""
    code = code.replace("fake.cuMemFree_found", "fake.cuInit") + """
hook = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64), ctypes.c_int)(called)
fake.fake_set_hook(hook)
from cuda_bindings import driver
print(driver.cuMemAlloc(16)[0].name, attempt(driver.cuMemFree, 0)[0], attempt(driver.cuCtxCreate, None, 0, 0)[0], asked)
"""
    assert run_python(code, CUDA_BINDINGS_LIBCUDA=named) == (
        "CUDA_SUCCESS FunctionNotFoundError FunctionNotFoundError "
        "[('cuMemAlloc', 3020, 1), ('cuMemFree', 3020, 1)]")


# ---- default streams ---------------------------------------------------------------------------------------

STREAMS = f"""
import ctypes
from cuda_bindings import driver, runtime
print(attempt(driver.cuStreamSynchronize, 0), attempt(runtime.cudaStreamSynchronize, 0), attempt(driver.cuInit, 0))
for path in {[FAKE_LIBRARY['CUDA_BINDINGS_LIBCUDA'], FAKE_LIBRARY['CUDA_BINDINGS_LIBCUDART']]!r}:
    count = ctypes.CDLL(path).fake_call_count
    print([name for name in ("cuStreamSynchronize", "cuStreamSynchronize_ptsz", "cudaStreamSynchronize",
                             "cudaStreamSynchronize_ptsz") if count(name.encode())])
"""


SETTINGS = [(None, ""), ("0", ""), ("1", "_ptsz"), (" 1 ", "_ptsz"), ("-3", "_ptsz")]


@pytest.mark.parametrize(("value", "suffix"), SETTINGS)
def test_per_thread_default_stream_chooses_the_ptsz_functions(value, suffix):
    setting = {} if value is None else {"CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM": value}
    assert run_python(STREAMS, **setting, **FAKE_LIBRARY).splitlines()[1:] == [
        f"['cuStreamSynchronize{suffix}']", f"['cudaStreamSynchronize{suffix}']"]


def test_per_thread_default_stream_that_is_no_integer_is_an_error_at_the_first_call():
    answer = run_python(STREAMS, CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM="yes", **FAKE_LIBRARY).splitlines()[0]
    error = ("ValueError", "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM must be an integer, not 'yes'")
    assert answer == " ".join([str(error)] * 3)


# ---- threads -----------------------------------------------------------------------------------------------


def test_first_calls_of_sixty_four_threads_all_arrive():
    code = f"""
import ctypes, threading
from cuda_bindings import driver, runtime
sys.setswitchinterval(1e-6)
start = threading.Barrier(64)
results = []
def work(index):
    start.wait()
    results.append((driver.cuInit(0)[0], driver.cuDeviceGet(0)[0], driver.cuMemAlloc(16)[0],
                    runtime.cudaGetDeviceCount()[0]))
threads = [threading.Thread(target=work, args=(index,)) for index in range(64)]
for thread in threads: thread.start()
for thread in threads: thread.join()
count = ctypes.CDLL({FAKE_LIBRARY['CUDA_BINDINGS_LIBCUDA']!r}).fake_call_count
print(len(results), set(map(int, sum(results, ()))), [count(n) for n in (b"cuInit", b"cuDeviceGet", b"cuMemAlloc_v2")])
"""
    assert run_python(code, **FAKE_LIBRARY) == "64 {0} [64, 64, 64]"


def test_functions_that_keep_the_gil_resolve_without_it(tmp_path):
    # The library's constructor waits for another thread, which needs the GIL to let it go on.
    slow = tmp_path / "slow.c"
    slow.write_text("""
#include <unistd.h>
#include <stdio.h>
__attribute__((constructor)) static void wait_for_file(void) {
  for (int tries = 0; tries < 100 && access(GO_ON, F_OK) != 0; ++tries) usleep(50000);
}
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return access(GO_ON, F_OK) == 0 ? 0 : 1; }
""")
    go_on, named = tmp_path / "go_on", tmp_path / "libslow.so"
    subprocess.run(["gcc", "-shared", "-fPIC", f'-DGO_ON="{go_on}"', str(slow), "-o", str(named)], check=True)
    code = f"""
import threading, pathlib
from cuda_bindings import driver
answers = []
thread = threading.Thread(target=lambda: answers.append(driver.cuDeviceGet(3)))
thread.start()
pathlib.Path({str(go_on)!r}).touch()
thread.join()
print(answers[0][0].name, int(answers[0][1]))
"""
    assert run_python(code, CUDA_BINDINGS_LIBCUDA=str(named)) == "CUDA_SUCCESS 3"


def test_function_pointers_can_be_inspected():
    code = """
from cuda_bindings import _native
print(_native.function_states("driver")["cuMemAlloc_v2"], _native.function_pointer("driver", "cuMemAlloc") != 0,
      _native.function_states("driver")["cuMemAlloc_v2"], attempt(_native.function_pointer, "driver", "cuFoo"))
"""
    assert run_python(code, **FAKE_LIBRARY) == (
        "unresolved True resolved ('ValueError', \"'driver' has no function cuFoo\")")
