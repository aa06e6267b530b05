// SPDX-License-Identifier: Apache-2.0
// What the user may set, read once from the variables CUDA_BINDINGS_EMULATOR_*.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

/// Settings of the emulated device; each names its variable.
struct Options {
  unsigned compute_capability = 80;  ///< _CC: "8.0", 7.5 to 12.0
  unsigned threads = 0;              ///< _THREADS: CPU threads that run blocks; 0: one a core
  bool strict = false;               ///< _STRICT: report reads of unwritten shared memory and divergent collectives
  double timeout_seconds = 0;        ///< _TIMEOUT: limit of one kernel; 0: none
  std::uint64_t memory_bytes = 0;    ///< _MEMORY: device memory, "512M" or "2G"; 0: half the host's, 8 GiB at most
  int driver_version = 13000;        ///< _DRIVER_VERSION: what cuDriverGetVersion answers, "12.4" or "12040"
  std::string trace;                 ///< _TRACE: kernel name (or "*"): every op of its thread 0's warp goes to stderr
  std::string coverage;              ///< _COVERAGE: file to which each executed PTX spelling is appended, one a line
};

/// The process's options, read at the first call; a value that cannot be read is named on stderr and ignored.
const Options& options();

}  // namespace emulator
