// SPDX-License-Identifier: Apache-2.0
// Events: markers in streams with the time at which the device came to them.
#include <chrono>

#include "driver/context.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

void record(CUevent handle, CUstream stream, unsigned flags) {
  const std::shared_ptr<Context> context = require_context();
  require(flags <= CU_EVENT_RECORD_EXTERNAL);
  const std::shared_ptr<Event> event = event_of(handle);
  const StreamReference target = stream_of(*context, stream);
  require(event->context.lock() == target.context, CUDA_ERROR_INVALID_HANDLE);
  // External recording is for streams that capture.
  require(flags == CU_EVENT_RECORD_DEFAULT, CUDA_ERROR_ILLEGAL_STATE);
  const std::lock_guard lock(event->mutex);
  event->recorded = target.context->enqueue(*target.stream, nullptr);
}

void elapsed(float* milliseconds, CUevent start, CUevent end) {
  require_context();
  output(milliseconds);
  const std::shared_ptr<Event> events[] = {event_of(start), event_of(end)};
  std::chrono::steady_clock::time_point times[2];
  bool ready = true;
  for (int which = 0; which < 2; ++which) {
    const WorkPointer marker = events[which]->marker();
    require(marker != nullptr && (events[which]->flags & CU_EVENT_DISABLE_TIMING) == 0, CUDA_ERROR_INVALID_HANDLE);
    ready = ready && marker->finished();
    if (marker->finished()) times[which] = marker->finish_time();
  }
  require(ready, CUDA_ERROR_NOT_READY);
  *milliseconds = std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  return context_call([&](Context& context) {
    output(phEvent);
    require(Flags <= (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    if ((Flags & CU_EVENT_INTERPROCESS) != 0) {
      require((Flags & CU_EVENT_DISABLE_TIMING) != 0);
      throw Failure{CUDA_ERROR_NOT_SUPPORTED};
    }
    const auto event = std::make_shared<Event>();
    event->context = context.weak_from_this();
    event->flags = Flags;
    *phEvent = events().add(event);
  });
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  return context_call([&](Context&) { require(events().remove(hEvent) != nullptr, CUDA_ERROR_INVALID_HANDLE); });
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return device_call([&] { record(hEvent, hStream, CU_EVENT_RECORD_DEFAULT); });
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return device_call([&] { record(hEvent, hStream, flags); });
}

CUresult cuEventQuery(CUevent hEvent) {
  return context_call([&](Context&) {
    const std::shared_ptr<Event> event = event_of(hEvent);
    const WorkPointer marker = event->marker();
    if (marker != nullptr && !marker->finished()) return CUDA_ERROR_NOT_READY;
    if (const auto owner = event->context.lock()) owner->report();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return context_call([&](Context&) {
    const std::shared_ptr<Event> event = event_of(hEvent);
    const std::shared_ptr<Context> owner = event->context.lock();
    require(owner != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    owner->synchronise(event->marker());
  });
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return device_call([&] { elapsed(pMilliseconds, hStart, hEnd); });
}
}
