# SPDX-License-Identifier: Apache-2.0
"""Questions about behaviour that only a real device answers: codes, logs, printf; each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[2])]
    if os.environ.get("CUDA_BINDINGS_TEST_DEVICE", "gpu") == "emulated":
        os.environ["CUDA_BINDINGS_DEVICE"] = "emulated"

import numpy as np  # noqa: E402
from device import Device, DeviceError  # noqa: E402

from cuda_bindings import driver  # noqa: E402

HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"
PROBES: dict[str, Callable[[Device], Any]] = {}


def probe(function: Callable[[Device], Any]) -> Callable[[Device], Any]:
    """Registers a probe under its name."""
    PROBES[function.__name__] = function
    return function


def kernel(body: str, registers: str = "", before: str = "", head: str = HEAD) -> bytes:
    """PTX of one kernel `k` with a pointer parameter in %out."""
    return (f"{head}{before}\n.visible .entry k(.param .u64 p) {{\n.reg .b64 %out, %rd<8>;\n.reg .b32 %r<8>;\n"
            f".reg .b16 %h<8>;\n.reg .pred %p<4>;\n{registers}\nld.param.u64 %out, [p];\n{body}\nret;\n}}\n").encode()


def run_words(device: Device, image: bytes, words: int = 8, threads: int = 1) -> list[int]:
    """Runs the kernel; the 32-bit words that it has written."""
    out = device.upload(np.zeros(words, np.uint32))
    device.launch(device.load(image).function("k"), 1, threads, [out])
    device.synchronize()
    return device.download(out, np.uint32, words).tolist()


def code_of_run(device: Device, image: bytes, threads: int = 32) -> int:
    """The code with which the kernel ends at the next synchronisation."""
    out = device.upload(np.zeros(1024, np.uint32))
    try:
        device.launch(device.load(image).function("k"), 1, threads, [out])
        device.synchronize()
    except DeviceError as error:
        return int(error.code)
    return 0


def code_of_load(device: Device, image: bytes) -> int:
    """The code with which a module is refused."""
    try:
        device.load(image)
    except DeviceError as error:
        return int(error.code)
    return 0


FAULTS = {
    "trap": "trap;",
    "null": "mov.u64 %rd1, 0; st.global.u32 [%rd1], 1;",
    "unmapped": "mov.u64 %rd1, 0x7fffffff0000; st.global.u32 [%rd1], 1;",
    "misaligned": "add.u64 %rd1, %out, 2; st.global.u32 [%rd1], 1;",
    "misaligned vector": "add.u64 %rd1, %out, 8; st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};",
    "misaligned atomic": "add.u64 %rd1, %out, 2; atom.global.add.u32 %r1, [%rd1], 1;",
    "shared out of bounds": "mov.u32 %r1, 0x7ffff0; st.shared.u32 [%r1], 1;",
    "shared just out of bounds": "mov.u32 %r1, 0x40000; st.shared.u32 [%r1], 1;",
    "local out of bounds": "mov.u32 %r1, 0x7fffff0; st.local.u32 [%r1], 1;",
    "misaligned shared": "mov.u32 %r1, 2; st.shared.u32 [%r1], %r1;",
    "store to constant": "mov.u64 %rd1, fixed; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 1;",
    "call of no function": "mov.u64 %rd1, 0x1234560; proto: .callprototype _ (); call %rd1, (), proto;",
}


def _fault(body: str) -> Callable[[Device], int]:
    before = ".shared .align 16 .b8 box[64];\n.const .align 4 .b8 fixed[16];"
    return lambda device: code_of_run(device, kernel(body, before=before))


# Codes of kernels that go wrong: each in a process of its own, for a fault may stay.
PROBES.update({f"fault: {name}": _fault(body) for name, body in FAULTS.items()})


def _break(device: Device) -> None:
    """Provokes a fault that sticks to the context."""
    code_of_run(device, kernel("mov.u64 %rd1, 0; st.global.u32 [%rd1], 1;"))


@probe
def recovery_by_release(device: Device) -> dict[str, int]:
    """The primary context released for good, then retained anew."""
    _break(device)
    handle = driver.cuDeviceGet(0)[1]
    found = {"release": int(driver.cuDevicePrimaryCtxRelease(handle)[0])}
    status, context = driver.cuDevicePrimaryCtxRetain(handle)
    found |= {"retain": int(status), "set": int(driver.cuCtxSetCurrent(context)[0])}
    return found | {"cuMemAlloc": int(driver.cuMemAlloc(16)[0])}


@probe
def recovery_by_reset(device: Device) -> dict[str, int]:
    """The primary context reset, and used as it is."""
    _break(device)
    handle = driver.cuDeviceGet(0)[1]
    found = {"reset": int(driver.cuDevicePrimaryCtxReset(handle)[0])}
    found["cuMemAlloc"] = int(driver.cuMemAlloc(16)[0])
    status, context = driver.cuDevicePrimaryCtxRetain(handle)
    found |= {"retain": int(status), "set": int(driver.cuCtxSetCurrent(context)[0])}
    return found | {"cuMemAlloc after retain": int(driver.cuMemAlloc(16)[0])}


@probe
def recovery_of_a_created_context(device: Device) -> dict[str, int]:
    """A created context with a fault: destroyed, and another one made."""
    handle = driver.cuDeviceGet(0)[1]
    found = {"create": int(driver.cuCtxCreate(None, 0, handle)[0])}
    _break(device)
    found["primary during"] = int(driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(handle)[1])[0])
    found["cuMemAlloc in primary"] = int(driver.cuMemAlloc(16)[0])
    found["pop"] = int(driver.cuCtxPopCurrent()[0])
    status, context = driver.cuCtxCreate(None, 0, handle)
    found |= {"create again": int(status), "cuMemAlloc": int(driver.cuMemAlloc(16)[0])}
    return found


@probe
def sticky(device: Device) -> dict[str, int]:
    """What later calls answer after a fault."""
    module = device.load(kernel("mov.u64 %rd1, 0; st.global.u32 [%rd1], 1;"))
    out = device.alloc(16)
    stream = driver.cuStreamCreate(0)[1]
    event = driver.cuEventCreate(0)[1]
    device.launch(module.function("k"), 1, 1, [out])
    found = {"cuCtxSynchronize": int(driver.cuCtxSynchronize()[0])}
    found["cuCtxSynchronize again"] = int(driver.cuCtxSynchronize()[0])
    found["cuMemAlloc"] = int(driver.cuMemAlloc(16)[0])
    found["cuMemFree"] = int(driver.cuMemFree(out)[0])
    found["cuMemGetInfo"] = int(driver.cuMemGetInfo()[0])
    found["cuStreamQuery"] = int(driver.cuStreamQuery(stream)[0])
    found["cuStreamSynchronize"] = int(driver.cuStreamSynchronize(stream)[0])
    found["cuEventRecord"] = int(driver.cuEventRecord(event, stream)[0])
    found["cuEventDestroy"] = int(driver.cuEventDestroy(event)[0])
    found["cuStreamDestroy"] = int(driver.cuStreamDestroy(stream)[0])
    found["cuCtxGetCurrent"] = int(driver.cuCtxGetCurrent()[0])
    found["cuCtxGetDevice"] = int(driver.cuCtxGetDevice()[0])
    found["cuDeviceGetCount"] = int(driver.cuDeviceGetCount()[0])
    found["cuModuleLoadData"] = int(driver.cuModuleLoadData(kernel("") + b"\0")[0])
    found["cuModuleGetFunction"] = int(driver.cuModuleGetFunction(module._handle, b"k")[0])
    found["cuModuleUnload"] = int(driver.cuModuleUnload(module._handle)[0])
    handle = driver.cuDeviceGet(0)[1]
    found["cuDevicePrimaryCtxReset"] = int(driver.cuDevicePrimaryCtxReset(handle)[0])
    found["cuMemAlloc after reset"] = int(driver.cuMemAlloc(16)[0])
    driver.cuDevicePrimaryCtxRelease(handle)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(handle)[1])
    found["cuMemAlloc after retain"] = int(driver.cuMemAlloc(16)[0])
    return found


@probe
def load_errors(device: Device) -> dict[str, int]:
    """Codes of modules that cannot be loaded."""
    extern = ".extern .func nowhere();"
    parameters = "\n.visible .entry big(.param .align 4 .b8 p[{size}]) {{ ret; }}\n"
    return {
        "empty": code_of_load(device, b""),
        "no PTX": code_of_load(device, b"hello, world"),
        "syntax": code_of_load(device, kernel("add.u32 %r1, %r2")),
        "unknown opcode": code_of_load(device, kernel("frobnicate.u32 %r1, %r2;")),
        "unknown register": code_of_load(device, kernel("add.u32 %r1, %r2, %x;")),
        "wrong width": code_of_load(device, kernel("add.u32 %r1, %r2, %rd1;")),
        "version too new": code_of_load(device, kernel("", head=HEAD.replace("7.8", "99.0"))),
        "target too new": code_of_load(device, kernel("", head=HEAD.replace("7.8", "9.0").replace("sm_80", "sm_121"))),
        "target unknown": code_of_load(device, kernel("", head=HEAD.replace("sm_80", "sm_999"))),
        "target newer than version": code_of_load(device, kernel("", head=HEAD.replace("sm_80", "sm_100"))),
        "unresolved function": code_of_load(device, kernel("call nowhere, ();", before=extern)),
        "unresolved variable": code_of_load(device, kernel("mov.u64 %rd1, x;", before=".extern .global .u32 x;")),
        "two of a name": code_of_load(device, kernel("", before=".global .u32 x;\n.global .u32 x;")),
        "ELF": code_of_load(device, b"\x7fELF\x02\x01\x01" + bytes(200)),
        "parameters of 4096 bytes": code_of_load(device, (HEAD + parameters.format(size=4096)).encode()),
        "parameters of 4100 bytes": code_of_load(device, (HEAD + parameters.format(size=4100)).encode()),
        "parameters of 32764 bytes, PTX 8.1": code_of_load(
            device, (HEAD.replace("7.8", "8.1") + parameters.format(size=32764)).encode()),
        "parameters of 32768 bytes, PTX 8.1": code_of_load(
            device, (HEAD.replace("7.8", "8.1") + parameters.format(size=32768)).encode()),
        "too much shared": code_of_load(device, kernel("", before=".shared .align 4 .b8 big[49156];")),
        "too much shared, used": code_of_load(
            device, kernel("st.shared.u32 [big], 1;", before=".shared .align 4 .b8 big[49156];")),
        "bf16 add below sm_90": code_of_load(device, kernel("add.bf16 %h1, %h2, %h3;")),
    }


@probe
def launch_errors(device: Device) -> dict[str, int]:
    """Codes of launches that are refused at once."""
    module = device.load(kernel("", before=""))
    function, out = module.function("k"), device.alloc(16)

    def code(grid, block, shared=0, cooperative=False) -> int:
        try:
            device.launch(function, grid, block, [out], shared=shared, cooperative=cooperative)
            device.synchronize()
        except DeviceError as error:
            return int(error.code)
        return 0

    image = kernel("").replace(b") {", b")\n.maxntid 64, 1, 1 {", 1)
    narrow = device.load(image).function("k")
    found = {
        "block of 1025": code(1, 1025), "block z of 65": code(1, (1, 1, 65)), "grid of 0": code(0, 1),
        "block of 0": code(1, 0), "grid y of 65536": code((1, 65536, 1), 1), "shared 48 KiB": code(1, 1, 49152),
        "shared 48 KiB and 1": code(1, 1, 49153), "cooperative too large": code(1 << 20, 1024, 0, True),
    }  # fmt: skip
    function = narrow
    found["block over maxntid"] = code(1, 65)
    function = module.function("k")
    found["no such function"] = int(driver.cuModuleGetFunction(module._handle, b"nothing")[0])
    found["no such global"] = int(driver.cuModuleGetGlobal(module._handle, b"nothing")[0])
    attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    found["opt in to 100 KiB"] = int(driver.cuFuncSetAttribute(function, attribute, 102400)[0])
    found["shared 100 KiB after opt-in"] = code(1, 1, 102400)
    found["opt in to 1 GiB"] = int(driver.cuFuncSetAttribute(function, attribute, 1 << 30)[0])
    return found


@probe
def atomic_subnormals(device: Device) -> dict[str, list[int]]:
    """Sums of subnormals by float atomics: 2**-140 + 2**-140, and 2**-126 - 2**-127."""
    def body(space: str, base: str) -> str:
        return (f"st.{space}.u32 [{base}], 0x200; atom.{space}.add.f32 %r1, [{base}], 0f00000200;"
                f"ld.{space}.u32 %r2, [{base}];"
                f"st.{space}.u32 [{base}], 0x00800000; atom.{space}.add.f32 %r3, [{base}], 0f80400000;"
                f"ld.{space}.u32 %r4, [{base}];"
                "st.global.u32 [%out+16], %r1; st.global.u32 [%out+20], %r2; st.global.u32 [%out+24], %r3;"
                "st.global.u32 [%out+28], %r4;")

    shared = kernel(body("shared", "box"), before=".shared .align 16 .b8 box[64];")
    return {"global": run_words(device, kernel(body("global", "%out")))[4:],
            "shared": run_words(device, shared)[4:]}


@probe
def atomic_halves(device: Device) -> list[int]:
    """atom.add.noftz of f16 subnormals, f16x2 with a NaN, bf16."""
    body = """st.global.u32 [%out], 0x00010001; mov.b16 %h1, 0x0001; atom.global.add.noftz.f16 %h2, [%out], %h1;
    st.global.u32 [%out+4], 0x7e013c00; mov.b32 %r1, 0x3c003c00; atom.global.add.noftz.f16x2 %r2, [%out+4], %r1;
    st.global.u32 [%out+8], %r2;"""
    return run_words(device, kernel(body))[:4]


@probe
def shuffles(device: Device) -> list[int]:
    """shfl of every mode with a segment of 8, and lanes out of range: value and predicate of each lane."""
    lines = ["mov.u32 %r1, %laneid;"]
    for at, (mode, distance, clamp) in enumerate(
        (("up", 3, 0x1800), ("down", 3, 0x181F), ("bfly", 5, 0x181F), ("idx", 11, 0x181F), ("idx", 40, 0x1F),
         ("up", 33, 0), ("down", 33, 0x1F), ("bfly", 33, 0x1F), ("down", 2, 0x1003))):
        lines += [f"shfl.sync.{mode}.b32 %r2|%p1, %r1, {distance}, {clamp}, -1;", "selp.u32 %r3, 256, 0, %p1;",
                  "or.b32 %r2, %r2, %r3;", "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out;",
                  f"st.global.u32 [%rd1+{128 * at}], %r2;"]
    return run_words(device, kernel("\n".join(lines)), 32 * 9, 32)


PRINTF = """
.global .align 1 .b8 text[{size}] = {{{bytes}}};
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);
"""


def printf(device: Device, text: bytes, words: list[int]) -> dict[str, Any]:
    """One call of vprintf: what it returns and what reaches stdout."""
    stores = "".join(f"st.local.u64 [box+{8 * at}], {word};" for at, word in enumerate(words))
    body = f""".local .align 8 .b8 box[64];
    {stores} mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, box; cvta.local.u64 %rd2, %rd2;
    {{ .param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2;
    call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r1, [r0]; }} st.global.u32 [%out], %r1;"""
    data = text + b"\0"
    before = PRINTF.format(size=len(data), bytes=", ".join(map(str, data)))
    read, write = os.pipe()
    saved = os.dup(1)
    sys.stdout.flush()
    os.dup2(write, 1)
    try:
        (result, *_) = run_words(device, kernel(body, before=before))
    finally:
        os.dup2(saved, 1)
        os.close(write)
    with os.fdopen(read, "rb") as pipe:
        output = pipe.read()
    return {"returns": result - (1 << 32) if result >> 31 else result, "text": output.decode("latin-1")}


def _bits(value: float) -> int:
    return int(np.float64(value).view(np.uint64))


@probe
def printf_formats(device: Device) -> dict[str, Any]:
    """vprintf of many formats."""
    minus = (1 << 64) - 5
    cases: list[tuple[bytes, list[int]]] = [
        (b"", []), (b"plain", []), (b"100%%", []), (b"[%d]", [minus]), (b"[%i %u]", [minus & 0xFFFFFFFF | 7 << 32]),
        (b"[%5d|%-5d|%05d|%+d|% d]", [42 | 42 << 32, 42 | 42 << 32, 42]),
        (b"[%x %X %#x %o %#o]", [255 | 255 << 32, 255 | 8 << 32, 8]),
        (b"[%ld %llx]", [minus, 1 << 40]), (b"[%hd %hhd]", [0x12345 | 0x181 << 32]), (b"[%c%c]", [65 | 66 << 32]),
        (b"[%f %.2f %8.3f %-8.1f]", [_bits(1.5), _bits(2.25), _bits(-3.14159), _bits(9.75)]),
        (b"[%e %E %g %G %a]", [_bits(12345.678), _bits(1e-10), _bits(0.0001), _bits(1e20), _bits(1.0)]),
        (b"[%f %f %f]", [_bits(float("inf")), _bits(float("nan")), _bits(-0.0)]), (b"[%p]", [0x1234]),
        (b"[%*d]", [5 | 42 << 32]), (b"[%.*f]", [2, _bits(3.14159)]), (b"[%-*d]", [5 | 42 << 32]), (b"[%z]", [1]),
        (b"[%", []), (b"[%q]", [1]), (b"[%d", [3]), (b"[%lc]", [65]), (b"[%zu %jd %td]", [1 << 33, 2, 3]),
        (b"[%n]", [0]),
        (b"[%.3d|%8.5x]", [7 | 255 << 32]), (b"[%s]", [0]),
    ]  # fmt: skip
    return {text.decode(): printf(device, text, words) for text, words in cases}


def in_a_process_of_its_own(name: str) -> Any:
    """The answer of a probe, from a fresh process; a text that says how it ended where it gave none."""
    try:
        done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "did not end within a minute"
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return f"ended with status {done.returncode}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}"
    return json.loads(lines[-1])


if __name__ == "__main__":
    with Device() as _device:
        print("\n" + json.dumps(PROBES[sys.argv[1]](_device)))
