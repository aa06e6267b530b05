// SPDX-License-Identifier: Apache-2.0
// Which device driver calls go to: the GPU's driver, or the emulated device where the user has asked for it. Never a guess.
#pragma once

#include <string>

#include "native/slots.hpp"

namespace cuda_bindings {

enum class Device {
  gpu,
  emulated,
  unknown,  // CUDA_BINDINGS_DEVICE holds a word that is no device
};

// What CUDA_BINDINGS_DEVICE says, or ask_for_emulated_device() has said.
Device wanted_device();
// From now on wanted_device() is `emulated`. The loader calls it, once it knows that no driver is in use.
void ask_for_emulated_device() noexcept;

// The file of the emulated device that stands for a library, beside this package; empty for NVRTC, which is always the real one.
std::string emulator_file(Library library);

}  // namespace cuda_bindings
