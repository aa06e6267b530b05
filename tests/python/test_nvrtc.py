# SPDX-License-Identifier: Apache-2.0
"""NVRTC for real: it needs no GPU. The library comes from CUDA_BINDINGS_LIBNVRTC, a wheel or a toolkit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REAL = os.environ.get("CUDA_BINDINGS_TEST_REAL_NVRTC") == "1"

SAXPY = b"""
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
"""
TEMPLATE = b"""
template <typename T> __global__ void fill(T *data, T value) { data[threadIdx.x] = value; }
namespace inner { __device__ int counter; }
"""


@pytest.fixture
def nvrtc(modules):
    """The NVRTC module, where the real library is behind it."""
    if not REAL:
        pytest.skip("runs in the process that test_with_the_real_library starts")
    return modules["nvrtc"]


@pytest.mark.skipif(REAL, reason="this is the process that it starts")
def test_with_the_real_library():
    """The tests below, in a process without fake libraries."""
    environment = dict(os.environ, CUDA_BINDINGS_TEST_REAL_NVRTC="1")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    print(done.stdout.splitlines()[-1])


def ok(result: tuple):
    """The values of a successful call: nothing, one, or a tuple."""
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]


@pytest.fixture
def create(nvrtc):
    """Makes programs and destroys them afterwards."""
    programs = []

    def make(source: bytes, name: bytes = b"test.cu", headers=None, names=None):
        program = ok(nvrtc.nvrtcCreateProgram(source, name, len(headers or []), headers, names))
        programs.append(program)
        return program
    yield make
    for program in programs:
        if int(program):
            ok(nvrtc.nvrtcDestroyProgram(program))


def log_of(nvrtc, program) -> bytes:
    """The program's log without its end."""
    log = bytearray(ok(nvrtc.nvrtcGetProgramLogSize(program)))
    ok(nvrtc.nvrtcGetProgramLog(program, log))
    return bytes(log).rstrip(b"\0")


def compile_to_ptx(nvrtc, program, options) -> bytes:
    """The program's PTX, end included."""
    status, = nvrtc.nvrtcCompileProgram(program, len(options), options)
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS, log_of(nvrtc, program)
    ptx = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    assert nvrtc.nvrtcGetPTX(program, ptx) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    return ptx


def test_version_is_two_numbers(nvrtc):
    major, minor = ok(nvrtc.nvrtcVersion())
    assert major >= 12 and minor >= 0


def test_supported_architectures_are_a_sorted_list(nvrtc):
    count = ok(nvrtc.nvrtcGetNumSupportedArchs())
    architectures = ok(nvrtc.nvrtcGetSupportedArchs())
    assert len(architectures) == count and architectures == sorted(architectures)
    assert 90 in architectures


def test_program_is_a_handle(nvrtc, create):
    program = create(SAXPY)
    assert type(program) is nvrtc.nvrtcProgram and int(program) != 0


def test_ptx_is_written_into_bytes(nvrtc, create):
    ptx = compile_to_ptx(nvrtc, create(SAXPY), [b"--gpu-architecture=compute_80"])
    assert ptx.endswith(b"\0") and b".target sm_80" in ptx and b".entry saxpy(" in ptx


def test_cubin_is_an_elf_file(nvrtc, create):
    program = create(SAXPY)
    assert nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"])[0] == 0
    cubin = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, cubin))
    assert cubin.startswith(b"\x7fELF")


def test_lto_ir_and_no_cubin(nvrtc, create):
    program = create(SAXPY)
    assert nvrtc.nvrtcCompileProgram(program, 2, (b"-dlto", b"-arch=compute_80"))[0] == 0
    code = bytearray(ok(nvrtc.nvrtcGetLTOIRSize(program)))
    ok(nvrtc.nvrtcGetLTOIR(program, code))
    assert any(code)


def test_definition_option_reaches_the_source(nvrtc, create):
    program = create(b"static_assert(ANSWER == 42, \"\"); __global__ void k() {}")
    compile_to_ptx(nvrtc, program, [b"-DANSWER=42", b"--std=c++17"])


def test_more_options_than_the_count_are_fine_and_none_is_none(nvrtc, create):
    assert nvrtc.nvrtcCompileProgram(create(SAXPY), 0, [b"--no-such-option"])[0] == 0
    assert nvrtc.nvrtcCompileProgram(create(SAXPY), 0, None)[0] == 0


def test_fewer_options_than_the_count_are_refused(nvrtc, create):
    with pytest.raises(RuntimeError):
        nvrtc.nvrtcCompileProgram(create(SAXPY), 2, [b"--std=c++17"])
    with pytest.raises(TypeError):
        nvrtc.nvrtcCompileProgram(create(SAXPY), 1, ["--std=c++17"])


def test_unknown_option_is_an_error_code(nvrtc, create):
    assert nvrtc.nvrtcCompileProgram(create(SAXPY), 1, [b"--no-such-option"]) == (
        nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_OPTION,)


def test_the_log_names_the_place_of_an_error(nvrtc, create):
    program = create(b"__global__ void k() { undeclared = 1; }", b"broken.cu")
    assert nvrtc.nvrtcCompileProgram(program, 0, []) == (nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION,)
    log = log_of(nvrtc, program)
    assert b"broken.cu(1)" in log and b"undeclared" in log


