// SPDX-License-Identifier: Apache-2.0
// A void * is an address that the caller gives, whatever the documentation says of the memory there: cudaFree(devPtr).
#include "rules/rule.hpp"

namespace bindgen::rules {

std::optional<Verdict> void_address(const PointerParameter& parameter) {
  if (!parameter.pointee().is_void()) return std::nullopt;
  return Verdict::input("void * is an address", "address");
}

}  // namespace bindgen::rules
