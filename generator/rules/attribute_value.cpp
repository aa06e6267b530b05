// SPDX-License-Identifier: Apache-2.0
// A void * beside an attribute enum holds that attribute's value: out of a getter or export, into a setter.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> attribute_value(const PointerParameter& parameter) {
  if (!parameter.pointee().is_void() || !parameter.attribute_sibling()) return std::nullopt;
  if (parameter.function_name_has({"Set"}))
    return Verdict::input("value of the attribute that the sibling enum names", "buffer");
  if (parameter.pointee().is_const() || !parameter.function_name_has({"Get", "Export"})) return std::nullopt;
  auto verdict = Verdict::output("value of the attribute that the sibling enum names", "buffer");
  verdict.alloc = "caller";
  return verdict;
}

}  // namespace bindgen::rules
