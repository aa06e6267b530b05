// SPDX-License-Identifier: Apache-2.0
// Driver functions by name, as the runtime hands them out.
#include "runtime/call.hpp"

namespace {

using namespace emulator::runtime;

constexpr unsigned long long per_thread_flag = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

// 0: the thread's default; legacy and per-thread stream flags are the driver's own numbers.
template <std::uintptr_t default_stream>
cudaError_t find(const char* name, void** function, unsigned int version, unsigned long long flags,
                 cudaDriverEntryPointQueryResult* result) {
  const unsigned long long wanted = flags == 0 && default_stream == per_thread_default ? per_thread_flag : flags;
  return initialized([&] {
    CUdriverProcAddressQueryResult answer = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult status = cuGetProcAddress_v2(name, function, static_cast<int>(version), wanted, &answer);
    if (result != nullptr) *result = static_cast<cudaDriverEntryPointQueryResult>(answer);
    // A name that is not there is an answer, not a failure, where the caller asked for the answer.
    return status == CUDA_ERROR_NOT_FOUND && result != nullptr ? CUDA_SUCCESS : status;
  });
}

template <std::uintptr_t default_stream>
cudaError_t find_newest(const char* name, void** function, unsigned long long flags,
                        cudaDriverEntryPointQueryResult* result) {
  return find<default_stream>(name, function, CUDA_BINDINGS_TYPES_RELEASE, flags, result);
}

}  // namespace

RUNTIME_EXPORT_TWINS(cudaGetDriverEntryPoint, _ptsz, find_newest,
                     (const char* name, void** function, unsigned long long flags,
                      cudaDriverEntryPointQueryResult* result),
                     name, function, flags, result)
RUNTIME_EXPORT_TWINS(cudaGetDriverEntryPointByVersion, _ptsz, find,
                     (const char* name, void** function, unsigned int version, unsigned long long flags,
                      cudaDriverEntryPointQueryResult* result),
                     name, function, version, flags, result)
