# SPDX-License-Identifier: Apache-2.0
"""Holds the plan's Python signatures against the table of the API: names, order, defaults, conversions, outputs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = json.loads((ROOT / "tests/data/api_13.0.json").read_text(encoding="utf-8"))["functions"]

# Written by hand, in no header: they are not in the plan.
BY_HAND = {"sizeof", "getLocalRuntimeVersion"}

# Where the plan takes more than the table says, or mends what it describes.
WIDER = {
    ("cuMemBatchDecompressAsync", "paramsArray"): "a list of records, or the one that the table knows",
    ("cuVDPAUGetDevice", "vdpGetProcAddress"): "the function's address itself, not that of the object that holds it",
    ("cuVDPAUCtxCreate", "vdpGetProcAddress"): "the function's address itself, not that of the object that holds it",
    ("cudaVDPAUGetDevice", "vdpGetProcAddress"): "the function's address itself, not that of the object that holds it",
    ("cudaVDPAUSetVDPAUDevice", "vdpGetProcAddress"): "the function's address itself, not that of the object's slot",
}

NUMBERS = {"int": "i32", "uint": "u32", "ushort": "u16", "uchar": "u8", "size": "sz", "ulonglong": "u64",
           "float": "f32"}
PLAIN = {"string": "b", "out_buffer": "b", "address": "v*", "string_list": "[bytes]?", "address_list": "[Any]?",
         "kernel_parameters": "KP", "extra": "iptr", "jit_values": "[Any]?", "attribute_set": "attrval",
         "attribute_sizes": "[int]", "color": "f32", "user_data": "v*"}
TYPED = {"handle": "{}", "inout_handle": "{}?", "enumeration": "{}", "inout_enumeration": "{}", "handle_list": "[{}]?",
         "record_list": "[{}]?", "enumeration_list": "[{}]?", "handle_pointer": "*{}"}
TABLED = {"attribute": "{}", "jit_keys": "[{}]?", "attribute_list": "[{}]?"}
OUTPUTS = {"number": "int", "capacity_count": "int", "float": "float", "address": "int", "string": "bytes",
           "raw_bytes": "bytes", "name_buffer": "bytes(raw)", "number_array": "[int]", "archs": "[int]",
           "attribute_value": "attrval", "attribute_values": "[attrval]", "color": "float"}


def find_plan(folder: Path) -> dict:
    """Plans with CUDA_BINDGEN or the newest generator built in this checkout; skips where there is none."""
    given = os.environ.get("CUDA_BINDGEN")
    found = [Path(given)] if given else list(ROOT.glob("build/*/generator/cuda-bindgen"))
    builds = sorted(found, key=lambda path: path.stat().st_mtime)
    if not builds:
        pytest.skip("no cuda-bindgen under build/: ./dev check builds it")
    output = folder / "plan.json"
    subprocess.run([builds[-1], "plan", "--release", "13.0", "--output", output, "--check"], check=True)
    return json.loads(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def plan(tmp_path_factory) -> dict:
    """The plan of 13.0, with class names by id and functions by module and name."""
    raw = find_plan(tmp_path_factory.mktemp("plan"))
    names = {entry["id"]: entry["name"] for kind in ("handles", "enums", "records") for entry in raw[kind]}
    return {"names": names, "functions": {(f["module"], f["name"]): f for f in raw["functions"]}}


def token(argument: dict, names: dict[str, str]) -> str:
    """An argument's conversion as the table writes it."""
    convert = argument["convert"]
    if convert in ("number", "inout_number", "capacity", "jit_count"):
        return NUMBERS[argument["native"]]
    if convert == "record":
        return names[argument["type"]] + ("!" if argument["by_value"] else "?")
    if convert == "callback":
        return names.get(argument["type"], "v*")    # NVRTC's has no class
    if convert == "number_list":
        if argument["handle_type"]:
            return f"[{names[argument['handle_type']]}]?"
        return "[int]?" if argument["nullable"] else "[int]"
    if convert in TYPED:
        return TYPED[convert].format(names[argument["type"]])
    if convert in TABLED:
        return TABLED[convert].format(names[argument["table"]])
    return PLAIN[convert]


