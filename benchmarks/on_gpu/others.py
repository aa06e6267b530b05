# SPDX-License-Identifier: Apache-2.0
"""Launches through what else is installed: cuda.core, CuPy and numba-cuda. Each is a black box that may be missing.

Every maker takes the kernels' source, the machine (its stream, and how to fill memory) and the arrays' size; it
returns {"0": call, "5": call}, the launch without arguments and that of saxpy over ones and threes, and the address
of saxpy's results. What it raises is why there is no such column.
"""

import importlib

import numpy

from model import Call


def cuda_core(source, machine, size):
    """cuda.core.launch."""
    core = importlib.import_module("cuda.core")
    if not hasattr(core, "Device"):  # an older one has all of it in cuda.core.experimental
        core = importlib.import_module("cuda.core.experimental")
    device = core.Device()
    device.set_current()
    options = core.ProgramOptions(arch=f"sm_{device.arch}")
    module = core.Program(source, code_type="c++", options=options).compile("cubin")
    own = core.Stream.from_handle(machine.stream)
    config = core.LaunchConfig(grid=1, block=64)
    memory = [device.allocate(4 * size, stream=own) for _ in range(3)]
    machine.synchronize()
    for buffer, number in zip(memory, (1.0, 3.0, 0.0), strict=True):
        machine.fill(int(buffer.handle), number, size)
    shared = {"f": core.launch, "s": own, "c": config}
    arguments = (numpy.float32(2.0), *memory, numpy.uint64(size))
    return {"0": Call("f(s, c, k)", shared | {"k": module.get_kernel("nothing")}),
            "5": Call("f(s, c, k, *a)", shared | {"k": module.get_kernel("saxpy"), "a": arguments})}, \
        int(memory[2].handle)


def cupy(source, machine, size):
    """A RawKernel on an external stream."""
    library = importlib.import_module("cupy")
    module = library.RawModule(code=source)
    own = library.cuda.ExternalStream(machine.stream)
    own.use()
    memory = [library.full(size, number, library.float32) for number in (1.0, 3.0, 0.0)]
    arguments = (numpy.float32(2.0), *memory, numpy.uint64(size))
    shared = {"g": (1,), "b": (64,)}
    return {"0": Call("k(g, b, a)", shared | {"k": module.get_function("nothing"), "a": ()}),
            "5": Call("k(g, b, a)", shared | {"k": module.get_function("saxpy"), "a": arguments})}, \
        int(memory[2].data.ptr)


def numba(_, machine, size):
    """Kernels of its own compiler, with the same arguments."""
    cuda = importlib.import_module("numba.cuda")

    @cuda.jit
    def nothing():
        pass

    @cuda.jit
    def saxpy(a, x, y, out, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = a * x[i] + y[i]

    own = cuda.external_stream(machine.stream)
    memory = [cuda.to_device(numpy.full(size, number, numpy.float32)) for number in (1.0, 3.0, 0.0)]
    arguments = (numpy.float32(2.0), *memory, numpy.uint64(size))
    return {"0": Call("k()", {"k": nothing[1, 64, own]}),
            "5": Call("k(*a)", {"k": saxpy[1, 64, own], "a": arguments})}, \
        int(memory[2].__cuda_array_interface__["data"][0])


MAKERS = {"cuda.core": cuda_core, "cupy": cupy, "numba-cuda": numba}
