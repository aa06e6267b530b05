# SPDX-License-Identifier: Apache-2.0
"""Calls of one function: getters, handles, errors, attributes, copies, lists and tensor maps."""

import ctypes

import numpy

from model import FLOOR, Call, Case

GRAPH_SIZE = 1000


def call(function, *classes, values=(), more=()):
    """A call whose arguments are handles of these classes, with these values, then plain objects."""
    def make(column):
        found = getattr(column.driver, function, None)
        if found is None:
            return None
        names = {f"a{index}": getattr(column.driver, name)(value)
                 for index, (name, value) in enumerate(zip(classes, values, strict=True))}
        names |= {f"b{index}": value for index, value in enumerate(more)}
        return Call(f"f({', '.join(names)})", {"f": found, **names})
    return make


def device_attribute(column):
    """cuDeviceGetAttribute with a member of the column's own enumeration."""
    driver = column.driver
    return Call("f(a, d)", {"f": driver.cuDeviceGetAttribute, "d": driver.cuDeviceGet(0)[1],
                            "a": driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE})


def typed_attribute(function, enumeration, member, cls):
    """A getter whose attribute decides the type of its value."""
    def make(column):
        handle = getattr(column.driver, cls)(256)
        attribute = getattr(getattr(column.driver, enumeration), member)
        order = "a, h" if function == "cuPointerGetAttribute" else "h, a"
        return Call(f"f({order})", {"f": getattr(column.driver, function), "a": attribute, "h": handle})
    return make


def copy(function, host):
    """A copy between device memory and `host`, which is an address or memory."""
    size = host.nbytes if isinstance(host, numpy.ndarray) else 4096

    def make(column):
        driver = column.driver
        names = {"f": getattr(driver, function), "d": driver.CUdeviceptr(512), "h": host, "n": size,
                 "s": driver.CUstream(16)}
        return Call("f(d, h, n, s)" if "HtoD" in function else "f(h, d, n, s)", names)
    return make


def graph(function):
    """The nodes or the edges of a graph of 1,000."""
    def make(column):
        names = {"f": getattr(column.driver, function), "g": column.driver.CUgraph(16), "n": GRAPH_SIZE}
        return Call("f(g, n)", names, read="[f(g, n)[1][7:9], f(g, n)[-1]]")
    return make


def batch(size):
    """One batch of copies, given as lists of handles."""
    def make(column):
        driver = column.driver
        names = {"f": driver.cuMemcpyBatchAsync, "d": [driver.CUdeviceptr(256 * i) for i in range(size)],
                 "r": [driver.CUdeviceptr(512 * i) for i in range(size)], "z": [64] * size, "n": size,
                 "a": [driver.CUmemcpyAttributes()], "i": [0], "s": driver.CUstream(16)}
        return Call("f(d, r, z, n, a, i, 1, s)", names)
    return make


def tensor_map(column):
    """A two-dimensional tensor map of single-precision numbers."""
    driver = column.driver
    names = {"f": driver.cuTensorMapEncodeTiled, "t": driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
             "p": driver.CUdeviceptr(4096), "z": [driver.cuuint64_t(1024), driver.cuuint64_t(512)],
             "st": [driver.cuuint64_t(4096)], "b": [driver.cuuint32_t(64), driver.cuuint32_t(32)],
             "e": [driver.cuuint32_t(1), driver.cuuint32_t(1)],
             "i": driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
             "w": driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
             "l": driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
             "o": driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE}
    return Call("f(t, 2, p, z, st, b, e, i, w, l, o)", names, read="f(t, 2, p, z, st, b, e, i, w, l, o)[0]")


def enumeration(column):
    """A member from its number."""
    return None if column.name == FLOOR else Call("E(600)", {"E": column.driver.CUresult})


def handle_operation(text, read=None):
    """An operation on a stream's handle."""
    def make(column):
        cls = column.driver.CUstream
        return Call(text, {"h": cls(0x7F00), "g": cls(0x7F00), "int": int, "hash": hash}, read)
    return make


