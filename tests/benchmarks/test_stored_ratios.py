# SPDX-License-Identifier: Apache-2.0
"""Instruction ratios: stored beside what they depend on, compared only where it agrees, growth named by its row."""

import pytest

import stored_ratios

HERE = {"python": "3.11.7 abc", "compiler": "g++ 12.2", "libc": "glibc 2.36", "valgrind": "valgrind-3.19.0", "cpu": "1"}
MEASURED = {"cuStreamQuery(stream)": {"floor": 580.0, "ours": 696.0, "ratio": 1.2},
            "cuDeviceGet(0)": {"floor": 420.0, "ours": 462.0, "ratio": 1.1}}


@pytest.fixture
def path(tmp_path):
    """A file of stored ratios that is not there yet."""
    return tmp_path / "instructions.json"


def test_growth_of_more_than_5_percent_names_the_row():
    stored = {"cuStreamQuery(stream)": 1.13, "cuDeviceGet(0)": 1.05}
    assert stored_ratios.grown(stored, MEASURED) == [
        "cuStreamQuery(stream): 1.200 of the floor's instructions (696 / 580), stored 1.130"]


def test_a_row_that_is_gone_is_named():
    assert stored_ratios.grown({"gone": 1.0}, MEASURED) == [
        "gone: stored with a ratio of 1.000, and not measured any more"]


def test_a_ratio_that_has_shrunk_by_more_than_5_percent_is_named():
    stored = {"cuStreamQuery(stream)": 1.27, "cuDeviceGet(0)": 1.15}
    assert stored_ratios.improved(stored, MEASURED) == ["cuStreamQuery(stream): 1.200, stored 1.270"]


def test_what_is_stored_is_found_again_for_the_same_conditions_alone(path):
    stored_ratios.store(HERE, MEASURED, path=path)
    assert stored_ratios.stored_for(HERE, path)[0] == {"cuStreamQuery(stream)": 1.2, "cuDeviceGet(0)": 1.1}
    assert stored_ratios.stored_for(HERE | {"compiler": "g++ 13.3"}, path)[0] is None


def test_conditions_are_stored_side_by_side(path):
    stored_ratios.store(HERE, MEASURED, path=path)
    stored_ratios.store(HERE | {"cpu": "2"}, {"row": {"ratio": 2.0}}, path=path)
    stored_ratios.store(HERE, {"row": {"ratio": 1.5}}, path=path)
    assert stored_ratios.stored_for(HERE, path)[0] == {"row": 1.5}
    assert stored_ratios.stored_for(HERE | {"cpu": "2"}, path)[0] == {"row": 2.0}


def test_some_rows_are_stored_beside_the_others(path):
    stored_ratios.store(HERE, MEASURED, path=path)
    stored_ratios.store(HERE, {"cuDeviceGet(0)": {"ratio": 1.0}}, complete=False, path=path)
    assert stored_ratios.stored_for(HERE, path)[0] == {"cuStreamQuery(stream)": 1.2, "cuDeviceGet(0)": 1.0}


def test_a_check_without_stored_ratios_names_the_difference_and_the_command_and_passes(path, capsys):
    stored_ratios.store(HERE, MEASURED, path=path)
    assert stored_ratios.check(HERE | {"compiler": "g++ 13.3"}, MEASURED, path=path) == 0
    said = capsys.readouterr().out
    assert "2 rows measured, not compared: compiler is 'g++ 13.3', stored 'g++ 12.2'" in said
    assert "./dev bench --instructions store" in said


def test_a_check_fails_where_a_row_has_grown(path, capsys):
    stored_ratios.store(HERE, {"cuDeviceGet(0)": {"ratio": 1.0}}, path=path)
    assert stored_ratios.check(HERE, MEASURED, path=path) == 1
    said = capsys.readouterr().out
    assert "GROWN: cuDeviceGet(0): 1.100 of the floor's instructions (462 / 420), stored 1.000" in said
    assert "instruction counts: 0 rows passed, 1 failed, 0 improved by more than 5 %, 1 not stored yet" in said


def test_a_check_passes_where_no_row_has_grown_and_names_those_that_improved(path, capsys):
    stored_ratios.store(HERE, {"cuDeviceGet(0)": {"ratio": 1.5}, "cuStreamQuery(stream)": {"ratio": 1.15}}, path=path)
    assert stored_ratios.check(HERE, MEASURED, path=path) == 0
    assert "improved: cuDeviceGet(0): 1.100, stored 1.500" in capsys.readouterr().out


def test_a_check_of_some_rows_does_not_miss_the_others(path):
    stored_ratios.store(HERE, MEASURED, path=path)
    assert stored_ratios.check(HERE, {"cuDeviceGet(0)": MEASURED["cuDeviceGet(0)"]}, "deviceget", path) == 0


def test_the_processors_flags_are_those_by_which_libraries_choose(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags\t\t: fpu ssse3 amx_tile avx2\nbugs : none\n")
    assert stored_ratios.processor(tmp_path / "cpuinfo").split()[1:] == ["avx2", "ssse3"]


def test_the_ratios_of_this_checkout_are_stored_for_all_its_conditions():
    _, entries = stored_ratios.stored_for({})
    assert entries
    for entry in entries:
        assert list(entry["conditions"]) == ["python", "compiler", "libc", "valgrind", "cpu"]
        assert entry["ratios"]["cuStreamQuery(stream)"] > 0.5
