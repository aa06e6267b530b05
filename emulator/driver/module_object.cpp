// SPDX-License-Identifier: Apache-2.0
// The life of modules, libraries, functions and kernels.
#include "driver/module_object.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "common/options.hpp"
#include "driver/device.hpp"
#include "driver/objects.hpp"
#include "ptx/image.hpp"

namespace emulator {

// ---- functions

FunctionObject::FunctionObject(const std::shared_ptr<LoadedModule>& module, const Kernel& kernel,
                               std::shared_ptr<FunctionSettings> settings)
    : module_(module), kernel_(kernel), settings_(std::move(settings)), context_id_(module->context_id()) {}

std::uint32_t FunctionObject::dynamic_shared_limit() const {
  const int set = settings_->max_dynamic_shared;
  if (set >= 0) return static_cast<std::uint32_t>(set);
  return kernel_.static_shared >= default_shared_per_block ? 0 : default_shared_per_block - kernel_.static_shared;
}

std::shared_ptr<FunctionObject> function_of(Context& context, CUfunction handle) {
  std::shared_ptr<FunctionObject> function = functions().find(handle);
  if (function == nullptr) {
    const auto kernel = kernels().find(reinterpret_cast<CUkernel>(handle));
    require(kernel != nullptr, CUDA_ERROR_INVALID_HANDLE);
    function = functions().find(kernel->function(context));
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
  }
  return function;
}

// ---- modules

LoadedModule::LoadedModule(const Context& context, std::unique_ptr<Module> code, bool of_library)
    : context_id_(context.id()), of_library_(of_library), code_(std::move(code)) {}

LoadedModule::~LoadedModule() {
  for (const auto& entry : functions_) functions().remove(entry.second);
}

std::shared_ptr<LoadedModule> LoadedModule::adopt(const Context& context, std::unique_ptr<Module> code,
                                                  bool of_library) {
  std::shared_ptr<LoadedModule> module(new LoadedModule(context, std::move(code), of_library));
  module->handle_ = modules().add(module);
  return module;
}

std::shared_ptr<LoadedModule> LoadedModule::load(const Context& context, std::string ptx, bool of_library) {
  return adopt(context, Module::load(std::move(ptx), Device::instance().memory()), of_library);
}

CUfunction LoadedModule::function(const std::string& name, std::shared_ptr<FunctionSettings> settings) {
  const std::lock_guard lock(mutex_);
  const auto known = functions_.find(name);
  if (known != functions_.end()) return known->second;
  const Kernel* const kernel = code_->kernel(name);
  require(kernel != nullptr, CUDA_ERROR_NOT_FOUND);
  if (settings == nullptr) settings = std::make_shared<FunctionSettings>();
  const CUfunction handle =
      functions().add(std::make_shared<FunctionObject>(shared_from_this(), *kernel, std::move(settings)));
  functions_[name] = handle;
  return handle;
}

// ---- libraries

LibraryObject::LibraryObject(std::string ptx) : ptx_(std::move(ptx)) {
  unused_ = Module::load(ptx_, Device::instance().memory());
  for (const Kernel* kernel : unused_->kernels()) names_.push_back(kernel->name);
}

std::shared_ptr<LoadedModule> LibraryObject::instance(const Context& context) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<LoadedModule>& place = instances_[context.id()];
  std::shared_ptr<LoadedModule> module = place.lock();
  if (module == nullptr) {
    module = unused_ != nullptr ? LoadedModule::adopt(context, std::move(unused_), true)
                                : LoadedModule::load(context, ptx_, true);
    place = module;  // the table of modules owns it: it goes with its context
  }
  return module;
}

CUkernel LibraryObject::kernel(CUlibrary own, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second;
  require(std::find(names_.begin(), names_.end(), name) != names_.end(), CUDA_ERROR_NOT_FOUND);
  const CUkernel handle = kernels().add(std::make_shared<KernelObject>(own, weak_from_this(), name));
  kernels_[name] = handle;
  return handle;
}

void LibraryObject::unload() {
  for (const auto& context : contexts().all()) context->drain();
  const std::lock_guard lock(mutex_);
  for (const auto& entry : kernels_) kernels().remove(entry.second);
  for (const auto& entry : instances_) {
    if (const auto module = entry.second.lock()) modules().remove(module->handle());
  }
  kernels_.clear();
  instances_.clear();
  unused_.reset();
}

CUfunction KernelObject::function(const Context& context) {
  const std::shared_ptr<LibraryObject> library = library_.lock();
  require(library != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return library->instance(context)->function(name_, settings_);
}

// ---- images

std::string read_image(const void* image, std::optional<std::size_t> size) {
  require(image != nullptr);
  return ptx::ptx_of_image(image, size, options().compute_capability);
}

std::string read_file(const char* path) {
  require(path != nullptr);
  std::ifstream file(path, std::ios::binary);
  require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  require(!file.bad(), CUDA_ERROR_FILE_NOT_FOUND);
  return bytes;
}

std::string describe_entries(const Module& module) {
  std::string text;
  for (const Kernel* kernel : module.kernels()) {
    char line[160];
    std::snprintf(line, sizeof line,
                  ": decoded for the emulated device: about %u registers, %u bytes shared, %u bytes local, "
                  "%u bytes of parameters\n",
                  kernel->registers, kernel->static_shared, kernel->local_bytes, kernel->parameter_bytes);
    text += "ptxas info    : entry " + kernel->name + line;
  }
  return text;
}

}  // namespace emulator
