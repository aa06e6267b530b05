# SPDX-License-Identifier: Apache-2.0
"""Fetch the headers of one CUDA release from NVIDIA's wheels, in the versions that data/releases.toml pins.

Usage: fetch_headers.py 13.0 [--cache DIR] [--real-crt]. Writes <cache>/<release>/include and packages.json beside it;
prints the include folder. Nothing of it is ever committed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEWEST = (13, 1)  # nothing newer may be fetched
PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64")
ROW = re.compile(r'^(runtime|crt|nvrtc|profiler) = "([a-z0-9-]+)==([0-9.]+)"$')


class FetchError(Exception):
    """Something is not as the table says."""


def read_pins(release: str) -> dict[str, tuple[str, str]]:
    """Return {role: (package, version)} of a release. (Python 3.10 has no TOML reader; these rows need none.)"""
    pins: dict[str, tuple[str, str]] = {}
    inside = False
    for line in (ROOT / "generator/data/releases.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            inside = line == f'[packages."{release}"]'
        elif inside and (row := ROW.match(line)):
            pins[row[1]] = (row[2], row[3])
    if set(pins) != {"runtime", "crt", "nvrtc", "profiler"}:
        raise FetchError(f"generator/data/releases.toml has no complete row for CUDA {release}")
    for package, version in pins.values():
        if tuple(int(part) for part in version.split(".")[:2]) > NEWEST:
            raise FetchError(f"{package}=={version} is newer than {NEWEST[0]}.{NEWEST[1]}")
    return pins


def download(package: str, version: str, folder: pathlib.Path) -> pathlib.Path:
    """Let pip download exactly one wheel, and check that it is the pinned one."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder)]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    print(f"fetching {package} {version}", file=sys.stderr, flush=True)
    done = subprocess.run([*command, f"{package}=={version}"], check=False)
    if done.returncode:
        raise FetchError(f"pip could not download {package}=={version}")
    prefix = f"{package.replace('-', '_')}-{version}-"
    wheels = [path for path in folder.iterdir() if path.name.startswith(prefix) and path.suffix == ".whl"]
    if len(wheels) != 1:
        raise FetchError(f"expected one wheel {prefix}*.whl, found {sorted(path.name for path in folder.iterdir())}")
    return wheels[0]


def check_metadata(archive: zipfile.ZipFile, package: str, version: str) -> None:
    """Compare the name and version inside the wheel with the pin."""
    name = next(entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA"))
    fields = dict(line.split(": ", 1) for line in archive.read(name).decode("utf-8").splitlines()[:20] if ": " in line)
    found = (fields.get("Name", "").replace("_", "-").lower(), fields.get("Version"))
    if found != (package, version):
        raise FetchError(f"the wheel says {found}, the pin {(package, version)}")


def unpack_headers(wheel: pathlib.Path, package: str, version: str, only: str, target: pathlib.Path) -> int:
    """Copy the files below the wheel's include folder whose path begins with `only`."""
    count = 0
    with zipfile.ZipFile(wheel) as archive:
        check_metadata(archive, package, version)
        for entry in archive.namelist():
            _, mark, name = entry.partition("/include/")
            if not mark or entry.endswith("/") or not name.startswith(only) or ".." in name:
                continue
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(entry))
            count += 1
    return count


def fetch(release: str, cache: pathlib.Path, real_crt: bool) -> pathlib.Path:
    """Fetch what is not in the cache yet and return the include folder."""
    pins = read_pins(release)
    if pins["crt"][0].startswith("nvidia-cuda-nvcc") and not real_crt:
        del pins["crt"]
    folder = cache / release
    listing = folder / "packages.json"
    wanted = {package: version for package, version in pins.values()}
    if listing.exists():
        held = json.loads(listing.read_text(encoding="utf-8"))
        if {package: row["version"] for package, row in held.items()} == wanted:
            return folder / "include"
    shutil.rmtree(folder, ignore_errors=True)
    packages: dict[str, dict[str, str]] = {}
    for role, (package, version) in pins.items():
        with tempfile.TemporaryDirectory() as scratch:
            wheel = download(package, version, pathlib.Path(scratch))
            only = "crt/" if role == "crt" else ""
            if not unpack_headers(wheel, package, version, only, folder / "include"):
                raise FetchError(f"{wheel.name} holds no headers")
            packages[package] = {"version": version, "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    listing.write_text(json.dumps(packages, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return folder / "include"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", help="CUDA release, as 13.0")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / ".cache/headers")
    parser.add_argument("--real-crt", action="store_true", help="12.x: fetch the compiler package for its crt/ headers")
    options = parser.parse_args()
    try:
        print(fetch(options.release, options.cache, options.real_crt))
    except FetchError as error:
        print(f"fetch_headers: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
