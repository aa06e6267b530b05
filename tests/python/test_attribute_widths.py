# SPDX-License-Identifier: Apache-2.0
"""How wide each attribute's and option's value is, and whether it has a sign: what is read of it, what it refuses."""

from __future__ import annotations

import struct

import pytest
from recorder import read, write

# The library writes eight bytes: what Python makes of them tells the C type.
STORED = struct.pack("<Q", 2**64 - 16)
READ = {"int": -16, "unsigned": 2**32 - 16, "wide": 2**64 - 16, "true": True, "object": 2**64 - 16}

POINTER = {
    "MEMORY_TYPE": "unsigned", "DEVICE_POINTER": "object", "HOST_POINTER": "wide", "SYNC_MEMOPS": "true",
    "BUFFER_ID": "wide", "IS_MANAGED": "true", "DEVICE_ORDINAL": "int", "IS_LEGACY_CUDA_IPC_CAPABLE": "true",
    "RANGE_START_ADDR": "object", "RANGE_SIZE": "wide", "MAPPED": "true", "ALLOWED_HANDLE_TYPES": "wide",
    "IS_GPU_DIRECT_RDMA_CAPABLE": "int", "ACCESS_FLAGS": "unsigned", "MEMPOOL_HANDLE": "object",
    "MAPPING_SIZE": "wide", "MAPPING_BASE_ADDR": "object", "MEMORY_BLOCK_ID": "wide",
    "IS_HW_DECOMPRESS_CAPABLE": "true", "CONTEXT": "object",
}
POOL = {"ReuseFollowEventDependencies": "int", "ReuseAllowOpportunistic": "int",
        "ReuseAllowInternalDependencies": "int", "AttrReleaseThreshold": "object",
        "AttrReservedMemCurrent": "object", "AttrReservedMemHigh": "object", "AttrUsedMemCurrent": "object",
        "AttrUsedMemHigh": "object"}
GRAPH = {"UsedMemCurrent": "object", "UsedMemHigh": "object", "ReservedMemCurrent": "object",
         "ReservedMemHigh": "object"}
RANGE = ("ReadMostly", "PreferredLocation", "LastPrefetchLocation", "PreferredLocationType", "PreferredLocationId",
         "LastPrefetchLocationType", "LastPrefetchLocationId")


def driver_name(name: str) -> str:
    """reuseAllowOpportunistic as the driver spells it."""
    return "".join("_" + letter if letter.isupper() else letter.upper() for letter in name).lstrip("_")


def member(enum, name: str):
    """The member whose name ends so."""
    found = [each for each in enum if each.name.endswith(name)]
    return min(found, key=lambda each: len(each.name))


def check(value: object, kind: str) -> None:
    """The value is of the kind."""
    expected = READ[kind]
    if kind == "object":
        assert not isinstance(value, int) and int(value) == expected
    else:
        assert type(value) is type(expected) and value == expected


def answering(recorder, link: str, index: int) -> None:
    """The function stores eight bytes where an argument points."""
    recorder.on(link, lambda name, words: write(words[index], STORED) or 0)


@pytest.mark.parametrize(("name", "kind"), POINTER.items())
def test_pointer_attributes_as_wide_as_they_are(driver, cuda, name, kind):
    answering(cuda, "cuPointerGetAttribute", 0)
    attribute = driver.CUpointer_attribute["CU_POINTER_ATTRIBUTE_" + name]
    check(driver.cuPointerGetAttribute(attribute, 0x1000)[1], kind)


@pytest.mark.parametrize(("name", "kind"), POOL.items())
def test_pool_attributes_are_as_wide_as_they_are(driver, runtime, cuda, cudart, name, kind):
    answering(cuda, "cuMemPoolGetAttribute", 2)
    answering(cudart, "cudaMemPoolGetAttribute", 2)
    own = member(driver.CUmemPool_attribute, "CU_MEMPOOL_ATTR_" + driver_name(name.removeprefix("Attr")))
    check(driver.cuMemPoolGetAttribute(1, own)[1], kind)
    check(runtime.cudaMemPoolGetAttribute(1, runtime.cudaMemPoolAttr["cudaMemPool" + name])[1], kind)


@pytest.mark.parametrize(("name", "kind"), GRAPH.items())
def test_graph_memory_attributes_are_as_wide_as_they_are(driver, runtime, cuda, cudart, name, kind):
    answering(cuda, "cuDeviceGetGraphMemAttribute", 2)
    answering(cudart, "cudaDeviceGetGraphMemAttribute", 2)
    own = driver.CUgraphMem_attribute["CU_GRAPH_MEM_ATTR_" + driver_name(name)]
    check(driver.cuDeviceGetGraphMemAttribute(0, own)[1], kind)
    twin = runtime.cudaGraphMemAttributeType["cudaGraphMemAttr" + name]
    check(runtime.cudaDeviceGetGraphMemAttribute(0, twin)[1], kind)


@pytest.mark.parametrize("name", RANGE)
def test_range_attributes_are_ints(driver, runtime, cuda, cudart, name):
    def store(link, words):
        return write(words[0], STORED[:4]) or 0
    cuda.on("cuMemRangeGetAttribute", store)
    cudart.on("cudaMemRangeGetAttribute", store)
    own = driver.CUmem_range_attribute["CU_MEM_RANGE_ATTRIBUTE_" + driver_name(name)]
    check(driver.cuMemRangeGetAttribute(4, own, 0x1000, 16)[1], "int")
    twin = runtime.cudaMemRangeAttribute["cudaMemRangeAttribute" + name]
    check(runtime.cudaMemRangeGetAttribute(4, twin, 0x1000, 16)[1], "int")


