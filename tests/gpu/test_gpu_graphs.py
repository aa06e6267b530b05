# SPDX-License-Identifier: Apache-2.0
"""Graphs: built by hand and captured, queries, edges, updates, memory nodes, host nodes, conditional nodes."""

from __future__ import annotations

import ctypes

import pytest
from gpu import CONDITIONAL, build, copy_out, ok


@pytest.fixture
def graph(driver, context):
    """An empty graph."""
    made = ok(driver.cuGraphCreate(0))
    yield made
    ok(driver.cuGraphDestroy(made))


def run(driver, graph, stream, times: int = 1) -> None:
    """Instantiates a graph and launches it."""
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    for _ in range(times):
        ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuGraphExecDestroy(executable))


def add_node(driver, graph, dependencies, function, data, value):
    """A kernel node that adds a value to one number."""
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.func = function
    params.gridDimX = params.gridDimY = params.gridDimZ = 1
    params.blockDimX = params.blockDimY = params.blockDimZ = 1
    params.kernelParams = ((data, value, 1), (None, ctypes.c_int, ctypes.c_int))
    return ok(driver.cuGraphAddKernelNode(graph, dependencies, len(dependencies), params))


def memset_node(driver, graph, context, data, value):
    """A node that sets one number."""
    params = driver.CUDA_MEMSET_NODE_PARAMS()
    params.dst, params.value, params.elementSize, params.width, params.height = data, value, 4, 1, 1
    return ok(driver.cuGraphAddMemsetNode(graph, [], 0, params, context))


def test_a_graph_of_nodes(driver, context, graph, stream, kernel, memory):
    data = memory(4)
    first = memset_node(driver, graph, context, data, 5)
    second = add_node(driver, graph, [first], kernel(b"add"), data, 10)
    add_node(driver, graph, [second], kernel(b"add"), data, 100)
    run(driver, graph, stream, times=3)
    assert copy_out(driver, data, 1) == [115]
    back = ok(driver.cuGraphKernelNodeGetParams(second))
    assert type(back) is driver.CUDA_KERNEL_NODE_PARAMS and back.func == kernel(b"add")
    assert ok(driver.cuGraphNodeGetType(second)) is driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL


def test_graph_queries(driver, context, graph, kernel, memory):
    data = memory(4)
    first = memset_node(driver, graph, context, data, 5)
    second = add_node(driver, graph, [first], kernel(b"add"), data, 10)
    third = add_node(driver, graph, [first, second], kernel(b"add"), data, 10)
    assert ok(driver.cuGraphGetNodes(graph)) == ([], 3)
    nodes, count = ok(driver.cuGraphGetNodes(graph, 3))
    assert count == 3 and {int(n) for n in nodes} == {int(first), int(second), int(third)}
    roots, count = ok(driver.cuGraphGetRootNodes(graph, 1))
    assert (roots, count) == ([first], 1)
    sources, targets, edges, count = ok(driver.cuGraphGetEdges(graph, 3))
    assert count == 3 and len(edges) == 3 and {type(e) for e in edges} == {driver.CUgraphEdgeData}
    assert {(int(s), int(t)) for s, t in zip(sources, targets, strict=True)} == {
        (int(first), int(second)), (int(first), int(third)), (int(second), int(third))}
    dependencies, edges, count = ok(driver.cuGraphNodeGetDependencies(third, 2))
    assert count == 2 and {int(d) for d in dependencies} == {int(first), int(second)}
    dependents, edges, count = ok(driver.cuGraphNodeGetDependentNodes(first))
    assert (dependents, edges, count) == ([], [], 2)
    ok(driver.cuGraphRemoveDependencies(graph, [first], [third], None, 1))
    assert ok(driver.cuGraphGetEdges(graph))[3] == 2
    ok(driver.cuGraphAddDependencies(graph, [first], [third], [driver.CUgraphEdgeData()], 1))
    assert ok(driver.cuGraphGetEdges(graph))[3] == 3
    ok(driver.cuGraphDestroyNode(third))
    assert ok(driver.cuGraphGetNodes(graph))[1] == 2


