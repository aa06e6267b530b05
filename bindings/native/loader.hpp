// SPDX-License-Identifier: Apache-2.0
// Finds and opens libcuda, libcudart and libnvrtc on first use. No Python, no lock held by callers, safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "native/slots.hpp"

namespace cuda_bindings {

// One place that was looked at, and what was there.
struct Attempt {
  std::string place;
  std::string outcome;
};

struct LoadedLibrary {
  void* handle = nullptr;
  std::string path;
  int version = 0;  // 1000 * major + 10 * minor as the library itself says; 0: it did not say
};

// The library, opened by the first call that needs it; null where none can be had. A failure is tried afresh at the next
// call, a success is final.
const LoadedLibrary* open_library(Library library);
// The library if some call has opened it; opens nothing.
const LoadedLibrary* opened_library(Library library) noexcept;
// Makes all later driver and runtime calls go to the emulated device. Not any more once another library is in use: the
// reason why not then, else an empty text.
std::string select_emulated_device();
// Where the last attempt to open the library has looked, in order.
std::vector<Attempt> attempts(Library library);

// CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM, read once: whether slots get their per-thread-default-stream variant.
enum class DefaultStream { legacy, per_thread, not_an_integer };
DefaultStream default_stream();
// The variable's text as it was read, for the error.
const std::string& default_stream_text();
// What Python's int() makes of a text, as far as zero or not goes.
DefaultStream read_default_stream(const std::string& text);

// Called at import: where Python looks for packages, and the folder that holds the cuda_bindings package.
void set_package_folders(std::vector<std::string> folders);

// "cuda13": the extra of this package that brings libcudart and NVRTC for the driver at hand.
const char* fitting_extra();

const char* library_name(Library library) noexcept;      // "libcudart"
const char* library_variable(Library library) noexcept;  // "CUDA_BINDINGS_LIBCUDART"

}  // namespace cuda_bindings
