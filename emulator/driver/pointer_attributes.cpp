// SPDX-License-Identifier: Apache-2.0
// What is known about a pointer.
#include <cstring>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/holdings.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

struct PointerFacts {
  CUdeviceptr address = 0;
  std::optional<Allocation> allocation;
  std::optional<Holding> holding;

  [[nodiscard]] bool host() const {
    return allocation->kind == AllocationKind::pinned || allocation->kind == AllocationKind::registered;
  }
  [[nodiscard]] bool managed() const { return allocation->kind == AllocationKind::managed; }
};

PointerFacts facts_of(CUdeviceptr address) {
  PointerFacts facts;
  facts.address = address;
  facts.allocation = Device::instance().memory().find(address);
  if (facts.allocation) facts.holding = holding_at(facts.allocation->begin);
  return facts;
}

template <class T>
void put(void* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

// The context of a variable's module is not recorded with it: the thread's own then.
CUcontext context_handle(const PointerFacts& facts) {
  if (facts.holding) return facts.holding->context;
  const auto context = current_context();
  return context == nullptr ? nullptr : context->handle();
}

// What an address outside every allocation answers to the call that asks for several attributes.
void put_unknown(CUpointer_attribute attribute, void* place) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return put(place, std::uint64_t{0});
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS: std::memset(place, 0, sizeof(CUDA_POINTER_ATTRIBUTE_P2P_TOKENS)); return;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return put(place, std::uint64_t{0});
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return put(place, -2);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return put(place, 0u);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return put(place, false);
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE};
}

void put_known(CUpointer_attribute attribute, const PointerFacts& facts, void* place) {
  const Allocation& allocation = *facts.allocation;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return put(place, context_handle(facts));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put(place, static_cast<unsigned>(facts.host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return put(place, facts.address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: require(facts.host() || facts.managed()); return put(place, facts.address);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS: throw Failure{CUDA_ERROR_NOT_SUPPORTED};
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return put(place, facts.holding && facts.holding->sync_memops);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return put(place, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return put(place, facts.managed());
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return put(place, device_ordinal);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return put(place, false);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return put(place, allocation.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return put(place, allocation.size);
    case CU_POINTER_ATTRIBUTE_MAPPED: return put(place, true);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return put(place, std::uint64_t{0});
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(place, static_cast<unsigned>(CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE));
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return put(place, facts.holding ? facts.holding->pool : nullptr);
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE};
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return device_call([&] {
    require(data != nullptr);
    const PointerFacts facts = facts_of(ptr);
    require(facts.allocation.has_value());
    put_known(attribute, facts, data);
  });
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr ptr) {
  return device_call([&] {
    require(attributes != nullptr && data != nullptr);
    const PointerFacts facts = facts_of(ptr);
    for (unsigned index = 0; index < numAttributes; ++index) {
      require(data[index] != nullptr);
      const CUpointer_attribute attribute = attributes[index];
      const bool answerable =
          facts.allocation && guarded([&] { put_known(attribute, facts, data[index]); }) == CUDA_SUCCESS;
      if (!answerable) put_unknown(attribute, data[index]);
    }
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return device_call([&] {
    require(value != nullptr && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    const PointerFacts facts = facts_of(ptr);
    require(facts.holding.has_value());
    const bool wanted = *static_cast<const unsigned char*>(value) != 0;
    change_holding(facts.allocation->begin, [&](Holding& holding) { holding.sync_memops = wanted; });
  });
}
}
