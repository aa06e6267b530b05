# SPDX-License-Identifier: Apache-2.0
"""The emulated device as a driver of another release: what it then has, and which form of a function it gives; in
processes of their own."""

from __future__ import annotations

import pytest
from test_choice import output

BINDING = """
from cuda_bindings import driver, nvrtc, runtime
driver.cuInit(0)
"""
ASKING = """
import ctypes
from cuda_bindings import emulator
cuda = ctypes.CDLL(emulator.library())
def ask(name, version, flags=0):
    function, status = ctypes.c_void_p(), ctypes.c_int(-1)
    answer = cuda.cuGetProcAddress_v2(name.encode(), ctypes.byref(function), version, ctypes.c_uint64(flags),
                                      ctypes.byref(status))
    return answer, status.value, function.value
def link_name(name, version, flags=0):
    address = ask(name, version, flags)[2]
    names = [end + stream for end in ("", "_v2", "_v3", "_v4") for stream in ("", "_ptsz", "_ptds")]
    return [name + end for end in names if hasattr(cuda, name + end)
            and ctypes.cast(getattr(cuda, name + end), ctypes.c_void_p).value == address]
"""
FOUND, UNKNOWN, TOO_NEW = 0, 1, 2  # CUdriverProcAddressQueryResult


def played(release: str, code: str) -> list[str]:
    """The lines that the code prints where the emulated device plays the driver of that release."""
    return output(code, CUDA_BINDINGS_DEVICE="emulated", CUDA_BINDINGS_EMULATOR_DRIVER_VERSION=release).splitlines()


@pytest.mark.parametrize(("release", "number"), [("12.2", "12020"), ("12040", "12040"), ("13.0", "13000")])
def test_the_driver_says_the_release_that_it_plays(release, number):
    assert played(release, BINDING + "print(driver.cuDriverGetVersion()[1])") == [number]


def test_without_a_wish_it_is_a_driver_of_the_newest_release_that_it_knows():
    assert output(BINDING + "print(driver.cuDriverGetVersion()[1])", CUDA_BINDINGS_DEVICE="emulated") == "13000\n"


@pytest.mark.parametrize(("call", "reason"), [
    ("cuLibraryEnumerateKernels(1, driver.CUlibrary(0))", "CUDA 12.4 introduced it, and"),
    ("cuDeviceGetDevResource(0, driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM)", "CUDA 12.4 introduced it, and"),
    ("cuCtxCreate(None, 0, 0)", "CUDA 12.5 introduced it (symbol cuCtxCreate_v4), and"),
    ("cuEventElapsedTime(None, None)", "CUDA 12.8 introduced it (symbol cuEventElapsedTime_v2), and"),
    ("cuCtxGetDevice_v2(None)", "CUDA 13.0 introduced it, and")])
def test_the_binding_does_not_find_what_is_newer(call, reason):
    code = BINDING + (f"try: driver.{call}\n"
                      "except Exception as error: print(type(error).__name__, error)")
    name = call.split("(")[0]
    (line,) = played("12.2", code)
    assert line.startswith(f"FunctionNotFoundError {name}() is not available: {reason} the CUDA driver found is 12.2 (")


def test_the_binding_finds_what_is_as_old():
    code = BINDING + """
location, advice = driver.CUmemLocation(), driver.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY
print(driver.cuCtxCreate_v3(None, 0, 0, 0)[0].name)
print(driver.cuMemAdvise(1, 1, advice, location)[0].name)  # the form with a location came with 12.2
"""
    assert played("12.2", code) == ["CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE"]


def test_the_same_calls_are_found_in_a_driver_that_is_new_enough():
    code = BINDING + "print(driver.cuCtxCreate(None, 0, 0)[0].name, driver.cuEventElapsedTime(None, None)[0].name)"
    assert played("12.8", code) == ["CUDA_SUCCESS CUDA_ERROR_INVALID_HANDLE"]


def test_names_newer_than_the_driver_are_unknown_to_it():
    code = ASKING + "for name in ('cuGreenCtxCreate', 'cuMemGetInfo', 'cuNothing'): print(ask(name, 13000)[:2])"
    assert played("12.2", code) == [f"(0, {UNKNOWN})", f"(0, {FOUND})", f"(0, {UNKNOWN})"]
    assert played("12.4", code) == [f"(0, {FOUND})", f"(0, {FOUND})", f"(0, {UNKNOWN})"]


