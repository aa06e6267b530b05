// SPDX-License-Identifier: Apache-2.0
// The device's primary context: shared by all who retain it, gone with the last release; its handle stays the same.
#include <mutex>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

struct Primary {
  std::mutex mutex;
  const CUcontext handle = reinterpret_cast<CUcontext>(next_handle_value());
  unsigned retained = 0;
  unsigned flags = CU_CTX_SCHED_AUTO;
  std::shared_ptr<Context> context;
};

Primary& primary() {
  static auto* const one = new Primary;
  return *one;
}

void require_device(CUdevice device) { require(device == device_ordinal, CUDA_ERROR_INVALID_DEVICE); }

// Takes the context out of reach; the caller ends it without holding the lock.
std::shared_ptr<Context> take_away(Primary& one) {
  one.retained = 0;
  contexts().remove(one.handle);
  return std::move(one.context);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  return device_call([&] {
    output(pctx);
    require_device(dev);
    Primary& one = primary();
    const std::lock_guard lock(one.mutex);
    if (one.context == nullptr) one.context = Context::make(one.handle, one.flags, true);
    ++one.retained;
    *pctx = one.handle;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  return device_call([&] {
    require_device(dev);
    Primary& one = primary();
    std::shared_ptr<Context> gone;
    {
      const std::lock_guard lock(one.mutex);
      require(one.retained != 0, CUDA_ERROR_INVALID_CONTEXT);
      if (--one.retained == 0) gone = take_away(one);
    }
    if (gone != nullptr) gone->destroy();
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  return device_call([&] {
    require_device(dev);
    Primary& one = primary();
    std::shared_ptr<Context> gone;
    {
      const std::lock_guard lock(one.mutex);
      gone = take_away(one);
      one.flags = CU_CTX_SCHED_AUTO;
    }
    if (gone != nullptr) gone->destroy();
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  return device_call([&] {
    output(flags);
    output(active);
    require_device(dev);
    Primary& one = primary();
    const std::lock_guard lock(one.mutex);
    *flags = one.context == nullptr ? one.flags : one.context->flags.load();
    *active = one.context == nullptr ? 0 : 1;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  return device_call([&] {
    require_device(dev);
    require((flags & ~0xffu) == 0);
    Primary& one = primary();
    const std::lock_guard lock(one.mutex);
    one.flags = flags;
    if (one.context != nullptr) one.context->flags = flags;
  });
}
}
