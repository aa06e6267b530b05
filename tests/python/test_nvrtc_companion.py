# SPDX-License-Identifier: Apache-2.0
"""NVRTC's companion library comes from NVRTC's own folder: a wheel's libnvrtc does not find it by itself."""

import os
import subprocess
import sys

PROGRAM = """
from cuda_bindings import nvrtc
nvrtc.nvrtcVersion()
print(*{line.split()[-1] for line in open("/proc/self/maps") if "/libnvrtc" in line}, sep="\\n")
"""


def test_companion_is_loaded_from_the_folder_of_nvrtc():
    done = subprocess.run([sys.executable, "-c", PROGRAM], text=True, capture_output=True, check=True)
    paths = done.stdout.split()
    assert any("libnvrtc-builtins.so" in path for path in paths), paths
    assert len({os.path.dirname(path) for path in paths}) == 1, paths
