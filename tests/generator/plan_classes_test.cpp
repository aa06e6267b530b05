// SPDX-License-Identifier: Apache-2.0
// Classes of handles, enums and records, and the order of C declarations.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/overrides.hpp"
#include "plan/type_spelling.hpp"
#include "planning.hpp"

namespace bindgen::testing {
namespace {

template <typename Entry>
const Entry& named(const std::vector<Entry>& list, const std::string& id) {
  for (const auto& entry : list) {
    if (entry.id == id) return entry;
  }
  throw std::runtime_error("no class " + id);
}

TEST(TypeSpelling, ReadsConstAndPointersFromTheInside) {
  const auto type = plan::parse_type("const char *const *");
  EXPECT_EQ(type.base, "char");
  EXPECT_TRUE(type.is_base_const);
  EXPECT_EQ(type.pointers, (std::vector<bool>{true, false}));
  EXPECT_TRUE(type.is_pointee_const());
}

TEST(TypeSpelling, SeesThatAPointerToAConstTextMayBeWritten) {
  EXPECT_FALSE(plan::parse_type("const char **").is_pointee_const());
}

TEST(TypeSpelling, KeepsTheKeywordInTheBaseOnly) {
  const auto type = plan::parse_type("struct cudaExtent *");
  EXPECT_EQ(type.base, "struct cudaExtent");
  EXPECT_EQ(type.name(), "cudaExtent");
}

TEST(Pattern, HoldsForAnythingInPlaceOfAStar) {
  EXPECT_TRUE(plan::matches_pattern("cu*Node.params", "cuGraphNode.params"));
  EXPECT_FALSE(plan::matches_pattern("cu*Node.params", "cuGraphNode.param"));
}

TEST(Handles, AcceptTheirTwinOfTheOtherModule) {
  const Planned planned({}, DataFolder{});
  EXPECT_EQ(named(planned.result.plan.handles, "CUstream").accepts, std::vector<std::string>{"cudaStream_t"});
  EXPECT_TRUE(named(planned.result.plan.handles, "CUcontext").accepts.empty());
}

TEST(Handles, HaveTheWidthOfTheirInteger) {
  const Planned planned({}, DataFolder{});
  EXPECT_EQ(named(planned.result.plan.handles, "CUdevice").kind, "signed32");
  EXPECT_EQ(named(planned.result.plan.handles, "CUdeviceptr").kind, "unsigned64");
  EXPECT_EQ(named(planned.result.plan.handles, "CUhostFn").kind, "function");
}

TEST(Enums, OfATypedefShareTheGroupOfTheirEnum) {
  const Planned planned({}, DataFolder{});
  EXPECT_EQ(named(planned.result.plan.enums, "CUstreamAttrID").group, "CUlaunchAttributeID");
}

TEST(Records, DeriveFromTheirTag) {
  const Planned planned({}, DataFolder{});
  EXPECT_EQ(named(planned.result.plan.records, "CUDA_MEMCPY2D").base, "CUDA_MEMCPY2D_st");
  EXPECT_EQ(named(planned.result.plan.records, "CUDA_MEMCPY2D").c_type, "CUDA_MEMCPY2D");
}

TEST(Records, FlattenMembersWithoutAName) {
  auto world = small_world();
  world.records.push_back({"CUmemLocation_st",
                           "driver",
                           8,
                           4,
                           {{"type", 0, "int", {}}, {"", 32, "CUmemLocation_st::@0", {}}},
                           false,
                           false,
                           {}});
  world.records.push_back({"CUmemLocation_st::@0", "driver", 4, 4, {{"id", 0, "int", {}}}, true, true, {}});
  const Planned planned({}, DataFolder{}, world);
  const auto& fields = named(planned.result.plan.records, "CUmemLocation_st").fields;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[1].name, "id");
  EXPECT_EQ(fields[1].offset, 4U);
}

TEST(Records, MakeAClassOfANamedMemberOfUnnamedType) {
  auto world = small_world();
  world.records.push_back({"CUdesc_st", "driver", 8, 8, {{"res", 0, "CUdesc_st::res", {}}}, false, false, {}});
  world.records.push_back({"CUdesc_st::res", "driver", 8, 8, {{"reserved1", 0, "int", 2}}, false, true, {}});
  const Planned planned({}, DataFolder{}, world);
  const auto& nested = named(planned.result.plan.records, "CUdesc_st_res");
  EXPECT_TRUE(nested.is_nested);
  EXPECT_EQ(nested.c_type, "__typeof__(((struct CUdesc_st *)0)->res)");
  EXPECT_TRUE(nested.fields[0].is_hidden);
  EXPECT_EQ(nested.fields[0].count, 2U);
  EXPECT_EQ(named(planned.result.plan.records, "CUdesc_st").fields[0].type, "CUdesc_st_res");
}

TEST(Names, InTwoModulesHaveTheModuleInTheirId) {
  auto world = small_world();
  world.records.push_back({"CUuuid_st", "shared", 16, 1, {{"bytes", 0, "char", 16}}, false, false, {}});
  const Planned planned({}, DataFolder{}, world);
  EXPECT_EQ(named(planned.result.plan.records, "driver_CUuuid_st").name, "CUuuid_st");
  EXPECT_EQ(named(planned.result.plan.records, "runtime_CUuuid_st").module, "runtime");
}

TEST(Declarations, StandBehindWhatTheyNeed) {
  auto world = small_world();
  world.records.push_back({"Aa_st",
                           "driver",
                           16,
                           8,
                           {{"copy", 0, "CUDA_MEMCPY2D", {}}, {"key", 64, "CUjit_option", {}}},
                           false,
                           false,
                           {}});
  const Planned planned({}, DataFolder{}, world);
  std::vector<std::string> order;
  for (const auto& type : planned.result.plan.types)
    order.push_back(type.at("kind").get<std::string>() + " " + type.at("name").get<std::string>());
  const auto place = [&](const std::string& what) {
    return std::find(order.begin(), order.end(), what) - order.begin();
  };
  EXPECT_LT(place("record CUDA_MEMCPY2D_st"), place("typedef CUDA_MEMCPY2D"));
  EXPECT_LT(place("typedef CUDA_MEMCPY2D"), place("record Aa_st"));
  EXPECT_LT(place("enum CUjit_option"), place("typedef CUjit_option"));
  EXPECT_LT(place("typedef CUjit_option"), place("record Aa_st"));
}

}  // namespace
}  // namespace bindgen::testing
