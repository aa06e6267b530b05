// SPDX-License-Identifier: Apache-2.0
// Contexts: creating and destroying, the thread's stack of them, their settings and limits.
#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

constexpr unsigned interface_version = 3020;
constexpr unsigned settable_flags = 0xff;

std::shared_ptr<Context> create(CUcontext& handle, unsigned flags, CUdevice device) {
  require((flags & ~settable_flags) == 0);
  require((flags & CU_CTX_SCHED_MASK) <= CU_CTX_SCHED_BLOCKING_SYNC && (flags & CU_CTX_SCHED_MASK) != 3);
  require(device == device_ordinal, CUDA_ERROR_INVALID_DEVICE);
  const auto made = reinterpret_cast<CUcontext>(next_handle_value());
  std::shared_ptr<Context> context = Context::make(made, flags, false);
  context_stack().push_back(made);
  handle = made;
  return context;
}

// The limits that the context keeps as plain numbers; null for the others.
std::atomic<std::size_t>* plain_limit(Context& context, CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE: return &context.limits.stack_size;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: return &context.limits.runtime_sync_depth;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT: return &context.limits.runtime_pending_launches;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY: return &context.limits.fetch_granularity;
    default: return nullptr;
  }
}

constexpr std::size_t most_stack_bytes = std::size_t{1} << 19;

void set_limit(Context& context, CUlimit limit, std::size_t value) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      require(value <= most_stack_bytes);
      context.limits.stack_size = (value + 15) / 16 * 16;
      return;
    case CU_LIMIT_PRINTF_FIFO_SIZE: context.prints.set_capacity(value); return;
    case CU_LIMIT_MALLOC_HEAP_SIZE: require(context.heap.set_limit(value)); return;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      require(value <= 128);
      context.limits.fetch_granularity = value;
      return;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: return;  // a wish: the device keeps none, as it answers
    default: break;
  }
  std::atomic<std::size_t>* const plain = plain_limit(context, limit);
  require(limit >= 0 && limit < CU_LIMIT_MAX);
  require(plain != nullptr, CUDA_ERROR_UNSUPPORTED_LIMIT);
  *plain = value;
}

std::size_t get_limit(Context& context, CUlimit limit) {
  require(limit >= 0 && limit < CU_LIMIT_MAX);
  switch (limit) {
    case CU_LIMIT_PRINTF_FIFO_SIZE: return context.prints.capacity();
    case CU_LIMIT_MALLOC_HEAP_SIZE: return context.heap.limit();
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: return 0;
    default: break;
  }
  std::atomic<std::size_t>* const plain = plain_limit(context, limit);
  require(plain != nullptr, CUDA_ERROR_UNSUPPORTED_LIMIT);
  return *plain;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return device_call([&] { create(output(pctx), flags, dev); });
}

CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams, unsigned int flags,
                        CUdevice dev) {
  return device_call([&] {
    output(pctx);
    require(paramsArray == nullptr || numParams == 0, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    create(*pctx, flags, dev);
  });
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags, CUdevice dev) {
  return device_call([&] {
    output(pctx);
    if (ctxCreateParams != nullptr) {
      require(ctxCreateParams->numExecAffinityParams == 0, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
      require(ctxCreateParams->cigParams == nullptr, CUDA_ERROR_NOT_SUPPORTED);
    }
    create(*pctx, flags, dev);
  });
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  return device_call([&] {
    const std::shared_ptr<Context> found = contexts().find(ctx);
    require(found != nullptr && !found->primary(), CUDA_ERROR_INVALID_CONTEXT);
    const std::shared_ptr<Context> context = contexts().remove(ctx);
    require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    std::vector<CUcontext>& stack = context_stack();
    if (!stack.empty() && stack.back() == ctx) stack.pop_back();
    context->destroy();
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  return device_call([&] {
    require(contexts().find(ctx) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    context_stack().push_back(ctx);
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* pctx) {
  return device_call([&] {
    std::vector<CUcontext>& stack = context_stack();
    require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
    if (pctx != nullptr) *pctx = stack.back();
    stack.pop_back();
  });
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  return device_call([&] {
    std::vector<CUcontext>& stack = context_stack();
    require(ctx == nullptr || contexts().find(ctx) != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    if (!stack.empty()) stack.pop_back();
    if (ctx != nullptr) stack.push_back(ctx);
  });
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  return device_call([&] {
    const std::vector<CUcontext>& stack = context_stack();
    output(pctx) = stack.empty() ? nullptr : stack.back();
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return device_call([&] {
    output(device);
    context_of(nullptr);
    *device = device_ordinal;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  return device_call([&] {
    output(device);
    context_of(ctx);
    *device = device_ordinal;
  });
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  return device_call([&] {
    output(version);
    context_of(ctx);
    *version = interface_version;
  });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  return device_call([&] { output(ctxId) = context_of(ctx)->id(); });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return device_call([&] { output(flags) = context_of(nullptr)->flags; });
}

CUresult cuCtxSetFlags(unsigned int flags) {
  return context_call([&](Context& context) {
    require((flags & ~settable_flags) == 0);
    context.flags = flags;
  });
}

CUresult cuCtxSynchronize() {
  return context_call([&](Context& context) { context.synchronise(); });
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  return device_call([&] {
    const std::shared_ptr<Context> context = context_of(ctx);
    context->report();
    context->synchronise();
  });
}

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  return device_call([&] {
    const std::shared_ptr<Context> context = context_of(hCtx);
    const std::shared_ptr<Event> event = event_of(hEvent);
    require(event->context.lock() == context, CUDA_ERROR_INVALID_HANDLE);
    const WorkPointer marker = context->mark_everything();
    const std::lock_guard lock(event->mutex);
    event->recorded = marker;
  });
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  return device_call([&] {
    const std::shared_ptr<Context> context = context_of(hCtx);
    const WorkPointer marker = event_of(hEvent)->marker();
    context->mark_everything({&marker, 1}, true);
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return context_call([&](Context& context) { set_limit(context, limit, value); });
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  return context_call([&](Context& context) { output(pvalue) = get_limit(context, limit); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  return context_call([&](Context& context) { output(pconfig) = context.cache_config; });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return context_call([&](Context& context) {
    require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
    context.cache_config = config;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
  return context_call([&](Context&) { output(pConfig) = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE; });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return context_call([&](Context&) {
    require(config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE && config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  });
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return context_call([&](Context&) {
    if (leastPriority != nullptr) *leastPriority = least_stream_priority;
    if (greatestPriority != nullptr) *greatestPriority = greatest_stream_priority;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return context_call([&](Context&) {});
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return context_call([&](Context&) {
    require(Flags == 0);
    context_of(peerContext);
    throw Failure{CUDA_ERROR_PEER_ACCESS_UNSUPPORTED};  // there is no other device
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return context_call([&](Context&) {
    context_of(peerContext);
    throw Failure{CUDA_ERROR_PEER_ACCESS_NOT_ENABLED};
  });
}
}
