// SPDX-License-Identifier: Apache-2.0
// The account: sums as other people count them, and no fact without a fate.
#include <gtest/gtest.h>

#include "extraction.hpp"
#include "report/account.hpp"

namespace bindgen {
namespace {

const std::string data = CUDA_BINDINGS_SOURCE_DIR "/generator/data";
const std::string snapshot = CUDA_BINDINGS_SOURCE_DIR "/headers-snapshot/13.0";

facts::Reasons reasons(const std::string& text) {
  const testing::Folder folder;
  folder.write("exclusions.toml", text);
  return facts::Reasons::read(folder.path() + "/exclusions.toml");
}

facts::Facts two_functions() {
  facts::Facts facts;
  facts.functions.resize(2);
  facts.functions[0].name = facts.functions[0].link = "cuA";
  facts.functions[1].name = facts.functions[1].link = "cuB";
  return facts;
}

TEST(Account, OfRelease13_0IsTheHandCountedOne) {
  const auto sums =
      sum_up(facts::read_facts(snapshot), facts::read_positions(snapshot), 58);  // of 59 vector types dim3 is used
  EXPECT_EQ(sums.at("driver"),
            (std::map<std::string, std::size_t>{
                {"functions", 452}, {"twins", 85}, {"older", 100}, {"enums", 109}, {"values", 879}, {"records", 85}}));
  EXPECT_EQ(sums.at("runtime"),
            (std::map<std::string, std::size_t>{
                {"functions", 315}, {"twins", 68}, {"enums", 77}, {"values", 697}, {"records", 121}}));
  EXPECT_EQ(sums.at("nvrtc"), (std::map<std::string, std::size_t>{{"functions", 24}, {"enums", 1}, {"values", 18}}));
}

TEST(Account, ExcludesAtMostThirtyNames) {
  const auto exclusions = facts::Reasons::read(data + "/exclusions.toml");
  std::size_t count = 0;
  for (const auto* section :
       {"functions", "prototypes", "constants", "typedefs", "handles", "callbacks", "enums", "records", "macros"}) {
    count += exclusions.rows(section).size();
  }
  EXPECT_LE(count, 30u);
}

TEST(Account, E140AFactWithoutAFate) {
  auto exclusions = reasons("[functions]\n");
  Diagnostics diagnostics;
  hold_against_plan(two_functions(), {"cuA"}, exclusions, diagnostics);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(to_text(diagnostics.entries()[0]),
            "cuB: E140: this function is neither in the output nor excluded\n"
            "  plan it, or give the reason in generator/data/exclusions.toml:\n"
            "    [functions]\n"
            "    cuB = \"...\"\n");
}

TEST(Account, E141AnExclusionThatIsPlannedAllTheSame) {
  auto exclusions = reasons("[functions]\ncuB = \"why\"\n");
  Diagnostics diagnostics;
  hold_against_plan(two_functions(), {"cuA", "cuB"}, exclusions, diagnostics);
  EXPECT_EQ(testing::texts(diagnostics),
            "generator/data/exclusions.toml: E141: functions.cuB is excluded and in the output all the same\n");
}

TEST(Account, E142AnExclusionOfNothing) {
  auto exclusions = reasons("[functions]\ncuGone = \"why\"\n");
  Diagnostics diagnostics;
  hold_against_plan(two_functions(), {"cuA", "cuB"}, exclusions, diagnostics);
  EXPECT_EQ(testing::texts(diagnostics),
            "generator/data/exclusions.toml: E142: row functions.cuGone matches no fact\n");
}

TEST(Account, E143ASumThatOthersCountDifferently) {
  Diagnostics diagnostics;
  compare_sums({{"nvrtc", {{"functions", 24}}}}, {{"nvrtc", {{"functions", 26}}}}, diagnostics);
  EXPECT_EQ(testing::texts(diagnostics),
            "generator/data/releases.toml: E143: nvrtc has 24 functions, counted by other means 26\n");
}

TEST(Account, KnowsEveryNameThatThePlanGives) {
  const auto names =
      planned_names(R"({"constants":[{"name":"CU_A"}],"handles":[],"enums":[],"records":[{"id":"runtime_CUuuid",)"
                    R"("name":"CUuuid"}],"types":[{"name":"T","tag":"T_st"}],)"
                    R"("functions":[{"name":"cuMemAlloc","link":"cuMemAlloc_v2","aliases":["cuMemAlloc_v2"]}]})");
  EXPECT_EQ(names,
            (std::set<std::string>{"CU_A", "runtime_CUuuid", "CUuuid", "T", "T_st", "cuMemAlloc", "cuMemAlloc_v2"}));
}

}  // namespace
}  // namespace bindgen
