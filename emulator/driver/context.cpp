// SPDX-License-Identifier: Apache-2.0
// Orders the work of a context's streams, keeps its error, and ends it.
#include "driver/context.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "driver/default_stream.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"
#include "driver/module_object.hpp"
#include "driver/objects.hpp"
#include "driver/thread_owned.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t default_heap_bytes = std::uint64_t{8} << 20;
// How long the end of a context waits for work that still runs, before and after kernels are told to give up.
constexpr std::chrono::seconds patience{1};
constexpr std::chrono::seconds last_patience{5};

unsigned long long next_context_id() {
  static std::atomic<unsigned long long> next{1};
  return next.fetch_add(1);
}

unsigned long long next_stream_id() {
  static std::atomic<unsigned long long> next{1};
  return next.fetch_add(1);
}

}  // namespace

Context::Context(CUcontext handle, unsigned context_flags, bool primary)
    : flags(context_flags),
      heap(Device::instance().memory(), default_heap_bytes),
      handle_(handle),
      primary_(primary),
      id_(next_context_id()),
      legacy_(std::make_shared<Stream>()) {
  legacy_->handle = legacy_stream_handle;
  legacy_->id = next_stream_id();
}

std::shared_ptr<Context> Context::make(CUcontext handle, unsigned flags, bool primary) {
  std::shared_ptr<Context> context(new Context(handle, flags, primary));
  context->legacy_->context = context;
  contexts().put(handle, context);
  return context;
}

bool Context::fail(CUresult code) {
  int none = CUDA_SUCCESS;
  return error_.compare_exchange_strong(none, code, std::memory_order_acq_rel);
}

void Context::fail(const Fault& fault) {
  if (abandon.load() || !fail(static_cast<CUresult>(fault_code(fault.kind)))) return;
  const std::string report = fault_report(fault);
  std::fputs(report.c_str(), stderr);
}

std::shared_ptr<Stream> Context::make_stream(unsigned stream_flags, int priority) {
  auto stream = std::make_shared<Stream>();
  stream->context = weak_from_this();
  stream->flags = stream_flags;
  stream->priority = priority;
  stream->id = next_stream_id();
  const std::lock_guard lock(order_);
  streams_.push_back(stream);
  return stream;
}

void Context::retire(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(order_);
  if (std::erase(streams_, stream) == 0) return;
  std::erase_if(retired_, [](const WorkPointer& work) { return work->finished(); });
  if (stream->last != nullptr && !stream->last->finished()) retired_.push_back(stream->last);
}

std::vector<WorkPointer> Context::unfinished(bool blocking_only) {
  std::vector<WorkPointer> works;
  const auto add = [&](const WorkPointer& work) {
    if (work != nullptr && !work->finished()) works.push_back(work);
  };
  add(legacy_->last);
  for (const std::shared_ptr<Stream>& stream : streams_) {
    if (!blocking_only || (stream->flags & CU_STREAM_NON_BLOCKING) == 0) add(stream->last);
  }
  // Of a stream that is gone it is no longer known whether it was a blocking one: waiting for it is always allowed.
  for (const WorkPointer& work : retired_) add(work);
  return works;
}

std::vector<WorkPointer> Context::dependencies(const Stream& stream) {
  std::vector<WorkPointer> works;
  if (&stream == legacy_.get()) {
    works = unfinished(true);
  } else {
    works.push_back(stream.last);
    if ((stream.flags & CU_STREAM_NON_BLOCKING) == 0) works.push_back(legacy_->last);
  }
  works.push_back(gate_);
  return works;
}

WorkPointer Context::add(Stream& stream, std::function<void()> run, std::span<const WorkPointer> after,
                         bool by_caller) {
  auto work = std::make_shared<Work>(std::move(run));
  const std::lock_guard lock(order_);
  std::vector<WorkPointer> works = dependencies(stream);
  works.insert(works.end(), after.begin(), after.end());
  if (by_caller) {
    Engine::instance().submit_for_caller(work, works);
  } else {
    Engine::instance().submit(work, works);
  }
  stream.last = work;
  return work;
}

WorkPointer Context::enqueue(Stream& stream, std::function<void()> run, std::span<const WorkPointer> after) {
  if (!run) return add(stream, nullptr, after, false);
  auto guarded_run = [context = shared_from_this(), run = std::move(run)] {
    if (context->abandon.load() || context->error() != CUDA_SUCCESS) return;
    const CUresult code = guarded(run);
    if (code != CUDA_SUCCESS) context->fail(code);
  };
  return add(stream, std::move(guarded_run), after, false);
}

WorkPointer Context::enqueue_always(Stream& stream, std::function<void()> run) {
  return add(
      stream, [context = shared_from_this(), run = std::move(run)] { guarded(run); }, {}, false);
}

void Context::run_synchronously(Stream& stream, const std::function<void()>& run) {
  CUresult code = CUDA_SUCCESS;
  const auto guarded_run = [&] {
    if (error() == CUDA_SUCCESS) code = guarded(run);
  };
  Engine::instance().run_here(add(stream, guarded_run, {}, true));
  report();
  require(code == CUDA_SUCCESS, code);
}

