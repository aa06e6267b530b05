# SPDX-License-Identifier: Apache-2.0
"""Which of several libraries is taken: all places are filled, then emptied from the front, one process each.

Single questions of the search (versions, errors, reports) are in tests/python/test_loader.py; /usr/local, /usr/lib and
WSL's folder, which a test may not fill, in tests/native/test_slots.cpp.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

TARGET = "sbsa-linux" if os.uname().machine == "aarch64" else "x86_64-linux"
# The order that docs/using.md promises, place by place, in a folder of the test's own.
ORDER = {
    "runtime": [
        "named/libcudart.so.13",                            # CUDA_BINDINGS_LIBCUDART
        "loaded/libcudart.so.13",                           # loaded already
        "site/nvidia/cu13/lib/libcudart.so.13",             # wheels, in the order of sys.path
        "site/nvidia/cuda_runtime/lib/libcudart.so.13",
        "site2/nvidia/cu13/lib/libcudart.so.13",
        "home/lib64/libcudart.so.13",                       # toolkits: CUDA_HOME, CUDA_PATH, CONDA_PREFIX
        "home/lib/libcudart.so.13",
        f"home/targets/{TARGET}/lib/libcudart.so.13",
        "path/lib64/libcudart.so.13",
        f"path/targets/{TARGET}/lib/libcudart.so.13",
        "conda/lib/libcudart.so.13",
        f"conda/targets/{TARGET}/lib/libcudart.so.13",
    ],
    "nvrtc": [
        "named/libnvrtc.so.13",
        "loaded/libnvrtc.so.13",
        "site/nvidia/cu13/lib/libnvrtc.so.13",
        "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.13",
        "site2/nvidia/cu13/lib/libnvrtc.so.13",
        "home/lib64/libnvrtc.so.13",
        f"home/targets/{TARGET}/lib/libnvrtc.so.13",
        "path/lib64/libnvrtc.so.13",
        "conda/lib/libnvrtc.so.13",
    ],
    "driver": [
        "named/libcuda.so.1",
        "loaded/libcuda.so.1",
        "first/libcuda.so.1",                               # the dynamic linker's path
        "second/libcuda.so.1",
    ],
}
# Link-time stand-ins, in every folder that is searched: never taken, whatever else is missing.
STUBS = ["home/lib64/stubs", f"home/targets/{TARGET}/lib/stubs", "path/lib64/stubs", "conda/lib/stubs", "first/stubs"]
VARIABLES = {"driver": "CUDA_BINDINGS_LIBCUDA", "runtime": "CUDA_BINDINGS_LIBCUDART", "nvrtc": "CUDA_BINDINGS_LIBNVRTC"}
STEPS = [(module, step) for module, places in ORDER.items() for step in range(len(places))]


@pytest.fixture(scope="module")
def tree(tmp_path_factory, libraries):
    """Every place filled, with a copy of the fake library."""
    root = tmp_path_factory.mktemp("tree")
    for module, path in libraries.all_of_release("13.0").items():
        for place in ORDER[module]:
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, root / place)
        for folder in STUBS:
            (root / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, root / folder / Path(ORDER[module][0]).name)
    return root


@pytest.mark.parametrize(("module", "step"), STEPS, ids=[f"{m}-{ORDER[m][s].split('/lib')[0]}" for m, s in STEPS])
def test_first_place_of_the_order_that_has_the_library_gives_it(module, step, tree, play, libraries):
    places = ORDER[module]
    hidden = [tree / place for place in places[:step] if not place.startswith(("named", "loaded"))]
    named = {"driver": libraries.of_release("driver", "13.0")} if module != "driver" else {}
    if step == 0:
        named[module] = str(tree / places[0])
    before = f"import ctypes; ctypes.CDLL({str(tree / places[1])!r})\n" if step < 2 else ""
    for path in hidden:
        path.rename(path.with_suffix(".hidden"))
    try:
        answer = play(f"chosen({module!r})", named, (tree / "site", tree / "site2"), before,
                      CUDA_HOME=str(tree / "home"), CUDA_PATH=str(tree / "path"), CONDA_PREFIX=str(tree / "conda"),
                      LD_LIBRARY_PATH=f"{tree / 'first' / 'stubs'}:{tree / 'first'}:{tree / 'second'}")
    finally:
        for path in hidden:
            path.with_suffix(".hidden").rename(path)
    assert answer == str(tree / places[step])


@pytest.mark.parametrize("module", ["driver", "runtime", "nvrtc"])
def test_stub_is_refused_even_where_the_user_names_it(module, tree, play):
    stub = str(tree / "home/lib64/stubs" / Path(ORDER[module][0]).name)
    refusal = "refused: a toolkit's stub"
    answer = play(f"without_library({ {module: f'{stub} ({VARIABLES[module]})'}!r}, {refusal!r})", {module: stub})
    counts = {"driver": 485, "runtime": 330, "nvrtc": 24}
    assert answer == f"{{'worked': 0, 'missing': {counts[module]}, 'older': 0}} as expected"
