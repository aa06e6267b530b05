// SPDX-License-Identifier: Apache-2.0
// Libraries and their kernels: loaded once, usable in every context.
#include "driver/device.hpp"
#include "driver/module_object.hpp"
#include "driver/objects.hpp"

namespace emulator {
namespace {

std::shared_ptr<LibraryObject> library_of(CUlibrary handle) {
  std::shared_ptr<LibraryObject> library = libraries().find(handle);
  require(library != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return library;
}

std::shared_ptr<KernelObject> kernel_of(CUkernel handle) {
  require(handle != nullptr);
  std::shared_ptr<KernelObject> kernel = kernels().find(handle);
  require(kernel != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return kernel;
}

void check_library_options(unsigned count, const CUlibraryOption* options) {
  require(count == 0 || options != nullptr);
  for (unsigned index = 0; index < count; ++index) {
    require(options[index] >= 0 && options[index] < CU_LIBRARY_NUM_OPTIONS);
  }
}

CUlibrary load(const void* image, std::optional<std::size_t> size, JitOptions& options) {
  return logged(options, [&] { return libraries().add(std::make_shared<LibraryObject>(read_image(image, size))); });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions, void** jitOptionsValues,
                           unsigned int numJitOptions, CUlibraryOption* libraryOptions, void**,
                           unsigned int numLibraryOptions) {
  return device_call([&] {
    output(library);
    require(code != nullptr);
    check_library_options(numLibraryOptions, libraryOptions);
    JitOptions jit(numJitOptions, jitOptions, jitOptionsValues);
    *library = load(code, std::nullopt, jit);
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions, CUlibraryOption* libraryOptions,
                               void**, unsigned int numLibraryOptions) {
  return device_call([&] {
    output(library);
    check_library_options(numLibraryOptions, libraryOptions);
    JitOptions jit(numJitOptions, jitOptions, jitOptionsValues);
    const std::string bytes = read_file(fileName);
    *library = load(bytes.data(), bytes.size(), jit);
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return device_call([&] {
    const std::shared_ptr<LibraryObject> object = libraries().remove(library);
    require(object != nullptr, CUDA_ERROR_INVALID_HANDLE);
    object->unload();
  });
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  return device_call([&] {
    output(pKernel);
    require(name != nullptr);
    *pKernel = library_of(library)->kernel(library, name);
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  return device_call([&] { output(count) = static_cast<unsigned>(library_of(lib)->kernel_names().size()); });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  return device_call([&] {
    require(kernels != nullptr || numKernels == 0);
    const std::shared_ptr<LibraryObject> library = library_of(lib);
    unsigned index = 0;
    for (const std::string& name : library->kernel_names()) {
      if (index == numKernels) break;
      kernels[index++] = library->kernel(lib, name);
    }
  });
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  return context_call([&](Context& context) { output(pMod) = library_of(library)->instance(context)->handle(); });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return context_call([&](Context& context) {
    require(name != nullptr && (dptr != nullptr || bytes != nullptr));
    const std::optional<GlobalVariable> variable = library_of(library)->instance(context)->code().variable(name);
    require(variable.has_value(), CUDA_ERROR_NOT_FOUND);
    if (dptr != nullptr) *dptr = variable->address;
    if (bytes != nullptr) *bytes = variable->size;
  });
}

CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return context_call([&](Context& context) {
    require(name != nullptr && (dptr != nullptr || bytes != nullptr));
    const std::optional<GlobalVariable> variable = library_of(library)->instance(context)->code().variable(name);
    require(variable.has_value(), CUDA_ERROR_NOT_FOUND);
    const std::optional<Allocation> allocation = Device::instance().memory().find(variable->address);
    require(allocation.has_value() && allocation->kind == AllocationKind::managed, CUDA_ERROR_NOT_FOUND);
    if (dptr != nullptr) *dptr = variable->address;
    if (bytes != nullptr) *bytes = variable->size;
  });
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  return context_call([&](Context& context) { output(pFunc) = kernel_of(kernel)->function(context); });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  return device_call([&] { output(pLib) = kernel_of(kernel)->library_handle(); });
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
  return device_call([&] { output(name) = kernel_of(hfunc)->name().c_str(); });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return context_call([&](Context& context) {
    output(pi);
    require(dev == device_ordinal, CUDA_ERROR_INVALID_DEVICE);
    const CUresult result = cuFuncGetAttribute(pi, attrib, kernel_of(kernel)->function(context));
    require(result == CUDA_SUCCESS, result);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  return context_call([&](Context& context) {
    require(dev == device_ordinal, CUDA_ERROR_INVALID_DEVICE);
    const CUresult result = cuFuncSetAttribute(kernel_of(kernel)->function(context), attrib, val);
    require(result == CUDA_SUCCESS, result);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  return context_call([&](Context&) {
    require(dev == device_ordinal, CUDA_ERROR_INVALID_DEVICE);
    require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
    kernel_of(kernel)->settings().cache_config = config;
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  return context_call([&](Context& context) {
    const CUresult result =
        cuFuncGetParamInfo(kernel_of(kernel)->function(context), paramIndex, paramOffset, paramSize);
    require(result == CUDA_SUCCESS, result);
  });
}
}
