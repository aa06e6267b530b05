// SPDX-License-Identifier: Apache-2.0
// The CUDA Driver, Runtime and NVRTC APIs for C++20, without NVIDIA's headers, before them or after them.
//   const auto [status, memory] = cuda_bindings::cuMemAlloc(1 << 20);
#ifndef CUDA_BINDINGS_HPP
#define CUDA_BINDINGS_HPP

#include "cuda_bindings/check.hpp"
#include "cuda_bindings/driver.hpp"
#include "cuda_bindings/nvrtc.hpp"
#include "cuda_bindings/runtime.hpp"

#endif
