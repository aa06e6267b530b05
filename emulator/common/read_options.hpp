// SPDX-License-Identifier: Apache-2.0
// Turns the variables CUDA_BINDINGS_EMULATOR_* into options; options() does it once with the process's environment.
#pragma once

#include <functional>
#include <string>

#include "common/options.hpp"

namespace emulator {

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

/// Takes one line about a value that was ignored.
using Complaint = std::function<void(const std::string& line)>;

/// Reads all options. Unset and empty variables leave the default; a value that cannot be read too, with a complaint.
Options read_options(const Environment& environment, const Complaint& complain);

}  // namespace emulator
