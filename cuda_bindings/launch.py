# SPDX-License-Identifier: Apache-2.0
"""Kernels that are launched many times: PreparedLaunch converts and packs their arguments once."""

from cuda_bindings._native import PreparedLaunch

__all__ = ["PreparedLaunch"]
