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

// A release without a lock of its own is compared with the one before it.
void list_differences(const PlanOptions& options, std::map<std::string, std::string> accepted,
                      const std::vector<plan::LockLine>& lines) {
  if (accepted.empty()) accepted = plan::read_previous_lock(options.snapshots, options.release);
  const auto difference = plan::compare(accepted, lines);
  for (const auto& line : difference.provisional) std::cerr << "provisional: " << line.text << "\n";
  for (const auto& line : difference.added) std::cerr << "new: " << line.text << "\n";
  for (const auto& [before, line] : difference.changed) std::cerr << "changed: " << line.text << "\n";
  for (const auto& name : difference.gone) std::cerr << "gone: " << name << "\n";
}

std::size_t decided_by_rows(const plan::PlanResult& result) {
  std::size_t count = 0;
  for (const auto& function : result.decisions) {
    for (const auto& decision : function.parameters) count += decision.is_decided_by_row ? 1 : 0;
  }
  return count;
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
  const auto lines = plan::lock_lines(result);
  auto accepted = plan::read_lock(folder + "/directions.lock");
  if (options.check)
    plan::refuse(plan::compare(accepted, lines), options.release, places, diagnostics);
  else if (diagnostics.empty())
    list_differences(options, std::move(accepted), lines);
  if (const int status = diagnostics.print(std::cerr); status != 0) return status;
  if (!options.output.empty()) facts::write_text(options.output, plan::to_json_text(result.plan));
  std::cout << "plan " << options.release << ": " << result.plan.functions.size() << " functions, " << lines.size()
            << " pointer parameters, " << decided_by_rows(result) << " of them decided by rows\n";
  return 0;
}

}  // namespace bindgen
