// SPDX-License-Identifier: Apache-2.0
// Every error of the plan, as it is printed.
#include <gtest/gtest.h>

#include "plan/lock.hpp"
#include "planning.hpp"
#include "report/in_place.hpp"

namespace bindgen::testing {
namespace {

TEST(E200, UndecidedPointer) {
  const Planned planned("CUresult cuGreenCtxFoo(CUcontext ctx, unsigned int *count)");
  EXPECT_EQ(planned.errors(),
            "cuda.h:20: E200: cannot decide what cuGreenCtxFoo.count is (unsigned int *, documentation: none)\n"
            "  add to generator/data/overrides.toml:\n"
            "    [\"cuGreenCtxFoo\".count]\n"
            "    role   = \"inout\"\n"
            "    alloc  = \"callee\"\n"
            "    rank   = \"value\"\n"
            "    hits   = 1\n"
            "    reason = \"...\"\n");
}

TEST(E201, RulesThatContradictEachOther) {
  const Planned planned("CUresult cuSetValue(CUcontext ctx, const CUDA_MEMCPY2D *value)", {{"value", "out"}});
  EXPECT_EQ(
      planned.errors(),
      "cuda.h:20: E201: rules contradict each other on cuSetValue.value: const-pointee says in (pointee is const), "
      "documented-tag says out\n"
      "  add to generator/data/overrides.toml:\n"
      "    [\"cuSetValue\".value]\n"
      "    role   = \"in\"\n"
      "    rank   = \"value\"\n"
      "    hits   = 1\n"
      "    reason = \"...\"\n");
}

constexpr const char* row_for_count =
    "[\"cuFoo\".count]\nrole = \"out\"\nalloc = \"callee\"\nrank = \"value\"\nhits = 1\nreason = \"tested\"\n";

TEST(E201, TwoRowsForOneParameter) {
  DataFolder data;
  data.write("overrides.toml", std::string(row_for_count) +
                                   "[\"cu*\".counts]\nmatch = [\"cu*.count\"]\nrole = \"in\"\nrank = \"value\"\n"
                                   "hits = 1\nreason = \"tested\"\n");
  const Planned planned({declaration("CUresult cuFoo(unsigned int *count)")}, data);
  EXPECT_EQ(planned.errors(),
            "cuFoo.count: E201: two rows decide cuFoo.count: [\"cu*\".counts] and [\"cuFoo\".count]\n");
}

TEST(E202, RowThatMatchesNothing) {
  DataFolder data;
  data.write("overrides.toml", row_for_count);
  const Planned planned({declaration("CUresult cuInit(unsigned int Flags)")}, data);
  EXPECT_EQ(
      planned.errors(),
      "generator/data/overrides.toml: E202: the row [\"cuFoo\".count] settles 0 parameters, not 1\n  remove it\n");
}

TEST(E202, RowThatMatchesMoreThanItSays) {
  DataFolder data;
  data.write("overrides.toml",
             "[\"cu*\".counts]\nmatch = [\"cu*.count\"]\nrole = \"out\"\nalloc = \"callee\"\n"
             "rank = \"value\"\nhits = 1\nreason = \"tested\"\n");
  const Planned planned(
      {declaration("CUresult cuBar(unsigned int *count)"), declaration("CUresult cuFoo(unsigned int *count)")}, data);
  EXPECT_EQ(planned.errors(),
            "generator/data/overrides.toml: E202: the row [\"cu*\".counts] settles 2 parameters, not 1\n  hits = 2\n");
}

TEST(E202, RowOfAnotherTableThatNamesNothing) {
  DataFolder data;
  data.write("gil.toml", "[hold]\ncuGone = \"reads a constant\"\n");
  const Planned planned({declaration("CUresult cuInit(unsigned int Flags)")}, data);
  EXPECT_EQ(planned.errors(),
            "generator/data/gil.toml: E202: the row cuGone names nothing that the facts have\n  remove it\n");
}

TEST(E203, RowThatChangesNothing) {
  DataFolder data;
  data.write("overrides.toml", row_for_count);
  const Planned planned({declaration("CUresult cuFoo(unsigned int *count)", {{"count", "returned"}})}, data);
  EXPECT_EQ(planned.errors(),
            "generator/data/overrides.toml: E203: the row [\"cuFoo\".count] changes nothing: the rules "
            "decide the same without it\n  remove it\n");
}

TEST(E204, TypeThatNoFactDescribes) {
  const Planned planned("CUresult cuFoo(CUunheardOf what)");
  EXPECT_EQ(planned.errors(), "cuda.h:20: E204: the type of cuFoo.what is unknown (CUunheardOf)\n");
}

TEST(E205, DecidedButNotConvertible) {
  const Planned planned("CUresult cuFoo(CUstream **streams)", {{"streams", "in"}});
  EXPECT_EQ(planned.errors(),
            "cuda.h:20: E205: no conversion for cuFoo.streams (CUstream **, in, slot)\n"
            "  add to generator/data/overrides.toml:\n"
            "    [\"cuFoo\".streams]\n"
            "    role    = \"in\"\n"
            "    rank    = \"slot\"\n"
            "    convert = \"...\"\n"
            "    hits    = 1\n"
            "    reason  = \"...\"\n");
}

TEST(E205, ResultWithoutConversion) {
  const Planned planned("double cuFoo(int number)");
  EXPECT_EQ(planned.errors(), "cuda.h:20: E205: cuFoo returns double, for which there is no conversion\n");
}

std::string in_place_errors(const std::map<std::string, std::string>& abi_since) {
  facts::Facts older, newer;
  older.functions = {declaration("CUresult cuMemAdvise(CUdeviceptr ptr, int device)")};
  newer.functions = {declaration("CUresult cuMemAdvise(CUdeviceptr ptr, CUDA_MEMCPY2D location)")};
  Diagnostics diagnostics;
  report::check_in_place(older, newer, "13.0", abi_since, plan::Places({{"function", "cuMemAdvise", "cuda.h", 7}}),
                         diagnostics);
  std::ostringstream text;
  diagnostics.print(text);
  return text.str();
}

TEST(E206, PrototypeThatChangedUnderItsName) {
  EXPECT_EQ(in_place_errors({}),
            "cuda.h:7: E206: cuMemAdvise changed in place: was CUresult cuMemAdvise(CUdeviceptr ptr, int device), is "
            "CUresult "
            "cuMemAdvise(CUdeviceptr ptr, CUDA_MEMCPY2D location)\n"
            "  add to generator/data/abi_since.toml:\n"
            "    [\"13.0\"]\n"
            "    names  = [\"cuMemAdvise\"]\n"
            "    reason = \"...\"\n");
}

TEST(E206, IsSilentWhereTheChangeIsListed) { EXPECT_EQ(in_place_errors({{"cuMemAdvise", "13.0"}}), ""); }

TEST(E207, RowWithoutReason) {
  DataFolder data;
  data.write("overrides.toml", "[\"cuFoo\".count]\nrole = \"out\"\nalloc = \"callee\"\nrank = \"value\"\nhits = 1\n");
  const Planned planned({declaration("CUresult cuFoo(unsigned int *count)")}, data);
  EXPECT_EQ(planned.errors(), data.path() + "/overrides.toml:1: E207: the row [\"cuFoo\".count] has no reason\n");
}

TEST(E207, RowWithAnUnknownKey) {
  DataFolder data;
  data.write("overrides.toml", std::string(row_for_count) + "nulable = true\n");
  const Planned planned({declaration("CUresult cuFoo(unsigned int *count)")}, data);
  EXPECT_EQ(planned.errors(),
            data.path() + "/overrides.toml:1: E207: the row [\"cuFoo\".count] has the unknown key \"nulable\"\n");
}

TEST(E209, TwoFunctionsOfOneName) {
  auto current = declaration("CUresult cuFoo(int number)");
  auto other = current;
  other.link = "cuFoo_v2";
  const Planned planned({current, other}, DataFolder{});
  EXPECT_EQ(planned.errors(), "cuda.h:20: E209: two functions have the Python name cuFoo\n");
}

TEST(E210, MemberOfUnknownKind) {
  auto world = small_world();
  world.records.push_back(
      {"CUlaunchConfig_st", "driver", 8, 8, {{"attrs", 0, "CUDA_MEMCPY2D *", {}}}, false, false, {}});
  const Planned planned({}, DataFolder{}, world);
  EXPECT_EQ(planned.errors(),
            "CUlaunchConfig_st: E210: cannot decide what the member CUlaunchConfig_st.attrs is (CUDA_MEMCPY2D *)\n"
            "  add to generator/data/classes.toml under [list_members], where it is a list:\n"
            "    \"CUlaunchConfig_st.attrs\" = \"<member that counts it, or empty>\"\n"
            "  or under [field_kinds]:\n"
            "    \"CUlaunchConfig_st.attrs\" = { kind = \"pointer\", reason = \"...\" }\n");
}

TEST(E220, CallbackOfUnknownLifetime) {
  const Planned planned("CUresult cuFoo(CUhostFn fn, void *userData)");
  EXPECT_EQ(planned.errors(),
            "cuda.h:20: E220: nobody says how long CUDA may call cuFoo.fn (CUhostFn)\n"
            "  add to generator/data/callbacks.toml:\n"
            "    [[callback]]\n"
            "    given     = [\"cuFoo.fn\"]\n"
            "    user_data = \"...\"\n"
            "    lifetime  = \"...\"\n"
            "    reason    = \"...\"\n");
}

TEST(E220, MemberThatIsACallbackWithoutUserData) {
  auto world = small_world();
  world.records.push_back({"CUnode_st", "driver", 8, 8, {{"fn", 0, "CUhostFn", {}}}, false, false, {}});
  const Planned planned({}, DataFolder{}, world);
  EXPECT_EQ(planned.errors(),
            "CUnode_st: E220: nobody says how long CUDA may call CUnode_st.fn (CUhostFn)\n"
            "  add to generator/data/callbacks.toml:\n"
            "    [[member]]\n"
            "    given     = [\"CUnode_st.fn\"]\n"
            "    user_data = \"...\"\n"
            "    reason    = \"...\"\n");
}

TEST(E221, CallbackWithAnArgumentOfNoConversion) {
  auto world = small_world();
  world.callbacks.push_back({"CUfoo", "driver", "void", {{"many", "CUstream **", "none"}}});
  const Planned planned({}, DataFolder{}, world);
  EXPECT_EQ(planned.errors(), "CUfoo: E221: no conversion for the parameter 0 of the callback CUfoo (CUstream **)\n");
}

std::string lock_errors(const std::map<std::string, std::string>& accepted, const std::vector<plan::LockLine>& now) {
  Diagnostics diagnostics;
  plan::refuse(plan::compare(accepted, now), "13.1", plan::Places({{"function", "cuFoo", "cuda.h", 5}}), diagnostics);
  std::ostringstream text;
  diagnostics.print(text);
  return text.str();
}

TEST(E230, NewLineThatNobodyAccepted) {
  EXPECT_EQ(lock_errors({}, {{"cuFoo.p", "cuFoo.p CUstream * in - slot pointer-to-handle", true}}),
            "cuda.h:5: E230: cuFoo.p is new, decided by a weak rule and not accepted:\n"
            "  cuFoo.p CUstream * in - slot pointer-to-handle\n"
            "  where it is right:\n"
            "    cuda-bindgen accept --release 13.1 cuFoo.p\n");
}

TEST(E231, LineDecidedOtherwiseThanAccepted) {
  EXPECT_EQ(lock_errors({{"cuFoo.p", "cuFoo.p CUstream * in"}}, {{"cuFoo.p", "cuFoo.p CUstream * out", false}}),
            "cuda.h:5: E231: cuFoo.p is decided otherwise than accepted:\n"
            "  was cuFoo.p CUstream * in\n"
            "  now cuFoo.p CUstream * out\n"
            "  where it is right:\n"
            "    cuda-bindgen accept --release 13.1 cuFoo.p\n");
}

TEST(E232, LineWithoutParameter) {
  EXPECT_EQ(lock_errors({{"cuGone.p", "cuGone.p CUstream * in"}}, {}),
            "directions.lock: E232: cuGone.p is in the lock, and no parameter has that name\n"
            "  cuda-bindgen accept --release 13.1\n");
}

}  // namespace
}  // namespace bindgen::testing
