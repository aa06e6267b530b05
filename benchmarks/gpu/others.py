# SPDX-License-Identifier: Apache-2.0
"""Launches through what else is installed: cuda.core, CuPy and numba-cuda. Each is a black box that may be missing.

Every maker takes the kernels' source, the stream as a number and the arrays' size; it returns
{"0": call, "5": call}: the launch without arguments and that of saxpy.
"""

import numpy


def cuda_core(source, stream, size):
    """cuda.core.launch."""
    try:
        from cuda import core
        core.Device  # noqa: B018  (an older one has all of it in cuda.core.experimental)
    except (ImportError, AttributeError):
        from cuda.core import experimental as core
    device = core.Device()
    device.set_current()
    options = core.ProgramOptions(arch=f"sm_{device.arch}" if hasattr(device, "arch") else "sm_90")
    module = core.Program(source, code_type="c++", options=options).compile("cubin")
    nothing, saxpy = module.get_kernel("nothing"), module.get_kernel("saxpy")
    own = core.Stream.from_handle(stream)
    config = core.LaunchConfig(grid=1, block=64)
    memory = [device.allocate(4 * size, stream=own) for _ in range(3)]
    arguments = (numpy.float32(2.0), *memory, numpy.uint64(size))
    return {"0": ("f(s, c, k)", {"f": core.launch, "s": own, "c": config, "k": nothing}),
            "5": ("f(s, c, k, *a)", {"f": core.launch, "s": own, "c": config, "k": saxpy, "a": arguments})}


def cupy(source, stream, size):
    """A RawKernel on an external stream."""
    import cupy

    module = cupy.RawModule(code=source)
    own = cupy.cuda.ExternalStream(stream)
    own.use()
    memory = [cupy.zeros(size, cupy.float32) for _ in range(3)]
    arguments = (numpy.float32(2.0), *memory, numpy.uint64(size))
    return {"0": ("k(g, b, a)", {"k": module.get_function("nothing"), "g": (1,), "b": (64,), "a": ()}),
            "5": ("k(g, b, a)", {"k": module.get_function("saxpy"), "g": (1,), "b": (64,), "a": arguments})}


def numba(_, stream, size):
    """Kernels of its own compiler, with the same arguments."""
    from numba import cuda

    @cuda.jit
    def nothing():
        pass

    @cuda.jit
    def saxpy(a, x, y, out, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = a * x[i] + y[i]

    own = cuda.external_stream(stream)
    memory = [cuda.to_device(numpy.zeros(size, numpy.float32)) for _ in range(3)]
    arguments = (numpy.float32(2.0), *memory, numpy.uint64(size))
    return {"0": ("k()", {"k": nothing[1, 64, own]}), "5": ("k(*a)", {"k": saxpy[1, 64, own], "a": arguments})}


MAKERS = {"cuda.core": cuda_core, "cupy": cupy, "numba-cuda": numba}