def test_lowered_names_of_expressions(nvrtc, create):
    program = create(TEMPLATE)
    for expression in (b"fill<float>", b"&inner::counter"):
        assert nvrtc.nvrtcAddNameExpression(program, expression) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    ptx = compile_to_ptx(nvrtc, program, [])
    kernel = ok(nvrtc.nvrtcGetLoweredName(program, b"fill<float>"))
    variable = ok(nvrtc.nvrtcGetLoweredName(program, b"&inner::counter"))
    assert kernel == b"_Z4fillIfEvPT_S0_" and kernel in ptx
    assert variable == b"_ZN5inner7counterE" and variable in ptx


def test_lowered_name_of_nothing_is_none(nvrtc, create):
    program = create(TEMPLATE)
    compile_to_ptx(nvrtc, program, [])
    status, name = nvrtc.nvrtcGetLoweredName(program, b"unknown")
    assert status == nvrtc.nvrtcResult.NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID and name is None


def test_headers_by_name(nvrtc, create):
    program = create(b'#include "answer.h"\n__global__ void k(int *p) { *p = ANSWER; }', headers=[b"#define ANSWER 42"],
                     names=[b"answer.h"])
    assert b"42" in compile_to_ptx(nvrtc, program, [])


def test_fewer_headers_than_the_count_are_refused(nvrtc):
    with pytest.raises(RuntimeError):
        nvrtc.nvrtcCreateProgram(SAXPY, b"x.cu", 2, [b""], [b"a.h"])


def test_destroying_zeroes_the_handle(nvrtc):
    program = ok(nvrtc.nvrtcCreateProgram(SAXPY, b"x.cu", 0, [], []))
    assert nvrtc.nvrtcDestroyProgram(program) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    assert int(program) == 0
    assert nvrtc.nvrtcDestroyProgram(program) == (nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_PROGRAM,)


def test_source_that_is_not_ascii(nvrtc, create):
    source = "// Grüße, 世界\n__constant__ char text[] = \"héllo\";\n__global__ void k(char *p) { *p = text[1]; }"
    ptx = compile_to_ptx(nvrtc, create(source.encode(), "größe.cu".encode()), [])
    assert b".entry" in ptx


def test_empty_source(nvrtc, create):
    ptx = compile_to_ptx(nvrtc, create(b"", b""), [])
    assert b".version" in ptx and b".entry" not in ptx


def test_source_from_a_bytearray(nvrtc, create):
    assert b".entry saxpy" in compile_to_ptx(nvrtc, create(bytearray(SAXPY)), [])


@pytest.mark.parametrize("source", ["text", None, 5, memoryview(SAXPY)])
def test_source_that_is_no_bytes_is_refused(nvrtc, source):
    with pytest.raises(TypeError):
        nvrtc.nvrtcCreateProgram(source, b"x.cu", 0, None, None)


def test_a_buffer_that_is_too_short_is_refused(nvrtc, create):
    program = create(SAXPY)
    compile_to_ptx(nvrtc, program, [])
    size = ok(nvrtc.nvrtcGetPTXSize(program))
    for short in (bytearray(size - 1), b" " * (size - 1), b"", b"x", bytearray()):
        before = bytes(short)
        with pytest.raises(ValueError):
            nvrtc.nvrtcGetPTX(program, short)
        assert bytes(short) == before


def test_a_buffer_that_cannot_be_written_is_refused(nvrtc, create):
    program = create(SAXPY)
    compile_to_ptx(nvrtc, program, [])
    size = ok(nvrtc.nvrtcGetPTXSize(program))
    for wrong in ("x" * size, memoryview(b" " * size), None, 1.5):
        with pytest.raises((TypeError, ValueError, BufferError)):
            nvrtc.nvrtcGetPTX(program, wrong)


def test_written_bytes_have_a_fresh_hash(nvrtc, create):
    program = create(SAXPY)
    nvrtc.nvrtcCompileProgram(program, 0, None)
    ptx = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    hash(ptx)
    nvrtc.nvrtcGetPTX(program, ptx)
    assert hash(ptx) == hash(bytes(bytearray(ptx)))


def test_no_program_is_an_error_code(nvrtc):
    assert nvrtc.nvrtcCompileProgram(None, 0, None) == (nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_PROGRAM,)
    assert nvrtc.nvrtcGetProgramLogSize(nvrtc.nvrtcProgram(0)) == (
        nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_PROGRAM, None)


def test_error_strings(nvrtc):
    assert nvrtc.nvrtcGetErrorString(nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION) == (
        nvrtc.nvrtcResult.NVRTC_SUCCESS, b"NVRTC_ERROR_COMPILATION")
    status, text = nvrtc.nvrtcGetErrorString(99999)
    assert status == 0 and isinstance(text, bytes)


def test_compiling_in_threads(nvrtc, create):
    from concurrent.futures import ThreadPoolExecutor
    programs = [create(b"__global__ void k%d() {}" % i) for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda p: compile_to_ptx(nvrtc, p, []), programs))
    assert all(b"k%dv" % i in ptx for i, ptx in enumerate(results))


def test_flow_callback_may_cancel(nvrtc, create):
    import ctypes
    calls = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    def cancel(payload, reserved):
        calls.append(payload)
        return 1
    program = create(SAXPY)
    address = ctypes.cast(cancel, ctypes.c_void_p).value
    assert nvrtc.nvrtcSetFlowCallback(program, address, 0x1234)[0] == 0
    status, = nvrtc.nvrtcCompileProgram(program, 0, None)
    assert status == nvrtc.nvrtcResult.NVRTC_ERROR_CANCELLED
    assert calls and set(calls) == {0x1234}