def test_core_dump_flags_are_unsigned(driver, cuda):
    cuda.on("cuCoredumpGetAttribute", lambda name, words: write(words[1], STORED[:4]) or 0)
    flags = driver.CUcoredumpSettings.CU_COREDUMP_GENERATION_FLAGS
    check(driver.cuCoredumpGetAttribute(flags)[1], "unsigned")


# --- JIT and library options ---------------------------------------------------------------------------------------

UNSIGNED = ("MaxRegisters ThreadsPerBlock InfoLogBufferSizeBytes ErrorLogBufferSizeBytes OptimizationLevel MinCtaPerSm "
            "GlobalSymbolCount ReferencedKernelCount ReferencedVariableCount SplitCompile").split()
SIGNED = ("GenerateDebugInfo LogVerbose GenerateLineInfo PositionIndependentCode MaxThreadsPerBlock "
          "OverrideDirectiveValues NEW_SM3X_OPT FastCompile LTO FTZ PREC_DIV PREC_SQRT FMA "
          "OPTIMIZE_UNUSED_DEVICE_VARIABLES").split()
OF_CLASSES = {"FallbackStrategy": ("CUjit_fallback", "cudaJit_Fallback"),
              "CacheMode": ("CUjit_cacheMode", "cudaJit_CacheMode"), "TARGET": ("CUjit_target", None)}
OTHERS = ("WallTime InfoLogBuffer ErrorLogBuffer TARGET_FROM_CUCONTEXT GlobalSymbolNames GlobalSymbolAddresses "
          "ReferencedKernelNames ReferencedVariableNames NUM_OPTIONS").split()


def spelled(name: str) -> str:
    """The driver's spelling of an option."""
    return "CU_JIT_" + (name if name.isupper() else driver_name(name))


@pytest.fixture
def slots(driver, runtime, cuda, cudart):
    """Passes one option to the driver and, where it has it, to the runtime; gives the slots as they arrived."""
    def call(name: str, *values: object) -> list[bytes]:
        arrived = []

        def keep(link, words):
            arrived.append(read(words[4] if link.startswith("cuModule") else words[3], 8))
            return 0
        cuda.on("cuModuleLoadDataEx", keep)
        cudart.on("cudaLibraryLoadData", keep)
        driver.cuModuleLoadDataEx(b"image", 1, [driver.CUjit_option[spelled(name)]], [values[0]])
        if "cudaJit" + name in runtime.cudaJitOption.__members__:
            option = runtime.cudaJitOption["cudaJit" + name]
            runtime.cudaLibraryLoadData(b"code", [option], [values[-1]], 1, None, None, 0)
        return arrived
    return call


@pytest.mark.parametrize("name", UNSIGNED)
def test_unsigned_options_reach_to_their_end(slots, name):
    assert {slot[:4] for slot in slots(name, 2**32 - 1)} == {b"\xff" * 4}
    for wrong in (-1, 2**32):
        with pytest.raises((OverflowError, ValueError)):
            slots(name, wrong)


@pytest.mark.parametrize("name", SIGNED)
def test_signed_options_have_a_sign(slots, name):
    assert {slot[:4] for slot in slots(name, -2)} == {b"\xfe\xff\xff\xff"}
    for wrong in (2**31, -(2**31) - 1):
        with pytest.raises((OverflowError, ValueError)):
            slots(name, wrong)


@pytest.mark.parametrize(("name", "classes"), OF_CLASSES.items())
def test_options_of_an_enum_take_its_members(slots, driver, runtime, name, classes):
    members = [list(getattr(module, cls))[-1] for module, cls in zip((driver, runtime), classes, strict=True) if cls]
    assert [slot[:4] for slot in slots(name, *members)] == [struct.pack("<i", int(each)) for each in members]
    with pytest.raises(TypeError):
        slots(name, driver.CUjitInputType(0) if name != "TARGET" else driver.CUlimit(0))


def test_a_wall_time_is_a_float(slots):
    assert {slot[:4] for slot in slots("WallTime", 1.5)} == {struct.pack("<f", 1.5)}


def test_whether_a_binary_is_preserved_is_unsigned(driver, runtime, cuda, cudart):
    seen = []
    for recorder, link in ((cuda, "cuLibraryLoadData"), (cudart, "cudaLibraryLoadData")):
        recorder.on(link, lambda name, words: seen.append(read(words[6], 8)) or 0)
    driver.cuLibraryLoadData(b"code", None, None, 0, [driver.CUlibraryOption(1)], [2**32 - 1], 1)
    runtime.cudaLibraryLoadData(b"code", None, None, 0, [runtime.cudaLibraryOption(1)], [2**32 - 1], 1)
    assert [slot[:4] for slot in seen] == [b"\xff" * 4] * 2
    with pytest.raises((OverflowError, ValueError)):
        driver.cuLibraryLoadData(b"code", None, None, 0, [driver.CUlibraryOption(1)], [-1], 1)


def test_no_option_is_forgotten(driver, runtime):
    names = {spelled(name) for name in (*UNSIGNED, *SIGNED, *OF_CLASSES, *OTHERS)}
    assert names == set(driver.CUjit_option.__members__)
    here = {"cudaJit" + name for name in (*UNSIGNED, *SIGNED, *OF_CLASSES, *OTHERS)}
    assert set(runtime.cudaJitOption.__members__) <= here
