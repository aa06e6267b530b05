// SPDX-License-Identifier: Apache-2.0
// A pointer to const is an input: the callee cannot write through it.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> const_pointee(const PointerParameter& parameter) {
  if (!parameter.pointee().is_const() || parameter.pointee().is_void()) return std::nullopt;
  return Verdict::input("pointee is const");
}

}  // namespace bindgen::rules
