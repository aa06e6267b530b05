# SPDX-License-Identifier: Apache-2.0
"""The floor is no cheat: it checks classes and ranges, and gives up the GIL where ours does."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import columns
from floor import build

PROGRAM = """
import contextlib, ctypes, io, numpy, sys, benchmark_floor as f
stream, pointer, kernel = f.CUstream(16), f.CUdeviceptr(512), f.CUfunction(64)
def launch(parameters, grid=1):
    return f.cuLaunchKernel(kernel, grid, 1, 1, 64, 1, 1, 0, stream, parameters, 0)
for line in sys.stdin:
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            exec(line)
    except Exception as error:
        shown = io.StringIO(f"{type(error).__name__}: {error}")
    print(shown.getvalue().strip(), flush=True)
"""


@pytest.fixture(scope="module")
def run(null_folder, floor_folder):
    """What a statement prints or raises, in a process that has the floor."""
    environment = dict(os.environ) | columns.variables(null_folder, floor_folder) | {"PYTHONPATH": str(floor_folder)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        def answer(statement):
            process.stdin.write(statement + "\n")
            process.stdin.flush()
            return process.stdout.readline().strip()
        yield answer
        process.stdin.close()


@pytest.mark.parametrize(("statement", "output"), [
    ("print(f.cuDeviceGet(3)[1].__int__())", "3"),
    ("print(int(f.cuCtxGetCurrent()[1]))", "4288"),
    ("print(f.cuDeviceGetAttribute(f.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, f.cuDeviceGet(0)[1])[1])",
     "10000"),
    ("print(f.cuStreamQuery(f.CUstream(0xBAD0))[0].name)", "CUDA_ERROR_NOT_READY"),
    ("print(launch((numpy.float32(1), pointer, ctypes.c_int(4)))[0].name)", "CUDA_SUCCESS"),
    ("print(launch(((1.0, pointer, 4), (ctypes.c_float, None, ctypes.c_int)))[0].name)", "CUDA_SUCCESS"),
    ("print(launch(numpy.array([0, 0], numpy.uint64))[0].name)", "CUDA_SUCCESS"),
    ("c = f.CUlaunchConfig(); c.gridDimX = 3; c.hStream = stream; print(c.gridDimX, int(c.hStream))", "3 16"),
    ("print(f.cuLaunchKernelEx(f.CUlaunchConfig(), kernel, (pointer,), 0)[0].name)", "CUDA_SUCCESS"),
    ("p = f.PreparedLaunch(kernel, *[1] * 6, 0, stream, (pointer,)); print(p()[0].name, p(f.CUstream(9))[0].name)",
     "CUDA_SUCCESS CUDA_SUCCESS"),
    ("s, n, c = f.cuGraphGetNodes(f.CUgraph(16), 3); print(list(map(int, n)), c)", "[16, 17, 18] 1000"),
    ("s, a, b, d, c = f.cuGraphGetEdges(f.CUgraph(16), 2000); print(len(a), int(b[-1]), type(d[0]).__name__, c)",
     "1000 1016 CUgraphEdgeData 1000"),
    ("print(int(f.cuMemAlloc(1 << 63)[1]), int(f.cuMemAlloc((1 << 30) - 1)[1]) == (127 << 40) + (1 << 30) - 1)",
     "9223511674831503360 True"),
    ("r = f.Record(); r.number = (1 << 64) - 1; print(r.number)", "18446744073709551615"),
    ("r = f.Record(); r.array = [-1, 0, (1 << 31) - 1]; print(r.array)", "[-1, 0, 2147483647]"),
    ("print(f.cuPointerGetAttribute(f.CUpointer_attribute(2), pointer)[1].name)", "DEVICE"),
    ("print(f.cuMemPoolGetAttribute(f.CUmemoryPool(1), f.CUmemPool_attribute(4))[1])", "1073741824"),
    ("print(f.cuMemcpyBatchAsync([pointer], [pointer], [64], 1, [f.CUmemcpyAttributes()], [0], 1, stream)[0].name)",
     "CUDA_SUCCESS"),
    ("r = f.Record(); v = r.nested; v.id = 7; print(r.nested.id)", "7"),
    ("r = f.Record(); r.handle = stream; h = r.handle; r.handle = f.CUstream(9); print(int(h))", "9"),
])
def test_it_answers(run, statement, output):
    assert run(statement) == output


@pytest.mark.parametrize("statement", [
    "f.cuStreamQuery(pointer)", "f.cuStreamQuery(16)", "f.cuEventRecord(stream, stream)", "f.cuDeviceGet(1 << 31)",
    "f.cuDeviceGet(1.0)", "f.cuMemAlloc(-1)", "f.cuMemAlloc(1 << 64)", "f.cuMemAlloc(True)", "f.cuEventCreate(1 << 32)",
    "launch(None, grid=1 << 32)", "launch(((1.0,), (ctypes.c_int,)))",
    "launch(((1 << 31,), (ctypes.c_int,)))", "launch((1,))", "launch(((1, 2), (ctypes.c_int,)))",
    "launch(((1e39,), (ctypes.c_float,)))", "f.cuMemcpyHtoDAsync(pointer, bytes(8), 9, stream)",
    "f.cuLaunchKernelEx(stream, kernel, None, 0)", "f.PreparedLaunch(kernel, *[1] * 6, 0, stream)",
    "f.PreparedLaunch(kernel, *[1] * 6, 0, stream, numpy.zeros(1))", "f.cuGraphGetNodes(stream, 1)",
    "f.cuMemcpyBatchAsync([pointer], [stream], [64], 1, [], [], 0, stream)",
    "f.cuMemcpyBatchAsync([pointer], [pointer], [64], 2, [], [], 0, stream)",
    "f.Record().array = [1, 2]", "f.Record().nested = stream", "del f.Record().number",
])
def test_it_refuses(run, statement):
    assert run(statement).startswith("TypeError: ")


def test_memory_that_is_written_to_must_be_writable(run):
    statement = "f.cuMemcpyDtoHAsync(bytes(8), pointer, 8, stream)"
    assert run(statement) == "BufferError: Object is not writable."


def test_the_gil_is_given_up_where_the_generated_function_gives_it_up():
    header = build.gil_header()
    for name in ("cuStreamQuery", "cuLaunchKernel", "cuMemAlloc", "cuMemcpyBatchAsync", "cuGraphGetEdges"):
        assert f"releases_{name} = true;" in header
    for name in ("cuDeviceGet", "cuCtxGetCurrent", "cuDriverGetVersion"):
        assert f"releases_{name} = false;" in header


def test_a_generated_function_that_is_not_understood_ends_the_build():
    with pytest.raises(ValueError, match="cuStreamQuery: the generated function is not as expected"):
        build.releases("cuStreamQuery", "hStream):\n    return query(hStream)\n")


def test_the_counter_is_built_again_once_valgrind_is_there(tmp_path, monkeypatch):
    commands = []

    def run(command, **options):
        if "-E" in command:
            return types.SimpleNamespace(returncode=0 if is_there else 1)
        commands.append(command)
        Path(command[command.index("-o") + 1]).touch()

    monkeypatch.setattr(build.subprocess, "run", run)
    is_there = False
    build.build(tmp_path)
    build.build(tmp_path)
    assert [("-DWITH_CALLGRIND" in command, "benchmark_counter" in command[-1]) for command in commands] == [
        (False, False), (False, True)]
    is_there = True
    build.build(tmp_path)
    build.build(tmp_path)
    assert len(commands) == 3 and "-DWITH_CALLGRIND" in commands[2]
