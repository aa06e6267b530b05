# SPDX-License-Identifier: Apache-2.0
"""fetch_headers.py takes the pinned packages and no others. (Nothing is downloaded here.)"""

import importlib.util
import pathlib
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("fetch_headers", ROOT / "generator/fetch_headers.py")
assert SPEC and SPEC.loader
fetch_headers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fetch_headers)

RELEASES = ("12.0", "12.1", "12.2", "12.3", "12.4", "12.5", "12.6", "12.8", "12.9", "13.0", "13.1")


def make_wheel(folder, name, version, files):
    """Write a wheel with this metadata and these files."""
    path = folder / "some.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        for file in files:
            archive.writestr(file, f"/* {file} */")
    return path


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_pins_its_four_packages(release):
    pins = fetch_headers.read_pins(release)
    assert sorted(pins) == ["crt", "nvrtc", "profiler", "runtime"]
    assert all(version.startswith(release + ".") for _, version in pins.values())


def test_the_pins_of_13_0():
    assert fetch_headers.read_pins("13.0") == {
        "runtime": ("nvidia-cuda-runtime", "13.0.96"),
        "crt": ("nvidia-cuda-crt", "13.0.88"),
        "nvrtc": ("nvidia-cuda-nvrtc", "13.0.88"),
        "profiler": ("nvidia-cuda-profiler-api", "13.0.85"),
    }


def test_a_release_without_a_row_is_refused():
    with pytest.raises(fetch_headers.FetchError, match="no complete row for CUDA 12.7"):
        fetch_headers.read_pins("12.7")


def test_a_version_beyond_the_newest_is_refused(monkeypatch):
    monkeypatch.setattr(fetch_headers, "NEWEST", (13, 0))
    with pytest.raises(fetch_headers.FetchError, match="13.1.80 is newer than 13.0"):
        fetch_headers.read_pins("13.1")


def test_a_wheel_of_another_version_is_refused(tmp_path):
    wheel = make_wheel(tmp_path, "nvidia-cuda-crt", "13.0.90", ["nvidia/cu13/include/crt/host_defines.h"])
    with pytest.raises(fetch_headers.FetchError, match="13.0.90"):
        fetch_headers.unpack_headers(wheel, "nvidia-cuda-crt", "13.0.88", "crt/", tmp_path / "include")


def test_only_the_wanted_headers_are_unpacked(tmp_path):
    files = ["nvidia/cu13/include/crt/a.h", "nvidia/cu13/include/b.h", "nvidia/cu13/lib/c.so"]
    wheel = make_wheel(tmp_path, "nvidia-cuda-crt", "13.0.88", files)
    assert fetch_headers.unpack_headers(wheel, "nvidia-cuda-crt", "13.0.88", "crt/", tmp_path / "include") == 1
    assert [path.name for path in (tmp_path / "include").rglob("*.h")] == ["a.h"]
