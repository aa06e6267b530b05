// SPDX-License-Identifier: Apache-2.0
// What is known about a function, and what can be set.
#include "common/options.hpp"
#include "driver/device.hpp"
#include "driver/module_object.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

std::shared_ptr<FunctionObject> named_function(Context& context, CUfunction handle) {
  require(handle != nullptr);
  return function_of(context, handle);
}

int get_attribute(const FunctionObject& function, CUfunction_attribute attribute) {
  const Kernel& kernel = function.kernel();
  const auto as_int = [](std::uint64_t value) { return static_cast<int>(value); };
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return as_int(kernel.max_threads);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return as_int(kernel.static_shared);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return as_int(kernel.constant_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return as_int(kernel.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return as_int(kernel.registers);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: return as_int(kernel.target);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return as_int(options().compute_capability);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return as_int(function.dynamic_shared_limit());
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return function.settings().carveout;
    // No clusters, and no choice of caches.
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return 0;
    case CU_FUNC_ATTRIBUTE_MAX: break;
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE};
}

void set_attribute(const FunctionObject& function, CUfunction_attribute attribute, int value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const std::uint32_t most = Device::instance().limits().shared_per_block;
      require(value >= 0 && std::uint64_t{function.kernel().static_shared} + static_cast<unsigned>(value) <= most);
      function.settings().max_dynamic_shared = value;
      return;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100);
      function.settings().carveout = value;
      return;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: throw Failure{CUDA_ERROR_NOT_SUPPORTED};
    default: throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return context_call([&](Context& context) { output(pi) = get_attribute(*function_of(context, hfunc), attrib); });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return context_call([&](Context& context) { set_attribute(*function_of(context, hfunc), attrib, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return context_call([&](Context& context) {
    require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
    function_of(context, hfunc)->settings().cache_config = config;
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  return context_call([&](Context& context) {
    require(config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE && config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
    function_of(context, hfunc);
  });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  return context_call([&](Context& context) {
    output(hmod);
    const std::shared_ptr<LoadedModule> module = function_of(context, hfunc)->module();
    require(module != nullptr, CUDA_ERROR_INVALID_HANDLE);
    *hmod = module->handle();
  });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return context_call([&](Context& context) { output(name) = named_function(context, hfunc)->kernel().name.c_str(); });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  return context_call([&](Context& context) {
    output(paramOffset);
    const std::vector<EntryParameter>& parameters = function_of(context, func)->kernel().parameters;
    require(paramIndex < parameters.size());
    *paramOffset = parameters[paramIndex].offset;
    if (paramSize != nullptr) *paramSize = parameters[paramIndex].bytes;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return context_call([&](Context& context) {
    output(state);
    function_of(context, function);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return context_call([&](Context& context) { function_of(context, function); });
}
}
