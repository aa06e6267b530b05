// SPDX-License-Identifier: Apache-2.0
// The same calls as test_streams.cpp makes, by the same names, with the macro defined by CMakeLists.txt.
#include "per_thread_unit.hpp"

#include "cuda_bindings/cuda_bindings.hpp"

namespace tests {

void call_with_per_thread_default_stream() {
  namespace cu = cuda_bindings;
  cu::cuStreamSynchronize(nullptr);
  cu::cuMemsetD8(cu::CUdeviceptr(1), 0, 1);
  cu::cudaStreamQuery(nullptr);
  cu::cuCtxSynchronize();
}

}  // namespace tests
