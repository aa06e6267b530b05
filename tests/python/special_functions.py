# SPDX-License-Identifier: Apache-2.0
"""Functions that no family describes: what each of them takes, sends and gives back, written out by hand.

A special returns True when it has described the results too, None when it only edits arguments.
"""

from __future__ import annotations

import ctypes
import struct

from call_plan import CallPlan
from expectations import (
    Argument,
    Output,
    equal,
    handle_value,
    is_handle,
    is_null,
    is_record,
    pattern,
    points_at,
    same,
    stores,
)
from recorder import read, write, write_number
from special_nvrtc import nvrtc_buffer, plain_callback, supported_archs


def each(*checks):
    """The result is a list whose elements pass one check each."""
    def check(result: object) -> None:
        assert type(result) is list and len(result) == len(checks), f"got {result!r}"
        for item, one in zip(result, checks, strict=True):
            one(item)
    return check


# --- names and raw bytes -------------------------------------------------------------------------------------------

def name_buffer(plan: CallPlan) -> bool:
    """cuDeviceGetName, cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId: exactly `length` bytes, zeros behind the text."""
    length = 32 if plan.objects else 9
    plan.set("length", Argument(length, equal(length, 32)))
    parameter = plan.prototype.parameters[0]
    plan.output(parameter.name, Output(lambda word: write(word, b"H200\0"), same(b"H200".ljust(length, b"\0"))))
    return True


def luid(plan: CallPlan) -> bool:
    """cuDeviceGetLuid: eight raw bytes, zeros among them."""
    raw = b"\x01\x02\x00\x04\x00\x00\x07\x08"
    plan.output("luid", Output(lambda word: write(word, raw), same(raw)))
    plan.output("deviceNodeMask", Output(stores(0xFFFF_FFF1, 4), same(0xFFFF_FFF1)))
    return True


# --- graph queries -------------------------------------------------------------------------------------------------

def graph_query(plan: CallPlan) -> bool:
    """Room for n gives exactly n entries and the true count; without room: no arrays, the count alone."""
    prefix = "cuda" if plan.module_name == "runtime" else "CU"
    node, edge = ("cudaGraphNode_t", "cudaGraphEdgeData") if prefix == "cuda" else ("CUgraphNode", "CUgraphEdgeData")
    count_name = plan.row["arguments"][1]["name"]
    arrays = [p for p in plan.prototype.parameters
              if p.type.endswith("*") and p.name not in (count_name, plan.row["arguments"][0]["name"])]
    room = 3 if plan.objects else 0

    def count_arrived(word: int) -> None:
        assert struct.unpack("<Q", read(word, 8)) == (room,)
        write_number(word, 2 if room else 5, 8)
    plan.values[count_name] = room
    plan.arrived[plan.index(count_name)] = count_arrived
    if not room:
        del plan.values[count_name]
    edge_size = 8
    for number, parameter in enumerate(arrays):
        if not room:
            plan.arrived[plan.index(parameter.name)] = is_null
            plan.returned.append(same([]))
        elif "EdgeData" in parameter.type:
            data = [pattern(edge_size, i) for i in range(2)]
            plan.output(parameter.name, Output(
                lambda word, d=data: write(word, b"".join(d)),
                each(is_record(plan.module, edge, data[0]), is_record(plan.module, edge, data[1]),
                     is_record(plan.module, edge, bytes(edge_size)))))
        else:
            values = [handle_value("pointer", 10 * number + i) for i in range(2)]
            plan.output(parameter.name, Output(
                lambda word, v=values: write(word, struct.pack("<2Q", *v)),
                each(*(is_handle(plan.module, node, v) for v in (*values, 0)))))
    plan.returned.append(same(2 if room else 5))
    return True


