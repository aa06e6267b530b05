# SPDX-License-Identifier: Apache-2.0
"""The slots of all modules, for the one header that numbers them."""

from __future__ import annotations

from typing import Any

from c_layer import CLayer


def provide(plan: dict[str, Any], module: str | None) -> dict[str, Any]:
    """The name that slots.hpp.j2 uses."""
    return {"slots": lambda name: CLayer(plan, name).slots()}
