// SPDX-License-Identifier: Apache-2.0
// What one release adds, removes and changes against another, from their facts.
#pragma once

#include <string>

#include "facts/types.hpp"

namespace bindgen::report {

// Sections "added", "removed", "changed" per kind, a summary line first.
std::string diff(const facts::Facts& older, const facts::Facts& newer, const std::string& from, const std::string& to);

}  // namespace bindgen::report
