# SPDX-License-Identifier: Apache-2.0
"""Instruction counts are differences between callgrind's dumps, and runs see the same variables."""

import instructions
import null_run


def test_counts_are_the_difference_of_the_second_loop_and_the_first():
    index = [{"title": "call", "column": column, "turns": turns}
             for column in ("floor", "ours") for turns in (20, 40)]
    found = {0: 30_000, 1: 50_000, 2: 31_000, 3: 61_000}  # 20 turns of 10 statements more
    assert instructions.tabulate(index, found) == {"call": {"floor": 100.0, "ours": 150.0, "ratio": 1.5}}


def test_callgrinds_files_are_read_by_the_name_of_their_dump(tmp_path):
    (tmp_path / "counts.1").write_text("version: 1\ndesc: Trigger: Client Request: 7\nevents: Ir\nsummary: 1234\n")
    (tmp_path / "counts").write_text("desc: Trigger: Program termination\nsummary: 9\n")
    assert instructions.totals(tmp_path) == {7: 1234}


def test_a_counted_process_sees_the_hash_seed_and_what_it_needs_alone():
    found = instructions.fixed_variables({"BENCH_FLOOR": "/floor", "SHELL": "/bin/sh", "PYTHONHASHSEED": "9"})
    assert found["BENCH_FLOOR"] == "/floor" and found["PYTHONHASHSEED"] == "0" and "SHELL" not in found


def test_no_two_rows_have_the_same_title():
    titles = [case.title for case in null_run.all_cases()]
    assert len(titles) == len(set(titles)) > 50
