# SPDX-License-Identifier: Apache-2.0
"""The kind of every parameter, from the API table and the C prototype: what is accepted there, and its words for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from api_table import c_parameter_of, prototypes
from expectations import class_entry, is_enum

BITS = {"i32": (32, True), "u32": (32, False), "u16": (16, False), "u8": (8, False), "sz": (64, False),
        "u64": (64, False)}
SLOT_BITS = {"pointer": (64, False), "function": (64, False), "unsigned64": (64, False), "unsigned32": (32, False),
             "signed32": (32, True)}
C_BITS = {"int": (32, True), "unsigned int": (32, False), "size_t": (64, False)}

# A device address is a number too, but like a pointer it is never a flag.
ADDRESSES = ("CUdeviceptr", "CUdeviceptr_v2")
# None would be device 0.
NEVER_NONE = ("CUdevice", "CUdevice_v1")

# The parameters that the table calls by another token than what they are, each for its reason.
COLOR = {("cuTexRefSetBorderColor", "pBorderColor")}                    # four floats
IN_PLACE = {"CUlogIterator", "cudaLogIterator"}                         # an iterator that C moves on
# The attribute that the call plan chooses decides what the value is.
SET_VALUES = {"cuMemPoolSetAttribute": "handle:cuuint64_t", "cudaMemPoolSetAttribute": "handle:cuuint64_t",
              "cuDeviceSetGraphMemAttribute": "handle:cuuint64_t", "cuPointerSetAttribute": "flag",
              "cudaDeviceSetGraphMemAttribute": "handle:cuuint64_t", "cuCoredumpSetAttribute": "setting",
              "cuCoredumpSetAttributeGlobal": "setting"}
OPTION_VALUES = {"optionValues": "options", "jitOptionsValues": "jitOptions", "libraryOptionValues": "libraryOptions"}
OPTION_KEYS = {keys: values for values, keys in OPTION_VALUES.items()}
# The caller's memory that C fills; the size is asked from the library, or is the parameter named.
FILLED = {"nvrtcGetPTX": None, "nvrtcGetCUBIN": None, "nvrtcGetLTOIR": None, "nvrtcGetOptiXIR": None,
          "nvrtcGetProgramLog": None, "cuLogsDumpToMemory": "size", "cudaLogsDumpToMemory": "size",
          "cuGraphInstantiate_v2": "bufferSize"}
FILLED_NAMES = {"ptx", "cubin", "LTOIR", "optixir", "log", "buffer", "logBuffer"}

# Callbacks whose C type has no name, and so no class.
CALLBACKS = {("nvrtcSetFlowCallback", "callback")}

# Lists whose count is another parameter than the only one with a count's name.
COUNT_OF = {"attrs": "numAttrs", "attrsIdxs": "numAttrs", "prefetchLocs": "numPrefetchLocs",
            "prefetchLocIdxs": "numPrefetchLocs", "jitOptions": "numJitOptions", "jitOptionsValues": "numJitOptions",
            "libraryOptions": "numLibraryOptions", "libraryOptionValues": "numLibraryOptions",
            "dataSizes": "numAttributes", "attributes": "numAttributes", "device_arr": "length", "dsts": "count",
            "srcs": "count", "sizes": "count", "dptrs": "count"}
COUNTS = ("numDependencies", "numOptions", "numHeaders", "numExtSems", "numDevices", "numOps", "nbResources",
          "numParams", "count")
RANKED = {"globalDim": 0, "globalStrides": 1, "boxDim": 0, "elementStrides": 0, "pixelBoxLowerCorner": 2,
          "pixelBoxUpperCorner": 2}
# Edge data may be missing whatever the count says.
EDGES = ("CUgraphEdgeData", "cudaGraphEdgeData")
# One record stands for a list of one.
SINGLE = {("cuMemBatchDecompressAsync", "paramsArray")}

# Host memory whose direction and length the prototype's own parameters state: (function, parameter) -> (way, length).
MEMORY = {
    ("cuMemcpyHtoD", "srcHost"): ("read", "ByteCount"), ("cuMemcpyHtoDAsync", "srcHost"): ("read", "ByteCount"),
    ("cuMemcpyHtoA", "srcHost"): ("read", "ByteCount"), ("cuMemcpyHtoAAsync", "srcHost"): ("read", "ByteCount"),
    ("cuMemcpyDtoH", "dstHost"): ("write", "ByteCount"), ("cuMemcpyDtoHAsync", "dstHost"): ("write", "ByteCount"),
    ("cuMemcpyAtoH", "dstHost"): ("write", "ByteCount"), ("cuMemcpyAtoHAsync", "dstHost"): ("write", "ByteCount"),
    ("cuLinkAddData", "data"): ("read", "size"), ("cuParamSetv", "ptr"): ("read", "numbytes"),
    ("cuMemHostRegister", "p"): ("read", "bytesize"), ("cudaHostRegister", "ptr"): ("read", "size"),
    **{(name, "dst"): ("write", "count") for name in (
        "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyFromArray", "cudaMemcpyFromArrayAsync", "cudaGraphAddMemcpyNode1D",
        "cudaGraphMemcpyNodeSetParams1D", "cudaGraphExecMemcpyNodeSetParams1D")},
    **{(name, "src"): ("read", "count") for name in (
        "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyToArray", "cudaMemcpyToArrayAsync", "cudaGraphAddMemcpyNode1D",
        "cudaGraphMemcpyNodeSetParams1D", "cudaGraphExecMemcpyNodeSetParams1D")},
}


@dataclass(frozen=True)
class Kind:
    """What a parameter is; `accepts` is how an error about the whole argument must name it (a regular expression)."""

    family: str
    accepts: str = ""
    cls: str = ""               # of a handle, record or enumeration
    bits: int = 0
    signed: bool = False
    nullable: bool = False
    address: bool = False       # of a handle: a pointer, never a flag or a computed number
    count: str | None = None    # the parameter that says how many elements C reads
    least: int = 0              # how many elements that is in the call plan
    way: str = ""               # read, write: what C does with the memory
    length: int = 0             # how many bytes
    extra: dict = field(default_factory=dict)


def limits(bits: int, signed: bool) -> tuple[int, int]:
    """The ends of a C integer's range."""
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def in_range(bits: int, signed: bool) -> str:
    """The words for a range."""
    low, high = limits(bits, signed)
    return rf"an integer in {low}\.\.{high}"


