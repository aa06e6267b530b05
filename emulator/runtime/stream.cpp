// SPDX-License-Identifier: Apache-2.0
// Streams and events of the runtime.
#include "runtime/call.hpp"

namespace {

using namespace emulator::runtime;

template <std::uintptr_t default_stream>
cudaError_t synchronize(cudaStream_t stream) {
  return in_context([&] { return cuStreamSynchronize(stream_of<default_stream>(stream)); });
}

template <std::uintptr_t default_stream>
cudaError_t query(cudaStream_t stream) {
  return in_context([&] { return cuStreamQuery(stream_of<default_stream>(stream)); });
}

template <std::uintptr_t default_stream>
cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return in_context([&] { return cuStreamWaitEvent(stream_of<default_stream>(stream), event, flags); });
}

template <std::uintptr_t default_stream>
cudaError_t get_flags(cudaStream_t stream, unsigned int* flags) {
  return in_context([&] { return cuStreamGetFlags(stream_of<default_stream>(stream), flags); });
}

template <std::uintptr_t default_stream>
cudaError_t get_priority(cudaStream_t stream, int* priority) {
  return in_context([&] { return cuStreamGetPriority(stream_of<default_stream>(stream), priority); });
}

template <std::uintptr_t default_stream>
cudaError_t get_id(cudaStream_t stream, unsigned long long* id) {
  return in_context([&] { return cuStreamGetId(stream_of<default_stream>(stream), id); });
}

template <std::uintptr_t default_stream>
cudaError_t get_device(cudaStream_t stream, int* device) {
  return in_context([&] { return cuStreamGetDevice(stream_of<default_stream>(stream), device); });
}

template <std::uintptr_t default_stream>
cudaError_t add_callback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags) {
  // Both callbacks have the same parameters but for the name of the status type, an int in both.
  return in_context([&] {
    return cuStreamAddCallback(stream_of<default_stream>(stream), reinterpret_cast<CUstreamCallback>(callback), data,
                               flags);
  });
}

template <std::uintptr_t default_stream>
cudaError_t attach(cudaStream_t stream, void* pointer, size_t length, unsigned int flags) {
  return in_context([&] {
    return cuStreamAttachMemAsync(stream_of<default_stream>(stream), device_pointer(pointer), length, flags);
  });
}

template <std::uintptr_t default_stream>
cudaError_t is_capturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return in_context([&] {
    return cuStreamIsCapturing(stream_of<default_stream>(stream), reinterpret_cast<CUstreamCaptureStatus*>(status));
  });
}

// There are no graphs.
template <std::uintptr_t default_stream>
cudaError_t begin_capture(cudaStream_t, cudaStreamCaptureMode) {
  return in_context([] { return CUDA_ERROR_NOT_SUPPORTED; });
}

template <std::uintptr_t default_stream>
cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
  return in_context([&] { return cuEventRecord(event, stream_of<default_stream>(stream)); });
}

template <std::uintptr_t default_stream>
cudaError_t record_with_flags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return in_context([&] { return cuEventRecordWithFlags(event, stream_of<default_stream>(stream), flags); });
}

}  // namespace

RUNTIME_EXPORT cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return in_context([&] { return cuStreamCreate(stream, CU_STREAM_DEFAULT); });
}

RUNTIME_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return in_context([&] { return cuStreamCreate(stream, flags); });
}

RUNTIME_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return in_context([&] { return cuStreamCreateWithPriority(stream, flags, priority); });
}

RUNTIME_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return in_context([&] { return cuStreamDestroy_v2(stream); });
}

RUNTIME_EXPORT_TWINS(cudaStreamSynchronize, _ptsz, synchronize, (cudaStream_t stream), stream)
RUNTIME_EXPORT_TWINS(cudaStreamQuery, _ptsz, query, (cudaStream_t stream), stream)
RUNTIME_EXPORT_TWINS(cudaStreamWaitEvent, _ptsz, wait_event,
                     (cudaStream_t stream, cudaEvent_t event, unsigned int flags), stream, event, flags)
RUNTIME_EXPORT_TWINS(cudaStreamGetFlags, _ptsz, get_flags, (cudaStream_t stream, unsigned int* flags), stream, flags)
RUNTIME_EXPORT_TWINS(cudaStreamGetPriority, _ptsz, get_priority, (cudaStream_t stream, int* priority), stream, priority)
RUNTIME_EXPORT_TWINS(cudaStreamGetId, _ptsz, get_id, (cudaStream_t stream, unsigned long long* id), stream, id)
RUNTIME_EXPORT_TWINS(cudaStreamGetDevice, _ptsz, get_device, (cudaStream_t stream, int* device), stream, device)
RUNTIME_EXPORT_TWINS(cudaStreamAddCallback, _ptsz, add_callback,
                     (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags), stream,
                     callback, data, flags)
RUNTIME_EXPORT_TWINS(cudaStreamAttachMemAsync, _ptsz, attach,
                     (cudaStream_t stream, void* pointer, size_t length, unsigned int flags), stream, pointer, length,
                     flags)
RUNTIME_EXPORT_TWINS(cudaStreamIsCapturing, _ptsz, is_capturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
                     stream, status)
RUNTIME_EXPORT_TWINS(cudaStreamBeginCapture, _ptsz, begin_capture, (cudaStream_t stream, cudaStreamCaptureMode mode),
                     stream, mode)

RUNTIME_EXPORT cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return in_context([&] { return cuEventCreate(event, CU_EVENT_DEFAULT); });
}

RUNTIME_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return in_context([&] { return cuEventCreate(event, flags); });
}

RUNTIME_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return in_context([&] { return cuEventDestroy_v2(event); });
}

RUNTIME_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
  return in_context([&] { return cuEventQuery(event); });
}

RUNTIME_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return in_context([&] { return cuEventSynchronize(event); });
}

RUNTIME_EXPORT cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return in_context([&] { return cuEventElapsedTime_v2(milliseconds, start, end); });
}

RUNTIME_EXPORT_TWINS(cudaEventRecord, _ptsz, record, (cudaEvent_t event, cudaStream_t stream), event, stream)
RUNTIME_EXPORT_TWINS(cudaEventRecordWithFlags, _ptsz, record_with_flags,
                     (cudaEvent_t event, cudaStream_t stream, unsigned int flags), event, stream, flags)
