# SPDX-License-Identifier: Apache-2.0
"""Imports what is compared: the floor, the newest cuda.bindings and ours, all into one process."""

import importlib
import importlib.metadata
import os
import sys

from model import FLOOR, OURS, PEER, Column


def variables(null, floor=None, peer=None):
    """The variables under which a process finds the null driver and the columns."""
    return {"LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(null), os.environ.get("LD_LIBRARY_PATH")])),
            "CUDA_BINDINGS_LIBCUDA": str(null / "libcuda.so.1"),
            "CUDA_BINDINGS_LIBCUDART": str(null / "libcudart.so.13"),
            "CUDA_BINDINGS_LIBNVRTC": str(null / "libnvrtc.so.13"),
            "BENCH_FLOOR": str(floor or ""), "BENCH_PEER": str(peer or "")}


def add_paths():
    """Makes the other columns importable. cuda.bindings comes last: it may bring nothing else along."""
    if os.environ.get("BENCH_FLOOR"):
        sys.path.insert(0, os.environ["BENCH_FLOOR"])
    if os.environ.get("BENCH_PEER"):
        sys.path.append(os.environ["BENCH_PEER"])


def load(names=(FLOOR, PEER, OURS)):
    """The columns by these names that are there."""
    add_paths()
    found = []
    if FLOOR in names and os.environ.get("BENCH_FLOOR"):
        found.append(Column(FLOOR, importlib.import_module("benchmark_floor")))
    if PEER in names:
        try:
            found.append(Column(PEER, importlib.import_module("cuda.bindings.driver"),
                                importlib.import_module("cuda.bindings.runtime")))
        except ImportError:
            pass
    if OURS in names:
        found.append(Column(OURS, importlib.import_module("cuda_bindings.driver"),
                            importlib.import_module("cuda_bindings.runtime")))
    return found


def peer_version():
    """The version of cuda.bindings, or None."""
    add_paths()
    try:
        return importlib.metadata.version("cuda-bindings")
    except importlib.metadata.PackageNotFoundError:
        return None
