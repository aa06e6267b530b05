// SPDX-License-Identifier: Apache-2.0
// The driver's functions whose answers the benchmark compares between its columns. Values are ours, chosen to be told
// apart; what costs anything (recording) is behind one flag.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "null.hpp"

using null_driver::count;

namespace {

constexpr int success = 0;
constexpr int not_found = 500;
constexpr int not_ready = 600;
constexpr int driver_version = 13000;

constexpr std::uintptr_t current_context = 0x10C0;
constexpr std::uintptr_t new_event = 0x20E0;
constexpr std::uint64_t new_memory = 0x7F0000000000;
constexpr std::uintptr_t busy_stream = 0xBAD0;  // cuStreamQuery: not ready
constexpr std::size_t graph_size = 1000;

struct EntryPoint {
  const char* name;
  int since;
  const char* link;
};

constexpr EntryPoint entry_points[] = {
#include "entry_points.inc"
};

// The newest form that the requested release has.
const char* link_name(const char* symbol, int release) {
  const char* found = nullptr;
  int newest = -1;
  for (const EntryPoint& each : entry_points) {
    if (std::strcmp(each.name, symbol) != 0 || each.since > release || each.since <= newest) continue;
    newest = each.since;
    found = each.link;
  }
  return found;
}

void* own_symbol(const char* name) {
  static void* const self = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&link_name), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return dlsym(self, name);
}

void* entry_point(const char* symbol, int release) {
  const char* link = link_name(symbol, release);
  return own_symbol(link != nullptr ? link : symbol);
}

// How many bytes each kernel argument has, for null_driver_kernel_arguments().
int argument_count = 0;
unsigned char argument_sizes[128];

template <class... Values>
void record_all(Values... values) {
  (null_driver::record(static_cast<std::uint64_t>(values)), ...);
}

void record_arguments(void** arguments) {
  for (int index = 0; index < argument_count; ++index) {
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[index], argument_sizes[index]);
    null_driver::record(value);
  }
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

/// Tells what the next recorded launches carry: the size of each argument.
NULL_EXPORT void null_driver_kernel_arguments(int size, const unsigned char* sizes) {
  argument_count = size;
  std::memcpy(argument_sizes, sizes, static_cast<std::size_t>(size));
}

#define ANSWER(name) count(null_driver::function_##name)

NULL_EXPORT int cuDriverGetVersion(int* version) {
  ANSWER(cuDriverGetVersion);
  *version = driver_version;
  return success;
}

NULL_EXPORT int cuGetProcAddress_v2(const char* symbol, void** function, int release, std::uint64_t, int* status) {
  ANSWER(cuGetProcAddress_v2);
  *function = entry_point(symbol, release);
  if (status != nullptr) *status = *function != nullptr ? 0 : 1;
  return *function != nullptr ? success : not_found;
}

NULL_EXPORT int cuGetProcAddress(const char* symbol, void** function, int release, std::uint64_t) {
  ANSWER(cuGetProcAddress);
  *function = entry_point(symbol, release);
  return *function != nullptr ? success : not_found;
}

NULL_EXPORT int cuCtxGetCurrent(void** context) {
  ANSWER(cuCtxGetCurrent);
  *context = reinterpret_cast<void*>(current_context);
  return success;
}

NULL_EXPORT int cuDeviceGet(int* device, int ordinal) {
  ANSWER(cuDeviceGet);
  *device = ordinal;
  return success;
}

NULL_EXPORT int cuDeviceGetCount(int* devices) {
  ANSWER(cuDeviceGetCount);
  *devices = 1;
  return success;
}

NULL_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  ANSWER(cuDeviceGetAttribute);
  *value = 1000 * attribute + device;
  return success;
}

NULL_EXPORT int cuStreamQuery(void* stream) {
  ANSWER(cuStreamQuery);
  return stream == reinterpret_cast<void*>(busy_stream) ? not_ready : success;
}

NULL_EXPORT int cuEventCreate(void** event, unsigned int) {
  ANSWER(cuEventCreate);
  *event = reinterpret_cast<void*>(new_event);
  return success;
}

NULL_EXPORT int cuEventRecord(void* event, void* stream) {
  ANSWER(cuEventRecord);
  if (null_driver::recording) record_all(number(event), number(stream));
  return success;
}

