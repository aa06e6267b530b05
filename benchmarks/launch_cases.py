# SPDX-License-Identifier: Apache-2.0
"""Kernel launches: how many arguments, and in which form."""

import ctypes

import numpy

from model import FLOOR, OURS, PEER, Call, Case

LAUNCH = "f(k, 1, 1, 1, 64, 1, 1, 0, s, p, 0)"
SCALED = (4, 8, 8, 8, 8)  # bytes of saxpy's arguments: a, three pointers, n


def launch(parameters):
    """cuLaunchKernel with what `parameters` makes of a column's module."""
    def make(column):
        made = parameters(column)
        if made is None:
            return None
        driver = column.driver
        return Call(LAUNCH, {"f": driver.cuLaunchKernel, "k": driver.CUfunction(64), "s": driver.CUstream(16),
                             "p": made})
    return make


def launch_nothing(column):
    """cuLaunchKernel whose kernelParams is None."""
    driver = column.driver
    names = {"f": driver.cuLaunchKernel, "k": driver.CUfunction(64), "s": driver.CUstream(16)}
    return Call("f(k, 1, 1, 1, 64, 1, 1, 0, s, None, 0)", names)


def pointers(column, size):
    """Device pointers as the column's own handles."""
    return tuple(column.driver.CUdeviceptr(4096 + 256 * index) for index in range(size))


def handle_pairs(size):
    """(handles, a None for each)."""
    return lambda column: (pointers(column, size), (None,) * size)


def number_pairs(size):
    """(addresses as int, a c_void_p for each)."""
    values = tuple(4096 + 256 * index for index in range(size))
    return lambda column: (values, (ctypes.c_void_p,) * size)


def flat_handles(size):
    """One tuple of handles; cuda.bindings has no such form and is given (values, types)."""
    return lambda column: (pointers(column, size), (None,) * size) if column.name == PEER else pointers(column, size)


SCALED_TYPES = (ctypes.c_float, None, None, None, ctypes.c_size_t)


def saxpy_pairs(column):
    """a, three pointers and n, as values with types."""
    return (2.5, *pointers(column, 3), 1 << 20), SCALED_TYPES


def saxpy_ctypes(column):
    """The same as ctypes instances, which types of None pass by value."""
    if column.name == FLOOR:
        return None
    if column.name == PEER:
        return saxpy_pairs(column)
    return (ctypes.c_float(2.5), *pointers(column, 3), ctypes.c_size_t(1 << 20))


def saxpy_flat(column):
    """The same as one tuple of NumPy scalars and handles."""
    if column.name == PEER:
        return saxpy_pairs(column)
    return (numpy.float32(2.5), *pointers(column, 3), numpy.uint64(1 << 20))


def ready(as_array):
    """The address of a ready array of argument addresses, or the array itself."""
    arguments = [numpy.array(2.5, numpy.float32), *(numpy.array(4096 + 256 * i, numpy.uint64) for i in range(3)),
                 numpy.array(1 << 20, numpy.uint64)]
    addresses = numpy.array([argument.ctypes.data for argument in arguments], numpy.uint64)
    kept.append((arguments, addresses))

    def parameters(column):
        if as_array:
            return None if column.name == FLOOR else addresses
        return addresses.ctypes.data
    return parameters


kept = []


def extended(column):
    """cuLaunchKernelEx with the arguments of saxpy."""
    if column.name == FLOOR:
        return None
    driver = column.driver
    configuration = driver.CUlaunchConfig()
    configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1
    configuration.blockDimX, configuration.blockDimY, configuration.blockDimZ = 64, 1, 1
    configuration.hStream = driver.CUstream(16)
    return Call("f(c, k, p, 0)", {"f": driver.cuLaunchKernelEx, "c": configuration, "k": driver.CUfunction(64),
                                  "p": saxpy_pairs(column)})


def prepared(values):
    """A launch whose arguments were packed once: ours alone, and its values as the no-argument launch's line."""
    def make(column):
        if column.name != OURS or not hasattr(column.driver, "PreparedLaunch"):
            return None
        driver = column.driver
        launch = driver.PreparedLaunch(driver.CUfunction(64), 1, 1, 1, 64, 1, 1, 0, driver.CUstream(16),
                                       values(column), 0)
        return Call("f()", {"f": launch})
    return make


def cases():
    """All of them, in the table's order."""
    once = {"cuLaunchKernel": 1}

    def case(title, make, target=None, sizes=()):
        return Case(f"cuLaunchKernel, {title}", make, target, once, tuple(sizes))

    return [
        case("no arguments", launch_nothing, "launch_0"),
        case("1 pointer, (values, types)", launch(handle_pairs(1)), None, (8,)),
        case("1 pointer, flat", launch(flat_handles(1)), None, (8,)),
        case("5 arguments, (values, types)", launch(saxpy_pairs), "launch_5", SCALED),
        case("5 arguments, flat, NumPy scalars", launch(saxpy_flat), "launch_5", SCALED),
        case("5 arguments, flat, ctypes scalars", launch(saxpy_ctypes), None, SCALED),
        case("5 arguments, address of an array", launch(ready(False)), None, SCALED),
        case("5 arguments, array of addresses", launch(ready(True)), None, SCALED),
        case("16 pointers, (handles, None)", launch(handle_pairs(16)), "launch_16", (8,) * 16),
        case("16 pointers, (int, c_void_p)", launch(number_pairs(16)), "launch_16", (8,) * 16),
        case("16 pointers, flat", launch(flat_handles(16)), "launch_16", (8,) * 16),
        case("64 pointers, (handles, None)", launch(handle_pairs(64)), None, (8,) * 64),
        case("64 pointers, (int, c_void_p)", launch(number_pairs(64)), None, (8,) * 64),
        case("64 pointers, flat", launch(flat_handles(64)), None, (8,) * 64),
        Case("prepared launch, 5 arguments", prepared(saxpy_flat), "prepared", once, SCALED),
        Case("prepared launch, 64 pointers", prepared(flat_handles(64)), "prepared", once, (8,) * 64),
        Case("cuLaunchKernelEx, 5 arguments", extended, None, {"cuLaunchKernelEx": 1}, SCALED),
    ]
