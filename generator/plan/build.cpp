// SPDX-License-Identifier: Apache-2.0
// Puts the plan together: classes, functions, declarations.
#include "plan/build.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "plan/callbacks.hpp"
#include "plan/classes.hpp"
#include "plan/declarations.hpp"
#include "plan/functions.hpp"
#include "plan/stale.hpp"

namespace bindgen::plan {
namespace {

// Prototypes of older ABIs that only the library's own builds see: under the public name, or a _ptsz twin.
bool is_legacy(const facts::Function& function, const std::set<std::string>& public_names) {
  if (function.visibility != "internal") return false;
  return public_names.count(function.name) != 0 || function.name.ends_with("_ptsz") || function.name.ends_with("_ptds");
}

int module_order(const std::string& module) { return module == "driver" ? 0 : module == "runtime" ? 1 : 2; }

std::vector<const facts::Function*> planned_functions(const facts::Facts& facts, const FunctionData& data) {
  std::set<std::string> public_names;
  for (const auto& function : facts.functions) {
    if (function.visibility.empty()) public_names.insert(function.name);
  }
  std::vector<const facts::Function*> list;
  for (const auto& function : facts.functions) {
    if (!is_legacy(function, public_names) && !data.excluded_functions.count(function.name)) list.push_back(&function);
  }
  std::stable_sort(list.begin(), list.end(), [](const facts::Function* left, const facts::Function* right) {
    return std::make_tuple(module_order(left->module), left->name) <
           std::make_tuple(module_order(right->module), right->name);
  });
  return list;
}

// An explicit old form has its per-thread twin among the internal prototypes.
void add_internal_twin(const facts::Facts& facts, const facts::Function& function, FunctionPlan& plan) {
  if (function.visibility.empty() || !plan.ptds.empty()) return;
  for (const auto& other : facts.functions) {
    if (other.link == function.link + "_ptsz" || other.link == function.link + "_ptds") plan.ptds = other.link;
  }
}

// An older form (cuGraphInstantiate_v2) has no documentation of its own: today's is where it is described.
void add_group(const std::map<std::string, const facts::Function*>& by_name, FunctionPlan& plan) {
  if (!plan.group.empty()) return;
  const auto found = by_name.find(plan.name.substr(0, plan.name.rfind("_v")));
  if (found != by_name.end()) plan.group = found->second->group;
}

void check_names(const Plan& plan, const Places& places, Diagnostics& diagnostics) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& function : plan.functions) {
    auto names = function.aliases;
    names.push_back(function.name);
    for (const auto& name : names) {
      if (seen.insert({function.module, name}).second) continue;
      diagnostics.add("E209", places.of("function", function.name), "two functions have the Python name " + name);
    }
  }
}

}  // namespace

PlanResult build_plan(const facts::Facts& facts, const facts::Positions& positions, const std::string& data_folder,
                      const std::string& release, Diagnostics& diagnostics) {
  PlanResult result;
  auto& plan = result.plan;
  const auto classes = read_class_data(data_folder, release);
  const auto data = read_function_data(data_folder);
  const auto override_path = data_folder + "/overrides.toml";
  auto overrides = Overrides::read(override_path, release, diagnostics);
  const Places places(positions);
  plan.release = release;
  for (const auto& constant : facts.constants) {
    if (!data.excluded_constants.count(constant.name)) plan.constants.push_back(constant);
  }
  TypeTable table(facts);
  Diagnostics of_classes;  // they know their records by name
  add_classes(facts, classes, table, plan, of_classes);
  for (auto entry : of_classes.entries()) {
    entry.place = places.of("record", entry.place);
    diagnostics.add(std::move(entry));
  }
  const auto functions = planned_functions(facts, data);
  std::map<std::string, const facts::Function*> by_name;
  for (const auto* function : functions) by_name[function->name] = function;
  add_callback_classes(facts, functions, data, table, places, plan, diagnostics);
  const FunctionContext context{data, table, plan, by_name, places, diagnostics};
  for (const auto* function : functions) {
    auto decisions = decide(*function, data, overrides, table, places, diagnostics);
    plan.functions.push_back(plan_function(*function, decisions, context));
    add_internal_twin(facts, *function, plan.functions.back());
    add_group(by_name, plan.functions.back());
    result.decisions.push_back({function, std::move(decisions)});
  }
  overrides.check("generator/data/overrides.toml", diagnostics);
  check_names(plan, places, diagnostics);
  check_stale_rows(facts, classes, data, plan, diagnostics);
  plan.types = declarations(facts, functions, table);
  return result;
}

}  // namespace bindgen::plan
