// SPDX-License-Identifier: Apache-2.0
// An undocumented pointer to a handle, elsewhere than first in a creator, is the handle's own slot.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> pointer_to_handle(const PointerParameter& parameter) {
  if (!parameter.points_at_pointer_handle()) return std::nullopt;
  return Verdict::input("slot of a handle that the caller holds", "slot");
}

}  // namespace bindgen::rules
