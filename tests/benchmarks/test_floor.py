# SPDX-License-Identifier: Apache-2.0
"""The floor is no cheat: it checks classes and ranges, and gives up the GIL where ours does."""

import os
import subprocess
import sys

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
    ("r = f.Record(); v = r.nested; v.id = 7; print(r.nested.id)", "7"),
    ("r = f.Record(); r.handle = stream; h = r.handle; r.handle = f.CUstream(9); print(int(h))", "9"),
])
def test_it_answers(run, statement, output):
    assert run(statement) == output


@pytest.mark.parametrize("statement", [
    "f.cuStreamQuery(pointer)", "f.cuStreamQuery(16)", "f.cuEventRecord(stream, stream)", "f.cuDeviceGet(1 << 31)",
    "f.cuDeviceGet(1.0)", "f.cuMemAlloc(-1)", "launch(None, grid=1 << 32)", "launch(((1.0,), (ctypes.c_int,)))",
    "launch(((1 << 31,), (ctypes.c_int,)))", "launch((1,))", "launch(((1, 2), (ctypes.c_int,)))",
    "launch(((1e39,), (ctypes.c_float,)))", "f.cuMemcpyHtoDAsync(pointer, bytes(8), 9, stream)",
    "f.Record().array = [1, 2]", "f.Record().nested = stream", "del f.Record().number",
])
def test_it_refuses(run, statement):
    assert run(statement).startswith("TypeError: ")


def test_memory_that_is_written_to_must_be_writable(run):
    statement = "f.cuMemcpyDtoHAsync(bytes(8), pointer, 8, stream)"
    assert run(statement) == "BufferError: Object is not writable."


def test_the_gil_is_given_up_where_the_generated_function_gives_it_up(tmp_path):
    generated = tmp_path / "driver.pyx"
    names = [line.split("(")[1].split(",")[0] for line in (build.HERE / "functions.inc").read_text().splitlines()
             if line.startswith("FLOOR_FUNCTION")]
    generated.write_text("".join(
        f"def {name}(x):\n    status = 0\n" if name == "cuDeviceGet" else
        f"def {name}(x):\n    with nogil:\n        status = 0\n" for name in names) + "end = 0\n")
    header = build.gil_header(generated)
    assert "releases_cuDeviceGet = false;" in header
    assert "releases_cuStreamQuery = true;" in header and "releases_cuLaunchKernel = true;" in header


def test_the_lines_of_a_docstring_do_not_end_a_function(tmp_path):
    """The generated docstrings begin their lines at the margin."""
    generated = tmp_path / "driver.pyx"
    names = [line.split("(")[1].split(",")[0] for line in (build.HERE / "functions.inc").read_text().splitlines()
             if line.startswith("FLOOR_FUNCTION")]
    generated.write_text("".join(
        f'def {name}(x):\n    """{name}(x)\n--\n\n\\\n{name}(x) -> None\n"""\n    with nogil:\n        pass\n\n'
        for name in names))
    assert "false" not in build.gil_header(generated)


def test_launches_and_copies_give_up_the_gil_as_ours_do():
    header = build.gil_header()
    assert "releases_cuLaunchKernel = true;" in header and "releases_cuMemcpyHtoDAsync = true;" in header
    assert "releases_cuCtxGetCurrent = false;" in header
