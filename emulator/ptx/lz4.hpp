// SPDX-License-Identifier: Apache-2.0
// Decompression of one LZ4 block, bounds checked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace emulator::ptx {

/// The text of a block that decompresses to exactly `size` bytes, or nothing where the block is malformed.
std::optional<std::string> decompress_lz4(std::span<const std::byte> block, std::size_t size);

}  // namespace emulator::ptx
