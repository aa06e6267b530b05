# SPDX-License-Identifier: Apache-2.0
"""Builds the fake libraries, and finds the helpers of the other tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
if any((ROOT / "cuda_bindings").glob("_native*.so")):
    sys.path.insert(0, str(ROOT))
if "FAKE_LIBRARIES" not in os.environ:
    subprocess.run([sys.executable, str(ROOT / "tests" / "fake" / "build.py")], check=True)
