// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen account: prints the sums of a snapshot and follows every fact into the plan.
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "facts/json.hpp"
#include "report/account.hpp"

namespace bindgen {
namespace {

void print_sums(const std::string& release, const Sums& sums) {
  fmt::print("CUDA {}, without the graphics interop headers\n{:<10}", release, "");
  constexpr std::array columns = {"functions", "twins", "older", "enums", "values", "records"};
  for (const auto* column : columns) fmt::print(" {:>9}", column);
  for (const auto& [module, counts] : sums) {
    fmt::print("\n{:<10}", module);
    for (const auto* column : columns) fmt::print(" {:>9}", counts.count(column) ? counts.at(column) : 0);
  }
  fmt::print("\n");
}

void print_kinds(const facts::Facts& facts, const facts::Positions& positions) {
  fmt::print(
      "\nfacts: {} constants, {} typedefs, {} handles, {} callbacks, {} enums, {} records, {} functions; {} "
      "positions\n",
      facts.constants.size(), facts.typedefs.size(), facts.handles.size(), facts.callbacks.size(), facts.enums.size(),
      facts.records.size(), facts.functions.size(), positions.size());
}

void print_fates(const Fates& fates, const Diagnostics& diagnostics) {
  fmt::print("\n{:<10} {:>6} {:>8} {:>9}\n", "", "facts", "in plan", "excluded");
  const auto number = [](const std::map<std::string, std::size_t>& counts, const std::string& kind) {
    const auto found = counts.find(kind);
    return found == counts.end() ? 0 : found->second;
  };
  std::size_t excluded = 0;
  for (const auto& [kind, total] : fates.total) {
    fmt::print("{:<10} {:>6} {:>8} {:>9}\n", kind, total, number(fates.in_plan, kind), number(fates.excluded, kind));
    excluded += number(fates.excluded, kind);
  }
  fmt::print("{} exclusions by name, {} prototypes of older ABIs as a class, {} unexplained\n", excluded,
             fates.internal, diagnostics.entries().size());
}

}  // namespace

int run_account(const AccountOptions& options) {
  const auto folder = options.snapshots + "/" + options.release;
  const auto facts = facts::read_facts(folder);
  const auto positions = facts::read_positions(folder);
  const auto source = nlohmann::json::parse(facts::read_text(folder + "/source.json"));
  const auto sums = sum_up(facts, positions, source.at("unused").size());
  Diagnostics diagnostics;
  print_sums(options.release, sums);
  if (const auto expected = expected_sums(options.data + "/releases.toml", options.release)) {
    compare_sums(sums, *expected, diagnostics);
    if (diagnostics.empty()) fmt::print("these are the sums of generator/data/releases.toml\n");
  }
  print_kinds(facts, positions);
  if (!options.plan.empty()) {
    auto exclusions = facts::Reasons::read(options.data + "/exclusions.toml");
    Diagnostics unexplained;
    const auto fates = hold_against_plan(facts, planned_names(facts::read_text(options.plan)), exclusions, unexplained);
    print_fates(fates, unexplained);
    for (const auto& entry : unexplained.entries()) diagnostics.add(entry);
  }
  std::fflush(stdout);
  return diagnostics.print(std::cerr);
}

}  // namespace bindgen
