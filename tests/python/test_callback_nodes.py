# SPDX-License-Identifier: Apache-2.0
"""Host nodes of graphs: callables as members of their parameters, kept by the record, then by the graph."""

from __future__ import annotations

import copy
import ctypes
import weakref

import foreign
import pytest
from recorder import read, script, u64
from test_callbacks import Callback, is_alive

RECORDS = [("driver", "CUDA_HOST_NODE_PARAMS"), ("driver", "CUDA_HOST_NODE_PARAMS_v1"),
           ("driver", "CUDA_HOST_NODE_PARAMS_v2"), ("runtime", "cudaHostNodeParams"),
           ("runtime", "cudaHostNodeParamsV2")]


@pytest.fixture(params=RECORDS, ids=[name for _, name in RECORDS])
def parameters(request, modules):
    """A fresh record of each class that has a callback among its members."""
    module, name = request.param
    return getattr(modules[module], name)()


def run(record) -> None:
    """Calls what the record's memory says, as CUDA does."""
    function, user_data = (int.from_bytes(read(record.getPtr() + at, 8), "little") for at in (0, 8))
    foreign.call(function, user_data)


def held_by_driver(driver, cuda, record):
    """Adds a host node, so that CUDA may call it."""
    script(cuda, "cuUserObjectCreate", status=801)
    assert driver.cuGraphAddHostNode(0x6A, None, 0, record)[0] == 0


def test_members_read_as_they_were_assigned(parameters):
    callback, user_data = Callback(), object()
    parameters.fn = callback
    parameters.userData = user_data
    assert parameters.userData is user_data and int(parameters.fn) != 0
    parameters.fn = 0x1234
    assert int(parameters.fn) == 0x1234 and parameters.userData == 0, "the object goes with the callable"
    parameters.userData = 0x99
    assert parameters.userData == 0x99


def test_an_address_that_was_there_before_is_handed_to_the_callable(parameters, driver, cuda):
    parameters.userData = 0x7700
    parameters.fn = callback = Callback()
    assert parameters.userData == 0x7700
    assert callback.calls == []


def test_the_callable_of_a_node_is_called_as_often_as_the_graph_runs(driver, cuda):
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    callback = Callback()
    parameters.fn, parameters.userData = callback, ["mine"]
    held_by_driver(driver, cuda, parameters)
    run(parameters)
    run(parameters)
    assert callback.calls == [(["mine"],)] * 2


def test_a_record_keeps_its_callable_and_lets_go_of_it(parameters):
    callback, user_data = Callback(), Callback()
    watched = [weakref.ref(callback), weakref.ref(user_data)]
    parameters.fn, parameters.userData = callback, user_data
    del callback, user_data
    assert all(is_alive(each) for each in watched)
    twin = copy.copy(parameters)
    parameters.fn = None
    assert all(is_alive(each) for each in watched), "the copy has it too"
    assert twin.userData is watched[1]()
    del twin
    assert not any(is_alive(each) for each in watched)


def test_a_cycle_of_callable_and_record_is_collected(driver):
    record = driver.CUDA_HOST_NODE_PARAMS()

    def callback(user_data, mine=record):
        return mine
    watched = weakref.ref(callback)
    record.fn = callback
    del callback, record
    assert not is_alive(watched)


GRAPH = [("driver", "cuda", "cu", "cuGraphAddHostNode", "CUDA_HOST_NODE_PARAMS", None),
         ("driver", "cuda", "cu", "cuGraphAddNode", "CUgraphNodeParams", "host"),
         ("runtime", "cudart", "cuda", "cudaGraphAddHostNode", "cudaHostNodeParams", None),
         ("runtime", "cudart", "cuda", "cudaGraphAddNode", "cudaGraphNodeParams", "host")]


@pytest.mark.parametrize(("module", "recorder", "prefix", "name", "record", "member"), GRAPH)
def test_a_graph_keeps_the_callable_of_its_node(request, module, recorder, prefix, name, record, member):
    api, fake = request.getfixturevalue(module), request.getfixturevalue(recorder)
    create = script(fake, f"{prefix}UserObjectCreate", writes={0: u64(0x0B3)})
    retain = script(fake, f"{prefix}GraphRetainUserObject")
    parameters = getattr(api, record)()
    callback = Callback()
    watched, calls = weakref.ref(callback), callback.calls
    host = getattr(parameters, member) if member else parameters
    host.fn, host.userData = callback, "mine"
    edges = (None, 0) if member is None else (None, None, 0)
    assert getattr(api, name)(0x6A, *edges, parameters)[0] == 0
    assert retain.words == [0x6A, 0x0B3, 1, 1]
    function, token = (int.from_bytes(read(host.getPtr() + at, 8), "little") for at in (0, 8))
    del callback, host, parameters
    assert is_alive(watched)
    foreign.call(function, token)
    assert calls == [("mine",)]
    foreign.call(create.words[2], create.words[1])      # the last graph is gone
    assert not is_alive(watched)
    foreign.call(function, token)
    assert calls == [("mine",)]


def test_two_graphs_keep_one_callable_until_both_are_gone(driver, cuda):
    tokens = []
    cuda.on("cuUserObjectCreate", lambda link, words: tokens.append((words[2], words[1])))
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    callback = Callback()
    watched = weakref.ref(callback)
    parameters.fn = callback
    driver.cuGraphAddHostNode(0x6A, None, 0, parameters)
    driver.cuGraphAddHostNode(0x6B, None, 0, parameters)
    del callback, parameters
    foreign.call(*tokens[0])
    assert is_alive(watched)
    foreign.call(*tokens[1])
    assert not is_alive(watched)


