// SPDX-License-Identifier: Apache-2.0
// The documentation group of a function: which marks open it, close it and stand above it. The headers are ours.
#include <gtest/gtest.h>

#include "extraction.hpp"
#include "facts/groups.hpp"

namespace bindgen::facts {
namespace {

std::string group_of_first_function(const std::string& header) {
  const auto output = testing::extract(header);
  EXPECT_EQ(testing::texts(output.diagnostics), "");
  return output.extraction.facts.functions.at(0).group;
}

TEST(DocGroup, IsTheOneThatIsOpen) {
  EXPECT_EQ(
      group_of_first_function("/**\n * \\defgroup CUDA_FOO Foo Management\n * @{\n */\nint cuFoo(int x);\n/** @} */\n"),
      "CUDA_FOO");
}

TEST(DocGroup, MayBeAddedTo) {
  EXPECT_EQ(group_of_first_function("/** \\addtogroup CUDA_FOO Foo\n @{ */\nint cuFoo(int x);\n/** @} */\n"),
            "CUDA_FOO");
}

TEST(DocGroup, EndsAtItsMark) {
  EXPECT_EQ(group_of_first_function("/** \\defgroup CUDA_FOO Foo\n @{ */\n/** @} */\nint cuFoo(int x);\n"), "");
}

TEST(DocGroup, IsTheInnermost) {
  EXPECT_EQ(group_of_first_function("/** \\defgroup CUDA_FOO Foo\n @{ */\n/** \\defgroup CUDA_FOO_OLD Old Foo\n @{ */\n"
                                    "int cuFoo(int x);\n/** @} */\n/** @} */\n"),
            "CUDA_FOO_OLD");
  EXPECT_EQ(group_of_first_function("/** \\defgroup CUDA_FOO Foo\n @{ */\n/** \\defgroup CUDA_FOO_OLD Old Foo\n @{ */\n"
                                    "/** @} */\nint cuFoo(int x);\n/** @} */\n"),
            "CUDA_FOO");
}

TEST(DocGroup, IsNotOneThatIsOnlyNamed) {
  EXPECT_EQ(group_of_first_function("/** \\defgroup CUDA_FOO Foo */\nint cuFoo(int x);\n"), "");
}

TEST(DocGroup, MayBeNamedBeforeItsMark) {
  EXPECT_EQ(group_of_first_function("/** \\defgroup CUDA_FOO Foo */\n/** @{ */\nint cuFoo(int x);\n/** @} */\n"),
            "CUDA_FOO");
}

TEST(DocGroup, IsNotClosedByMoreMarksThanOpened) {
  EXPECT_EQ(group_of_first_function("/** @} */\n/** \\defgroup CUDA_FOO Foo\n @{ */\nint cuFoo(int x);\n/** @} */\n"),
            "CUDA_FOO");
}

TEST(DocGroup, IsWhatTheFunctionsOwnCommentSays) {
  EXPECT_EQ(
      group_of_first_function("/** \\defgroup one Foo\n @{ */\n/** \\ingroup two\n * Does it. */\nint cuFoo(int x);\n"),
      "two");
}

TEST(DocGroup, OfAFunctionWhoseNameIsAMacro) {
  EXPECT_EQ(group_of_first_function("#define cuFoo cuFoo_v2\n/** \\defgroup CUDA_FOO Foo\n @{ */\nint cuFoo(int x);\n"),
            "CUDA_FOO");
}

}  // namespace
}  // namespace bindgen::facts
