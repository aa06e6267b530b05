# SPDX-License-Identifier: Apache-2.0
"""Counts as benchmarks/instructions.py does, with our statements a variable's load longer."""

import dataclasses
import sys

import instructions
import null_run
from model import OURS

chosen = null_run.chosen


def slowed(case):
    """The case with more to do in our column."""
    def make(column):
        call = case.make(column)
        return call if column.name != OURS else dataclasses.replace(call, text=f"{call.text}; f")
    return dataclasses.replace(case, make=make)


null_run.chosen = lambda only: [slowed(case) for case in chosen(only)]
instructions.count(*sys.argv[1:])
