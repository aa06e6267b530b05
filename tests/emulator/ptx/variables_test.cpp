// SPDX-License-Identifier: Apache-2.0
// Declarations of module variables: spaces, types, alignment, arrays, linkage, merging.
#include <gtest/gtest.h>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

TEST(Variables, HaveSpaceSizeAndNaturalAlignment) {
  const Parsed parsed = parse_module(
      ".global .u32 a;\n.const .f64 b;\n.shared .b8 c;\n.global .v4 .f32 d;\n.global .bf16x2 e;\n.global .b128 f;");
  const auto& variables = parsed.module.variables;
  ASSERT_EQ(variables.size(), 6u);
  EXPECT_EQ(variables[0].space, Space::global);
  EXPECT_EQ(variables[0].size, 4u);
  EXPECT_EQ(variables[0].alignment, 4u);
  EXPECT_EQ(variables[1].space, Space::constant);
  EXPECT_EQ(variables[1].size, 8u);
  EXPECT_EQ(variables[1].line, 5u);
  EXPECT_EQ(variables[2].space, Space::shared);
  EXPECT_EQ(variables[2].size, 1u);
  EXPECT_EQ(variables[3].size, 16u);
  EXPECT_EQ(variables[3].alignment, 16u);
  EXPECT_EQ(variables[4].size, 4u);
  EXPECT_EQ(variables[5].size, 16u);
}

TEST(Variables, MayBeAlignedAndBeArrays) {
  const Parsed parsed = parse_module(".visible .global .align 16 .b8 table[3][5];");
  const Variable& table = parsed.module.variables.at(0);
  EXPECT_EQ(table.name, "table");
  EXPECT_EQ(table.alignment, 16u);
  EXPECT_EQ(table.size, 15u);
  EXPECT_FALSE(table.unsized);
  EXPECT_TRUE(table.data.empty());
}

TEST(Variables, MayBeDeclaredInOneStatement) {
  const Parsed parsed = parse_module(".global .u16 a, b[4], c = 7;");
  ASSERT_EQ(parsed.module.variables.size(), 3u);
  EXPECT_EQ(parsed.module.variables[1].size, 8u);
  EXPECT_EQ(parsed.module.variables[2].data.size(), 2u);
}

TEST(Variables, KnowTheirLinkage) {
  const Parsed parsed =
      parse_module(".extern .global .u32 a;\n.weak .global .u32 b;\n.common .global .u32 c;\n.visible .global .u32 d;");
  EXPECT_TRUE(parsed.module.variables[0].is_external);
  EXPECT_TRUE(parsed.module.variables[1].is_weak);
  EXPECT_TRUE(parsed.module.variables[2].is_weak);
  EXPECT_FALSE(parsed.module.variables[3].is_external || parsed.module.variables[3].is_weak);
}

TEST(Variables, KnowThatTheyAreManaged) {
  const Parsed parsed = parse_module(".visible .global .attribute(.managed) .align 4 .u32 shared_counter = 4;");
  EXPECT_TRUE(parsed.module.variables.at(0).is_managed);
}

TEST(Variables, AreUnsizedWhereTheArrayIsOpen) {
  const Parsed parsed = parse_module(".extern .shared .align 16 .b8 dynamic[];");
  const Variable& dynamic = parsed.module.variables.at(0);
  EXPECT_TRUE(dynamic.unsized);
  EXPECT_EQ(dynamic.size, 0u);
  EXPECT_EQ(dynamic.alignment, 16u);
}

