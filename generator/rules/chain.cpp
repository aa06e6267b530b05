// SPDX-License-Identifier: Apache-2.0
// Asks the rules in order, strongest evidence first, and notices where documentation contradicts the answer.
#include "rules/rule.hpp"

namespace bindgen::rules {
namespace {

bool contradict(const Verdict& left, const Verdict& right) {
  return (left.role == "in" && right.role == "out") || (left.role == "out" && right.role == "in");
}

bool is_documentation(const std::string& rule) { return rule == "documented-tag" || rule == "returned-wording"; }

// Memory at an address may well be written; the address itself is still given.
bool may_contradict_documentation(const std::string& rule) { return rule == "void-address"; }

}  // namespace

const std::vector<Rule>& chain() {
  static const std::vector<Rule> rules = {
      {"const-pointee", const_pointee, false},    {"attribute-value", attribute_value, false},
      {"void-address", void_address, false},      {"kernel-parameters", kernel_parameters, false},
      {"option-array", option_array, false},      {"capacity-count", capacity_count, true},
      {"documented-tag", documented_tag, false},  {"returned-wording", returned_wording, false},
      {"named-in-prose", named_in_prose, true},   {"counted-array", counted_array, true},
      {"creator-first", creator_first, true},     {"pointer-to-handle", pointer_to_handle, true},
      {"record-argument", record_argument, true},
  };
  return rules;
}

ChainResult ask(const PointerParameter& parameter) {
  ChainResult result;
  for (const auto& rule : chain()) {
    auto answer = rule.answer(parameter);
    if (answer) {
      answer->rule = rule.id;
      answer->is_weak = rule.is_weak;
    }
    result.asked.emplace_back(rule.id, answer);
    if (!answer) continue;
    if (!result.verdict)
      result.verdict = answer;
    else if (is_documentation(rule.id) && !may_contradict_documentation(result.verdict->rule) &&
             contradict(*result.verdict, *answer)) {
      result.conflict = answer;
    }
  }
  return result;
}

}  // namespace bindgen::rules
