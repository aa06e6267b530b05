# SPDX-License-Identifier: Apache-2.0
"""Records what a device answers: CUDA_BINDINGS_TEST_DEVICE=gpu python tests/emulated/vectors/record.py FILE."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[2])]
if os.environ.get("CUDA_BINDINGS_TEST_DEVICE", "gpu") == "emulated":
    os.environ["CUDA_BINDINGS_DEVICE"] = "emulated"

import golden  # noqa: E402
import probes  # noqa: E402
from device import Device  # noqa: E402
from forms import FAMILIES  # noqa: E402

from cuda_bindings import driver  # noqa: E402
from run import results, target_of  # noqa: E402


def main(path: str) -> None:
    """Runs all vectors, then all probes, and writes the file."""
    with Device() as device:
        content = {
            "": "Recorded on the device named here by tests/emulated/vectors/record.py; do not edit.",
            "device": device.name,
            "capability": list(device.compute_capability),
            "driver": driver.cuDriverGetVersion()[1],
            "vectors": {},
            "probes": {},
        }
        for family in FAMILIES:
            vectors = list(family())
            found = results(device, vectors, target_of(device, family.__name__))
            for vector in vectors:
                content["vectors"][vector.name] = golden.pack(found[vector.name], vector.result)
    for name in probes.PROBES:
        content["probes"][name] = probes.in_a_process_of_its_own(name)
    golden.save(content, Path(path))
    print(f"{len(content['vectors'])} vectors, {len(content['probes'])} probes, {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