TEST(Variables, DeclaredTwiceAreOneWithTheStricterAlignment) {
  const Parsed parsed = parse_module(
      ".extern .shared .align 4 .b8 dynamic[];\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".extern .global .align 4 .u32 a;\n.visible .global .align 8 .u32 a = 5;\n.extern .global .u32 a;");
  ASSERT_EQ(parsed.module.variables.size(), 2u);
  EXPECT_EQ(parsed.module.variables[0].alignment, 16u);
  EXPECT_EQ(parsed.module.variables[1].alignment, 8u);
  EXPECT_FALSE(parsed.module.variables[1].is_external);
  EXPECT_EQ(parsed.module.variables[1].data.size(), 4u);
}

TEST(Variables, MayNotBeDefinedTwice) {
  EXPECT_EQ(refusal_of_module(".global .u32 a;\n.global .u32 a;"), invalid(5, "'a' is defined twice, first in line 4"));
  EXPECT_EQ(refusal_of_module(".func f;\n.global .u32 f;"), invalid(5, "'f' is a function and a variable"));
}

TEST(Variables, HaveNamesWithDollarsAndUnderscores) {
  const Parsed parsed = parse_module(".global .u32 $a$b;\n.global .u32 _c_1;\n.global .u32 %d;");
  EXPECT_EQ(parsed.module.variables[0].name, "$a$b");
  EXPECT_EQ(parsed.module.variables[1].name, "_c_1");
  EXPECT_EQ(parsed.module.variables[2].name, "%d");
}

TEST(Variables, NeedATypeAndAName) {
  EXPECT_EQ(refusal_of_module(".global a;"), invalid(4, "expected the type of a variable, found 'a'"));
  EXPECT_EQ(refusal_of_module(".global .q32 a;"), invalid(4, "expected the type of a variable, found '.q32'"));
  EXPECT_EQ(refusal_of_module(".global .u32 ;"), invalid(4, "expected the name of a variable, found ';'"));
  EXPECT_EQ(refusal_of_module(".global .u32 a\n.global .u32 b;"),
            invalid(5, "expected ';' after the variable a, found '.global'"));
  EXPECT_EQ(refusal_of_module(".global .u32 a[4;"), invalid(4, "expected ']' after the size of a, found ';'"));
}

TEST(Variables, MayNotBePredicatesOrTextures) {
  EXPECT_EQ(refusal_of_module(".global .pred p;"), invalid(4, "only registers may have the type .pred"));
  EXPECT_EQ(refusal_of_module(".global .texref t;"), invalid(4, "the emulated device has no '.texref' variables"));
}

TEST(Variables, NeedAnAlignmentThatIsAPowerOfTwo) {
  EXPECT_EQ(refusal_of_module(".global .align 3 .u32 a;"), invalid(4, "the number of .align must be a power of two"));
  EXPECT_EQ(refusal_of_module(".global .align 0 .u32 a;"), invalid(4, "the number of .align must be a power of two"));
  EXPECT_EQ(refusal_of_module(".global .align 2097152 .u32 a;"),
            invalid(4, "the number of .align must be an integer from 0 to 1048576"));
}

TEST(Variables, MayHaveTwoToTheFortyBytes) {
  EXPECT_EQ(parse_module(".global .b8 a[0x10000000000];").module.variables.at(0).size, std::uint64_t{1} << 40);
  const Refusal too_large = invalid(4, "'a' is larger than 2^40 bytes");
  EXPECT_EQ(refusal_of_module(".global .b16 a[0x10000000000];"), too_large);
  EXPECT_EQ(refusal_of_module(".global .b8 a[0x100000][0x100000][2];"), too_large);
  EXPECT_EQ(refusal_of_module(".global .b8 a[0x10000000000][0x10000000000][0x10000000000][0x10000000000];"), too_large);
  EXPECT_EQ(refusal_of_module(".global .b8 a[-1];"),
            invalid(4, "the size of an array must be an integer from 0 to 1099511627776"));
}

TEST(Variables, MayHaveEightDimensions) {
  EXPECT_EQ(parse_module(".global .b8 a[2][2][2][2][2][2][2][2];").module.variables.at(0).size, 256u);
  EXPECT_EQ(refusal_of_module(".global .b8 a[2][2][2][2][2][2][2][2][2];"), invalid(4, "'a' has too many dimensions"));
}

}  // namespace
}  // namespace emulator::ptx::testing
