// SPDX-License-Identifier: Apache-2.0
// A fatbin container: a header, then entries of PTX and of machine code, one for each target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace emulator::ptx {

/// First word of a wrapper, the structure that holds a container's address.
inline constexpr std::uint32_t wrapper_magic = 0x466243b1;
/// First word of a container.
inline constexpr std::uint32_t container_magic = 0xba55ed50;
/// Bytes of a container's header; its last 8 say how many bytes follow.
inline constexpr std::size_t container_header_bytes = 16;

/// How an entry is packed.
enum class Packing : std::uint8_t { none, lz4, zstd };

/// An entry of a container.
struct FatbinEntry {
  bool is_ptx = false;
  bool is_specific = false;  ///< for one architecture or family only: sm_90a, sm_100f
  std::uint32_t target = 0;  ///< 80 for sm_80
  Packing packing = Packing::none;
  std::uint64_t unpacked_bytes = 0;
  std::span<const std::byte> data;
};

/// The bytes of the container that begins at `image`, by its own header. `size` bounds it where it is known.
std::span<const std::byte> container_at(const std::byte* image, std::optional<std::size_t> size);

/// The entries of a container. Throws LoadError (invalid_ptx) where lengths do not fit together.
std::vector<FatbinEntry> fatbin_entries(std::span<const std::byte> container);

/// The PTX text of the container's entry for the highest target up to `capability`. Throws LoadError.
std::string ptx_of_fatbin(std::span<const std::byte> container, unsigned capability);

}  // namespace emulator::ptx
