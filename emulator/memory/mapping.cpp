// SPDX-License-Identifier: Apache-2.0
// mmap and its kin.
#include "memory/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace emulator {

Mapping::Mapping(std::uint64_t bytes, Access access) {
  const int protection = access == Access::none ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  begin_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
}

Mapping::~Mapping() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

void Mapping::discard(std::uint64_t offset, std::uint64_t bytes) const {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = (offset + page - 1) / page * page;
  const std::uint64_t last = (offset + bytes) / page * page;
  if (first < last) madvise(begin_ + first, last - first, MADV_DONTNEED);
}

}  // namespace emulator
