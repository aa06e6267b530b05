// SPDX-License-Identifier: Apache-2.0
// The first parameter of a function that makes or fetches something is where it goes.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> creator_first(const PointerParameter& parameter) {
  if (!parameter.is_first()) return std::nullopt;
  if (!parameter.function_name_has(
          {"Get", "Create", "Add", "Alloc", "Malloc", "Import", "Export", "Elapsed", "Instantiate"}))
    return std::nullopt;
  return Verdict::output("first parameter of a function that makes or fetches something");
}

}  // namespace bindgen::rules
