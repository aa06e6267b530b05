// SPDX-License-Identifier: Apache-2.0
// Compares prototypes of one link name in two releases.
#include "report/in_place.hpp"

#include <filesystem>
#include <map>

#include "facts/json.hpp"
#include "plan/data.hpp"
#include "plan/function_data.hpp"
#include "plan/functions.hpp"
#include "report/changes.hpp"

namespace bindgen::report {
namespace {

// Only types matter to a caller: names of parameters and the keywords struct and enum come and go.
std::string shape_of(const facts::Function& function) {
  auto shape = plan::without_keyword(function.returns);
  for (const auto& param : function.params) {
    const auto type = plan::parse_type(param.type);
    shape += "," + (type.is_function_pointer ? param.type : type.name() + std::string(type.depth(), '*'));
  }
  return shape;
}

std::string newest_before(const std::string& snapshots, const std::string& release) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(snapshots)) {
    const auto name = entry.path().filename().string();
    if (!std::filesystem::exists(entry.path() / "facts.jsonl") || !plan::is_before(name, release)) continue;
    if (newest.empty() || plan::is_before(newest, name)) newest = name;
  }
  return newest;
}

}  // namespace

void check_in_place(const facts::Facts& older, const facts::Facts& facts, const std::string& release,
                    const std::map<std::string, std::string>& abi_since, const plan::Places& places,
                    Diagnostics& diagnostics) {
  std::map<std::string, const facts::Function*> before;
  for (const auto& function : older.functions) before[function.link] = &function;
  for (const auto& function : facts.functions) {
    const auto found = before.find(function.link);
    if (found == before.end() || shape_of(*found->second) == shape_of(function)) continue;
    const auto known = abi_since.find(function.link);
    if (known != abi_since.end() && !plan::is_before(known->second, release)) continue;
    diagnostics.add("E206", places.of("function", function.name),
                    function.link + " changed in place: was " + plan::prototype_of(*found->second) + ", is " +
                        plan::prototype_of(function),
                    "add to generator/data/abi_since.toml:\n  [\"" + release + "\"]\n  names  = [\"" + function.link +
                        "\"]\n  reason = \"...\"");
  }
}

void check_in_place(const std::string& snapshots, const std::string& release, const std::string& data_folder,
                    const facts::Facts& facts, const plan::Places& places, Diagnostics& diagnostics) {
  const auto previous = newest_before(snapshots, release);
  if (previous.empty()) return;
  const auto data = plan::read_function_data(data_folder);
  const auto older = facts::read_facts(snapshots + "/" + previous);
  check_in_place(older, facts, release, data.abi_since, places, diagnostics);
  check_changes(older, facts, {previous, release}, data.changes, places, diagnostics);
}

}  // namespace bindgen::report
