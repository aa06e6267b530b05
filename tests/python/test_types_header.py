# SPDX-License-Identifier: Apache-2.0
"""cuda_types.h: the layouts and values of the committed facts, in C and C++, before and beside NVIDIA's headers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cython_client.build import toolkit_headers

import cuda_bindings

HEADER = Path(cuda_bindings.__file__).resolve().parent / "include"
FACTS = Path(__file__).resolve().parents[2] / "headers-snapshot" / "13.0" / "facts.jsonl"
LANGUAGES = {
    "C": ["gcc", "-std=c11", "-xc"],
    "C++11": ["g++", "-std=c++11", "-xc++"],
    "C++": ["g++", "-std=c++20", "-xc++"],
}


def facts() -> list[dict]:
    """The snapshot's entities."""
    return [json.loads(line) for line in FACTS.read_text().splitlines()]


def assertions() -> str:
    """A static assertion for every size, alignment, offset and enumerator that the facts state."""
    lines = ["#ifndef __cplusplus", "#define alignof _Alignof", "#define static_assert _Static_assert", "#endif"]
    for fact in facts():
        if fact["kind"] == "enum":
            lines += [f'static_assert({name} == {value}, "{name}");' for name, value in fact["values"]]
        if fact["kind"] != "record" or "::" in fact["name"] or fact.get("nested_in"):
            continue
        spelled = f"{'union' if fact.get('union') else 'struct'} {fact['name']}"
        lines.append(f'static_assert(sizeof({spelled}) == {fact["size"]}, "{spelled}");')
        lines.append(f'static_assert(alignof({spelled}) == {fact["align"]}, "{spelled}");')
        for field in fact["fields"]:
            if field["name"]:
                offset = f"offsetof({spelled}, {field['name']})"
                lines.append(f'static_assert({offset} == {field["bits"] // 8}, "{spelled}.{field["name"]}");')
    return "\n".join(lines)


def compile_text(language: str, text: str, *arguments: str) -> None:
    """Compiles without output; a failure shows the compiler's words."""
    command = [*LANGUAGES[language], "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *arguments]
    done = subprocess.run([*command, f"-I{HEADER}", "-"], input=text, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]


OURS = "#include <cuda_bindings/cuda_types.h>\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_layouts_and_values_are_those_of_the_facts(language):
    compile_text(language, OURS + assertions())


def test_facts_hold_what_is_tested():
    assert assertions().count("static_assert") > 2500


@pytest.fixture(scope="module")
def real_headers() -> str:
    """The folder of NVIDIA's headers, of the release that the facts describe."""
    for folder in toolkit_headers():
        if "#define CUDA_VERSION 13000" in (folder / "cuda.h").read_text(errors="replace"):
            return str(folder)
    pytest.skip("no headers of CUDA 13.0 on this machine")


BEFORE = {
    "cuda.h": "#include <cuda.h>\n",
    "cuda_runtime_api.h": "#include <cuda_runtime_api.h>\n",
    "nvrtc.h": "#include <nvrtc.h>\n",
    "a part of the runtime's": "#include <library_types.h>\n#include <vector_types.h>\n",
    "all": "#include <cuda_runtime_api.h>\n#include <cuda.h>\n#include <nvrtc.h>\n",
    "none, but asked for": "#define CUDA_BINDINGS_USE_CUDA_H\n",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("before", BEFORE)
def test_header_takes_what_was_declared_before_it(real_headers, language, before):
    compile_text(language, BEFORE[before] + OURS + assertions(), "-isystem", real_headers)
