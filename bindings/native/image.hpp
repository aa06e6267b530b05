// SPDX-License-Identifier: Apache-2.0
// Looks at a library file before the dynamic linker maps it: reading behind the end of a truncated one kills the process.
#pragma once

#include <string>

namespace cuda_bindings {

/// Why the file cannot be loaded ("no such file", "cut off: ...", "made for another machine ..."); empty where it may be.
/// A file that is whole and damaged inside is not recognised.
std::string image_fault(const std::string& path);

}  // namespace cuda_bindings
