# SPDX-License-Identifier: Apache-2.0
"""Records, lists and handles that several threads use and change at once: a call may be refused, nothing may break."""

from __future__ import annotations

import pytest
from processes import run

PROGRAM = """
import random
from cuda_bindings.errors import ListTooShortError
from cuda_bindings.launch import PreparedLaunch
fake_library = ctypes.CDLL(os.environ["CUDA_BINDINGS_LIBCUDA"])
fake_library.fake_call_count.restype = ctypes.c_uint64
driver.cuDriverGetVersion()
nodes = [driver.CUgraphNode(at) for at in range(40)]
edges = [driver.CUgraphEdgeData() for _ in range(40)]
copies = [driver.CUDA_MEMCPY2D() for _ in range(4)]
kernels = [driver.CUDA_KERNEL_NODE_PARAMS() for _ in range(4)]
hosts = [driver.CUDA_HOST_NODE_PARAMS() for _ in range(4)]
nodes_params = [driver.CUgraphNodeParams() for _ in range(4)]
context = driver.CUctxCreateParams()
handles = [driver.CUstream(at) for at in range(8)]
values, types = [1, 2.5, 7], [ctypes.c_int, ctypes.c_float, ctypes.c_void_p]
buffers = [bytearray(64) for _ in range(4)]
class Large(ctypes.Structure):
    _fields_ = [("values", ctypes.c_long * 3)]
prepared = PreparedLaunch(1, 1, 1, 1, 1, 1, 1, 0, 0, (driver.CUlaunchConfig(), ctypes.c_int(1), Large()))
expected = (ListTooShortError, TypeError, ValueError, OverflowError, IndexError, BufferError, RuntimeError)

def grow(random):
    if len(nodes) < 60:
        nodes.append(driver.CUgraphNode(7))
        edges.append(driver.CUgraphEdgeData())
def shrink(random):
    nodes.pop(random.randrange(len(nodes)))
    edges.pop()
def set_copy(random):
    copy = random.choice(copies)
    copy.srcHost = random.choice([None, 0x1000, random.choice(buffers), b"constant"])
    copy.WidthInBytes = random.randrange(64)
def copy_records(random):
    copies[random.randrange(4)] = random.choice(copies).copy()
    random.choice(copies) in copies
def set_kernel(random):
    record = random.choice(kernels)
    record.kernelParams = (tuple(values), tuple(types))
    random.choice(nodes_params).kernel.func = random.randrange(99)
def set_host(random):
    record = random.choice(hosts)
    record.fn = random.choice([None, 0x77, print, len])
    record.userData = random.choice([None, 0x88])
    random.choice(nodes_params).host.fn = random.choice([None, print])
def set_affinity(random):
    context.execAffinityParams = [driver.CUexecAffinityParam() for _ in range(random.randrange(4))]
def read(random):
    for record in (*copies, *kernels, *hosts, context):
        record.to_dict()
        repr(record)
def change_arguments(random):
    values[random.randrange(3)] = random.choice([1, 2.0, 3])
    types[random.randrange(3)] = random.choice([ctypes.c_int, ctypes.c_double, ctypes.c_void_p])
def set_prepared(random):
    prepared[random.randrange(3)] = random.choice([driver.CUlaunchConfig, lambda: ctypes.c_int(2), Large, object])()
CHANGES = [grow, shrink, set_copy, copy_records, set_kernel, set_host, set_affinity, read, change_arguments,
           set_prepared]
CALLS = [
    lambda r: driver.cuGraphAddDependencies(1, nodes, nodes, edges, r.randrange(40)),
    lambda r: driver.cuGraphAddEmptyNode(1, nodes, r.randrange(40)),
    lambda r: driver.cuMemcpy2D(r.choice(copies)),
    lambda r: driver.cuGraphAddKernelNode(1, nodes, 3, r.choice(kernels)),
    lambda r: driver.cuGraphAddHostNode(1, nodes, 3, r.choice(hosts)),
    lambda r: driver.cuGraphAddNode(1, nodes, edges, 3, r.choice(nodes_params)),
    lambda r: driver.cuCtxCreate(context, 0, 0),
    lambda r: driver.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, r.choice(handles), (tuple(values), tuple(types)), 0),
    lambda r: prepared(r.choice([None, *handles])),
    lambda r: driver.cuMemcpyHtoD(16, r.choice(buffers), 64),
    lambda r: driver.cuLaunchHostFunc(r.choice(handles), print, r.choice(copies)),
    lambda r: driver.cuStreamCreate(0),
    lambda r: driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
]
wrong, called, refused = [], [0] * 8, [0] * 8
start = threading.Barrier(8)
def work(number):
    chooser = random.Random(SEED * 8 + number)
    start.wait()
    for _ in range(10_000):
        try:
            if chooser.random() < 0.3:
                chooser.choice(CHANGES)(chooser)
            else:
                called[number] += 1
                result = chooser.choice(CALLS)(chooser)
                if result[0] != 0:
                    wrong.append(repr(result))
        except expected:
            refused[number] += 1
        except BaseException as error:
            wrong.append(repr(error))
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong[:5]
print(sum(called), sum(refused), fake_library.fake_call_count(None))
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_8_threads_make_10_000_random_steps_with_shared_objects(seed):
    called, refused, arrived = map(int, run(PROGRAM.replace("SEED", str(seed)), limit=300).split())
    assert called > 8 * 6_500 and refused < called // 4
    assert arrived >= called - refused
