// SPDX-License-Identifier: Apache-2.0
// The life of the process: initialisation, the child of a fork, and an end that neither waits for ever nor crashes.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/entry.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

constinit std::atomic<ProcessState> state{ProcessState::fresh};

// What is left of the parent's threads and locks cannot be used in a child; hardware's driver says the same.
void after_fork_in_child() {
  if (state.load() == ProcessState::ready) state = ProcessState::forked;
}

// Runs before the destructors of objects that are older than cuInit. Kernels get a moment to finish, then they give up.
void at_process_end() {
  if (state.exchange(ProcessState::ending) != ProcessState::ready) return;
  constexpr std::chrono::milliseconds patience{200};
  constexpr std::chrono::seconds last_patience{2};
  const auto live = contexts().all();
  const auto first_deadline = std::chrono::steady_clock::now() + patience;
  for (const auto& context : live) context->drain_until(first_deadline);
  for (const auto& context : live) context->abandon = true;
  const auto last_deadline = std::chrono::steady_clock::now() + last_patience;
  for (const auto& context : live) context->drain_until(last_deadline);
  for (const auto& context : live) context->prints.flush();
}

}  // namespace

ProcessState process_state() { return state.load(std::memory_order_acquire); }

void initialise_process() {
  if (process_state() == ProcessState::ready) return;
  require(process_state() != ProcessState::forked, CUDA_ERROR_NOT_INITIALIZED);
  require(process_state() != ProcessState::ending, CUDA_ERROR_DEINITIALIZED);
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  if (process_state() == ProcessState::ready) return;
  Device::instance();
  require(pthread_atfork(nullptr, nullptr, after_fork_in_child) == 0, CUDA_ERROR_OPERATING_SYSTEM);
  require(std::atexit(at_process_end) == 0, CUDA_ERROR_OPERATING_SYSTEM);
  state.store(ProcessState::ready, std::memory_order_release);
}

void require_initialised() {
  switch (process_state()) {
    case ProcessState::ready: return;
    case ProcessState::ending: throw Failure{CUDA_ERROR_DEINITIALIZED};
    case ProcessState::fresh:
    case ProcessState::forked: throw Failure{CUDA_ERROR_NOT_INITIALIZED};
  }
}

}  // namespace emulator
