// SPDX-License-Identifier: Apache-2.0
// What cuModuleLoadData may be given: PTX text, a fatbin or its wrapper, an ELF cubin; only PTX is taken out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace emulator::ptx {

/// The PTX text of an image. Without a size, text ends at its NUL and containers carry their own lengths.
/// Of several PTX entries in a fatbin the highest target up to `capability` (80 for 8.0) is taken.
/// Throws LoadError: no_binary_for_gpu for ELF or a fatbin without a usable PTX entry, invalid_ptx for the rest.
std::string ptx_of_image(const void* image, std::optional<std::size_t> size, unsigned capability);

}  // namespace emulator::ptx
