// SPDX-License-Identifier: Apache-2.0
// Memory for one call: inside the object where it is small, from the heap otherwise.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace cuda_bindings {

// Strictest alignment of a record of the headers (CUtensorMap).
constexpr size_t scratch_alignment = 64;

template <size_t inline_bytes>
class Scratch {
 public:
  // The bytes start out undefined on purpose: most calls use none of them.
  Scratch() : heap_(nullptr) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (heap_ != nullptr) [[unlikely]]
      std::free(heap_);
  }

  // What was reserved before is given up. NULL with MemoryError set where there is no memory.
  void* reserve(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    if (bytes <= inline_bytes && alignment <= alignof(std::max_align_t)) [[likely]]
      return inline_;
    if (bytes > PTRDIFF_MAX - scratch_alignment) return PyErr_NoMemory();
    std::free(heap_);
    heap_ = std::aligned_alloc(scratch_alignment, (bytes + scratch_alignment) / scratch_alignment * scratch_alignment);
    return heap_ != nullptr ? heap_ : PyErr_NoMemory();
  }
  void* reserve_items(size_t count, size_t item_size, size_t alignment = alignof(std::max_align_t)) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, item_size, &bytes) || bytes > PTRDIFF_MAX) return PyErr_NoMemory();
    return reserve(bytes, alignment);
  }

 private:
  void* heap_;
  alignas(std::max_align_t) unsigned char inline_[inline_bytes];
};

}  // namespace cuda_bindings
