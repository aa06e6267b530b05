# SPDX-License-Identifier: Apache-2.0
"""Runs vectors on the device under test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from device import Device
from forms import Vector
from inputs import operands
from module import module

THREADS = 128


def target_of(device: Device, family: str) -> str:
    """sm_80, and sm_90 for what only that has; the emulated device takes those opcodes on every target."""
    return "sm_90" if family == "hopper" and not device.emulated else "sm_80"


def results(device: Device, vectors: Sequence[Vector], target: str) -> dict[str, np.ndarray]:
    """The result words of each vector by its name."""
    loaded = device.load(module(vectors, target).encode())
    found = {}
    for at, vector in enumerate(vectors):
        words = np.array(operands(vector.sources), np.uint64)
        count = len(words)
        inputs, outputs = device.upload(words), device.upload(np.full(count, 0xDEADBEEF, np.uint64))
        blocks = (count + THREADS - 1) // THREADS
        device.launch(loaded.function(f"v{at}"), blocks, THREADS, [inputs, outputs, np.uint32(count)])
        found[vector.name] = device.download(outputs, np.uint64, count)
        device.free(inputs)
        device.free(outputs)
    loaded.unload()
    return found
