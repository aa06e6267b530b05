// SPDX-License-Identifier: Apache-2.0
// The documentation's own direction tag.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> documented_tag(const PointerParameter& parameter) {
  const auto& doc = parameter.documentation();
  if (doc == "in") return Verdict::input("documentation tags it in");
  if (doc == "out") return Verdict::output("documentation tags it out");
  if (doc == "inout") return Verdict::both("documentation tags it in and out");
  return std::nullopt;
}

}  // namespace bindgen::rules
