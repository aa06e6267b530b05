// SPDX-License-Identifier: Apache-2.0
// Asks rows, then rules, for every pointer parameter; refuses what neither settles.
#include "plan/decisions.hpp"

namespace bindgen::plan {
namespace {

std::string default_rank(const Decision& decision) {
  const auto& type = decision.resolved;
  if (type.category == Category::number && type.name == "char") return "string";
  if (decision.counted_by && decision.plan.role == "in") return "buffer";
  if (decision.type.is_function_pointer) return "address";
  if (decision.plan.role == "in" && decision.type.is_base_const && type.category != Category::record) return "buffer";
  return type.category == Category::record || type.category == Category::handle ? "slot" : "value";
}

std::string described(const std::optional<rules::Verdict>& verdict) {
  return verdict ? verdict->role + ": " + verdict->evidence : "defers";
}

std::string remedy(const facts::Function& function, const facts::Parameter& parameter, const std::string& role) {
  return "add to generator/data/overrides.toml:\n  [\"" + function.name + "\"." + parameter.name + "]\n  role   = \"" +
         role + "\"\n" + (role == "in" ? "" : "  alloc  = \"callee\"\n") +
         "  rank   = \"value\"\n  hits   = 1\n  reason = \"...\"";
}

class Decider {
 public:
  Decider(const facts::Function& function, const FunctionData& data, Overrides& overrides, const TypeTable& table,
          const Places& places, Diagnostics& diagnostics)
      : function_(function),
        data_(data),
        overrides_(overrides),
        table_(table),
        places_(places),
        diagnostics_(diagnostics) {}

  Decision decide(std::size_t index) {
    Decision decision;
    decision.fact = &function_.params[index];
    decision.type = parse_type(decision.fact->type);
    decision.resolved = table_.resolve(decision.type, function_.module);
    decision.plan.name = decision.fact->name;
    decision.plan.c_type = decision.fact->type;
    const auto& type = decision.resolved;
    if (type.category == Category::unknown || (type.category == Category::nothing && type.depth == 0)) {
      diagnostics_.add("E204", place(), "the type of " + name(decision) + " is unknown (" + decision.fact->type + ")");
      return decision;
    }
    if (type.category == Category::enumeration || type.category == Category::handle ||
        type.category == Category::record) {
      decision.plan.wrapper = type.id;
    }
    const bool is_pointer = type.depth > 0 || decision.type.is_function_pointer;
    decision.plan.is_pointer = is_pointer;
    if (is_pointer)
      decide_pointer(index, decision);
    else
      decision.plan.why = type.category == Category::record ? "record by value" : "value";
    return decision;
  }

 private:
  std::string place() const { return places_.of("function", function_.name); }
  std::string name(const Decision& decision) const { return function_.name + "." + decision.fact->name; }

  void decide_pointer(std::size_t index, Decision& decision) {
    const rules::PointerParameter parameter(function_, index, table_, data_.rules);
    decision.counted_by = parameter.counted_by();
    if (parameter.pointee().is_void()) decision.attribute = parameter.attribute_sibling();
    const auto result = rules::ask(parameter);
    for (const auto& [rule, verdict] : result.asked) decision.trace.push_back(rule + ": " + described(verdict));
    auto* row = overrides_.find(function_.name, decision.fact->name, diagnostics_);
    if (row != nullptr)
      take_row(*row, result, decision);
    else
      take_rules(result, decision);
  }

  void take_row(OverrideRow& row, const rules::ChainResult& result, Decision& decision) {
    auto& plan = decision.plan;
    plan.role = row.role;
    plan.alloc = row.alloc;
    plan.rank = row.rank;
    if (!row.length_from.empty()) plan.length_from = row.length_from;
    plan.why = "override: " + row.reason;
    decision.rule = "override:" + row.id;
    decision.is_decided_by_row = true;
    decision.convert = row.convert;
    decision.produce = row.produce;
    decision.details = row.details;
    decision.trace.insert(decision.trace.begin(), "row " + row.key + ": " + row.role + ": " + row.reason);
    const bool says_more = !row.convert.empty() || !row.produce.empty();
    const bool same = result.verdict && !result.conflict && result.verdict->role == row.role;
    if (same && !says_more && result.verdict->alloc == row.alloc) ++row.redundant;
    if (decision.counted_by && row.length_from.empty()) decision.counted_by.reset();
  }

  void take_rules(const rules::ChainResult& result, Decision& decision) {
    if (!result.verdict) {
      diagnostics_.add("E200", place(),
                       "cannot decide what " + name(decision) + " is (" + decision.fact->type +
                           ", documentation: " + decision.fact->doc + ")",
                       remedy(function_, *decision.fact, "inout"));
      return;
    }
    if (result.conflict) {
      diagnostics_.add("E201", place(),
                       "rules contradict each other on " + name(decision) + ": " + result.verdict->rule + " says " +
                           result.verdict->role + " (" + result.verdict->evidence + "), " + result.conflict->rule +
                           " says " + result.conflict->role,
                       remedy(function_, *decision.fact, result.verdict->role));
    }
    auto& plan = decision.plan;
    plan.role = result.verdict->role;
    plan.alloc = result.verdict->alloc;
    plan.rank = result.verdict->rank.empty() ? default_rank(decision) : result.verdict->rank;
    plan.why = result.verdict->rule + ": " + result.verdict->evidence;
    decision.rule = result.verdict->rule;
    decision.is_weak = result.verdict->is_weak;
  }

  const facts::Function& function_;
  const FunctionData& data_;
  Overrides& overrides_;
  const TypeTable& table_;
  const Places& places_;
  Diagnostics& diagnostics_;
};

}  // namespace

Places::Places(const facts::Positions& positions) {
  for (const auto& position : positions) {
    places_.emplace(position.kind + " " + position.name, position.header + ":" + std::to_string(position.line));
  }
}

std::string Places::of(const std::string& kind, const std::string& name) const {
  const auto found = places_.find(kind + " " + name);
  return found == places_.end() ? name : found->second;
}

std::vector<Decision> decide(const facts::Function& function, const FunctionData& data, Overrides& overrides,
                             const TypeTable& table, const Places& places, Diagnostics& diagnostics) {
  Decider decider(function, data, overrides, table, places, diagnostics);
  std::vector<Decision> decisions;
  for (std::size_t index = 0; index < function.params.size(); ++index) decisions.push_back(decider.decide(index));
  return decisions;
}

}  // namespace bindgen::plan
