# SPDX-License-Identifier: Apache-2.0
"""What a benchmark line is: a case, made for each column into a statement with its objects."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

FLOOR, PEER, OURS = "floor", "peer", "ours"


@dataclass(frozen=True)
class Column:
    """One implementation: its name and the module that has the driver's functions and classes."""

    name: str
    driver: ModuleType
    runtime: ModuleType | None = None


@dataclass(frozen=True)
class Call:
    """A Python statement and the objects that it names; `read` gives the value to compare, after the statement."""

    text: str
    names: dict[str, Any]
    read: str | None = None


@dataclass(frozen=True)
class Case:
    """A line of the table. `make` returns None for a column that has no such thing."""

    title: str
    make: Callable[[Column], Call | None]
    target: str | None = None
    calls: dict[str, int] = field(default_factory=dict)  # link name: how often one statement calls it
    argument_sizes: tuple[int, ...] = ()  # of a launch, in bytes
    over: Callable[[Column], Call | None] | None = None  # the case over which ours is judged, in nanoseconds
    items: int = 1  # that one statement takes or gives: what is large is counted in fewer turns


def plain(value):
    """A value in terms that all columns share: numbers, texts, lists; handles and enumerations as numbers."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bytes, str, float)):
        return value
    if isinstance(value, int) or hasattr(value, "__int__"):
        return int(value)
    if hasattr(value, "type") and hasattr(value, "id"):  # a memory location
        return [int(value.type), value.id]
    return "object"
