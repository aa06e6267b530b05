# SPDX-License-Identifier: Apache-2.0
"""Instruction ratios: stored beside what they depend on, compared only where it agrees, growth named by its row."""

import instructions

HERE = {"python": "3.11.7 abc", "compiler": "g++ 12.2", "libc": "glibc 2.36", "valgrind": "valgrind-3.19.0", "cpu": "1"}
MEASURED = {"cuStreamQuery(stream)": {"floor": 580.0, "ours": 696.0, "ratio": 1.2},
            "cuDeviceGet(0)": {"floor": 420.0, "ours": 462.0, "ratio": 1.1}}


def test_growth_of_more_than_5_percent_names_the_row():
    stored = {"cuStreamQuery(stream)": 1.13, "cuDeviceGet(0)": 1.05}
    assert instructions.grown(stored, MEASURED) == [
        "cuStreamQuery(stream): 1.200 of the floor's instructions (696 / 580), stored 1.130"]


def test_a_row_that_is_gone_is_named():
    assert instructions.grown({"gone": 1.0}, MEASURED) == [
        "gone: stored with a ratio of 1.000, and not measured any more"]


def test_what_is_stored_is_found_again_for_the_same_conditions_alone(tmp_path):
    path = tmp_path / "instructions.json"
    instructions.store(HERE, MEASURED, path)
    assert instructions.stored_for(HERE, path)[0] == {"cuStreamQuery(stream)": 1.2, "cuDeviceGet(0)": 1.1}
    assert instructions.stored_for(HERE | {"compiler": "g++ 13.3"}, path)[0] is None


def test_conditions_are_stored_side_by_side(tmp_path):
    path = tmp_path / "instructions.json"
    instructions.store(HERE, MEASURED, path)
    instructions.store(HERE | {"cpu": "2"}, {"row": {"ratio": 2.0}}, path)
    instructions.store(HERE, {"row": {"ratio": 1.5}}, path)
    assert instructions.stored_for(HERE, path)[0] == {"row": 1.5}
    assert instructions.stored_for(HERE | {"cpu": "2"}, path)[0] == {"row": 2.0}


def test_counts_are_the_difference_of_the_second_loop_and_the_first():
    index = [{"title": "call", "column": column, "turns": turns}
             for column in ("floor", "ours") for turns in (20, 40)]
    found = {0: 30_000, 1: 50_000, 2: 31_000, 3: 61_000}  # 20 turns of 10 statements more
    assert instructions.tabulate(index, found) == {"call": {"floor": 100.0, "ours": 150.0, "ratio": 1.5}}


def test_callgrinds_files_are_read_by_the_name_of_their_dump(tmp_path):
    (tmp_path / "counts.1").write_text("version: 1\ndesc: Trigger: Client Request: 7\nevents: Ir\nsummary: 1234\n")
    (tmp_path / "counts").write_text("desc: Trigger: Program termination\nsummary: 9\n")
    assert instructions.totals(tmp_path) == {7: 1234}


def test_a_check_without_stored_ratios_says_so_and_passes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(instructions, "stored_for", lambda now: (None, []))
    assert instructions.check(HERE, MEASURED) == 0
    assert "not compared" in capsys.readouterr().out


def test_a_check_fails_where_a_row_has_grown(capsys, monkeypatch):
    monkeypatch.setattr(instructions, "stored_for", lambda now: ({"cuDeviceGet(0)": 1.0}, []))
    assert instructions.check(HERE, MEASURED) == 1
    assert "GROWN: cuDeviceGet(0)" in capsys.readouterr().out
