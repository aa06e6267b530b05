# SPDX-License-Identifier: Apache-2.0
"""cuda_bindings.hpp as users compile it: g++ and clang, NVIDIA's headers before and behind it, installed, and its cost.

./dev test --only cpp runs this, with the headers in CUDA_BINDINGS_TEST_HEADERS and NVRTC in CUDA_BINDINGS_LIBNVRTC; it
compiles for a minute, so that plain pytest leaves it out.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = ROOT / "cuda_bindings" / "include"
FAKES = Path(os.environ.get("FAKE_LIBRARIES", ROOT / "build" / "fake"))
COMPILERS = ("g++", "clang++")
STRICT = ("-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", f"-I{INCLUDE}")
OURS = '#include "cuda_bindings/cuda_bindings.hpp"\n'
HEADERS = ("cuda.h", "cudaProfiler.h", "cuda_runtime_api.h", "cuda_profiler_api.h", "nvrtc.h", "vdpau/vdpau.h",
           "cudaEGL.h", "cuda_egl_interop.h", "cudaGL.h", "cuda_gl_interop.h", "cudaVDPAU.h", "cuda_vdpau_interop.h")
THEIRS = "".join(f"#include <{header}>\n" for header in HEADERS)
ORDERS = {"alone": OURS, "before": OURS + THEIRS, "behind": THEIRS + OURS}
STREAMS = {"legacy": (), "per-thread": ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",)}
WAYS = list(itertools.product(COMPILERS, ORDERS, STREAMS))
# macros_away.hpp and macros_back.hpp are not for users: each part puts macros aside and back by itself.
PARTS = sorted(path.name for path in (INCLUDE / "cuda_bindings").glob("*.hpp") if not path.name.startswith("macros_"))
# Synonyms of the Cython modules, which no header has.
NOT_IN_C = {"getLocalRuntimeVersion"}


def run(*command: str | Path, **more: str) -> str:
    """The output of a command that must succeed; its words are shown where it does not."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env={**os.environ, **more})
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def published_functions() -> list[str]:
    """Every C function: those that the published Cython modules export, and those that only our modules have."""
    data = ROOT / "tests" / "data"
    modules = json.loads((data / "capi_signatures.json").read_text())["signatures"]
    extra = json.loads((data / "api_extra_13.0.json").read_text())
    names = {name for functions in modules.values() for name in functions}
    names |= {function["name"] for module in ("driver", "runtime", "nvrtc") for function in extra.get(module, ())}
    return sorted(names - NOT_IN_C)


def link_names() -> list[str]:
    """The link names of those functions, per-thread variants too, as the committed facts have them."""
    facts = [json.loads(line) for line in (ROOT / "headers-snapshot/13.0/facts.jsonl").read_text().splitlines()]
    published = set(published_functions())
    found = [fact for fact in facts if fact["kind"] == "function" and fact["name"] in published]
    return sorted({name for fact in found for name in (fact["link"], fact.get("ptds")) if name})


@pytest.fixture(scope="session")
def headers() -> Path:
    """The folder of NVIDIA's headers."""
    folder = Path(os.environ["CUDA_BINDINGS_TEST_HEADERS"])
    assert (folder / "cuda.h").is_file()
    return folder


@pytest.fixture(scope="session")
def fakes() -> dict[str, str]:
    """Variables that name the fake libraries, which are built where they are out of date."""
    run(sys.executable, ROOT / "tests" / "fake" / "build.py")
    return {"CUDA_BINDINGS_LIBCUDA": str(FAKES / "libfakecuda.so"),
            "CUDA_BINDINGS_LIBCUDART": str(FAKES / "libfakecudart.so"),
            "CUDA_BINDINGS_LIBNVRTC": str(FAKES / "libfakenvrtc.so")}


def test_lists_of_names_are_whole():
    assert len(published_functions()) == 839
    assert {"cuMemAlloc_v2", "cuMemcpyHtoD_v2_ptds", "cudaLaunchKernel_ptsz", "nvrtcGetPTX"} <= set(link_names())


def compile_whole(folder: Path, headers: Path, compiler: str, order: str, stream: str) -> str:
    """Compiles the header whole, and a declaration of every name of the API."""
    # Behind NVIDIA's headers a name may be a macro: then this asks for the macro's target.
    names = "".join(f"using cuda_bindings::{name};\n" for name in [*published_functions(), *link_names()])
    source = folder / f"{compiler}-{order}-{stream}.cpp"
    source.write_text(f"{ORDERS[order]}namespace all {{\n{names}}}\n")
    return run(compiler, *STRICT, *STREAMS[stream], "-fsyntax-only", "-isystem", headers,
               "-isystem", ROOT / "generator" / "shims", source)


def compile_part(folder: Path, part: str) -> str:
    """Compiles one header alone, included twice."""
    source = folder / f"{part}.cpp"
    source.write_text(f'#include "cuda_bindings/{part}"\n#include "cuda_bindings/{part}"\n')
    return run("g++", *STRICT, "-fsyntax-only", source)


@pytest.fixture(scope="session")
def compilations(headers, tmp_path_factory) -> Iterator[dict[object, Future[str]]]:
    """All compilations, two at a time, so that the tests need only wait for theirs."""
    folder = tmp_path_factory.mktemp("sources")
    with ThreadPoolExecutor(2) as pool:
        started: dict[object, Future[str]] = {way: pool.submit(compile_whole, folder, headers, *way) for way in WAYS}
        started.update({part: pool.submit(compile_part, folder, part) for part in PARTS})
        yield started


