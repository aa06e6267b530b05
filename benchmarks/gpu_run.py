# SPDX-License-Identifier: Apache-2.0
"""The GPU's part: launches beside their C++ twin, the kernel's own time, device properties, tensor maps. JSON rows."""

import ctypes
import gc
import json
import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy

import call_cases
import columns
import launch_cases
import measure
from model import FLOOR, OURS, PEER, Call, Column
from on_gpu import others

HERE = Path(__file__).resolve().parent
SOURCE = """
extern "C" __global__ void nothing() {}
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    out[i] = a * x[i] + y[i];
}
"""
SMALL = 64
TURNS = int(os.environ.get("BENCH_GPU_TURNS", "100"))  # of 10 launches: the queue of the stream takes about 1,000
ROUNDS = int(os.environ.get("BENCH_GPU_ROUNDS", "21"))
LARGE = int(os.environ.get("BENCH_GPU_SIZE", str(1 << 26)))


def ask(result):
    """A call's values; an assertion where it failed."""
    status, *values = result
    assert int(status) == 0, status
    return values[0] if len(values) == 1 else values


class Twin:
    """The C++ twin and the function pointers that it calls."""

    def __init__(self, folder):
        from cuda_bindings import _native

        library = folder / "libtwin.so"
        subprocess.run([*shlex.split(os.environ.get("CXX", "g++")), "-std=c++20", "-O2", "-fPIC", "-shared",
                        HERE / "on_gpu" / "twin.cpp", "-o", library], check=True)
        self.library = ctypes.CDLL(str(library))
        self.pointer = _native.function_pointer
        for function in (self.library.twin_launch, self.library.twin_properties):
            function.restype = ctypes.c_int64

    def launch(self, kernel, grid, block, stream, addresses, count, waits=True):
        """Nanoseconds of the launches, with the wait or without."""
        pointer = ctypes.c_void_p
        taken = self.library.twin_launch(
            pointer(self.pointer("driver", "cuLaunchKernel")),
            pointer(self.pointer("driver", "cuStreamSynchronize") if waits else None),
            pointer(kernel), grid, block, pointer(stream), pointer(addresses), count)
        assert taken >= 0, f"the twin's launch failed: {-taken}"
        return taken

    def properties(self, count):
        """Nanoseconds of one cudaGetDeviceProperties."""
        record = ctypes.create_string_buffer(1 << 16)
        function = ctypes.c_void_p(self.pointer("runtime", "cudaGetDeviceProperties"))
        taken = self.library.twin_properties(function, record, 0, count)
        assert taken >= 0, f"the twin's cudaGetDeviceProperties failed: {-taken}"
        return taken / count


class Machine:
    """The context, the kernels and the memory that all columns share; handles as numbers."""

    def __init__(self):
        from cuda_bindings import driver, nvrtc

        self.driver = driver
        ask(driver.cuInit(0))
        device = ask(driver.cuDeviceGet(0))
        self.name = ask(driver.cuDeviceGetName(64, device)).split(b"\0")[0].decode()
        ask(driver.cuCtxSetCurrent(ask(driver.cuDevicePrimaryCtxRetain(device))))
        attribute = driver.CUdevice_attribute
        major, minor = (ask(driver.cuDeviceGetAttribute(which, device)) for which in (
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))
        program = ask(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"bench.cu", 0, [], []))
        ask(nvrtc.nvrtcCompileProgram(program, 1, [f"--gpu-architecture=compute_{major}{minor}".encode()]))
        text = b" " * ask(nvrtc.nvrtcGetPTXSize(program))
        ask(nvrtc.nvrtcGetPTX(program, text))
        module = ask(driver.cuModuleLoadData(text))
        self.nothing, self.saxpy = (int(ask(driver.cuModuleGetFunction(module, name)))
                                    for name in (b"nothing", b"saxpy"))
        self.stream = int(ask(driver.cuStreamCreate(0)))

    def arrays(self, size):
        """x, y and room for the result: addresses."""
        found = [int(ask(self.driver.cuMemAlloc(4 * size))) for _ in range(3)]
        for address, number in zip(found, (1.0, 3.0, 0.0), strict=True):
            self.fill(address, number, size)
        return found

    def fill(self, address, number, size):
        """Sets single-precision numbers in device memory."""
        bits = int(numpy.array(number, numpy.float32).view(numpy.uint32))
        ask(self.driver.cuMemsetD32(address, bits, size))

    def synchronize(self):
        """Waits for the stream."""
        ask(self.driver.cuStreamSynchronize(self.stream))

    def check(self, call, out, size, name):
        """Runs a launch of saxpy; Difference where its result is wrong."""
        self.fill(out, 0.0, size)
        run_once(call)
        self.synchronize()
        self.expect(out, size, name)

    def expect(self, out, size, name):
        """Difference where these are not saxpy's results: 2 * 1 + 3."""
        result = numpy.zeros(size, numpy.float32)
        ask(self.driver.cuMemcpyDtoH(result, out, result.nbytes))
        if not (result == 5.0).all():
            raise measure.Difference(f"{name}: saxpy's result is {result[:4]}..., not 5")


