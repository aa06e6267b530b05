# SPDX-License-Identifier: Apache-2.0
"""SAXPY with cuda.core, a client that knows nothing of this package, on the emulated device's alias of libcuda.so.1.

It is not part of the suite: neither cuda.core nor NVIDIA's own bindings are dependencies of this package. To run it,
make an environment of its own with cuda-core, cuda-bindings 13.1 or older, and NumPy, and have libnvrtc.so.13 on the
loader's path or installed in that environment as a wheel:

    python -m venv client && client/bin/pip install cuda-core 'cuda-bindings==13.1.*' numpy
    python -m cuda_bindings.emulator run client/bin/python tests/emulated/clients/cuda_core_saxpy.py

The python of the second line is one that has this package. The last line printed is "correct: ...".
"""

import ctypes
import importlib.util

import numpy as np

if importlib.util.find_spec("cuda.core._device"):
    from cuda import core
else:  # older versions have only this package
    from cuda.core import experimental as core

SOURCE = """
template <typename T>
__global__ void saxpy(const T a, const T *x, const T *y, T *out, size_t n) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    out[i] = a * x[i] + y[i];
}
"""
# The member's name before version 0.6 is the second one.
TIMING = {"timing_enabled" if hasattr(core.EventOptions, "timing_enabled") else "enable_timing": True}
ELEMENTS = 100_003
A = 2.5


def host_view(buffer, dtype):
    """A NumPy array over memory that the host may read, as pinned memory is."""
    memory = (ctypes.c_char * buffer.size).from_address(int(buffer.handle))
    return np.frombuffer(memory, dtype)


def kernel_of(device, dtype_name):
    """The template's kernel for one type, from PTX."""
    architecture = "compute_" + "".join(str(part) for part in device.compute_capability)
    options = core.ProgramOptions(std="c++17", arch=architecture)
    name = f"saxpy<{dtype_name}>"
    return core.Program(SOURCE, "c++", options).compile("ptx", name_expressions=(name,)).get_kernel(name)


def run(device, dtype_name, dtype):
    """One SAXPY of that type: copies in, launch between two events, copy out, comparison."""
    stream = device.create_stream()
    kernel = kernel_of(device, dtype_name)
    nbytes = ELEMENTS * dtype().itemsize
    pinned = core.LegacyPinnedMemoryResource()
    host = [pinned.allocate(nbytes, stream=stream) for _ in range(3)]
    x, y, out = (host_view(buffer, dtype) for buffer in host)
    generator = np.random.default_rng(7)
    x[:], y[:], out[:] = generator.random(ELEMENTS), generator.random(ELEMENTS), 0
    memory = [device.allocate(nbytes, stream=stream) for _ in range(2)]
    memory.append(device.memory_resource.allocate(nbytes, stream=stream))
    for target, source in zip(memory, host[:2], strict=False):
        target.copy_from(source, stream=stream)
    begin = stream.record(options=core.EventOptions(**TIMING))
    config = core.LaunchConfig(grid=64, block=256)
    core.launch(stream, config, kernel, dtype(A), memory[0], memory[1], memory[2], ctypes.c_size_t(ELEMENTS))
    end = stream.record(options=core.EventOptions(**TIMING))
    memory[2].copy_to(host[2], stream=stream)
    stream.sync()
    np.testing.assert_allclose(out, dtype(A) * x + y, rtol=4 * np.finfo(dtype).eps)
    print(f"{dtype_name}: {ELEMENTS} elements in {end - begin:.3f} ms")
    for buffer in memory + host:
        buffer.close(stream)
    stream.close()


def main():
    """Both types on device 0."""
    device = core.Device()
    device.set_current()
    print(f"{device.name}, compute capability {'.'.join(str(part) for part in device.compute_capability)}")
    run(device, "float", np.float32)
    run(device, "double", np.float64)
    print(f"correct: 2 x {ELEMENTS} elements")


if __name__ == "__main__":
    main()