WorkPointer Context::mark_everything(std::span<const WorkPointer> after, bool gate) {
  auto work = std::make_shared<Work>(nullptr);
  const std::lock_guard lock(order_);
  std::vector<WorkPointer> works = unfinished(false);
  works.push_back(gate_);
  works.insert(works.end(), after.begin(), after.end());
  Engine::instance().submit(work, works);
  if (gate) gate_ = work;
  return work;
}

void Context::report() {
  prints.flush();
  require(error() == CUDA_SUCCESS, error());
}

void Context::drain() { Engine::instance().wait(mark_everything()); }

void Context::synchronise() {
  drain();
  report();
}

void Context::synchronise(const WorkPointer& work) {
  Engine::instance().wait(work);
  report();
}

WorkPointer Context::last_of(Stream& stream) {
  const std::lock_guard lock(order_);
  if (&stream != legacy_.get()) return stream.last;
  // The legacy stream's work includes what it would have to wait for.
  auto marker = std::make_shared<Work>(nullptr);
  Engine::instance().submit(marker, unfinished(true));
  return marker;
}

bool Context::idle(Stream& stream) {
  const std::lock_guard lock(order_);
  if (&stream == legacy_.get()) return unfinished(true).empty();
  return stream.last == nullptr || stream.last->finished();
}

void Context::synchronise(Stream& stream) { synchronise(last_of(stream)); }

bool Context::drain_until(std::chrono::steady_clock::time_point deadline) {
  return Engine::instance().wait_until(mark_everything(), deadline);
}

void Context::destroy() {
  bool idle = drain_until(std::chrono::steady_clock::now() + patience);
  abandon = true;
  if (!idle) idle = drain_until(std::chrono::steady_clock::now() + last_patience);
  prints.flush();
  const auto owned = [&](const auto& object) { return object.context.lock().get() == this; };
  events().remove_if(owned);
  streams().remove_if(owned);
  functions().remove_if([&](const FunctionObject& function) { return function.context_id() == id_; });
  auto gone = modules().remove_if([&](const LoadedModule& module) { return module.context_id() == id_; });
  // What a host function that never returns may still be using stays where it is.
  if (idle) {
    gone.clear();
    release_owned_by(id_);
  } else {
    static auto* const kept = new std::vector<decltype(gone)>;
    kept->push_back(std::move(gone));
  }
}

// ---- the calling thread

std::vector<CUcontext>& context_stack() { return ThreadOwned<std::vector<CUcontext>>::get(); }

std::shared_ptr<Context> current_context() {
  const std::vector<CUcontext>& stack = context_stack();
  if (stack.empty() || stack.back() == nullptr) return nullptr;
  std::shared_ptr<Context> context = contexts().find(stack.back());
  require(context != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return context;
}

std::shared_ptr<Context> require_context() {
  std::shared_ptr<Context> context = current_context();
  require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  require(context->error() == CUDA_SUCCESS, context->error());
  return context;
}

std::shared_ptr<Context> context_of(CUcontext handle) {
  std::shared_ptr<Context> context = handle == nullptr ? current_context() : contexts().find(handle);
  require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  return context;
}

namespace {

// A thread's own default streams, one a context. They go with the thread.
class PerThreadStreams {
 public:
  PerThreadStreams() = default;
  ~PerThreadStreams() {
    if (process_state() != ProcessState::ready) return;
    for (const auto& [id, stream] : streams_) {
      if (const auto context = stream->context.lock()) context->retire(stream);
    }
  }

  std::shared_ptr<Stream> of(Context& context) {
    std::shared_ptr<Stream>& stream = streams_[context.id()];
    if (stream == nullptr) {
      stream = context.make_stream(CU_STREAM_DEFAULT, 0);
      stream->handle = per_thread_stream_handle;
    }
    return stream;
  }

 private:
  std::map<unsigned long long, std::shared_ptr<Stream>> streams_;
};

}  // namespace

std::shared_ptr<Stream> per_thread_stream(Context& context) { return ThreadOwned<PerThreadStreams>::get().of(context); }

StreamReference stream_of(Context& context, CUstream handle) {
  if (handle == per_thread_stream_handle || (handle == nullptr && PerThreadDefaultStream::active())) {
    return {context.shared_from_this(), per_thread_stream(context)};
  }
  if (handle == nullptr || handle == legacy_stream_handle) {
    return {context.shared_from_this(), context.legacy_stream()};
  }
  std::shared_ptr<Stream> stream = streams().find(handle);
  require(stream != nullptr, CUDA_ERROR_INVALID_HANDLE);
  std::shared_ptr<Context> owner = stream->context.lock();
  require(owner != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return {std::move(owner), std::move(stream)};
}

StreamReference own_stream_of(Context& context, CUstream handle) {
  StreamReference reference = stream_of(context, handle);
  require(reference.context.get() == &context, CUDA_ERROR_INVALID_HANDLE);
  return reference;
}

std::shared_ptr<Event> event_of(CUevent handle) {
  std::shared_ptr<Event> event = events().find(handle);
  require(event != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return event;
}

}  // namespace emulator
