# SPDX-License-Identifier: Apache-2.0
"""Modules of programs that call very often: all names made, no `__getattr__` left, nothing else different."""

from __future__ import annotations

from separate import FAKE_LIBRARY, run_python

PRELUDE = """
from cuda_bindings import driver, nvrtc, runtime

def call(times):
    for _ in range(times):
        driver.cuCtxSetCurrent(None)

def left(module):
    return len(set(dir(module)) - set(module.__dict__))
"""


def run(code):
    """What a process of its own prints, word by word."""
    return run_python(PRELUDE + code, **FAKE_LIBRARY).split()


def test_few_calls_make_no_names():
    assert run("""
before = left(driver)
call(60_000)
print(before == left(driver) > 400, "__getattr__" in driver.__dict__)
""") == ["True", "True"]


def test_many_calls_make_every_name_of_every_imported_module():
    assert run("""
call(65_536 + 256 * 1_200)
for module in (driver, runtime, nvrtc):
    print(left(module), "__getattr__" in module.__dict__)
""") == ["0", "False"] * 3


def test_names_come_one_by_one_so_that_no_call_waits_long():
    made = run("""
call(65_536)
seen = [left(driver)]
for _ in range(40):
    call(256)
    seen.append(left(driver))
print(*(before - after for before, after in zip(seen, seen[1:])))
""")
    assert set(made) <= {"0", "1", "2"} and sum(map(int, made)) >= 38


def test_what_the_program_has_put_there_stays():
    assert run("""
stream, result = driver.CUstream, driver.CUresult
driver.CUevent = "mine"
call(65_536 + 256 * 1_200)
print(stream is driver.CUstream, result is driver.CUresult, driver.CUevent)
""") == ["True", "True", "mine"]


def test_unknown_names_are_refused_in_the_same_words():
    before, after = run("""
def refusal():
    try:
        driver.cuNothing
    except AttributeError as error:
        return str(error).replace(" ", "_")
first = refusal()
call(65_536 + 256 * 1_200)
print(first, refusal())
""")
    assert before == after == "module_'cuda_bindings.driver'_has_no_attribute_'cuNothing'"


def test_modules_that_are_not_imported_are_left_alone():
    assert run("""
for name in ("runtime", "nvrtc"):
    del sys.modules["cuda_bindings." + name]
call(65_536 + 256 * 1_200)
print(left(driver), left(runtime) > 300, "__getattr__" in runtime.__dict__)
""") == ["0", "True", "True"]


def test_an_interrupt_while_a_name_is_made_arrives_and_the_rest_is_made_later():
    assert run("""
import enum, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored by whoever started this
prepare = enum.EnumMeta.__dict__["__prepare__"].__func__
sent = []

def interrupted(*arguments, **keywords):
    if not sent:
        sent.append("SIGINT")
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    return prepare(*arguments, **keywords)

enum.EnumMeta.__prepare__ = classmethod(interrupted)
try:
    call(65_536 + 256 * 1_200)
except KeyboardInterrupt:
    print("arrived")
call(256 * 1_200)
print(left(driver), "__getattr__" in driver.__dict__)
""") == ["arrived", "0", "False"]


def test_the_interpreters_queue_has_room_for_others_while_the_main_thread_waits():
    assert run("""
import ctypes, threading
ran, added = [], []
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
other = kind(lambda nothing: ran.append("ran") or 0)
add = ctypes.pythonapi.Py_AddPendingCall
add.argtypes = [kind, ctypes.c_void_p]

def work():
    call(65_536 + 256 * 40)
    added.append(add(other, None))

thread = threading.Thread(target=work)
thread.start()
thread.join()
for _ in range(1000):
    pass
print(*added, *ran)
""") == ["0", "ran"]


def test_a_getattr_that_the_program_has_put_there_stays():
    assert run("""
driver.__getattr__ = lambda name: "mine"
call(65_536 + 256 * 1_200)
print(driver.cuNothing, left(driver) > 400, left(runtime))
""") == ["mine", "True", "0"]
