// SPDX-License-Identifier: Apache-2.0
// Allocations by their first address, beside the address space's own records.
#include "driver/holdings.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/objects.hpp"
#include "driver/pool_object.hpp"

namespace emulator {
namespace {

struct Holdings {
  std::mutex mutex;
  std::map<std::uint64_t, Holding> by_begin;
};

Holdings& holdings() {
  static auto* const all = new Holdings;
  return *all;
}

AddressSpace& memory() { return Device::instance().memory(); }

Holding new_holding(const Context& context, AllocationKind kind, std::uint64_t size, unsigned flags) {
  Holding holding;
  holding.owner = context.id();
  holding.context = context.handle();
  holding.kind = kind;
  holding.size = size;
  holding.flags = flags;
  return holding;
}

void keep(std::uint64_t begin, Holding holding) {
  memory().label(begin, holding.owner, holding.flags);
  const std::lock_guard lock(holdings().mutex);
  holdings().by_begin[begin] = std::move(holding);
}

void give_back(std::uint64_t begin, const Holding& holding) {
  memory().release(begin);
  if (const auto pool = pools().find(holding.pool)) pool->freed(holding.size);
  if (holding.mapping != nullptr) munmap(holding.mapping, holding.mapping_bytes);
}

}  // namespace

CUdeviceptr hold_device_memory(Context& context, std::uint64_t size, AllocationKind kind, std::uint64_t alignment,
                               CUmemoryPool pool) {
  const std::optional<Allocation> allocation = memory().allocate(size, kind, alignment);
  require(allocation.has_value(), CUDA_ERROR_OUT_OF_MEMORY);
  Holding holding = new_holding(context, kind, size, 0);
  holding.pool = pool;
  keep(allocation->begin, std::move(holding));
  return allocation->begin;
}

void* hold_host_memory(Context& context, std::uint64_t size, AllocationKind kind, unsigned flags) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  require(size <= SIZE_MAX - page, CUDA_ERROR_OUT_OF_MEMORY);
  Holding holding = new_holding(context, kind, size, flags);
  holding.mapping_bytes = (size + page - 1) / page * page;
  holding.mapping =
      mmap(nullptr, holding.mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(holding.mapping != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  void* const begin = holding.mapping;
  if (!memory().add_host(begin, size, kind, flags)) {
    munmap(begin, holding.mapping_bytes);
    throw Failure{CUDA_ERROR_OUT_OF_MEMORY};
  }
  keep(reinterpret_cast<std::uint64_t>(begin), std::move(holding));
  return begin;
}

void hold_program_memory(Context& context, void* begin, std::uint64_t size, unsigned flags) {
  require(memory().add_host(begin, size, AllocationKind::registered, flags), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  keep(reinterpret_cast<std::uint64_t>(begin), new_holding(context, AllocationKind::registered, size, flags));
}

std::optional<Holding> holding_at(std::uint64_t begin) {
  const std::lock_guard lock(holdings().mutex);
  const auto found = holdings().by_begin.find(begin);
  if (found == holdings().by_begin.end()) return std::nullopt;
  return found->second;
}

void change_holding(std::uint64_t begin, const std::function<void(Holding&)>& change) {
  const std::lock_guard lock(holdings().mutex);
  const auto found = holdings().by_begin.find(begin);
  if (found != holdings().by_begin.end()) change(found->second);
}

bool release_holding(std::uint64_t begin) {
  Holding holding;
  {
    const std::lock_guard lock(holdings().mutex);
    const auto found = holdings().by_begin.find(begin);
    if (found == holdings().by_begin.end()) return false;
    holding = std::move(found->second);
    holdings().by_begin.erase(found);
  }
  give_back(begin, holding);
  return true;
}

void release_owned_by(unsigned long long owner) {
  std::vector<std::pair<std::uint64_t, Holding>> gone;
  {
    const std::lock_guard lock(holdings().mutex);
    auto& all = holdings().by_begin;
    for (auto entry = all.begin(); entry != all.end();) {
      if (entry->second.owner == owner) {
        gone.emplace_back(entry->first, std::move(entry->second));
        entry = all.erase(entry);
      } else {
        ++entry;
      }
    }
  }
  for (const auto& [begin, holding] : gone) give_back(begin, holding);
}

std::byte* device_bytes(std::uint64_t address, std::uint64_t bytes) {
  const std::optional<Allocation> allocation = memory().find(address);
  require(allocation.has_value() && allocation->contains(address, bytes));
  // Memory of device-side malloc is the kernels' own.
  require(allocation->kind != AllocationKind::heap);
  return allocation->host + (address - allocation->begin);
}

std::byte* any_bytes(std::uint64_t address, std::uint64_t bytes) {
  if (!is_pageable(address)) return device_bytes(address, bytes);
  require(address != 0);
  return reinterpret_cast<std::byte*>(address);
}

bool is_pageable(std::uint64_t address) {
  return !memory().in_device_range(address) && !memory().find(address).has_value();
}

}  // namespace emulator
