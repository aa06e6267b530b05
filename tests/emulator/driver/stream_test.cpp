// SPDX-License-Identifier: Apache-2.0
// Streams and events: order within and between them, default streams, times, callbacks.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "driver_fixture.hpp"

namespace {

using driver_test::HostFlag;

class Streams : public driver_test::WithContext {
 protected:
  static CUstream create(unsigned flags) {
    CUstream stream = nullptr;
    EXPECT_EQ(cuStreamCreate(&stream, flags), CUDA_SUCCESS);
    return stream;
  }
  static CUevent event(unsigned flags = CU_EVENT_DEFAULT) {
    CUevent made = nullptr;
    EXPECT_EQ(cuEventCreate(&made, flags), CUDA_SUCCESS);
    return made;
  }
  /// Keeps a stream busy until the flag is raised.
  void block(CUstream stream, const HostFlag& flag) {
    CUdeviceptr address = flag.address();
    EXPECT_EQ(launch(kernel("wait"), 1, 1, {&address}, stream), CUDA_SUCCESS);
  }
};

const CUstream legacy = reinterpret_cast<CUstream>(std::uintptr_t{1});
const CUstream per_thread = reinterpret_cast<CUstream>(std::uintptr_t{2});

TEST_F(Streams, WorkInOrder) {
  const CUstream stream = create(CU_STREAM_NON_BLOCKING);
  CUdeviceptr data = device_memory(4);
  EXPECT_EQ(cuMemsetD32_v2(data, 0, 1), CUDA_SUCCESS);
  std::uint32_t one = 1;
  for (std::uint32_t value = 1; value <= 50; ++value) {
    EXPECT_EQ(launch(kernel("add"), 1, 1, {&data, &value, &one}, stream), CUDA_SUCCESS);
    if (value == 25) {
      EXPECT_EQ(cuMemsetD32Async(data, 1000, 1, stream), CUDA_SUCCESS);
    }
  }
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{1000 + (26 + 50) * 25 / 2});
}

TEST_F(Streams, AreNotReadyWhileTheyWork) {
  HostFlag flag;
  const CUstream stream = create(CU_STREAM_NON_BLOCKING);
  const CUevent behind = event();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(behind), CUDA_SUCCESS);  // never recorded
  block(stream, flag);
  EXPECT_EQ(cuEventRecord(behind, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(behind), CUDA_ERROR_NOT_READY);
  flag.raise();
  EXPECT_EQ(cuEventSynchronize(behind), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(behind), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
}

TEST_F(Streams, WaitForEventsOfOthers) {
  HostFlag flag;
  const CUstream first = create(CU_STREAM_NON_BLOCKING);
  const CUstream second = create(CU_STREAM_NON_BLOCKING);
  const CUdeviceptr data = device_memory(4);
  const CUevent done = event(CU_EVENT_DISABLE_TIMING);
  block(first, flag);
  EXPECT_EQ(cuMemsetD32Async(data, 5, 1, first), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(done, first), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(second, done, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(data, 6, 1, second), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  flag.raise();
  EXPECT_EQ(cuStreamSynchronize(second), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{6});
}

// A recording means what was in the stream then, also when the event is recorded again.
TEST_F(Streams, WaitForTheRecordingThatWasTheLast) {
  HostFlag flag;
  const CUstream first = create(CU_STREAM_NON_BLOCKING);
  const CUstream second = create(CU_STREAM_NON_BLOCKING);
  const CUevent mark = event();
  EXPECT_EQ(cuEventRecord(mark, first), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(second, mark, 0), CUDA_SUCCESS);
  block(first, flag);
  EXPECT_EQ(cuEventRecord(mark, first), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(second), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(mark), CUDA_ERROR_NOT_READY);
}

TEST_F(Streams, TheLegacyOneIsABarrierForBlockingStreamsOnly) {
  HostFlag flag;
  const CUstream blocking = create(CU_STREAM_DEFAULT);
  const CUstream other = create(CU_STREAM_DEFAULT);
  const CUstream free = create(CU_STREAM_NON_BLOCKING);
  const CUdeviceptr data = device_memory(4);
  block(blocking, flag);
  EXPECT_EQ(cuMemsetD32Async(data, 1, 1, nullptr), CUDA_SUCCESS);  // waits for `blocking`
  EXPECT_EQ(cuMemsetD32Async(data, 2, 1, other), CUDA_SUCCESS);    // waits for the legacy stream
  EXPECT_EQ(cuMemsetD32Async(data, 3, 1, free), CUDA_SUCCESS);     // waits for nobody
  EXPECT_EQ(cuStreamSynchronize(free), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(legacy), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  flag.raise();
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{2});
}

TEST_F(Streams, ThePerThreadOneIsTheThreadsOwn) {
  HostFlag flag;
  const CUdeviceptr data = device_memory(4);
  block(per_thread, flag);
  EXPECT_EQ(cuStreamQuery(per_thread), CUDA_ERROR_NOT_READY);
  unsigned long long mine = 0;
  EXPECT_EQ(cuStreamGetId(per_thread, &mine), CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
    unsigned long long theirs = 0;
    EXPECT_EQ(cuStreamGetId(per_thread, &theirs), CUDA_SUCCESS);
    EXPECT_NE(mine, theirs);
    EXPECT_EQ(cuMemsetD32Async(data, 4, 1, per_thread), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(per_thread), CUDA_SUCCESS);
  }).join();
  flag.raise();
  EXPECT_EQ(cuStreamSynchronize(per_thread), CUDA_SUCCESS);
}

// The null stream of the exports with a suffix is the thread's own: a copy there does not wait for other threads' work.
TEST_F(Streams, TheSuffixedFormsMeanThePerThreadOne) {
  HostFlag flag;
  const CUdeviceptr data = device_memory(4);
  std::thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
    block(per_thread, flag);
  }).join();
  const std::uint32_t value = 8;
  EXPECT_EQ(cuMemcpyHtoD_v2_ptds(data, &value, 4), CUDA_SUCCESS);
  std::uint32_t back = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2_ptds(&back, data, 4), CUDA_SUCCESS);
  EXPECT_EQ(back, 8u);
  EXPECT_EQ(cuStreamQuery_ptsz(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
}

TEST_F(Streams, EventsTellTheTimeBetweenThem) {
  const CUstream stream = create(CU_STREAM_NON_BLOCKING);
  const CUevent first = event();
  const CUevent second = event();
  EXPECT_EQ(cuEventRecord(first, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchHostFunc(
                stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(second, stream), CUDA_SUCCESS);
  float milliseconds = 0;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, first, second), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventSynchronize(second), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, first, second), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 30.0f);
  EXPECT_LT(milliseconds, 5000.0f);
}

