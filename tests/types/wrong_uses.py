# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: B018
"""Programs that are wrong: each line that ends in `#! RULE | CODE` is reported, by pyright with that rule, by mypy with
that code, and no other line is. `-` stands for none. Never run: check_types.py compares.
"""
# pyright: strict, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnusedExpression=false

import ctypes

import numpy as np

from cuda_bindings import driver, nvrtc, runtime
from cuda_bindings.launch import PreparedLaunch

stream, event, memory = driver.CUstream(), driver.CUevent(), driver.CUdeviceptr()

# A call gives a tuple, also where there is nothing but the status.
if driver.cuInit(0) == driver.CUresult.CUDA_SUCCESS:  #! reportUnnecessaryComparison | comparison-overlap
    pass
if driver.cuMemAlloc(4) != driver.CUresult.CUDA_SUCCESS:  #! reportUnnecessaryComparison | comparison-overlap
    pass
if runtime.cudaFree(0) == 0:  #! reportUnnecessaryComparison | comparison-overlap
    pass
if nvrtc.nvrtcVersion()[0] == driver.CUresult.CUDA_SUCCESS:  #! - | comparison-overlap
    pass
driver.cuInit(0).name  #! reportAttributeAccessIssue | attr-defined

# The wrong number of values.
status_0 = driver.cuInit(0)
status_1, nothing = driver.cuInit(0)  #! reportAssignmentType | misc
(status_2,) = driver.cuMemAlloc(4)  #! reportAssignmentType | misc
status_3, free = driver.cuMemGetInfo()  #! reportAssignmentType | misc
status_4, major, minor, patch = nvrtc.nvrtcVersion()  #! reportAssignmentType | misc
driver.cuMemAlloc(4)[2]  #! reportGeneralTypeIssues | misc

# Handles of another class.
driver.cuStreamSynchronize(event)  #! reportArgumentType | arg-type
driver.cuStreamDestroy(driver.CUcontext())  #! reportArgumentType | arg-type
driver.cuMemFree(stream)  #! reportArgumentType | arg-type
driver.cuGraphLaunch(driver.CUgraph(), stream)  #! reportArgumentType | arg-type
runtime.cudaStreamSynchronize(event)  #! reportArgumentType | arg-type
nvrtc.nvrtcGetPTXSize(driver.CUmodule())  #! reportArgumentType | arg-type
driver.cuGraphAddEmptyNode(driver.CUgraph(), [stream], 1)  #! reportArgumentType | arg-type

PreparedLaunch(stream, 1, 1, 1, 1, 1, 1, 0, stream, None)  #! reportArgumentType | arg-type
PreparedLaunch(0, 1, 1, 1, 1, 1, 1, 0, stream, None)(event)  #! reportArgumentType | arg-type
PreparedLaunch(0, 1, 1, 1, 1, 1, 1, 0, stream, [memory])  #! reportArgumentType | arg-type

# What is no handle.
driver.cuStreamSynchronize(0.0)  #! reportArgumentType | arg-type
driver.cuStreamSynchronize("0")  #! reportArgumentType | arg-type
driver.cuDeviceGetName(64, None)  #! reportArgumentType | arg-type

# Enumerators, numbers, texts.
driver.cuCtxGetLimit(0.0)  #! reportArgumentType | arg-type
driver.cuCtxGetLimit("CU_LIMIT_STACK_SIZE")  #! reportArgumentType | arg-type
driver.cuCtxGetLimit(None)  #! reportArgumentType | arg-type
driver.CUlimit.CU_LIMIT_STACKSIZE  #! reportAttributeAccessIssue | attr-defined
driver.cuMemAlloc("4")  #! reportArgumentType | arg-type
driver.cuMemAlloc(None)  #! reportArgumentType | arg-type
driver.cuModuleGetFunction(driver.CUmodule(), "saxpy")  #! reportArgumentType | arg-type
nvrtc.nvrtcCreateProgram("code", b"name", 0, None, None)  #! reportArgumentType | arg-type
nvrtc.nvrtcCompileProgram(nvrtc.nvrtcProgram(), 1, ["-G"])  #! reportArgumentType | list-item
nvrtc.nvrtcCompileProgram(nvrtc.nvrtcProgram(), 1, b"-G")  #! reportArgumentType | arg-type

# Addresses and kernel parameters.
driver.cuMemcpyHtoD(memory, 0.0, 4)  #! reportArgumentType | arg-type
driver.cuMemcpyHtoD(memory, "text", 4)  #! reportArgumentType | arg-type
driver.cuMemcpyHtoD(memory, [1, 2], 8)  #! reportArgumentType | arg-type
driver.cuMemcpyHtoD(memory, np.float32(1), 4)  #! reportArgumentType | arg-type
kernel = driver.CUfunction()
driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, [1, 2], 0)  #! reportArgumentType | arg-type
driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, None, None)  #! reportArgumentType | arg-type

# Keywords and numbers of arguments.
driver.cuInit(flags=0)  #! reportCallIssue reportCallIssue | call-arg
driver.cuInit()  #! reportCallIssue | call-arg
driver.cuInit(0, 0)  #! reportCallIssue | call-arg
driver.cuMemAlloc(dptr=memory, bytesize=4)  #! reportCallIssue | call-arg
driver.cuMemAloc(4)  #! reportAttributeAccessIssue | attr-defined

# Records and their members.
copy = driver.CUDA_MEMCPY2D()
copy.srcXInByte = 4  #! reportAttributeAccessIssue | attr-defined
copy.srcXInBytes = "4"  #! reportAttributeAccessIssue | assignment
copy.srcMemoryType = None  #! reportAttributeAccessIssue | assignment
copy.srcDevice = stream  #! reportAttributeAccessIssue | assignment
driver.cuMemcpy2D(driver.CUDA_MEMCPY3D())  #! reportArgumentType | arg-type
driver.CUDA_MEMCPY2D(srcXInBytes=4)  #! reportCallIssue | call-arg
driver.CUuuid().bytes = bytes(16)  #! reportAttributeAccessIssue | misc
location: ctypes.c_int = copy.srcXInBytes  #! reportAssignmentType | assignment
known = {copy: 1}  #! reportUnhashable | -

# Arithmetic that there is not.
stream + 1  #! reportOperatorIssue | operator
memory * 2  #! reportOperatorIssue | operator
memory + memory  #! reportOperatorIssue | operator
if stream < stream:  #! reportOperatorIssue | operator
    pass
distance: driver.CUdeviceptr = memory - memory  #! reportAssignmentType | assignment
driver.sizeof(driver.CUresult)  #! reportArgumentType | arg-type
driver.CU_IPC_HANDLE_SIZE = 1  #! - | misc
