# SPDX-License-Identifier: Apache-2.0
"""Starts check_leaks.py, whose measure is exact where the C library keeps no freed memory of its own per thread."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHECK = Path(__file__).with_name("check_leaks.py")


def test_refused_input_leaves_nothing_behind():
    environment = dict(os.environ) | {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    result = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(CHECK)], env=environment,
                            cwd=CHECK.parents[2], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0 and "3 passed" in result.stdout, result.stdout + result.stderr
