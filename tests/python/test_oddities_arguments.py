# SPDX-License-Identifier: Apache-2.0
"""Functions chosen for their oddity, written out in full: what they take ("b10" to "b15" name the special cases)."""

from __future__ import annotations

import ctypes
import struct

import pytest
from recorder import i32, read, script, u64, write_number

# --- b10: options --------------------------------------------------------------------------------------------------

def test_b10_numbers_are_packed_into_the_pointers(driver, cuda):
    options = driver.CUjit_option
    seen = script(cuda, "cuModuleLoadDataEx", writes={0: u64(0x31)}, peeks={3: 12, 4: 24})
    status, module = driver.cuModuleLoadDataEx(
        b"ptx\0", 3, [options.CU_JIT_MAX_REGISTERS, options.CU_JIT_TARGET, options.CU_JIT_CACHE_MODE],
        [64, driver.CUjit_target.CU_TARGET_COMPUTE_90, driver.CUjit_cacheMode.CU_JIT_CACHE_OPTION_CA])
    assert int(module) == 0x31
    assert seen.memory[3] == i32(int(options.CU_JIT_MAX_REGISTERS), int(options.CU_JIT_TARGET),
                                 int(options.CU_JIT_CACHE_MODE))
    assert [v & 0xFFFFFFFF for v in struct.unpack("<3Q", seen.memory[4])] == [64, 90, 2]


def test_b10_log_buffers_are_filled_in_place(driver, cuda):
    options = driver.CUjit_option
    log = bytearray(64)

    def handler(link: str, words) -> int:
        address, size = struct.unpack("<2Q", read(words[4], 16))
        assert size == 64
        ctypes.memmove(address, b"ptxas info\0", 11)
        return 0
    cuda.on("cuModuleLoadDataEx", handler)
    driver.cuModuleLoadDataEx(b"ptx\0", 2, [options.CU_JIT_INFO_LOG_BUFFER,
                                            options.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES], [log, 64])
    assert log.startswith(b"ptxas info\0")


def test_b10_no_options_with_a_list_of_keys_is_legal(driver, cuda):
    options = driver.CUjit_option
    seen = script(cuda, "cuModuleLoadDataEx")
    driver.cuModuleLoadDataEx(b"ptx\0", 0, [options.CU_JIT_MAX_REGISTERS] * 5, [])
    assert seen.words[2] & 0xFFFFFFFF == 0


def test_b10_more_options_than_the_lists_hold_are_refused(driver, cuda):
    seen = script(cuda, "cuModuleLoadDataEx")
    with pytest.raises(RuntimeError):
        driver.cuModuleLoadDataEx(b"ptx\0", 2, [driver.CUjit_option.CU_JIT_MAX_REGISTERS], [1])
    with pytest.raises(TypeError):
        driver.cuModuleLoadDataEx(b"ptx\0", 1, [driver.CUresult.CUDA_SUCCESS], [1])
    assert seen.count == 0


def test_b10_link_state_keeps_the_options_alive(driver, cuda):
    options = driver.CUjit_option
    log = bytearray(b"-" * 32)
    places = {}

    def create(link: str, words) -> int:
        places["log"] = struct.unpack("<Q", read(words[2], 8))[0]
        write_number(words[3], 0x99, 8)
        return 0

    def complete(link: str, words) -> int:
        ctypes.memmove(places["log"], b"linked\0", 7)
        write_number(words[1], 0xC0DE, 8)
        write_number(words[2], 100, 8)
        return 0
    cuda.on("cuLinkCreate_v2", create)
    cuda.on("cuLinkComplete", complete)
    status, state = driver.cuLinkCreate(2, [options.CU_JIT_ERROR_LOG_BUFFER,
                                            options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], [log, 32])
    assert type(state) is driver.CUlinkState
    assert driver.cuLinkComplete(state) == (driver.CUresult.CUDA_SUCCESS, 0xC0DE, 100)
    assert log.startswith(b"linked\0")


