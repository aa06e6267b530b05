// SPDX-License-Identifier: Apache-2.0
// Option keys with their packed values, enum * followed by void **: the callee reads both, and may write values back.
#include <algorithm>

#include "rules/rule.hpp"

namespace bindgen::rules {
namespace {

bool is_option_keys(const PointerParameter& parameter) {
  const auto& known = parameter.data().option_enums;
  return parameter.pointee().is(plan::Category::enumeration) &&
         std::find(known.begin(), known.end(), parameter.resolved().name) != known.end();
}

}  // namespace

std::optional<Verdict> option_array(const PointerParameter& parameter) {
  if (is_option_keys(parameter)) return Verdict::input("keys of the options beside it", "buffer");
  if (!parameter.pointee().is_void_pointer()) return std::nullopt;
  const auto keys = parameter.neighbour(-1);
  if (!keys || !is_option_keys(*keys)) return std::nullopt;
  return Verdict::both("values of the options beside it", "buffer");
}

}  // namespace bindgen::rules
