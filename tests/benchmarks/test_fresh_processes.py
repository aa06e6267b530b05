# SPDX-License-Identifier: Apache-2.0
"""Rows about fresh processes: imports stand over the bare interpreter, round by round."""

import fresh_processes


def test_an_import_counts_without_the_bare_interpreter():
    times = {"bare": [10.0, 11.0, 12.0], "ours": [12.0, 13.0, 14.0], "peer": [30.0, 31.0, 32.0]}
    row = fresh_processes.start_row("driver", times)
    assert row["ratios"] == {"ours/peer": 0.1}
    assert row["ms_over_bare"]["ours"] == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert row["figures"] == "over bare Python's 11.0 ms: ours 2.00 ms (2.0-2.0), peer 20.00 ms (20.0-20.0)"


def test_without_cuda_bindings_there_is_no_ratio():
    assert fresh_processes.start_row("driver", {"bare": [10.0], "ours": [12.0]})["ratios"] == {}


def test_our_modules_import_and_answer_in_a_fresh_process(null_folder, monkeypatch):
    import columns

    for name, value in columns.variables(null_folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CUDA_BINDINGS_DEVICE", raising=False)
    rows = fresh_processes.starts("", 1) + fresh_processes.resident("") + fresh_processes.sizes("")
    assert [row["title"] for row in rows] == [
        "import driver and first call", "import runtime and first call", "import nvrtc and first call",
        "memory after import driver", "memory after import runtime", "memory after import nvrtc", "shared objects"]
    assert 1 < rows[-1]["value"] < 10
