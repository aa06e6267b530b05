# SPDX-License-Identifier: Apache-2.0
"""fork: parent and child go on, whatever the other threads were doing; and further interpreters are refused."""

from __future__ import annotations

import subprocess

import pytest
from processes import run
from separate import FAKE_LIBRARY

FORK = """
def fork(child):
    "Runs a function in a child; it must end by itself, and well."
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
"""
USE = """
def use():
    assert driver.cuMemAlloc(64)[0] == 0 and driver.cuInit(0)[0] == 0
    assert runtime.cudaMalloc(64)[0] == 0 and nvrtc.nvrtcVersion()[0] == 0
    assert driver.CUDA_MEMCPY3D().WidthInBytes == 0 and driver.CUresult(1).name
"""


@pytest.mark.parametrize("before", ["", "use()"])
def test_parent_and_child_go_on(before):
    assert run(FORK + USE + before + "\nfork(use)\nuse()\nprint('both')\n") == "both"


def test_a_child_that_ends_as_usual_ends():
    code = FORK + USE + """
record()
seen = script(fake, "cuLaunchHostFunc")
driver.cuLaunchHostFunc(0, print, "called")
if os.fork() == 0:
    foreign.call(seen.words[1], seen.words[2])
    sys.exit()
os.wait()
print("parent", flush=True)
"""
    assert run(code).splitlines() == ["called", "parent"]


def test_a_child_of_a_process_with_a_callback_under_way_ends_as_usual():
    code = FORK + """
record()
seen = script(fake, "cuLaunchHostFunc")
begun, go_on = threading.Event(), threading.Event()
driver.cuLaunchHostFunc(0, lambda data: (begun.set(), go_on.wait()), None)
thread = foreign.start(seen.words[1], seen.words[2])
begun.wait()
pid = os.fork()
if pid == 0:
    sys.exit()
assert os.waitpid(pid, 0)[1] == 0
go_on.set()
foreign.join(thread)
print("both")
"""
    assert run(code) == "both"


def test_a_callback_may_fork():
    code = FORK + USE + """
record()
seen = script(fake, "cuLaunchHostFunc")
driver.cuLaunchHostFunc(0, lambda data: fork(use), None)
foreign.call(seen.words[1], seen.words[2])
print("both")
"""
    assert run(code) == "both"


SLOW_LIBRARY = """
#include <unistd.h>
int begun = 0;
int cuDriverGetVersion(int *version) { begun = 1; usleep(1500000); *version = 13000; return 0; }
int cuInit(unsigned flags) { return 0; }
"""


def test_a_fork_while_another_thread_opens_the_library(tmp_path):
    source, library = tmp_path / "slow.c", tmp_path / "libslow.so"
    source.write_text(SLOW_LIBRARY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    code = FORK + f"""
slow = ctypes.CDLL({str(library)!r})
thread = threading.Thread(target=driver.cuInit, args=(0,))
thread.start()
while ctypes.c_int.in_dll(slow, "begun").value == 0:
    time.sleep(0.01)
def use():
    assert driver.cuInit(0)[0] == 0
fork(use)
use()
print("both")
"""
    assert run(code, CUDA_BINDINGS_LIBCUDA=str(library)) == "both"
    assert FAKE_LIBRARY["CUDA_BINDINGS_LIBCUDA"] != str(library)


def test_forks_while_threads_resolve_functions():
    code = FORK + USE + """
import random
names = [name for name in dir(driver) if name.startswith("cu") and name[2].isupper()]
def resolve():
    for name in random.sample(names, len(names)):
        try:
            __import__("cuda_bindings")._native.function_pointer("driver", name)
        except (ValueError, RuntimeError):
            pass
import cuda_bindings._native
threads = [threading.Thread(target=resolve) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(40):
    fork(use)
for thread in threads:
    thread.join()
print("all")
"""
    assert run(code) == "all"


INTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
def refused():
    "What a new interpreter says of the import, through a pipe."
    here, there = os.pipe()
    interpreter = interpreters.create()
    interpreters.run_string(interpreter, f'''
import os, sys
sys.path[:0] = {sys.path!r}
try:
    import cuda_bindings.driver
    text = "imported"
except ImportError as error:
    text = str(error)
os.write({there}, text.encode())
''')
    return os.read(here, 1000).decode()
"""


def test_another_interpreter_is_refused_and_the_first_goes_on():
    code = INTERPRETER + """
print(refused())
assert driver.cuInit(0)[0] == 0 and runtime.cudaMalloc(64)[0] == 0     # first calls: their functions are resolved now
"""
    text = run(code)
    assert "interpreter" in text and "imported" not in text


def test_callbacks_come_in_beside_another_interpreter():
    code = INTERPRETER + """
refused()
record()
seen = script(fake, "cuLaunchHostFunc")
driver.cuLaunchHostFunc(0, print, "called")
foreign.call(seen.words[1], seen.words[2])
"""
    assert run(code) == "called"