def capture_info(plan: CallPlan) -> bool:
    """cuStreamGetCaptureInfo: the driver's own arrays, copied out; the id is an object in the driver module only."""
    driver = plan.module_name == "driver"
    names = [p.name for p in plan.prototype.parameters][1:]
    status = list(getattr(plan.module, "CUstreamCaptureStatus" if driver else "cudaStreamCaptureStatus"))[1]
    graph, node, edge = (("CUgraph", "CUgraphNode", "CUgraphEdgeData") if driver
                         else ("cudaGraph_t", "cudaGraphNode_t", "cudaGraphEdgeData"))
    nodes = (ctypes.c_uint64 * 2)(0x5500_0000_1111, 0x5500_0000_2222)
    edges = (ctypes.c_char * 16)(*(pattern(8, 1) + pattern(8, 2)))
    plan.keep += [nodes, edges]
    plan.output(names[0], Output(stores(int(status), 4), lambda r: (_ for _ in ()).throw(AssertionError(r))
                                 if r is not status else None))
    plan.output(names[1], Output(stores(2**64 - 2, 8), is_handle(plan.module, "cuuint64_t", 2**64 - 2) if driver
                                 else same(2**64 - 2)))
    plan.output(names[2], Output(stores(0x5500_0000_3333, 8), is_handle(plan.module, graph, 0x5500_0000_3333)))
    plan.output(names[3], Output(stores(ctypes.addressof(nodes), 8),
                                 each(*(is_handle(plan.module, node, v) for v in nodes))))
    if len(names) == 6:     # the older form has no edges
        plan.output(names[4], Output(stores(ctypes.addressof(edges), 8),
                                     each(*(is_record(plan.module, edge, pattern(8, i)) for i in (1, 2)))))
    plan.output(names[-1], Output(stores(2, 8), same(2)))
    return True


# --- in and out ----------------------------------------------------------------------------------------------------

def exchange_mode(plan: CallPlan) -> bool:
    """The mode goes in by pointer and the previous one comes out as a new member."""
    members = list(getattr(plan.module, plan.row["outputs"][0]))
    plan.values["mode"] = members[2] if plan.objects else int(members[2])

    def arrived(word: int) -> None:
        assert struct.unpack("<i", read(word, 4)) == (int(members[2]),)
        write_number(word, int(members[1]), 4)
    plan.arrived[0] = arrived
    plan.returned.append(same(members[1]))
    return True


def logs(plan: CallPlan) -> bool:
    """cuLogsDumpTo*: the iterator object itself comes back, moved on; None starts at the beginning."""
    name = "CUlogIterator" if plan.module_name == "driver" else "cudaLogIterator"
    iterator = getattr(plan.module, name)(7) if plan.objects else None
    plan.values["iterator"] = iterator

    def arrived(word: int) -> None:
        if iterator is None:
            assert word == 0
        else:
            assert struct.unpack("<I", read(word, 4)) == (7,)
            write_number(word, 9, 4)

    def returned(result: object) -> None:
        assert result is iterator
        assert iterator is None or int(iterator) == 9
    plan.arrived[0] = arrived
    plan.returned.append(returned)
    if "size" in plan.values:
        buffer = bytearray(64)
        plan.values["buffer"], plan.values["size"] = buffer, 64
        plan.arrived[plan.index("buffer")] = lambda word: write(word, b"log text\0")

        def size_arrived(word: int) -> None:
            assert struct.unpack("<Q", read(word, 8)) == (64,)
            write_number(word, 9, 8)
        plan.arrived[plan.index("size")] = size_arrived
        plan.returned.append(same(9))
        plan.after.append(lambda: same(b"log text\0")(bytes(buffer[:9])))
    return True


def split_by_count(plan: CallPlan) -> bool:
    """cuDevSmResourceSplitByCount: room for nbGroups; 0 asks how many are possible."""
    room = 2 if plan.objects else 0
    size = 144
    plan.values["nbGroups"] = room

    def count_arrived(word: int) -> None:
        assert struct.unpack("<I", read(word, 4)) == (room,)
        write_number(word, room or 6, 4)
    plan.arrived[plan.index("nbGroups")] = count_arrived
    if room:
        data = [pattern(size, 1), pattern(size, 2)]
        plan.output("result", Output(lambda word: write(word, b"".join(data)),
                                     each(*(is_record(plan.module, "CUdevResource", d) for d in data))))
    else:
        plan.arrived[plan.index("result")] = is_null
        plan.returned.append(same([]))
    plan.returned.append(same(room or 6))
    rest = pattern(size, 3)
    plan.output("remaining", Output(lambda word: write(word, rest), is_record(plan.module, "CUdevResource", rest)))
    return True


# --- attributes ----------------------------------------------------------------------------------------------------

def _attribute(plan: CallPlan, argument: str, enum: str, member: str) -> None:
    chosen = getattr(getattr(plan.module, enum), member)
    plan.set(argument, Argument(chosen if plan.objects else int(chosen), equal(int(chosen), 32)))


