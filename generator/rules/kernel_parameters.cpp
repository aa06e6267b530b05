// SPDX-License-Identifier: Apache-2.0
// The void ** of a launch is the kernel's argument addresses.
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> kernel_parameters(const PointerParameter& parameter) {
  if (!parameter.pointee().is_void_pointer() || !parameter.function_name_has({"Launch"})) return std::nullopt;
  const auto& name = parameter.fact().name;
  if (name != "kernelParams" && name != "args") return std::nullopt;
  return Verdict::input("argument addresses of the kernel launched", "buffer");
}

}  // namespace bindgen::rules
