// SPDX-License-Identifier: Apache-2.0
// One failing header for each error code of the extraction, and the words that a user reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "extraction.hpp"
#include "facts/headers.hpp"

namespace bindgen {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string errors_of(const std::string& header) { return testing::texts(testing::extract(header).diagnostics); }

TEST(Errors, E101AnythingThatTheParserCannotTake) {
  EXPECT_EQ(errors_of("#include \"crt/missing.h\"\nint cuFoo(void);\n"),
            "cuda.h:1: E101: the parser reports (C): 'crt/missing.h' file not found\n");
}

TEST(Errors, E102AHeaderThatIsNotThere) {
  testing::Input input;
  input.headers["cuda.h"] = "int cuFoo(void);\n";
  input.umbrella = {"cuda.h", "nvrtc.h"};
  EXPECT_THAT(testing::texts(testing::extract(input).diagnostics),
              HasSubstr("nvrtc.h: E102: header not found in the folders given\n"));
}

TEST(Errors, E103AHeaderFromAnotherFolder) {
  const testing::Folder elsewhere("other-toolkit");
  elsewhere.write("driver_types.h", "typedef int cudaOld;\n");
  const auto errors = errors_of("#include \"" + elsewhere.path() + "/driver_types.h\"\n");
  EXPECT_THAT(errors, HasSubstr("cuda.h:1: E103: includes " + elsewhere.path() +
                                "/driver_types.h, which lies outside the header folders"));
}

TEST(Errors, E103NotForTheHeadersOfTheCStandard) {
  EXPECT_EQ(errors_of("#include <stdint.h>\n#include <stdlib.h>\n"), "");
}

TEST(Errors, E110ABitField) {
  EXPECT_EQ(errors_of("struct CUx_st { int low : 4; };\n"), "cuda.h:1: E110: CUx_st.low is a bit-field\n");
}

TEST(Errors, E111AnArrayWithoutALength) {
  EXPECT_EQ(errors_of("struct CUx_st { int count; int items[]; };\n"),
            "cuda.h:1: E111: CUx_st.items is an array without a length\n");
}

TEST(Errors, E112AnArrayOfArrays) {
  EXPECT_EQ(errors_of("struct CUx_st { int rows[2][3]; };\n"), "cuda.h:1: E112: CUx_st.rows is an array of arrays\n");
}

TEST(Errors, E113AStructWithoutATag) {
  EXPECT_THAT(errors_of("typedef struct { int x; } CUx;\n"), StartsWith("cuda.h:1: E113: a struct without a tag"));
}

TEST(Errors, E114ATypeOfAKindNeverSeen) {
  EXPECT_EQ(errors_of("int cuFoo(long double x);\n"),
            "cuda.h:1: E114: type \"long double\" of cuFoo has a kind unknown to the generator (LongDouble)\n");
}

TEST(Errors, E115AValueBeyond64SignedBits) {
  EXPECT_EQ(errors_of("enum CUx_enum { CU_X = 0xffffffffffffffff };\n"),
            "cuda.h:1: E115: CU_X is larger than a signed 64-bit number\n");
  EXPECT_EQ(errors_of("#define CU_Y 0xffffffffffffffff\n"),
            "cuda.h:1: E115: CU_Y is larger than a signed 64-bit number\n");
}

TEST(Errors, E116AVariableNumberOfArguments) {
  EXPECT_EQ(errors_of("int cuPrint(const char *format, ...);\n"),
            "cuda.h:1: E116: cuPrint takes a variable number of arguments\n");
}

TEST(Errors, E117ACallbackWithoutANameOfItsOwn) {
  EXPECT_THAT(errors_of("int cuWatch(int (*callback)(void *), void *payload);\n"),
              StartsWith("cuda.h:1: E117: cuWatch.callback is a callback written in place, \"int (*)(void *)\"\n"));
}

TEST(Errors, E120AMacroThatIsNoConstant) {
  EXPECT_THAT(errors_of("extern int cuCounter;\n#define CU_COUNTER (cuCounter + 1)\n"),
              StartsWith("cuda.h:2: E120: the macro CU_COUNTER is neither a function, nor a type, nor a number known "
                         "to the compiler\n"));
}

TEST(Errors, E120NotForAMacroKnownByName) {
  testing::Input input;
  input.headers["cuda.h"] = "#define CUDART_DEVICE __attribute__((unused))\n";
  input.exclusions = "[macros]\nCUDART_DEVICE = \"marks functions of device code\"\n";
  EXPECT_EQ(testing::texts(testing::extract(input).diagnostics), "");
}

TEST(Errors, E121ReleasesThatDoNotPairWithLinkNames) {
  testing::Input input;
  input.headers["cuda.h"] = "int cuFoo(void);\nint cuFoo_v2(void);\n";
  input.headers["cudaTypedefs.h"] = "typedef int (*PFN_cuFoo_v2000)(void);\n";
  input.since = {"cudaTypedefs.h"};
  EXPECT_EQ(testing::texts(testing::extract(input).diagnostics),
            "cudaTypedefs.h: E121: cuFoo has 1 releases but 2 link names\n");
}

TEST(Errors, E130ADifferenceBetweenCAndCpp) {
  EXPECT_THAT(
      errors_of("#ifdef __cplusplus\nenum CUx_enum { CU_X = 2 };\n#else\nenum CUx_enum { CU_X = 1 };\n#endif\n"),
      StartsWith("CU_X: E130: of CU_X C says \"1\", C++ says \"2\"\n"));
}

TEST(Errors, E130ALayoutThatDiffersInCpp) {
  EXPECT_THAT(errors_of("struct CUx_st {\n#ifdef __cplusplus\nlong x;\n#else\nint x;\n#endif\n};\n"),
              HasSubstr("cuda.h:1: E130: of CUx_st C says \"4 bytes aligned to 4: x@0 int\""));
}

TEST(Errors, E133AnExclusionOfWhatIsNotThere) {
  testing::Input input;
  input.headers["cuda.h"] = "int cuFoo(void);\n";
  input.exclusions = "[macros]\nCU_GONE = \"a switch\"\n[prototypes]\ncuGone = \"has its body in the header\"\n";
  EXPECT_EQ(
      testing::texts(testing::extract(input).diagnostics),
      "generator/data/exclusions.toml: E133: row macros.CU_GONE matches nothing in the headers\n  remove it\n"
      "generator/data/exclusions.toml: E133: row prototypes.cuGone matches nothing in the headers\n  remove it\n");
}

TEST(Errors, E131AKnownDifferenceThatIsGone) {
  testing::Input input;
  input.headers["cuda.h"] = "int cuFoo(void);\n";
  input.cpp_differences = "[functions]\ncuBar = \"was a template in 12.0\"\n";
  EXPECT_EQ(testing::texts(testing::extract(input).diagnostics),
            "generator/data/cpp_differences.toml: E131: row functions.cuBar matches no difference\n");
}

TEST(Errors, E132APrototypeThatTheFactsMiss) {
  // Clang skips the declaration, the compiler behind the second witness does not.
  EXPECT_THAT(
      errors_of("#ifndef __clang__\nint cuHidden(int x);\n#endif\n"),
      StartsWith("cuHidden: E132: a prototype of this name stands in the preprocessed headers and is in no fact\n"));
}

TEST(Errors, AreSortedByPlaceAndEndTheRunWithStatusOne) {
  Diagnostics diagnostics;
  diagnostics.add("E110", "cuda.h:10", "second");
  diagnostics.add("E111", "cuda.h:9", "first", "do this\nand that");
  std::ostringstream stream;
  EXPECT_EQ(diagnostics.print(stream), 1);
  EXPECT_EQ(stream.str(), "cuda.h:9: E111: first\n  do this\n  and that\ncuda.h:10: E110: second\n");
}

}  // namespace
}  // namespace bindgen