def _value_output(plan: CallPlan, c_name: str, stored: bytes, check) -> None:
    plan.output(c_name, Output(lambda word: write(word, stored), check))


def _driver_class(name: str, value: int):
    from cuda_bindings import driver
    return is_handle(driver, name, value)


def pool_get(plan: CallPlan) -> bool:
    """Pool attributes: 4-byte ints, or the driver's cuuint64_t object for sizes, in both modules."""
    enum, size, reuse = (("CUmemPool_attribute", "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD",
                          "CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC") if plan.module_name == "driver" else
                         ("cudaMemPoolAttr", "cudaMemPoolAttrReleaseThreshold", "cudaMemPoolReuseAllowOpportunistic"))
    if plan.objects:
        _attribute(plan, "attr", enum, size)
        _value_output(plan, "value", struct.pack("<Q", 2**64 - 5), _driver_class("cuuint64_t", 2**64 - 5))
    else:
        _attribute(plan, "attr", enum, reuse)
        _value_output(plan, "value", struct.pack("<i", 1), same(1))
    return True


def pool_set(plan: CallPlan) -> None:
    """Sizes are cuuint64_t objects, or plain ints."""
    from cuda_bindings import driver
    enum, size, reuse = (("CUmemPool_attribute", "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD",
                          "CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC") if plan.module_name == "driver" else
                         ("cudaMemPoolAttr", "cudaMemPoolAttrReleaseThreshold", "cudaMemPoolReuseAllowOpportunistic"))
    if plan.objects:
        _attribute(plan, "attr", enum, size)
        plan.set("value", Argument(driver.cuuint64_t(2**63 + 1), points_at(struct.pack("<Q", 2**63 + 1))))
    else:
        _attribute(plan, "attr", enum, reuse)
        plan.set("value", Argument(1, points_at(struct.pack("<i", 1))))


def graph_memory_get(plan: CallPlan) -> bool:
    """Graph memory attributes are cuuint64_t objects in both modules."""
    _graph_memory_attribute(plan)
    _value_output(plan, "value", struct.pack("<Q", 2**40), _driver_class("cuuint64_t", 2**40))
    return True


def _graph_memory_attribute(plan: CallPlan) -> None:
    enum, member = (("CUgraphMem_attribute", "CU_GRAPH_MEM_ATTR_USED_MEM_HIGH") if plan.module_name == "driver" else
                    ("cudaGraphMemAttributeType", "cudaGraphMemAttrUsedMemHigh"))
    _attribute(plan, "attr", enum, member)


def graph_memory_set(plan: CallPlan) -> None:
    """Setting takes a cuuint64_t, or a plain int."""
    from cuda_bindings import driver
    _graph_memory_attribute(plan)
    value = driver.cuuint64_t(0) if plan.objects else 0
    plan.set("value", Argument(value, points_at(bytes(8))))


def range_get(plan: CallPlan) -> bool:
    """Range attributes: one int, or for ACCESSED_BY as many as dataSize holds."""
    enum, accessed, mostly = (("CUmem_range_attribute", "CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY",
                               "CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY") if plan.module_name == "driver" else
                              ("cudaMemRangeAttribute", "cudaMemRangeAttributeAccessedBy",
                               "cudaMemRangeAttributeReadMostly"))
    size = 12 if plan.objects else 4
    plan.set("dataSize", Argument(size, equal(size, 64)))
    _attribute(plan, "attribute", enum, accessed if plan.objects else mostly)
    if plan.objects:
        _value_output(plan, "data", struct.pack("<3i", 0, 3, -2), same([0, 3, -2]))
    else:
        _value_output(plan, "data", struct.pack("<i", 1), same(1))
    return True


def range_get_many(plan: CallPlan) -> bool:
    """Plural range attributes: sizes and attributes go in as arrays, the values come back as a list."""
    enum, members = (("CUmem_range_attribute", ("CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY",
                                                "CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY")) if plan.module_name == "driver"
                     else ("cudaMemRangeAttribute", ("cudaMemRangeAttributeReadMostly",
                                                     "cudaMemRangeAttributeAccessedBy")))
    chosen = [getattr(getattr(plan.module, enum), m) for m in members]
    plan.set("dataSizes", Argument([4, 8], points_at(struct.pack("<2Q", 4, 8))))
    plan.set("attributes", Argument(chosen, points_at(struct.pack("<2i", *map(int, chosen)))))
    plan.set("numAttributes", Argument(2, equal(2, 64)))

    def store(word: int) -> None:
        first, second = struct.unpack("<2Q", read(word, 16))
        write(first, struct.pack("<i", 1))
        write(second, struct.pack("<2i", 0, -2))
    plan.output("data", Output(store, each(same(1), same([0, -2]))))
    return True


