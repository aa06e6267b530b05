# SPDX-License-Identifier: Apache-2.0
"""Every function on libraries of other releases: what is there works, what is not says so, nothing else stops."""

from __future__ import annotations

import pytest

INSTALL = " To have it, install the CUDA libraries beside this package: pip install 'open-cuda-bindings[{0}]'."


@pytest.mark.parametrize(("release", "extra", "counts"), [
    ("12.0", "cuda12", {"worked": 702, "missing": 124, "older": 13}),
    ("12.4", "cuda12", {"worked": 759, "missing": 66, "older": 14}),
    ("13.0", "cuda13", {"worked": 839, "missing": 0, "older": 0}),
    ("14.0", "cuda13", {"worked": 839, "missing": 0, "older": 0}),
])
def test_functions_of_a_release_work_and_others_name_the_release_that_introduced_them(
        release, extra, counts, libraries, play):
    chosen = libraries.all_of_release(release)
    major, minor = map(int, release.split("."))
    answer = play(f"release({release!r}, {chosen!r}, {INSTALL.format(extra)!r})", chosen,
                  FAKE_VERSION=str(1000 * major + 10 * minor))
    assert answer == f"0 twins {counts} as expected"


@pytest.mark.parametrize(("release", "extra", "twins", "counts"), [
    ("12.0", "cuda12", 127, {"worked": 702, "missing": 124, "older": 13}),
    ("14.0", "cuda13", 152, {"worked": 839, "missing": 0, "older": 0}),
])
def test_per_thread_default_streams_go_to_the_twins(release, extra, twins, counts, libraries, play):
    chosen = libraries.all_of_release(release)
    major, minor = map(int, release.split("."))
    answer = play(f"release({release!r}, {chosen!r}, {INSTALL.format(extra)!r}, per_thread=True)", chosen,
                  CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM="1", FAKE_VERSION=str(1000 * major + 10 * minor))
    assert answer == f"{twins} twins {counts} as expected"


@pytest.mark.parametrize("per_thread", [False, True])
def test_driver_that_exports_only_cu_get_proc_address_is_asked_for_the_very_form(per_thread, libraries, play):
    whole = libraries.of_release("driver", "14.0")
    bare = libraries.lacking("driver", libraries.exports["driver"] - {"cuGetProcAddress_v2", "cuDriverGetVersion"})
    chosen = {**libraries.all_of_release("13.0"), "driver": bare}
    variables = {"CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM": "1"} if per_thread else {}
    answer = play(f"proc_address({chosen!r}, {whole!r}, {per_thread})", chosen, FAKE_VERSION="14000", **variables)
    assert answer == "483 asked {'worked': 485, 'missing': 0, 'older': 0} as expected"


def test_every_function_hands_over_every_status(libraries, play):
    # The last is what a library answers for what it has not: from a function that is there it is a status like others.
    chosen = libraries.all_of_release("13.0")
    answer = play(f"failing({chosen!r}, [1, 34, 999, 4242])", chosen)
    assert answer == "{'worked': 4195, 'missing': 0, 'older': 0} as expected"


def test_libraries_that_fail_from_the_first_call_on_are_used_all_the_same(libraries, play):
    chosen = libraries.all_of_release("13.0")
    answer = play(f"failing({chosen!r}, [999])", chosen, FAKE_STATUS="999")
    assert answer == "{'worked': 1678, 'missing': 0, 'older': 0} as expected"


def test_enumerators_of_a_newer_release_come_back_as_numbers(libraries, play):
    chosen = libraries.all_of_release("14.0")
    answer = play(f"unknown_enumerators({chosen!r})", chosen, FAKE_VERSION="14000")
    assert answer == "20 {'worked': 839, 'missing': 0, 'older': 0} as expected"
