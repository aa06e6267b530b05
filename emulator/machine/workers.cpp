// SPDX-License-Identifier: Apache-2.0
// A queue of jobs; each is offered to as many threads as it wants.
#include "machine/workers.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

namespace emulator {

void WorkerPool::run(unsigned count, const std::function<void(unsigned)>& body) {
  if (count <= 1) {
    body(0);
    return;
  }
  Job job{&body, 1, count, 0};
  {
    const std::lock_guard lock(mutex_);
    grow(count - 1);
    jobs_.push_back(&job);
  }
  work_.notify_all();
  body(0);
  std::unique_lock lock(mutex_);
  const auto place = std::find(jobs_.begin(), jobs_.end(), &job);
  if (place != jobs_.end()) jobs_.erase(place);
  done_.wait(lock, [&job] { return job.running == 0; });
}

std::uint64_t WorkerPool::next_launch() {
  const std::lock_guard lock(mutex_);
  return launches_++;
}

void WorkerPool::grow(unsigned wanted) {
  while (threads_ < wanted) {
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      return;  // with fewer threads it takes longer
    }
    ++threads_;
  }
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !jobs_.empty(); });
    Job* job = jobs_.front();
    const unsigned worker = job->next++;
    if (job->next == job->count) jobs_.pop_front();
    ++job->running;
    lock.unlock();
    (*job->body)(worker);
    lock.lock();
    if (--job->running == 0) done_.notify_all();
  }
}

WorkerPool& worker_pool() {
  static auto* pool = new WorkerPool;
  return *pool;
}

}  // namespace emulator