TEST_F(Streams, EventsWithoutTimeOrRecordingTellNone) {
  const CUevent timed = event();
  const CUevent untimed = event(CU_EVENT_DISABLE_TIMING);
  float milliseconds = 0;
  EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, timed, timed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(timed, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(untimed, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, timed, untimed), CUDA_ERROR_INVALID_HANDLE);
  CUevent made = nullptr;
  EXPECT_EQ(cuEventCreate(&made, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuEventCreate(&made, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuEventDestroy_v2(timed), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(timed, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventDestroy_v2(timed), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Streams, CallbacksGetStreamStatusAndData) {
  struct Seen {
    CUstream stream = nullptr;
    CUresult status = CUDA_ERROR_UNKNOWN;
  } seen;
  const CUstream stream = create(CU_STREAM_DEFAULT);
  const auto callback = [](CUstream given, CUresult status, void* data) {
    *static_cast<Seen*>(data) = {given, status};
  };
  EXPECT_EQ(cuStreamAddCallback(stream, callback, &seen, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, CUDA_SUCCESS);
  EXPECT_EQ(cuStreamAddCallback(stream, nullptr, &seen, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, DestroyedOnesFinishTheirWork) {
  HostFlag flag;
  const CUstream stream = create(CU_STREAM_NON_BLOCKING);
  const CUdeviceptr data = device_memory(4);
  block(stream, flag);
  EXPECT_EQ(cuMemsetD32Async(data, 12, 1, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  flag.raise();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 1), std::vector<std::uint32_t>{12});
}

TEST_F(Streams, KnowTheirProperties) {
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -100), CUDA_SUCCESS);
  int priority = 7;
  unsigned flags = 7;
  CUcontext context = nullptr;
  EXPECT_EQ(cuStreamGetPriority(stream, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5);
  EXPECT_EQ(cuStreamGetFlags(stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(cuStreamGetCtx(stream, &context), CUDA_SUCCESS);
  EXPECT_EQ(context, context_);
  EXPECT_EQ(cuStreamCreate(&stream, 2), CUDA_ERROR_INVALID_VALUE);
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_EQ(cuStreamIsCapturing(nullptr, &capturing), CUDA_SUCCESS);
  EXPECT_EQ(capturing, CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Streams, OfAnotherContextAreRefused) {
  const CUstream mine = create(CU_STREAM_DEFAULT);
  const CUevent my_event = event();
  CUcontext other = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  const CUstream theirs = create(CU_STREAM_DEFAULT);
  const CUdeviceptr data = device_memory(4);
  EXPECT_EQ(cuMemsetD32Async(data, 1, 1, mine), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(my_event, theirs), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(mine), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(theirs), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Streams, WaitForValuesInMemory) {
  HostFlag flag;
  const CUstream stream = create(CU_STREAM_NON_BLOCKING);
  const CUstream other = create(CU_STREAM_NON_BLOCKING);
  const CUdeviceptr data = device_memory(16);
  EXPECT_EQ(cuMemsetD32_v2(data, 0, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, data, 3, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWriteValue64_v2(stream, data + 8, 0x100000002, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamWriteValue32_v2(other, data, 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(values(data, 4), (std::vector<std::uint32_t>{4, 0, 2, 1}));
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, data + 2, 3, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, ManyThreadsMayUseOneContext) {
  constexpr unsigned threads = 8;
  constexpr std::uint32_t rounds = 50;
  const CUfunction add = kernel("add");
  std::vector<CUdeviceptr> data;
  for (unsigned index = 0; index < threads; ++index) data.push_back(device_memory(4));
  std::vector<std::thread> running;
  for (unsigned index = 0; index < threads; ++index) {
    running.emplace_back([&, index] {
      EXPECT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
      const CUstream stream = index % 2 == 0 ? create(CU_STREAM_NON_BLOCKING) : per_thread;
      EXPECT_EQ(cuMemsetD32Async(data[index], 0, 1, stream), CUDA_SUCCESS);
      std::uint32_t one = 1;
      for (std::uint32_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(launch(add, 1, 1, {&data[index], &one, &one}, stream), CUDA_SUCCESS);
        CUdeviceptr scratch = 0;
        EXPECT_EQ(cuMemAllocAsync(&scratch, 256, stream), CUDA_SUCCESS);
        EXPECT_EQ(cuMemFreeAsync(scratch, stream), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const CUdeviceptr one : data) EXPECT_EQ(values(one, 1), std::vector<std::uint32_t>{rounds});
}

}  // namespace
