# SPDX-License-Identifier: Apache-2.0
"""Handles that stand for the same thing in two libraries, or in two releases, go for each other as arguments."""

from __future__ import annotations

import pytest
from api_table import MODULES, table
from call_plan import plan_call, run_call
from expectations import OBJECTS
from special_functions import SPECIALS

BOTH_WAYS = """
CUarray cudaArray_t, CUasyncCallback cudaAsyncCallback, CUasyncCallbackHandle cudaAsyncCallbackHandle_t,
CUevent cudaEvent_t, CUexternalMemory cudaExternalMemory_t, CUexternalSemaphore cudaExternalSemaphore_t,
CUgraph cudaGraph_t, CUgraphExec cudaGraphExec_t, CUgraphNode cudaGraphNode_t,
CUgraphicsResource cudaGraphicsResource_t, CUhostFn cudaHostFn_t, CUkernel cudaKernel_t, CUlibrary cudaLibrary_t,
CUlogsCallback cudaLogsCallback_t, CUlogsCallbackHandle cudaLogsCallbackHandle, CUmemoryPool cudaMemPool_t,
CUmipmappedArray cudaMipmappedArray_t, CUstream cudaStream_t, CUstreamCallback cudaStreamCallback_t,
CUsurfObject cudaSurfaceObject_t, CUtexObject cudaTextureObject_t, CUuserObject cudaUserObject_t,
driver.EGLImageKHR runtime.EGLImageKHR, driver.EGLStreamKHR runtime.EGLStreamKHR, driver.EGLSyncKHR runtime.EGLSyncKHR,
driver.EGLint runtime.EGLint, driver.GLenum runtime.GLenum, driver.GLuint runtime.GLuint,
driver.VdpDevice runtime.VdpDevice, driver.VdpOutputSurface runtime.VdpOutputSurface,
driver.VdpVideoSurface runtime.VdpVideoSurface
"""
# The parameter's class first: a kernel is a function, an array may be read where it is constant, releases have names.
ONE_WAY = """
CUfunction cudaFunction_t, CUfunction CUkernel, CUfunction cudaKernel_t, CUdevice CUdevice_v1,
CUdeviceptr CUdeviceptr_v2, CUmemGenericAllocationHandle CUmemGenericAllocationHandle_v1,
CUsurfObject CUsurfObject_v1, CUtexObject CUtexObject_v1, cudaSurfaceObject_t CUsurfObject_v1,
cudaTextureObject_t CUtexObject_v1, cudaArray_const_t CUarray, cudaArray_const_t cudaArray_t,
cudaMipmappedArray_const_t CUmipmappedArray, cudaMipmappedArray_const_t cudaMipmappedArray_t
"""


def pairs(text: str) -> list[tuple[str, ...]]:
    """The pairs of a text, each class with its module in front."""
    def whole(name: str) -> str:
        return name if "." in name else f"{'driver' if name.startswith(('CU', 'cuu')) else 'runtime'}.{name}"
    return [tuple(map(whole, pair.split())) for pair in text.split(",")]


PAIRS = pairs(BOTH_WAYS) + [(there, here) for here, there in pairs(BOTH_WAYS)] + pairs(ONE_WAY)


def takers(cls: str) -> list[tuple[str, dict, str]]:
    """Every function that takes the class by value, and by which argument."""
    module, _, name = cls.partition(".")
    return [(row["name"], row, argument["name"]) for row in table()["functions"][module]
            for argument in row["arguments"] if argument["token"] == name]


@pytest.mark.parametrize(("cls", "twin"), PAIRS, ids=[f"{twin} for {cls}" for cls, twin in PAIRS])
def test_a_twin_arrives_as_the_handle_does(cls, twin, modules, recorders):
    module = cls.partition(".")[0]
    where, _, name = twin.partition(".")
    found = takers(cls)
    assert found
    for _, row, argument in found[:3]:
        plan = plan_call(modules[module], module, row, OBJECTS, SPECIALS)
        plan.values[argument] = getattr(modules[where], name)(int(plan.values[argument]))
        assert run_call(plan, recorders[module])[0] == 0


def test_every_module_is_in_the_table():
    assert {cls.partition(".")[0] for cls, _ in PAIRS} == set(MODULES) - {"nvrtc"}