class Arguments:
    """saxpy's arguments as C wants them: an array of addresses of values."""

    def __init__(self, memory, size):
        self.values = [ctypes.c_float(2.0), *map(ctypes.c_void_p, memory), ctypes.c_size_t(size)]
        self.addresses = (ctypes.c_void_p * 5)(*(ctypes.addressof(value) for value in self.values))

    @property
    def address(self):
        """Where the array lies."""
        return ctypes.addressof(self.addresses)


def launch_call(column, machine, memory, form):
    """The launch through one column: without arguments, or saxpy's in one of the forms."""
    driver = column.driver
    names = {"f": driver.cuLaunchKernel, "s": driver.CUstream(machine.stream)}
    text = "f(k, 1, 1, 1, 64, 1, 1, 0, s, p, 0)"
    if form == "0":
        return Call(text, names | {"k": driver.CUfunction(machine.nothing), "p": None})
    pointers = [driver.CUdeviceptr(address) for address in memory]
    kernel = driver.CUfunction(machine.saxpy)
    flat = (numpy.float32(2.0), *pointers, numpy.uint64(SMALL))
    if form == "flat":
        return Call(text, names | {"k": kernel, "p": flat})
    if form == "prepared" and (prepared := launch_cases.prepared_class(column)):
        return Call("f()", {"f": prepared(kernel, 1, 1, 1, 64, 1, 1, 0, names["s"], flat)})
    types = (ctypes.c_float, None, None, None, ctypes.c_size_t)
    return Call(text, names | {"k": kernel, "p": ((2.0, *pointers, SMALL), types)})


def launch_rows(machine, twin, found):
    """Wall time per launch, wait included, of every column and the twin by turns."""
    memory = machine.arrays(SMALL)
    packed = Arguments(memory, SMALL)
    calls = {"0": {}, "5": {}}
    for column in [*found, *columns.load((FLOOR,))]:
        forms = ["5"]
        if column.name == OURS:
            forms += ["flat"] + (["prepared"] if launch_cases.prepared_class(column) else [])
        calls["0"][column.name] = launch_call(column, machine, memory, "0")
        for form in forms:
            name = column.name if form == "5" else f"{column.name}, {form}"
            calls["5"][name] = launch_call(column, machine, memory, form)
            machine.check(calls["5"][name], memory[2], SMALL, name)
    missing = add_others(machine, calls)
    rows = []
    for arguments in ("0", "5"):
        times = time_launches(machine, twin, arguments, calls[arguments], packed)
        rows += [launch_row(arguments, name, times, missing) for name in times if name.startswith(OURS)]
    return rows


def add_others(machine, calls):
    """Adds the columns of what else is installed and works; {name: why there is none}."""
    missing = {}
    for name, maker in others.MAKERS.items():
        try:
            made, out = maker(SOURCE, machine, SMALL)
            run_once(made["0"])
            machine.check(made["5"], out, SMALL, name)
        except Exception as error:  # whatever a black box raises: it has no column then
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            print(f"no {name} column: {missing[name]}", file=sys.stderr)
            continue
        for arguments, call in made.items():
            calls[arguments][name] = call
    ask(machine.driver.cuCtxSetCurrent(ask(machine.driver.cuDevicePrimaryCtxRetain(0))))
    return missing


