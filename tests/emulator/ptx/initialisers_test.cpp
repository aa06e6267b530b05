// SPDX-License-Identifier: Apache-2.0
// Initialisers: numbers of every type, nested braces, addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;

/// The bytes of the last variable's initialiser as numbers.
std::vector<unsigned> bytes_of(const std::string& declarations) {
  const Parsed parsed = parse_module(declarations);
  std::vector<unsigned> bytes;
  for (const std::byte each : parsed.module.variables.back().data) bytes.push_back(std::to_integer<unsigned>(each));
  return bytes;
}

/// Size of the last variable.
std::uint64_t size_of(const std::string& declarations) {
  return parse_module(declarations).module.variables.back().size;
}

TEST(Initialisers, HaveNumbersInEveryNotation) {
  EXPECT_THAT(bytes_of(".global .b8 a[6] = {12, 0x1F, 017, 0b101, 9U, -1};"), ElementsAre(12, 31, 15, 5, 9, 255));
}

TEST(Initialisers, HaveIntegersOfEveryWidth) {
  EXPECT_THAT(bytes_of(".global .u16 a = 0x1234;"), ElementsAre(0x34, 0x12));
  EXPECT_THAT(bytes_of(".global .s32 a = -2;"), ElementsAre(254, 255, 255, 255));
  EXPECT_THAT(bytes_of(".global .u64 a = 18446744073709551614;"), ElementsAre(254, 255, 255, 255, 255, 255, 255, 255));
  EXPECT_THAT(bytes_of(".global .b64 a = 9223372036854775809;"), ElementsAre(1, 0, 0, 0, 0, 0, 0, 128));
}

TEST(Initialisers, HaveRealsAsBitsAndAsDecimals) {
  EXPECT_THAT(bytes_of(".global .f32 a = 0f3FC00000;"), ElementsAre(0, 0, 0xc0, 0x3f));
  EXPECT_THAT(bytes_of(".global .f32 a = 1.5;"), ElementsAre(0, 0, 0xc0, 0x3f));
  EXPECT_THAT(bytes_of(".global .f32 a = -0F3FC00000;"), ElementsAre(0, 0, 0xc0, 0xbf));
  EXPECT_THAT(bytes_of(".global .f64 a = 0d3FF8000000000000;"), ElementsAre(0, 0, 0, 0, 0, 0, 0xf8, 0x3f));
  EXPECT_THAT(bytes_of(".global .f64 a = 15e-1;"), ElementsAre(0, 0, 0, 0, 0, 0, 0xf8, 0x3f));
  EXPECT_THAT(bytes_of(".global .f64 a[2] = {.5, 2.};"),
              ElementsAre(0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x40));
  EXPECT_THAT(bytes_of(".global .b32 a = 0f3FC00000;"), ElementsAre(0, 0, 0xc0, 0x3f));
}

TEST(Initialisers, NarrowRealsToTheVariablesWidth) {
  EXPECT_THAT(bytes_of(".global .f32 a = 0d3FF8000000000000;"), ElementsAre(0, 0, 0xc0, 0x3f));
  EXPECT_THAT(bytes_of(".global .b32 a = 1.5;"), ElementsAre(0, 0, 0xc0, 0x3f));
}

TEST(Initialisers, KeepTheBitsOfShortRealsInWideVariables) {
  EXPECT_THAT(bytes_of(".global .f64 a = 0f3FC00000;"), ElementsAre(0, 0, 0xc0, 0x3f, 0, 0, 0, 0));
}

TEST(Initialisers, MayBeShorterThanTheirArray) {
  EXPECT_THAT(bytes_of(".global .b8 a[100] = {1, 2, 3};"), ElementsAre(1, 2, 3));
  EXPECT_EQ(size_of(".global .b8 a[100] = {1, 2, 3};"), 100u);
}

TEST(Initialisers, GiveOpenArraysTheirSize) {
  EXPECT_EQ(size_of(".global .u32 a[] = {1, 2, 3};"), 12u);
  EXPECT_EQ(size_of(".global .u8 a[][4] = {{1}, {2, 3}};"), 8u);
  EXPECT_EQ(size_of(".global .v2 .u16 a[] = {{1, 2}, {3, 4}, {5}};"), 12u);
}

TEST(Initialisers, FillRowsOfNestedBraces) {
  EXPECT_THAT(bytes_of(".global .u8 a[2][3] = {{1, 2}, {3, 4, 5}};"), ElementsAre(1, 2, 0, 3, 4, 5));
  EXPECT_THAT(bytes_of(".global .u8 a[2][2][2] = {{{1}, {2}}, {{3}, {4, 5}}};"), ElementsAre(1, 0, 2, 0, 3, 0, 4, 5));
}