def handle_kind(cls: str, entry: dict, family: str = "handle") -> Kind:
    """A handle, by value."""
    bits, signed = SLOT_BITS[entry["kind"]]
    nullable = cls not in NEVER_NONE
    pointer = entry["kind"] in ("pointer", "function")
    or_none = ", None or " if nullable else " or "
    is_callback = entry["kind"] == "function"
    first = "a callable, " if is_callback else ""
    return Kind(family, rf"{first}{cls}(, \w+)*{or_none}{in_range(bits, signed)}", cls=cls, bits=bits, signed=signed,
                nullable=nullable, address=pointer or cls in ADDRESSES,
                extra={"pointer": pointer, "callback": is_callback})


def enumeration_kind(module: object, cls: str, family: str = "enumeration") -> Kind:
    """An enumeration: of an unsigned type, as C compilers have it, unless one of its values is negative."""
    unsigned = all(int(member) >= 0 for member in getattr(module, cls))
    bits = (32, not unsigned)
    return Kind(family, rf"{cls} or {in_range(*bits)}", cls=cls, bits=bits[0], signed=bits[1])


def count_of(row: dict, name: str, values: dict) -> tuple[str | None, int]:
    """The parameter that counts a list's elements, and how many it says in the call plan."""
    names = [argument["name"] for argument in row["arguments"]]
    if "tensorRank" in names:
        return "tensorRank", max(0, int(values["tensorRank"]) - RANKED[name])
    counted = COUNT_OF.get(name)
    if counted not in names:
        found = [candidate for candidate in COUNTS if candidate in names]
        assert found, f"{row['name']}: what counts {name!r}?"
        counted = found[0]
    return counted, values[counted]


