// SPDX-License-Identifier: Apache-2.0
// Runs work in the order of its dependencies on detached threads. Streams and events are chains in this graph.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace emulator {

/// One piece of work: a kernel, a copy, a host function, or a marker with nothing to run.
class Work {
 public:
  /// Without a function it is a marker, finished as soon as what it depends on is.
  explicit Work(std::function<void()> run) : run_(std::move(run)) {}

  /// Whether it has finished.
  [[nodiscard]] bool finished() const { return finished_.load(std::memory_order_acquire); }
  /// When it finished; only once it has.
  [[nodiscard]] std::chrono::steady_clock::time_point finish_time() const { return finish_time_; }

 private:
  friend class Engine;
  std::function<void()> run_;
  bool by_caller_ = false;   // a waiting call runs it, not a thread of the engine
  bool may_run_ = false;     // by_caller_: its turn has come
  unsigned unfinished_ = 0;  // dependencies
  std::vector<std::shared_ptr<Work>> successors_;
  std::chrono::steady_clock::time_point finish_time_;
  std::atomic<bool> finished_{false};
};

using WorkPointer = std::shared_ptr<Work>;

/// The process's executor. Never destroyed: its threads may outlive the end of main.
class Engine {
 public:
  static Engine& instance();

  /// Hands over work that may run once all dependencies (null ones are skipped) have finished.
  void submit(const WorkPointer& work, std::span<const WorkPointer> dependencies);
  /// The same, but the calling thread will run it by run_here().
  void submit_for_caller(const WorkPointer& work, std::span<const WorkPointer> dependencies);
  /// Waits for the turn of a work given to submit_for_caller() and runs it.
  void run_here(const WorkPointer& work);
  /// Waits until it has finished.
  void wait(const WorkPointer& work);
  /// Waits at most until `deadline`; says whether it has finished.
  bool wait_until(const WorkPointer& work, std::chrono::steady_clock::time_point deadline);

 private:
  Engine() = default;
  void add(const WorkPointer& work, std::span<const WorkPointer> dependencies);
  void finish(WorkPointer work);
  void make_ready(const WorkPointer& work, std::vector<WorkPointer>& markers);
  void need_thread();
  void serve();

  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable work_finished_;
  std::deque<WorkPointer> ready_;
  std::size_t idle_ = 0;
  std::size_t threads_ = 0;
};

}  // namespace emulator