def pointer_get(plan: CallPlan) -> bool:
    """Pointer attributes: a handle for the context, an int for the device's number."""
    if plan.objects:
        _attribute(plan, "attribute", "CUpointer_attribute", "CU_POINTER_ATTRIBUTE_CONTEXT")
        _value_output(plan, "data", struct.pack("<Q", 0x5500_0000_4444),
                      is_handle(plan.module, "CUcontext", 0x5500_0000_4444))
    else:
        _attribute(plan, "attribute", "CUpointer_attribute", "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL")
        _value_output(plan, "data", struct.pack("<i", 5), same(5))
    return True


def pointer_get_many(plan: CallPlan) -> bool:
    """Plural pointer attributes: a list with each value in its own type."""
    names = ("CU_POINTER_ATTRIBUTE_MAPPED", "CU_POINTER_ATTRIBUTE_DEVICE_POINTER", "CU_POINTER_ATTRIBUTE_BUFFER_ID")
    chosen = [getattr(plan.module.CUpointer_attribute, n) for n in names]
    plan.set("numAttributes", Argument(3, equal(3, 32)))
    plan.set("attributes", Argument(chosen, points_at(struct.pack("<3i", *map(int, chosen)))))

    def store(word: int) -> None:
        first, second, third = struct.unpack("<3Q", read(word, 24))
        write(first, b"\x01")
        write_number(second, 0x7F00_0000_1000, 8)
        write_number(third, 2**63 + 9, 8)
    plan.output("data", Output(store, each(same(True), is_handle(plan.module, "CUdeviceptr", 0x7F00_0000_1000),
                                           same(2**63 + 9))))
    return True


def pointer_set(plan: CallPlan) -> None:
    """SYNC_MEMOPS takes a bool or a number and arrives as an unsigned int."""
    _attribute(plan, "attribute", "CUpointer_attribute", "CU_POINTER_ATTRIBUTE_SYNC_MEMOPS")
    plan.set("value", Argument(True if plan.objects else 1, points_at(struct.pack("<I", 1))))


def coredump_get(plan: CallPlan) -> bool:
    """Core dump settings: texts up to their end, flags as real bools; the room goes in with the size."""
    if plan.objects:
        _attribute(plan, "attrib", "CUcoredumpSettings", "CU_COREDUMP_FILE")
        room, stored, expected = 1024, b"/tmp/core\0rest", b"/tmp/core"
    else:
        _attribute(plan, "attrib", "CUcoredumpSettings", "CU_COREDUMP_ENABLE_ON_EXCEPTION")
        room, stored, expected = 1, b"\x01", True

    def size_arrived(word: int) -> None:
        assert struct.unpack("<Q", read(word, 8))[0] >= room
        write_number(word, len(stored), 8)
    plan.arrived[plan.index("size")] = size_arrived
    _value_output(plan, "value", stored, same(expected))
    return True


def coredump_set(plan: CallPlan) -> bool:
    """Core dump settings go in with their length: the text's, or a bool's."""
    if plan.objects:
        _attribute(plan, "attrib", "CUcoredumpSettings", "CU_COREDUMP_FILE")
        plan.set("value", Argument(b"/tmp/core", points_at(b"/tmp/core\0")))
        lengths = (9, 10)
    else:
        _attribute(plan, "attrib", "CUcoredumpSettings", "CU_COREDUMP_ENABLE_ON_EXCEPTION")
        plan.set("value", Argument(True, points_at(b"\x01")))
        lengths = (1,)

    def size_arrived(word: int) -> None:
        assert struct.unpack("<Q", read(word, 8))[0] in lengths
    plan.arrived[plan.index("size")] = size_arrived
    return True