def list_kind(module: object, module_name: str, row: dict, name: str, token: str, values: dict) -> Kind:
    """A list of handles, records, enumeration members, numbers, texts or addresses."""
    count, least = count_of(row, name, values)
    ranked = count == "tensorRank"
    nullable = token.endswith("?")
    element = token.strip("[]?")
    known = dict(count=count, least=least, nullable=nullable)
    if name in OPTION_VALUES:
        return Kind("option values", "a list or tuple of option values", **known)
    or_none = ", or None" if nullable else ""
    if element == "int" or ranked:
        c_type = prototypes()[row["name"]].parameters[c_parameter_of(name, prototypes()[row["name"]])].type
        bits = ((64, False) if element == "cuuint64_t" else (32, False) if element == "cuuint32_t" else
                C_BITS[c_type.replace("const", "").replace("*", "").strip()])
        return Kind("number list", f"a list or other iterable of numbers{or_none}", bits=bits[0], signed=bits[1],
                    cls="" if element == "int" else element, extra={"ranked": ranked}, **known)
    if element == "bytes":
        return Kind("text list", "a list or tuple of bytes", **known)
    if element == "Any":
        return Kind("address list", f"a list or tuple of addresses{or_none}", **known)
    words = f"a list or tuple of {element}{or_none}"
    if is_enum(module_name, element):
        one = enumeration_kind(module, element)
        if name == "attributes":        # no getter reads no attribute
            known["nullable"], words = False, f"a list or tuple of {element}"
        return Kind("enumeration list", words, cls=element, bits=one.bits, signed=one.signed, **known)
    if class_entry(module_name, element)["kind"] == "record":
        return Kind("record list", words, cls=element, extra={"optional": element in EDGES}, **known)
    return Kind("handle list", words, cls=element, **known)


def named_kind(row: dict, name: str, token: str, values: dict) -> Kind | None:
    """What the token alone does not say."""
    if (row["name"], name) in COLOR:
        return Kind("color", "a list or other iterable of numbers")
    if row["name"] in FILLED and name in FILLED_NAMES:
        size = FILLED[row["name"]]
        length = 11 if size is None else values[size]       # 11 is what the call plan's size query answers
        return Kind("filled", "bytes, bytearray or a writable contiguous buffer", way="write", length=length,
                    extra={"query": size is None})
    if token == "v*":
        way, length = MEMORY.get((row["name"], name), ("", None))
        return Kind("address", r"an address \(int or handle\), None, or an object with a contiguous buffer",
                    nullable=True, way=way, length=0 if length is None else values[length],
                    extra={"callback": (row["name"], name) in CALLBACKS})
    return None


def kind_of(module: object, module_name: str, row: dict, name: str, values: dict) -> Kind:
    """The kind of one parameter of one function."""
    token = next(argument["token"] for argument in row["arguments"] if argument["name"] == name)
    named = named_kind(row, name, token, values)
    if named is not None:
        return named
    if token == "attrval":
        value = SET_VALUES[row["name"]]
        if value.startswith("handle:"):
            return handle_kind("cuuint64_t", {"kind": "unsigned64"})
        return Kind(value, in_range(64, True) if value == "flag" else "bytes or bytearray", bits=64, signed=True)
    if token in BITS:
        bits, signed = BITS[token]
        return Kind("number", in_range(bits, signed), bits=bits, signed=signed)
    if token == "f32":
        return Kind("real", "a number")
    if token == "b":
        return Kind("text", "bytes or bytearray")
    if token == "iptr":
        return Kind("extra", r"an int, the address of an array \(0 for none\)")
    if token == "KP":
        return Kind("kernel parameters", "None, an int address, a buffer of addresses, .*", nullable=True)
    if token.startswith("["):
        return list_kind(module, module_name, row, name, token, values)
    cls = re.sub(r"[*?!]", "", token)
    if is_enum(module_name, cls):
        return enumeration_kind(module, cls)
    entry = class_entry(module_name, cls)
    if entry["kind"] == "record":
        nullable = token.endswith("?")
        if (row["name"], name) in SINGLE:
            count, least = count_of(row, name, values)
            return Kind("record list", f"a list or tuple of {cls}, or None", cls=cls, nullable=True, count=count,
                        least=least, extra={"optional": False, "single": True})
        return Kind("record", cls + (" or None" if nullable else ""), cls=cls, nullable=nullable)
    if cls in IN_PLACE:
        return Kind("handle in place", f"{cls} or None", cls=cls, nullable=True)
    if token.startswith("*") and cls != "VdpGetProcAddress":
        return Kind("handle pointer", f"{cls}(, None or the address of one as an integer| or None)", cls=cls,
                    nullable=True, extra={"counted": row["name"].endswith("mapResources")
                                          or row["name"].endswith("MapResources")})
    return handle_kind(cls, entry)
