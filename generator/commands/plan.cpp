// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen plan: decides every signature of one snapshot; with --check, refuses what nobody has accepted.
#include <iostream>

#include "commands.hpp"
#include "facts/json.hpp"
#include "plan/build.hpp"
#include "plan/json.hpp"
#include "plan/lock.hpp"
#include "report/in_place.hpp"

namespace bindgen {
namespace {

void list_differences(const plan::LockDifference& difference) {
  for (const auto& line : difference.provisional) std::cerr << "provisional: " << line.text << "\n";
  for (const auto& line : difference.added) std::cerr << "new: " << line.text << "\n";
  for (const auto& [before, line] : difference.changed) std::cerr << "changed: " << line.text << "\n";
  for (const auto& name : difference.gone) std::cerr << "gone: " << name << "\n";
}

}  // namespace

int run_plan(const PlanOptions& options) {
  const auto folder = options.snapshots + "/" + options.release;
  Diagnostics diagnostics;
  const auto facts = facts::read_facts(folder);
  const auto positions = facts::read_positions(folder);
  const plan::Places places(positions);
  const auto result = plan::build_plan(facts, positions, options.data, options.release, diagnostics);
  report::check_in_place(options.snapshots, options.release, options.data, facts, places, diagnostics);
  const auto difference = plan::compare(plan::read_lock(folder + "/directions.lock"), plan::lock_lines(result));
  if (options.check) plan::refuse(difference, options.release, places, diagnostics);
  else if (diagnostics.empty()) list_differences(difference);
  if (const int status = diagnostics.print(std::cerr); status != 0) return status;
  if (!options.output.empty()) facts::write_text(options.output, plan::to_json_text(result.plan));
  return 0;
}

}  // namespace bindgen
