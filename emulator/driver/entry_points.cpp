// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress: the form of a function that the requested release means; and the list of what is implemented.
#include "driver/entry_table.hpp"

#include <map>
#include <string_view>

#include "common/options.hpp"
#include "driver/device.hpp"
#include "driver/entry.hpp"

namespace emulator {
namespace {

struct Answer {
  void* address = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

void* address_of(const EntryPoint& row, cuuint64_t flags) {
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  return per_thread && row.address_per_thread != nullptr ? row.address_per_thread : row.address;
}

// The newest form that callers of that release know; forms newer than the driver that is played do not exist.
Answer look_up(std::string_view name, int version, cuuint64_t flags) {
  Answer answer;
  for (const EntryPoint& row : entry_points()) {
    // A name with its version means that very form, as some callers write it.
    if ((name != row.base && name != row.link) || row.since > options().driver_version) continue;
    if (row.since > version) {
      if (answer.address == nullptr) answer.status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
      continue;
    }
    answer = {address_of(row, flags), CU_GET_PROC_ADDRESS_SUCCESS};
  }
  return answer;
}

constexpr cuuint64_t known_flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
  return guarded([&] {
    require(symbol != nullptr && (flags & ~known_flags) == 0 && flags != known_flags);
    const Answer answer = look_up(symbol, cudaVersion, flags);
    output(pfn) = answer.address;
    if (symbolStatus != nullptr) {
      *symbolStatus = answer.status;
    } else {
      require(answer.address != nullptr, CUDA_ERROR_NOT_FOUND);
    }
  });
}

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, nullptr);
}

CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  return guarded([&] {
    require(pExportTableId != nullptr);
    output(ppExportTable) = nullptr;
    throw Failure{CUDA_ERROR_NOT_FOUND};  // private interfaces: there are none
  });
}

/// Calls `visit` for every export of libcuda, sorted by name; returns how many there are.
EMULATOR_EXPORT int cuda_bindings_emulator_coverage(void (*visit)(const char* name, int implemented, void* data),
                                                    void* data) {
  // Some functions have two rows, for two names by which they may be asked for.
  std::map<std::string_view, bool> functions;
  for (const EntryPoint& row : entry_points()) functions[row.link] = row.implemented;
  for (const auto& [name, implemented] : functions) {
    if (visit != nullptr) visit(name.data(), implemented ? 1 : 0, data);
  }
  return static_cast<int>(functions.size());
}

/// Thread-instructions that kernels of this process have executed, counted before guards; makes the device if need be.
EMULATOR_EXPORT std::uint64_t cuda_bindings_emulator_thread_instructions() {
  return Device::instance().executed().load(std::memory_order_relaxed);
}
}
