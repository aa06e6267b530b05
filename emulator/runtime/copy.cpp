// SPDX-License-Identifier: Apache-2.0
// Copies and fills of the runtime, one, two and three dimensions. Addresses are unified: the direction is only checked.
#include "runtime/call.hpp"

namespace {

using namespace emulator::runtime;

bool is_direction(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

template <std::uintptr_t default_stream, class Enqueue>
CUresult and_wait(Enqueue&& enqueue) {
  const CUresult status = enqueue();
  return status == CUDA_SUCCESS ? cuStreamSynchronize(stream_of<default_stream>(nullptr)) : status;
}

template <std::uintptr_t default_stream>
cudaError_t copy_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (!is_direction(kind)) return finish(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return in_context([] { return CUDA_SUCCESS; });
  return in_context([&] {
    return cuMemcpyAsync(device_pointer(to), device_pointer(from), bytes, stream_of<default_stream>(stream));
  });
}

template <std::uintptr_t default_stream>
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (!is_direction(kind)) return finish(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return in_context([] { return CUDA_SUCCESS; });
  return in_context([&] {
    return and_wait<default_stream>([&] {
      return cuMemcpyAsync(device_pointer(to), device_pointer(from), bytes, stream_of<default_stream>(nullptr));
    });
  });
}

CUDA_MEMCPY2D plane(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = device_pointer(from);
  copy.srcPitch = from_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = device_pointer(to);
  copy.dstPitch = to_pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

template <std::uintptr_t default_stream>
cudaError_t copy_2d_async(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                          cudaMemcpyKind kind, cudaStream_t stream) {
  if (!is_direction(kind)) return finish(cudaErrorInvalidMemcpyDirection);
  if (width > to_pitch || width > from_pitch) return finish(cudaErrorInvalidPitchValue);
  const CUDA_MEMCPY2D what = plane(to, to_pitch, from, from_pitch, width, height);
  return in_context([&] { return cuMemcpy2DAsync_v2(&what, stream_of<default_stream>(stream)); });
}

template <std::uintptr_t default_stream>
cudaError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                    cudaMemcpyKind kind) {
  const cudaError_t status =
      copy_2d_async<default_stream>(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
  return status == cudaSuccess ? finish(cuStreamSynchronize(stream_of<default_stream>(nullptr))) : status;
}

// A box between two pitched pointers; CUDA arrays are not there.
template <class Parameters>
CUresult box(const Parameters& parameters, CUDA_MEMCPY3D& copy) {
  if (parameters.srcArray != nullptr || parameters.dstArray != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = device_pointer(parameters.srcPtr.ptr);
  copy.srcPitch = parameters.srcPtr.pitch;
  copy.srcHeight = parameters.srcPtr.ysize;
  copy.srcXInBytes = parameters.srcPos.x;
  copy.srcY = parameters.srcPos.y;
  copy.srcZ = parameters.srcPos.z;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = device_pointer(parameters.dstPtr.ptr);
  copy.dstPitch = parameters.dstPtr.pitch;
  copy.dstHeight = parameters.dstPtr.ysize;
  copy.dstXInBytes = parameters.dstPos.x;
  copy.dstY = parameters.dstPos.y;
  copy.dstZ = parameters.dstPos.z;
  copy.WidthInBytes = parameters.extent.width;
  copy.Height = parameters.extent.height;
  copy.Depth = parameters.extent.depth;
  return CUDA_SUCCESS;
}

template <std::uintptr_t default_stream, class Parameters>
CUresult enqueue_3d(const Parameters* parameters, cudaStream_t stream) {
  CUDA_MEMCPY3D copy;
  const CUresult status = parameters == nullptr ? CUDA_ERROR_INVALID_VALUE : box(*parameters, copy);
  return status == CUDA_SUCCESS ? cuMemcpy3DAsync_v2(&copy, stream_of<default_stream>(stream)) : status;
}

template <std::uintptr_t default_stream>
cudaError_t copy_3d_async(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (parameters != nullptr && !is_direction(parameters->kind)) return finish(cudaErrorInvalidMemcpyDirection);
  return in_context([&] { return enqueue_3d<default_stream>(parameters, stream); });
}

template <std::uintptr_t default_stream>
cudaError_t copy_3d(const cudaMemcpy3DParms* parameters) {
  if (parameters != nullptr && !is_direction(parameters->kind)) return finish(cudaErrorInvalidMemcpyDirection);
  return in_context(
      [&] { return and_wait<default_stream>([&] { return enqueue_3d<default_stream>(parameters, nullptr); }); });
}

template <std::uintptr_t default_stream>
cudaError_t copy_3d_peer_async(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
  return in_context([&] { return enqueue_3d<default_stream>(parameters, stream); });
}

template <std::uintptr_t default_stream>
cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms* parameters) {
  return in_context(
      [&] { return and_wait<default_stream>([&] { return enqueue_3d<default_stream>(parameters, nullptr); }); });
}

template <std::uintptr_t default_stream>
cudaError_t fill_async(void* to, int value, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return in_context([] { return CUDA_SUCCESS; });
  return in_context([&] {
    return cuMemsetD8Async(device_pointer(to), static_cast<unsigned char>(value), bytes,
                           stream_of<default_stream>(stream));
  });
}

// Fills return at once on device memory, as the driver's do.
template <std::uintptr_t default_stream>
cudaError_t fill(void* to, int value, size_t bytes) {
  return fill_async<default_stream>(to, value, bytes, nullptr);
}

template <std::uintptr_t default_stream>
cudaError_t fill_2d_async(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  if (width == 0 || height == 0) return in_context([] { return CUDA_SUCCESS; });
  return in_context([&] {
    return cuMemsetD2D8Async(device_pointer(to), pitch, static_cast<unsigned char>(value), width, height,
                             stream_of<default_stream>(stream));
  });
}

template <std::uintptr_t default_stream>
cudaError_t fill_2d(void* to, size_t pitch, int value, size_t width, size_t height) {
  return fill_2d_async<default_stream>(to, pitch, value, width, height, nullptr);
}

template <std::uintptr_t default_stream>
cudaError_t fill_3d_async(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return in_context([&] {
    CUresult status = CUDA_SUCCESS;
    for (size_t slice = 0; slice < extent.depth && status == CUDA_SUCCESS && extent.width * extent.height != 0;
         ++slice) {
      status = cuMemsetD2D8Async(device_pointer(to.ptr) + slice * to.pitch * to.ysize, to.pitch,
                                 static_cast<unsigned char>(value), extent.width, extent.height,
                                 stream_of<default_stream>(stream));
    }
    return status;
  });
}

template <std::uintptr_t default_stream>
cudaError_t fill_3d(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_3d_async<default_stream>(to, value, extent, nullptr);
}

}  // namespace

RUNTIME_EXPORT_TWINS(cudaMemcpy, _ptds, copy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind), to, from,
                     bytes, kind)
RUNTIME_EXPORT_TWINS(cudaMemcpyAsync, _ptsz, copy_async,
                     (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream), to, from,
                     bytes, kind, stream)
RUNTIME_EXPORT_TWINS(cudaMemcpy2D, _ptds, copy_2d,
                     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                      cudaMemcpyKind kind),
                     to, to_pitch, from, from_pitch, width, height, kind)
