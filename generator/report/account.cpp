// SPDX-License-Identifier: Apache-2.0
// Counts facts and follows each of them into the output.
#include "report/account.hpp"

#include <toml++/toml.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bindgen {
namespace {

// The graphics interop headers are left out of the sums, since other people's counts leave them out.
bool is_interop(const std::string& header) {
  return header.find("EGL") != std::string::npos || header.find("egl_") != std::string::npos ||
         header.find("GL.h") != std::string::npos || header.find("gl_") != std::string::npos ||
         header.find("VDPAU") != std::string::npos || header.find("vdpau") != std::string::npos ||
         header.find("cudart_platform") != std::string::npos;
}

using Headers = std::map<std::pair<std::string, std::string>, std::string>;  // (kind, name) -> header

void count_functions(const facts::Facts& facts, const Headers& headers, Sums& sums) {
  for (const auto& function : facts.functions) {
    if (is_interop(headers.at({"function", function.name}))) continue;
    auto& sum = sums[function.module];
    if (!function.visibility.empty()) {
      ++sum["older"];
      continue;
    }
    ++sum["functions"];
    if (!function.ptds.empty()) ++sum["twins"];
  }
}

void add_names(const nlohmann::json& list, std::set<std::string>& names) {
  for (const auto& entry : list) {
    for (const auto* key : {"name", "link", "tag", "id"}) {
      if (entry.contains(key) && entry[key].is_string()) names.insert(entry[key].get<std::string>());
    }
    if (entry.contains("aliases")) {
      for (const auto& alias : entry["aliases"]) names.insert(alias.get<std::string>());
    }
  }
}

}  // namespace

Sums sum_up(const facts::Facts& facts, const facts::Positions& positions, std::size_t unused) {
  Headers headers;
  for (const auto& position : positions) headers[{position.kind, position.name}] = position.header;
  Sums sums;
  count_functions(facts, headers, sums);
  for (const auto& entry : facts.enums) {
    if (is_interop(headers.at({"enum", entry.name}))) continue;
    ++sums[entry.module]["enums"];
    sums[entry.module]["values"] += entry.values.size();
  }
  for (const auto& record : facts.records) {
    if (record.is_anonymous || is_interop(headers.at({"record", record.name}))) continue;
    if (record.module == "shared") {
      ++sums["driver"]["records"];
      ++sums["runtime"]["records"];
    } else {
      ++sums[record.module]["records"];
    }
  }
  if (unused) sums["runtime"]["records"] += unused;
  return sums;
}

std::optional<Sums> expected_sums(const std::string& path, const std::string& release) {
  const auto parsed = toml::parse_file(path);
  const auto* rows = parsed["sums"][release].as_table();
  if (!rows) return std::nullopt;
  Sums sums;
  for (const auto& [module, row] : *rows) {
    for (const auto& [what, count] : *row.as_table()) {
      sums[std::string(module.str())][std::string(what.str())] =
          static_cast<std::size_t>(count.value<std::int64_t>().value());
    }
  }
  return sums;
}

void compare_sums(const Sums& sums, const Sums& expected, Diagnostics& diagnostics) {
  for (const auto& [module, counts] : expected) {
    for (const auto& [what, count] : counts) {
      const auto row = sums.find(module);
      const bool is_counted = row != sums.end() && row->second.count(what);
      const auto found = is_counted ? row->second.at(what) : 0;
      if (found == count) continue;
      diagnostics.add(
          "E143", "generator/data/releases.toml",
          module + " has " + std::to_string(found) + " " + what + ", counted by other means " + std::to_string(count));
    }
  }
}

std::set<std::string> planned_names(const std::string& plan_json) {
  const auto plan = nlohmann::json::parse(plan_json);
  std::set<std::string> names;
  for (const auto* key : {"constants", "handles", "enums", "records", "types", "functions"}) {
    if (!plan.contains(key)) throw std::runtime_error(std::string("the plan has no \"") + key + "\"");
    add_names(plan[key], names);
  }
  return names;
}

Fates hold_against_plan(const facts::Facts& facts, const std::set<std::string>& planned, facts::Reasons& exclusions,
                        Diagnostics& diagnostics) {
  Fates fates;
  const auto follow = [&](const std::string& kind, const std::string& section, const std::string& name,
                          bool is_planned) {
    ++fates.total[kind];
    if (exclusions.explains(section, name)) {
      ++fates.excluded[kind];
      if (is_planned)
        diagnostics.add("E141", "generator/data/exclusions.toml",
                        section + "." + name + " is excluded and in the output all the same");
    } else if (is_planned) {
      ++fates.in_plan[kind];
    } else {
      diagnostics.add("E140", name, "this " + kind + " is neither in the output nor excluded",
                      "plan it, or give the reason in generator/data/exclusions.toml:\n  [" + section + "]\n  " + name +
                          " = \"...\"");
    }
  };
  const auto is_planned = [&](const std::string& name) { return planned.count(name) > 0; };
  for (const auto& fact : facts.constants) follow("constant", "constants", fact.name, is_planned(fact.name));
  for (const auto& fact : facts.typedefs) follow("typedef", "typedefs", fact.name, is_planned(fact.name));
  for (const auto& fact : facts.handles) follow("handle", "handles", fact.name, is_planned(fact.name));
  for (const auto& fact : facts.callbacks) follow("callback", "callbacks", fact.name, is_planned(fact.name));
  for (const auto& fact : facts.enums) follow("enum", "enums", fact.name, is_planned(fact.name));
  for (const auto& fact : facts.records) {
    // An unnamed member is a part of the record that holds it.
    follow("record", "records", fact.name, is_planned(fact.name.substr(0, fact.name.find("::"))));
  }
  for (const auto& fact : facts.functions) {
    if (!fact.visibility.empty() && exclusions.explains("class", fact.visibility)) {
      ++fates.total["function"];
      ++fates.internal;
    } else {
      follow("function", "functions", fact.name, is_planned(fact.name));
    }
  }
  for (const auto& row :
       exclusions.unused({"class", "constants", "typedefs", "handles", "callbacks", "enums", "records", "functions"})) {
    diagnostics.add("E142", "generator/data/exclusions.toml", "row " + row + " matches no fact");
  }
  return fates;
}

}  // namespace bindgen