def run_once(call):
    """Runs the statement."""
    exec(call.text, dict(call.names))


def time_launches(machine, twin, arguments, calls, packed):
    """{column: microseconds of a launch in each round}."""
    kernel, address = (machine.nothing, 0) if arguments == "0" else (machine.saxpy, packed.address)
    launches = TURNS * measure.UNROLL
    loops = {name: measure.compile_loop(call) for name, call in calls.items()}
    times = {"twin": [], **{name: [] for name in loops}}

    def timed(loop):
        begun = time.perf_counter_ns()
        loop(TURNS)
        machine.synchronize()
        return time.perf_counter_ns() - begun

    gc.disable()
    for turn in range(ROUNDS + 2):
        for name in [*times][turn % len(times):] + [*times][:turn % len(times)]:
            taken = twin.launch(kernel, 1, 64, machine.stream, address, launches) if name == "twin" \
                else timed(loops[name])
            if turn >= 2:
                times[name].append(taken / launches / 1000)
    gc.enable()
    return times


def launch_row(arguments, name, times, missing):
    """The row of one of our forms, beside all others."""
    form = name.removeprefix(OURS)
    ratios = {"ours/twin": quotient(times[name], times["twin"])}
    if PEER in times:
        ratios["ours/peer"] = quotient(times[name], times[PEER])
    shown = {column: measure.spread(values) for column, values in times.items()
             if column == name or not column.startswith(OURS)}
    return {"title": f"launch, {arguments} arguments{form}, wall", "target": "gpu_launch", "ratios": ratios,
            "figures": figures("us", shown, ".2f"), "us": shown, "left_out": missing}


def quotient(over, under):
    """The median of the ratios within a round."""
    return statistics.median(a / b for a, b in zip(over, under, strict=True))


def figures(unit, spreads, form):
    """Medians with the tenth of the values on either side."""
    return f"{unit}: " + ", ".join(f"{name} {found['median']:{form}} ({found['low']:{form}}-{found['high']:{form}})"
                                   for name, found in spreads.items())


def kernel_row(machine, twin):
    """The time of saxpy on the device, between events, launched by ours and by the twin in turns."""
    driver = machine.driver
    memory = machine.arrays(LARGE)
    packed = Arguments(memory, LARGE)
    events = [ask(driver.cuEventCreate(0)) for _ in range(2)]
    kernel, stream = driver.CUfunction(machine.saxpy), driver.CUstream(machine.stream)
    pointers = tuple(driver.CUdeviceptr(address) for address in memory)
    values = ((2.0, *pointers, LARGE), (ctypes.c_float, None, None, None, ctypes.c_size_t))

    def ours():
        ask(driver.cuLaunchKernel(kernel, 1056, 1, 1, 256, 1, 1, 0, stream, values, 0))

    def theirs():
        twin.launch(machine.saxpy, 1056, 256, machine.stream, packed.address, 1, waits=False)  # the events bound it

    def between(launch):
        launch()  # the device is busy with this one when the rest arrives, or it would count how long that takes
        ask(driver.cuEventRecord(events[0], stream))
        launch()
        ask(driver.cuEventRecord(events[1], stream))
        ask(driver.cuEventSynchronize(events[1]))
        return ask(driver.cuEventElapsedTime(*events))

    times = {"ours": [], "twin": []}
    for turn in range(ROUNDS + 2):
        for name, launch in (("ours", ours), ("twin", theirs))[:: 1 if turn % 2 else -1]:
            taken = between(launch)
            if turn >= 2:
                times[name].append(taken)
    machine.expect(memory[2], LARGE, "saxpy")
    spreads = {name: measure.spread(values) for name, values in times.items()}
    return {"title": f"saxpy kernel, {LARGE:,} numbers", "target": "gpu_kernel",
            "ratios": {"ours/twin": quotient(times["ours"], times["twin"])},
            "figures": figures("ms", spreads, ".4f"), "ms": spreads}


