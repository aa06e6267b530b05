// SPDX-License-Identifier: Apache-2.0
// An undocumented array of plain values or records with a count beside it is handed in.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> counted_array(const PointerParameter& parameter) {
  if (parameter.resolved().depth != 1 || parameter.points_at_pointer_handle() || !parameter.counted_by())
    return std::nullopt;
  return Verdict::input("array with a count beside it", "buffer");
}

}  // namespace bindgen::rules
