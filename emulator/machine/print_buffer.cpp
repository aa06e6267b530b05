// SPDX-License-Identifier: Apache-2.0
// The text that kernels printed, until the host synchronises.
#include <cstdio>

#include "machine/system_calls.hpp"

namespace emulator {

bool PrintBuffer::add(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (text.size() > capacity_ || text_.size() > capacity_ - text.size()) return false;
  text_ += text;
  return true;
}

void PrintBuffer::flush() {
  const std::lock_guard lock(mutex_);
  if (text_.empty()) return;
  std::fwrite(text_.data(), 1, text_.size(), stdout);
  std::fflush(stdout);
  text_.clear();
}

void PrintBuffer::set_capacity(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

std::size_t PrintBuffer::capacity() const {
  const std::lock_guard lock(mutex_);
  return capacity_;
}

}  // namespace emulator
