// SPDX-License-Identifier: Apache-2.0
// Launches: what is wrong with one is said at once, what goes wrong in a kernel later.
#include "machine/launch.hpp"

#include <cstring>

#include "driver/device.hpp"
#include "driver/module_object.hpp"

namespace emulator {
namespace {

// Keys of the `extra` array.
void* const extra_end = nullptr;
void* const extra_buffer_pointer = reinterpret_cast<void*>(std::uintptr_t{1});
void* const extra_buffer_size = reinterpret_cast<void*>(std::uintptr_t{2});

struct Request {
  CUfunction function = nullptr;
  Dim3 grid;
  Dim3 block;
  unsigned shared_bytes = 0;
  CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
  bool cooperative = false;
  CUevent completion = nullptr;
};

std::vector<std::byte> from_pointers(const Kernel& kernel, void** pointers) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  require(pointers != nullptr || kernel.parameters.empty());
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    const EntryParameter& parameter = kernel.parameters[index];
    require(pointers[index] != nullptr);
    std::memcpy(bytes.data() + parameter.offset, pointers[index], parameter.bytes);
  }
  return bytes;
}

std::vector<std::byte> from_buffer(const Kernel& kernel, void** extra) {
  const void* buffer = nullptr;
  const std::size_t* size = nullptr;
  for (; *extra != extra_end; extra += 2) {
    if (extra[0] == extra_buffer_pointer) {
      buffer = extra[1];
    } else if (extra[0] == extra_buffer_size) {
      size = static_cast<const std::size_t*>(extra[1]);
    } else {
      throw Failure{CUDA_ERROR_INVALID_VALUE};
    }
  }
  require(size != nullptr && (buffer != nullptr || *size == 0));
  require(*size >= kernel.parameter_bytes);
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  if (!bytes.empty()) std::memcpy(bytes.data(), buffer, bytes.size());
  return bytes;
}

void check_sizes(const Request& request, const FunctionObject& function) {
  const Kernel& kernel = function.kernel();
  const Dim3& block = request.block;
  require(request.grid.x != 0 && request.grid.y != 0 && request.grid.z != 0);
  require(request.grid.x <= max_grid_x && request.grid.y <= max_grid_yz && request.grid.z <= max_grid_yz);
  require(block.x != 0 && block.y != 0 && block.z != 0);
  require(block.x <= max_block_threads && block.y <= max_block_threads && block.z <= max_block_z);
  require(block.count() <= max_block_threads && block.count() <= kernel.max_threads);
  if (kernel.required_threads[0] != 0) {
    require(block.x == kernel.required_threads[0] && block.y == kernel.required_threads[1] &&
            block.z == kernel.required_threads[2]);
  }
  require(request.shared_bytes <= function.dynamic_shared_limit());
}

void launch(const Request& request) {
  const std::shared_ptr<Context> context = require_context();
  const std::shared_ptr<FunctionObject> function = function_of(*context, request.function);
  const StreamReference stream = own_stream_of(*context, request.stream);
  require(function->context_id() == context->id(), CUDA_ERROR_INVALID_HANDLE);
  const std::shared_ptr<LoadedModule> module = function->module();
  require(module != nullptr, CUDA_ERROR_INVALID_HANDLE);
  require(request.parameters == nullptr || request.extra == nullptr);
  check_sizes(request, *function);
  const Kernel& kernel = function->kernel();
  auto work = std::make_shared<Launch>();
  work->kernel = &kernel;
  work->grid = request.grid;
  work->block = request.block;
  work->dynamic_shared = request.shared_bytes;
  work->cooperative = request.cooperative;
  work->stack_limit = static_cast<std::uint32_t>(context->limits.stack_size.load());
  work->parameters =
      request.extra != nullptr ? from_buffer(kernel, request.extra) : from_pointers(kernel, request.parameters);
  if (request.cooperative) {
    const auto threads = static_cast<std::uint32_t>(request.block.count());
    require(request.grid.count() <= cooperative_limit(kernel, threads, request.shared_bytes),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  }
  // What earlier kernels printed comes out at the next launch at the latest.
  context->prints.flush();
  const std::shared_ptr<Event> completion = request.completion == nullptr ? nullptr : event_of(request.completion);
  context->enqueue(*stream.stream, [owner = context.get(), work, module] {
    Device& device = Device::instance();
    const DeviceServices services{&device.memory(), &owner->prints, &owner->heap, device.threads(), &device.executed()};
    if (const std::optional<Fault> fault = run_grid(*work, services, owner->abandon)) owner->fail(*fault);
  });
  if (completion == nullptr) return;
  const std::lock_guard lock(completion->mutex);
  completion->recorded = context->enqueue(*stream.stream, nullptr);
}

// Attributes of cuLaunchKernelEx: what only tunes is accepted, clusters are refused.
void apply(const CUlaunchAttribute& attribute, Request& request) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: request.cooperative = attribute.value.cooperative != 0; return;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& cluster = attribute.value.clusterDim;
      require(cluster.x * cluster.y * cluster.z == 1, CUDA_ERROR_NOT_SUPPORTED);
      return;
    }
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: {
      const auto& cluster = attribute.value.preferredClusterDim;
      require(cluster.x * cluster.y * cluster.z == 1, CUDA_ERROR_NOT_SUPPORTED);
      return;
    }
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      request.completion = attribute.value.launchCompletionEvent.event;
      return;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    // Starting early is allowed, not promised.
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: return;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: throw Failure{CUDA_ERROR_NOT_SUPPORTED};
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE};
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  return device_call([&] {
    launch({f,
            {gridDimX, gridDimY, gridDimZ},
            {blockDimX, blockDimY, blockDimZ},
            sharedMemBytes,
            hStream,
            kernelParams,
            extra});
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void** kernelParams) {
  return device_call([&] {
    launch({f,
            {gridDimX, gridDimY, gridDimZ},
            {blockDimX, blockDimY, blockDimZ},
            sharedMemBytes,
            hStream,
            kernelParams,
            nullptr,
            true});
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
  return device_call([&] {
    require(config != nullptr);
    require(config->numAttrs == 0 || config->attrs != nullptr);
    Request request{f,
                    {config->gridDimX, config->gridDimY, config->gridDimZ},
                    {config->blockDimX, config->blockDimY, config->blockDimZ},
                    config->sharedMemBytes,
                    config->hStream,
                    kernelParams,
                    extra};
    for (unsigned index = 0; index < config->numAttrs; ++index) apply(config->attrs[index], request);
    launch(request);
  });
}
}
