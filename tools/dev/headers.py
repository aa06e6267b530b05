# SPDX-License-Identifier: Apache-2.0
"""The CUDA headers of a release: out of NVIDIA's wheels, kept in .cache and never committed; and the check against them."""

import hashlib
import json
import zipfile
from pathlib import Path

import console
import places

# release: versions of the wheels that hold runtime (with cuda.h), crt/, NVRTC and profiler headers
WHEELS = {
    "12.0": ("12.0.146", "12.0.140", "12.0.140", "12.0.140"),
    "12.1": ("12.1.105", "12.1.105", "12.1.105", "12.1.105"),
    "12.2": ("12.2.140", "12.2.140", "12.2.140", "12.2.140"),
    "12.3": ("12.3.101", "12.3.107", "12.3.107", "12.3.101"),
    "12.4": ("12.4.127", "12.4.131", "12.4.127", "12.4.127"),
    "12.5": ("12.5.82", "12.5.82", "12.5.82", "12.5.39"),
    "12.6": ("12.6.77", "12.6.85", "12.6.85", "12.6.77"),
    "12.8": ("12.8.90", "12.8.93", "12.8.93", "12.8.90"),
    "12.9": ("12.9.79", "12.9.86", "12.9.86", "12.9.79"),
    "13.0": ("13.0.96", "13.0.88", "13.0.88", "13.0.85"),
    "13.1": ("13.1.80", "13.1.80", "13.1.80", "13.1.80"),
}


class Headers:
    """A folder of headers, the release that they are of, and the record of the wheels they came from."""

    def __init__(self, release, folder, packages=None):
        self.release = release
        self.folder = Path(folder)
        self.packages = packages


def requirements(release):
    """The pinned wheels of a release."""
    if release not in WHEELS:
        raise console.Failure(f"no wheels are listed for CUDA {release}; known: {', '.join(WHEELS)}. "
                              "Headers of an installed toolkit: ./dev generate RELEASE --headers FOLDER")
    runtime, crt, nvrtc, profiler = WHEELS[release]
    if release.startswith("12."):
        names = ("runtime-cu12", "nvcc-cu12", "nvrtc-cu12", "profiler-api-cu12")
    else:
        names = ("runtime", "crt", "nvrtc", "profiler-api")
    return [f"nvidia-cuda-{name}=={version}" for name, version in zip(names, (runtime, crt, nvrtc, profiler), strict=True)]


def fetch(environment, release):
    """The headers of a release; wheels are downloaded once."""
    folder = places.CACHE / "headers" / release
    packages = folder / "packages.json"
    if not packages.exists():
        wheels = places.CACHE / "wheels" / release
        environment.pip(f"fetching the headers of CUDA {release}",
                        ["download", "--no-deps", "--only-binary=:all:", "-d", wheels, *requirements(release)])
        record = {wheel.name: unpack(wheel, folder / "include") for wheel in sorted(wheels.glob("*.whl"))}
        packages.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return Headers(release, folder / "include", packages)


def unpack(wheel, target):
    """Copies what a wheel has below an include folder; returns the wheel's hash."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, found, below = name.partition("/include/")
            # Of the compiler's wheel only crt/ is wanted: the rest is its own.
            if not found or name.endswith("/") or ("nvcc" in wheel.name and not below.startswith("crt/")):
                continue
            path = target / below
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def check_abi(headers):
    """Compiles the generated assertions on sizes, offsets and values against the real headers."""
    source = places.ROOT / "bindings/generated/abi_checks.cpp"
    console.step("compiling the ABI assertions against the real headers",
                 ["g++", "-std=c++20", "-fsyntax-only", "-w", f"-I{places.ROOT / 'bindings'}",
                  f"-I{places.ROOT / 'bindings/generated'}", "-isystem", headers.folder,
                  "-isystem", places.ROOT / "generator/shims", source])
