// SPDX-License-Identifier: Apache-2.0
// Streams: creating, asking, waiting, callbacks. Capture is not supported, and says so.
#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

void create(CUstream* handle, unsigned flags, int priority) {
  const std::shared_ptr<Context> context = require_context();
  output(handle);
  require(flags == CU_STREAM_DEFAULT || flags == CU_STREAM_NON_BLOCKING);
  // A priority out of range means the nearest one.
  const int kept = std::clamp(priority, greatest_stream_priority, least_stream_priority);
  const std::shared_ptr<Stream> stream = context->make_stream(flags, kept);
  stream->handle = streams().add(stream);
  *handle = stream->handle;
}

// The stream's attributes that can be kept; others are refused.
void copy_attribute(Stream& stream, CUstreamAttrID id, CUstreamAttrValue& value, bool set) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
      if (set) {
        require(value.syncPolicy >= CU_SYNC_POLICY_AUTO && value.syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC);
        stream.policy = value.syncPolicy;
      } else {
        value.syncPolicy = stream.policy;
      }
      return;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      if (set) {
        stream.priority = std::clamp(value.priority, greatest_stream_priority, least_stream_priority);
      } else {
        value.priority = stream.priority;
      }
      return;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: throw Failure{CUDA_ERROR_NOT_SUPPORTED};
    default: throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
}

// Calls into the program. A Python that is shutting down ends the threads that enter it, by unwinding them; such a one
// stays here instead, until the process is gone.
template <class Call>
void call_program(Call&& call) {
  try {
    call();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return device_call([&] { create(phStream, Flags, least_stream_priority); });
}

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return device_call([&] { create(phStream, flags, priority); });
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
  return context_call([&](Context&) {
    const std::shared_ptr<Stream> stream = streams().remove(hStream);
    require(stream != nullptr, CUDA_ERROR_INVALID_HANDLE);
    if (const auto owner = stream->context.lock()) owner->retire(stream);
  });
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return context_call([&](Context& context) { output(priority) = stream_of(context, hStream).stream->priority; });
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  return context_call([&](Context& context) { output(flags) = stream_of(context, hStream).stream->flags; });
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return context_call([&](Context& context) { output(streamId) = stream_of(context, hStream).stream->id; });
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  return context_call([&](Context& context) {
    output(device);
    stream_of(context, hStream);
    *device = device_ordinal;
  });
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  return context_call([&](Context& context) { output(pctx) = stream_of(context, hStream).context->handle(); });
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  return context_call([&](Context& context) {
    output(pCtx) = stream_of(context, hStream).context->handle();
    if (pGreenCtx != nullptr) *pGreenCtx = nullptr;
  });
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx) {
  return context_call([&](Context& context) {
    output(phCtx);
    stream_of(context, hStream);
    *phCtx = nullptr;
  });
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return context_call([&](Context& context) {
    const StreamReference target = stream_of(context, hStream);
    target.context->synchronise(*target.stream);
  });
}

CUresult cuStreamQuery(CUstream hStream) {
  return context_call([&](Context& context) {
    const StreamReference target = stream_of(context, hStream);
    if (!target.context->idle(*target.stream)) return CUDA_ERROR_NOT_READY;
    target.context->report();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return context_call([&](Context& context) {
    require(Flags <= 1);
    const StreamReference target = stream_of(context, hStream);
    const WorkPointer marker = event_of(hEvent)->marker();
    if (marker != nullptr) target.context->enqueue(*target.stream, nullptr, {&marker, 1});
  });
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags) {
  return context_call([&](Context& context) {
    require(callback != nullptr && flags == 0);
    const StreamReference target = stream_of(context, hStream);
    target.context->enqueue_always(*target.stream, [owner = target.context.get(), hStream, callback, userData] {
      call_program([&] { callback(hStream, owner->error(), userData); });
    });
  });
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return context_call([&](Context& context) {
    require(fn != nullptr);
    const StreamReference target = stream_of(context, hStream);
    target.context->enqueue(*target.stream, [fn, userData] { call_program([&] { fn(userData); }); });
  });
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t, unsigned int flags) {
  return context_call([&](Context& context) {
    stream_of(context, hStream);
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE);
    // All of it is visible to everyone all the time.
    const std::optional<Holding> holding = holding_at(dptr);
    require(holding.has_value() && holding->kind == AllocationKind::managed);
  });
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue* value) {
  return context_call([&](Context& context) {
    require(value != nullptr);
    CUstreamAttrValue copy = *value;
    copy_attribute(*stream_of(context, hStream).stream, attr, copy, true);
  });
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out) {
  return context_call(
      [&](Context& context) { copy_attribute(*stream_of(context, hStream).stream, attr, output(value_out), false); });
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return context_call([&](Context& context) {
    const StreamReference source = stream_of(context, src);
    const StreamReference target = stream_of(context, dst);
    target.stream->policy = source.stream->policy;
    target.stream->priority = source.stream->priority;
  });
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return context_call([&](Context& context) {
    output(captureStatus);
    stream_of(context, hStream);
    *captureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
  });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                                   numDependencies_out);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return context_call([&](Context& context) {
    output(captureStatus_out);
    stream_of(context, hStream);
    *captureStatus_out = CU_STREAM_CAPTURE_STATUS_NONE;
    if (id_out != nullptr) *id_out = 0;
    if (graph_out != nullptr) *graph_out = nullptr;
    if (dependencies_out != nullptr) *dependencies_out = nullptr;
    if (edgeData_out != nullptr) *edgeData_out = nullptr;
    if (numDependencies_out != nullptr) *numDependencies_out = 0;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return device_call([&] {
    static thread_local CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
    require(output(mode) >= CU_STREAM_CAPTURE_MODE_GLOBAL && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    std::swap(own, *mode);
  });
}
}
