# SPDX-License-Identifier: Apache-2.0
"""What a machine without a GPU can do: NVRTC compiles the SAXPY kernel, and the head of its PTX is shown."""

from saxpy import SOURCE, check, compile_ptx

from cuda_bindings import nvrtc


def main() -> None:
    """Compiles for the oldest architecture that this NVRTC knows; prints the PTX's header and entry."""
    major, minor = check(nvrtc.nvrtcVersion())
    architecture = min(check(nvrtc.nvrtcGetSupportedArchs()))
    ptx = compile_ptx(SOURCE, b"compute_%d" % architecture).rstrip(b"\0").decode()
    print(f"NVRTC {major}.{minor} compiled saxpy for compute_{architecture}: {len(ptx)} bytes of PTX")
    lines = [line for line in ptx.splitlines() if line and not line.startswith("//")]
    header = [line for line in lines if line.startswith((".version", ".target", ".address_size"))]
    entry = next(number for number, line in enumerate(lines) if ".entry" in line)
    end = next(number for number, line in enumerate(lines) if number > entry and line.startswith(")"))
    print("\n".join("  " + line for line in header + lines[entry : end + 1]))


if __name__ == "__main__":
    main()
