// SPDX-License-Identifier: Apache-2.0
// Orders a function's parameters into Python arguments, outputs and call slots.
#include "plan/conversions.hpp"

namespace bindgen::plan {

Signature::Signature(const facts::Function& function, std::vector<Decision>& decisions, const FunctionContext& context)
    : function_(function), decisions_(decisions), context_(context) {
  int arguments = 0;
  int outputs = 0;
  std::size_t composites = 0;
  for (std::size_t at = 0; at < decisions.size(); ++at) {
    const auto& decision = decisions[at];
    const auto& role = decision.plan.role;
    const bool is_argument = role != "out" || decision.convert == "out_buffer";
    // What comes back beside being handed in: numbers, enums and the log iterators; records are changed in place.
    const bool comes_back =
        role == "inout" && (decision.convert.starts_with("inout_") || is_capacity(at) ||
                            (decision.convert.empty() && decision.resolved.category == Category::number));
    const bool is_output = (role == "out" && decision.convert != "out_buffer") || comes_back;
    argument_of_.push_back(is_argument && !is_hidden(at) ? arguments++ : -1);
    output_of_.push_back(is_output && !is_hidden(at) ? outputs++ : -1);
    if (decision.attribute && decision.rule != "void-address") attribute_users_[*decision.attribute] = at;
    if (decision.rule == "option-array" && decision.resolved.category == Category::enumeration) {
      option_parts_[at] = {composites, "jit_keys"};
      option_parts_[at + 1] = {composites, "jit_values"};
      if (decision.counted_by) option_parts_[*decision.counted_by] = {composites, "jit_count"};
      ++composites;
    }
  }
  for (auto& decision : decisions) {
    if (decision.counted_by && !decision.plan.length_from)
      decision.plan.length_from = decisions[*decision.counted_by].plan.name;
  }
}

std::string Signature::python_name(std::size_t parameter) const {
  const auto& name = decisions_[parameter].fact->name;
  const auto renamed = context_.data.python_names.find(name);
  return renamed == context_.data.python_names.end() ? name : renamed->second;
}

std::optional<std::size_t> Signature::parameter_named(const std::string& c_name) const {
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    if (decisions_[at].fact->name == c_name) return at;
  }
  return std::nullopt;
}

std::optional<std::size_t> Signature::capacity() const {
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    if (is_capacity(at)) return at;
  }
  return std::nullopt;
}

void Signature::refuse(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  context_.diagnostics.add("E205", context_.places.of("function", function_.name),
                           "no conversion for " + function_.name + "." + decision.fact->name + " (" +
                               decision.fact->type + ", " + decision.plan.role + ", " + decision.plan.rank + ")",
                           "add to generator/data/overrides.toml:\n  [\"" + function_.name + "\"." +
                               decision.fact->name + "]\n  role    = \"" + decision.plan.role + "\"\n  rank    = \"" +
                               decision.plan.rank + "\"\n  convert = \"...\"\n  hits    = 1\n  reason  = \"...\"");
}

std::vector<Argument> Signature::arguments() const {
  std::vector<Argument> list;
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    if (argument_of_[at] >= 0) list.push_back(argument(at));
  }
  return list;
}

std::vector<Output> Signature::outputs() const {
  std::vector<Output> list;
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    if (output_of_[at] >= 0) list.push_back(output(at));
  }
  return list;
}

std::vector<CallSlot> Signature::call() const {
  std::vector<CallSlot> slots;
  for (std::size_t at = 0; at < decisions_.size(); ++at) {
    CallSlot slot;
    slot.c_type = decisions_[at].fact->type;
    if (argument_of_[at] >= 0 && !is_capacity(at)) {
      slot.feed = "argument";
      slot.index = argument_of_[at];
    } else if (output_of_[at] >= 0) {
      slot.feed = "output";
      slot.index = output_of_[at];
    } else if (!attribute_users_.empty()) {
      // The byte length that goes with an attribute's value.
      const auto value = attribute_users_.begin()->second;
      slot.feed = output_of_[value] >= 0 ? "output_part" : "part";
      slot.index = output_of_[value] >= 0 ? output_of_[value] : argument_of_[value];
      slot.part = "size_pointer";
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

}  // namespace bindgen::plan
