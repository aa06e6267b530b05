# SPDX-License-Identifier: Apache-2.0
"""A lint of every docstring: its parts, its words, its width; and some of them word by word, typed by hand."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import re
import types
from enum import IntEnum

from cuda_bindings import driver, nvrtc, runtime

MODULES = {"driver": driver, "runtime": runtime, "nvrtc": nvrtc}
OWN = ("sizeof", "getLocalRuntimeVersion", "__dir__", "__getattr__")  # of no C function
FUNCTIONS = [
    getattr(module, name) for module in MODULES.values() for name in dir(module)
    if type(getattr(module, name)).__name__ == "builtin_function_or_method" and name not in OWN
]
CLASSES = [(module, name) for module in MODULES.values() for name in dir(module)
           if isinstance(getattr(module, name), type) and not name.startswith("_")]
PAGE = re.compile(r"https://docs\.nvidia\.com/cuda/(cuda-driver-api|cuda-runtime-api|nvrtc)/(group__[A-Za-z_]+\.html)?")
SINCE = r"\d+\.\d( or before)?(, in this form since \d+\.\d| in this form)?"
# How C's documentation speaks of parameters through which values come back. In Python there are none.
FORBIDDEN = re.compile(r"\[(in|out|in,out)\]|\\param|[Pp]ointer to|[Rr]eturned (in|through|pointer)|[Oo]utput param|"
                       r"Out:|[Ss]pecifies|NVIDIA's|[Nn]ote that|©|[Cc]opyright")


def parts(function):
    """The docstring's signature, its parameter lines, the sentences, the prototype, the link; lines joined."""
    signature, rest = re.sub(r"\n {4,}", " ", inspect.cleandoc(function.__doc__)).split("\n\n")
    *lines, returns, prototype, link = rest.split("\n")
    return signature, lines, returns, prototype, link


def test_there_are_many_functions_and_classes():
    assert len(FUNCTIONS) > 900 and len(CLASSES) > 650


def test_functions_are_builtins_which_the_interpreter_calls_without_a_detour():
    assert isinstance(driver.cuInit, types.BuiltinFunctionType)
    assert pickle.loads(pickle.dumps(driver.cuInit)) is driver.cuInit is copy.deepcopy(driver.cuInit)
    assert (driver.cuInit.__module__, driver.cuInit.__qualname__) == ("cuda_bindings.driver", "cuInit")


def test_help_shows_the_parameters_and_then_the_docstring():
    first, second = pydoc.plain(pydoc.render_doc(driver.cuMemAlloc)).splitlines()[2:4]
    assert first == "cuMemAlloc(bytesize)"
    assert second.strip() == "cuMemAlloc(bytesize: int) -> tuple[CUresult, CUdeviceptr]"


def lint(function):
    """What is wrong with a function's docstring."""
    signature, lines, returns, prototype, link = parts(function)
    prose = [line for line in function.__doc__.splitlines() if not line.lstrip().startswith(("C: ", "https:"))]
    checks = {
        "the signature": signature.startswith(function.__name__ + "("),
        "its parameters": [line.split(": ")[0] for line in lines] == list(inspect.signature(function).parameters),
        "their C types": all(re.fullmatch(r"\w+: [a-zA-Z].*\S", line) for line in lines),
        "what is returned": re.match(r"Returns the (status|struct)\b", returns),
        "since when": re.search(r"\. Since CUDA " + SINCE + r"\.( Deprecated\.)?$", returns),
        "the prototype": re.match(r"C: .*\b\w+\(.*\)$", prototype),
        "the link": PAGE.fullmatch(link),
        "our words, of Python": not FORBIDDEN.search("\n".join(prose)),
        "120 columns": max(map(len, function.__doc__.splitlines())) <= 120,
    }
    return [what for what, is_there in checks.items() if not is_there]


def test_every_function_says_all_there_is_to_know_in_our_words():
    assert {function.__name__: lint(function) for function in FUNCTIONS if lint(function)} == {}


def test_the_lint_sees_what_is_wrong():
    def cuFoo(size):
        """cuFoo(size: int) -> tuple[CUresult]

        size: size_t, bytes
        Returns the status. Since CUDA 12.0.
        C: CUresult cuFoo(size_t size)
        https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
        """

    good = cuFoo.__doc__ or ""
    assert lint(cuFoo) == []
    for wrong, what in (
        ("size: size_t, bytes", "size: Pointer to returned size"), ("Returns the status", "Gives the status"),
        (" Since CUDA 12.0.", ""), ("C: CUresult cuFoo(size_t size)", "C: cuFoo"), ("docs.nvidia.com", "example.com"),
        ("size: size_t, bytes", "length: size_t, bytes"), ("cuFoo(size: int) ->", "cuBar(size: int) ->"),
        ("size_t, bytes", "size_t, " + "bytes " * 20),
    ):
        cuFoo.__doc__ = good.replace(wrong, what)
        assert lint(cuFoo), what


