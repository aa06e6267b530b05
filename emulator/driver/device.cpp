// SPDX-License-Identifier: Apache-2.0
// The device itself, and the calls that ask which devices there are.
#include "driver/device.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

#include "common/options.hpp"
#include "driver/entry.hpp"

namespace emulator {
namespace {

constexpr std::uint32_t kib = 1024;

// Compute capability, shared memory a block and a multiprocessor, reserved, unit, threads and blocks a multiprocessor.
constexpr CapabilityLimits capability_rows[] = {
    {75, 64 * kib, 64 * kib, 0, 256, 1024, 16},     {80, 163 * kib, 164 * kib, kib, 128, 2048, 32},
    {86, 99 * kib, 100 * kib, kib, 128, 1536, 16},  {87, 163 * kib, 164 * kib, kib, 128, 1536, 16},
    {89, 99 * kib, 100 * kib, kib, 128, 1536, 24},  {90, 227 * kib, 228 * kib, kib, 128, 2048, 32},
    {120, 99 * kib, 100 * kib, kib, 128, 1536, 24},
};

const CapabilityLimits& limits_of(unsigned capability) {
  const CapabilityLimits* found = &capability_rows[0];
  for (const CapabilityLimits& row : capability_rows) {
    if (row.capability <= capability) found = &row;
  }
  return *found;
}

std::uint64_t memory_size() {
  constexpr std::uint64_t most = std::uint64_t{8} << 30;
  constexpr std::uint64_t unit = std::uint64_t{2} << 20;
  if (options().memory_bytes != 0) return options().memory_bytes;
  const std::uint64_t host =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(host / 2, most) / unit * unit;
}

unsigned thread_count() {
  if (options().threads != 0) return options().threads;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<unsigned>(CPU_COUNT(&allowed));
  return std::max(1u, std::thread::hardware_concurrency());
}

void require_device(CUdevice device) { require(device == device_ordinal, CUDA_ERROR_INVALID_DEVICE); }

}  // namespace

Device::Device() : memory_(memory_size()), threads_(thread_count()), limits_(limits_of(options().compute_capability)) {}

Device& Device::instance() {
  static auto* const device = new Device;
  return *device;
}

}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuInit(unsigned int Flags) {
  return guarded([&] {
    require(Flags == 0);
    initialise_process();
  });
}

CUresult cuDriverGetVersion(int* driverVersion) {
  return guarded([&] { output(driverVersion) = options().driver_version; });
}

CUresult cuDeviceGetCount(int* count) {
  return device_call([&] { output(count) = 1; });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return device_call([&] {
    output(device);
    require_device(ordinal);
    *device = device_ordinal;
  });
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return device_call([&] {
    output(name);
    require(len > 0);
    require_device(dev);
    std::memset(name, 0, static_cast<std::size_t>(len));
    std::memcpy(name, device_name, std::min(sizeof device_name, static_cast<std::size_t>(len)) - 1);
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  return device_call([&] {
    output(uuid);
    require_device(dev);
    std::memcpy(uuid->bytes, device_uuid, sizeof uuid->bytes);
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  return device_call([&] {
    output(bytes);
    require_device(dev);
    *bytes = Device::instance().memory().total_bytes();
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  return device_call([&] {
    output(major);
    output(minor);
    require_device(dev);
    *major = static_cast<int>(options().compute_capability / 10);
    *minor = static_cast<int>(options().compute_capability % 10);
  });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  return device_call([&] {
    output(pciBusId);
    require_device(dev);
    static constexpr char id[] = "0000:00:00.0";
    require(len >= static_cast<int>(sizeof id));
    std::memcpy(pciBusId, id, sizeof id);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  return device_call([&] {
    output(dev);
    require(pciBusId != nullptr);
    const std::string id = pciBusId;
    require(id == "0000:00:00.0" || id == "0000:00:00" || id == "00:00.0", CUDA_ERROR_INVALID_DEVICE);
    *dev = device_ordinal;
  });
}

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return device_call([&] {
    output(canAccessPeer);
    require_device(dev);
    require_device(peerDev);
    *canAccessPeer = 0;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute, CUdevice srcDevice, CUdevice dstDevice) {
  return device_call([&] {
    output(value);
    require_device(srcDevice);
    require_device(dstDevice);
    // Asked of two different devices only, and there is just one.
    require(false, CUDA_ERROR_INVALID_DEVICE);
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType type, CUdevice dev) {
  return device_call([&] {
    output(pi);
    require_device(dev);
    require(type >= 0 && type < CU_EXEC_AFFINITY_TYPE_MAX);
    *pi = 0;
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format, unsigned numChannels,
                                            CUdevice dev) {
  return device_call([&] {
    output(maxWidthInElements);
    require_device(dev);
    require(numChannels == 1 || numChannels == 2 || numChannels == 4);
    *maxWidthInElements = 0;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  return device_call([&] {
    output(prop);
    require_device(dev);
    const auto attribute = [&](CUdevice_attribute which) {
      int value = 0;
      require(cuDeviceGetAttribute(&value, which, dev) == CUDA_SUCCESS);
      return value;
    };
    prop->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (int axis = 0; axis < 3; ++axis) {
      prop->maxThreadsDim[axis] =
          attribute(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis));
      prop->maxGridSize[axis] = attribute(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis));
    }
    prop->sharedMemPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    prop->totalConstantMemory = attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    prop->SIMDWidth = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    prop->memPitch = attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    prop->regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    prop->clockRate = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    prop->textureAlign = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  });
}
}
