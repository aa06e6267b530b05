// SPDX-License-Identifier: Apache-2.0
// Streams that wait for values in memory, and write them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "driver/context.hpp"
#include "driver/holdings.hpp"

namespace emulator {
namespace {

// One operation, checked.
struct MemoryOperation {
  CUstreamBatchMemOpType type;
  std::byte* place = nullptr;
  std::uint64_t value = 0;
  unsigned flags = 0;
};

constexpr unsigned comparison_mask = 3;

template <class Value>
bool holds(std::byte* place, Value wanted, unsigned flags) {
  const Value seen = std::atomic_ref<Value>(*reinterpret_cast<Value*>(place)).load(std::memory_order_acquire);
  switch (flags & comparison_mask) {
    // In a circle, as the interface defines it: counters may wrap around.
    case CU_STREAM_WAIT_VALUE_GEQ: return static_cast<std::make_signed_t<Value>>(seen - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ: return seen == wanted;
    case CU_STREAM_WAIT_VALUE_AND: return (seen & wanted) != 0;
    default: return static_cast<Value>(~(seen | wanted)) != 0;
  }
}

template <class Value>
void wait_for(const Context& context, const MemoryOperation& operation) {
  std::chrono::microseconds pause{10};
  while (!holds(operation.place, static_cast<Value>(operation.value), operation.flags)) {
    if (context.abandon.load() || context.error() != CUDA_SUCCESS) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds{1000});
  }
}

template <class Value>
void write(const MemoryOperation& operation) {
  std::atomic_ref<Value>(*reinterpret_cast<Value*>(operation.place))
      .store(static_cast<Value>(operation.value), std::memory_order_release);
}

void run(const Context& context, const MemoryOperation& operation) {
  switch (operation.type) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32: return wait_for<std::uint32_t>(context, operation);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: return wait_for<std::uint64_t>(context, operation);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: return write<std::uint32_t>(operation);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: return write<std::uint64_t>(operation);
    default: std::atomic_thread_fence(std::memory_order_seq_cst); return;
  }
}

MemoryOperation checked(CUstreamBatchMemOpType type, CUdeviceptr address, std::uint64_t value, unsigned flags) {
  const bool wide = type == CU_STREAM_MEM_OP_WAIT_VALUE_64 || type == CU_STREAM_MEM_OP_WRITE_VALUE_64;
  const bool waits = type == CU_STREAM_MEM_OP_WAIT_VALUE_32 || type == CU_STREAM_MEM_OP_WAIT_VALUE_64;
  const unsigned known = waits ? comparison_mask | CU_STREAM_WAIT_VALUE_FLUSH : 1u;
  const std::size_t bytes = wide ? 8 : 4;
  require((flags & ~known) == 0 && address % bytes == 0);
  return {type, device_bytes(address, bytes), value, flags};
}

MemoryOperation checked(const CUstreamBatchMemOpParams& parameters) {
  switch (parameters.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: {
      // Waiting and writing have the same members.
      const auto& wait = parameters.waitValue;
      return checked(parameters.operation, wait.address, wait.value64, wait.flags);
    }
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return {parameters.operation, nullptr, 0, 0};
    default: throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
}

void enqueue(CUstream handle, std::vector<MemoryOperation> operations) {
  const std::shared_ptr<Context> context = require_context();
  const StreamReference target = own_stream_of(*context, handle);
  context->enqueue(*target.stream, [owner = context.get(), operations = std::move(operations)] {
    for (const MemoryOperation& operation : operations) run(*owner, operation);
  });
}

CUresult one(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address, std::uint64_t value, unsigned flags) {
  return context_call([&](Context&) { enqueue(stream, {checked(type, address, value, flags)}); });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return one(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return one(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return one(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return one(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                               unsigned int flags) {
  return context_call([&](Context&) {
    constexpr unsigned most = 256;
    require(flags == 0 && count <= most && (count == 0 || paramArray != nullptr));
    std::vector<MemoryOperation> operations;
    for (unsigned index = 0; index < count; ++index) operations.push_back(checked(paramArray[index]));
    enqueue(stream, std::move(operations));
  });
}
}
