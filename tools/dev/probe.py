# SPDX-License-Identifier: Apache-2.0
"""Runs inside the environment: which CUDA libraries the package finds, as one line of JSON."""

import json

from cuda_bindings import driver, nvrtc
from cuda_bindings.errors import LibraryNotFoundError


def version_of_driver():
    """(major, minor) of the driver and why there is no GPU; either may be None."""
    try:
        version = driver.cuDriverGetVersion()[1]
    except LibraryNotFoundError as error:
        return None, f"{error.library} is missing; tried " + "; ".join(": ".join(attempt) for attempt in error.tried)
    status = driver.cuInit(0)[0]
    if not status and driver.cuDeviceGetCount()[1] == 0:
        status = driver.CUresult.CUDA_ERROR_NO_DEVICE
    return (version // 1000, version % 1000 // 10), f"no GPU: cuInit says {status.name}" if status else None


def version_of_nvrtc():
    """(major, minor) of NVRTC and why it is missing; one of them is None."""
    try:
        return nvrtc.nvrtcVersion()[1:], None
    except LibraryNotFoundError as error:
        return None, str(error)


def loaded():
    """The files of libcuda and libnvrtc in this process: the C++ program is linked to the same ones."""
    files = {}
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.rstrip("\n")[73:] if len(line) > 73 else ""
            name = path.rsplit("/", 1)[-1]
            for library in ("libcuda", "libnvrtc"):
                if name.startswith(library + ".so"):
                    files[library] = path
    return files


def main():
    """Prints the answer."""
    version, no_gpu = version_of_driver()
    nvrtc_version, no_nvrtc = version_of_nvrtc()
    answer = {"driver": version, "no_gpu": no_gpu, "nvrtc": nvrtc_version, "no_nvrtc": no_nvrtc, "loaded": loaded()}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
