// SPDX-License-Identifier: Apache-2.0
// The executor: dependencies, markers, work that the caller runs, chains that are long.
#include "driver/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using emulator::Engine;
using emulator::Work;
using emulator::WorkPointer;

WorkPointer submit(std::function<void()> run, std::vector<WorkPointer> after = {}) {
  auto work = std::make_shared<Work>(std::move(run));
  Engine::instance().submit(work, after);
  return work;
}

TEST(Engine, RunsWorkBehindWhatItDependsOn) {
  std::mutex mutex;
  std::vector<int> order;
  const auto note = [&](int number) {
    return [&, number] {
      const std::lock_guard lock(mutex);
      order.push_back(number);
    };
  };
  std::atomic<bool> go{false};
  const WorkPointer gate = submit([&] {
    while (!go) std::this_thread::yield();
  });
  const WorkPointer first = submit(note(1), {gate});
  const WorkPointer second = submit(note(2), {first});
  const WorkPointer third = submit(note(3), {second, first});
  EXPECT_FALSE(third->finished());
  go = true;
  Engine::instance().wait(third);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Engine, AMarkerIsFinishedWithItsDependencies) {
  EXPECT_TRUE(submit(nullptr)->finished());
  EXPECT_TRUE(submit(nullptr, {nullptr})->finished());
  std::atomic<bool> go{false};
  const WorkPointer gate = submit([&] {
    while (!go) std::this_thread::yield();
  });
  const WorkPointer marker = submit(nullptr, {gate});
  EXPECT_FALSE(marker->finished());
  EXPECT_FALSE(Engine::instance().wait_until(marker, std::chrono::steady_clock::now()));
  go = true;
  Engine::instance().wait(marker);
  EXPECT_GE(marker->finish_time(), gate->finish_time());
}

TEST(Engine, TheCallerRunsItsWorkInTurn) {
  int value = 0;
  const WorkPointer before = submit([&] { value = 1; });
  std::thread::id ran_on;
  const auto own = std::make_shared<Work>([&] {
    value += 10;
    ran_on = std::this_thread::get_id();
  });
  const WorkPointer dependencies[] = {before};
  Engine::instance().submit_for_caller(own, dependencies);
  const WorkPointer after = submit([&] { value *= 2; }, {own});
  Engine::instance().run_here(own);
  Engine::instance().wait(after);
  EXPECT_EQ(value, 22);
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(Engine, ChainsOfMarkersMayBeLong) {
  std::atomic<bool> go{false};
  WorkPointer last = submit([&] {
    while (!go) std::this_thread::yield();
  });
  for (int count = 0; count < 200000; ++count) last = submit(nullptr, {last});
  go = true;
  Engine::instance().wait(last);
  EXPECT_TRUE(last->finished());
}

// Work that waits for other work without a dependency, as kernels of two streams may do.
TEST(Engine, IndependentWorkRunsAtTheSameTime) {
  constexpr int count = 16;
  std::atomic<int> arrived{0};
  std::vector<WorkPointer> works;
  for (int index = 0; index < count; ++index) {
    works.push_back(submit([&] {
      ++arrived;
      while (arrived < count) std::this_thread::yield();
    }));
  }
  for (const WorkPointer& work : works) Engine::instance().wait(work);
  EXPECT_EQ(arrived, count);
}

}  // namespace
