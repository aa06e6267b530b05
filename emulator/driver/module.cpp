// SPDX-License-Identifier: Apache-2.0
// Modules of a context: loading images, finding functions and variables.
#include "driver/module_object.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

std::shared_ptr<LoadedModule> module_of(CUmodule handle) {
  std::shared_ptr<LoadedModule> module = modules().find(handle);
  require(module != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return module;
}

CUmodule load(const Context& context, const void* image, std::optional<std::size_t> size, JitOptions& options) {
  return logged(options, [&] {
    const auto module = LoadedModule::load(context, read_image(image, size), false);
    options.info(describe_entries(module->code()));
    return module->handle();
  });
}

void load_data(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  const std::shared_ptr<Context> context = require_context();
  output(module);
  require(image != nullptr);
  JitOptions jit(count, options, values);
  *module = load(*context, image, std::nullopt, jit);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return context_call([&](Context& context) {
    output(module);
    const std::string bytes = read_file(fname);
    JitOptions none(0, nullptr, nullptr);
    *module = load(context, bytes.data(), bytes.size(), none);
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return device_call([&] { load_data(module, image, 0, nullptr, nullptr); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions, CUjit_option* options,
                            void** optionValues) {
  return device_call([&] { load_data(module, image, numOptions, options, optionValues); });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return device_call([&] { load_data(module, fatCubin, 0, nullptr, nullptr); });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return context_call([&](Context& context) {
    const std::shared_ptr<LoadedModule> module = module_of(hmod);
    require(!module->of_library(), CUDA_ERROR_INVALID_HANDLE);
    context.drain();
    context.prints.flush();
    require(modules().remove(hmod) != nullptr, CUDA_ERROR_INVALID_HANDLE);
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return device_call([&] { output(mode) = CU_MODULE_EAGER_LOADING; });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  return context_call([&](Context&) {
    output(hfunc);
    require(name != nullptr);
    *hfunc = module_of(hmod)->function(name);
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  return context_call(
      [&](Context&) { output(count) = static_cast<unsigned>(module_of(mod)->code().kernels().size()); });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions, CUmodule mod) {
  return context_call([&](Context&) {
    require(functions != nullptr || numFunctions == 0);
    const std::shared_ptr<LoadedModule> module = module_of(mod);
    unsigned index = 0;
    for (const Kernel* kernel : module->code().kernels()) {
      if (index == numFunctions) break;
      functions[index++] = module->function(kernel->name);
    }
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return context_call([&](Context&) {
    require(name != nullptr && (dptr != nullptr || bytes != nullptr));
    const std::optional<GlobalVariable> variable = module_of(hmod)->code().variable(name);
    require(variable.has_value(), CUDA_ERROR_NOT_FOUND);
    if (dptr != nullptr) *dptr = variable->address;
    if (bytes != nullptr) *bytes = variable->size;
  });
}
}
