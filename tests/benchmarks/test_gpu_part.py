# SPDX-License-Identifier: Apache-2.0
"""The GPU's part without a GPU: a library that fails has no column and a reason; a wrong result ends the run."""

import numpy
import pytest

import gpu_run
import measure
from model import Call
from on_gpu import others


class FakeDriver:
    """One array of device memory."""

    def __init__(self):
        self.memory = numpy.zeros(4, numpy.float32)

    def cuMemsetD32(self, _address, bits, _size):
        self.memory[:] = numpy.array(bits, numpy.uint32).view(numpy.float32)
        return (0,)

    def cuMemcpyDtoH(self, target, _address, _size):
        target[:] = self.memory
        return (0,)

    def cuStreamSynchronize(self, _stream):
        return (0,)

    def cuDevicePrimaryCtxRetain(self, _device):
        return 0, 1

    def cuCtxSetCurrent(self, _context):
        return (0,)


@pytest.fixture
def machine():
    """A machine whose driver is the fake one."""
    made = gpu_run.Machine.__new__(gpu_run.Machine)
    made.__dict__.update(driver=FakeDriver(), stream=16)
    return made


def launches(machine, number):
    """A maker whose saxpy writes a number."""
    def make(_source, given, _size):
        assert given is machine
        call = Call("m.memory[:] = n", {"m": machine.driver, "n": number})
        return {"0": Call("m", {"m": machine}), "5": call}, 4096
    return make


def missing_library(_source, _machine, _size):
    raise ModuleNotFoundError("No module named 'cupy'")


def test_what_fails_or_is_wrong_is_left_out_with_its_reason(machine, monkeypatch, capsys):
    monkeypatch.setattr(others, "MAKERS", {"good": launches(machine, 5.0), "wrong": launches(machine, 4.0),
                                           "cupy": missing_library})
    monkeypatch.setattr(gpu_run, "SMALL", 4)
    calls = {"0": {}, "5": {}}
    missing = gpu_run.add_others(machine, calls)
    assert list(calls["0"]) == list(calls["5"]) == ["good"]
    assert missing["cupy"] == "ModuleNotFoundError: No module named 'cupy'"
    assert missing["wrong"].startswith("Difference: wrong: saxpy's result is")
    assert "no cupy column: ModuleNotFoundError" in capsys.readouterr().err


def test_a_launch_of_ours_with_a_wrong_result_ends_the_run(machine):
    with pytest.raises(measure.Difference, match="ours: saxpy's result is .*, not 5"):
        machine.check(Call("m.memory[:] = 7", {"m": machine.driver}), 4096, 4, "ours")


def test_a_row_stands_beside_the_twin_and_cuda_bindings_round_by_round():
    times = {"twin": [4.0, 8.0, 4.0], "peer": [8.0, 16.0, 8.0], "ours": [4.0, 8.0, 4.4], "ours, flat": [5.0, 9.0, 5.0]}
    row = gpu_run.launch_row("5", "ours", times, {})
    assert row["title"] == "launch, 5 arguments, wall"
    assert row["ratios"] == {"ours/twin": 1.0, "ours/peer": 0.5} and list(row["us"]) == ["twin", "peer", "ours"]
    flat = gpu_run.launch_row("5", "ours, flat", times, {})
    assert flat["title"] == "launch, 5 arguments, flat, wall" and flat["ratios"]["ours/twin"] == 1.25


def test_properties_are_compared_by_several_of_their_members():
    class Record:
        name, totalGlobalMem, multiProcessorCount, major, minor, warpSize = b"GPU\0\0", 1 << 37, 132, 9, 0, 32
        maxThreadsPerBlock = 1024

    assert gpu_run.properties_of(Record()) == [b"GPU", 1 << 37, 132, 9, 0, 32, 1024]
