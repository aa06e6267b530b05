# SPDX-License-Identifier: Apache-2.0
"""Random sequences over every struct and union beside a shadow that knows the right answer (walk.py says how).

CUDA_BINDINGS_LIFETIME_STEPS and CUDA_BINDINGS_LIFETIME_SEED choose how many and which.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import layout
import pytest

WALK = Path(__file__).with_name("walk.py")
STEPS = os.environ.get("CUDA_BINDINGS_LIFETIME_STEPS", "30000")
SEED = os.environ.get("CUDA_BINDINGS_LIFETIME_SEED", "1")


def test_records_are_what_their_shadows_say_after_every_step():
    done = subprocess.run([sys.executable, WALK, "--steps", STEPS, "--seed", SEED], capture_output=True, text=True,
                          check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_shadows_know_every_class(driver, runtime):
    modules = {"driver": driver, "runtime": runtime}
    found = {(name, each) for name, module in modules.items() for each in dir(module)
             if hasattr(getattr(module, each), "to_dict")}
    assert found == set(layout.classes()) and len(found) > 360


@pytest.mark.parametrize("module", ["driver", "runtime"])
def test_every_class_has_the_members_and_the_size_of_its_layout(module, driver, runtime):
    home = {"driver": driver, "runtime": runtime}[module]
    methods = {"getPtr", "copy", "to_dict"}
    for each, name in layout.classes():
        if each == module:
            cls, shape = getattr(home, name), layout.layout(name)
            assert home.sizeof(cls) == shape.size, name
            assert {member for member in dir(cls) if not member.startswith("__")} - methods == {
                field.name for field in shape.fields}, name
