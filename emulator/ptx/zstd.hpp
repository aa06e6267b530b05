// SPDX-License-Identifier: Apache-2.0
// Decompression of one Zstandard frame (RFC 8878) without a dictionary, bounds checked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace emulator::ptx {

/// The text of a frame that decompresses to exactly `size` bytes, or nothing where the frame is malformed.
/// The checksum is not looked at.
std::optional<std::string> decompress_zstd(std::span<const std::byte> frame, std::size_t size);

}  // namespace emulator::ptx
