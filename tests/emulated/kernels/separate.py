# SPDX-License-Identifier: Apache-2.0
"""Runs one launch of one case in this process and prints the code with which it ended, as a line of JSON."""

from __future__ import annotations

import json
import os
import sys

from all_cases import CASES
from device import Device, DeviceError
from kernel_case import VARIANTS, Run


def main(name: str, launch: str, variant: str, broken: str) -> None:
    """The case by name, launch and variant by position; broken is 0 or 1."""
    case = next(case for case in CASES if case.name == name)
    run = Run(Device(), case, case.launches[int(launch)], VARIANTS[int(variant)], broken == "1")
    code = 0
    try:
        run.start()
        run.finish()
    except DeviceError as error:
        code = int(error.code)
    print("\n" + json.dumps({"error": code}), flush=True)
    # The broken context makes a tidy end impossible.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
