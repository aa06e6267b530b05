// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory: pages of the driver's own, and pages of the program that it registers.
#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

constexpr unsigned host_alloc_portable = 1;
constexpr unsigned host_alloc_device_map = 2;
constexpr unsigned host_alloc_flags = 7;
constexpr unsigned host_register_flags = 15;

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// The allocation of host memory that holds the pointer.
std::optional<Allocation> host_allocation(const void* pointer) {
  std::optional<Allocation> allocation = Device::instance().memory().find(number(pointer));
  if (allocation && allocation->kind != AllocationKind::pinned && allocation->kind != AllocationKind::registered) {
    return std::nullopt;
  }
  return allocation;
}

// Behind this the pages may be gone: no kernel of any context may still run on them.
void wait_for_all() {
  for (const auto& context : contexts().all()) context->drain();
}

void* allocate_host(Context& context, std::size_t bytes, unsigned flags) {
  require(bytes != 0 && (flags & ~host_alloc_flags) == 0);
  // With unified addressing every such allocation is mapped.
  return hold_host_memory(context, bytes, AllocationKind::pinned, flags | host_alloc_device_map);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  return context_call([&](Context& context) { output(pp) = allocate_host(context, bytesize, Flags); });
}

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
  return context_call([&](Context& context) { output(pp) = allocate_host(context, bytesize, host_alloc_portable); });
}

CUresult cuMemFreeHost(void* p) {
  return context_call([&](Context&) {
    require(p != nullptr);
    const std::optional<Holding> holding = holding_at(number(p));
    require(holding.has_value() && holding->kind == AllocationKind::pinned);
    wait_for_all();
    require(release_holding(number(p)));
  });
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  return context_call([&](Context& context) {
    require(p != nullptr && bytesize != 0 && (Flags & ~host_register_flags) == 0);
    require((Flags & 4u) == 0, CUDA_ERROR_NOT_SUPPORTED);  // memory of other devices
    hold_program_memory(context, p, bytesize, Flags | host_alloc_device_map);
  });
}

CUresult cuMemHostUnregister(void* p) {
  return context_call([&](Context&) {
    require(p != nullptr);
    const std::optional<Holding> holding = holding_at(number(p));
    require(holding.has_value() && holding->kind == AllocationKind::registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    wait_for_all();
    require(release_holding(number(p)), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  return context_call([&](Context&) {
    output(pdptr);
    require(Flags == 0 && host_allocation(p).has_value());
    *pdptr = number(p);
  });
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  return context_call([&](Context&) {
    output(pFlags);
    const std::optional<Allocation> allocation = host_allocation(p);
    require(allocation.has_value() && allocation->kind == AllocationKind::pinned);
    *pFlags = allocation->flags;
  });
}
}
