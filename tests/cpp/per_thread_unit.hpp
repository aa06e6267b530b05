// SPDX-License-Identifier: Apache-2.0
// A unit compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM, in a program whose other units are not.
#pragma once

namespace tests {

// cuStreamSynchronize, cuMemsetD8, cudaStreamQuery, cuCtxSynchronize, in this order.
void call_with_per_thread_default_stream();

}  // namespace tests