def test_capture(driver, stream, kernel, memory):
    data = memory(4)
    modes = driver.CUstreamCaptureMode
    ok(driver.cuStreamBeginCapture(stream, modes.CU_STREAM_CAPTURE_MODE_GLOBAL))
    ok(driver.cuMemsetD32Async(data, 1, 1, stream))
    arguments = ((data, 2, 1), (None, ctypes.c_int, ctypes.c_int))
    ok(driver.cuLaunchKernel(kernel(b"add"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0))
    status, identifier, graph, dependencies, edges, count = ok(driver.cuStreamGetCaptureInfo(stream))
    assert status is driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    assert type(identifier) is driver.cuuint64_t and int(identifier) > 0 and int(graph)
    assert count == len(dependencies) == 1 and len(edges) in (0, 1)
    assert ok(driver.cuStreamIsCapturing(stream)) is status
    captured = ok(driver.cuStreamEndCapture(stream))
    assert captured == graph
    assert ok(driver.cuGraphGetNodes(captured))[1] == 2
    run(driver, captured, stream)
    assert copy_out(driver, data, 1) == [3]
    ok(driver.cuGraphDestroy(captured))


def test_runtime_capture(runtime, driver, context, kernel, memory):
    data = memory(4)
    stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal))
    ok(runtime.cudaMemsetAsync(data, 1, 4, stream))
    status, identifier, *_ = ok(runtime.cudaStreamGetCaptureInfo(stream))
    assert status == runtime.cudaStreamCaptureStatus.cudaStreamCaptureStatusActive and type(identifier) is int
    graph = ok(runtime.cudaStreamEndCapture(stream))
    assert type(graph) is runtime.cudaGraph_t and isinstance(graph, driver.CUgraph)
    executable = ok(runtime.cudaGraphInstantiate(graph, 0))
    ok(runtime.cudaGraphLaunch(executable, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert copy_out(driver, data, 1) == [0x01010101]
    nodes, count = ok(runtime.cudaGraphGetNodes(graph, 1))
    assert count == 1 and type(nodes[0]) is runtime.cudaGraphNode_t
    ok(runtime.cudaGraphExecDestroy(executable))
    ok(runtime.cudaGraphDestroy(graph))
    ok(runtime.cudaStreamDestroy(stream))


def test_parameters_of_an_instantiated_graph_change(driver, context, graph, stream, kernel, memory):
    data = memory(4)
    first = memset_node(driver, graph, context, data, 1)
    node = add_node(driver, graph, [first], kernel(b"add"), data, 10)
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    params = ok(driver.cuGraphKernelNodeGetParams(node))
    params.kernelParams = ((data, 500, 1), (None, ctypes.c_int, ctypes.c_int))
    ok(driver.cuGraphExecKernelNodeSetParams(executable, node, params))
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert copy_out(driver, data, 1) == [501]
    ok(driver.cuGraphNodeSetEnabled(executable, node, 0))
    assert ok(driver.cuGraphNodeGetEnabled(executable, node)) == 0
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert copy_out(driver, data, 1) == [1]
    information = ok(driver.cuGraphExecUpdate(executable, graph))
    assert information.result is driver.CUgraphExecUpdateResult.CU_GRAPH_EXEC_UPDATE_SUCCESS
    ok(driver.cuGraphExecDestroy(executable))


def test_instantiation_with_parameters_reports_its_result(driver, context, graph, stream, memory):
    memset_node(driver, graph, context, memory(4), 1)
    params = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
    params.flags = int(driver.CUgraphInstantiate_flags.CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
    params.hUploadStream = stream
    executable = ok(driver.cuGraphInstantiateWithParams(graph, params))
    assert params.result_out is driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_SUCCESS
    flags = ok(driver.cuGraphExecGetFlags(executable))
    assert type(flags) is driver.cuuint64_t
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuGraphExecDestroy(executable))


def test_host_node_runs_at_each_replay(driver, graph, stream):
    seen = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    params = driver.CUDA_HOST_NODE_PARAMS()
    params.fn = driver.CUhostFn(_ptr=ctypes.addressof(function))
    params.userData = 0x31
    node = ok(driver.cuGraphAddHostNode(graph, None, 0, params))
    back = ok(driver.cuGraphHostNodeGetParams(node))
    assert (int(back.fn), back.userData) == (int(params.fn), 0x31)
    run(driver, graph, stream, times=4)
    assert seen == [0x31] * 4


@pytest.mark.parametrize("api", ["driver", "runtime"])
def test_captured_host_function_runs_at_each_replay(driver, runtime, stream, api):
    seen = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
    if api == "driver":
        ok(driver.cuLaunchHostFunc(stream, driver.CUhostFn(_ptr=ctypes.addressof(function)), 0x32))
    else:
        ok(runtime.cudaLaunchHostFunc(stream, runtime.cudaHostFn_t(_ptr=ctypes.addressof(function)), 0x32))
    graph = ok(driver.cuStreamEndCapture(stream))
    run(driver, graph, stream, times=5)
    assert seen == [0x32] * 5
    ok(driver.cuGraphDestroy(graph))


def test_memory_nodes_and_their_device_wide_attributes(driver, device, graph, stream):
    params = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
    params.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    params.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    params.poolProps.location.id = device
    params.bytesize = 1 << 16
    node = ok(driver.cuGraphAddMemAllocNode(graph, None, 0, params))
    assert int(params.dptr) != 0
    free = ok(driver.cuGraphAddMemFreeNode(graph, [node], 1, params.dptr))
    assert ok(driver.cuGraphMemFreeNodeGetParams(free)) == params.dptr
    assert ok(driver.cuGraphMemAllocNodeGetParams(node)).bytesize == 1 << 16
    run(driver, graph, stream)
    attribute = driver.CUgraphMem_attribute
    high = ok(driver.cuDeviceGetGraphMemAttribute(device, attribute.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH))
    assert type(high) is driver.cuuint64_t and int(high) >= 1 << 16
    ok(driver.cuDeviceSetGraphMemAttribute(device, attribute.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, driver.cuuint64_t(0)))
    ok(driver.cuDeviceGraphMemTrim(device))


def test_child_graphs_and_clones(driver, context, graph, stream, kernel, memory):
    data = memory(4)
    ok(driver.cuMemsetD32(data, 0, 1))
    ok(driver.cuCtxSynchronize())
    child = ok(driver.cuGraphCreate(0))
    inner = add_node(driver, child, [], kernel(b"add"), data, 1)
    first = ok(driver.cuGraphAddChildGraphNode(graph, None, 0, child))
    ok(driver.cuGraphAddChildGraphNode(graph, [first], 1, child))
    clone = ok(driver.cuGraphClone(child))
    assert int(ok(driver.cuGraphNodeFindInClone(inner, clone))) not in (0, int(inner))
    run(driver, graph, stream)
    assert copy_out(driver, data, 1) == [2]
    for one in (clone, child):
        ok(driver.cuGraphDestroy(one))


def test_generic_nodes(driver, context, graph, stream, memory):
    data = memory(4)
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_MEMSET
    params.memset.dst, params.memset.value, params.memset.elementSize = data, 6, 4
    params.memset.width, params.memset.height, params.memset.ctx = 1, 1, context
    node = ok(driver.cuGraphAddNode(graph, None, None, 0, params))
    empty = driver.CUgraphNodeParams()
    empty.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_EMPTY
    ok(driver.cuGraphAddNode(graph, [node], [driver.CUgraphEdgeData()], 1, empty))
    run(driver, graph, stream)
    assert copy_out(driver, data, 1) == [6]


def test_conditional_node_loops(driver, nvrtc, capability, context, graph, stream, memory):
    code = build(nvrtc, CONDITIONAL, b"--gpu-architecture=sm_%d%d" % capability, cubin=True)
    module = ok(driver.cuModuleLoadData(code))
    step = ok(driver.cuModuleGetFunction(module, b"step"))
    data = memory(4)
    ok(driver.cuMemsetD32(data, 0, 1))
    ok(driver.cuCtxSynchronize())
    handle = ok(driver.cuGraphConditionalHandleCreate(graph, context, 1, driver.CU_GRAPH_COND_ASSIGN_DEFAULT))
    assert type(handle) is driver.CUgraphConditionalHandle
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.handle = handle
    params.conditional.type = driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_WHILE
    params.conditional.size = 1
    params.conditional.ctx = context
    assert [int(g) for g in params.conditional.phGraph_out] == [0]
    ok(driver.cuGraphAddNode(graph, None, None, 0, params))
    body = params.conditional.phGraph_out[0]
    assert int(body) != 0
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    node.func = step
    node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimX = node.blockDimY = node.blockDimZ = 1
    node.kernelParams = ((handle, data), (None, None))
    ok(driver.cuGraphAddKernelNode(body, None, 0, node))
    run(driver, graph, stream)
    assert copy_out(driver, data, 1) == [5]
    ok(driver.cuModuleUnload(module))


def test_user_objects(driver, graph):
    seen = []
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    made = ok(driver.cuUserObjectCreate(0x55, driver.CUhostFn(_ptr=ctypes.addressof(destroy)), 1,
                                        driver.CUuserObject_flags.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC))
    ok(driver.cuUserObjectRetain(made, 1))
    ok(driver.cuUserObjectRelease(made, 2))
    import time
    deadline = time.monotonic() + 5
    while not seen and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen == [0x55]


def test_graph_is_drawn(driver, context, graph, memory, tmp_path):
    memset_node(driver, graph, context, memory(4), 1)
    path = tmp_path / "graph.dot"
    ok(driver.cuGraphDebugDotPrint(graph, str(path).encode(), 0))
    assert path.read_text().lstrip().startswith("digraph")