@pytest.mark.parametrize(("compiler", "order", "stream"), WAYS)
def test_header_compiles_and_has_every_name(compilations, compiler, order, stream):
    compilations[compiler, order, stream].result()


@pytest.mark.parametrize("part", PARTS)
def test_part_stands_alone(compilations, part):
    compilations[part].result()


def layout_assertions() -> list[str]:
    """A static assertion for every member's offset and every enumerator that the committed facts state."""
    lines = []
    for line in (ROOT / "headers-snapshot/13.0/facts.jsonl").read_text().splitlines():
        fact = json.loads(line)
        if fact["kind"] == "enum":
            lines += [f"static_assert(cuda_bindings::{name} == {value});" for name, value in fact["values"]]
        if fact["kind"] == "record" and "::" not in fact["name"] and not fact.get("nested_in"):
            for member in fact["fields"]:
                if member["name"]:
                    offset = f"offsetof(cuda_bindings::{fact['name']}, {member['name']})"
                    lines.append(f"static_assert({offset} == {member['bits'] // 8});")
    return lines


def test_records_and_enumerators_are_those_of_the_facts(tmp_path):
    source = tmp_path / "layout.cpp"
    assertions = layout_assertions()
    assert len(assertions) > 2500
    source.write_text('#include "cuda_bindings/records.hpp"\n' + "\n".join(assertions) + "\n")
    run("g++", *STRICT, "-fsyntax-only", source)


def test_no_macro_is_lost(headers, tmp_path):
    source = tmp_path / "macros.cpp"
    defined = []
    for text in (THEIRS, THEIRS + OURS):
        source.write_text(text)
        macros = run("g++", "-std=c++20", "-dM", "-E", f"-I{INCLUDE}", "-isystem", headers,
                     "-isystem", ROOT / "generator" / "shims", source)
        defined.append({line for line in macros.splitlines() if re.match(r"#define cu", line)})
    assert len(defined[0]) > 150
    assert defined[0] <= defined[1]


def instructions(source: Path, folder: Path, *flags: str) -> dict[str, int]:
    """How many instructions each function of a source has at -O2."""
    target = folder / "cost.o"
    run("g++", "-std=c++20", "-O2", "-fcf-protection=none", *flags, f"-I{INCLUDE}", f"-I{ROOT / 'bindings'}",
        "-c", source, "-o", target)
    listing = run("objdump", "-d", "--no-show-raw-insn", target)
    blocks = re.findall(r"^[0-9a-f]+ <(\w+)>:\n((?:.+\n)*)", listing, re.MULTILINE)
    padding = r"\s(?:nop\w?|xchg\s+%ax,%ax|data16)\b"
    return {name: sum(not re.search(padding, line) for line in body.splitlines()) for name, body in blocks}


def test_wrapped_call_has_the_instructions_of_a_c_call(tmp_path):
    wrapped = instructions(HERE / "call_cost_wrapped.cpp", tmp_path)
    plain = instructions(HERE / "call_cost_plain.cpp", tmp_path, "-DCUDA_BINDINGS_BOTH_STREAMS")
    linked = instructions(HERE / "call_cost_plain.cpp", tmp_path, "-DLINKED", "-fno-plt")
    print("\ninstructions     wrapped  C through the slots  C linked to libcuda")
    for name in ("get_current", "allocate", "release", "launch", "copy", "get_info"):
        print(f"{name:16} {wrapped[name]:7} {plain[name]:20} {linked[name]:20}")
        assert wrapped[name] <= plain[name], name


@pytest.fixture(scope="session")
def prefix(tmp_path_factory) -> Path:
    """The C++ library, installed by CMake."""
    folder = tmp_path_factory.mktemp("installed")
    off = [f"-DCUDA_BINDINGS_{part}=OFF" for part in ("GENERATOR", "EMULATOR", "TESTS")]
    run("cmake", "-S", ROOT, "-B", folder / "build", *off)
    run("cmake", "--build", folder / "build", "--parallel", "2", "--target", "cuda_bindings")
    run("cmake", "--install", folder / "build", "--prefix", folder / "prefix", "--component", "cpp")
    return folder / "prefix"


def test_library_needs_no_python(prefix):
    undefined = run("nm", "--undefined-only", next(prefix.glob("lib*/**/libcuda_bindings.a")))
    assert " dlopen" in undefined
    assert not re.search(r" _?Py", undefined)


def test_client_finds_the_installed_package(prefix, fakes, tmp_path):
    run("cmake", "-S", HERE / "client", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "client", **fakes) == "driver 0 13000, runtime 0 13000, NVRTC 0 13.0\n"


def test_installed_headers_are_those_of_the_checkout(prefix):
    installed = {path.name for path in (prefix / "include" / "cuda_bindings").iterdir()}
    assert installed == {path.name for path in (INCLUDE / "cuda_bindings").iterdir()}


def test_saxpy_example_runs_on_the_emulated_device(prefix, tmp_path):
    program = tmp_path / "saxpy_tuples"
    library = next(prefix.glob("lib*/**/libcuda_bindings.a"))
    run("g++", *STRICT, "-O2", f"-I{prefix / 'include'}", ROOT / "examples" / "cpp" / "saxpy_tuples.cpp", library,
        "-pthread", "-o", program)
    device = ROOT / "cuda_bindings" / "libcuda_bindings_emulator.so"
    assert "CUDA_BINDINGS_LIBNVRTC" in os.environ
    output = run(program, "64", CUDA_BINDINGS_LIBCUDA=str(device))
    assert "Emulated CUDA device" in output
    assert re.search(r"^saxpy kernel_ms=[\d.]+ application_ms=[\d.]+$", output, re.MULTILINE)
