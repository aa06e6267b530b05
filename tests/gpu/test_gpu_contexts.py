# SPDX-License-Identifier: Apache-2.0
"""Devices and contexts: names and attributes, both forms of cuCtxCreate, limits, green contexts, core dump settings."""

from __future__ import annotations

import pytest
from gpu import ok


def test_device_names(driver, device):
    name = ok(driver.cuDeviceGetName(128, device))
    assert len(name) == 128 and name.rstrip(b"\0").startswith((b"NVIDIA", b"Emulated"))
    bus = ok(driver.cuDeviceGetPCIBusId(32, device))
    assert int(ok(driver.cuDeviceGetByPCIBusId(bus.split(b"\0", 1)[0]))) == int(device)
    uuid = ok(driver.cuDeviceGetUuid(device))
    assert len(uuid.bytes) == 16 and any(uuid.bytes)
    assert ok(driver.cuDeviceTotalMem(device)) > 1 << 30


def test_device_attributes(driver, device, capability):
    assert ok(driver.cuDeviceComputeCapability(device)) == capability
    known = 0
    version = ok(driver.cuDriverGetVersion())
    for attribute in driver.CUdevice_attribute:
        if attribute.name.endswith("_MAX") or version < 13000:
            continue        # a sentinel; an older driver does not know all of them
        assert type(ok(driver.cuDeviceGetAttribute(attribute, device))) is int, attribute
        known += 1
    assert known > 100 or version < 13000
    properties = ok(driver.cuDeviceGetProperties(device))
    assert properties.maxThreadsPerBlock == 1024 and len(properties.maxGridSize) == 3
    assert ok(driver.cuDeviceGetExecAffinitySupport(
        driver.CUexecAffinityType.CU_EXEC_AFFINITY_TYPE_SM_COUNT, device)) in (0, 1)


def test_versions_and_errors(driver, device):
    assert ok(driver.cuDriverGetVersion()) >= 12000
    assert ok(driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_INVALID_VALUE)) == b"CUDA_ERROR_INVALID_VALUE"
    assert b"invalid" in ok(driver.cuGetErrorString(1))


@pytest.mark.provokes_errors
def test_an_unknown_error_has_no_name(driver, device):
    assert driver.cuGetErrorName(12345) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)
    assert driver.cuDeviceGet(9999) == (driver.CUresult.CUDA_ERROR_INVALID_DEVICE, None)


@pytest.mark.parametrize("arguments", [(None, 0), (0,)], ids=["params-flags-device", "flags-device"])
def test_contexts_come_and_go(driver, context, device, arguments):
    made = ok(driver.cuCtxCreate(*arguments, device))
    assert type(made) is driver.CUcontext
    assert ok(driver.cuCtxGetCurrent()) == made
    assert int(ok(driver.cuCtxGetDevice())) == int(device)
    assert int(ok(driver.cuCtxGetDevice_v2(made))) == int(device)
    ok(driver.cuCtxSynchronize_v2(made))
    assert ok(driver.cuCtxGetApiVersion(made)) > 3000
    assert ok(driver.cuCtxGetId(made)) > 0
    assert type(ok(driver.cuCtxGetFlags())) is int
    assert ok(driver.cuCtxPopCurrent()) == made
    assert ok(driver.cuCtxGetCurrent()) == context
    ok(driver.cuCtxPushCurrent(made))
    ok(driver.cuCtxDestroy(made))
    ok(driver.cuCtxSetCurrent(context))


def test_context_with_parameters(driver, context, device):
    made = ok(driver.cuCtxCreate(driver.CUctxCreateParams(), 0, device))
    ok(driver.cuCtxDestroy(made))
    ok(driver.cuCtxSetCurrent(context))


def test_limits_and_cache(driver, context):
    limit = driver.CUlimit.CU_LIMIT_STACK_SIZE
    before = ok(driver.cuCtxGetLimit(limit))
    ok(driver.cuCtxSetLimit(limit, 2048))
    assert ok(driver.cuCtxGetLimit(limit)) >= 2048
    ok(driver.cuCtxSetLimit(limit, before))
    assert isinstance(ok(driver.cuCtxGetCacheConfig()), driver.CUfunc_cache)