def export_handle(plan: CallPlan) -> bool:
    """A file descriptor comes out as an int, a fabric handle as its record (driver)."""
    driver = plan.module_name == "driver"
    enum, posix, fabric = (("CUmemAllocationHandleType", "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR",
                            "CU_MEM_HANDLE_TYPE_FABRIC") if driver else
                           ("cudaMemAllocationHandleType", "cudaMemHandleTypePosixFileDescriptor",
                            "cudaMemHandleTypeFabric"))
    pointer = plan.prototype.parameters[0].name
    if plan.objects:
        from cuda_bindings import driver as driver_module
        data = pattern(64, 9)
        _attribute(plan, "handleType", enum, fabric)
        _value_output(plan, pointer, data, is_record(driver_module, "CUmemFabricHandle", data))
    else:
        _attribute(plan, "handleType", enum, posix)
        _value_output(plan, pointer, struct.pack("<i", 41), same(41))
    return True


def range_handle(plan: CallPlan) -> bool:
    """cuMemGetHandleForAddressRange: a dma-buf file descriptor, four bytes."""
    plan.output("handle", Output(stores(57, 4), same(57)))
    return True


# --- options -------------------------------------------------------------------------------------------------------

def _jit(plan: CallPlan, keys_name: str, values_name: str, count_name: str, members: tuple[str, str]) -> None:
    enum = next(a["token"].strip("[]?") for a in plan.row["arguments"] if a["name"] == keys_name)
    if plan.objects:
        keys = [getattr(getattr(plan.module, enum), m) for m in members]
        plan.set(keys_name, Argument(keys, points_at(struct.pack("<2i", *map(int, keys)))))
        plan.set(values_name, Argument([48, 1], lambda word: same((48, 1))(
            tuple(v & 0xFFFF_FFFF for v in struct.unpack("<2Q", read(word, 16))))))
        plan.set(count_name, Argument(2, equal(2, 32)))
    else:
        plan.set(keys_name, Argument(None, is_null))
        plan.set(values_name, Argument(None, is_null))
        plan.set(count_name, Argument(0, equal(0, 32)))


def module_options(plan: CallPlan) -> None:
    """cuModuleLoadDataEx, cuLink*: a number packed into each pointer-sized slot."""
    order = list(plan.values)
    _jit(plan, "options", "optionValues", "numOptions", ("CU_JIT_MAX_REGISTERS", "CU_JIT_LOG_VERBOSE"))
    plan.values = {name: plan.values[name] for name in order}


def library_options(plan: CallPlan) -> None:
    """cuLibraryLoad*, cudaLibraryLoad*: JIT options and library options side by side."""
    order = list(plan.values)
    driver = plan.module_name == "driver"
    _jit(plan, "jitOptions", "jitOptionsValues", "numJitOptions",
         ("CU_JIT_MAX_REGISTERS", "CU_JIT_LOG_VERBOSE") if driver else ("cudaJitMaxRegisters", "cudaJitLogVerbose"))
    if plan.objects:
        preserved = (plan.module.CUlibraryOption.CU_LIBRARY_BINARY_IS_PRESERVED if driver
                     else plan.module.cudaLibraryOption.cudaLibraryBinaryIsPreserved)
        plan.set("libraryOptions", Argument([preserved], points_at(struct.pack("<i", int(preserved)))))
        plan.set("libraryOptionValues", Argument([1], lambda word: same(1)(
            struct.unpack("<Q", read(word, 8))[0] & 0xFFFF_FFFF)))
        plan.set("numLibraryOptions", Argument(1, equal(1, 32)))
    else:
        plan.set("libraryOptions", Argument([], is_null))
        plan.set("libraryOptionValues", Argument([], is_null))
        plan.set("numLibraryOptions", Argument(0, equal(0, 32)))
    plan.values = {name: plan.values[name] for name in order}


# --- arrays of results ---------------------------------------------------------------------------------------------

def enumerate_handles(count_name: str, c_name: str, class_name: str):
    """cuModuleEnumerateFunctions and its like: as many handles as asked for."""
    def special(plan: CallPlan) -> bool:
        count = 2 if plan.objects else 0
        plan.set(count_name, Argument(count, equal(count, 32)))
        values = [0x5500_0000_7000, 0x5500_0000_8000]
        if count:
            plan.output(c_name, Output(lambda word: write(word, struct.pack("<2Q", *values)),
                                       each(*(is_handle(plan.module, class_name, v) for v in values))))
        else:
            plan.arrived[plan.index(c_name)] = lambda word: None
            plan.returned.append(same([]))
        return True
    return special


