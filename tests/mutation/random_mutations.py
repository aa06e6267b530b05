# SPDX-License-Identifier: Apache-2.0
"""Mutations drawn by chance."""


def draw(plan, number, seed):
    """None yet."""
    return []
