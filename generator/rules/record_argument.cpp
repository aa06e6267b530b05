// SPDX-License-Identifier: Apache-2.0
// An undocumented pointer to a record, elsewhere than first in a getter, is an argument whose const was forgotten.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> record_argument(const PointerParameter& parameter) {
  if (!parameter.pointee().is(plan::Category::record)) return std::nullopt;
  return Verdict::input("record that the caller fills in", "slot");
}

}  // namespace bindgen::rules
