// SPDX-License-Identifier: Apache-2.0
// What a release changes in what the one before it has, as it is printed; and headers that are not those of a snapshot.
#include "report/changes.hpp"

#include <gtest/gtest.h>

#include "facts/json.hpp"
#include "planning.hpp"
#include "report/snapshot.hpp"

namespace bindgen::testing {
namespace {

facts::Facts before() {
  auto facts = small_world();
  facts.functions = {declaration("CUresult cuCopy(CUdeviceptr to, CUdeviceptr from)")};
  facts.functions[0].since = {{2, 0}};
  facts.constants = {{"CU_STREAM_LEGACY", "driver", "int", 1}, {"CUDA_VERSION", "driver", "int", 13000}};
  return facts;
}

// The first line of each error; the remedy is the same for all.
std::string changes(const facts::Facts& now, const std::map<std::string, std::string>& accepted = {},
                    const std::string& release = "13.1") {
  Diagnostics diagnostics;
  report::check_changes(
      before(), now, {"13.0", release}, accepted,
      plan::Places({{"function", "cuCopy", "cuda.h", 7}, {"record", "CUDA_MEMCPY2D_st", "cuda.h", 8}}), diagnostics);
  std::string text;
  for (const auto& entry : diagnostics.entries()) text += entry.place + ": " + entry.code + ": " + entry.message + "\n";
  return text;
}

TEST(Changes, NothingIsSaidOfAReleaseThatAdds) {
  auto now = before();
  now.functions.push_back(declaration("CUresult cuNew(int number)"));
  now.enums[3].values.emplace_back("CUDA_ERROR_NEW", 1);
  now.constants[1].value = 13010;
  EXPECT_EQ(changes(now), "");
}

TEST(E211, ParametersThatChangePlaces) {
  auto now = before();
  now.functions[0].params = declaration("CUresult cuCopy(CUdeviceptr from, CUdeviceptr to)").params;
  EXPECT_EQ(changes(now), "cuda.h:7: E211: cuCopy names its parameters otherwise: was (to, from), is (from, to)\n");
  EXPECT_EQ(changes(now, {{"cuCopy", "13.1"}}), "");
}

TEST(E212, MembersThatChangePlacesGrowOrLeave) {
  auto now = before();
  now.records[0].fields = {{"srcHost", 0, "const void *", {}}, {"srcPitch", 64, "size_t", {}}};
  EXPECT_EQ(changes(now), "cuda.h:8: E212: CUDA_MEMCPY2D_st changed in place: no more \"size_t srcPitch at 0\"\n");
  now = before();
  now.records[0].size = 24;
  EXPECT_EQ(changes(now), "cuda.h:8: E212: CUDA_MEMCPY2D_st changed in place: had 16 bytes, has 24\n");
}

TEST(E212, IsSilentWhereWhatWasReservedBecomesAMember) {
  auto old = before();
  old.records[0].fields.push_back({"reserved", 128, "int", 2});
  auto now = old;
  now.records[0].fields.back() = {"count", 128, "int", {}};
  Diagnostics diagnostics;
  report::check_changes(old, now, {"13.0", "13.1"}, {}, plan::Places({}), diagnostics);
  EXPECT_TRUE(diagnostics.empty());
}

TEST(E213, EnumeratorThatMovesOrGoes) {
  auto now = before();
  now.enums[3].values[0].second = 3;
  EXPECT_EQ(changes(now), "CUresult: E213: the enumerator CUDA_SUCCESS of CUresult was 0, is 3\n");
  now.enums[3].values.clear();
  EXPECT_EQ(changes(now), "CUresult: E213: the enumerator CUDA_SUCCESS of CUresult was 0, is gone\n");
  EXPECT_EQ(changes(now, {{"CUresult.CUDA_SUCCESS", "13.1"}}), "");
}

TEST(E214, HandleThatBecomesANumber) {
  auto now = before();
  now.handles.erase(now.handles.begin());
  now.typedefs.push_back({"CUcontext", "driver", "unsigned long long"});
  EXPECT_EQ(changes(now), "CUcontext: E214: the type CUcontext was a handle of CUctx_st, is unsigned long long\n");
}

TEST(E215, ConstantWithAnotherValue) {
  auto now = before();
  now.constants[0].value = 2;
  EXPECT_EQ(changes(now), "CU_STREAM_LEGACY: E215: the constant CU_STREAM_LEGACY was 1, is 2\n");
}

TEST(E216, FunctionThatIsGoneWithinAMajor) {
  auto now = before();
  now.functions.clear();
  EXPECT_EQ(changes(now), "cuda.h:7: E216: the function cuCopy of 13.0 is gone\n");
  EXPECT_EQ(changes(now, {}, "14.0"), "");
}

TEST(E216, FunctionThatOnlyTheLibrarysOwnBuildsSee) {
  auto now = before();
  now.functions[0].visibility = "internal";
  EXPECT_EQ(changes(now), "cuda.h:7: E216: the function cuCopy of 13.0 is gone\n");
}

TEST(E217, NameThatMeansAnotherAbi) {
  auto now = before();
  now.functions[0].link = "cuCopy_v2";
  EXPECT_EQ(changes(now), "cuda.h:7: E217: cuCopy meant cuCopy, now means cuCopy_v2\n");
}

TEST(E218, LinkNameOfAnotherRelease) {
  auto now = before();
  now.functions[0].since = {{9, 0}};
  EXPECT_EQ(changes(now), "cuda.h:7: E218: cuCopy was introduced in 2.0, now in 9.0\n");
}

TEST(E202, RowThatAcceptsNoChange) {
  EXPECT_EQ(changes(before(), {{"cuCopy", "13.1"}}),
            "generator/data/changes.toml: E202: the row cuCopy accepts no change\n");
  EXPECT_EQ(changes(before(), {{"cuCopy", "12.8"}}), "");
}

std::string against_snapshot(const facts::Facts& now, const facts::Positions& positions = {}) {
  Diagnostics diagnostics;
  report::check_snapshot({before(), {}}, {now, positions}, "13.0", diagnostics);
  std::string text;
  for (const auto& entry : diagnostics.entries())
    text += entry.place + ": " + entry.code + ": " + entry.message.substr(0, entry.message.find('\n')) + "\n";
  return text;
}

TEST(Snapshot, HeadersOfTheSnapshotAreSilent) { EXPECT_EQ(against_snapshot(before()), ""); }

TEST(E150, FactThatIsNotCommitted) {
  auto now = before();
  now.functions.push_back(declaration("CUresult cuNew(int number)"));
  EXPECT_EQ(against_snapshot(now), "cuNew: E150: the function cuNew is not in the committed facts:\n");
}

TEST(E151, FactThatIsAnother) {
  auto now = before();
  now.functions[0].params[0].doc = "returned";
  EXPECT_EQ(against_snapshot(now, {{"function", "cuCopy", "cuda.h", 7}}),
            "cuda.h:7: E151: the function cuCopy is not as committed:\n");
}

TEST(E152, FactThatIsGone) {
  auto now = before();
  now.constants.pop_back();
  EXPECT_EQ(against_snapshot(now),
            "CUDA_VERSION: E152: the constant CUDA_VERSION is committed and not in the headers:\n");
}

TEST(E153, OnlyLinesMoved) {
  EXPECT_EQ(against_snapshot(before(), {{"function", "cuCopy", "cuda.h", 7}}),
            "positions.jsonl: E153: the facts are as committed and stand on other lines\n");
}

}  // namespace
}  // namespace bindgen::testing
