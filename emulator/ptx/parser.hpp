// SPDX-License-Identifier: Apache-2.0
// PTX text to syntax tree.
#pragma once

#include <string_view>

#include "ptx/syntax.hpp"

namespace emulator::ptx {

/// Parses a module (the text may end at a NUL). The tree refers to the text.
/// Throws LoadError with invalid_ptx and the line.
Module parse(std::string_view text);

}  // namespace emulator::ptx
