# SPDX-License-Identifier: Apache-2.0
"""The null driver: it exports every link name, counts calls, and answers cuGetProcAddress by release."""

import ctypes

import pytest

from null_driver import generate


@pytest.fixture(scope="module")
def library(null_folder):
    """The null libcuda."""
    found = ctypes.CDLL(str(null_folder / "libcuda.so.1"))
    found.null_driver_calls.restype = ctypes.c_uint64
    return found


@pytest.mark.parametrize("name", ["cuInit", "cuMemFree", "cuMemFree_v2", "cuCtxCreate_v4", "cuMemcpyBatchAsync_ptsz",
                                  "cuLaunchKernel_ptsz", "cuMemcpyHtoD_v2_ptds", "cuCheckpointProcessLock"])
def test_every_kind_of_link_name_is_a_function_that_returns_0(library, name):
    assert getattr(library, name)(0, 0, 0, 0) == 0


def test_it_exports_the_link_names_of_all_three_libraries():
    found = generate.functions()
    names = {library: generate.link_names(found, library) for library in ("driver", "runtime", "nvrtc")}
    assert "cuStreamQuery_ptsz" in names["driver"] and "cudaGetDeviceProperties" in names["runtime"]
    assert "nvrtcCompileProgram" in names["nvrtc"]
    assert len(names["driver"]) > 600 and not set(names["driver"]) & set(names["runtime"])


def test_calls_are_counted_by_name(library):
    before = library.null_driver_calls(b"cuCtxSynchronize")
    library.cuCtxSynchronize()
    library.cuCtxSynchronize()
    assert library.null_driver_calls(b"cuCtxSynchronize") - before == 2


def test_an_unknown_name_has_no_count(library):
    assert library.null_driver_calls(b"cuNoSuchFunction") == 2**64 - 1


@pytest.mark.parametrize(("name", "release", "link"), [
    (b"cuMemAlloc", 3020, "cuMemAlloc_v2"), (b"cuMemAlloc", 2000, "cuMemAlloc"),
    (b"cuCtxCreate", 13000, "cuCtxCreate_v4"), (b"cuCtxCreate", 12040, "cuCtxCreate_v3"),
    (b"cuCtxCreate", 3020, "cuCtxCreate_v2"), (b"cuStreamQuery", 13000, "cuStreamQuery"),
])
def test_get_proc_address_gives_the_form_of_the_release(library, name, release, link):
    function, status = ctypes.c_void_p(), ctypes.c_int(-1)
    assert library.cuGetProcAddress_v2(name, ctypes.byref(function), release, ctypes.c_uint64(0),
                                       ctypes.byref(status)) == 0
    assert function.value == ctypes.cast(getattr(library, link), ctypes.c_void_p).value
    assert status.value == 0


def test_get_proc_address_does_not_find_what_nobody_declared(library):
    function = ctypes.c_void_p()
    assert library.cuGetProcAddress_v2(b"cuFromTheFuture", ctypes.byref(function), 13000, ctypes.c_uint64(0),
                                       None) == 500


def test_a_launch_is_recorded_with_its_arguments(library):
    values = (ctypes.c_float * 1)(2.0), (ctypes.c_uint64 * 1)(77)
    addresses = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in values))
    library.null_driver_kernel_arguments(2, bytes([4, 8]))
    library.null_driver_record(1)
    library.cuLaunchKernel(None, 3, 1, 1, 64, 1, 1, 0, None, addresses, None)
    library.null_driver_record(0)
    found = (ctypes.c_uint64 * 256)()
    assert library.null_driver_recorded(found) == 12
    assert list(found[:12]) == [0, 3, 1, 1, 64, 1, 1, 0, 0, 0, 0x40000000, 77]