def test_primary_context_state(driver, device, context):
    flags, active = ok(driver.cuDevicePrimaryCtxGetState(device))
    assert type(flags) is int and active == 1


def test_no_context_is_a_null_handle(driver, context):
    ok(driver.cuCtxSetCurrent(None))
    assert int(ok(driver.cuCtxGetCurrent())) == 0
    ok(driver.cuCtxSetCurrent(context))


def test_green_contexts(driver, device, context):
    kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
    status, resource = driver.cuDeviceGetDevResource(device, kind)
    if status:
        pytest.skip(f"no green contexts: {status!r}")
    total = resource.sm.smCount
    assert total > 0
    groups, possible, rest = ok(driver.cuDevSmResourceSplitByCount(0, resource, 0, 8))
    assert groups == [] and possible > 0
    groups, count, rest = ok(driver.cuDevSmResourceSplitByCount(2, resource, 0, 8))
    assert count == 2 == len(groups) and all(g.sm.smCount >= 8 for g in groups)
    assert sum(g.sm.smCount for g in groups) + rest.sm.smCount <= total
    description = ok(driver.cuDevResourceGenerateDesc([groups[0]], 1))
    assert type(description) is driver.CUdevResourceDesc
    green = ok(driver.cuGreenCtxCreate(description, device,
                                       driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM))
    assert ok(driver.cuGreenCtxGetDevResource(green, kind)).sm.smCount == groups[0].sm.smCount
    stream = ok(driver.cuGreenCtxStreamCreate(green, driver.CUstream_flags.CU_STREAM_NON_BLOCKING, 0))
    assert ok(driver.cuStreamGetGreenCtx(stream)) == green
    assert ok(driver.cuStreamGetCtx_v2(stream))[1] == green
    event = ok(driver.cuEventCreate(0))
    ok(driver.cuGreenCtxRecordEvent(green, event))
    ok(driver.cuGreenCtxWaitEvent(green, event))
    ok(driver.cuEventSynchronize(event))
    assert type(ok(driver.cuCtxFromGreenCtx(green))) is driver.CUcontext
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuEventDestroy(event))
    ok(driver.cuStreamDestroy(stream))
    ok(driver.cuGreenCtxDestroy(green))


def test_core_dump_settings(driver, context, tmp_path):
    setting = driver.CUcoredumpSettings
    enabled = ok(driver.cuCoredumpGetAttribute(setting.CU_COREDUMP_ENABLE_ON_EXCEPTION))
    assert isinstance(enabled, bool)
    name = str(tmp_path / "core.dump").encode()
    ok(driver.cuCoredumpSetAttribute(setting.CU_COREDUMP_FILE, name))
    assert ok(driver.cuCoredumpGetAttribute(setting.CU_COREDUMP_FILE)) == name
    ok(driver.cuCoredumpSetAttribute(setting.CU_COREDUMP_LIGHTWEIGHT, True))
    assert ok(driver.cuCoredumpGetAttribute(setting.CU_COREDUMP_LIGHTWEIGHT)) is True
    ok(driver.cuCoredumpSetAttribute(setting.CU_COREDUMP_LIGHTWEIGHT, False))
    assert isinstance(ok(driver.cuCoredumpGetAttribute(setting.CU_COREDUMP_GENERATION_FLAGS)), int)
    assert isinstance(ok(driver.cuCoredumpGetAttributeGlobal(setting.CU_COREDUMP_FILE)), bytes)


def test_logs(driver, context):
    iterator = ok(driver.cuLogsCurrent(0))
    assert type(iterator) is driver.CUlogIterator
    buffer = b" " * 4096
    same, size = ok(driver.cuLogsDumpToMemory(iterator, buffer, 4096, 0))
    assert same is iterator and 0 <= size <= 4096
