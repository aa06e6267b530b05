# SPDX-License-Identifier: Apache-2.0
"""The package's version: CUDA's major.minor whose API it has, then our own count."""

__version__ = "13.0.0.dev0"
__version_tuple__: tuple[int | str, ...] = (13, 0, 0, "dev0")
