// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen explain: the whole story of one function.
#include "report/explain.hpp"

#include <iostream>

#include "commands.hpp"
#include "facts/json.hpp"
#include "plan/build.hpp"

namespace bindgen {

int run_explain(const ExplainOptions& options) {
  const auto folder = options.snapshots + "/" + options.release;
  Diagnostics diagnostics;
  const auto facts = facts::read_facts(folder);
  const auto positions = facts::read_positions(folder);
  const plan::Places places(positions);
  const auto result = plan::build_plan(facts, positions, options.data, options.release, diagnostics);
  for (std::size_t at = 0; at < result.plan.functions.size(); ++at) {
    const auto& function = result.plan.functions[at];
    if (function.name != options.function && function.link != options.function) continue;
    std::cout << report::explain(function, result.decisions[at], places);
    // What is undecided is part of the story.
    diagnostics.print(std::cerr);
    return 0;
  }
  std::cerr << "no function of CUDA " << options.release << " is called " << options.function << "\n";
  return 1;
}

}  // namespace bindgen
