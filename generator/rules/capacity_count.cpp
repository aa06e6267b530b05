// SPDX-License-Identifier: Apache-2.0
// The last size_t * behind arrays that the callee fills says how much room there is, and comes back as how much there
// was.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> capacity_count(const PointerParameter& parameter) {
  if (!parameter.is_last() || parameter.resolved().name != "size" || parameter.resolved().depth != 1)
    return std::nullopt;
  const auto array = parameter.neighbour(-1);
  if (!array || array->pointee().is_const()) return std::nullopt;
  if (!array->points_at_pointer_handle() && !array->pointee().is(plan::Category::record)) return std::nullopt;
  return Verdict::both("capacity of the arrays before it", "value");
}

}  // namespace bindgen::rules
