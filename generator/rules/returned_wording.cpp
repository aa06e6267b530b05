// SPDX-License-Identifier: Apache-2.0
// Documentation that speaks of the parameter as returned.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> returned_wording(const PointerParameter& parameter) {
  if (parameter.documentation() != "returned") return std::nullopt;
  return Verdict::output("documentation calls it returned");
}

}  // namespace bindgen::rules
