# SPDX-License-Identifier: Apache-2.0
"""Modules and libraries: loading, options with logs, linking, globals, kernels and what is known about them."""

from __future__ import annotations

import ctypes
import uuid

import pytest
from gpu import copy_out, ints, launch, ok


def test_constant_memory_and_globals(driver, module, kernel, memory):
    address, size = ok(driver.cuModuleGetGlobal(module, b"table"))
    assert type(address) is driver.CUdeviceptr and size == 16
    ok(driver.cuMemcpyHtoD(address, ints(4, 3, 2, 1), 16))
    out = memory(16)
    launch(driver, kernel(b"from_constant"), ((out,), (None,)), 1, 4)
    assert copy_out(driver, out, 4) == [4, 3, 2, 1]
    launch(driver, kernel(b"count"), None, 10, 10)
    counter, size = ok(driver.cuModuleGetGlobal(module, b"counter"))
    assert size == 4 and copy_out(driver, counter, 1) == [100]


def test_functions_of_a_module(driver, module, kernel):
    count = ok(driver.cuModuleGetFunctionCount(module))
    functions = ok(driver.cuModuleEnumerateFunctions(count, module))
    assert len(functions) == count and kernel(b"saxpy") in functions
    assert ok(driver.cuFuncGetName(kernel(b"saxpy"))) == b"saxpy"
    assert ok(driver.cuFuncGetModule(kernel(b"saxpy"))) == module
    assert [ok(driver.cuFuncGetParamInfo(kernel(b"saxpy"), i)) for i in range(5)] == [
        (0, 4), (8, 8), (16, 8), (24, 8), (32, 8)]
    assert ok(driver.cuFuncGetAttribute(
        driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel(b"saxpy"))) >= 32
    ok(driver.cuFuncLoad(kernel(b"saxpy")))
    assert ok(driver.cuFuncIsLoaded(kernel(b"saxpy"))) is (
        driver.CUfunctionLoadingState.CU_FUNCTION_LOADING_STATE_LOADED)
    assert isinstance(ok(driver.cuModuleGetLoadingMode()), driver.CUmoduleLoadingMode)


@pytest.mark.provokes_errors
def test_names_that_are_not_there(driver, module):
    assert driver.cuModuleGetFunction(module, b"none") == (driver.CUresult.CUDA_ERROR_NOT_FOUND, None)
    assert driver.cuModuleGetGlobal(module, b"none") == (driver.CUresult.CUDA_ERROR_NOT_FOUND, None, None)
    assert driver.cuKernelGetName(0) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)
    assert driver.cuFuncGetName(0) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)


def test_image_from_a_file(driver, context, kernels_cubin, tmp_path):
    path = tmp_path / "kernels.cubin"
    path.write_bytes(kernels_cubin)
    module = ok(driver.cuModuleLoad(str(path).encode()))
    assert int(ok(driver.cuModuleGetFunction(module, b"saxpy")))
    ok(driver.cuModuleUnload(module))


def test_image_from_numpy(driver, context, kernels_ptx):
    numpy = pytest.importorskip("numpy")
    image = numpy.char.array(bytes(kernels_ptx))
    for form in (image, image.ctypes.data):
        ok(driver.cuModuleUnload(ok(driver.cuModuleLoadData(form))))


def test_options_with_logs_and_values_that_come_back(driver, context, kernels_ptx):
    option = driver.CUjit_option
    log, filled, wall = bytearray(8192), ctypes.c_uint(8192), ctypes.c_float(0)
    # PTX that no cache has seen: what comes from the cache has no log.
    text = bytes(kernels_ptx).rstrip(b"\0") + f"\n// {uuid.uuid4()}\n\0".encode()
    module = ok(driver.cuModuleLoadDataEx(
        text, 5,
        [option.CU_JIT_INFO_LOG_BUFFER, option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, option.CU_JIT_LOG_VERBOSE,
         option.CU_JIT_MAX_REGISTERS, option.CU_JIT_WALL_TIME], [log, filled, 1, 32, wall]))
    found = bytes(log).split(b"\0", 1)[0]
    assert b"ptxas info" in found
    assert len(found) <= filled.value <= len(found) + 1
    assert wall.value > 0
    ok(driver.cuModuleUnload(module))


