# SPDX-License-Identifier: Apache-2.0
"""The package as a stranger gets it: an sdist, installed into an empty environment without headers or toolkit."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPILED = (".pyx", ".pxd", ".cpp")
NOT_COMPILED = {"abi_checks.cpp"}  # the tests compile it, against NVIDIA's headers
MODULES = {"_native", "driver", "runtime", "nvrtc", "cydriver", "cyruntime", "cynvrtc"}


def run(*command, cwd, **variables):
    """The output of a command that must succeed, away from the checkout and without CUDA in its environment."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CUDA", "PYTHON"))}
    kept.update(variables)
    words = [str(part) for part in command]
    done = subprocess.run(words, cwd=cwd, env=kept, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def compiled_sources(root):
    """The sources that are compiled into the package, below an unpacked tree."""
    for folder in ("bindings/native", "bindings/generated", "cuda_bindings"):
        found = (path for path in sorted((root / folder).rglob("*")) if path.suffix in COMPILED)
        yield from (path for path in found if path.name not in NOT_COMPILED)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The sdist, built from a copy of the checkout without its build products."""
    target = tmp_path_factory.mktemp("sdist")
    copy = target / "checkout"
    products = ("*.so", "*.egg-info", "__pycache__", ".*", "build", "dist")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*products))
    build = "import setuptools.build_meta as backend, sys; print(backend.build_sdist(sys.argv[1]))"
    name = run(sys.executable, "-c", build, target, cwd=copy).splitlines()[-1]
    return target / name


@pytest.fixture(scope="module")
def installed(sdist, tmp_path_factory):
    """The Python of an empty environment into which the sdist was installed with pip."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    # The build tools of this environment serve the build: without network it works too.
    wheel = folder / "wheel"
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", wheel, sdist, cwd=folder)
    run(python, "-m", "pip", "install", "--no-index", *wheel.glob("*.whl"), cwd=folder)
    return python


def test_sdist_holds_sources_and_licence_but_nothing_of_the_generator(sdist):
    names = {name.partition("/")[2] for name in tarfile.open(sdist).getnames()}
    assert {"LICENSE", "README.md", "setup.py", "pyproject.toml", "bindings/generated/driver.pyx"} <= names
    assert not [name for name in names if name.startswith(("generator/", "headers-snapshot/", "tests/", "build/"))]
    assert not [name for name in names if name.endswith((".so", ".o", ".pyc"))]


def test_installed_package_imports_and_names_the_extra_when_a_library_is_missing(installed, tmp_path):
    text = """
import cuda_bindings
from cuda_bindings import driver, errors, launch, nvrtc, runtime, utils
assert "site-packages" in cuda_bindings.__file__, cuda_bindings.__file__
assert cuda_bindings.__version__
try:
    nvrtc.nvrtcVersion()
except errors.LibraryNotFoundError as error:
    assert "cuda13" in str(error), error
else:
    raise SystemExit("found")
"""
    missing = tmp_path / "libnvrtc.so"
    run(installed, "-c", text, cwd=tmp_path, CUDA_BINDINGS_LIBNVRTC=str(missing))


def test_installed_package_brings_cython_declarations_and_headers(installed, tmp_path):
    find = "import cuda_bindings, os; print(os.path.dirname(cuda_bindings.__file__))"
    package = Path(run(installed, "-c", find, cwd=tmp_path).strip())
    assert {"cydriver.pxd", "cyruntime.pxd", "cynvrtc.pxd"} <= {path.name for path in package.iterdir()}
    assert list((package / "include").rglob("*.h"))


def test_installed_package_brings_the_types_of_every_module(installed, tmp_path):
    find = "import cuda_bindings, os; print(os.path.dirname(cuda_bindings.__file__))"
    package = Path(run(installed, "-c", find, cwd=tmp_path).strip())
    assert (package / "py.typed").is_file()
    stubs = {path.stem for path in package.glob("*.pyi")}
    assert stubs == MODULES | {"launch"}
    assert (package / "typing.py").is_file()


EMULATOR = ("libcuda_bindings_emulator", "libcuda_bindings_emulator_runtime")


def test_shared_objects_are_seven_and_within_three_and_a_half_megabytes(installed, tmp_path):
    find = "import cuda_bindings, os; print(os.path.dirname(cuda_bindings.__file__))"
    package = Path(run(installed, "-c", find, cwd=tmp_path).strip())
    sizes = {path.name.split(".")[0]: path.stat().st_size for path in package.glob("*.so")}
    emulator = {name: sizes.pop(name) for name in EMULATOR}
    assert set(sizes) == MODULES
    assert sum(sizes.values()) <= 3_500_000, sizes
    assert sum(emulator.values()) <= 2_600_000, emulator  # the driver 2.5 MB


def test_compiled_sources_stay_within_their_lines_and_columns():
    lines = {path: path.read_text().splitlines() for path in compiled_sources(ROOT)}
    assert sum(map(len, lines.values())) <= 45_000
    numbered = ((path, number, line) for path, text in lines.items() for number, line in enumerate(text, 1))
    assert not [f"{path}:{number}" for path, number, line in numbered if len(line) > 160]


def test_every_nvidia_package_is_pinned_to_a_release_up_to_13_1():
    for path in (ROOT / "pyproject.toml", *sorted((ROOT / "tools/dev").glob("*.py"))):
        for name, pin in re.findall(r"\"(nvidia-[a-z0-9-]+)([=<>!~][^\"]*)?\"", path.read_text()):
            if pin:
                version = re.fullmatch(r"==(\d+)\.(\d+)\.\d+", pin)
                assert version, f"{path}: {name}{pin}"
                assert (int(version[1]), int(version[2])) <= (13, 1), f"{path}: {name}{pin}"
