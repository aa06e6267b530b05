// SPDX-License-Identifier: Apache-2.0
// What the driver knows of each allocation beyond its address range: owner, pool, host mapping, advice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "driver/entry.hpp"
#include "memory/address_space.hpp"

namespace emulator {

/// Advice that cuMemAdvise and cuMemPrefetchAsync leave with managed memory.
struct ManagedAdvice {
  bool read_mostly = false;
  CUmemLocation preferred{CU_MEM_LOCATION_TYPE_INVALID, -2};
  CUmemLocation last_prefetch{CU_MEM_LOCATION_TYPE_INVALID, -2};
  std::set<int> accessed_by;
};

/// An allocation that an API call made.
struct Holding {
  unsigned long long owner = 0;  ///< Context::id()
  CUcontext context = nullptr;
  AllocationKind kind = AllocationKind::device;
  std::uint64_t size = 0;
  unsigned flags = 0;
  void* mapping = nullptr;  ///< host pages that the driver mapped for it
  std::size_t mapping_bytes = 0;
  CUmemoryPool pool = nullptr;
  bool sync_memops = false;
  ManagedAdvice advice;
};

/// Allocates device memory for a context. Throws OUT_OF_MEMORY.
CUdeviceptr hold_device_memory(Context& context, std::uint64_t size, AllocationKind kind, std::uint64_t alignment = 256,
                               CUmemoryPool pool = nullptr);
/// Maps host pages that kernels can use at the same address. Throws OUT_OF_MEMORY.
void* hold_host_memory(Context& context, std::uint64_t size, AllocationKind kind, unsigned flags);
/// Makes host memory of the program known to kernels. Throws HOST_MEMORY_ALREADY_REGISTERED.
void hold_program_memory(Context& context, void* memory, std::uint64_t size, unsigned flags);

/// The record of the allocation that begins at an address.
std::optional<Holding> holding_at(std::uint64_t begin);
/// Changes the record of the allocation that begins at an address.
void change_holding(std::uint64_t begin, const std::function<void(Holding&)>& change);
/// Gives an allocation back. The caller has waited for what may use it. False where no record begins there.
bool release_holding(std::uint64_t begin);
/// Gives back all that a context still owns.
void release_owned_by(unsigned long long owner);

/// The emulator's pointer to bytes that kernels may use. Throws INVALID_VALUE where they are not all of one allocation.
std::byte* device_bytes(std::uint64_t address, std::uint64_t bytes);
/// The same, or else pageable memory of the program; a device address that nothing lies at is an INVALID_VALUE.
std::byte* any_bytes(std::uint64_t address, std::uint64_t bytes);
/// Whether an address is the program's own memory, unknown to the device.
bool is_pageable(std::uint64_t address);

}  // namespace emulator
