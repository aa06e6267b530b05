// SPDX-License-Identifier: Apache-2.0
// A second, independent witness: prototypes found by a plain text scan of what the C compiler's preprocessor prints.
#pragma once

#include <set>
#include <string>

#include "facts/headers.hpp"
#include "facts/reasons.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

// The names cu*, cuda* and nvrtc* that stand in front of a parameter list at the outermost level of preprocessed C.
std::set<std::string> scan_prototypes(const std::string& preprocessed);

// The umbrella as `cc -E` prints it in this view. Throws std::runtime_error where there is no C compiler.
std::string preprocess(const Headers& headers, View view);

// E132: a prototype of this view that is not among the names known from the facts, and not excluded by name.
void check_witness(const Headers& headers, View view, const std::set<std::string>& known, Reasons& exclusions,
                   Diagnostics& diagnostics);

}  // namespace bindgen::facts