# --- b11: kernel parameters ----------------------------------------------------------------------------------------

LAUNCH = (1, 2, 3, 4, 5, 6, 7)


def _launch(driver, cuda, parameters, sizes: list[int], extra: int = 0) -> list[bytes]:
    """Launches and returns the bytes that each argument's pointer led to."""
    found: list[bytes] = []

    def handler(link: str, words) -> int:
        assert words[0] == 0x10 and [w & 0xFFFFFFFF for w in words[1:8]] == list(LAUNCH) and words[8] == 0x20
        if sizes:
            found.extend(read(pointer, size)
                         for pointer, size in zip(struct.unpack(f"<{len(sizes)}Q", read(words[9], 8 * len(sizes))),
                                                  sizes, strict=True))
        else:
            assert words[9] == 0
        assert words[10] == extra
        return 0
    cuda.on("cuLaunchKernel", handler)
    assert driver.cuLaunchKernel(driver.CUfunction(0x10), *LAUNCH, driver.CUstream(0x20), parameters, extra) == (0,)
    cuda.check()
    return found


def test_b11_no_parameters(driver, cuda):
    for nothing in (None, 0, ((), ())):
        assert _launch(driver, cuda, nothing, []) == []


def test_b11_values_with_their_types(driver, cuda):
    values = (-1, 2**64 - 1, 1.5, 2.5, True, b"c", ctypes.c_int(9))
    types = (ctypes.c_int, ctypes.c_size_t, ctypes.c_float, ctypes.c_double, ctypes.c_bool, ctypes.c_char,
             ctypes.c_int)
    assert _launch(driver, cuda, (values, types), [4, 8, 4, 8, 1, 1, 4]) == [
        i32(-1), u64(2**64 - 1), struct.pack("<f", 1.5), struct.pack("<d", 2.5), b"\x01", b"c", i32(9)]


def test_b11_type_none_passes_the_value_of_a_handle_and_c_void_p_its_address(driver, cuda):
    pointer = driver.CUdeviceptr(0x7F00_0000_1000)
    assert _launch(driver, cuda, ((pointer, pointer), (None, ctypes.c_void_p)), [8, 8]) == [
        u64(0x7F00_0000_1000), u64(pointer.getPtr())]


def test_b11_structures_by_value_and_enum_members_as_c_ints(driver, cuda):
    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    assert _launch(driver, cuda, ((Pair(3, 4.5), mode), (None, None)), [16, 4]) == [
        struct.pack("<i4xd", 3, 4.5), i32(2)]


def test_b11_records_of_the_package_by_value(driver, runtime, cuda):
    size = runtime.dim3()
    size.y = 9
    assert _launch(driver, cuda, ((size,), (None,)), [12]) == [struct.pack("<3I", 1, 9, 1)]


def test_b11_a_ready_array_by_address_and_by_buffer(driver, cuda):
    value = ctypes.c_int(41)
    array = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    assert _launch(driver, cuda, ctypes.addressof(array), [4]) == [i32(41)]
    assert _launch(driver, cuda, array, [4]) == [i32(41)]
    numpy = pytest.importorskip("numpy")
    packed = numpy.array([ctypes.addressof(value)], dtype=numpy.uint64)
    assert _launch(driver, cuda, packed, [4]) == [i32(41)]
    assert _launch(driver, cuda, packed.ctypes.data, [4]) == [i32(41)]


def test_b11_lists_and_uneven_tuples_are_refused(driver, cuda):
    arguments = (driver.CUfunction(1), *LAUNCH, 0)
    for wrong in ([1], "text", ((1, 2), (ctypes.c_int,)), ((1,), (int,)), ((object(),), (None,))):
        with pytest.raises((TypeError, ValueError)):
            driver.cuLaunchKernel(*arguments, wrong, 0)
    with pytest.raises(TypeError):
        driver.cuLaunchKernel(*arguments, None, None)
    assert cuda.calls == []


