# SPDX-License-Identifier: Apache-2.0
"""An extension module that was compiled against the incumbent's declarations loads and runs on ours.

CUDA_BINDINGS_INCUMBENT names an interpreter of this Python version, outside the checkout, that has cuda-bindings and
Cython.
"""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest
from cython_client.build import toolkit_headers
from separate import FAKE_LIBRARY, NO_LIBRARY, run_python

INCUMBENT = os.environ.get("CUDA_BINDINGS_INCUMBENT", "")
pytestmark = pytest.mark.skipif(not INCUMBENT, reason="CUDA_BINDINGS_INCUMBENT names no interpreter")

SOURCE = """
# cython: language_level=3
from cuda.bindings cimport cydriver, cynvrtc, cyruntime
def allocate(size_t size):
    cdef cydriver.CUdeviceptr pointer = 7
    cdef cydriver.CUresult status = cydriver.cuMemAlloc(&pointer, size)
    return <int>status, pointer
def set_attribute(size_t stream):
    cdef cyruntime.cudaStreamAttrValue value
    return <int>cyruntime.cudaStreamSetAttribute(<cyruntime.cudaStream_t><void*>stream,
                                                 <cyruntime.cudaStreamAttrID>3, &value)
def compiler_version():
    cdef int major = 0, minor = 0
    return <int>cynvrtc.nvrtcVersion(&major, &minor), major, minor
"""

# How a program puts our modules in the place of the incumbent's: the names under which its extensions import them.
ALIASES = """
import sys, types, cuda_bindings
cuda = types.ModuleType("cuda"); cuda.__path__ = []
sys.modules["cuda"] = cuda; sys.modules["cuda.bindings"] = cuda_bindings
for name in ("cydriver", "cyruntime", "cynvrtc"):
    sys.modules["cuda.bindings." + name] = __import__("cuda_bindings." + name, fromlist=["x"])
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory) -> Path:
    """The folder of an extension module made by the incumbent's interpreter."""
    headers = toolkit_headers()
    if not headers:
        pytest.skip("no CUDA headers on this machine")
    folder = tmp_path_factory.mktemp("incumbent")
    (folder / "theirs.pyx").write_text(SOURCE)
    cython = [INCUMBENT, "-m", "cython", "-3", "--cplus", "theirs.pyx", "-o", "theirs.cpp"]
    subprocess.run(cython, cwd=folder, check=True)
    target = "theirs" + sysconfig.get_config_var("EXT_SUFFIX")
    includes = [f"-I{sysconfig.get_path('include')}", "-isystem", str(headers[0])]
    subprocess.run(["g++", "-O0", "-fPIC", "-shared", *includes, "theirs.cpp", "-o", target], cwd=folder, check=True)
    return folder


def test_it_runs_on_ours(client):
    code = ALIASES + "import theirs\nprint(theirs.allocate(64), theirs.set_attribute(1), theirs.compiler_version())"
    assert run_python(code, (client,), **FAKE_LIBRARY) == "(0, 7) 0 (0, 13, 0)"


def test_it_gets_our_exceptions(client):
    code = ALIASES + "import theirs\nprint(attempt(theirs.allocate, 64)[0], attempt(theirs.compiler_version)[0])"
    assert run_python(code, (client,), **NO_LIBRARY) == "LibraryNotFoundError LibraryNotFoundError"


def test_every_signature_that_both_have_is_the_same():
    code = """
import ctypes, importlib, json
name = ctypes.pythonapi.PyCapsule_GetName; name.restype = ctypes.c_char_p; name.argtypes = [ctypes.py_object]
print(json.dumps({m: {k: name(c).decode() for k, c in importlib.import_module(P + m).__pyx_capi__.items()}
                  for m in ("cydriver", "cyruntime", "cynvrtc")}))
"""

    command = [INCUMBENT, "-c", "P='cuda.bindings.'\n" + code]
    theirs = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    ours = json.loads(run_python("P='cuda_bindings.'\n" + code))
    for module, signatures in theirs.items():
        different = {name: (text, ours[module].get(name)) for name, text in signatures.items()
                     if ours[module].get(name) != text}
        assert different == {}, module
