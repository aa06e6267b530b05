# SPDX-License-Identifier: Apache-2.0
"""Structs: made, read, written, shown. The floor has one struct with a member of each kind."""

from model import FLOOR, Call, Case

# kind: struct and member of ours and of cuda.bindings, the floor's member
MEMBERS = {
    "number": ("CUmemPoolProps", "maxSize", "number"),
    "enumeration": ("CUmemPoolProps", "allocType", "enumeration"),
    "handle": ("CUlaunchConfig", "hStream", "handle"),
    "nested": ("CUmemPoolProps", "location", "nested"),
    "array": ("CUdevprop", "maxThreadsDim", "array"),
}


def record(column, struct):
    """A fresh struct."""
    return column.driver.Record() if column.name == FLOOR else getattr(column.driver, struct)()


def construct(column):
    """A struct made and dropped."""
    cls = column.driver.Record if column.name == FLOOR else column.driver.CUmemPoolProps
    return Call("S()", {"S": cls}, read="S() is None")


def value_for(kind, column, made):
    """What is written into a member; each column is given its own classes."""
    driver = column.driver
    if kind == "number":
        return 1 << 20
    if kind == "handle":
        return driver.CUstream(16)
    if kind == "array":
        return [8, 4, 2]
    if kind == "nested":
        location = made.nested if column.name == FLOOR else driver.CUmemLocation()
        location.id = 5
        return location
    if column.name == FLOOR:
        return driver.LocationType.DEVICE
    return driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED


def member(kind, write):
    """One member read or written."""
    struct, name, own = MEMBERS[kind]

    def make(column):
        made = record(column, struct)
        attribute = own if column.name == FLOOR else name
        value = value_for(kind, column, made)
        setattr(made, attribute, value)
        text = f"r.{attribute} = v" if write else f"r.{attribute}"
        return Call(text, {"r": made, "v": value}, read=f"r.{attribute}")
    return make


def shown(column):
    """repr of a struct with a nested one; the texts differ between the columns, their being texts does not."""
    if column.name == FLOOR:
        return None
    return Call("repr(r)", {"r": column.driver.CUmemPoolProps(), "repr": repr}, read="type(repr(r)) is str")


def cases():
    """All of them, in the table's order."""
    lines = [Case("struct()", construct)]
    for kind in MEMBERS:
        target = "member_number" if kind in ("number", "enumeration") else "member_object"
        lines += [Case(f"struct.{kind}", member(kind, False), target),
                  Case(f"struct.{kind} = value", member(kind, True), target)]
    return [*lines, Case("repr(struct)", shown)]
