// SPDX-License-Identifier: Apache-2.0
// Names and texts of the runtime's errors.
#pragma once

#include "cuda_bindings/cuda_types.h"

namespace emulator::runtime {

/// "cudaErrorInvalidValue"; a fixed text for a number that is no error. Never null.
const char* error_name(cudaError_t error) noexcept;
/// One phrase on what it means. Never null.
const char* error_text(cudaError_t error) noexcept;

}  // namespace emulator::runtime
