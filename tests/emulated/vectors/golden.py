# SPDX-License-Identifier: Apache-2.0
"""What a real GPU answered: the recorded results of the vectors and probes, in tests/data/ptx_golden.json."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import numpy as np

PATH = Path(__file__).resolve().parents[2] / "data" / "ptx_golden.json"
WIDTHS = {"b8": 4, "b16": 2, "b32": 4, "b64": 8, "f16": 2, "bf16": 2, "f16x2": 4, "bf16x2": 4, "f32": 4, "f64": 8,
          "pred": 1}


def pack(results: np.ndarray, kind: str) -> str:
    """Results as text: cut to their width, compressed."""
    narrow = results.astype(f"<u{WIDTHS[kind]}")
    # Equal bytes side by side compress better.
    planes = narrow.view(np.uint8).reshape(-1, WIDTHS[kind]).T.tobytes()
    return base64.b85encode(zlib.compress(planes, 9)).decode()


def unpack(text: str, kind: str) -> np.ndarray:
    """The inverse of pack, as 64-bit words."""
    planes = np.frombuffer(zlib.decompress(base64.b85decode(text)), np.uint8).reshape(WIDTHS[kind], -1)
    narrow = np.ascontiguousarray(planes.T).reshape(-1).view(f"<u{WIDTHS[kind]}")
    return narrow.astype(np.uint64)


def load() -> dict:
    """The recorded file: device, vectors by name, probes by name."""
    return json.loads(PATH.read_text(encoding="utf-8"))


def save(content: dict, path: Path = PATH) -> None:
    """Writes the file, one entry a line."""
    lines = [f' "{key}": {json.dumps(value)}' for key, value in content.items() if key not in ("vectors", "probes")]
    for group in ("vectors", "probes"):
        rows = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in content[group].items()]
        lines.append(f' "{group}": {{\n' + ",\n".join(rows) + "\n }")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