@pytest.mark.provokes_errors
def test_the_error_log_of_bad_ptx(driver, context):
    option = driver.CUjit_option
    log = bytearray(4096)
    status, module = driver.cuModuleLoadDataEx(
        b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { nonsense; }\0", 2,
        [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], [log, 4096])
    assert status is driver.CUresult.CUDA_ERROR_INVALID_PTX and module is None
    assert b"nonsense" in log or b"ptxas" in log


def test_linking(driver, context, kernels_ptx):
    option = driver.CUjit_option
    log = bytearray(4096)
    state = ok(driver.cuLinkCreate(3, [option.CU_JIT_INFO_LOG_BUFFER, option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                                       option.CU_JIT_LOG_VERBOSE], [log, 4096, 1]))
    image = bytes(kernels_ptx).rstrip(b"\0") + f"\n// {uuid.uuid4()}\n\0".encode()
    ok(driver.cuLinkAddData(state, driver.CUjitInputType.CU_JIT_INPUT_PTX, image, len(image),
                            b"kernels.ptx", 0, [], []))
    address, size = ok(driver.cuLinkComplete(state))
    assert type(address) is int and ctypes.string_at(address, 4) == b"\x7fELF" and size > 1000
    module = ok(driver.cuModuleLoadData(address))
    assert int(ok(driver.cuModuleGetFunction(module, b"add")))
    ok(driver.cuModuleUnload(module))
    ok(driver.cuLinkDestroy(state))
    assert log.strip(b"\0")


def test_libraries_and_kernels(driver, context, device, kernels_cubin, memory):
    library = ok(driver.cuLibraryLoadData(kernels_cubin, None, None, 0, None, None, 0))
    count = ok(driver.cuLibraryGetKernelCount(library))
    kernels = ok(driver.cuLibraryEnumerateKernels(count, library))
    assert {type(k) for k in kernels} == {driver.CUkernel}
    assert b"add" in {ok(driver.cuKernelGetName(k)) for k in kernels}
    add = ok(driver.cuLibraryGetKernel(library, b"add"))
    assert ok(driver.cuKernelGetLibrary(add)) == library
    assert ok(driver.cuKernelGetParamInfo(add, 1)) == (8, 4)
    assert ok(driver.cuKernelGetAttribute(
        driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add, device)) > 0
    address, size = ok(driver.cuLibraryGetGlobal(library, b"counter"))
    assert type(address) is driver.CUdeviceptr and size == 4
    data = memory(4)
    ok(driver.cuMemsetD32(data, 0, 1))
    arguments = ((data, 4, 1), (None, ctypes.c_int, ctypes.c_int))
    launch(driver, add, arguments)                                    # a kernel stands for a function
    launch(driver, int(add), arguments)
    launch(driver, ok(driver.cuKernelGetFunction(add)), arguments)
    assert copy_out(driver, data, 1) == [12]
    assert type(ok(driver.cuLibraryGetModule(library))) is driver.CUmodule
    ok(driver.cuLibraryUnload(library))


def test_library_options(driver, context, kernels_ptx):
    option = driver.CUjit_option
    log = bytearray(4096)
    library = ok(driver.cuLibraryLoadData(
        kernels_ptx, [option.CU_JIT_INFO_LOG_BUFFER, option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES], [log, 4096], 2,
        [driver.CUlibraryOption.CU_LIBRARY_BINARY_IS_PRESERVED], [0], 1))
    assert int(ok(driver.cuLibraryGetKernel(library, b"saxpy")))
    ok(driver.cuLibraryUnload(library))


def test_proc_addresses(driver, device):
    address, result = ok(driver.cuGetProcAddress(b"cuMemAlloc", 13000, 0))
    assert address and result is driver.CUdriverProcAddressQueryResult.CU_GET_PROC_ADDRESS_SUCCESS
    address, result = ok(driver.cuGetProcAddress(b"cuNoSuchFunction", 13000, 0))
    assert not address and result is driver.CUdriverProcAddressQueryResult.CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
