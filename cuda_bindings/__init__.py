# SPDX-License-Identifier: Apache-2.0
"""Bindings of CUDA's Driver, Runtime and NVRTC APIs: `from cuda_bindings import driver, runtime, nvrtc`.

Importing loads no CUDA library; the first call does.
"""

from cuda_bindings._version import __version__, __version_tuple__

__all__ = ["__version__", "__version_tuple__"]
