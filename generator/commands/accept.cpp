// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen accept: writes the decisions of one snapshot, or of the named functions and parameters, into its lock.
#include <algorithm>
#include <iostream>

#include "commands.hpp"
#include "facts/json.hpp"
#include "plan/build.hpp"
#include "plan/lock.hpp"

namespace bindgen {
namespace {

bool is_named(const std::vector<std::string>& names, const std::string& parameter) {
  if (names.empty()) return true;
  const auto function = parameter.substr(0, parameter.find('.'));
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == parameter || name == function; });
}

}  // namespace

int run_accept(const AcceptOptions& options) {
  const auto folder = options.snapshots + "/" + options.release;
  Diagnostics diagnostics;
  const auto facts = facts::read_facts(folder);
  const auto result =
      plan::build_plan(facts, facts::read_positions(folder), options.data, options.release, diagnostics);
  if (const int status = diagnostics.print(std::cerr); status != 0) return status;
  auto accepted = plan::read_lock(folder + "/directions.lock");
  const auto difference = plan::compare(accepted, plan::lock_lines(result));
  std::size_t count = 0;
  const auto accept = [&](const plan::LockLine& line) {
    if (!is_named(options.names, line.name)) return;
    accepted[line.name] = line.text;
    ++count;
  };
  for (const auto& line : difference.provisional) accept(line);
  for (const auto& line : difference.added) accept(line);
  for (const auto& [before, line] : difference.changed) accept(line);
  for (const auto& name : difference.gone) {
    if (is_named(options.names, name)) count += accepted.erase(name);
  }
  facts::write_text(folder + "/directions.lock", plan::lock_text(options.release, accepted));
  std::cout << count << " lines accepted, " << accepted.size() << " in the lock\n";
  return 0;
}

}  // namespace bindgen
