# SPDX-License-Identifier: Apache-2.0
"""Launches: the SAXPY, all forms of kernel arguments, cooperative launches, clusters, errors of launches."""

from __future__ import annotations

import ctypes

import pytest
from gpu import copy_out, floats, ints, launch, ok

N = 1 << 16


@pytest.mark.parametrize("image", ["kernels_cubin", "kernels_ptx"])
def test_saxpy(driver, stream, memory, image, request):
    module = ok(driver.cuModuleLoadData(request.getfixturevalue(image)))
    saxpy = ok(driver.cuModuleGetFunction(module, b"saxpy"))
    x = floats(*(i / 8 for i in range(N)))       # exact in a float, and so is the result
    y = floats(*(N - i for i in range(N)))
    d_x, d_y, d_out = (memory(4 * N) for _ in range(3))
    ok(driver.cuMemcpyHtoDAsync(d_x, x, 4 * N, stream))
    ok(driver.cuMemcpyHtoDAsync(d_y, y, 4 * N, stream))
    arguments = ((2.0, d_x, d_y, d_out, N), (ctypes.c_float, None, None, None, ctypes.c_size_t))
    ok(driver.cuLaunchKernel(saxpy, N // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
    out = (ctypes.c_float * N)()
    ok(driver.cuMemcpyDtoHAsync(out, d_out, 4 * N, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert list(out) == [2 * x[i] + y[i] for i in range(N)]
    ok(driver.cuModuleUnload(module))


def test_every_form_of_arguments_gives_the_same(driver, kernel, memory):
    data = memory(4)
    add = kernel(b"add")
    pointer = ctypes.c_uint64(int(data))
    value, count = ctypes.c_int(5), ctypes.c_int(1)
    array = (ctypes.c_void_p * 3)(*(ctypes.addressof(a) for a in (pointer, value, count)))
    forms = [
        ((data, 5, 1), (None, ctypes.c_int, ctypes.c_int)),
        ((int(data), value, count), (ctypes.c_void_p, ctypes.c_int, ctypes.c_int)),
        ((driver.CUdeviceptr(int(data)), ctypes.c_int(5), 1), (None, ctypes.c_int, ctypes.c_int)),
        array, ctypes.addressof(array),
        (data, ctypes.c_int(5), ctypes.c_int(1)),      # one flat tuple of values that say what they are
    ]
    for number, form in enumerate(forms):
        ok(driver.cuMemsetD32(data, 100 * number, 1))
        launch(driver, add, form)
        assert copy_out(driver, data, 1) == [100 * number + 5], number


def test_numpy_arguments(driver, kernel, memory):
    numpy = pytest.importorskip("numpy")
    data = memory(4)
    ok(driver.cuMemsetD32(data, 0, 1))
    launch(driver, kernel(b"add"), (data, numpy.int32(7), numpy.int32(1)))
    assert copy_out(driver, data, 1) == [7]
    values = [numpy.array([int(data)], dtype=numpy.uint64), numpy.array([3], dtype=numpy.int32),
              numpy.array([1], dtype=numpy.int32)]
    packed = numpy.array([v.ctypes.data for v in values], dtype=numpy.uint64)
    launch(driver, kernel(b"add"), packed)
    launch(driver, kernel(b"add"), packed.ctypes.data)
    assert copy_out(driver, data, 1) == [13]


def test_structures_and_mixed_widths_by_value(driver, kernel, memory):
    class Mixed(ctypes.Structure):
        _fields_ = [("c", ctypes.c_char), ("d", ctypes.c_double), ("s", ctypes.c_short)]
    out = memory(40)
    launch(driver, kernel(b"mixed"), ((Mixed(b"\x07", 2.5, -9), True, -2**40, out),
                                      (None, ctypes.c_bool, ctypes.c_longlong, None)))
    assert copy_out(driver, out, 5, ctypes.c_double) == [7.0, 2.5, -9.0, 1.0, float(-2**40)]


def test_cooperative_launch_runs_all_blocks_at_once(driver, device, kernel, memory):
    assert ok(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device))
    blocks = ok(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                            device))
    data, arrived, out = memory(4 * blocks), memory(4), memory(4 * blocks)
    ok(driver.cuMemcpyHtoD(data, ints(*range(blocks)), 4 * blocks))
    ok(driver.cuMemsetD32(arrived, 0, 1))
    ok(driver.cuLaunchCooperativeKernel(kernel(b"grid_wide"), blocks, 1, 1, 32, 1, 1, 0, None,
                                        ((data, arrived, out), (None, None, None))))
    assert copy_out(driver, out, blocks) == [(i + 1) % blocks for i in range(blocks)]


def test_launch_with_clusters(driver, kernel, memory, capability):
    if capability < (9, 0):
        pytest.skip("clusters came with compute capability 9.0")
    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = 4, 1, 1
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = 8, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = 32, 1, 1
    config.attrs = [attribute]
    config.numAttrs = 1
    out = memory(4 * 8)
    ok(driver.cuLaunchKernelEx(config, kernel(b"block_ranks"), ((out,), (None,)), 0))
    assert copy_out(driver, out, 8) == [0, 1, 2, 3] * 2
    assert ok(driver.cuOccupancyMaxPotentialClusterSize(kernel(b"block_ranks"), config)) >= 4
    assert ok(driver.cuOccupancyMaxActiveClusters(kernel(b"block_ranks"), config)) > 0


def test_occupancy(driver, kernel):
    saxpy = kernel(b"saxpy")
    grid, block = ok(driver.cuOccupancyMaxPotentialBlockSize(saxpy, None, 0, 0))
    assert grid > 0 and block >= 32
    assert ok(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(saxpy, block, 0)) >= 1
    assert ok(driver.cuOccupancyAvailableDynamicSMemPerBlock(saxpy, 1, 256)) > 0


def test_occupancy_asks_a_callback_for_shared_memory(driver, kernel):
    asked = []

    @ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)
    def shared(block):
        asked.append(block)
        return 16 * block
    size = driver.CUoccupancyB2DSize(_ptr=ctypes.addressof(shared))
    grid, block = ok(driver.cuOccupancyMaxPotentialBlockSize(kernel(b"saxpy"), size, 0, 0))
    assert asked and grid > 0 and block > 0


@pytest.mark.provokes_errors
def test_a_launch_that_is_too_big_is_an_error_code(driver, kernel):
    result = driver.cuLaunchKernel(kernel(b"count"), 1, 1, 1, 4096, 1, 1, 0, None, None, 0)
    assert result == (driver.CUresult.CUDA_ERROR_INVALID_VALUE,)


def test_tensor_map_is_encoded(driver, memory, capability):
    if capability < (9, 0):
        pytest.skip("tensor maps came with compute capability 9.0")
    data = memory(64 * 32 * 2)
    arguments = (driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data,
                 [driver.cuuint64_t(64), driver.cuuint64_t(32)], [driver.cuuint64_t(128)],
                 [driver.cuuint32_t(16), driver.cuuint32_t(8)], [driver.cuuint32_t(1), driver.cuuint32_t(1)],
                 driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
                 driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
                 driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    tensor = ok(driver.cuTensorMapEncodeTiled(*arguments))
    assert any(int(word) for word in tensor.opaque) and len(tensor.opaque) == 16
    before = [int(word) for word in tensor.opaque]
    ok(driver.cuTensorMapReplaceAddress(tensor, int(data) + 1024))
    assert [int(word) for word in tensor.opaque] != before