RUNTIME_EXPORT_TWINS(cudaMemcpy2DAsync, _ptsz, copy_2d_async,
                     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                      cudaMemcpyKind kind, cudaStream_t stream),
                     to, to_pitch, from, from_pitch, width, height, kind, stream)
RUNTIME_EXPORT_TWINS(cudaMemcpy3D, _ptds, copy_3d, (const cudaMemcpy3DParms* parameters), parameters)
RUNTIME_EXPORT_TWINS(cudaMemcpy3DAsync, _ptsz, copy_3d_async,
                     (const cudaMemcpy3DParms* parameters, cudaStream_t stream), parameters, stream)
RUNTIME_EXPORT_TWINS(cudaMemcpy3DPeer, _ptds, copy_3d_peer, (const cudaMemcpy3DPeerParms* parameters), parameters)
RUNTIME_EXPORT_TWINS(cudaMemcpy3DPeerAsync, _ptsz, copy_3d_peer_async,
                     (const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream), parameters, stream)
RUNTIME_EXPORT_TWINS(cudaMemset, _ptds, fill, (void* to, int value, size_t bytes), to, value, bytes)
RUNTIME_EXPORT_TWINS(cudaMemsetAsync, _ptsz, fill_async, (void* to, int value, size_t bytes, cudaStream_t stream), to,
                     value, bytes, stream)
RUNTIME_EXPORT_TWINS(cudaMemset2D, _ptds, fill_2d, (void* to, size_t pitch, int value, size_t width, size_t height), to,
                     pitch, value, width, height)
RUNTIME_EXPORT_TWINS(cudaMemset2DAsync, _ptsz, fill_2d_async,
                     (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream), to, pitch,
                     value, width, height, stream)
RUNTIME_EXPORT_TWINS(cudaMemset3D, _ptds, fill_3d, (cudaPitchedPtr to, int value, cudaExtent extent), to, value, extent)
RUNTIME_EXPORT_TWINS(cudaMemset3DAsync, _ptsz, fill_3d_async,
                     (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream), to, value, extent, stream)

RUNTIME_EXPORT cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  if (to_device != 0 || from_device != 0) return finish(cudaErrorInvalidDevice);
  return copy<legacy_default>(to, from, bytes, cudaMemcpyDeviceToDevice);
}

RUNTIME_EXPORT cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                               cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return finish(cudaErrorInvalidDevice);
  return copy_async<legacy_default>(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
