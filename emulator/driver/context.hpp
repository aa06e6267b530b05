// SPDX-License-Identifier: Apache-2.0
// A context: the order of its streams' work, the error that sticks to it, its limits, and the end of all that it owns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "driver/stream_object.hpp"
#include "machine/fault.hpp"
#include "machine/system_calls.hpp"

namespace emulator {

/// What cuCtxSetLimit sets and the context itself keeps.
struct ContextLimits {
  std::atomic<std::size_t> stack_size{1024};
  std::atomic<std::size_t> runtime_sync_depth{2};
  std::atomic<std::size_t> runtime_pending_launches{2048};
  std::atomic<std::size_t> fetch_granularity{64};
};

/// A primary or created context. Always held by a shared_ptr.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// A live context behind a handle.
  static std::shared_ptr<Context> make(CUcontext handle, unsigned flags, bool primary);

  [[nodiscard]] CUcontext handle() const { return handle_; }
  [[nodiscard]] bool primary() const { return primary_; }
  /// Unique in the process; tags its allocations.
  [[nodiscard]] unsigned long long id() const { return id_; }
  std::atomic<unsigned> flags;
  std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE};
  ContextLimits limits;
  PrintBuffer prints;
  DeviceHeap heap;
  /// Ends running kernels.
  std::atomic<bool> abandon{false};

  /// The code that sticks to the context, or CUDA_SUCCESS.
  [[nodiscard]] CUresult error() const { return static_cast<CUresult>(error_.load(std::memory_order_acquire)); }
  /// Makes a fault stick, unless an earlier one does, and explains it on stderr.
  void fail(const Fault& fault);
  /// Makes a code stick, unless an earlier one does; says whether it was the first.
  bool fail(CUresult code);

  /// A new stream, with or without the ordering against the legacy default stream.
  std::shared_ptr<Stream> make_stream(unsigned stream_flags, int priority);
  /// Forgets a stream; its work goes on.
  void retire(const std::shared_ptr<Stream>& stream);
  [[nodiscard]] const std::shared_ptr<Stream>& legacy_stream() const { return legacy_; }

  /// Adds work behind what is in the stream (and behind `after`); an empty function makes a marker. `run` is skipped
  /// when an error sticks to the context by then.
  WorkPointer enqueue(Stream& stream, std::function<void()> run, std::span<const WorkPointer> after = {});
  /// The same for what must run even behind an error: callbacks.
  WorkPointer enqueue_always(Stream& stream, std::function<void()> run);
  /// Waits for the stream's turn and runs the function on this thread; what it throws is thrown here.
  void run_synchronously(Stream& stream, const std::function<void()>& run);
  /// A marker behind everything in all streams. With `gate`, also a barrier: later work of all streams waits for it.
  WorkPointer mark_everything(std::span<const WorkPointer> after = {}, bool gate = false);

  /// Whether the stream's work has finished.
  bool idle(Stream& stream);
  /// Waits for all work, prints what kernels printed, and throws the error that sticks.
  void synchronise();
  /// Waits for the work of a stream, and so on.
  void synchronise(Stream& stream);
  /// Waits for one work, and so on.
  void synchronise(const WorkPointer& work);
  /// Waits for all work without looking at errors.
  void drain();
  /// Prints and throws the error that sticks.
  void report();

  /// Ends the context: waits for its work, or makes kernels give up, then gives back all that it owns.
  void destroy();
  /// Waits until `deadline` for all work; says whether it has finished.
  bool drain_until(std::chrono::steady_clock::time_point deadline);

 private:
  Context(CUcontext handle, unsigned context_flags, bool primary);
  std::vector<WorkPointer> unfinished(bool blocking_only);
  std::vector<WorkPointer> dependencies(const Stream& stream);
  WorkPointer last_of(Stream& stream);
  WorkPointer add(Stream& stream, std::function<void()> run, std::span<const WorkPointer> after, bool by_caller);

  CUcontext handle_;
  bool primary_;
  unsigned long long id_;
  std::atomic<int> error_{CUDA_SUCCESS};
  std::mutex order_;  // guards the streams' `last` and the lists below
  std::shared_ptr<Stream> legacy_;
  std::vector<std::shared_ptr<Stream>> streams_;
  std::vector<WorkPointer> retired_;  // last work of streams that are gone
  WorkPointer gate_;
};

/// The calling thread's contexts, the current one last.
std::vector<CUcontext>& context_stack();
/// The calling thread's context, or null where there is none; throws CONTEXT_IS_DESTROYED.
std::shared_ptr<Context> current_context();
/// The live context of a handle; null means the current one. Throws INVALID_CONTEXT.
std::shared_ptr<Context> context_of(CUcontext handle);
/// The per-thread default stream of this thread in a context.
std::shared_ptr<Stream> per_thread_stream(Context& context);

/// A stream with the context that orders its work.
struct StreamReference {
  std::shared_ptr<Context> context;
  std::shared_ptr<Stream> stream;
};

/// The stream that a handle means in a context: default streams by their values, others by the table. Throws
/// INVALID_HANDLE.
StreamReference stream_of(Context& context, CUstream handle);
/// The same for work of this very context: a stream of another one is an INVALID_HANDLE.
StreamReference own_stream_of(Context& context, CUstream handle);

/// The event of a handle; throws INVALID_HANDLE.
std::shared_ptr<Event> event_of(CUevent handle);

inline constexpr int least_stream_priority = 0;
inline constexpr int greatest_stream_priority = -5;

inline const CUstream legacy_stream_handle = reinterpret_cast<CUstream>(std::uintptr_t{1});
inline const CUstream per_thread_stream_handle = reinterpret_cast<CUstream>(std::uintptr_t{2});

}  // namespace emulator
