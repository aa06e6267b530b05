// SPDX-License-Identifier: Apache-2.0
// What a rule may ask about a pointer parameter and its neighbours.
#include <algorithm>

#include "rules/rule.hpp"

namespace bindgen::rules {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// numDependencies, nbResources, count, cudaDeviceCount.
bool is_count_name(const std::string& name) {
  const auto starts_word = [&](const std::string& prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() &&
           std::isupper(static_cast<unsigned char>(name[prefix.size()]));
  };
  return name == "count" || starts_word("num") || starts_word("nb") || name.ends_with("Count");
}

}  // namespace

PointerParameter::PointerParameter(const facts::Function& function, std::size_t index, const plan::TypeTable& table,
                                   const RuleData& data)
    : function_(&function),
      index_(index),
      table_(&table),
      data_(&data),
      type_(plan::parse_type(function.params[index].type)),
      resolved_(table.resolve(type_, function.module)) {}

bool PointerParameter::points_at_pointer_handle() const {
  return pointee().is(plan::Category::handle) && !table_->is_integer_like(resolved_.name);
}

bool PointerParameter::function_name_has(std::initializer_list<const char*> words) const {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return function_->name.find(word) != std::string::npos; });
}

std::optional<PointerParameter> PointerParameter::neighbour(int distance) const {
  const auto at = static_cast<long>(index_) + distance;
  if (at < 0 || at >= static_cast<long>(function_->params.size())) return std::nullopt;
  return PointerParameter(*function_, static_cast<std::size_t>(at), *table_, *data_);
}

std::optional<std::size_t> PointerParameter::counted_by() const {
  const auto is_array = [](const PointerParameter& parameter) {
    const auto& type = parameter.resolved();
    const bool is_text = type.category == plan::Category::number && type.name == "char" && type.depth == 1;
    return !is_text && type.depth > 0 && !parameter.pointee().is_void();
  };
  const auto is_count = [](const PointerParameter& parameter) {
    return parameter.resolved().category == plan::Category::number && parameter.resolved().depth == 0 &&
           is_count_name(parameter.fact().name);
  };
  if (!is_array(*this)) return std::nullopt;
  auto at = neighbour(1);
  while (at && is_array(*at)) at = at->neighbour(1);
  if (at && is_count(*at)) return at->index();
  at = neighbour(-1);
  while (at && is_array(*at)) at = at->neighbour(-1);
  // A count behind another run of arrays is theirs.
  if (!at || !is_count(*at)) return std::nullopt;
  const auto before = at->neighbour(-1);
  if (before && is_array(*before)) return std::nullopt;
  return at->index();
}

std::optional<std::size_t> PointerParameter::attribute_sibling() const {
  for (std::size_t at = 0; at < function_->params.size(); ++at) {
    const auto type = table_->resolve(function_->params[at].type, function_->module);
    if (type.category == plan::Category::enumeration && type.depth == 0 && contains(data_->attribute_enums, type.name))
      return at;
  }
  return std::nullopt;
}

}  // namespace bindgen::rules
