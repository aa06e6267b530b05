# SPDX-License-Identifier: Apache-2.0
"""The Cython layer: capsules with the published signature texts, and Cython programs built against the .pxd files."""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
from pathlib import Path

import pytest
from cython_client.build import build, toolkit_headers
from separate import FAKE_LIBRARY, NO_LIBRARY, run_python

HERE = Path(__file__).resolve().parent
GOLDEN = json.loads((HERE.parent / "data" / "capi_signatures.json").read_text())
MODULES = ("cydriver", "cyruntime", "cynvrtc")

ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
ctypes.pythonapi.PyCapsule_GetName.argtypes = [ctypes.py_object]


def signatures(module: str) -> dict[str, str]:
    """Name -> signature text of a module's capsules."""
    capsules = importlib.import_module("cuda_bindings." + module).__pyx_capi__
    return {name: ctypes.pythonapi.PyCapsule_GetName(capsule).decode() for name, capsule in capsules.items()}


@pytest.mark.parametrize("module", MODULES)
def test_signature_texts_are_the_published_ones(module):
    found = signatures(module)
    golden = GOLDEN["signatures"][module]
    assert {name: found.get(name) for name in golden} == golden


@pytest.mark.parametrize("module", MODULES)
def test_functions_of_later_releases_are_left_out_by_name(module):
    assert not set(GOLDEN["not in 13.0"][module]) & set(signatures(module))


def test_functions_that_only_we_export_have_texts_too():
    assert signatures("cydriver")["cuProfilerInitialize"] == "CUresult (char const *, char const *, CUoutput_mode)"
    assert (signatures("cyruntime")["cudaLaunchKernel"]
            == "cudaError_t (void const *, dim3, dim3, void **, size_t, cudaStream_t)")


def headers_or_none(kind: str) -> Path | None:
    """The folder of NVIDIA's headers for a test that wants them, which is skipped where there are none."""
    if kind == "our types":
        return None
    found = toolkit_headers()
    if not found:
        pytest.skip("no CUDA headers on this machine")
    return found[0]


VARIANTS = [(kind, language) for kind in ("our types", "cuda.h") for language in ("C", "C++")]


@pytest.fixture(scope="session", params=VARIANTS, ids=lambda variant: " in ".join(variant))
def client_folder(request, tmp_path_factory):
    """The folder of the compiled client, in each variant."""
    kind, language = request.param
    folder = tmp_path_factory.mktemp("client")
    return build(HERE / "cython_client" / "client.pyx", folder, headers_or_none(kind), language == "C++")


def run(client: Path, expression: str, **variables: str) -> str:
    """What an expression over the client prints in a process of its own."""
    return run_python(f"import client\nprint({expression})", (client,), **variables)


CALLS = {
    "client.driver_version()": "(0, 13000)",
    "client.copy_2d(3, 4)": "(0, 128)",
    "client.nested(5)": "(5, 64, 12)",
    "client.runtime_device_count()": "(0, -1)",
    "client.runtime_extent()": "(1, 2, 3, 64, 3, 1)",
    "client.runtime_error_name(3)": "b'fake'",
    "client.runtime_channel(32)": "(0, 0)",  # the fake answers with zeros
    "client.compiler_version()": "(0, 13, 0)",
    "client.local_runtime_version()": "(0, 13000)",
}


def test_client_calls_all_three_libraries(client_folder):
    expression = "[" + ", ".join(CALLS) + "]"
    assert run(client_folder, expression, **FAKE_LIBRARY) == "[" + ", ".join(CALLS.values()) + "]"


def test_client_gets_an_exception_without_the_library(client_folder):
    calls = ("client.driver_version", "client.runtime_device_count", "client.compiler_version",
             "client.runtime_error_name, 1", "client.runtime_channel, 1")
    expression = "[" + ", ".join(f"attempt({call})[0]" for call in calls) + "]"
    assert run(client_folder, expression, **NO_LIBRARY) == str(["LibraryNotFoundError"] * 5)


def test_cython_makes_the_published_texts_of_every_declaration(tmp_path):
    # At import, a client compares the text that Cython made of our .pxd with the capsule's, function by function.
    names = {module: sorted(signatures(module)) for module in MODULES}
    lines = ["# cython: language_level=3", *(f"from cuda_bindings cimport {module}" for module in MODULES),
             "def addresses():", "    found = set()"]
    lines += [f"    found.add(<size_t>{module}.{name})" for module in MODULES for name in names[module]]
    source = tmp_path / "every.pyx"
    source.write_text("\n".join([*lines, "    return len(found)", ""]))
    build(source, tmp_path)
    sys.path.insert(0, str(tmp_path))
    try:
        every = importlib.import_module("every")
    finally:
        sys.path.remove(str(tmp_path))
    # getLocalRuntimeVersion is cudaRuntimeGetVersion under another name: one function, one address.
    assert every.addresses() == sum(len(of_module) for of_module in names.values()) - 1
