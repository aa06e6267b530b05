// SPDX-License-Identifier: Apache-2.0
// Reads CUjit_option arrays and writes logs.
#include "driver/jit_options.hpp"

#include <algorithm>
#include <cstring>

namespace emulator {

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values)
    : begin_(std::chrono::steady_clock::now()) {
  require(count == 0 || (options != nullptr && values != nullptr));
  for (unsigned index = 0; index < count; ++index) {
    require(options[index] >= 0 && options[index] < CU_JIT_NUM_OPTIONS);
    void** const value = &values[index];
    switch (options[index]) {
      case CU_JIT_INFO_LOG_BUFFER: info_.buffer = static_cast<char*>(*value); break;
      case CU_JIT_ERROR_LOG_BUFFER: error_.buffer = static_cast<char*>(*value); break;
      // An unsigned int in the place of a pointer: what stands above it does not count.
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_.capacity = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*value));
        info_.size = value;
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_.capacity = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*value));
        error_.size = value;
        break;
      case CU_JIT_WALL_TIME: wall_time_ = value; break;
      default: break;  // code generation has nothing to tune here
    }
  }
  for (const Log* log : {&info_, &error_}) {
    if (log->buffer != nullptr && log->capacity != 0) log->buffer[0] = '\0';
  }
}

void JitOptions::Log::add(const std::string& message) {
  if (buffer == nullptr || capacity == 0) return;
  const std::size_t taken = std::min(message.size(), capacity - 1 - used);
  std::memcpy(buffer + used, message.data(), taken);
  used += taken;
  buffer[used] = '\0';
}

void JitOptions::Log::finish() const {
  if (size == nullptr) return;
  // With its terminating NUL, where there is text.
  const auto filled = static_cast<unsigned>(used == 0 ? 0 : used + 1);
  *size = reinterpret_cast<void*>(static_cast<std::uintptr_t>(filled));
}

void JitOptions::info(const std::string& message) { info_.add(message); }
void JitOptions::error(const std::string& message) { error_.add(message); }

void JitOptions::finish() {
  info_.finish();
  error_.finish();
  if (wall_time_ == nullptr) return;
  const float milliseconds =
      std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
}

std::string log_text(const LoadError& error) {
  std::string place = "ptxas ";
  if (error.line() != 0) {
    place += "application ptx input, line " + std::to_string(error.line()) + "; error   : ";
  } else {
    place += "fatal   : ";
  }
  return place + error.what() + "\n";
}

}  // namespace emulator
