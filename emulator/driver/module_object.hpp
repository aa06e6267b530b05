// SPDX-License-Identifier: Apache-2.0
// Modules, libraries, and the functions and kernels that they hold, as handles mean them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decode/module.hpp"
#include "driver/context.hpp"
#include "driver/jit_options.hpp"

namespace emulator {

class LoadedModule;

/// What cuFuncSetAttribute and cuKernelSetAttribute change.
struct FunctionSettings {
  std::atomic<int> max_dynamic_shared{-1};  ///< -1: as much as fits beside the static part without the opt-in
  std::atomic<int> carveout{-1};
  std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE};
};

/// A function of a module in one context.
class FunctionObject {
 public:
  FunctionObject(const std::shared_ptr<LoadedModule>& module, const Kernel& kernel,
                 std::shared_ptr<FunctionSettings> settings);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] FunctionSettings& settings() const { return *settings_; }
  /// Keeps the code alive while a kernel runs; null once the module is unloaded.
  [[nodiscard]] std::shared_ptr<LoadedModule> module() const { return module_.lock(); }
  [[nodiscard]] unsigned long long context_id() const { return context_id_; }
  /// Dynamic shared memory that a launch may ask for.
  [[nodiscard]] std::uint32_t dynamic_shared_limit() const;

 private:
  std::weak_ptr<LoadedModule> module_;
  const Kernel& kernel_;
  std::shared_ptr<FunctionSettings> settings_;
  unsigned long long context_id_;
};

/// An instance of a module in a context.
class LoadedModule : public std::enable_shared_from_this<LoadedModule> {
 public:
  /// Loads PTX into a context and gives it a handle.
  static std::shared_ptr<LoadedModule> load(const Context& context, std::string ptx, bool of_library);
  /// Takes a module that was loaded before it had a context.
  static std::shared_ptr<LoadedModule> adopt(const Context& context, std::unique_ptr<Module> code, bool of_library);
  ~LoadedModule();

  [[nodiscard]] CUmodule handle() const { return handle_; }
  [[nodiscard]] unsigned long long context_id() const { return context_id_; }
  [[nodiscard]] bool of_library() const { return of_library_; }
  [[nodiscard]] const Module& code() const { return *code_; }
  /// The handle of an entry, made at the first call. Throws NOT_FOUND. Settings are the kernel's, if it is one's.
  CUfunction function(const std::string& name, std::shared_ptr<FunctionSettings> settings = nullptr);

 private:
  LoadedModule(const Context& context, std::unique_ptr<Module> code, bool of_library);

  CUmodule handle_ = nullptr;
  unsigned long long context_id_;
  bool of_library_;
  std::unique_ptr<Module> code_;
  std::mutex mutex_;
  std::map<std::string, CUfunction> functions_;
};

/// A library: PTX with an instance in each context that uses it.
class LibraryObject : public std::enable_shared_from_this<LibraryObject> {
 public:
  /// Loads the PTX once, which finds its errors.
  explicit LibraryObject(std::string ptx);

  /// The instance in a context, made at the first call.
  std::shared_ptr<LoadedModule> instance(const Context& context);
  /// The handle of a kernel. Throws NOT_FOUND.
  CUkernel kernel(CUlibrary own, const std::string& name);
  [[nodiscard]] const std::vector<std::string>& kernel_names() const { return names_; }
  /// Forgets kernels and instances; waits for what runs.
  void unload();

 private:
  std::string ptx_;
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::unique_ptr<Module> unused_;  // the first instance before a context takes it
  std::map<unsigned long long, std::weak_ptr<LoadedModule>> instances_;
  std::map<std::string, CUkernel> kernels_;
};

/// A kernel of a library, whatever the context.
class KernelObject {
 public:
  KernelObject(CUlibrary library_handle, std::weak_ptr<LibraryObject> library, std::string name)
      : library_handle_(library_handle), library_(std::move(library)), name_(std::move(name)) {}

  [[nodiscard]] CUlibrary library_handle() const { return library_handle_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] FunctionSettings& settings() { return *settings_; }
  /// Its function in a context.
  CUfunction function(const Context& context);

 private:
  CUlibrary library_handle_;
  std::weak_ptr<LibraryObject> library_;
  std::string name_;
  std::shared_ptr<FunctionSettings> settings_ = std::make_shared<FunctionSettings>();
};

/// The PTX of an image as the driver takes it.
std::string read_image(const void* image, std::optional<std::size_t> size = std::nullopt);
/// The bytes of a file. Throws FILE_NOT_FOUND.
std::string read_file(const char* path);
/// What the information log says of the entries.
std::string describe_entries(const Module& module);

/// The live function of a handle, which may also be a kernel's. Throws INVALID_HANDLE.
std::shared_ptr<FunctionObject> function_of(Context& context, CUfunction handle);

}  // namespace emulator
