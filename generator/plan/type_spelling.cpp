// SPDX-License-Identifier: Apache-2.0
// Reads a canonically spaced C type: `const char *const *` is char, const, with pointers (const, plain).
#include "plan/type_spelling.hpp"

#include <sstream>
#include <string_view>

namespace bindgen::plan {
namespace {

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  std::string word;
  for (const char character : text) {
    if (character == '*' || character == ' ') {
      if (!word.empty()) tokens.push_back(word);
      word.clear();
      if (character == '*') tokens.emplace_back("*");
    } else {
      word += character;
    }
  }
  if (!word.empty()) tokens.push_back(word);
  return tokens;
}

}  // namespace

std::string without_keyword(const std::string& type) {
  for (const std::string_view keyword : {"struct ", "union ", "enum "}) {
    if (type.starts_with(keyword)) return type.substr(keyword.size());
  }
  return type;
}

std::string TypeSpelling::name() const { return without_keyword(base); }

TypeSpelling parse_type(const std::string& text) {
  TypeSpelling type;
  type.text = text;
  if (text.find('(') != std::string::npos) {
    type.base = text;
    type.is_function_pointer = true;
    return type;
  }
  for (const auto& token : tokens_of(text)) {
    if (token == "*") {
      type.pointers.push_back(false);
    } else if (token == "const") {
      if (type.pointers.empty())
        type.is_base_const = true;
      else
        type.pointers.back() = true;
    } else {
      type.base += (type.base.empty() ? "" : " ") + token;
    }
  }
  return type;
}

}  // namespace bindgen::plan
