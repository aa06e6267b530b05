# SPDX-License-Identifier: Apache-2.0
"""How the emulated device is chosen: by variable or call, never by itself; each case in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "from cuda_bindings import driver\nprint(driver.cuInit(0)[0].name, driver.cuDeviceGetName(99, 0)[1].decode())\n"


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """Python with these arguments; without the variables that choose a device unless given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_BINDINGS_")}
    kept["PYTHONPATH"] = str(ROOT)
    if "CUDA_BINDINGS_LIBNVRTC" in os.environ:
        kept["CUDA_BINDINGS_LIBNVRTC"] = os.environ["CUDA_BINDINGS_LIBNVRTC"]
    return subprocess.run([sys.executable, *arguments], env=kept | variables, capture_output=True, text=True,
                          timeout=120, check=False)


def output(code: str, **variables: str) -> str:
    """What the code prints; it must succeed."""
    done = run("-c", code, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def last_line_of_error(code: str, **variables: str) -> str:
    """The last line of the traceback; the code must fail."""
    done = run("-c", code, **variables)
    assert done.returncode == 1, done.stdout
    return done.stderr.strip().splitlines()[-1]


def test_the_variable_selects_it():
    assert output(NAME, CUDA_BINDINGS_DEVICE="emulated").startswith("CUDA_SUCCESS Emulated CUDA device")


def test_enable_selects_it_and_may_be_called_again():
    code = ("from cuda_bindings import emulator\nprint(emulator.is_enabled())\nemulator.enable()\n" + NAME
            + "emulator.enable()\nprint(emulator.is_enabled())")
    lines = output(code).splitlines()
    assert (lines[0], lines[1][:32], lines[2]) == ("False", "CUDA_SUCCESS Emulated CUDA devic", "True")


def test_enable_after_another_driver_was_used_is_an_error(tmp_path):
    source = tmp_path / "driver.c"
    source.write_text("int cuInit(unsigned flags) { return (int)flags; }\n"
                      "int cuDriverGetVersion(int *version) { *version = 13000; return 0; }\n")
    other = tmp_path / "libother.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", other, source], check=True)
    code = "from cuda_bindings import driver, emulator\ndriver.cuInit(0)\nemulator.enable()"
    assert last_line_of_error(code, CUDA_BINDINGS_LIBCUDA=str(other)) == (
        f"RuntimeError: the emulated device cannot be selected: libcuda is in use already ({other})")


def test_a_named_driver_and_the_emulated_device_cannot_both_be_had():
    code = "from cuda_bindings import emulator\nemulator.enable()"
    assert last_line_of_error(code, CUDA_BINDINGS_LIBCUDA="/nowhere/libcuda.so.1") == (
        "RuntimeError: the emulated device cannot be selected: CUDA_BINDINGS_LIBCUDA names another library "
        "(/nowhere/libcuda.so.1)")
    done = run("-c", NAME, CUDA_BINDINGS_LIBCUDA="/nowhere/libcuda.so.1", CUDA_BINDINGS_DEVICE="emulated")
    assert "not taken: the emulated device was asked for, and both cannot be had" in done.stderr


def test_an_unknown_device_is_an_error_that_names_the_known_one():
    done = run("-c", NAME, CUDA_BINDINGS_DEVICE="simulated")
    assert done.returncode == 1
    assert "unknown device; the only one that can be asked for is 'emulated'" in done.stderr


def test_importing_the_package_of_the_emulated_device_selects_nothing():
    code = "from cuda_bindings import _native, emulator\nprint(_native.loaded_library_path('driver'))"
    assert output(code) == "None\n"


def test_coverage_lists_every_driver_function():
    done = run("-m", "cuda_bindings.emulator", "--coverage")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert any(line.split() == ["cuLaunchKernel", "implemented"] for line in lines)
    assert any(line.split() == ["cuGraphCreate", "CUDA_ERROR_NOT_SUPPORTED"] for line in lines)
    implemented, total = int(lines[-1].split()[0]), int(lines[-1].split()[2])
    assert 0 < implemented < total == len(lines) - 1 and total > 500


def test_run_gives_another_program_the_device_as_its_libcuda():
    code = ("import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); name = ctypes.create_string_buffer(99);"
            "print(cuda.cuInit(0), cuda.cuDeviceGetName(name, 99, 0), name.value.decode())")
    done = run("-m", "cuda_bindings.emulator", "run", sys.executable, "-c", code)
    assert done.stdout.startswith("0 0 Emulated CUDA device"), done.stderr


def test_run_returns_the_status_of_the_program():
    ended = run("-m", "cuda_bindings.emulator", "run", sys.executable, "-c", "raise SystemExit(7)")
    killed = run("-m", "cuda_bindings.emulator", "run", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
    missing = run("-m", "cuda_bindings.emulator", "run", "no-such-program")
    assert (ended.returncode, killed.returncode, missing.returncode) == (7, 137, 127)
    assert "no-such-program: no such command" in missing.stderr


def test_runtime_goes_with_the_driver():
    code = ("from cuda_bindings import _native, runtime\nprint(runtime.cudaGetDeviceCount())\n"
            "print(_native.loaded_library_path('runtime'))")
    lines = output(code, CUDA_BINDINGS_DEVICE="emulated").splitlines()
    assert lines == ["(<cudaError_t.cudaSuccess: 0>, 1)",
                     str(ROOT / "cuda_bindings" / "libcuda_bindings_emulator_runtime.so")]
