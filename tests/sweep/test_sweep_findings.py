# SPDX-License-Identifier: Apache-2.0
"""What the sweep of bad input has found, each in its smallest form."""

from __future__ import annotations

import ctypes
import struct

import pytest
from recorder import script, u64

from cuda_bindings.errors import ListTooShortError

# --- pointers to handles with a count beside them ------------------------------------------------------------------

GRAPHICS = [("driver", "cuGraphicsMapResources", "CUgraphicsResource"),
            ("driver", "cuGraphicsUnmapResources", "CUgraphicsResource"),
            ("runtime", "cudaGraphicsMapResources", "cudaGraphicsResource_t"),
            ("runtime", "cudaGraphicsUnmapResources", "cudaGraphicsResource_t")]


@pytest.mark.parametrize(("module", "name", "cls"), GRAPHICS)
def test_one_handle_does_not_stand_for_more_than_one(modules, recorders, module, name, cls):
    """C would read what lies behind the handle inside of the Python object."""
    function, resource = getattr(modules[module], name), getattr(modules[module], cls)
    with pytest.raises(ListTooShortError, match=rf"^{name}\(\): parameter 'resources': got 1 element; accepts a list "
                                                "of at least 2"):
        function(2, resource(7), None)
    with pytest.raises(ListTooShortError):
        function(2, [resource(7)], None)
    with pytest.raises(TypeError):
        function(1, [7], None)
    assert recorders[module].calls == []


@pytest.mark.parametrize(("module", "name", "cls"), GRAPHICS)
def test_as_many_handles_as_the_count_says_are_taken(modules, recorders, module, name, cls):
    function, resource = getattr(modules[module], name), getattr(modules[module], cls)
    seen = script(recorders[module], name, peeks={1: 16})
    function(2, [resource(7), resource(8), resource(9)], None)
    assert seen.memory[1] == u64(7, 8)
    array = (ctypes.c_uint64 * 2)(5, 6)
    function(2, resource(_ptr=ctypes.addressof(array)), None)   # the caller's word, as an address is
    assert seen.words[1] == ctypes.addressof(array)
    function(2, ctypes.addressof(array), None)
    assert seen.words[1] == ctypes.addressof(array)
    script(recorders[module], name)
    single = resource(7)
    for count in (0, 1):
        assert function(count, single, None)[0] == 0


# --- arrays as long as a tensor map's rank -------------------------------------------------------------------------

@pytest.fixture
def tensor_maps(driver):
    """The three functions with lists that are long enough for rank 4, by the lists' names; and the rest."""
    lists = {"globalDim": [8] * 4, "globalStrides": [16] * 3, "elementStrides": [1] * 4}
    corners = {"pixelBoxLowerCorner": [0] * 2, "pixelBoxUpperCorner": [0] * 2}
    fixed = dict(tensorDataType=0, tensorRank=4, globalAddress=0x1000, interleave=0, swizzle=0, l2Promotion=0,
                 oobFill=0)
    columns = dict(fixed, channelsPerPixel=1, pixelsPerColumn=1)
    return [(driver.cuTensorMapEncodeTiled, {**lists, "boxDim": [8] * 4}, fixed),
            (driver.cuTensorMapEncodeIm2col, {**lists, **corners}, columns),
            (driver.cuTensorMapEncodeIm2colWide, lists,
             dict(columns, pixelBoxLowerCornerWidth=0, pixelBoxUpperCornerWidth=0, mode=0))]


def test_a_list_shorter_than_the_rank_is_refused(cuda, tensor_maps):
    """It was filled up with zeros, which is another tensor."""
    for function, lists, rest in tensor_maps:
        assert function(**lists, **rest)[0] == 0
        cuda.calls.clear()
        for name, values in lists.items():
            short = {**lists, name: values[1:]}
            wanted = rf"{function.__name__}\(\): parameter '{name}': got {len(values) - 1} elements?; accepts a list " \
                     f"of at least {len(values)}"
            with pytest.raises(ListTooShortError, match=wanted):
                function(**short, **rest)
            with pytest.raises(ListTooShortError):
                function(**{**lists, name: []}, **rest)
        assert cuda.calls == []


