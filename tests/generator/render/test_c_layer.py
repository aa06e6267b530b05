# SPDX-License-Identifier: Apache-2.0
"""C types in three spellings: C declarations, Cython's declarations, and the signature texts of capsules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "generator" / "render"))

import c_layer  # noqa: E402
from codes import RenderError  # noqa: E402


def function(name: str, returns: str, *types: str, **further) -> dict:
    """A function of the plan as far as the C layer reads it."""
    params = [{"name": f"p{index}", "c_type": c_type} for index, c_type in enumerate(types)]
    row = {"name": name, "module": "driver", "link": name, "ptds": None, "since": None, "inline": False}
    return {**row, "returns": returns, "params": params, **further}


@pytest.fixture
def layer(monkeypatch, tmp_path):
    """Makes the C layer of driver functions and types, with a capsules.toml of the test's own."""

    def make(*functions: dict, types: tuple = (), data: str = "") -> c_layer.CLayer:
        rows = tmp_path / "capsules.toml"
        heads = 'mangled = { driver = ["CUegl*", "GLuint"] }\nprefix = { driver = "x_" }\nsynonyms = {}\n'
        rows.write_text(heads + data)
        monkeypatch.setattr(c_layer, "DATA", rows)
        return c_layer.CLayer({"functions": list(functions), "types": list(types)}, "driver")

    return make


@pytest.mark.parametrize(
    ("c_type", "count", "text"),
    [
        ("unsigned int", 0, "unsigned int name"),
        ("const char *", 0, "const char *name"),
        ("char", 16, "char name[16]"),
        ("int (*)(void *, void *)", 0, "int (*name)(void *, void *)"),
        ("VdpStatus (VdpDevice, void **)", 0, "VdpStatus name(VdpDevice, void **)"),
    ],
)
def test_declaration_wraps_the_type_around_the_name(c_type, count, text):
    assert c_layer.declaration(c_type, "name", count) == text


@pytest.mark.parametrize(
    ("c_type", "text"),
    [
        ("CUdeviceptr *", "CUdeviceptr *"),
        ("const CUuuid *", "CUuuid const *"),
        ("const char **", "char const **"),
        ("unsigned long long *", "unsigned PY_LONG_LONG *"),
        ("struct cudaExtent", "struct cudaExtent"),
        ("enum cudaMemcpyKind", "enum cudaMemcpyKind"),
        ("GLuint", "x_GLuint"),
        ("CUeglFrame *", "x_CUeglFrame *"),
    ],
)
def test_capsule_spells_a_type_as_cython_prints_it(layer, c_type, text):
    assert layer().capsule_type(c_type) == text


def test_capsule_text_keeps_only_the_innermost_const(layer):
    created = function("nvrtcCreate", "CUresult", "const char *const *", "const char *const")
    assert layer(created).capsule_text(created) == "CUresult (char const **, char const *)"


def test_capsule_text_without_parameters_says_void(layer):
    assert layer().capsule_text(function("cuCtxSynchronize", "CUresult")) == "CUresult (void)"


def test_row_gives_a_parameter_another_type(layer):
    row = '["cuSet".p0]\ntype = "void *"\nreason = "published so"\n'
    callback = function("cuSet", "CUresult", "int (*)(void *)")
    assert layer(callback, data=row).capsule_text(callback) == "CUresult (void *)"


def test_row_that_no_parameter_meets_is_an_error(layer):
    with pytest.raises(RenderError, match="E410: capsules.toml: cuSet has no parameter p7"):
        layer(function("cuSet", "CUresult"), data='["cuSet".p7]\ntype = "void *"\nreason = ""\n')


def test_type_that_has_no_spelling_is_an_error(layer):
    callback = function("cuSet", "CUresult", "int (*)(void *)")
    with pytest.raises(RenderError, match="E411"):
        layer(callback).capsule_text(callback)


def test_type_of_an_unknown_library_is_an_error(layer):
    with pytest.raises(RenderError, match="E412: cufftHandle"):
        layer(types=({"name": "cufftHandle", "kind": "typedef", "type": "int", "library": "cufft"},)).sections()


def test_name_with_and_without_its_keyword_is_an_error(layer):
    made = layer(function("cuA", "CUresult", "struct X *"), function("cuB", "CUresult", "X *"))
    with pytest.raises(RenderError, match="E413: X"):
        made.as_typedef("X")


def test_functions_of_one_link_name_share_a_slot_and_inline_ones_have_none(layer):
    made = layer(
        function("cuMemAlloc", "CUresult", "CUdeviceptr *", link="cuMemAlloc_v2", since="3.2"),
        function("cuMemAlloc_v2", "CUresult", "CUdeviceptr *", link="cuMemAlloc_v2"),
        function("make_it", "CUresult", inline=True),
    )
    slots = [(slot["name"], slot["link"], slot["since"]) for slot in made.slots()]
    assert slots == [("cuMemAlloc", "cuMemAlloc_v2", 3020)]


def test_long_text_becomes_adjacent_literals():
    assert c_layer.CLayer.literal("CUresult (CUstream, int)", 2, 12) == '"CUresult "\n  "(CUstream, "\n  "int)"'
