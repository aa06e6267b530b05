# SPDX-License-Identifier: Apache-2.0
"""Builds the package inside the checkout, and only when a source has changed."""

import hashlib
import json

import console
import places

SOURCES = ("bindings/native", "bindings/generated", "emulator", "cuda_bindings", "setup.py", "pyproject.toml")
SUFFIXES = {".json", ".map", ".py", ".pyx", ".pxd", ".pxi", ".cpp", ".hpp", ".h", ".toml"}


def fingerprint(environment, sources=SOURCES):
    """A hash over the sources and the interpreter."""
    total = hashlib.sha256(repr((environment.facts["version"], environment.facts["real"])).encode())
    for path in files(sources):
        total.update(str(path.relative_to(places.ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def files(sources):
    """The source files below the names given, in a fixed order."""
    for name in sources:
        path = places.ROOT / name
        if path.is_file():
            yield path
        else:
            yield from sorted(found for found in path.rglob("*") if found.suffix in SUFFIXES)


def build(environment):
    """Compiles the extension modules in place; a second call without changes does nothing."""
    stamp = places.BUILD / f"package-{environment.version}.json"
    now = fingerprint(environment)
    tag = "cpython-" + environment.version.replace(".", "")
    try:
        built = json.loads(stamp.read_text()) == now and any(places.ROOT.glob(f"cuda_bindings/_native.{tag}*.so"))
    except (OSError, ValueError):
        built = False
    if built:
        return
    command = [environment.python, "setup.py", "-q", "build_ext", "--inplace"]
    console.step(f"building the package for Python {environment.version} (a minute or two)", command)
    stamp.write_text(json.dumps(now))


def size(environment):
    """The stripped modules together, for the summary."""
    tag = "cpython-" + environment.version.replace(".", "")
    modules = list((places.ROOT / "cuda_bindings").glob(f"*.{tag}-*.so"))
    return f"{len(modules)} modules, {sum(path.stat().st_size for path in modules) / 1e6:.2f} MB"