def gl_devices(plan: CallPlan) -> bool:
    """cuGLGetDevices: the count, then as many devices as asked for."""
    driver = plan.module_name == "driver"
    count = 2
    plan.set("cudaDeviceCount", Argument(count, equal(count, 32)))
    names = [p.name for p in plan.prototype.parameters]
    plan.output(names[0], Output(stores(1, 4), same(1)))
    plan.output(names[1], Output(
        lambda word: write(word, struct.pack("<2i", 1, 0)),
        each(*((is_handle(plan.module, "CUdevice", v) if driver else same(v)) for v in (1, 0)))))
    return True


def atomic_capabilities(plan: CallPlan) -> bool:
    """cuDeviceGetHostAtomicCapabilities: one number for each operation asked about."""
    if plan.objects:
        plan.output(plan.prototype.parameters[0].name,
                    Output(lambda word: write(word, struct.pack("<2I", 5, 2**32 - 1)), same([5, 2**32 - 1])))
    else:
        plan.arrived[0] = lambda word: None
        plan.returned.append(same([]))
    return True


def decompress(plan: CallPlan) -> bool:
    """cuMemBatchDecompressAsync: one record for a count of one."""
    if plan.objects:
        plan.set("count", Argument(1, equal(1, 64)))
    else:
        plan.set("count", Argument(0, equal(0, 64)))
    plan.output("errorIndex", Output(stores(3, 8), same(3)))
    return True


def old_instantiate(plan: CallPlan) -> bool:
    """cuGraphInstantiate_v2: the log goes into the caller's buffer, between the outputs."""
    buffer = bytearray(32) if plan.objects else b" " * 32
    plan.values["logBuffer"], plan.values["bufferSize"] = buffer, 32
    plan.arrived[plan.index("logBuffer")] = lambda word: write(word, b"log\0")
    plan.arrived[plan.index("bufferSize")] = equal(32, 64)
    for name, cls, value in (("phGraphExec", "CUgraphExec", 0x5500_0000_6000),
                             ("phErrorNode", "CUgraphNode", 0x5500_0000_6100)):
        plan.output(name, Output(stores(value, 8), is_handle(plan.module, cls, value)))
    plan.after.append(lambda: same(b"log\0")(bytes(buffer[:4])))
    return True


def valid_devices(plan: CallPlan) -> None:
    """cudaSetValidDevices: the devices' numbers and how many of them."""
    length = 2 if plan.objects else 0
    plan.set("length", Argument(length, equal(length, 32)))


def graphics_resources(plan: CallPlan) -> None:
    """cuGraphicsMapResources and its like: one object is one resource."""
    if plan.objects:
        plan.set("count", Argument(1, equal(1, 32)))


def set_border_color(plan: CallPlan) -> None:
    """cuTexRefSetBorderColor: four floats; a single one, as the incumbent takes it, stands for all four."""
    value = [0.25, 0.5, 0.75, 1.0] if plan.objects else 0.5
    expected = struct.pack("<4f", *(value if plan.objects else [0.5] * 4))
    plan.set("pBorderColor", Argument(value, points_at(expected)))


def get_border_color(plan: CallPlan) -> bool:
    """cuTexRefGetBorderColor: all four floats."""
    def check(result: object) -> None:
        assert list(result) == [0.25, 0.5, 0.75, 1.0]
    plan.output("pBorderColor", Output(lambda word: write(word, struct.pack("<4f", 0.25, 0.5, 0.75, 1.0)), check))
    return True


def tensor_map(plan: CallPlan) -> None:
    """cuTensorMapEncode*: a rank that the lists of three satisfy."""
    if plan.objects:
        plan.set("tensorRank", Argument(plan.module.cuuint32_t(2), equal(2, 32)))


_GRAPH_QUERIES = ("GraphGetNodes", "GraphGetRootNodes", "GraphGetEdges", "GraphNodeGetDependencies",
                  "GraphNodeGetDependentNodes")