def test_kernel_arguments_as_one_flat_tuple(driver, cuda):
    numpy = pytest.importorskip("numpy")
    pointer = driver.CUdeviceptr(0x7F00_0000_2000)
    found = _launch(driver, cuda, (pointer, numpy.float32(2.5), ctypes.c_int(-3), numpy.int64(2**40)), [8, 4, 4, 8])
    assert found == [u64(0x7F00_0000_2000), struct.pack("<f", 2.5), i32(-3), u64(2**40)]


def test_launch_with_configuration_and_attributes(driver, cuda):
    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    attribute.value.cooperative = 1
    config = driver.CUlaunchConfig()
    config.gridDimX, config.blockDimX, config.attrs, config.numAttrs = 4, 128, [attribute], 1

    def handler(link: str, words) -> int:
        # gridDim 3*4, blockDim 3*4, shared 4, stream 8, attrs 8, numAttrs 4
        attrs, count = struct.unpack("<QI", read(words[0] + 40, 12))
        assert count == 1 and read(attrs, 4) == i32(int(attribute.id)) and read(attrs + 8, 4) == i32(1)
        assert read(words[0], 4) == i32(4)
        return 0
    cuda.on("cuLaunchKernelEx", handler)
    assert driver.cuLaunchKernelEx(config, driver.CUfunction(1), None, 0) == (0,)


def test_runtime_launch_takes_a_kernel_handle(runtime, cudart):
    grid, block = runtime.dim3(), runtime.dim3()
    grid.x, block.x = 7, 256
    seen = script(cudart, "cudaLaunchKernel", peeks={1: 12, 2: 12})
    runtime.cudaLaunchKernel(runtime.cudaKernel_t(0x77), grid, block, ((5,), (ctypes.c_int,)), 64,
                             runtime.cudaStream_t(9))
    assert seen.words[0] == 0x77
    assert (seen.memory[1], seen.memory[2]) == (struct.pack("<3I", 7, 1, 1), struct.pack("<3I", 256, 1, 1))
    assert seen.words[4:6] == [64, 9]


# --- b12: callbacks ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE])
def test_b12_a_callback_aliases_the_ctypes_buffer_and_runs(driver, cuda, kind):
    seen = []
    function = kind(None, ctypes.c_void_p)(seen.append)
    callback = driver.CUhostFn(_ptr=ctypes.addressof(function))
    code = ctypes.c_void_p.from_buffer(function).value
    assert int(callback) == code

    def handler(link: str, words) -> int:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(words[1])(words[2])
        return 0
    cuda.on("cuLaunchHostFunc", handler)
    data = (ctypes.c_char * 4)()
    driver.cuLaunchHostFunc(driver.CUstream(0), callback, data)
    assert seen == [ctypes.addressof(data)]
    driver.cuLaunchHostFunc(driver.CUstream(0), code, ctypes.addressof(data))    # an int is the code's address
    assert len(seen) == 2


# --- b13, b14: numbers and None ------------------------------------------------------------------------------------

def test_b13_integral_floats_and_numpy_numbers_are_sizes(driver, cuda):
    seen = script(cuda, "cuMemAlloc_v2")
    driver.cuMemAlloc((16 * 80) / 8)
    assert seen.words[1] == 160
    numpy = pytest.importorskip("numpy")
    for size in (numpy.int32(160), numpy.uint64(160), numpy.float64(160.0)):
        driver.cuMemAlloc(size)
        assert seen.words[1] == 160


def test_b13_what_has_an_index_is_a_number(driver, cuda):
    class Sized:
        def __index__(self) -> int:
            return 48
    seen = script(cuda, "cuMemAlloc_v2")
    driver.cuMemAlloc(Sized())
    assert seen.words[1] == 48


@pytest.mark.parametrize("wrong", [1.5, float("nan"), float("inf"), "8", None, b"8"])
def test_b13_what_is_no_number_is_refused(driver, cuda, wrong):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        driver.cuMemAlloc(wrong)
    assert cuda.calls == []