TEST(Initialisers, NeedInnerBraces) {
  EXPECT_EQ(refusal_of_module(".global .u8 a[2][3] = {1, 2};"),
            invalid(4, "expected '{' before the values of a, found '1'"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[2] = {{1}, {2}};"), invalid(4, "expected a value of 'a', found '{'"));
  EXPECT_EQ(refusal_of_module(".global .u8 a = {1};"), invalid(4, "expected a value of 'a', found '{'"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[2] = {1, };"), invalid(4, "expected a value of 'a', found '}'"));
}

TEST(Initialisers, FillVectors) {
  EXPECT_THAT(bytes_of(".global .v4 .u8 a = {1, 2, 3, 4};"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bytes_of(".global .v2 .u8 a[2] = {{1, 2}, {3, 4}};"), ElementsAre(1, 2, 3, 4));
}

TEST(Initialisers, MayBeExpressions) {
  EXPECT_THAT(bytes_of(".global .u8 a[8] = {(1+2)*3, 1<<4|1, 7/2, 7 % 4, ~0xF0&0xFF, !5, 3>2?8:9, WARP_SZ};"),
              ElementsAre(9, 17, 3, 3, 15, 0, 8, 32));
  EXPECT_THAT(bytes_of(".global .u8 a[6] = {-7/2, -8>>1, (.u64)-8>>60, 2==2, 3!=3&&1, 0||5};"),
              ElementsAre(253, 252, 15, 1, 0, 1));
}

TEST(Initialisers, HoldAddressesOfVariablesAndFunctions) {
  const Parsed parsed =
      parse_module(".func f;\n.global .u32 v[4];\n.global .u64 t[5] = {f, generic(v)+8, 0, v+-4, v+2*6};");
  const Variable& table = parsed.module.variables.back();
  EXPECT_EQ(table.size, 40u);
  EXPECT_EQ(table.data.size(), 40u);
  ASSERT_EQ(table.relocations.size(), 4u);
  EXPECT_EQ(table.relocations[0].symbol, "f");
  EXPECT_EQ(table.relocations[0].offset, 0u);
  EXPECT_EQ(table.relocations[0].size, 8u);
  EXPECT_FALSE(table.relocations[0].generic);
  EXPECT_EQ(table.relocations[1].symbol, "v");
  EXPECT_EQ(table.relocations[1].offset, 8u);
  EXPECT_EQ(table.relocations[1].addend, 8);
  EXPECT_TRUE(table.relocations[1].generic);
  EXPECT_EQ(table.relocations[2].offset, 24u);
  EXPECT_EQ(table.relocations[2].addend, -4);
  EXPECT_EQ(table.relocations[3].offset, 32u);
  EXPECT_EQ(table.relocations[3].addend, 12);
}

TEST(Initialisers, HoldSingleBytesOfAddresses) {
  const Parsed parsed = parse_module(
      ".global .u32 v;\n.global .align 1 .u8 p[9] = {3, 0xFF(generic(v)+4), 0XFF00(v), 0xFF000000000000(v+1)};");
  const Variable& packed = parsed.module.variables.back();
  ASSERT_EQ(packed.relocations.size(), 3u);
  EXPECT_EQ(packed.relocations[0].offset, 1u);
  EXPECT_EQ(packed.relocations[0].size, 1u);
  EXPECT_EQ(packed.relocations[0].shift, 0u);
  EXPECT_TRUE(packed.relocations[0].generic);
  EXPECT_EQ(packed.relocations[0].addend, 4);
  EXPECT_EQ(packed.relocations[1].offset, 2u);
  EXPECT_EQ(packed.relocations[1].shift, 8u);
  EXPECT_EQ(packed.relocations[2].shift, 48u);
  EXPECT_EQ(packed.relocations[2].addend, 1);
}

TEST(Initialisers, MayNameOnlyWhatIsDeclaredFurtherUp) {
  EXPECT_EQ(refusal_of_module("\n.global .u64 p = later;\n.global .u32 later;"), invalid(5, "'later' is not declared"));
  EXPECT_EQ(refusal_of_module(".global .u64 p = p;"), invalid(4, "'p' is not declared"));
}

TEST(Initialisers, MayNotBeLongerThanTheirVariable) {
  EXPECT_EQ(refusal_of_module(".global .u8 a[2] = {1, 2, 3};"), invalid(4, "'a' has too many values"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[2][2] = {{1, 2, 3}};"), invalid(4, "'a' has too many values"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[1][2] = {{1}, {2}};"), invalid(4, "'a' has too many values"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[0] = {1};"), invalid(4, "'a' has too many values"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[2][0] = {{1}};"), invalid(4, "'a' has too many values"));
}

TEST(Initialisers, MayNotSkipOverMoreThanMemoryHolds) {
  EXPECT_EQ(refusal_of_module(".global .u8 a[2][0x8000000000] = {{1}, {2}};"),
            invalid(4, "'a' has too much initialised data"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[][0x10000000000] = {{}, {}, {}};"), invalid(4, "'a' has too many values"));
}

TEST(Initialisers, NeedBracesAroundArrays) {
  EXPECT_EQ(refusal_of_module(".global .u8 a[2] = 1;"), invalid(4, "expected '{' before the values of a, found '1'"));
  EXPECT_EQ(refusal_of_module(".global .u8 a[2] = {1;"), invalid(4, "expected '}' after the values of a, found ';'"));
}

TEST(Initialisers, AreForGlobalAndConstantVariablesOnly) {
  EXPECT_EQ(refusal_of_module(".shared .u32 a = 1;"), invalid(4, "expected ';' after the variable a, found '='"));
}

TEST(Initialisers, RefuseNumbersThatDoNotFitTheType) {
  EXPECT_EQ(refusal_of_module(".global .u32 a = 0f00000000;"),
            invalid(4, "a floating-point number cannot initialise .u32"));
  EXPECT_EQ(refusal_of_module(".global .b16 a = 1.5;"), invalid(4, "a floating-point number cannot initialise .b16"));
  EXPECT_EQ(refusal_of_module(".global .f32 a = 3;"), invalid(4, "an integer cannot initialise .f32"));
  EXPECT_EQ(refusal_of_module(".global .f16 a = 3;"), invalid(4, "an integer cannot initialise .f16"));
  EXPECT_EQ(refusal_of_module(".func f;\n.global .f32 a = f;"), invalid(5, "an address cannot initialise .f32"));
  EXPECT_EQ(refusal_of_module(".func f;\n.global .u16 a = f;"), invalid(5, "an address cannot initialise .u16"));
}

TEST(Initialisers, RefuseIntegersMixedWithReals) {
  EXPECT_EQ(refusal_of_module(".global .f32 a = 1.5+2;"),
            invalid(4, "a constant expression mixes integers and floating-point numbers"));
}

TEST(Initialisers, RefuseMasksThatAreNoByteOfAnAddress) {
  const Refusal refusal = invalid(4, "the mask of an address must be one byte of ones, and its variable of 8 bits");
  EXPECT_EQ(refusal_of_module(".global .u8 a = 0xFFF(a);"), refusal);
  EXPECT_EQ(refusal_of_module(".global .u8 a = 0(a);"), refusal);
  EXPECT_EQ(refusal_of_module(".global .u8 a = 0xFF0(a);"), refusal);
  EXPECT_EQ(refusal_of_module(".global .u16 a = 0xFFFF(a);"), refusal);
}

TEST(Initialisers, RefuseMalformedNumbers) {
  EXPECT_EQ(refusal_of_module(".global .u64 a = 18446744073709551616;"),
            invalid(4, "'18446744073709551616' does not fit in 64 bits"));
  EXPECT_EQ(refusal_of_module(".global .u64 a = 12ab;"), invalid(4, "'12ab' is not a number"));
  EXPECT_EQ(refusal_of_module(".global .u64 a = 09;"), invalid(4, "'09' is not a number"));
  EXPECT_EQ(refusal_of_module(".global .u64 a = 0x;"), invalid(4, "'0x' is not a number"));
  EXPECT_EQ(refusal_of_module(".global .f32 a = 0f3F;"), invalid(4, "'0f3F' needs exactly 8 hexadecimal digits"));
  EXPECT_EQ(refusal_of_module(".global .f64 a = 0d3F;"), invalid(4, "'0d3F' needs exactly 16 hexadecimal digits"));
}

TEST(Initialisers, RefuseDivisionByZero) {
  EXPECT_EQ(refusal_of_module(".global .u32 a = 1/0;"), invalid(4, "a constant expression divides by zero"));
  EXPECT_EQ(refusal_of_module(".global .u32 a = 1%(2-2);"), invalid(4, "a constant expression divides by zero"));
}

TEST(Initialisers, WrapTheSmallestIntegerOverMinusOne) {
  EXPECT_THAT(bytes_of(".global .s64 a = (.s64)0x8000000000000000/-1;"), ElementsAre(0, 0, 0, 0, 0, 0, 0, 128));
}

TEST(Initialisers, LimitTheNestingOfExpressions) {
  const std::string deep(100000, '(');
  EXPECT_EQ(refusal_of_module(".global .u32 a = " + deep + "1"),
            invalid(4, "a constant expression is nested too deeply"));
  EXPECT_EQ(refusal_of_module(".global .u32 a = " + std::string(100000, '-') + "1"),
            invalid(4, "a constant expression is nested too deeply"));
}

}  // namespace
}  // namespace emulator::ptx::testing
