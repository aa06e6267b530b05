# SPDX-License-Identifier: Apache-2.0
"""A Cython program over the C layer: structs, enums, constants and functions of the three APIs, errors included."""
from cuda_bindings cimport cydriver, cynvrtc, cyruntime
from libc.string cimport memset


def driver_version():
    """Status and version; raises where the driver or the function is missing."""
    cdef int version = 0
    cdef cydriver.CUresult status
    with nogil:
        status = cydriver.cuDriverGetVersion(&version)
    return <int>status, version


def copy_2d(size_t width, size_t height):
    """Passes a struct with enums, a device pointer and sizes."""
    cdef cydriver.CUDA_MEMCPY2D description
    memset(&description, 0, sizeof(description))
    description.srcMemoryType = cydriver.CU_MEMORYTYPE_HOST
    description.dstMemoryType = cydriver.CU_MEMORYTYPE_DEVICE
    description.dstDevice = 0x7000
    description.WidthInBytes = width
    description.Height = height
    return <int>cydriver.cuMemcpy2D(&description), sizeof(description)


def nested(int x):
    """Reads a member of a struct inside a union, whole and through its parent."""
    cdef cydriver.CUlaunchAttributeValue value
    cdef cydriver.CUlaunchAttributeValue_union_clusterDim dimensions
    memset(&value, 0, sizeof(value))
    value.clusterDim.x = x
    dimensions = value.clusterDim
    return dimensions.x, sizeof(value), sizeof(dimensions)


def runtime_device_count():
    """Status and count of the runtime API."""
    cdef int count = -1
    cdef cyruntime.cudaError_t status = cyruntime.cudaGetDeviceCount(&count)
    return <int>status, count


def runtime_extent():
    """An inline function, a struct by value, an aligned union, a type that a macro names, a constant."""
    cdef cyruntime.cudaExtent extent = cyruntime.make_cudaExtent(1, 2, 3)
    cdef cyruntime.cudaStreamAttrValue value
    cdef cyruntime.cudaStreamAttrID attribute = cyruntime.cudaLaunchAttributeSynchronizationPolicy
    memset(&value, 0, sizeof(value))
    return extent.width, extent.height, extent.depth, sizeof(value), <int>attribute, cyruntime.cudaHostAllocPortable


def runtime_error_name(int code):
    """A function that returns a text."""
    return cyruntime.cudaGetErrorName(<cyruntime.cudaError_t>code)


def runtime_channel(int bits):
    """A function that returns a struct."""
    cdef cyruntime.cudaChannelFormatDesc description
    description = cyruntime.cudaCreateChannelDesc(bits, 0, 0, 0, cyruntime.cudaChannelFormatKindFloat)
    return description.x, <int>description.f


def compiler_version():
    """Status and version of NVRTC."""
    cdef int major = 0, minor = 0
    cdef cynvrtc.nvrtcResult status = cynvrtc.nvrtcVersion(&major, &minor)
    return <int>status, major, minor


def local_runtime_version():
    """The one function that no header has."""
    cdef int version = 0
    return <int>cyruntime.getLocalRuntimeVersion(&version), version
