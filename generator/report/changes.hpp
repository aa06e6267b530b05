// SPDX-License-Identifier: Apache-2.0
// What a release may not do to the one before it unsaid: rename parameters, move members, renumber, redefine, remove.
#pragma once

#include <map>
#include <string>

#include "facts/types.hpp"
#include "plan/decisions.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::report {

/// Two releases whose facts are compared.
struct Step {
  std::string from;
  std::string to;
};

/// E211 to E218 for what is not as it was; adding is free, removing is so from one major to the next. `accepted` are
/// the rows of changes.toml, name to release; E202 for one of the newer release that nothing needed.
void check_changes(const facts::Facts& older, const facts::Facts& newer, const Step& step,
                   const std::map<std::string, std::string>& accepted, const plan::Places& places,
                   Diagnostics& diagnostics);

}  // namespace bindgen::report
