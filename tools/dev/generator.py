# SPDX-License-Identifier: Apache-2.0
"""The generator: what it needs, its build for one LLVM release, and its steps from headers to sources."""

import re
import shutil
from pathlib import Path

import console
import debian
import places

LLVM_WANTED = (14, 19, 18, 17, 16, 15)  # the first that this machine has or can install
LLVM_FULL = (14, 19)


def has_llvm(version):
    """Whether the libclang of that release is installed with its headers."""
    root = Path(f"/usr/lib/llvm-{version}")
    return (root / "include/clang-c/Index.h").exists() and any(root.glob("lib/libclang*.so*"))


def choose_llvm(full):
    """(LLVM releases to build with, system packages to install for them)."""
    wanted = [version for version in LLVM_FULL if full or version == LLVM_WANTED[0]]
    here = [version for version in wanted if has_llvm(version)]
    if here and not full:
        return here, []
    installable = [version for version in wanted if version not in here and debian.known(f"libclang-{version}-dev")]
    if not here and not installable:
        debian.refresh()  # a fresh machine has no package lists yet
        others = [version for version in LLVM_WANTED if has_llvm(version)]
        installable = others or [version for version in LLVM_WANTED if debian.known(f"libclang-{version}-dev")]
        installable = [version for version in installable if version in wanted] or installable[:1]
    chosen = sorted({*here, *installable}) or [LLVM_WANTED[0]]
    return chosen, [f"libclang-{version}-dev" for version in chosen if not has_llvm(version)]


def packages(llvm_packages):
    """The system packages that the generator's build is missing."""
    listed = [name for name in debian.packages_of("apt-generator.txt") if not name.startswith("libclang-")]
    return debian.missing(listed) + llvm_packages


def build(llvm, emulator=False):
    """Builds generator and C++ tests with one LLVM release, the emulator's where wanted; returns the build folder."""
    folder = places.BUILD / f"cmake-llvm{llvm}"
    if has_lost_its_compiler(folder):
        shutil.rmtree(folder)
    configure = ["cmake", "-S", places.ROOT, "-B", folder, f"-DCUDA_BINDINGS_LLVM_VERSION={llvm}",
                 "-DCMAKE_BUILD_TYPE=Release", f"-DCUDA_BINDINGS_EMULATOR={'ON' if emulator else 'OFF'}"]
    console.step(f"configuring the generator with LLVM {llvm}", configure)
    console.step(f"building the generator and the C++ tests with LLVM {llvm}",
                 ["cmake", "--build", folder, "--parallel", str(places.JOBS)])
    return folder


def has_lost_its_compiler(folder):
    """Whether CMake would ask for a compiler that is not there any more: ccache's name for it, ccache being gone."""
    cache = folder / "CMakeCache.txt"
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache.read_text(), re.MULTILINE) if cache.exists() else None
    return found is not None and not Path(found[1]).exists()


def binary(folder):
    """The generator's executable in a build folder."""
    return folder / "generator" / "cuda-bindgen"


def plan(folder, release, check=False):
    """Writes the plan of a release's committed snapshot; returns its path."""
    output = places.BUILD / f"plan-{release}.json"
    console.step(f"planning CUDA {release}",
                 [binary(folder), "plan", "--release", release, "--output", output, *(["--check"] if check else [])])
    return output


def account(folder, release, plan_file):
    """Prints the account of a release's facts; a name neither in the plan nor excluded with a reason is an error."""
    console.step(f"accounting for the facts of CUDA {release}",
                 [binary(folder), "account", "--release", release, "--plan", plan_file], show=True)


def render(environment, plan_file, check=False):
    """Writes the generated sources of a plan, or compares them byte by byte."""
    title = "comparing bindings/generated with the plan" if check else "rendering bindings/generated"
    command = [environment.python, places.ROOT / "generator/render/render.py", "--whole", "--plan", plan_file]
    return console.step(title, [*command, *(["--check"] if check else [])], show=True)


def extract(folder, headers, output, check=False):
    """Writes the facts of a folder of headers; fails on request where the committed ones are others."""
    command = [binary(folder), "extract", "--headers", headers.folder, "--release", headers.release, "--output", output]
    options = ["--packages", headers.packages] if headers.packages else []
    console.step(f"extracting the facts of CUDA {headers.release}",
                 [*command, *options, *(["--check"] if check else [])])