def output_token(function: dict, output: dict, names: dict[str, str]) -> str:
    """An output as the table writes it."""
    produce = output["produce"]
    if produce == "inout":
        argument = function["arguments"][output["from_argument"]]
        if argument["convert"] == "inout_enumeration":
            return names[argument["type"]]
        return "same" if argument["convert"] == "inout_handle" else "int"
    if produce in ("handle", "record", "enumeration"):
        return names[output["type"]]
    if produce.endswith("_array") and produce != "number_array":
        return f"[{names[output['type']]}]"
    return OUTPUTS[produce]


def outputs(function: dict, names: dict[str, str]) -> list[str]:
    """All outputs, those of functions without a status among them."""
    if function["result"] == "string":
        return ["bytes"]
    if function["result"] == "record":
        return [] if function["bare"] else [names[function["result_type"]]]
    return [output_token(function, output, names) for output in function["outputs"]]


ROWS = [pytest.param(module, row, id=row["name"]) for module, rows in TABLE.items() for row in rows
        if row["name"] not in BY_HAND]


@pytest.mark.parametrize(("module", "row"), ROWS)
def test_signature_is_the_tables(module, row, plan):
    function = plan["functions"][(module, row["name"])]
    names = plan["names"]
    assert [a["python"] for a in function["arguments"]] == [a["name"] for a in row["arguments"]]
    for argument, expected in zip(function["arguments"], row["arguments"], strict=True):
        default = expected.get("default")
        assert argument["default"] == (None if default is None else int(default)), argument["python"]
        if (row["name"], argument["python"]) not in WIDER:
            assert token(argument, names) == expected["token"], argument["python"]
    assert outputs(function, names) == row["outputs"]


def test_wider_arguments_are_still_wider(plan):
    for name, parameter in WIDER:
        module = "runtime" if name.startswith("cuda") else "driver"
        expected = {r["name"]: r for r in TABLE[module]}[name]["arguments"]
        table_token = next(a["token"] for a in expected if a["name"] == parameter)
        function = plan["functions"][(module, name)]
        argument = next(a for a in function["arguments"] if a["python"] == parameter)
        assert token(argument, plan["names"]) != table_token


def test_functions_beyond_the_table(plan):
    known = {(module, row["name"]) for module, rows in TABLE.items() for row in rows}
    beyond = {name for module, name in set(plan["functions"]) - known}
    assert {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel", "cudaSetValidDevices",
            "cudaFuncGetName", "cudaFuncGetParamInfo", "cudaGetFuncBySymbol", "cuProfilerInitialize",
            "cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize"} <= beyond
    # Explicit old forms that the header declares for the library's own builds.
    assert {"cuCtxCreate_v2", "cuCtxCreate_v3", "cuGraphInstantiate_v2", "cuStreamGetCaptureInfo_v2",
            "cuTexRefSetAddress2D_v2"} <= beyond
    # Keyed by a host-side variable: excluded by name.
    assert not {name for name in beyond if "Symbol" in name} - {"cudaGetFuncBySymbol"}


def test_current_link_names_are_aliases(plan):
    without = [name for (module, name), function in plan["functions"].items()
               if function["link"] != name and function["aliases"] != [function["link"]]
               and (module, function["link"]) not in plan["functions"]]
    assert not without, " ".join(without)


def test_two_argument_cuctxcreate_is_the_older_form(plan):
    function = plan["functions"][("driver", "cuCtxCreate")]
    assert function["overload"] == "cuCtxCreate_v2"
    older = plan["functions"][("driver", "cuCtxCreate_v2")]
    assert [a["python"] for a in older["arguments"]] == ["flags", "dev"]
