# SPDX-License-Identifier: Apache-2.0
"""The renderer: a small plan gives the golden files, and whatever it cannot print for certain is an error with a code.

`UPDATE_GOLDENS=1 pytest tests/generator/render` rewrites the golden files; that run fails, so that none passes unread.
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
RENDER = HERE.parents[2] / "generator" / "render"
NATIVE = HERE.parents[2] / "bindings" / "native"
GOLDEN = HERE / "golden"
sys.path.insert(0, str(RENDER))

import functions  # noqa: E402
import render  # noqa: E402
from codes import RenderError  # noqa: E402

OWN_TEMPLATES = {"functions.pyx.j2", "function_table.pxd.j2", "native_ids.pxd.j2"}
ROWS = tuple(row for row in render.OUTPUTS if row.template in OWN_TEMPLATES)
NAMES = [Path(row.path).name for row in ROWS]


@pytest.fixture
def plan() -> dict:
    """The small plan: forty functions, each conversion and each result at least once."""
    return json.loads((HERE / "mini_plan.json").read_text(encoding="utf-8"))


def function(plan: dict, name: str) -> dict:
    """One function of the plan."""
    return next(entry for entry in plan["functions"] if entry["name"] == name)


def code_of(plan: dict, rows: tuple = ROWS) -> str:
    """The code of the error that rendering this plan ends with."""
    with pytest.raises(RenderError) as caught:
        render.render(plan, rows)
    return caught.value.code


def text_of(plan: dict, name: str) -> str:
    """The generated text of one function, from its cdef line to the end of its definition."""
    module = function(plan, name)["module"]
    text = render.render(plan, ROWS)[f"bindings/generated/{module}.pyx"]
    return re.search(rf"^cdef {name}\(.*?(?=\n\ncdef |\n*\Z)", text, re.MULTILINE | re.DOTALL).group(0)


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_mini_plan_gives_the_golden_file(plan, row):
    text = render.render(plan, (row,))[row.path]
    golden = GOLDEN / Path(row.path).name
    if os.environ.get("UPDATE_GOLDENS") == "1":
        render.write(golden, text)
        pytest.fail(f"{golden.name} rewritten: read the difference, then run again without UPDATE_GOLDENS")
    assert text == golden.read_text(encoding="utf-8")


def test_a_function_reads_as_a_person_would_have_written_it(plan):
    assert (
        text_of(plan, "cuMemAlloc")
        == '''\
cdef cuMemAlloc(bytesize):
    cdef CUdeviceptr dptr = 0
    cdef CUresult status
    cdef size_t c_bytesize = as_size(bytesize, "cuMemAlloc", "bytesize")
    with nogil:
        status = driver_table.cuMemAlloc_v2(&dptr, c_bytesize)
    if status != CUDA_SUCCESS:
        return failed(LIBRARY_DRIVER, SLOT_cuMemAlloc_v2, status, 1)
    return (SUCCESS, handle_new(HANDLE_CUdeviceptr, <uint64_t>dptr))
define(NAMES, "cuMemAlloc", """cuMemAlloc(bytesize)\\n--\\n\\ncuMemAlloc(bytesize: int) -> tuple[CUresult, CUdeviceptr]

    bytesize: size_t, bytes
    Returns the status, dptr (CUdeviceptr). Since CUDA 3.2 in this form.
    C: CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
    https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html""", cuMemAlloc)
NAMES["cuMemAlloc_v2"] = NAMES["cuMemAlloc"]'''
    )


def test_an_address_is_converted_after_the_number_that_tells_its_length(plan):
    lines = text_of(plan, "cuMemcpyHtoDAsync").splitlines()
    length = next(i for i, line in enumerate(lines) if "as_size(ByteCount" in line)
    address = next(i for i, line in enumerate(lines) if "c_srcHost.read(srcHost, ACCESS_READ, c_ByteCount" in line)
    assert length < address


def test_a_function_of_the_keeping_kind_keeps_the_gil(plan):
    assert "with nogil" not in text_of(plan, "cuGetErrorString")
    assert "with nogil" not in text_of(plan, "cudaCreateChannelDesc")


def test_texts_and_records_come_from_calls_without_the_gil_too(plan):
    text = text_of(plan, "cudaGetErrorString")
    assert "    with nogil:\n        text = runtime_table.cudaGetErrorString(c_error)\n" in text
    function(plan, "cudaCreateChannelDesc")["gil"] = "release"
    text = text_of(plan, "cudaCreateChannelDesc")
    assert "    with nogil:\n        value = runtime_table.cudaCreateChannelDesc(" in text


def test_two_positional_arguments_are_the_older_form(plan):
    text = text_of(plan, "cuCtxCreate")
    assert "cdef cuCtxCreate(ctxCreateParams, flags, dev):" in text
    assert "return cuCtxCreate_v2(ctxCreateParams, flags)" in text


def test_a_failing_size_query_returns_its_own_status(plan):
    text = text_of(plan, "nvrtcGetPTX")
    assert "return failed(LIBRARY_NVRTC, SLOT_nvrtcGetPTXSize, status, 0)" in text


def test_the_same_plan_gives_the_same_bytes_from_any_folder_and_locale(tmp_path):
    settings = ((tmp_path, {"LC_ALL": "C", "PYTHONHASHSEED": "1"}), (HERE, {"PYTHONHASHSEED": "2"}))
    for number, (folder, extra) in enumerate(settings):
        command = [sys.executable, str(RENDER / "render.py"), "--plan", str(HERE / "mini_plan.json")]
        command += ["--output", str(tmp_path / str(number)), "--only", r"(driver|runtime|nvrtc)(_table\.pxd|\.pyx)$"]
        subprocess.run(command, cwd=folder, env={**os.environ, **extra}, check=True, stdout=subprocess.DEVNULL)
    trees = [{p.name: p.read_bytes() for p in (tmp_path / str(n) / "bindings/generated").iterdir()} for n in range(2)]
    assert trees[0] == trees[1]
    assert len(trees[0]) == 6


def test_writing_the_same_content_leaves_the_file_alone(tmp_path):
    target = tmp_path / "a" / "b.txt"
    assert render.write(target, "text\n")
    before = target.stat().st_mtime_ns
    assert not render.write(target, "text\n")
    assert target.stat().st_mtime_ns == before
    assert [path.name for path in target.parent.iterdir()] == ["b.txt"]


def test_cython_takes_the_golden_files(tmp_path):
    pytest.importorskip("Cython")
    for module in render.MODULES:
        command = [sys.executable, "-m", "cython", "-3", "--cplus", "-I", str(NATIVE), "-I", str(GOLDEN)]
        command += ["--module-name", f"cuda_bindings.{module}"]
        command += [str(GOLDEN / f"{module}.pyx"), "-o", str(tmp_path / "out.cpp")]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


class TestErrors:
    """One plan for each code."""

    def test_e400_a_key_that_the_template_needs_is_missing(self, plan):
        del function(plan, "cuInit")["gil"]
        assert code_of(plan) == "E400"

    def test_e401_unknown_conversion(self, plan):
        function(plan, "cuInit")["arguments"][0]["convert"] = "magic"
        assert code_of(plan) == "E401"

    def test_e401_unknown_result(self, plan):
        function(plan, "cuMemAlloc")["outputs"][0]["produce"] = "magic"
        assert code_of(plan) == "E401"

    def test_e401_unknown_feed(self, plan):
        function(plan, "cuMemAlloc")["call"][1]["feed"] = "magic"
        assert code_of(plan) == "E401"

    def test_e401_unknown_type(self, plan):
        function(plan, "cuInit")["params"][0]["c_type"] = "CUnever"
        assert code_of(plan) == "E401"

    def test_e402_a_key_that_no_template_reads(self, plan):
        function(plan, "cuInit")["arguments"][0]["at_least"] = 3
        assert code_of(plan) == "E402"

    def test_e403_a_provided_name_that_the_template_does_not_use(self, plan, monkeypatch):
        provide = functions.provide
        monkeypatch.setattr(functions, "provide", lambda *arguments: {**provide(*arguments), "further": 1})
        assert code_of(plan) == "E403"

    def test_e404_two_rows_for_one_file(self, plan):
        assert code_of(plan, (*ROWS, ROWS[0])) == "E404"

    def test_e404_no_such_template(self, plan):
        assert code_of(plan, (render.Output("never.j2", "never.txt"),)) == "E404"

    def test_e404_no_such_provider(self, plan):
        assert code_of(plan, (render.Output("native_ids.pxd.j2", "never.txt", None, "never"),)) == "E404"

    def test_e405_a_line_over_160_columns(self, plan):
        plan["handles"][0]["id"] = "CU" + "x" * 160
        assert code_of(plan, tuple(row for row in ROWS if row.template == "native_ids.pxd.j2")) == "E405"

    def test_e406_check_names_what_differs_is_missing_or_left_over(self, plan, tmp_path, capsys, monkeypatch):
        monkeypatch.setattr(render, "OUTPUTS", ROWS)
        arguments = ["--plan", str(HERE / "mini_plan.json"), "--output", str(tmp_path)]
        assert render.main(arguments) == 0
        assert render.main([*arguments, "--check"]) == 0
        generated = tmp_path / "bindings" / "generated"
        (generated / "driver.pyx").write_text("edited\n")
        (generated / "nvrtc.pyx").unlink()
        (generated / "old.cpp").write_text("")
        capsys.readouterr()
        assert render.main([*arguments, "--check"]) == 1
        assert capsys.readouterr().err.splitlines() == [
            "E406: bindings/generated/driver.pyx: differs from what the plan gives",
            "E406: bindings/generated/nvrtc.pyx: missing",
            "E406: bindings/generated/old.cpp: no row of render.py writes it",
        ]


def test_every_conversion_and_result_of_the_templates_is_in_the_small_plan(plan):
    def kinds(name: str) -> set[str]:
        text = (RENDER / "templates" / name).read_text(encoding="utf-8")
        listed = " ".join(re.findall(r"kind (?:not )?in \((.*?)\)", text, re.DOTALL))
        return set(re.findall(r'kind == "(\w+)"', text)) | set(re.findall(r'"(\w+)"', listed))

    conversions, results = kinds("arguments.j2"), kinds("results.j2")
    used = {a["convert"] for f in plan["functions"] for a in f["arguments"]}
    made = {o["produce"] for f in plan["functions"] for o in f["outputs"]}
    assert (conversions - used, results - made) == (set(), set())


def test_plan_is_left_as_it_was(plan):
    before = copy.deepcopy(plan)
    render.render(plan, ROWS)
    assert plan == before
