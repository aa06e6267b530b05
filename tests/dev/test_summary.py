# SPDX-License-Identifier: Apache-2.0
"""The runners of ./dev test: lanes side by side, a summary in the order of the steps, and nothing that fails unseen."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev"))

import compiler_cache  # noqa: E402
import places  # noqa: E402
import summary as summary_module  # noqa: E402

WAIT = """
import pathlib, sys, time
mine, other = map(pathlib.Path, sys.argv[1:])
mine.touch()
until = time.monotonic() + 60
while not other.exists() and time.monotonic() < until:
    time.sleep(0.01)
print("1 passed" if other.exists() else "1 failed")
"""


@pytest.fixture
def summary(monkeypatch):
    """One with two processors."""
    monkeypatch.setattr(places, "JOBS", 2)
    return summary_module.Summary()


def lines_of(summary):
    """What it says, without the seconds."""
    return [line.rpartition(" [")[0] for line in summary.lines]


def program(text):
    """A command."""
    return [sys.executable, "-c", text]


def test_lanes_run_side_by_side_and_are_summed_up_in_the_order_of_the_steps(summary, tmp_path, capfd):
    files = tmp_path / "a", tmp_path / "b"
    summary.later("first", "one", [*program(WAIT), *files], "passed")
    summary.add("between", "nothing", 0)
    summary.later("second", "two", [*program(WAIT), *reversed(files)], "passed")
    assert summary.close() == 0
    assert lines_of(summary) == ["ok     one: 1 passed", "ok     between: nothing", "ok     two: 1 passed"]
    shown = capfd.readouterr().out
    assert "[dev] one said:\n1 passed" in shown and "[dev] two said:\n1 passed" in shown
    assert shown.index("ok     one") < shown.index("ok     between") < shown.index("ok     two")


def test_runners_of_one_lane_run_in_turn(summary, tmp_path):
    file = tmp_path / "file"
    summary.later("lane", "one", program(f"import time; time.sleep(0.3); open({str(file)!r}, 'w'); print('1 passed')"),
                  "passed")
    summary.later("lane", "two", program(f"open({str(file)!r}); print('1 passed')"), "passed")
    summary.later("other", "three", program("print('1 passed')"), "passed")
    assert summary.close() == 0


@pytest.mark.parametrize("text", ["print('1 passed'); raise SystemExit(3)", "print('nothing of note')"])
@pytest.mark.parametrize("others", [0, 1])
def test_a_runner_that_fails_or_has_no_last_word_fails_the_whole(summary, text, others):
    summary.later("lane", "one", program(text), "passed")
    for _ in range(others):
        summary.later("other", "two", program("print('1 passed')"), "passed")
    assert summary.close() == 1
    assert lines_of(summary)[0].startswith("FAILED one: ")


def test_a_lane_by_itself_is_shown_while_it_runs(summary, capfd):
    summary.later("lane", "one", program("print('1 passed')"), "passed")
    assert summary.close() == 0
    shown = capfd.readouterr().out
    assert "1 passed\n" in shown and "said:" not in shown


def test_the_compiler_cache_is_used_where_it_is_and_not_switched_off(monkeypatch, tmp_path):
    (tmp_path / "g++").touch()
    monkeypatch.setattr(compiler_cache, "LINKS", ("/nowhere", str(tmp_path)))
    found = compiler_cache.variables({"PATH": "/usr/bin"}, "/checkout/.cache")
    assert found == {"PATH": f"{tmp_path}:/usr/bin", "CCACHE_DIR": "/checkout/.cache", "CCACHE_NOHASHDIR": "1"}
    again = compiler_cache.variables({**found, "CCACHE_DIR": "/mine"}, "/checkout/.cache")
    assert again == {**found, "CCACHE_DIR": "/mine"}
    assert compiler_cache.variables({"PATH": "/usr/bin", "CCACHE_DISABLE": "1"}, "/checkout/.cache") == {}
    monkeypatch.setattr(compiler_cache, "LINKS", ("/nowhere",))
    assert compiler_cache.variables({"PATH": "/usr/bin"}, "/checkout/.cache") == {}


LANES = """
import signal, sys
tools, folder = sys.argv[1:]
sys.path.insert(0, tools)
import places, summary
places.JOBS = 2
signal.signal(signal.SIGINT, signal.default_int_handler)
whole = summary.Summary()
for lane in "ab":
    first = f"import time; open({folder!r} + '/{lane}', 'w'); time.sleep(60)"
    whole.later(lane, lane, [sys.executable, "-c", first], "x")
    whole.later(lane, lane * 2, [sys.executable, "-c", f"open({folder!r} + '/{lane * 2}', 'w')"], "x")
whole.close()
"""


def test_ctrl_c_ends_what_runs_and_begins_nothing(tmp_path):
    with subprocess.Popen([sys.executable, "-c", LANES, str(ROOT / "tools" / "dev"), str(tmp_path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while {path.name for path in tmp_path.iterdir()} != {"a", "b"}:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    assert errors.endswith("KeyboardInterrupt\n") and "said:" not in output
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


def test_a_runner_that_cannot_be_started_is_a_line_like_others(summary):
    summary.later("lane", "one", ["/nowhere/program"], "passed")
    summary.later("lane", "two", program("print('1 passed')"), "passed")
    summary.later("other", "three", program("print('1 passed')"), "passed")
    assert summary.close() == 1
    first, *others = lines_of(summary)
    assert first.startswith("FAILED one: FileNotFoundError")
    assert others == ["ok     two: 1 passed", "ok     three: 1 passed"]