@pytest.mark.parametrize("wrong", [-1, 2**64])
def test_b13_what_does_not_fit_overflows(driver, cuda, wrong):
    with pytest.raises(OverflowError):
        driver.cuMemAlloc(wrong)
    with pytest.raises(OverflowError):
        driver.cuInit(wrong)
    assert cuda.calls == []


def test_b14_none_is_a_null_handle_record_and_list(driver, cuda):
    seen = script(cuda, "cuGraphAddKernelNode_v2")
    driver.cuGraphAddKernelNode(None, None, 0, None)
    assert seen.words[1:5] == [0, 0, 0, 0]


def test_b14_none_is_no_enum_no_record_by_value_and_no_device(driver, cuda):
    for call in (lambda: driver.cuDeviceGetAttribute(None, 0), lambda: driver.cuIpcOpenMemHandle(None, 0),
                 lambda: driver.cuMemPrefetchAsync(1, 1, None, 0, None), lambda: driver.cuDeviceGetName(8, None),
                 lambda: driver.cuMemcpyBatchAsync(None, None, None, 0, None, [], 0, None)):
        with pytest.raises(TypeError):
            call()
    assert cuda.calls == []


# --- b15: addresses ------------------------------------------------------------------------------------------------

def test_b15_a_number_is_the_address_itself(driver, cuda):
    seen = script(cuda, "cuMemcpyHtoD_v2")
    driver.cuMemcpyHtoD(0x1000, 0x2000, 64)
    assert seen.words == [0x1000, 0x2000, 64]
    driver.cuMemcpyHtoD(0x1000, driver.CUdeviceptr(0x3000), 64)
    assert seen.words[1] == 0x3000
    driver.cuMemcpyHtoD(0x1000, None, 0)
    assert seen.words[1] == 0


def test_b15_a_buffer_is_its_start(driver, cuda):
    seen = script(cuda, "cuMemcpyHtoD_v2", peeks={1: 4})
    for buffer in (b"abcd", bytearray(b"abcd"), memoryview(b"abcd"), (ctypes.c_char * 4)(*b"abcd")):
        driver.cuMemcpyHtoD(0x1000, buffer, 4)
        assert seen.memory[1] == b"abcd"


def test_b15_numpy_arrays_and_one_element_byte_arrays_are_buffers(driver, cuda):
    numpy = pytest.importorskip("numpy")
    seen = script(cuda, "cuModuleLoadData", peeks={1: 9})
    text = numpy.char.array(b"ptx image")
    for image in (text, text.ctypes.data, numpy.frombuffer(b"ptx image", dtype=numpy.uint8)):
        driver.cuModuleLoadData(image)
        assert seen.memory[1] == b"ptx image"


def test_b15_a_numpy_scalar_array_is_an_address_only_if_unsigned(driver, cuda):
    numpy = pytest.importorskip("numpy")
    seen = script(cuda, "cuMemcpyHtoD_v2")
    driver.cuMemcpyHtoD(0x1000, numpy.array(0x7000, dtype=numpy.uint64), 0)
    assert seen.words[1] == 0x7000


@pytest.mark.parametrize("wrong", ["text", -1, 2**64, object(), [1], 1.5])
def test_b15_what_is_no_address_is_refused(driver, cuda, wrong):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        driver.cuMemcpyHtoD(0x1000, wrong, 4)
    assert cuda.calls == []


def test_b15_a_short_or_read_only_destination_is_refused(driver, cuda):
    with pytest.raises((TypeError, ValueError)):
        driver.cuMemcpyDtoH(bytearray(3), 0x1000, 4)
    with pytest.raises((TypeError, ValueError, BufferError)):
        driver.cuMemcpyDtoH(b"abcd", 0x1000, 4)
    numpy = pytest.importorskip("numpy")
    with pytest.raises((TypeError, ValueError, BufferError)):
        driver.cuMemcpyDtoH(numpy.zeros((4, 4), dtype=numpy.uint8)[:, 0], 0x1000, 4)
    assert cuda.calls == []
