// SPDX-License-Identifier: Apache-2.0
// Sums of the facts per kind, and the fate of every fact: in the output, excluded by name, or unexplained.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "facts/reasons.hpp"
#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen {

// Module -> what is counted -> count: functions, twins, older, enums, values, records. As the table in
// data/releases.toml counts: without the graphics interop headers.
using Sums = std::map<std::string, std::map<std::string, std::size_t>>;

// `unused` records (see facts::Extraction) count among the runtime's.
Sums sum_up(const facts::Facts& facts, const facts::Positions& positions, std::size_t unused);

// The counts of data/releases.toml for this release, as far as it states them.
std::optional<Sums> expected_sums(const std::string& path, const std::string& release);

// E143: a count that differs from the one expected.
void compare_sums(const Sums& sums, const Sums& expected, Diagnostics& diagnostics);

struct Fates {
  std::map<std::string, std::size_t> total;     // by kind
  std::map<std::string, std::size_t> in_plan;   // by kind
  std::map<std::string, std::size_t> excluded;  // by kind
  std::size_t internal = 0;                     // the one class of data/exclusions.toml
};

// Holds each fact against the names that the plan mentions. E140: neither there nor excluded; E141: excluded and there
// all the same; E142: an exclusion that matches no fact.
Fates hold_against_plan(const facts::Facts& facts, const std::set<std::string>& planned, facts::Reasons& exclusions,
                        Diagnostics& diagnostics);

// Every name that plan.json gives to a class, constant, type or function.
std::set<std::string> planned_names(const std::string& plan_json);

}  // namespace bindgen
