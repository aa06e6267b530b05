// SPDX-License-Identifier: Apache-2.0
// The module level: version, target, what is skipped, and what a module may not be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsing.hpp"

namespace emulator::ptx::testing {
namespace {

using ::testing::ElementsAre;

TEST(Module, HasVersionAndTargetWithTheirLines) {
  const Parsed parsed = parse_text("// made by hand\n.version 9.0\n.target sm_100\n.address_size 64\n");
  EXPECT_EQ(parsed.module.version, 90u);
  EXPECT_EQ(parsed.module.version_line, 2u);
  EXPECT_EQ(parsed.module.target, "sm_100");
  EXPECT_EQ(parsed.module.target_capability, 100u);
  EXPECT_FALSE(parsed.module.target_is_specific);
  EXPECT_EQ(parsed.module.target_line, 3u);
}

TEST(Module, KnowsTargetsOfOneArchitectureOrFamily) {
  const Parsed hopper = parse_text(".version 8.0 .target sm_90a");
  EXPECT_EQ(hopper.module.target_capability, 90u);
  EXPECT_TRUE(hopper.module.target_is_specific);
  const Parsed blackwell = parse_text(".version 8.8 .target sm_100f");
  EXPECT_EQ(blackwell.module.target_capability, 100u);
  EXPECT_TRUE(blackwell.module.target_is_specific);
}

TEST(Module, SkipsOptionsOfItsTarget) {
  const Parsed parsed = parse_text(".version 8.0\n.target sm_80, texmode_independent, debug\n");
  EXPECT_EQ(parsed.module.target_capability, 80u);
}

TEST(Module, EndsAtANul) {
  const std::string text(".version 8.0 .target sm_80\0 rubbish", 35);
  EXPECT_EQ(parse(text).version, 80u);
}

TEST(Module, SkipsCommentsOfBothKinds) {
  const Parsed parsed = parse_module("/* one\n two */ .global .u32 a; // .global .u32 b;\n.global .u32 c;");
  ASSERT_EQ(parsed.module.variables.size(), 2u);
  EXPECT_EQ(parsed.module.variables[0].line, 5u);
  EXPECT_EQ(parsed.module.variables[1].name, "c");
  EXPECT_EQ(parsed.module.variables[1].line, 6u);
}

TEST(Module, KeepsFilesByNumber) {
  const Parsed parsed = parse_module(".file 2 \"b.cu\"\n.file 1 \"dir/a.cu\", 1700000000, 4096\n");
  EXPECT_THAT(parsed.module.files, ElementsAre("", "dir/a.cu", "b.cu"));
}

TEST(Module, HasAFileNumberZeroWhereItHasNoFiles) { EXPECT_THAT(parse_module("").module.files, ElementsAre("")); }

TEST(Module, SkipsSectionsWithTheirText) {
  const Parsed parsed = parse_module(
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n.b32 $L__end-$L__begin\n}\n"
      ".section .debug_info { .b8 1 { .b8 2 } }\n@@DWARF .byte 0x12\n.global .u32 after;");
  ASSERT_EQ(parsed.module.variables.size(), 1u);
  EXPECT_EQ(parsed.module.variables[0].name, "after");
}

TEST(Module, SkipsPragmas) { EXPECT_EQ(parse_module(".pragma \"nounroll\", \"x\";").module.functions.size(), 0u); }

TEST(Module, NeedsAVersionFirst) {
  EXPECT_EQ(refusal_of_text(""), invalid(1, "expected '.version' at the beginning, found the end of the text"));
  EXPECT_EQ(refusal_of_text("\n.target sm_80"), invalid(2, "expected '.version' at the beginning, found '.target'"));
  EXPECT_EQ(refusal_of_text("hello"), invalid(1, "expected '.version' at the beginning, found 'hello'"));
}

TEST(Module, NeedsAVersionOfTwoNumbers) {
  EXPECT_EQ(refusal_of_text(".version 8"), invalid(1, "expected a version such as 8.0, found '8'"));
  EXPECT_EQ(refusal_of_text(".version 8.x"), invalid(1, "'8.x' is no version"));
  EXPECT_EQ(refusal_of_text(".version 8.15"), invalid(1, "'8.15' is no version"));
}

TEST(Module, NeedsATarget) {
  EXPECT_EQ(refusal_of_text(".version 8.0\n.global .u32 a;"),
            invalid(2, "expected '.target' after .version, found '.global'"));
  EXPECT_EQ(refusal_of_text(".version 8.0\n.target compute_80"),
            invalid(2, "expected a target such as sm_80, found 'compute_80'"));
  EXPECT_EQ(refusal_of_text(".version 8.0\n.target sm_80x"),
            invalid(2, "expected a target such as sm_80, found 'sm_80x'"));
  EXPECT_EQ(refusal_of_text(".version 8.0\n.target sm_"), invalid(2, "expected a target such as sm_80, found 'sm_'"));
}

TEST(Module, Needs64BitAddresses) {
  EXPECT_EQ(refusal_of_text(".version 8.0 .target sm_80\n.address_size 32"),
            invalid(2, "the emulated device has 64-bit addresses only"));
}

TEST(Module, NamesWhatItDoesNotUnderstand) {
  EXPECT_EQ(refusal_of_module("add.s32 %r1, %r2, %r3;"),
            invalid(4, "expected a variable or a function, found 'add.s32'"));
  EXPECT_EQ(refusal_of_module("\n.visible ;"), invalid(5, "expected a variable or a function, found ';'"));
  EXPECT_EQ(refusal_of_module("`"), invalid(4, "the character '`' has no meaning in PTX"));
  EXPECT_EQ(refusal_of_module("\x80"), invalid(4, "the character '?' has no meaning in PTX"));
}

TEST(Module, RefusesAliases) {
  EXPECT_EQ(refusal_of_module(".alias f, g;"), invalid(4, "the emulated device does not support .alias"));
}

TEST(Module, RefusesWhatBelongsIntoFunctions) {
  EXPECT_EQ(refusal_of_module(".reg .b32 r;"), invalid(4, "'.reg' must stand in a function"));
  EXPECT_EQ(refusal_of_module(".local .b32 r;"), invalid(4, "'.local' must stand in a function"));
  EXPECT_EQ(refusal_of_module(".param .b32 r;"), invalid(4, "'.param' must stand in a function"));
}

TEST(Module, RefusesTextThatEndsTooSoon) {
  EXPECT_EQ(refusal_of_module("\n/* x"), invalid(5, "a comment begins here and has no end"));
  EXPECT_EQ(refusal_of_module("\n/"), invalid(5, "expected a variable or a function, found '/'"));
  EXPECT_EQ(refusal_of_module(".file 1 \"x\n\""), invalid(4, "a string begins here and has no end on its line"));
  EXPECT_EQ(refusal_of_module(".file 1 \"x\\"), invalid(4, "a string begins here and has no end on its line"));
  EXPECT_EQ(refusal_of_module("\n.section .debug_str {\n{ }"), invalid(5, "a section begins here and has no '}'"));
  EXPECT_EQ(refusal_of_module(".section"), invalid(4, "expected '{' after .section, found the end of the text"));
}

TEST(Module, LimitsFileNumbers) {
  EXPECT_EQ(refusal_of_module(".file 65536 \"x\""),
            invalid(4, "the number of a .file must be an integer from 0 to 65535"));
}

}  // namespace
}  // namespace emulator::ptx::testing