def test_every_page_of_the_driver_and_the_runtime_is_that_of_the_functions_group():
    front = [f"{name}" for short in ("driver", "runtime") for name in dir(MODULES[short])
             if (getattr(MODULES[short], name).__doc__ or "").rstrip().endswith("-api/")]
    assert front == ["cuGetExportTable", "cudaGetExportTable"]  # which no group documents
    assert str(driver.cuMemAlloc.__doc__).rstrip().endswith("cuda-driver-api/group__CUDA__MEM.html")
    assert str(driver.cuGraphInstantiate_v2.__doc__).rstrip().endswith("cuda-driver-api/group__CUDA__GRAPH.html")
    assert str(driver.cuGLInit.__doc__).rstrip().endswith("cuda-driver-api/group__CUDA__GL__DEPRECATED.html")
    assert str(runtime.cudaDriverGetVersion.__doc__).rstrip().endswith("cuda-runtime-api/group__CUDART____VERSION.html")
    assert str(runtime.cudaMallocAsync.__doc__).rstrip().endswith("cuda-runtime-api/group__CUDART__MEMORY__POOLS.html")


def test_units_are_those_of_the_interface():
    functions = (driver.cuMemcpyHtoD, driver.cuLaunchKernel, runtime.cudaMemcpy2D, driver.cuMemsetD2D32,
                 driver.cuEGLStreamConsumerAcquireFrame, driver.cuGraphAddNode, nvrtc.nvrtcGetPTX)
    told = {line for function in functions for line in parts(function)[1]}
    assert told >= {
        "ByteCount: size_t, bytes of srcHost", "srcHost: const void *, ByteCount bytes",
        "gridDimX: unsigned int, blocks", "blockDimZ: unsigned int, threads", "sharedMemBytes: unsigned int, bytes",
        "dpitch: size_t, bytes", "width: size_t, bytes", "height: size_t, rows",
        "dstPitch: size_t, bytes", "Width: size_t, elements", "Height: size_t, rows",
        "timeout: unsigned int, microseconds",
        "dependencies: const CUgraphNode *, numDependencies elements",
        "numDependencies: size_t, elements of dependencies and dependencyData",
        "ptx: char *, filled by the call, of nvrtcGetPTXSize bytes",
    }


def test_what_is_returned_is_named_with_its_type_and_unit():
    assert parts(driver.cuMemGetInfo)[2] == (
        "Returns the status, free (size_t, bytes), total (size_t, bytes). Since CUDA 3.2 in this form.")
    assert parts(runtime.cudaEventElapsedTime)[2].startswith("Returns the status, ms (float, milliseconds).")
    assert parts(driver.cuDeviceGetLuid)[2].startswith(
        "Returns the status, luid (8 bytes), deviceNodeMask (unsigned int).")
    assert parts(driver.cuInit)[2] == "Returns the status. Since CUDA 2.0."
    assert parts(runtime.cudaMemAdvise)[2] == (
        "Returns the status. Since CUDA 12.0 or before, in this form since 13.0.")
    assert parts(driver.cuTexRefCreate)[2].endswith("Deprecated.")


def test_every_class_says_what_it_is():
    for module, name in CLASSES:
        cls = getattr(module, name)
        assert name in cls.__doc__
        assert max(map(len, cls.__doc__.splitlines())) <= 120
        assert cls.__doc__.startswith("The C enumeration") == issubclass(cls, IntEnum)


def test_a_member_says_its_c_type_and_where_it_stands():
    assert driver.CUDA_MEMCPY2D_st.srcXInBytes.__doc__ == "size_t at byte 0"
    assert driver.CUDA_MEMCPY2D_st.Height.__doc__ == "size_t at byte 120"
    assert driver.CUDA_MEMCPY2D_st.srcHost.__doc__ == "const void * at byte 24"
    assert driver.CUtensorMap_st.opaque.__doc__ == "cuuint64_t[16] at byte 0"
    assert driver.CUDA_RESOURCE_DESC_st.res.__doc__ == "union at byte 8"
    assert runtime.cudaDeviceProp.name.__doc__ == "char[256] at byte 0"
    assert runtime.dim3.z.__doc__ == "unsigned int at byte 8"


def test_every_member_says_its_c_type_and_where_it_stands():
    for module, name in CLASSES:
        for member, descriptor in vars(getattr(module, name)).items():
            if type(descriptor).__name__ == "getset_descriptor" and not member.startswith("__"):
                assert re.fullmatch(r"[a-zA-Z][\w *]*(\[\d+\])? at byte \d+", descriptor.__doc__), f"{name}.{member}"
