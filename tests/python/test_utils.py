# SPDX-License-Identifier: Apache-2.0
"""cuda_bindings.utils: native handles, PTX versions, NVVM's options, the warning about CUDA's major version."""

from __future__ import annotations

import warnings

import pytest
from recorder import write_number

from cuda_bindings import utils
from cuda_bindings.errors import LibraryNotFoundError


def test_native_handle_of_pointer_handles(driver, runtime):
    assert utils.get_cuda_native_handle(driver.CUstream(0x70)) == 0x70
    assert utils.get_cuda_native_handle(runtime.cudaStream_t(0x70)) == 0x70
    assert utils.get_cuda_native_handle(driver.CUcontext()) == 0


def test_native_handle_wants_the_exact_class_of_a_pointer_handle(driver, modules):
    class Stream(driver.CUstream):  # type: ignore[name-defined]  # a fixture
        """A class of the program's own."""

    for other in (driver.CUdeviceptr(1), driver.CUdevice(1), modules["nvrtc"].nvrtcProgram(1), Stream(1), 5, None, "x"):
        with pytest.raises(TypeError, match="Unknown type: <class "):
            utils.get_cuda_native_handle(other)


def test_ptx_version_is_read_from_its_directive():
    assert utils.get_ptx_ver("// made by NVRTC\n\n.version 8.8\n.target sm_90\n") == "8.8"
    with pytest.raises(ValueError, match="no .version directive"):
        utils.get_ptx_ver(".target sm_90")


@pytest.mark.parametrize(("ptx", "cuda_version"), [("6.0", 9000), ("7.8", 11080), ("8.8", 12090), ("9.0", 13000)])
def test_first_cuda_release_for_a_ptx_version(ptx, cuda_version):
    assert utils.get_minimal_required_cuda_ver_from_ptx_ver(ptx) == cuda_version


def test_a_ptx_version_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="'99.9' is not known"):
        utils.get_minimal_required_cuda_ver_from_ptx_ver("99.9")


def test_nvvm_says_which_options_it_takes():
    try:
        assert utils.check_nvvm_compiler_options(["-arch=compute_90", "-opt=3"])
    except LibraryNotFoundError as error:
        pytest.skip(str(error).splitlines()[0])
    assert not utils.check_nvvm_compiler_options(["-arch=compute_90", "-no-such-option"])


def test_nvvm_options_are_a_list():
    with pytest.raises(TypeError, match="not str"):
        utils.check_nvvm_compiler_options("-opt=3")


@pytest.fixture
def driver_of(cuda, monkeypatch):
    """Makes the fake driver say that it is of some CUDA version."""
    monkeypatch.setattr(utils, "_mismatch_checked", False)
    monkeypatch.delenv("CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING", raising=False)
    return lambda version: cuda.on("cuDriverGetVersion", lambda name, words: write_number(words[0], version, 4) or 0)


def test_an_older_major_is_warned_about_once(driver_of):
    driver_of(12090)
    with pytest.warns(UserWarning, match="the driver is of CUDA 12"):
        utils.warn_if_cuda_major_version_mismatch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        utils.warn_if_cuda_major_version_mismatch()


@pytest.mark.parametrize("version", [13000, 14000])
def test_the_same_or_a_newer_major_is_not(driver_of, version):
    driver_of(version)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        utils.warn_if_cuda_major_version_mismatch()


def test_the_variable_silences_the_warning(driver_of, cuda, monkeypatch):
    driver_of(12090)
    monkeypatch.setenv("CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        utils.warn_if_cuda_major_version_mismatch()
    assert not cuda.calls
