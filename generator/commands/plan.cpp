// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen plan: decides every signature of one snapshot.
#include <iostream>

#include "commands.hpp"
#include "facts/json.hpp"
#include "plan/build.hpp"
#include "plan/json.hpp"

namespace bindgen {

int run_plan(const PlanOptions& options) {
  const auto folder = options.snapshots + "/" + options.release;
  Diagnostics diagnostics;
  const auto facts = facts::read_facts(folder);
  const auto result = plan::build_plan(facts, facts::read_positions(folder), options.data, options.release, diagnostics);
  if (const int status = diagnostics.print(std::cerr); status != 0) return status;
  facts::write_text(options.output, plan::to_json_text(result.plan));
  return 0;
}

}  // namespace bindgen
