# SPDX-License-Identifier: Apache-2.0
"""Callbacks while the interpreter ends, and threads that are inside calls then: the process ends, and cleanly."""

from __future__ import annotations

import pytest
from processes import run

ENQUEUE = """
record()
seen = script(fake, "cuLaunchHostFunc")
def enqueue(callback, data=None):
    assert driver.cuLaunchHostFunc(0, callback, data)[0] == 0
    return seen.words[1], seen.words[2]
"""


def test_a_callback_that_comes_after_the_end_calls_nothing():
    code = ENQUEUE + """
code, token = enqueue(lambda data: print("called"))
libc = ctypes.CDLL(None)
# The C library calls it when the process exits: the interpreter is gone by then.
libc.__cxa_atexit.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
assert libc.__cxa_atexit(code, token, None) == 0
print("ends")
"""
    assert run(code) == "ends"


def test_a_callback_that_waits_for_the_gil_when_the_end_comes_is_let_out():
    code = ENQUEUE + """
code, token = enqueue(lambda data: None)
threads = []
def many():
    for _ in range(200):
        code, token = enqueue(lambda data: None)
        threads.append(foreign.start(code, token))
many()
print("ends", flush=True)
"""
    assert run(code) == "ends"


@pytest.mark.parametrize("work", ["time.sleep(0.3)", "sum(range(3_000_000))"])
def test_a_callback_that_runs_when_the_end_comes_may_finish(work):
    code = ENQUEUE + f"""
begun = threading.Event()
def slow(data):
    begun.set()
    {work}
    print("finished", flush=True)
foreign.start(*enqueue(slow))
begun.wait()
"""
    assert run(code) == "finished"


def test_a_callback_that_never_returns_does_not_hold_the_end_up():
    code = ENQUEUE + """
begun = threading.Event()
def stuck(data):
    begun.set()
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
foreign.start(*enqueue(stuck))
begun.wait()
print("ends", flush=True)
"""
    assert run(code) == "ends"


def test_a_callback_that_never_stops_computing_does_not_hold_the_end_up():
    code = ENQUEUE + """
begun = threading.Event()
def busy(data):
    begun.set()
    while True:
        pass
foreign.start(*enqueue(busy))
begun.wait()
print("ends", flush=True)
"""
    assert run(code) == "ends"


def test_handlers_of_the_program_that_run_at_exit_still_get_their_callbacks():
    code = ENQUEUE + """
import atexit
code, token = enqueue(lambda data: print("called", data, flush=True), "at exit")
atexit.register(lambda: foreign.call(code, token))
"""
    assert run(code) == "called at exit"


def test_daemon_threads_inside_calls_do_not_hold_the_end_up():
    code = """
record()
inside = threading.Semaphore(0)
fake.library.fake_set_hook.argtypes = [ctypes.c_void_p]
libc = ctypes.CDLL(None)
fake.library.fake_set_hook(ctypes.cast(libc.pause, ctypes.c_void_p))     # every call blocks for good
def call():
    inside.release()
    driver.cuCtxSynchronize()
for _ in range(8):
    threading.Thread(target=call, daemon=True).start()
for _ in range(8):
    inside.acquire()
time.sleep(0.1)
print("ends", flush=True)
"""
    assert run(code) == "ends"


def test_daemon_threads_that_call_on_and_on_do_not_hold_the_end_up():
    code = """
driver.cuDriverGetVersion()
def call():
    while True:
        driver.cuMemAlloc(16)
        driver.cuMemFree(16)
for _ in range(8):
    threading.Thread(target=call, daemon=True).start()
time.sleep(0.3)
print("ends", flush=True)
"""
    assert run(code) == "ends"


def test_what_callbacks_raise_while_they_come_from_many_threads_is_reported_each_time():
    code = ENQUEUE + """
seen_errors = []
sys.unraisablehook = lambda report: seen_errors.append(str(report.exc_value))
def fails(data):
    raise ValueError(data)
threads = [foreign.start(*enqueue(fails, number)) for number in range(64)]
for thread in threads:
    foreign.join(thread)
print(sorted(map(int, seen_errors)) == list(range(64)))
"""
    assert run(code) == "True"
