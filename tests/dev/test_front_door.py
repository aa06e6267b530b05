# SPDX-License-Identifier: Apache-2.0
"""./dev itself: its help, what it says when packages are missing, its sign of life, the NVRTC that fits a driver."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev"))

import command_saxpy  # noqa: E402
import console  # noqa: E402
import debian  # noqa: E402
import nvrtc  # noqa: E402
import places  # noqa: E402


def test_help_names_each_command_in_one_line():
    text = subprocess.run([ROOT / "dev", "--help"], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in text.splitlines()]
    for command in ("saxpy", "test", "generate", "check", "build", "bench"):
        assert [line for line in lines if line[:1] == [command] and len(line) > 3]
    assert max(map(len, text.splitlines())) <= 120


def test_missing_packages_are_named_exactly_where_they_may_not_be_installed(monkeypatch):
    monkeypatch.setattr(debian, "_prefix", lambda: None)
    with pytest.raises(console.Failure) as failure:
        debian.install(["python3-dev", "g++"])
    assert failure.value.status == 1
    assert "apt-get install --no-install-recommends g++ python3-dev" in str(failure.value)


@pytest.mark.parametrize(("prefix", "installed", "lists", "in_archive", "steps"), [
    (["sudo"], True, True, True, []),
    (None, False, True, True, []),
    (["sudo"], False, True, True, ["install"]),
    (["sudo"], False, False, True, ["update", "install"]),
    (["sudo"], False, False, False, ["update"]),
])
def test_a_package_that_only_helps_is_never_an_error(monkeypatch, prefix, installed, lists, in_archive, steps):
    seen = []

    def step(title, command, fatal):
        seen.append(command[command.index("apt-get") + 1])
        return 100, "E: broken"

    monkeypatch.setattr(debian, "_prefix", lambda: prefix)
    monkeypatch.setattr(debian, "missing", lambda names: [] if installed else names)
    monkeypatch.setattr(debian, "known", lambda name: in_archive and (lists or "update" in seen))
    monkeypatch.setattr(console, "step", step)
    debian.offer("ccache")
    assert seen == steps


def test_a_list_of_packages_may_have_comments(tmp_path, monkeypatch):
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "apt.txt").write_text("# tools\ncmake  # builds\nmake g++\n")
    monkeypatch.setattr(places, "ROOT", tmp_path)
    assert debian.packages_of("apt.txt") == ["cmake", "make", "g++"]


def test_a_silent_step_says_that_it_is_alive(monkeypatch, capfd):
    monkeypatch.setattr(console, "SIGN_OF_LIFE", 0.1)
    console.step("sleeping", [sys.executable, "-c", "import time; time.sleep(0.5)"])
    assert "... sleeping (" in capfd.readouterr().out


def test_a_failed_step_shows_the_end_of_its_output_and_where_the_rest_is():
    with pytest.raises(console.Failure) as failure:
        console.step("failing on purpose", [sys.executable, "-c", "print('the last line'); raise SystemExit(4)"])
    assert "the last line" in str(failure.value)
    assert "status 4" in str(failure.value)
    assert "build/log/failing-on-purpose.log" in str(failure.value)


@pytest.mark.parametrize(("driver", "wheel"), [
    (None, "nvidia-cuda-nvrtc==13.0.88"),
    ((12, 0), "nvidia-cuda-nvrtc-cu12==12.0.140"),
    ((12, 7), "nvidia-cuda-nvrtc-cu12==12.6.85"),
    ((13, 0), "nvidia-cuda-nvrtc==13.0.88"),
    ((14, 2), "nvidia-cuda-nvrtc==13.1.80"),
])
def test_nvrtc_is_the_newest_that_the_driver_takes(driver, wheel):
    assert nvrtc.wheel_for(driver) == wheel


def test_a_driver_older_than_12_0_is_refused_with_a_reason():
    with pytest.raises(console.Failure, match="12.0 is the oldest"):
        nvrtc.wheel_for((11, 8))


def test_figures_are_read_from_the_line_that_both_programs_print():
    found = command_saxpy.RESULT.search("x\nsaxpy kernel_ms=0.05100 application_ms=310.125\n")
    assert found and found.groups() == ("0.05100", "310.125")
    for program in ("saxpy.py", "cpp/saxpy.cpp"):
        assert "saxpy kernel_ms=" in (ROOT / "examples" / program).read_text()


def test_children_write_their_caches_inside_the_checkout():
    variables = places.environment()
    for name in ("TMPDIR", "PIP_CACHE_DIR", "CUDA_CACHE_PATH"):
        assert Path(variables[name]).is_relative_to(ROOT)
