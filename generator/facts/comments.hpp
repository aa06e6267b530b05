// SPDX-License-Identifier: Apache-2.0
// Documentation comments: which one belongs to a declaration, and the class of wording it uses for each parameter.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang/translation_unit.hpp"

namespace bindgen::facts {

// The comments of one header by position. libclang loses 133 of them in CUDA 13.0: those of functions whose name is a
// macro, and those with an #if between comment and prototype.
class DocComments {
 public:
  // `skipped`: what the preprocessor left out; a declaration there does not end the reach of a comment.
  DocComments(const std::string& text, const std::vector<clang::OffsetRange>& skipped);

  // The last documentation comment in front of the declaration that begins at `offset`, with no other declaration
  // between.
  std::optional<std::string> before(unsigned offset) const;

 private:
  struct Comment {
    unsigned end = 0;
    std::string text;
  };
  std::vector<Comment> comments_;
  std::vector<unsigned> ends_;  // offsets of the `;` and `}` that end declarations
};

// Classes: none; in, out, inout (the tag of \param); returned ("Returned ...", or "Returns in *x" in the text);
// prose-out, prose-in, prose-inout (the text says that *x is written, read, or both).
std::map<std::string, std::string> doc_classes(const std::string& comment, const std::vector<std::string>& params);

}  // namespace bindgen::facts
