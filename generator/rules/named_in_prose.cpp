// SPDX-License-Identifier: Apache-2.0
// The function's description names the parameter as read or written.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> named_in_prose(const PointerParameter& parameter) {
  const auto& doc = parameter.documentation();
  if (doc == "prose-in") return Verdict::input("the description reads it");
  if (doc == "prose-out") return Verdict::output("the description writes it");
  if (doc == "prose-inout") return Verdict::both("the description reads and writes it");
  return std::nullopt;
}

}  // namespace bindgen::rules
