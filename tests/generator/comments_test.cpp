// SPDX-License-Identifier: Apache-2.0
// Which comment belongs to a prototype, and which class its wording has. The sentences are ours.
#include <gtest/gtest.h>

#include "extraction.hpp"
#include "facts/comments.hpp"

namespace bindgen::facts {
namespace {

std::string class_of_x(const std::string& comment) { return doc_classes(comment, {"x"}).at("x"); }

TEST(DocClass, ComesFromTheTag) {
  EXPECT_EQ(class_of_x("/** \\param[in] x the pool */"), "in");
  EXPECT_EQ(class_of_x("/** \\param [out] x the size */"), "out");
  EXPECT_EQ(class_of_x("/** \\param[in, out] x the size */"), "inout");
}

TEST(DocClass, IsReturnedWhereTheEntryOpensSo) {
  EXPECT_EQ(class_of_x("/** \\param x - Returned handle */"), "returned");
  EXPECT_EQ(class_of_x("/** \\param x - Pointer to a number in which the size is returned */"), "returned");
  EXPECT_EQ(class_of_x("/** \\param x - Optional location to store the size */"), "returned");
  EXPECT_EQ(class_of_x("/** \\param x - On success, this will point to the image */"), "returned");
}

TEST(DocClass, IsNotReturnedWhereSomebodyElseReturnedIt) {
  EXPECT_EQ(class_of_x("/** \\param x - Handle returned by cuFoo */"), "none");
  EXPECT_EQ(class_of_x("/** \\param x - Pointer to memory returned by cuFoo */"), "none");
  EXPECT_EQ(class_of_x("/** \\param x - Pointer to a structure containing what is returned */"), "none");
}

TEST(DocClass, IsReturnedWhereTheTextReturnsInIt) {
  EXPECT_EQ(class_of_x("/** Returns in \\p *x the handle.\n * \\param x - Handle */"), "returned");
  EXPECT_EQ(class_of_x("/** Creates it and returns it in \\p x. */"), "returned");
  EXPECT_EQ(class_of_x("/** Returns in \\p *y and \\p *x the two ends. */"), "returned");
}

TEST(DocClass, IsProseWhereTheTextWritesOrReads) {
  EXPECT_EQ(class_of_x("/** The size will be placed in \\p x. */"), "prose-out");
  EXPECT_EQ(class_of_x("/** Nodes are specified via \\p x. */"), "prose-in");
  EXPECT_EQ(class_of_x("/** Sets the parameters of the node to \\p x. */"), "prose-in");
  EXPECT_EQ(class_of_x("/** \\p *x must hold the room. It is written in \\p *x. */"), "prose-inout");
}

TEST(DocClass, IsNoneWithoutEvidence) {
  EXPECT_EQ(class_of_x("/** \\param x - Options of the compiler */"), "none");
  EXPECT_EQ(class_of_x("/** Returns nothing. Uses \\p x. */"), "none");
  EXPECT_EQ(class_of_x(""), "none");
}

std::string doc_of_first_parameter(const std::string& header) {
  const auto output = testing::extract(header);
  EXPECT_EQ(testing::texts(output.diagnostics), "");
  return output.extraction.facts.functions.at(0).params.at(0).doc;
}

TEST(DocComment, ReachesAcrossAnIf) {
  EXPECT_EQ(doc_of_first_parameter("/** \\param[out] x it */\n#if defined(__cplusplus)\nint cuFoo(int *x);\n#else\nint "
                                   "cuFoo(int *x);\n#endif\n"),
            "out");
}

TEST(DocComment, ReachesAPrototypeWhoseNameIsAMacro) {
  EXPECT_EQ(doc_of_first_parameter("#define cuFoo cuFoo_v2\n/** \\param[out] x it */\nint cuFoo(int *x);\n"), "out");
}

TEST(DocComment, EndsAtTheNextDeclaration) {
  EXPECT_EQ(doc_of_first_parameter("/** \\param[out] x it */\ntypedef int CUother;\nint cuFoo(int *x);\n"), "none");
}

TEST(DocComment, IsNoGroupMark) {
  EXPECT_EQ(doc_of_first_parameter("/** \\param[out] x it */\n/** @{ */\nint cuFoo(int *x);\n"), "out");
}

TEST(DocComment, IsNotOneOfASkippedBranch) {
  EXPECT_EQ(
      doc_of_first_parameter("/** \\param[out] x it */\n#if 0\n/** \\param[in] x it */\n#endif\nint cuFoo(int *x);\n"),
      "out");
}

}  // namespace
}  // namespace bindgen::facts
