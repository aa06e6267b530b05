// SPDX-License-Identifier: Apache-2.0
// Ranges of the process's own addresses, asked of the operating system and given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace emulator {

/// A range of pages that this process holds. Memory behind it is only used once touched.
class Mapping {
 public:
  /// What may be done with the pages.
  enum class Access : std::uint8_t { none, read_write };

  Mapping() = default;
  /// An empty mapping where the system refuses.
  Mapping(std::uint64_t bytes, Access access);
  ~Mapping();
  Mapping(Mapping&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(begin_); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  explicit operator bool() const { return begin_ != nullptr; }

  /// Gives the memory of all pages that lie within the range back to the system; they read as zero afterwards.
  void discard(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::byte* begin_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace emulator