def test_longer_lists_and_none_are_taken_at_any_rank(driver, cuda, tensor_maps):
    for function, lists, rest in tensor_maps:
        for rank in (0, 1, driver.cuuint32_t(2), 4):
            assert function(**{n: [*v, 1] for n, v in lists.items()}, **{**rest, "tensorRank": rank})[0] == 0
        assert function(**dict.fromkeys(lists), **rest)[0] == 0
    seen = script(cuda, "cuTensorMapEncodeTiled", peeks={4: 16, 6: 8})
    function, lists, rest = tensor_maps[0]
    function(**{**lists, "globalDim": [3, 5], "globalStrides": [], "boxDim": [7]}, **{**rest, "tensorRank": 1})
    assert seen.memory[4][:8] == u64(3) and seen.memory[6][:4] == struct.pack("<I", 7)


# --- what errors say -----------------------------------------------------------------------------------------------

def test_an_int_method_that_gives_no_int_is_an_error_about_the_parameter(driver, cuda):
    class Text:
        def __int__(self) -> str:
            return "5"
    with pytest.raises(TypeError, match=r"^cuMemAlloc\(\): parameter 'bytesize': got Text; accepts an integer"):
        driver.cuMemAlloc(Text())
    assert cuda.calls == []


def test_make_functions_name_themselves_and_their_parameter(runtime):
    for call, words in ((lambda: runtime.make_cudaPos(0, "y", 0), r"make_cudaPos\(\): parameter 'y': got str"),
                        (lambda: runtime.make_cudaExtent(0, 0, -1), r"make_cudaExtent\(\): parameter 'd': got int -1"),
                        (lambda: runtime.make_cudaPitchedPtr("d", 0, 0, 0),
                         r"make_cudaPitchedPtr\(\): parameter 'd': got str")):
        with pytest.raises((TypeError, OverflowError), match="^" + words):
            call()
    memory = bytearray(64)
    assert runtime.make_cudaPitchedPtr(memory, 1, 2, 3).ptr == ctypes.addressof(ctypes.c_char.from_buffer(memory))


def test_a_number_that_no_float_holds_is_an_error_about_the_member(driver):
    texture = driver.CUDA_TEXTURE_DESC()
    with pytest.raises(OverflowError, match=r"mipmapLevelBias: got an int above 64 bits signed; accepts a number"):
        texture.mipmapLevelBias = 10**400


def test_memory_that_was_released_is_an_error_about_the_member(driver):
    view = memoryview(bytearray(8))
    view.release()
    for record, name in ((driver.CUDA_MEMCPY2D(), "srcHost"), (driver.CUmemDecompressParams(), "dstActBytes")):
        with pytest.raises(ValueError, match=rf"\.{name}: got memoryview; accepts "):
            setattr(record, name, view)


# --- lengths that are lies -----------------------------------------------------------------------------------------

