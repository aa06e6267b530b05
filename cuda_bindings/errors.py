# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package, and the wording of those that the native layer raises."""

from __future__ import annotations

__all__ = ["ArrayLengthError", "FunctionNotFoundError", "LibraryNotFoundError", "ListTooShortError"]

_WHAT = {"libcuda": "the CUDA driver", "libcudart": "the CUDA runtime", "libnvrtc": "NVRTC"}


class LibraryNotFoundError(RuntimeError):
    """libcuda, libcudart or libnvrtc is not on this machine, or none that can be used.

    `library` is its name, `function` the call that needed it, `tried` the places in order: ((place, outcome), ...).
    """

    def __init__(
        self, message: str = "", library: str = "", function: str = "", tried: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.library = library
        self.function = function
        self.tried = tried


class FunctionNotFoundError(RuntimeError):
    """The library found does not have the function.

    `function` is its name, `library` and `path` what was found, `version` its CUDA release and `introduced` the release
    that brought the function (texts such as "12.8"; empty where not known).
    """

    def __init__(
        self,
        message: str = "",
        function: str = "",
        library: str = "",
        path: str = "",
        version: str = "",
        introduced: str = "",
    ) -> None:
        super().__init__(message)
        self.function = function
        self.library = library
        self.path = path
        self.version = version
        self.introduced = introduced


class ListTooShortError(ValueError, RuntimeError):
    """A list argument has fewer elements than its count argument says."""


class ArrayLengthError(ValueError, IndexError):
    """A struct's array member is assigned a sequence of another length."""


def _install(extra: str) -> str:
    return f"install the CUDA libraries beside this package: pip install 'open-cuda-bindings[{extra}]'"


def library_not_found(
    function: str, library: str, extra: str, tried: tuple[tuple[str, str], ...], device: str = ""
) -> LibraryNotFoundError:
    """Words the error for a call whose library cannot be had; `extra` is empty for the driver.

    `device` is the one that was asked for: "gpu" (nobody asked), "emulated" or "unknown".
    """
    places = "".join(f"\n  {place}: {outcome}" for place, outcome in tried)
    if device == "emulated":
        remedy = "The emulated device was asked for; it is part of this package: install it anew."
    elif extra:
        remedy = f"{_install(extra)}, or name the file in CUDA_BINDINGS_{library.upper()}."
    else:
        remedy = f"It comes with NVIDIA's display driver; another file can be named in CUDA_BINDINGS_{library.upper()}."
    remedy = remedy[0].upper() + remedy[1:]
    if device == "gpu" and library == "libcuda":
        remedy += "\nWithout a GPU: CUDA_BINDINGS_DEVICE=emulated runs kernels on the CPU, slowly (docs/emulator.md)."
    message = f"{function}(): {library} ({_WHAT[library]}) was not found. Tried, in order:{places}\n{remedy}"
    return LibraryNotFoundError(message, library, function, tried)


def function_not_found(
    function: str,
    link: str,
    library: str,
    path: str,
    version: str,
    since: str,
    changed: str,
    older: bool,
    extra: str,
) -> FunctionNotFoundError:
    """Words the error for a function that the library found has not, or (`older`) has with other parameters.

    `since` is the release that introduced it (empty: not known), `changed` the one that gave it today's parameters
    (empty: none but the first).
    """
    found = f"{_WHAT[library]} found is {version or 'of an unknown release'} ({path})"
    symbol = "" if link == function else f" (symbol {link})"
    if older:
        reason = f"its parameters changed in CUDA {changed}, and {found}"
    elif since and version and _number(version) < _number(since):
        today = f" (today's parameters: CUDA {changed})" if changed else ""
        reason = f"CUDA {since} introduced it{symbol}{today}, and {found}"
    else:
        reason = f"{found} and does not export {link}" + (f", which CUDA {since} introduced" if since else "")
    remedy = f" To have it, {_install(extra)}." if extra else ""
    if library == "libcudart" and "libcuda_bindings_emulator" in path:  # a part of the API, whatever is installed
        reason, remedy = f"the emulated device's CUDA runtime ({path}) does not have it", ""
    message = f"{function}() is not available: {reason}.{remedy}"
    return FunctionNotFoundError(message, function, library, path, version, changed if older else since)


def bad_default_stream(text: str) -> ValueError:
    """Words the error for a default-stream variable that is not an integer."""
    return ValueError(f"CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM must be an integer, not {text!r}")


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
