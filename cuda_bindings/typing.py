# SPDX-License-Identifier: Apache-2.0
"""The types that the functions' parameters are annotated with, under names that programs can use too."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, SupportsIndex, TypeVar, Union

if TYPE_CHECKING:
    from typing_extensions import Buffer, TypeAlias
elif sys.version_info >= (3, 12):
    from collections.abc import Buffer
    from typing import TypeAlias
else:
    from typing import TypeAlias

    Buffer = Union[bytes, bytearray, memoryview]

__all__ = ["Address", "AddressList", "Buffer", "Integer", "IntegerLike", "JitValues", "KernelParameters", "ListOf",
           "NumPyArray", "Number", "Real", "Text"]

_Element = TypeVar("_Element")


class IntegerLike(Protocol):
    """What counts as an integer and is no handle of these bindings: int, NumPy's integers, and their like."""

    def __index__(self) -> int:
        """The value."""
        ...

    def __invert__(self) -> Any:
        """What handles do not have."""
        ...


class NumPyArray(Protocol):
    """An array of NumPy's, whose stubs know the buffer protocol only from Python 3.12 on."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The description of its memory."""
        ...

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """What NumPy's scalars do not have."""
        ...


Integer: TypeAlias = Union[int, IntegerLike]
"""An integer where a handle of another class would be a mistake: handles, enumerations, raw addresses."""

Number: TypeAlias = Union[float, SupportsIndex]
"""A number for a C integer: an int, a handle, a NumPy integer; a float, which must be integral."""

Real: TypeAlias = Union[float, SupportsFloat, SupportsIndex]
"""A number for a C float."""

Address: TypeAlias = Union[SupportsIndex, Buffer, NumPyArray, None]
"""For `void *`: an address (an integer or a handle), an object with contiguous memory, or None."""

Text: TypeAlias = Union[bytes, bytearray]
"""For `const char *`."""

ListOf: TypeAlias = Union[list[_Element], tuple[_Element, ...]]
"""For a C array whose elements are checked one by one: other sequences are refused."""

AddressList: TypeAlias = Union[list[Any], tuple[Address, ...]]
"""For `void **`; the elements of a list are addresses too, which its invariance cannot say."""

JitValues: TypeAlias = Union[list[Any], tuple[Any, ...]]
"""The values of JIT options: each of the type that its option has."""

KernelParameters: TypeAlias = Union[tuple[Any, ...], int, Buffer, NumPyArray, None]
"""For `kernelParams`: (values, types), one tuple of values that know their C type, or an array of addresses."""