NULL_EXPORT int cuMemAlloc_v2(std::uint64_t* memory, std::size_t size) {
  ANSWER(cuMemAlloc_v2);
  *memory = new_memory + size;
  return success;
}

NULL_EXPORT int cuMemcpyHtoDAsync_v2(std::uint64_t target, const void* source, std::size_t size, void* stream) {
  ANSWER(cuMemcpyHtoDAsync_v2);
  if (null_driver::recording) record_all(target, number(source), size, number(stream));
  return success;
}

NULL_EXPORT int cuMemcpyDtoHAsync_v2(void* target, std::uint64_t source, std::size_t size, void* stream) {
  ANSWER(cuMemcpyDtoHAsync_v2);
  if (null_driver::recording) record_all(number(target), source, size, number(stream));
  return success;
}

NULL_EXPORT int cuMemcpyBatchAsync_v2(const std::uint64_t* targets, const std::uint64_t* sources,
                                      const std::size_t* sizes, std::size_t size, const void*, const std::size_t*,
                                      std::size_t attributes, void* stream) {
  ANSWER(cuMemcpyBatchAsync_v2);
  if (null_driver::recording) {
    record_all(size, targets[size - 1], sources[size - 1], sizes[size - 1], attributes, number(stream));
  }
  return success;
}

NULL_EXPORT int cuLaunchKernel(void* kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                               unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                               void* stream, void** arguments, void** extra) {
  ANSWER(cuLaunchKernel);
  if (null_driver::recording) {
    record_all(number(kernel), grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, number(stream),
               number(extra));
    record_arguments(arguments);
  }
  return success;
}

// The first members of CUlaunchConfig: three for the grid, three for the block, shared memory, stream.
struct Configuration {
  unsigned int numbers[7];
  void* stream;
};

NULL_EXPORT int cuLaunchKernelEx(const Configuration* configuration, void* kernel, void** arguments, void** extra) {
  ANSWER(cuLaunchKernelEx);
  if (null_driver::recording) {
    for (const unsigned int each : configuration->numbers) null_driver::record(each);
    record_all(number(configuration->stream), number(kernel), number(extra));
    record_arguments(arguments);
  }
  return success;
}

NULL_EXPORT int cuPointerGetAttribute(void* data, int attribute, std::uint64_t) {
  ANSWER(cuPointerGetAttribute);
  const unsigned int answer = 2;
  if (attribute == 2) std::memcpy(data, &answer, sizeof answer);  // the kind of memory: the device's
  return success;
}

NULL_EXPORT int cuMemPoolGetAttribute(void*, int, void* value) {
  ANSWER(cuMemPoolGetAttribute);
  const std::uint64_t answer = 1u << 30;
  std::memcpy(value, &answer, sizeof answer);
  return success;
}

NULL_EXPORT int cuGraphGetNodes(void*, std::uintptr_t* nodes, std::size_t* size) {
  ANSWER(cuGraphGetNodes);
  for (std::size_t index = 0; nodes != nullptr && index < *size && index < graph_size; ++index)
    nodes[index] = 16 + index;
  *size = graph_size;
  return success;
}

NULL_EXPORT int cuGraphGetEdges_v2(void*, std::uintptr_t* from, std::uintptr_t* to, void*, std::size_t* size) {
  ANSWER(cuGraphGetEdges_v2);
  for (std::size_t index = 0; from != nullptr && index < *size && index < graph_size; ++index) {
    from[index] = 16 + index;
    to[index] = 17 + index;
  }
  *size = graph_size;
  return success;
}

NULL_EXPORT int cuTensorMapEncodeTiled(std::uint64_t* map, int type, unsigned int rank, void* address,
                                       const std::uint64_t* sizes, const std::uint64_t* strides,
                                       const unsigned int* box, const unsigned int* steps, int interleave, int swizzle,
                                       int promotion, int fill) {
  ANSWER(cuTensorMapEncodeTiled);
  map[0] = rank;
  if (null_driver::recording) {
    record_all(type, rank, number(address), sizes[rank - 1], strides[0], box[rank - 1], steps[rank - 1], interleave,
               swizzle, promotion, fill);
  }
  return success;
}
