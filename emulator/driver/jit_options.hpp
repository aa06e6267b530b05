// SPDX-License-Identifier: Apache-2.0
// CUjit_option arrays: what they ask for, and the logs, sizes and times that go back through them.
#pragma once

#include <chrono>
#include <string>

#include "driver/entry.hpp"

namespace emulator {

/// One call's options. Values are pointers or integers stored in the pointers themselves, as the interface has it.
class JitOptions {
 public:
  /// Reads the arrays; INVALID_VALUE for an option that does not exist.
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  /// The buffers in which the caller wants messages, for calls that come later with the same link state.
  void info(const std::string& message);
  void error(const std::string& message);
  /// Writes the logs' sizes and the time since construction back.
  void finish();

 private:
  struct Log {
    char* buffer = nullptr;
    std::size_t capacity = 0;
    std::size_t used = 0;
    void** size = nullptr;  // where the number of bytes goes
    void add(const std::string& message);
    void finish() const;
  };

  Log info_;
  Log error_;
  void** wall_time_ = nullptr;
  std::chrono::steady_clock::time_point begin_;
};

/// Runs a load; a LoadError's text goes into the error log as ptxas writes it, and its code is thrown on.
template <class Load>
auto logged(JitOptions& options, Load&& load);

/// "ptxas application ptx input, line 12; error   : ..." for an error with a line.
std::string log_text(const LoadError& error);

template <class Load>
auto logged(JitOptions& options, Load&& load) {
  try {
    auto result = load();
    options.finish();
    return result;
  } catch (const LoadError& error) {
    options.error(log_text(error));
    options.finish();
    throw;
  }
}

}  // namespace emulator