def cases():
    """All of them, in the table's order."""
    array = numpy.zeros(1024, numpy.float32)
    memory = bytes(4096)
    address = ctypes.addressof(ctypes.create_string_buffer(4096))
    return [
        Case("cuCtxGetCurrent()", call("cuCtxGetCurrent"), "getter", {"cuCtxGetCurrent": 1}),
        Case("cuDeviceGet(0)", call("cuDeviceGet", more=(0,)), "getter", {"cuDeviceGet": 1}),
        Case("cuDriverGetVersion()", call("cuDriverGetVersion"), "getter", {"cuDriverGetVersion": 1}),
        Case("cuDeviceGetAttribute(enum, device)", device_attribute, "attribute", {"cuDeviceGetAttribute": 1}),
        Case("cuCtxSetCurrent(context)", call("cuCtxSetCurrent", "CUcontext", values=(0x10C0,)), "handles",
             {"cuCtxSetCurrent": 1}),
        Case("cuStreamQuery(stream)", call("cuStreamQuery", "CUstream", values=(16,)), "handles",
             {"cuStreamQuery": 1}),
        Case("cuEventRecord(event, stream)", call("cuEventRecord", "CUevent", "CUstream", values=(32, 16)), "handles",
             {"cuEventRecord": 1}),
        Case("cuEventCreate(0)", call("cuEventCreate", more=(0,)), None, {"cuEventCreate": 1}),
        Case("cuEventDestroy(event)", call("cuEventDestroy", "CUevent", values=(32,)), "handles",
             {"cuEventDestroy_v2": 1}),
        Case("cuMemAlloc(4096)", call("cuMemAlloc", more=(4096,)), None, {"cuMemAlloc_v2": 1}),
        Case("cuMemFree(pointer)", call("cuMemFree", "CUdeviceptr", values=(512,)), "handles", {"cuMemFree_v2": 1}),
        Case("cuMemcpyHtoDAsync, NumPy array", copy("cuMemcpyHtoDAsync", array), "copy", {"cuMemcpyHtoDAsync_v2": 1}),
        Case("cuMemcpyDtoHAsync, NumPy array", copy("cuMemcpyDtoHAsync", array), "copy", {"cuMemcpyDtoHAsync_v2": 1}),
        Case("cuMemcpyHtoDAsync, bytes", copy("cuMemcpyHtoDAsync", memory), None, {"cuMemcpyHtoDAsync_v2": 1}),
        Case("cuMemcpyHtoDAsync, address", copy("cuMemcpyHtoDAsync", address), None, {"cuMemcpyHtoDAsync_v2": 1}),
        Case("cuPointerGetAttribute, memory type",
             typed_attribute("cuPointerGetAttribute", "CUpointer_attribute", "CU_POINTER_ATTRIBUTE_MEMORY_TYPE",
                             "CUdeviceptr"), None, {"cuPointerGetAttribute": 1}),
        Case("cuMemPoolGetAttribute, threshold",
             typed_attribute("cuMemPoolGetAttribute", "CUmemPool_attribute", "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD",
                             "CUmemoryPool"), None, {"cuMemPoolGetAttribute": 1}),
        Case("error return: cuStreamQuery(busy)", call("cuStreamQuery", "CUstream", values=(0xBAD0,)), "enumeration",
             {"cuStreamQuery": 1}),
        Case("CUresult(600)", enumeration, "enumeration"),
        Case("int(handle)", handle_operation("int(h)")),
        Case("handle == handle", handle_operation("h == g")),
        Case("hash(handle)", handle_operation("hash(h)", "hash(h) == hash(g)")),
        Case("cuGraphGetNodes, 1,000", graph("cuGraphGetNodes"), "arrays", {"cuGraphGetNodes": 1},
             items=GRAPH_SIZE),
        Case("cuGraphGetEdges, 1,000", graph("cuGraphGetEdges"), "arrays", {"cuGraphGetEdges_v2": 1},
             items=GRAPH_SIZE),
        *(Case(f"cuMemcpyBatchAsync, {size:,}", batch(size), "arrays", {"cuMemcpyBatchAsync_v2": 1},
                items=size)
          for size in (1, 16, 1024)),
        Case("cuTensorMapEncodeTiled", tensor_map, "arrays", {"cuTensorMapEncodeTiled": 1}),
    ]
