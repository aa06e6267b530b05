# SPDX-License-Identifier: Apache-2.0
"""Where ./dev keeps things: all of it inside the checkout."""

import os
import re
from pathlib import Path

import compiler_cache

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
CACHE = ROOT / ".cache"
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
JOBS = max(1, min(16, len(os.sched_getaffinity(0)), MEMORY >> 30))  # what runs side by side, a gigabyte for each


def log_file(title):
    """The log of a step, named after it."""
    folder = BUILD / "log"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-")[:60] + ".log")


def environment(extra=None):
    """The variables of every child process: caches and temporary files stay in the checkout."""
    temporary = CACHE / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    kept = dict(os.environ)
    kept.update(compiler_cache.variables(kept, CACHE / "ccache"))
    kept.update(
        TMPDIR=str(temporary),
        PIP_CACHE_DIR=str(CACHE / "pip"),
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
        RUFF_CACHE_DIR=str(CACHE / "ruff"),
        CUDA_CACHE_PATH=str(CACHE / "nv"),  # the driver's cache of compiled PTX, else in the home folder
        PYTHONUNBUFFERED="1",
    )
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"):
        kept.pop(name, None)
    kept.update(extra or {})
    return kept