def test_a_caller_of_an_older_release_is_told_that_the_function_is_newer():
    code = ASKING + "print(ask('cuLibraryLoadData', 11080)); print(ask('cuLibraryLoadData', 12000)[:2])"
    assert played("12.2", code) == [f"(0, {TOO_NEW}, None)", f"(0, {FOUND})"]


def test_without_a_place_for_the_status_a_missing_name_is_an_error():
    code = ASKING + """
place = ctypes.byref(ctypes.c_void_p())
print(cuda.cuGetProcAddress_v2(b"cuNothing", place, 12000, ctypes.c_uint64(0), None))
"""
    assert played("12.2", code) == ["500"]


@pytest.mark.parametrize(("name", "version", "form"), [
    ("cuCtxGetDevice", 12000, "cuCtxGetDevice"), ("cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"),
    ("cuCtxCreate", 11000, "cuCtxCreate_v2"), ("cuCtxCreate", 11040, "cuCtxCreate_v3"),
    ("cuCtxCreate", 12040, "cuCtxCreate_v3"), ("cuCtxCreate", 12050, "cuCtxCreate_v4"),
    ("cuEventElapsedTime", 12070, "cuEventElapsedTime"), ("cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"),
    ("cuMemAdvise", 12010, "cuMemAdvise"), ("cuMemAdvise", 12020, "cuMemAdvise_v2"),
    ("cuGetProcAddress", 11030, "cuGetProcAddress"), ("cuGetProcAddress", 12000, "cuGetProcAddress_v2")])
def test_a_name_means_its_form_of_the_callers_release(name, version, form):
    assert played("13.0", ASKING + f"print(*link_name({name!r}, {version}))") == [form]


def test_an_old_driver_has_only_the_old_form_whoever_asks():
    code = ASKING + "print(*link_name('cuCtxGetDevice', 13000), *link_name('cuEventElapsedTime', 13000))"
    assert played("12.2", code) == ["cuCtxGetDevice cuEventElapsedTime"]


def test_each_form_takes_its_own_arguments():
    code = ASKING + """
cuda.cuInit(0)
context, device = ctypes.c_void_p(), ctypes.c_int(-1)
new = ctypes.byref(context)
def form(name, version): return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 5)(ask(name, version)[2])
print(form("cuCtxCreate", 11000)(new, 0, 0, 0, 0), form("cuCtxCreate", 11040)(new, None, 0, 0, 0),
      form("cuCtxCreate", 13000)(new, None, 0, 0, 0))
place = ctypes.byref(device)
print(form("cuCtxGetDevice", 12000)(place, 0x99, 0, 0, 0), device.value)
device.value = -1
print(form("cuCtxGetDevice", 13000)(place, context, 0, 0, 0), device.value,
      form("cuCtxGetDevice", 13000)(place, 0x99, 0, 0, 0))
"""
    lines = played("13.0", code)
    assert lines[:2] == ["0 0 0", "0 0"]
    succeeded, device, refused = lines[2].split()
    assert (succeeded, device) == ("0", "0") and refused != "0"


def test_a_flag_asks_for_the_form_whose_default_stream_is_the_threads_own():
    code = ASKING + """
legacy, per_thread = 1, 2
print(*link_name("cuStreamSynchronize", 12000, legacy), *link_name("cuStreamSynchronize", 12000, per_thread))
print(*link_name("cuMemcpyHtoD", 12000, per_thread), *link_name("cuMemGetInfo", 12000, per_thread))
print(ask("cuStreamSynchronize", 12000, legacy | per_thread)[0])
"""
    assert played("13.0", code) == ["cuStreamSynchronize cuStreamSynchronize_ptsz",
                                    "cuMemcpyHtoD_v2_ptds cuMemGetInfo_v2", "1"]


def test_ptx_newer_than_the_driver_is_refused():
    code = BINDING + """
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
for version in (b"8.2", b"8.3"):
    print(driver.cuModuleLoadData(b".version " + version + b"\\n.target sm_80\\n.address_size 64\\n\\0")[0].name)
"""
    assert played("12.2", code) == ["CUDA_SUCCESS", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"]


def test_the_runtime_does_not_start_on_a_driver_of_an_older_major_release():
    code = BINDING + "print(runtime.cudaMalloc(4)[0].name, runtime.cudaGetLastError()[0].name)"
    assert played("12.2", code) == ["cudaErrorInsufficientDriver cudaErrorInsufficientDriver"]
