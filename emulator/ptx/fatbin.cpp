// SPDX-License-Identifier: Apache-2.0
// Reads fatbin containers. Every length is checked against what lies around it.
#include "ptx/fatbin.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "common/types.hpp"
#include "ptx/lz4.hpp"
#include "ptx/zstd.hpp"

namespace emulator::ptx {

namespace {

// Offsets in a container's header.
constexpr std::size_t container_header_size = 6;  // uint16
constexpr std::size_t container_body_size = 8;    // uint64

// Offsets in an entry's header.
constexpr std::size_t entry_kind = 0;            // uint16
constexpr std::size_t entry_header_size = 4;     // uint32
constexpr std::size_t entry_padded_size = 8;     // uint64
constexpr std::size_t entry_packed_size = 16;    // uint32, 0 where nothing is packed
constexpr std::size_t entry_target = 28;         // uint32
constexpr std::size_t entry_flags = 40;          // uint64
constexpr std::size_t entry_unpacked_size = 56;  // uint64
constexpr std::size_t smallest_entry_header = 64;

constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;
constexpr std::uint64_t flags_specific = 0x300000;

// What hostile containers may make of few bytes.
constexpr std::uint64_t largest_text = std::uint64_t{256} << 20;

template <class T>
T word(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

[[noreturn]] void malformed(const std::string& reason) {
  throw LoadError(result::invalid_ptx, 0, "malformed fatbin: " + reason);
}

[[noreturn]] void unusable(const std::string& reason) { throw LoadError(result::no_binary_for_gpu, 0, reason); }

std::string target_name(unsigned target) { return "sm_" + std::to_string(target); }

FatbinEntry entry_at(std::span<const std::byte> rest, std::uint64_t& bytes) {
  if (rest.size() < smallest_entry_header) malformed("an entry's header is cut off");
  const auto header = word<std::uint32_t>(rest, entry_header_size);
  const auto padded = word<std::uint64_t>(rest, entry_padded_size);
  const auto packed = word<std::uint32_t>(rest, entry_packed_size);
  const auto flags = word<std::uint64_t>(rest, entry_flags);
  if (header < smallest_entry_header || header > rest.size()) malformed("an entry's header has no valid size");
  if (padded > rest.size() - header) malformed("an entry is larger than its container");
  FatbinEntry entry;
  entry.is_ptx = word<std::uint16_t>(rest, entry_kind) == kind_ptx;
  entry.is_specific = (flags & flags_specific) != 0;
  entry.target = word<std::uint32_t>(rest, entry_target);
  entry.unpacked_bytes = word<std::uint64_t>(rest, entry_unpacked_size);
  entry.data = rest.subspan(header, padded);
  if ((flags & (flag_lz4 | flag_zstd)) != 0) {
    entry.packing = (flags & flag_lz4) != 0 ? Packing::lz4 : Packing::zstd;
    if (packed > padded) malformed("a compressed entry is larger than its place");
    entry.data = entry.data.first(packed);
  }
  bytes = header + padded;
  return entry;
}

std::string text_of(const FatbinEntry& entry) {
  if (entry.unpacked_bytes > largest_text) malformed("the PTX for " + target_name(entry.target) + " is too large");
  std::optional<std::string> text;
  switch (entry.packing) {
    case Packing::none: text.emplace(reinterpret_cast<const char*>(entry.data.data()), entry.data.size()); break;
    case Packing::lz4: text = decompress_lz4(entry.data, entry.unpacked_bytes); break;
    case Packing::zstd: text = decompress_zstd(entry.data, entry.unpacked_bytes); break;
  }
  if (!text) malformed("the PTX for " + target_name(entry.target) + " does not decompress");
  text->resize(std::min(text->find('\0'), text->size()));
  return std::move(*text);
}

// Says what the container has, where none of it can be used.
std::string reason_for_none(const std::vector<FatbinEntry>& entries, unsigned capability) {
  std::string found;
  for (const FatbinEntry& each : entries) {
    if (!each.is_ptx) continue;
    found += (found.empty() ? "" : ", ") + target_name(each.target) + (each.is_specific ? " (specific)" : "");
  }
  if (found.empty()) {
    return "the fatbin holds machine code only; the emulated device executes PTX only: compile for compute_" +
           std::to_string(capability) + " (virtual), not " + target_name(capability);
  }
  return "the fatbin has PTX for " + found + "; the emulated device needs PTX for " + target_name(capability) +
         " or lower";
}

}  // namespace

std::span<const std::byte> container_at(const std::byte* image, std::optional<std::size_t> size) {
  if (size && *size < container_header_bytes) malformed("the header is cut off");
  const std::span<const std::byte> header(image, container_header_bytes);
  const auto header_size = word<std::uint16_t>(header, container_header_size);
  const auto body = word<std::uint64_t>(header, container_body_size);
  if (header_size < container_header_bytes) malformed("the header has no valid size");
  if (body > SIZE_MAX / 2 || (size && (header_size > *size || body > *size - header_size))) {
    malformed("it is larger than its image");
  }
  return {image, header_size + static_cast<std::size_t>(body)};
}

std::vector<FatbinEntry> fatbin_entries(std::span<const std::byte> container) {
  std::vector<FatbinEntry> entries;
  std::size_t place = word<std::uint16_t>(container, container_header_size);
  while (place < container.size()) {
    std::uint64_t bytes = 0;
    entries.push_back(entry_at(container.subspan(place), bytes));
    place += static_cast<std::size_t>(bytes);
  }
  return entries;
}

std::string ptx_of_fatbin(std::span<const std::byte> container, unsigned capability) {
  const std::vector<FatbinEntry> entries = fatbin_entries(container);
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& each : entries) {
    if (!each.is_ptx || each.is_specific || each.target > capability) continue;
    if (best == nullptr || each.target > best->target) best = &each;
  }
  if (best == nullptr) unusable(reason_for_none(entries, capability));
  return text_of(*best);
}

}  // namespace emulator::ptx