SPECIALS = {
    "cuDeviceGetName": name_buffer, "cuDeviceGetPCIBusId": name_buffer, "cudaDeviceGetPCIBusId": name_buffer,
    "cuDeviceGetLuid": luid,
    **{prefix + name: graph_query for name in _GRAPH_QUERIES for prefix in ("cu", "cuda")},
    "cuStreamGetCaptureInfo": capture_info, "cudaStreamGetCaptureInfo": capture_info,
    "cuThreadExchangeStreamCaptureMode": exchange_mode, "cudaThreadExchangeStreamCaptureMode": exchange_mode,
    **{prefix + name: logs for name in ("LogsDumpToFile", "LogsDumpToMemory") for prefix in ("cu", "cuda")},
    "cuDevSmResourceSplitByCount": split_by_count,
    "cuMemPoolGetAttribute": pool_get, "cudaMemPoolGetAttribute": pool_get,
    "cuMemPoolSetAttribute": pool_set, "cudaMemPoolSetAttribute": pool_set,
    "cuDeviceGetGraphMemAttribute": graph_memory_get, "cudaDeviceGetGraphMemAttribute": graph_memory_get,
    "cuDeviceSetGraphMemAttribute": graph_memory_set, "cudaDeviceSetGraphMemAttribute": graph_memory_set,
    "cuMemRangeGetAttribute": range_get, "cudaMemRangeGetAttribute": range_get,
    "cuMemRangeGetAttributes": range_get_many, "cudaMemRangeGetAttributes": range_get_many,
    "cuPointerGetAttribute": pointer_get, "cuPointerGetAttributes": pointer_get_many,
    "cuPointerSetAttribute": pointer_set,
    "cuCoredumpGetAttribute": coredump_get, "cuCoredumpGetAttributeGlobal": coredump_get,
    "cuCoredumpSetAttribute": coredump_set, "cuCoredumpSetAttributeGlobal": coredump_set,
    "cuMemExportToShareableHandle": export_handle, "cuMemPoolExportToShareableHandle": export_handle,
    "cudaMemPoolExportToShareableHandle": export_handle, "cuMemGetHandleForAddressRange": range_handle,
    **dict.fromkeys(("cuModuleLoadDataEx", "cuLinkCreate", "cuLinkAddData", "cuLinkAddFile"), module_options),
    **dict.fromkeys(("cuLibraryLoadData", "cuLibraryLoadFromFile", "cudaLibraryLoadData", "cudaLibraryLoadFromFile"),
                    library_options),
    "cuModuleEnumerateFunctions": enumerate_handles("numFunctions", "functions", "CUfunction"),
    "cuLibraryEnumerateKernels": enumerate_handles("numKernels", "kernels", "CUkernel"),
    "cudaLibraryEnumerateKernels": enumerate_handles("numKernels", "kernels", "cudaKernel_t"),
    "cuGLGetDevices": gl_devices, "cudaGLGetDevices": gl_devices,
    **dict.fromkeys(("cuDeviceGetHostAtomicCapabilities", "cudaDeviceGetHostAtomicCapabilities",
                     "cuDeviceGetP2PAtomicCapabilities", "cudaDeviceGetP2PAtomicCapabilities"), atomic_capabilities),
    "cuMemBatchDecompressAsync": decompress, "cuGraphInstantiate_v2": old_instantiate,
    "cuStreamGetCaptureInfo_v2": capture_info, "cudaSetValidDevices": valid_devices,
    **dict.fromkeys(("cuGraphicsMapResources", "cuGraphicsUnmapResources", "cudaGraphicsMapResources",
                     "cudaGraphicsUnmapResources"), graphics_resources),
    "cuTexRefSetBorderColor": set_border_color, "cuTexRefGetBorderColor": get_border_color,
    **dict.fromkeys(("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide"), tensor_map),
    "nvrtcGetPTX": nvrtc_buffer("nvrtcGetPTXSize"), "nvrtcGetCUBIN": nvrtc_buffer("nvrtcGetCUBINSize"),
    "nvrtcGetLTOIR": nvrtc_buffer("nvrtcGetLTOIRSize"), "nvrtcGetOptiXIR": nvrtc_buffer("nvrtcGetOptiXIRSize"),
    "nvrtcGetProgramLog": nvrtc_buffer("nvrtcGetProgramLogSize"), "nvrtcGetSupportedArchs": supported_archs,
    "nvrtcSetFlowCallback": plain_callback,
}

# Where a record result is written when the function returns it by value: one word behind the parameters.
RECORD_RESULTS = {"cudaCreateChannelDesc": ("cudaChannelFormatDesc", 20)}
STRING_RESULTS = ("cudaGetErrorName", "cudaGetErrorString", "nvrtcGetErrorString")
BARE_RECORDS = ("make_cudaPitchedPtr", "make_cudaPos", "make_cudaExtent")
BY_HAND = ("sizeof", "getLocalRuntimeVersion")

__all__ = ["BARE_RECORDS", "BY_HAND", "RECORD_RESULTS", "SPECIALS", "STRING_RESULTS"]
