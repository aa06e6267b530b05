# SPDX-License-Identifier: Apache-2.0
"""./dev bench: which cuda.bindings it compares with."""

import json
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import command_bench  # noqa: E402
import console  # noqa: E402


class Ready:
    """An environment whose pip may be missing."""

    facts = {"real": "/usr/bin/python3.12"}
    python = sys.executable

    def ensure_pip(self):
        """There is none."""
        raise console.Failure("no pip")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The user's cache, and an interpreter without cuda.bindings."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(command_bench, "_FIND", "print()")
    return tmp_path / "open-cuda-bindings" / "bench" / "cuda-bindings-usr-bin-python3.12"


def test_without_pip_and_without_one_there_is_no_column(cache, capsys):
    assert command_bench.peer_folder(Ready(), True) == ""
    assert "no cuda.bindings column" in capsys.readouterr().out


def test_what_was_installed_lately_is_taken_as_it_is(cache):
    cache.mkdir(parents=True)
    (cache / "installed.json").write_text(json.dumps({"at": time.time()}))
    assert command_bench.peer_folder(Ready(), True) == cache


def test_no_install_takes_what_is_there_however_old(cache):
    cache.mkdir(parents=True)
    (cache / "installed.json").write_text(json.dumps({"at": 0}))
    assert command_bench.peer_folder(Ready(), False) == cache


def test_the_interpreters_own_is_taken_where_pip_cannot(cache, monkeypatch):
    monkeypatch.setattr(command_bench, "_FIND", "print('/opt/site-packages')")
    assert command_bench.peer_folder(Ready(), True) == "/opt/site-packages"
