# SPDX-License-Identifier: Apache-2.0
"""Kernel launches: how many arguments, and in which form."""

import ctypes
import importlib

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
    if column.name == PEER:
        return saxpy_pairs(column)
    return (ctypes.c_float(2.5), *pointers(column, 3), ctypes.c_size_t(1 << 20))


def saxpy_flat(column):
    """The same as one tuple of NumPy scalars and handles."""
    if column.name == PEER:
        return saxpy_pairs(column)
    return (numpy.float32(2.5), *pointers(column, 3), numpy.uint64(1 << 20))


def objects_pairs(column):
    """The same as ctypes instances, with their classes."""
    values = ctypes.c_float(2.5), *pointers(column, 3), ctypes.c_size_t(1 << 20)
    return None if column.name == FLOOR else (values, SCALED_TYPES)


def ready(values, as_array):
    """The address of a ready array of argument addresses, or the array itself; `values` are arrays of one number."""
    addresses = numpy.array([value.ctypes.data for value in values], numpy.uint64)
    kept.append((values, addresses))
    return lambda column: addresses if as_array else addresses.ctypes.data


def saxpy_ready(as_array):
    """saxpy's arguments in this form."""
    return ready([numpy.array(2.5, numpy.float32), *(numpy.array(4096 + 256 * i, numpy.uint64) for i in range(3)),
                  numpy.array(1 << 20, numpy.uint64)], as_array)


def pointers_ready(size, as_array):
    """Device pointers in this form."""
    return ready([numpy.array(4096 + 256 * i, numpy.uint64) for i in range(size)], as_array)


kept = []  # the memory behind addresses


def extended(column):
    """cuLaunchKernelEx with the arguments of saxpy."""
    driver = column.driver
    configuration = driver.CUlaunchConfig()
    configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1
    configuration.blockDimX, configuration.blockDimY, configuration.blockDimZ = 64, 1, 1
    configuration.hStream = driver.CUstream(16)
    return Call("f(c, k, p, 0)", {"f": driver.cuLaunchKernelEx, "c": configuration, "k": driver.CUfunction(64),
                                  "p": saxpy_pairs(column)})


def prepared(values):
    """A launch whose arguments were packed once; cuda.bindings has none. Its line is the no-argument launch's."""
    def make(column):
        cls = prepared_class(column)
        if cls is None:
            return None
        driver = column.driver
        return Call("f()", {"f": cls(driver.CUfunction(64), 1, 1, 1, 64, 1, 1, 0, driver.CUstream(16),
                                     values(column))})
    return make


def prepared_class(column):
    """PreparedLaunch of the column, or None."""
    if column.name == OURS:
        return importlib.import_module("cuda_bindings.launch").PreparedLaunch
    return getattr(column.driver, "PreparedLaunch", None)


def renewed(column):
    """One of five arguments set, then launched: ours alone."""
    made = prepared(saxpy_flat)(column) if column.name == OURS else None
    return made and Call("f[1] = d; f()", made.names | {"d": column.driver.CUdeviceptr(8192)}, "f()")


def cases():
    """All of them, in the table's order."""
    once = {"cuLaunchKernel": 1}

    def case(title, make, target=None, sizes=()):
        return Case(f"cuLaunchKernel, {title}", make, target, once, tuple(sizes))

    return [
        case("no arguments", launch_nothing, "launch_0"),
        *many_pointers(case, 1, None),
        case("5 arguments, (values, types)", launch(saxpy_pairs), "launch_5", SCALED),
        case("5 arguments, (ctypes scalars, types)", launch(objects_pairs), None, SCALED),
        case("5 arguments, flat, NumPy scalars", launch(saxpy_flat), "launch_5", SCALED),
        case("5 arguments, flat, ctypes scalars", launch(saxpy_ctypes), "launch_5", SCALED),
        case("5 arguments, address of an array", launch(saxpy_ready(False)), "launch_ready", SCALED),
        case("5 arguments, array of addresses", launch(saxpy_ready(True)), "launch_ready", SCALED),
        *many_pointers(case, 16, "launch_16"),
        *many_pointers(case, 64, None),
        *(Case(f"prepared launch, {size} pointer{'s' * (size > 1)}", prepared(flat_handles(size)), "prepared", once,
               (8,) * size, launch_nothing) for size in (1, 16, 64)),
        Case("prepared launch, 5 arguments", prepared(saxpy_flat), "prepared", once, SCALED, launch_nothing),
        Case("prepared launch, 1 of 5 arguments set", renewed, None, once, SCALED),
        Case("cuLaunchKernelEx, 5 arguments", extended, "launch_5", {"cuLaunchKernelEx": 1}, SCALED),
    ]


def many_pointers(case, size, target):
    """Launches with pointers alone, in each form."""
    title = f"{size} pointer" + ("s" if size > 1 else "")
    return [case(f"{title}, {form}", launch(parameters), wanted, (8,) * size) for form, parameters, wanted in (
        ("(handles, None)", handle_pairs(size), target), ("(int, c_void_p)", number_pairs(size), target),
        ("flat", flat_handles(size), target),
        ("address of an array", pointers_ready(size, False), target and "launch_ready"),
        ("array of addresses", pointers_ready(size, True), target and "launch_ready"))]
