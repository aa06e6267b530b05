# SPDX-License-Identifier: Apache-2.0
"""Sees to an NVRTC whose PTX the installed driver takes: one that is there, else NVIDIA's wheel."""

import json

import console
import headers
import places

WITHOUT_DRIVER = (13, 0)


class Libraries:
    """What the package finds: the driver, the GPU and NVRTC, or the reason why not."""

    def __init__(self, environment):
        answer = console.ask([environment.python, places.ROOT / "tools" / "dev" / "probe.py"])
        if answer is None:
            raise console.Failure("the package was built but does not import; ./dev build shows more, or try "
                                  f"{environment.python} -c 'from cuda_bindings import driver, nvrtc'")
        facts = json.loads(answer)
        self.driver = tuple(facts["driver"]) if facts["driver"] else None
        self.no_gpu = facts["no_gpu"]
        self.nvrtc = tuple(facts["nvrtc"]) if facts["nvrtc"] else None
        self.no_nvrtc = facts["no_nvrtc"]
        self.loaded = facts["loaded"]


def wheel_for(driver):
    """The newest pinned NVRTC that the driver takes: it refuses the PTX of a newer one, minor numbers included."""
    limit = driver or WITHOUT_DRIVER
    wheels = headers.nvrtc_wheels()
    fitting = [release for release in wheels if release <= limit]
    if not fitting:
        raise console.Failure(f"the driver is of CUDA {limit[0]}.{limit[1]}; 12.0 is the oldest that is supported")
    return wheels[max(fitting)]


def ensure(environment):
    """The libraries, after installing an NVRTC where none is found or the one found is too new for the driver."""
    found = Libraries(environment)
    if found.nvrtc and (found.driver is None or found.nvrtc <= found.driver):
        return found
    environment.install([wheel_for(found.driver)])
    found = Libraries(environment)
    if not found.nvrtc:
        raise console.Failure(found.no_nvrtc)
    return found
