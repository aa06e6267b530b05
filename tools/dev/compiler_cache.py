# SPDX-License-Identifier: Apache-2.0
"""ccache, where it is installed: one ./dev test compiles many a source again, for another LLVM or an sdist's build."""

import os
from pathlib import Path

NAME = "ccache"  # the system package
LINKS = ("/usr/lib/ccache", "/usr/lib64/ccache")  # folders of compilers' names that lead to it


def variables(present, default_folder):
    """What the compilers' processes see besides `present`; nothing where there is no ccache or it is switched off."""
    links = next((folder for folder in LINKS if Path(folder, "g++").exists()), None)
    if links is None or "CCACHE_DISABLE" in present:
        return {}
    path = present.get("PATH", os.defpath)
    return {
        "PATH": path if links in path.split(os.pathsep) else links + os.pathsep + path,
        "CCACHE_DIR": present.get("CCACHE_DIR", str(default_folder)),
        # The folder is in an object file only where debug information is.
        "CCACHE_NOHASHDIR": "1",
    }
