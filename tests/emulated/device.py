# SPDX-License-Identifier: Apache-2.0
"""The device under test, a real GPU or the emulated one, through this package's own driver and NVRTC bindings."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

import numpy as np

from cuda_bindings import driver, nvrtc

LOG_SIZE = 64 * 1024
_JIT = driver.CUjit_option
_CAPABILITY = (
    driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
)


class DeviceError(Exception):
    """A driver call failed: `code` is its CUresult, `function` its name, `log` what the JIT compiler wrote (or "")."""

    def __init__(self, code, function: str, log: str = "") -> None:
        name = getattr(code, "name", str(int(code)))
        super().__init__(f"{function}: {name}" + (f"\n{log}" if log else ""))
        self.code = code
        self.function = function
        self.log = log


class CompileError(Exception):
    """NVRTC refused a source: the message is its log."""


def _check(function: str, result: tuple):
    """The value of a successful call, as None, the one value or a tuple; DeviceError for a failed one."""
    status, *values = result
    if status:
        raise DeviceError(status, function)
    if not values:
        return None
    return values[0] if len(values) == 1 else tuple(values)


class Module:
    """A loaded module and its functions and variables by name."""

    def __init__(self, handle) -> None:
        self._handle = handle
        self._functions: dict[str, driver.CUfunction] = {}

    def function(self, name: str) -> driver.CUfunction:
        """The handle of a kernel."""
        if name not in self._functions:
            found = driver.cuModuleGetFunction(self._handle, name.encode())
            self._functions[name] = _check("cuModuleGetFunction", found)
        return self._functions[name]

    def global_(self, name: str) -> tuple[int, int]:
        """Address and size of a variable."""
        pointer, size = _check("cuModuleGetGlobal", driver.cuModuleGetGlobal(self._handle, name.encode()))
        return int(pointer), size

    def unload(self) -> None:
        """Unloads the module; its functions are of no use any more."""
        _check("cuModuleUnload", driver.cuModuleUnload(self._handle))
        self._functions.clear()


class Device:
    """The primary context of device 0, made current; `with Device() as device: ...` closes it."""

    def __init__(self) -> None:
        _check("cuInit", driver.cuInit(0))
        self._device = _check("cuDeviceGet", driver.cuDeviceGet(0))
        self.name: str = _check("cuDeviceGetName", driver.cuDeviceGetName(256, self._device)).split(b"\0")[0].decode()
        self.compute_capability: tuple[int, ...] = tuple(self.attribute(each) for each in _CAPABILITY)
        self.emulated = "Emulated" in self.name
        self.generation = 0
        self._open()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def _open(self) -> None:
        context = _check("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(self._device))
        _check("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))

    def close(self) -> None:
        """Gives the primary context back."""
        driver.cuDevicePrimaryCtxRelease(self._device)

    def reset(self) -> None:
        """Destroys the context with all that lives in it, and makes it anew: the way out of a sticky error."""
        driver.cuDevicePrimaryCtxReset(self._device)
        driver.cuDevicePrimaryCtxRelease(self._device)
        self.generation += 1
        self._open()

    def attribute(self, attribute) -> int:
        """A device attribute."""
        return _check("cuDeviceGetAttribute", driver.cuDeviceGetAttribute(attribute, self._device))

    def load(self, image: bytes, options: dict | None = None) -> Module:
        """Loads PTX or another image; a failure carries the JIT compiler's log."""
        error, info = bytearray(LOG_SIZE), bytearray(LOG_SIZE)
        slots = {
            _JIT.CU_JIT_ERROR_LOG_BUFFER: error,
            _JIT.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: LOG_SIZE,
            _JIT.CU_JIT_INFO_LOG_BUFFER: info,
            _JIT.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: LOG_SIZE,
            **(options or {}),
        }
        image = image if image.endswith(b"\0") else image + b"\0"
        status, handle = driver.cuModuleLoadDataEx(image, len(slots), list(slots), list(slots.values()))
        if status:
            raise DeviceError(status, "cuModuleLoadDataEx", error.split(b"\0")[0].decode(errors="replace"))
        return Module(handle)

    def alloc(self, nbytes: int) -> int:
        """Device memory of this size (at least one byte): its address."""
        return int(_check("cuMemAlloc", driver.cuMemAlloc(max(nbytes, 1))))

    def free(self, pointer: int) -> None:
        """Gives device memory back."""
        _check("cuMemFree", driver.cuMemFree(pointer))

    def upload(self, array) -> int:
        """Allocates device memory and copies an array there: its address."""
        array = np.ascontiguousarray(array)
        pointer = self.alloc(array.nbytes)
        self.write(pointer, array)
        return pointer

    def write(self, pointer: int, array) -> None:
        """Copies an array to device memory."""
        array = np.ascontiguousarray(array)
        if array.nbytes:
            data = array.reshape(-1).view(np.uint8)
            _check("cuMemcpyHtoD", driver.cuMemcpyHtoD(pointer, data.ctypes.data, array.nbytes))

    def download(self, pointer: int, dtype, shape) -> np.ndarray:
        """Copies device memory to a new array."""
        array = np.empty(shape, dtype)
        if array.nbytes:
            _check("cuMemcpyDtoH", driver.cuMemcpyDtoH(array.ctypes.data, pointer, array.nbytes))
        return array

    def memset8(self, pointer: int, value: int, n: int) -> None:
        """Sets n bytes."""
        _check("cuMemsetD8", driver.cuMemsetD8(pointer, value, n))

    def launch(self, function, grid, block, args, shared=0, cooperative=False, attributes=None) -> None:
        """Launches a kernel on the default stream.

        grid and block are ints or tuples; args are NumPy scalars, ints (64-bit pointers) and bytes (structs by value);
        attributes are CUlaunchAttribute records.
        """
        grid, block = _three(grid), _three(block)
        packed = _Parameters(args)
        if attributes:
            config = driver.CUlaunchConfig()
            config.gridDimX, config.gridDimY, config.gridDimZ = grid
            config.blockDimX, config.blockDimY, config.blockDimZ = block
            config.sharedMemBytes, config.attrs, config.numAttrs = shared, attributes, len(attributes)
            _check("cuLaunchKernelEx", driver.cuLaunchKernelEx(config, function, packed.address, 0))
        elif cooperative:
            _check("cuLaunchCooperativeKernel",
                   driver.cuLaunchCooperativeKernel(function, *grid, *block, shared, 0, packed.address))
        else:
            _check("cuLaunchKernel", driver.cuLaunchKernel(function, *grid, *block, shared, 0, packed.address, 0))

    def synchronize(self) -> None:
        """Waits for all work; raises what went wrong on the device."""
        _check("cuCtxSynchronize", driver.cuCtxSynchronize())