PROPERTIES = ("name", "totalGlobalMem", "multiProcessorCount", "major", "minor", "warpSize", "maxThreadsPerBlock")


def properties_row(twin, found):
    """cudaGetDeviceProperties: what each binding adds to the C call."""
    turns = 2
    answers = {column: column.runtime.cudaGetDeviceProperties(0) for column in found}
    working = [column for column in found if int(answers[column][0]) == 0]
    loops = {column.name: measure.compile_loop(Call("f(0)", {"f": column.runtime.cudaGetDeviceProperties}))
             for column in working}
    seen = {column.name: properties_of(ask(answers[column])) for column in working}
    if OURS not in seen or any(each != seen[OURS] for each in seen.values()):
        raise measure.Difference(f"cudaGetDeviceProperties: {seen}")
    times = {"twin": [], **{name: [] for name in loops}}
    for turn in range(ROUNDS):
        for name in [*times][turn % len(times):] + [*times][:turn % len(times)]:
            taken = twin.properties(turns * measure.UNROLL) if name == "twin" \
                else loops[name](turns) / turns / measure.UNROLL
            times[name].append(taken / 1000)
    spreads = {name: measure.spread(values) for name, values in times.items()}
    own = {name: found["median"] - spreads["twin"]["median"] for name, found in spreads.items() if name != "twin"}
    ratios = {"ours/peer": max(own[OURS], 0.0) / own[PEER]} if own.get(PEER, 0.0) > 0 else {}
    missing = "".join(f"; {column.name} fails: {int(answers[column][0])}" for column in found if column not in working)
    return {"title": "cudaGetDeviceProperties, our share", "target": "properties", "ratios": ratios, "us": spreads,
            "us_over_twin": own, "figures": figures("us", spreads, ".2f") + missing}


def properties_of(record):
    """What is compared of them."""
    values = [getattr(record, name) for name in PROPERTIES]
    return [values[0].split(b"\0")[0], *map(int, values[1:])]


def tensor_map_row(found):
    """cuTensorMapEncodeTiled in the real driver, which works on the CPU."""
    calls = {column.name: call_cases.tensor_map(column) for column in found}
    statuses = {name: int(eval(call.read, dict(call.names))) for name, call in calls.items()}
    if len(set(statuses.values())) > 1:
        raise measure.Difference(f"cuTensorMapEncodeTiled: {statuses}")
    if any(statuses.values()):
        raise RuntimeError(f"cuTensorMapEncodeTiled fails here: {statuses}")
    loops = {name: measure.compile_loop(call) for name, call in calls.items()}
    times = {name: [] for name in loops}
    for turn in range(ROUNDS):
        for name in [*times][turn % len(times):] + [*times][:turn % len(times)]:
            times[name].append(loops[name](50) / 50 / measure.UNROLL)
    spreads = {name: measure.spread(values) for name, values in times.items()}
    return {"title": "cuTensorMapEncodeTiled", "target": None, "ratios": measure.ratios(times), "ns": spreads,
            "figures": figures("ns", spreads, ".0f")}


def main():
    """Rows on standard output; 1 where columns differ."""
    found: list[Column] = columns.load((PEER, OURS))
    machine = Machine()
    print(f"{machine.name}; cuda.bindings {columns.peer_version()}", file=sys.stderr)
    for column in found:
        ask(column.driver.cuInit(0))
    twin = Twin(Path(os.environ["BENCH_WORK"]))
    try:
        rows = launch_rows(machine, twin, found)
        for make in (lambda: kernel_row(machine, twin), lambda: properties_row(twin, found),
                     lambda: tensor_map_row(found)):
            try:
                rows.append(make())
            except (AssertionError, RuntimeError) as error:
                print(f"a row is missing: {error}", file=sys.stderr)
    except measure.Difference as difference:
        print(f"DIFFERENT: {difference}", file=sys.stderr)
        return 1
    json.dump(rows, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
