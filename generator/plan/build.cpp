// SPDX-License-Identifier: Apache-2.0
// Puts the plan together: classes, declarations, functions.
#include "plan/build.hpp"

#include "plan/classes.hpp"
#include "plan/declarations.hpp"

namespace bindgen::plan {

Plan build_plan(const facts::Facts& facts, const facts::Positions&, const std::string& data_folder,
                const std::string& release, Diagnostics& diagnostics) {
  Plan plan;
  plan.release = release;
  plan.constants = facts.constants;
  const auto classes = read_class_data(data_folder);
  TypeTable table(facts);
  add_classes(facts, classes, table, plan, diagnostics);
  std::vector<const facts::Function*> functions;
  for (const auto& function : facts.functions) functions.push_back(&function);
  plan.types = declarations(facts, functions, table);
  return plan;
}

}  // namespace bindgen::plan
