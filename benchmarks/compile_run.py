# SPDX-License-Identifier: Apache-2.0
"""NVRTC: one program compiled, and 8 in 8 threads, by cuda.bindings and by ours with the same library."""

import json
import sys
import threading
import time

import measure

PROGRAM = b"""
template <class T> __device__ T power(T x, int n) { T y = 1; for (int i = 0; i < n; ++i) y *= x; return y; }
extern "C" __global__ void kernel(float* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { x[i] = power(x[i], 7); y[i] = power(y[i], 9) + x[i]; }
}
"""


def compile_one(nvrtc):
    """One program from source to PTX; the PTX."""
    def ask(result):
        status, *values = result
        assert status == 0, status
        return values[0] if values else None

    program = ask(nvrtc.nvrtcCreateProgram(PROGRAM, b"kernel.cu", 0, [], []))
    ask(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_80"]))
    text = b" " * ask(nvrtc.nvrtcGetPTXSize(program))
    ask(nvrtc.nvrtcGetPTX(program, text))
    ask(nvrtc.nvrtcDestroyProgram(program))
    return text


def compile_eight(nvrtc):
    """Eight programs in as many threads."""
    threads = [threading.Thread(target=compile_one, args=(nvrtc,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def modules():
    """nvrtc of both columns; None where cuda.bindings is not there."""
    import columns

    columns.add_paths()
    from cuda_bindings import nvrtc as ours

    found = {"ours": ours}
    try:
        from cuda.bindings import nvrtc as peer

        peer.nvrtcVersion()
        found["peer"] = peer
    except (ImportError, RuntimeError):
        pass
    return found


def main():
    """Rows as JSON on standard output."""
    found = modules()
    texts = {name: compile_one(nvrtc) for name, nvrtc in found.items()}
    if len({text.count(b"kernel") for text in texts.values()}) > 1:
        print("the columns' PTX differs", file=sys.stderr)
        return 1
    rows = []
    for title, work, runs in (("NVRTC, one program", compile_one, 9), ("NVRTC, 8 programs in 8 threads",
                                                                       compile_eight, 5)):
        times = {name: [] for name in found}
        for turn in range(runs):
            for name, nvrtc in list(found.items())[:: 1 if turn % 2 else -1]:
                begun = time.perf_counter()
                work(nvrtc)
                times[name].append(1000 * (time.perf_counter() - begun))
        spreads = {name: measure.spread(values) for name, values in times.items()}
        rows.append({"title": title, "target": None, "ratios": measure.ratios(times), "ms": spreads,
                     "figures": ", ".join(f"{name} {found['median']:.1f} ms ({found['low']:.0f}-{found['high']:.0f})"
                                          for name, found in spreads.items())})
    json.dump(rows, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
