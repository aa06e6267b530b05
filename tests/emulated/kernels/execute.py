# SPDX-License-Identifier: Apache-2.0
"""Runs every kernel in a few variants without looking at the results: for coverage, tracing and sanitizers."""

from __future__ import annotations

import sys

from all_cases import CASES
from device import Device
from kernel_case import DEFAULT, Variant, outcome


def main(names: list[str]) -> None:
    """The named cases, or all that do not end in a fault: first and last variant, and the one without options."""
    with Device() as device:
        for case in CASES:
            if case.faults or (names and case.name not in names):
                continue
            for variant in dict.fromkeys((case.variants[0], case.variants[-1], *_ordinary(case))):
                for launch in case.launches:
                    outcome(device, case, launch, variant)


def _ordinary(case) -> list[Variant]:
    return [variant for variant in case.variants if variant.mode == DEFAULT][-1:]


if __name__ == "__main__":
    main(sys.argv[1:])
