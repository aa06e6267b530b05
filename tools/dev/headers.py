# SPDX-License-Identifier: Apache-2.0
"""The CUDA headers of a release, kept in .cache and never committed; the wheels' pins; the check against them."""

import re
import sys
from pathlib import Path

import console
import places

sys.path.insert(0, str(places.ROOT / "generator"))
import fetch_headers  # noqa: E402


class Headers:
    """A folder of headers, the release that they are of, and the record of the wheels they came from."""

    def __init__(self, release, folder, packages=None):
        self.release = release
        self.folder = Path(folder)
        self.packages = packages


def nvrtc_wheels():
    """{(major, minor): "package==version"}: the pinned NVRTC of each release."""
    text = (places.ROOT / "generator/data/releases.toml").read_text(encoding="utf-8")
    releases = re.findall(r'^\[packages\."(\d+)\.(\d+)"\]$', text, re.MULTILINE)
    pins = {(int(major), int(minor)): fetch_headers.read_pins(f"{major}.{minor}")["nvrtc"] for major, minor in releases}
    return {release: "==".join(pin) for release, pin in pins.items()}


def fetch(environment, release):
    """The headers of a release; wheels are downloaded once."""
    environment.ensure_pip()
    command = [environment.python, places.ROOT / "generator/fetch_headers.py", release,
               "--cache", places.CACHE / "headers"]
    console.step(f"the headers of CUDA {release}, from NVIDIA's wheels", command)
    folder = places.CACHE / "headers" / release
    return Headers(release, folder / "include", folder / "packages.json")


def check_abi(headers):
    """Compiles the generated assertions on sizes, offsets and values against the real headers."""
    source = places.ROOT / "bindings/generated/abi_checks.cpp"
    console.step("compiling the ABI assertions against the real headers",
                 ["g++", "-std=c++20", "-c", "-o", places.BUILD / "abi_checks.o", "-w", f"-I{places.ROOT / 'bindings'}",
                  f"-I{places.ROOT / 'bindings/generated'}", "-isystem", headers.folder,
                  "-isystem", places.ROOT / "generator/shims", source])
