# SPDX-License-Identifier: Apache-2.0
"""The emulated driver's exports: what is written by hand, what forwards, what is a stub, and how the table reads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "generator" / "render"))

import emulated_driver  # noqa: E402
import render  # noqa: E402
from codes import RenderError  # noqa: E402


def function(name: str, link: str, since: list[int] | None, *types: str, **further) -> dict:
    """A function of the facts."""
    params = [{"name": f"p{index}", "type": c_type, "doc": "none"} for index, c_type in enumerate(types)]
    row = {"kind": "function", "name": name, "link": link, "module": "driver", "returns": "CUresult", "params": params}
    return {**row, "since": since, **further} if since else {**row, **further}


FACTS = [
    function("cuMemAlloc", "cuMemAlloc_v2", [3, 2], "CUdeviceptr *", "size_t"),
    function("cuMemAlloc", "cuMemAlloc", [2, 0], "CUdeviceptr_v1 *", "unsigned int"),
    function("cuMemcpy", "cuMemcpy", [4, 0], "CUdeviceptr", "CUdeviceptr", "size_t", ptds="cuMemcpy_ptds"),
    function("cuEventDestroy", "cuEventDestroy_v2", [4, 0], "CUevent"),
    function("cuEventDestroy", "cuEventDestroy", [2, 0], "CUevent"),
    function("cuMemAdvise", "cuMemAdvise", [8, 0], "CUdeviceptr"),
    function("cuMemAdvise_ptsz", "cuMemAdvise_ptsz", None, "CUdeviceptr"),
    {"kind": "constant", "name": "CUDA_VERSION", "module": "driver"},
]


@pytest.fixture
def text(monkeypatch, tmp_path):
    """Renders one of the three templates with the facts above and a list of the test's own."""
    monkeypatch.setattr(emulated_driver, "ROOT", tmp_path)
    monkeypatch.setattr(emulated_driver, "LIST", tmp_path / "implemented.txt")
    (tmp_path / "headers-snapshot/13.0").mkdir(parents=True)
    facts = "\n".join(json.dumps(row) for row in FACTS)
    (tmp_path / "headers-snapshot/13.0/facts.jsonl").write_text(facts + "\n")

    def rendered(name: str, implemented: str) -> str:
        (tmp_path / "implemented.txt").write_text(implemented)
        row = next(row for row in render.OUTPUTS if row.path == f"emulator/generated/{name}")
        return render.render({"release": "13.0", "functions": []}, (row,))[row.path]

    return rendered


def test_what_is_listed_is_declared_with_its_twin(text):
    assert text("driver_functions.hpp", "cuMemcpy\n").split('extern "C" {\n')[1] == (
        "EMULATOR_EXPORT CUresult cuMemcpy(CUdeviceptr p0, CUdeviceptr p1, size_t p2);\n"
        "EMULATOR_EXPORT CUresult cuMemcpy_ptds(CUdeviceptr p0, CUdeviceptr p1, size_t p2);\n"
        "}\n"
    )


def test_twins_and_older_names_forward(text):
    listed = "# comment\ncuMemcpy\ncuEventDestroy_v2\ncuEventDestroy = cuEventDestroy_v2\n"
    assert text("driver_forwards.cpp", listed).split('extern "C" {\n')[1] == (
        "\n"
        "CUresult cuEventDestroy(CUevent p0) {\n"
        "  return cuEventDestroy_v2(p0);\n"
        "}\n"
        "\n"
        "CUresult cuMemcpy_ptds(CUdeviceptr p0, CUdeviceptr p1, size_t p2) {\n"
        "  const PerThreadDefaultStream scope;\n"
        "  return cuMemcpy(p0, p1, p2);\n"
        "}\n"
        "}\n"
    )


def test_all_else_is_a_stub_and_twins_are_told_by_their_suffix(text):
    table = text("driver_table.cpp", "cuMemcpy\n")
    assert table.split('extern "C" {\n')[1].split("}\n")[0] == (
        "EMULATOR_STUB(cuEventDestroy)\n"
        "EMULATOR_STUB(cuEventDestroy_v2)\n"
        "EMULATOR_STUB(cuMemAdvise)\n"
        "EMULATOR_STUB(cuMemAdvise_ptsz)\n"
        "EMULATOR_STUB(cuMemAlloc)\n"
        "EMULATOR_STUB(cuMemAlloc_v2)\n"
    )


def test_the_table_has_each_base_name_from_the_oldest_form_to_the_newest(text):
    table = text("driver_table.cpp", "cuMemAlloc_v2\ncuMemcpy\n")
    assert table.split("rows[] = {\n")[1].split("};\n")[0] == (
        '    {"cuEventDestroy", "cuEventDestroy", 2000, false,\n'
        "     address(cuEventDestroy), nullptr},\n"
        '    {"cuEventDestroy", "cuEventDestroy_v2", 4000, false,\n'
        "     address(cuEventDestroy_v2), nullptr},\n"
        '    {"cuMemAdvise", "cuMemAdvise", 8000, false,\n'
        "     address(cuMemAdvise), address(cuMemAdvise_ptsz)},\n"
        '    {"cuMemAlloc", "cuMemAlloc", 2000, false,\n'
        "     address(cuMemAlloc), nullptr},\n"
        '    {"cuMemAlloc", "cuMemAlloc_v2", 3020, true,\n'
        "     address(cuMemAlloc_v2), nullptr},\n"
        '    {"cuMemcpy", "cuMemcpy", 4000, true,\n'
        "     address(cuMemcpy), address(cuMemcpy_ptds)},\n"
    )


@pytest.mark.parametrize(
    ("listed", "code", "message"),
    [
        ("cuNone\n", "E420", "no function cuNone"),
        ("cuEventDestroy = cuEventDestroy_v2\n", "E421", "not written by hand"),
        ("cuMemAlloc_v2\ncuMemAlloc = cuMemAlloc_v2\n", "E421", "takes other parameters"),
        ("cuMemcpy\ncuMemcpy\n", "E422", "cuMemcpy"),
        ("cuMemcpy_ptds\n", "E422", "cuMemcpy_ptds"),
    ],
)
def test_a_list_that_does_not_fit_is_an_error(listed, code, message):
    with pytest.raises(RenderError, match=message) as caught:
        emulated_driver.EmulatedDriver(FACTS, emulated_driver.read_list(listed))
    assert caught.value.code == code
