// SPDX-License-Identifier: Apache-2.0
// The executor behind all streams: a graph of work and as many threads as run at a time.
#include "driver/engine.hpp"

#include <csignal>
#include <system_error>
#include <thread>

namespace emulator {
namespace {

// As many kernels as hardware runs side by side: a kernel may wait for what another stream does.
constexpr std::size_t most_threads = 128;
constexpr std::chrono::seconds idle_time{5};

// The program's signals belong to its own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Engine& Engine::instance() {
  static auto* const engine = new Engine;
  return *engine;
}

void Engine::submit(const WorkPointer& work, std::span<const WorkPointer> dependencies) {
  const std::lock_guard lock(mutex_);
  add(work, dependencies);
}

void Engine::submit_for_caller(const WorkPointer& work, std::span<const WorkPointer> dependencies) {
  const std::lock_guard lock(mutex_);
  work->by_caller_ = true;
  add(work, dependencies);
}

void Engine::add(const WorkPointer& work, std::span<const WorkPointer> dependencies) {
  for (const WorkPointer& dependency : dependencies) {
    if (dependency == nullptr || dependency->finished()) continue;
    dependency->successors_.push_back(work);
    ++work->unfinished_;
  }
  if (work->unfinished_ != 0) return;
  std::vector<WorkPointer> markers;
  make_ready(work, markers);
  for (const WorkPointer& marker : markers) finish(marker);
}

void Engine::make_ready(const WorkPointer& work, std::vector<WorkPointer>& markers) {
  if (work->by_caller_) {
    work->may_run_ = true;
    work_finished_.notify_all();
  } else if (!work->run_) {
    markers.push_back(work);
  } else {
    ready_.push_back(work);
    need_thread();
  }
}

// Chains of markers may be long: no recursion.
void Engine::finish(WorkPointer work) {
  std::vector<WorkPointer> markers{std::move(work)};
  while (!markers.empty()) {
    const WorkPointer done = std::move(markers.back());
    markers.pop_back();
    done->finish_time_ = std::chrono::steady_clock::now();
    done->finished_.store(true, std::memory_order_release);
    for (const WorkPointer& successor : done->successors_) {
      if (--successor->unfinished_ == 0) make_ready(successor, markers);
    }
    done->successors_.clear();
  }
  work_finished_.notify_all();
}

void Engine::need_thread() {
  if (idle_ >= ready_.size() || threads_ >= most_threads) {
    work_ready_.notify_one();
    return;
  }
  try {
    const SignalsBlocked blocked;
    std::thread([this] { serve(); }).detach();
    ++threads_;
  } catch (const std::system_error&) {
    // With one thread all work still gets done, one after the other.
    if (threads_ == 0) throw;
  }
}

void Engine::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (ready_.empty()) {
      ++idle_;
      const std::cv_status status = work_ready_.wait_for(lock, idle_time);
      --idle_;
      if (status == std::cv_status::timeout && ready_.empty()) {
        --threads_;
        return;
      }
    }
    const WorkPointer work = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    work->run_();
    work->run_ = nullptr;  // what it holds may be destroyed now, without the lock
    lock.lock();
    finish(work);
  }
}

void Engine::run_here(const WorkPointer& work) {
  {
    std::unique_lock lock(mutex_);
    work_finished_.wait(lock, [&] { return work->may_run_; });
  }
  work->run_();
  work->run_ = nullptr;
  const std::lock_guard lock(mutex_);
  finish(work);
}

void Engine::wait(const WorkPointer& work) {
  if (work == nullptr || work->finished()) return;
  std::unique_lock lock(mutex_);
  work_finished_.wait(lock, [&] { return work->finished(); });
}

bool Engine::wait_until(const WorkPointer& work, std::chrono::steady_clock::time_point deadline) {
  if (work == nullptr || work->finished()) return true;
  std::unique_lock lock(mutex_);
  return work_finished_.wait_until(lock, deadline, [&] { return work->finished(); });
}

}  // namespace emulator