def test_a_node_that_was_not_added_keeps_nothing(driver, cuda):
    cuda.status("cuGraphAddHostNode", 1)
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    callback = Callback()
    watched = weakref.ref(callback)
    parameters.fn = callback
    assert driver.cuGraphAddHostNode(0x6A, None, 0, parameters)[0] == 1
    del callback, parameters
    assert not is_alive(watched)


NO_GRAPH = [("driver", "cuGraphHostNodeSetParams", (1,), "CUDA_HOST_NODE_PARAMS"),
            ("driver", "cuGraphExecHostNodeSetParams", (1, 2), "CUDA_HOST_NODE_PARAMS"),
            ("driver", "cuGraphNodeSetParams", (1,), "CUgraphNodeParams"),
            ("driver", "cuGraphExecNodeSetParams", (1, 2), "CUgraphNodeParams"),
            ("runtime", "cudaGraphHostNodeSetParams", (1,), "cudaHostNodeParams"),
            ("runtime", "cudaGraphExecHostNodeSetParams", (1, 2), "cudaHostNodeParams"),
            ("runtime", "cudaGraphNodeSetParams", (1,), "cudaGraphNodeParams"),
            ("runtime", "cudaGraphExecNodeSetParams", (1, 2), "cudaGraphNodeParams")]


@pytest.mark.parametrize(("module", "name", "before", "record"), NO_GRAPH)
def test_new_parameters_of_a_node_keep_their_callable_for_good(modules, recorders, module, name, before, record):
    parameters = getattr(modules[module], record)()
    host = parameters.host if record.endswith("NodeParams") and "HOST" not in record and "Host" not in record \
        else parameters
    callback = Callback()
    watched, calls = weakref.ref(callback), callback.calls
    host.fn = callback
    assert getattr(modules[module], name)(*before, parameters)[0] == 0
    function, token = (int.from_bytes(read(host.getPtr() + at, 8), "little") for at in (0, 8))
    del callback, host, parameters
    assert is_alive(watched)
    foreign.call(function, token)
    assert calls == [(None,)]


def test_parameters_that_the_driver_gives_back_name_the_callable(driver, cuda):
    given = driver.CUDA_HOST_NODE_PARAMS()
    callback = Callback()
    given.fn, given.userData = callback, ("a", "b")
    held_by_driver(driver, cuda, given)
    script(cuda, "cuGraphHostNodeGetParams", writes={1: read(given.getPtr(), 16)})
    status, got = driver.cuGraphHostNodeGetParams(0x77)
    del given
    assert got.userData == ("a", "b")
    got.userData = "c"
    held_by_driver(driver, cuda, got)
    run(got)
    assert callback.calls == [("c",)]


def test_a_function_read_from_a_record_stands_for_its_callable(driver, cuda):
    callback = Callback()
    first, second = driver.CUDA_HOST_NODE_PARAMS(), driver.CUDA_HOST_NODE_PARAMS()
    first.fn, first.userData = callback, 1
    second.userData = 2
    second.fn = first.fn
    del first
    held_by_driver(driver, cuda, second)
    run(second)
    seen = script(cuda, "cuLaunchHostFunc")
    driver.cuLaunchHostFunc(0, second.fn, "three")
    foreign.call(seen.words[1], seen.words[2])
    assert callback.calls == [(2,), ("three",)]


def test_a_function_without_its_callable_is_refused(driver, cuda):
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    parameters.fn = Callback()
    number = int(parameters.fn)
    lost = driver.CUDA_HOST_NODE_PARAMS()
    lost.fn = number
    with pytest.raises(ValueError, match=r"cuGraphAddHostNode\(\): parameter 'nodeParams'"):
        driver.cuGraphAddHostNode(0x6A, None, 0, lost)
    with pytest.raises(ValueError, match=r"cuLaunchHostFunc\(\): parameter 'fn'"):
        driver.cuLaunchHostFunc(0, number, 0)
    assert cuda.calls == []


def test_a_ctypes_function_is_called_by_c_itself_and_kept_with_the_graph(driver, cuda):
    create = script(cuda, "cuUserObjectCreate", writes={0: u64(0x0B4)})
    told = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(told.append)
    code = ctypes.c_void_p.from_buffer(function).value
    watched = weakref.ref(function)
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    parameters.fn, parameters.userData = function, 0x55
    assert int(parameters.fn) == code and parameters.userData == 0x55
    driver.cuGraphAddHostNode(0x6A, None, 0, parameters)
    del function
    run(parameters)
    assert told == [0x55]
    del parameters
    assert is_alive(watched)
    foreign.call(create.words[2], create.words[1])
    assert not is_alive(watched)


def test_a_ctypes_function_of_another_prototype_is_refused(parameters):
    with pytest.raises(TypeError, match=r"\.fn: .*void \(\*\)\(void \*\)"):
        parameters.fn = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)
    assert int(parameters.fn) == 0


@pytest.mark.parametrize("value", [1.5, "text", [], True])
def test_what_is_neither_callable_nor_pointer_is_refused(parameters, value):
    with pytest.raises(TypeError, match=r"\.fn: got .*; accepts a callable, "):
        parameters.fn = value


def test_the_graph_functions_take_function_pointers_as_before(driver, cuda):
    parameters = driver.CUDA_HOST_NODE_PARAMS()
    parameters.fn, parameters.userData = 0x1111, 0x2222
    driver.cuGraphAddHostNode(0x6A, None, 0, parameters)
    driver.cuGraphHostNodeSetParams(0x6B, None)
    assert [link for link, _ in cuda.calls] == ["cuGraphAddHostNode", "cuGraphHostNodeSetParams"]