class _Parameters:
    """Kernel arguments in memory and the array of their addresses, as cuLaunchKernel takes them."""

    def __init__(self, args) -> None:
        values = [_bytes_of(index, value) for index, value in enumerate(args)]
        offsets, size = [], 0
        for value in values:
            offsets.append(size)
            size += -(-len(value) // 16) * 16
        self._memory = ctypes.create_string_buffer(size + 16)
        begin = -(-ctypes.addressof(self._memory) // 16) * 16
        for offset, value in zip(offsets, values, strict=True):
            ctypes.memmove(begin + offset, value, len(value))
        self._pointers = (ctypes.c_void_p * max(len(values), 1))(*(begin + offset for offset in offsets))
        self.address = ctypes.addressof(self._pointers)


def _bytes_of(index: int, value) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, np.generic):
        return value.tobytes()
    if isinstance(value, int) and not isinstance(value, bool):
        return (value % 2**64).to_bytes(8, "little")
    raise TypeError(f"kernel argument {index} is a {type(value).__name__}: NumPy scalar, int (pointer) or bytes wanted")


def _three(size) -> tuple[int, ...]:
    size = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    return (*(int(each) for each in size), 1, 1, 1)[:3]


def _nvrtc_file() -> Path | None:
    """The file of the NVRTC in this process."""
    nvrtc.nvrtcVersion()
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line.rstrip("\n")[73:]
            if "/libnvrtc" in path and "builtins" not in path:
                return Path(path)
    return None


def _candidates() -> list[Path]:
    """Include folders that may hold CUDA's device headers, the ones beside the loaded NVRTC first."""
    found = []
    file = _nvrtc_file()
    if file:
        found += [file.parents[1] / "include", file.parents[2] / "cuda_runtime" / "include",
                  file.parents[2] / "cuda_cccl" / "include"]
    named = os.environ.get("CUDA_BINDINGS_CUDA_INCLUDE")
    found += [Path(named)] if named else []
    homes = [os.environ.get(name) for name in ("CUDA_PATH", "CUDA_HOME")]
    found += [Path(home) / "include" for home in [*homes, "/usr/local/cuda"] if home]
    return [each for folder in found for each in (folder, folder / "cccl")]


@functools.lru_cache(None)
def include_folders() -> tuple[str, ...]:
    """The folders of cuda_fp16.h and of nv/target, which cooperative groups need and not every wheel brings."""
    candidates = _candidates()
    half = next((folder for folder in candidates if (folder / "cuda_fp16.h").exists()), None)
    if half is None:
        places = ", ".join(dict.fromkeys(str(folder) for folder in candidates))
        raise FileNotFoundError("cuda_fp16.h was not found; name its folder in CUDA_BINDINGS_CUDA_INCLUDE, or install "
                                f"the wheel nvidia-cuda-runtime beside that of NVRTC. Looked in {places}")
    ours = Path(__file__).resolve().parent / "kernels" / "include"
    target = next(folder for folder in [*candidates, ours] if (folder / "nv" / "target").exists())
    return tuple(dict.fromkeys((str(half), str(target))))


def compile_cuda(source: str, arch: str = "compute_75", options: list[str] | tuple[str, ...] = ()) -> bytes:
    """The PTX of a CUDA C++ source, made once per process; CompileError with NVRTC's log for a bad one."""
    return _compile(source, arch, tuple(options))


@functools.lru_cache(None)
def _compile(source: str, arch: str, options: tuple[str, ...]) -> bytes:
    includes = [f"-I{folder}" for folder in include_folders()] if "#include" in source else []
    arguments = [option.encode() for option in (f"--gpu-architecture={arch}", *includes, *options)]
    program = _check("nvrtcCreateProgram", nvrtc.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, None, None))
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(arguments), arguments)[0]
        if status:
            log = bytearray(_check("nvrtcGetProgramLogSize", nvrtc.nvrtcGetProgramLogSize(program)))
            _check("nvrtcGetProgramLog", nvrtc.nvrtcGetProgramLog(program, log))
            raise CompileError(f"{arch} {' '.join(options)}: {log.split(bytes(1))[0].decode(errors='replace')}")
        ptx = bytearray(_check("nvrtcGetPTXSize", nvrtc.nvrtcGetPTXSize(program)))
        _check("nvrtcGetPTX", nvrtc.nvrtcGetPTX(program, ptx))
        return bytes(ptx).rstrip(b"\0")
    finally:
        nvrtc.nvrtcDestroyProgram(program)
