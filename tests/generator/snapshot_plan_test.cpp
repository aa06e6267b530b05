// SPDX-License-Identifier: Apache-2.0
// The plan of the committed 13.0 snapshot: budgets, the accepted lock, the same bytes every time.
#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <filesystem>

#include "facts/json.hpp"
#include "plan/json.hpp"
#include "plan/lock.hpp"
#include "planning.hpp"

namespace bindgen::testing {
namespace {

const std::string folder = CUDA_BINDINGS_SOURCE_DIR "/headers-snapshot/13.0";
const std::string data_folder = CUDA_BINDINGS_SOURCE_DIR "/generator/data";

struct Snapshot {
  facts::Facts facts = facts::read_facts(folder);
  Diagnostics diagnostics;
  plan::PlanResult result = plan::build_plan(facts, facts::read_positions(folder), data_folder, "13.0", diagnostics);
};

const Snapshot& snapshot() {
  static const Snapshot shared;
  return shared;
}

TEST(Plan130, HasNoErrors) {
  std::ostringstream text;
  snapshot().diagnostics.print(text);
  EXPECT_EQ(text.str(), "");
}

TEST(Plan130, IsWhatWasAccepted) {
  const auto difference =
      plan::compare(plan::read_lock(folder + "/directions.lock"), plan::lock_lines(snapshot().result));
  EXPECT_TRUE(difference.provisional.empty());
  EXPECT_TRUE(difference.added.empty());
  EXPECT_TRUE(difference.changed.empty());
  EXPECT_TRUE(difference.gone.empty());
}

TEST(Plan130, SettlesAtMost110ParametersByRows) {
  std::size_t by_rows = 0;
  for (const auto& function : snapshot().result.decisions) {
    for (const auto& decision : function.parameters) by_rows += decision.is_decided_by_row ? 1 : 0;
  }
  EXPECT_LE(by_rows, 110U);
}

TEST(Plan130, HasNoRuleForFewerThanFiveParameters) {
  std::map<std::string, int> decided;
  for (const auto& function : snapshot().result.decisions) {
    for (const auto& decision : function.parameters) ++decided[decision.rule];
  }
  for (const auto& rule : rules::chain()) EXPECT_GE(decided[rule.id], 5) << rule.id;
}

TEST(Plan130, IsTheSameBytesInAnotherLocaleAndFromAnotherFolder) {
  const auto elsewhere = std::filesystem::temp_directory_path() / ("bindgen-elsewhere-" + std::to_string(getpid()));
  std::filesystem::create_directories(elsewhere);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(elsewhere);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  Diagnostics diagnostics;
  const auto again =
      plan::build_plan(snapshot().facts, facts::read_positions(folder), data_folder, "13.0", diagnostics);
  std::setlocale(LC_ALL, "C");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(elsewhere);
  EXPECT_TRUE(plan::to_json_text(again.plan) == plan::to_json_text(snapshot().result.plan));
}

TEST(Plan130, TakesLessThanTwoSeconds) {
  const auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  plan::build_plan(snapshot().facts, facts::read_positions(folder), data_folder, "13.0", diagnostics);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace bindgen::testing
