// SPDX-License-Identifier: Apache-2.0
// The user's choice of a device, and where the emulated one lies.
#include "native/device.hpp"

#include <dlfcn.h>

#include <atomic>

#include "native/search.hpp"

namespace cuda_bindings {
namespace {

std::atomic<bool> asked{false};  // by a call; the variable is read each time

// The folder of the file that this code is in: the package's.
std::string own_folder() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&wanted_device), &self) == 0 || self.dli_fname == nullptr) return {};
  const std::string path = real_path(self.dli_fname);
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

Device wanted_device() {
  if (asked.load(std::memory_order_acquire)) return Device::emulated;
  const std::string named = environment("CUDA_BINDINGS_DEVICE");
  if (named.empty()) return Device::gpu;
  return named == "emulated" ? Device::emulated : Device::unknown;
}

void ask_for_emulated_device() noexcept { asked.store(true, std::memory_order_release); }

std::string emulator_file(Library library) {
  switch (library) {
    case LIBRARY_DRIVER: return own_folder() + "libcuda_bindings_emulator.so";
    case LIBRARY_RUNTIME: return own_folder() + "libcuda_bindings_emulator_runtime.so";
    default: return {};
  }
}

}  // namespace cuda_bindings