class Lying:
    """Two elements that claim to be another number of elements."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __iter__(self):
        return iter((1, 2))


@pytest.mark.parametrize("length", [-1, 0, 1, (1 << 62) - 1])
def test_the_length_that_an_iterable_claims_is_not_asked(driver, cuda, length):
    """Less than nothing was a ValueError about __len__, very much a MemoryError, or the memory was really taken."""
    seen = script(cuda, "cuDeviceGetHostAtomicCapabilities", peeks={1: 8})
    driver.cuDeviceGetHostAtomicCapabilities(Lying(length), 2, 0)
    assert seen.memory[1] == struct.pack("<2i", 1, 2)
    frame = driver.CUipcMemHandle()
    with pytest.raises(ValueError, match="got 2 elements; accepts exactly 64"):
        frame.reserved = Lying(length)


# --- members -------------------------------------------------------------------------------------------------------

def test_a_number_in_numpys_own_memory_is_no_memory(driver, cuda):
    """As an argument it was refused, as a member it was taken: a copy that nobody else sees."""
    numpy = pytest.importorskip("numpy")
    for value in (numpy.float64(1.5), numpy.float32(1.5), numpy.bool_(True)):
        with pytest.raises(TypeError):
            driver.cuMemcpyHtoD(0x1000, value, 4)
        with pytest.raises(TypeError, match=r"srcHost: got numpy\.\w+; accepts an address"):
            driver.CUDA_MEMCPY2D().srcHost = value
    assert cuda.calls == []


def test_an_array_of_pointers_is_written_whole_or_not_at_all(driver):
    frame = driver.CUeglFrame()
    frame.frame.pPitch = [1, 2, 3]
    for wrong in ([4, 5, "x"], [4, True, 6]):
        with pytest.raises(TypeError, match=r"pPitch\[\d\]: got "):
            frame.frame.pPitch = wrong
        assert frame.frame.pPitch == [1, 2, 3]


# --- lists in records ----------------------------------------------------------------------------------------------

def counted_lists(driver, runtime):
    """Records with a list of one element that say it has two, and a function that takes each."""
    config = driver.CUlaunchConfig()
    config.attrs, config.numAttrs = [driver.CUlaunchAttribute()], 2
    yield config, "attrs", "numAttrs", lambda: driver.cuLaunchKernelEx(config, 0, None, 0), "config"
    batch = driver.CUDA_BATCH_MEM_OP_NODE_PARAMS()
    batch.paramArray, batch.count = [driver.CUstreamBatchMemOpParams()], 2
    yield batch, "paramArray", "count", lambda: driver.cuGraphAddBatchMemOpNode(0, None, 0, batch), "nodeParams"
    signal = driver.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS()
    signal.extSemArray, signal.numExtSems = [driver.CUexternalSemaphore(1)], 2
    yield (signal, "extSemArray", "numExtSems",
           lambda: driver.cuGraphAddExternalSemaphoresSignalNode(0, None, 0, signal), "nodeParams")
    memory = runtime.cudaMemAllocNodeParams()
    memory.accessDescs, memory.accessDescCount = [runtime.cudaMemAccessDesc()], 2
    yield (memory, "accessDescs", "accessDescCount", lambda: runtime.cudaGraphAddMemAllocNode(0, None, 0, memory),
           "nodeParams")
    node = driver.CUgraphNodeParams()
    node.extSemWait.paramsArray = [driver.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS()]
    node.extSemWait.numExtSems = 2
    yield (node.extSemWait, "paramsArray", "numExtSems", lambda: driver.cuGraphAddNode(0, None, None, 0, node),
           "nodeParams")


def test_a_list_in_a_record_is_as_long_as_the_record_says(driver, runtime, cuda, cudart):
    """C read past the end of the list's memory."""
    for record, name, count, call, parameter in counted_lists(driver, runtime):
        wanted = (rf"\(\): parameter '{parameter}': got 1 element in its {name}; accepts a list of at least 2, "
                  f"which is its {count}$")
        with pytest.raises(ListTooShortError, match=wanted):
            call()
        assert cuda.calls == cudart.calls == []
        setattr(record, name, getattr(record, name) * 2)
        assert call()[0] == 0
        setattr(record, name, getattr(record, name) * 2)        # more than enough
        assert call()[0] == 0
        setattr(record, name, None)                             # NULL is C's to judge
        assert call()[0] == 0
        cuda.calls.clear()
        cudart.calls.clear()


def test_a_copied_list_is_counted_too_and_an_address_is_the_callers_word(driver, cuda):
    config = driver.CUlaunchConfig()
    config.attrs, config.numAttrs = [driver.CUlaunchAttribute()], 2
    copy = config.copy()
    with pytest.raises(ListTooShortError):
        driver.cuLaunchKernelEx(copy, 0, None, 0)
    elsewhere = (ctypes.c_char * 128)()
    ctypes.c_uint64.from_address(copy.getPtr() + 40).value = ctypes.addressof(elsewhere)
    assert driver.cuLaunchKernelEx(copy, 0, None, 0)[0] == 0
    assert len(cuda.calls) == 1
